"""Large trees in as few coordinates as the constraint rows on them can tell apart.

A tree with mass ``M = L^T L`` has the coordinates ``z = L v`` of unit mass, in which its rows are
``A = J L^-1``.  Householder's reflections turn these until each row has zeros beyond its own
number: ``A = [R 0] Q``.  Impulses change only what ``R`` multiplies.  A robot of 60 degrees of
freedom on two feet is then a node of 12, and each of Newton's steps costs a hundredth.
Golub and Van Loan, "Matrix Computations", section 5.2.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiler.jit import Floats, Ints, jit
from .mass import factor_mass, from_unit_mass, scalar_product, to_unit_mass
from .rows import ConstraintRows
from .thresholds import DEPENDENT, LARGE_NODE, NOISE, ROUNDING


class Seen(NamedTuple):
    """Rows in the coordinates that they see, and the way back.

    Attributes
    ----------
    rows : ConstraintRows
        On smaller nodes; what the solver writes to is that of the rows given.
    is_small : shape (N,)
        1 for the nodes that became smaller.
    sight : flat
        ``J L^-1`` of these nodes, laid out as the Jacobian given.
    factor, last : flat, shape (nv,)
        The factors of the masses given, as of `factor_mass`.
    """

    rows: ConstraintRows
    is_small: np.ndarray
    sight: np.ndarray
    factor: np.ndarray
    last: np.ndarray


@jit
def small_nodes(rows: ConstraintRows):
    """1 for each large node that has fewer rows than velocities, by a quarter or more."""
    count = rows.node_dof.size - 1
    on, is_small = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for k in range(rows.kind.size):
        for s in range(rows.segment[k], rows.segment[k + 1]):
            on[rows.node[s]] += rows.row[k + 1] - rows.row[k]
    for j in range(count):
        n = rows.node_dof[j + 1] - rows.node_dof[j]
        if n > LARGE_NODE and 0 < 4 * on[j] <= 3 * n:
            is_small[j] = 1
    return is_small


@jit
def any_of(flags: Ints):
    """Whether any is not 0."""
    some = False
    for f in flags:
        some = some or f != 0
    return some


@jit
def seen_by(rows: ConstraintRows, is_small: Ints):
    """The rows, with the nodes of ``is_small`` in the coordinates that rows on them see."""
    factor, last = rows.factor, rows.last
    if len(factor) == 0:
        factor, last = np.empty(rows.mass.size), np.empty(rows.free.size, np.int64)
        for j in range(is_small.size):
            dof, mass = rows.node_dof[j], rows.node_mass[j]
            n = rows.node_dof[j + 1] - dof
            factor_mass(rows.mass, factor, mass, n, last, dof, 0.0)
    sight = sight_of(rows, is_small, factor, last)
    turned, rank = sight.copy(), np.zeros(is_small.size, np.int64)
    unit = unit_velocities(rows, is_small, factor)
    turn(rows, is_small, turned, unit, rank)
    small = laid_out(rows, is_small, turned, unit, rank, factor, last)
    return Seen(small, is_small, sight, factor, last)


@jit
def sight_of(rows: ConstraintRows, is_small: Ints, factor: Floats, last: Ints):
    """``J L^-1``, without rows that are rounding."""
    out = rows.jacobian.copy()
    for k in range(rows.kind.size):
        for s in range(rows.segment[k], rows.segment[k + 1]):
            j = rows.node[s]
            if is_small[j] == 0:
                continue
            n = rows.node_dof[j + 1] - rows.node_dof[j]
            for r in range(rows.row[k + 1] - rows.row[k]):
                at, most = rows.value[s] + r * n, 0.0
                for i in range(at, at + n):
                    most = max(most, abs(out[i]))
                if most < NOISE:
                    out[at : at + n] = 0.0
                else:
                    to_unit_mass(factor, rows.node_mass[j], n, out, at)
    return out


@jit
def unit_velocities(rows: ConstraintRows, is_small: Ints, factor: Floats):
    """``L free`` of the small nodes."""
    out = rows.free.copy()
    for j in range(is_small.size):
        if is_small[j] == 0:
            continue
        dof, at = rows.node_dof[j], rows.node_mass[j]
        n = rows.node_dof[j + 1] - dof
        for i in range(n - 1, -1, -1):
            row = at + i * n
            out[dof + i] = rows.free[dof + i] / factor[row + i] + scalar_product(
                factor, row, rows.free, dof, i
            )
    return out


@jit
def turn(rows: ConstraintRows, is_small: Ints, turned: Floats, unit: Floats, rank: Ints):
    """Turn the rows ``turned`` and the velocities ``unit`` until rows end at their number.

    A row that those before it make up gets no number of its own.
    """
    for j in range(is_small.size):
        if is_small[j] == 0:
            continue
        dof = rows.node_dof[j]
        n = rows.node_dof[j + 1] - dof
        mirrors, scale, found = np.empty(n * n), np.empty(n), 0
        for k in range(rows.kind.size):
            for s in range(rows.segment[k], rows.segment[k + 1]):
                if rows.node[s] != j:
                    continue
                for r in range(rows.row[k + 1] - rows.row[k]):
                    w = turned[rows.value[s] + r * n : rows.value[s] + (r + 1) * n]
                    found += reflect_row(mirrors, scale, found, w)
        reflect(mirrors, scale, found, unit[dof : dof + n])
        rank[j] = max(found, 1)


@jit
def reflect(mirrors: Floats, scale: Floats, count: int, w: Floats):
    """Reflect ``w`` by the first ``count`` mirrors, one after the other."""
    n = w.size
    for c in range(count):
        f = scale[c] * scalar_product(mirrors, c * n + c, w, c, n - c)
        for i in range(c, n):
            w[i] -= f * mirrors[c * n + i]


@jit
def reflect_row(mirrors: Floats, scale: Floats, count: int, w: Floats):
    """`reflect` a row, and add the mirror that clears its end; 1 if there was need for one."""
    n = w.size
    whole = scalar_product(w, 0, w, 0, n)
    reflect(mirrors, scale, count, w)
    rest = scalar_product(w, count, w, count, n - count)
    if rest <= DEPENDENT * DEPENDENT * whole or count == n:
        for i in range(count, n):
            w[i] = 0.0
        return 0
    first, length = w[count], math.sqrt(rest)
    end = -length if first > 0.0 else length
    row = count * n
    for i in range(count, n):
        mirrors[row + i] = w[i]
        w[i] = 0.0
    mirrors[row + count] = first - end
    scale[count] = 1.0 / (length * (length + abs(first)))
    w[count] = end
    return 1


@jit
def laid_out(
    rows: ConstraintRows, is_small: Ints, turned: Floats, unit: Floats, rank: Ints, factor: Floats,
    last: Ints,
):  # fmt: skip
    """The rows on nodes of the sizes in ``rank`` where they are small.

    Their masses are the greatest on the diagonal, so that velocities keep their order of magnitude.
    """
    count = is_small.size
    dof, mass = np.zeros(count + 1, np.int64), np.zeros(count + 1, np.int64)
    speed = np.zeros(count)
    for j in range(count):
        n = rows.node_dof[j + 1] - rows.node_dof[j]
        if is_small[j] == 1:
            for i in range(rows.node_dof[j], rows.node_dof[j + 1]):
                speed[j] = max(speed[j], ROUNDING * abs(rows.free[i]))
            n = rank[j]
        if rows.speed.size > 0:
            speed[j] = max(speed[j], rows.speed[j])
        dof[j + 1], mass[j + 1] = dof[j] + n, mass[j] + n * n
    masses, factors = np.zeros(mass[count]), np.zeros(mass[count])
    free, ends = np.empty(dof[count]), np.empty(dof[count], np.int64)
    root = np.full(count, 1.0)
    for j in range(count):
        to, at, given = dof[j], mass[j], rows.node_mass[j]
        first, n = rows.node_dof[j], dof[j + 1] - dof[j]
        if is_small[j] == 0:
            masses[at : at + n * n] = rows.mass[given : given + n * n]
            factors[at : at + n * n] = factor[given : given + n * n]
            free[to : to + n] = rows.free[first : first + n]
            ends[to : to + n] = last[first : first + n]
            continue
        size = rows.node_dof[j + 1] - first
        for i in range(size):
            root[j] = max(root[j] if i > 0 else 0.0, rows.mass[given + i * size + i])
        root[j] = math.sqrt(root[j])
        for i in range(n):
            masses[at + i * n + i], factors[at + i * n + i] = root[j] * root[j], 1.0 / root[j]
            free[to + i], ends[to + i] = unit[first + i] / root[j], i
    value, jacobian = jacobian_of(rows, dof, turned, root)
    return ConstraintRows(
        dof, mass, masses, free, rows.kind, rows.row, rows.segment, rows.node, value, jacobian,
        rows.bias, rows.compliance, rows.mu, rows.widening, rows.edges, rows.lower, rows.upper,
        factors, ends, speed, rows.trials, rows.choices, rows.presser, rows.arm,
    )  # fmt: skip


@jit
def jacobian_of(rows: ConstraintRows, dof: Ints, turned: Floats, root: Floats):
    """What is left of the rows ``turned`` on nodes that begin at ``dof``, times their ``root``."""
    value = np.zeros(rows.node.size + 1, np.int64)
    for k in range(rows.kind.size):
        for s in range(rows.segment[k], rows.segment[k + 1]):
            j, height = rows.node[s], rows.row[k + 1] - rows.row[k]
            value[s + 1] = value[s] + height * (dof[j + 1] - dof[j])
    out = np.empty(value[rows.node.size])
    for k in range(rows.kind.size):
        for s in range(rows.segment[k], rows.segment[k + 1]):
            j = rows.node[s]
            n, size = dof[j + 1] - dof[j], rows.node_dof[j + 1] - rows.node_dof[j]
            for r in range(rows.row[k + 1] - rows.row[k]):
                for i in range(n):
                    out[value[s] + r * n + i] = root[j] * turned[rows.value[s] + r * size + i]
    return value, out


@jit
def leave(rows: ConstraintRows, seen: Seen, x: Floats, w: Floats, v: Floats):
    """Put the velocities under the impulses ``x`` in ``v``; ``w`` has them for the nodes kept."""
    for j in range(seen.is_small.size):
        first, to = rows.node_dof[j], seen.rows.node_dof[j]
        for i in range(rows.node_dof[j + 1] - first):
            v[first + i] = 0.0 if seen.is_small[j] == 1 else w[to + i]
    for k in range(rows.kind.size):
        for s in range(rows.segment[k], rows.segment[k + 1]):
            j, at = rows.node[s], rows.value[s]
            if seen.is_small[j] == 0:
                continue
            first = rows.node_dof[j]
            n = rows.node_dof[j + 1] - first
            for r in range(rows.row[k], rows.row[k + 1]):
                for i in range(n):
                    v[first + i] += seen.sight[at + i] * x[r]
                at += n
    for j in range(seen.is_small.size):
        if seen.is_small[j] == 1:
            first = rows.node_dof[j]
            n = rows.node_dof[j + 1] - first
            from_unit_mass(seen.factor, rows.node_mass[j], n, seen.last, first, v, first)
            for i in range(first, first + n):
                v[i] += rows.free[i]
