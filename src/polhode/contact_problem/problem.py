"""A problem as the solver's loops hold it: few arrays, all lengths and offsets in place."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiler.jit import Floats, Floats2, Ints, jit
from .block_products import add_sum
from .mass import (
    factor_mass,
    is_free_body,
    push_free_body,
    scalar_product,
    solve_masses,
)
from .rows import CONTACT, DISK, NO_SLIP, ConstraintRows
from .thresholds import NOISE

# columns of Problem.node; IS_FREE: 1 for a body that turns about its centre of mass
DOF, SIZE, MASS, IS_FREE = 0, 1, 2, 3
# columns of Problem.segment; outside of LEFT to RIGHT the Jacobian has zeros alone
NODE, TO, WIDTH, VALUE, LEFT, RIGHT = 0, 1, 2, 3, 4, 5
# columns of Problem.block; PRESSER is the contact that bounds it or -1, MOVES whether its bounds
# move with the impulses (`torque_bounds`)
KIND, ROW, HEIGHT, EDGES, FIRST, LAST, PRESSER, MOVES = 0, 1, 2, 3, 4, 5, 6, 7
# columns of Problem.law; NORMAL and TANGENT: own velocity per impulse, greatest of both tangents;
# of a disk both are the greatest of its rows
MU, WIDENING, LOWER, UPPER, NORMAL, TANGENT, ARM = 0, 1, 2, 3, 4, 5, 6
# columns of Problem.line
BIAS, COMPLIANCE = 0, 1

# Coefficient of friction of no-slip contacts: with an infinite one a solution need not exist.
STUCK = 1e3


class Problem(NamedTuple):
    """`ConstraintRows`, with the data that every method needs.

    Attributes
    ----------
    node, segment, block : shape (N, 4), (S, 6), (K, 8)
        Integers, columns as named above.
    law, line : shape (K, 7), (m, 2)
        Numbers, columns as named above.
    own : shape (K, 3, 3)
        Row velocities of a block per its own impulses, compliance included.
    mass, jacobian : flat
        As in `ConstraintRows`.
    push : flat
        ``M^-1 J^T``, laid out as the Jacobian.
    free : shape (nv,)
        A copy: the second phase of an impact writes here.
    """

    node: np.ndarray
    segment: np.ndarray
    block: np.ndarray
    law: np.ndarray
    line: np.ndarray
    own: np.ndarray
    mass: np.ndarray
    jacobian: np.ndarray
    push: np.ndarray
    free: np.ndarray


class Island(NamedTuple):
    """Bodies that share constraints, and the unknowns that are found together.

    Attributes
    ----------
    p : Problem
        The problem that the island is a part of.
    blocks, nodes : shape (k,), (n,)
        Its constraints and its trees, by their numbers in ``p``.
    local : shape (N,)
        For each of its trees the place in ``nodes``.
    x, v : shape (m,), (nv,)
        Impulses and velocities of the whole problem; those of the island are changed.
    speed : float
        The velocity [m/s or rad/s] that residuals are relative to.
    """

    p: Problem
    blocks: np.ndarray
    nodes: np.ndarray
    local: np.ndarray
    x: np.ndarray
    v: np.ndarray
    speed: float


@jit
def problem_of(rows: ConstraintRows):
    """Copy ``rows`` into a `Problem`.  A mass that is not positive definite gives NaN."""
    n_nodes, n_blocks = rows.node_dof.size - 1, rows.kind.size
    node = np.empty((n_nodes, 4), np.int64)
    for j in range(n_nodes):
        node[j, DOF] = rows.node_dof[j]
        node[j, SIZE] = rows.node_dof[j + 1] - rows.node_dof[j]
        node[j, MASS] = rows.node_mass[j]
    segment = np.empty((rows.node.size, 6), np.int64)
    for s in range(rows.node.size):
        segment[s, NODE] = rows.node[s]
        segment[s, TO] = node[rows.node[s], DOF]
        segment[s, WIDTH] = node[rows.node[s], SIZE]
        segment[s, VALUE] = rows.value[s]
    block = np.empty((n_blocks, 8), np.int64)
    law = np.empty((n_blocks, 7))
    is_bound = rows.presser.size > 0
    for k in range(n_blocks):
        block[k, KIND], block[k, ROW] = rows.kind[k], rows.row[k]
        block[k, HEIGHT] = rows.row[k + 1] - rows.row[k]
        block[k, EDGES] = 0 if rows.mu[k] >= NO_SLIP else rows.edges[k]
        block[k, FIRST], block[k, LAST] = rows.segment[k], rows.segment[k + 1]
        law[k, MU] = STUCK if rows.mu[k] >= NO_SLIP else rows.mu[k]
        law[k, WIDENING] = rows.widening[k]
        law[k, LOWER], law[k, UPPER] = rows.lower[k], rows.upper[k]
        block[k, PRESSER], block[k, MOVES] = rows.presser[k] if is_bound else -1, 0
        law[k, ARM] = rows.arm[k] if is_bound else 0.0
    line = np.empty((rows.bias.size, 2))
    for r in range(rows.bias.size):
        line[r, BIAS], line[r, COMPLIANCE] = rows.bias[r], rows.compliance[r]
    problem = Problem(
        node, segment, block, law, line, np.zeros((n_blocks, 3, 3)),
        rows.mass, rows.jacobian, np.empty(rows.jacobian.size), rows.free.copy(),
    )  # fmt: skip
    find_zeros(problem)
    factor, last = rows.factor, rows.last
    if len(factor) == 0:
        factor, last = factors_of(problem)
    for j in range(n_nodes):
        node[j, IS_FREE] = 1 if is_free_body(node[j, SIZE], last, node[j, DOF]) else 0
    fill(problem, factor, last)
    return problem


@jit
def factors_of(p: Problem):
    """The factors of all mass matrices."""
    factor, last = np.empty(p.mass.size), np.empty(p.free.size, np.int64)
    for j in range(p.node.shape[0]):
        factor_mass(p.mass, factor, p.node[j, MASS], p.node[j, SIZE], last, p.node[j, DOF], 0.0)
    return factor, last


@jit
def find_zeros(p: Problem):
    """Set ``LEFT`` and ``RIGHT`` of the segments: rows of joints have one entry of many."""
    for k in range(p.block.shape[0]):
        height = p.block[k, HEIGHT]
        for s in range(p.block[k, FIRST], p.block[k, LAST]):
            n, at = p.segment[s, WIDTH], p.segment[s, VALUE]
            left, right = n, 0
            if n == 6:
                left, right = 0, n
            else:
                for a in range(height):
                    row, first, last = at + a * n, 0, n
                    while first < left and p.jacobian[row + first] == 0.0:
                        first += 1
                    while last > right and p.jacobian[row + last - 1] == 0.0:
                        last -= 1
                    left, right = min(left, first), max(right, last)
            p.segment[s, LEFT], p.segment[s, RIGHT] = min(left, right), right


@jit
def fill(p: Problem, factor: Floats, last: Ints):
    """Compute ``push``, ``own`` and the scales of every block with the factors of the masses."""
    fill_push(p, factor, last)
    lightest = _lightest(p)
    for k in range(p.block.shape[0]):
        height, r, own, least = p.block[k, HEIGHT], p.block[k, ROW], p.own[k], math.inf
        for s in range(p.block[k, FIRST], p.block[k, LAST]):
            j, first = p.segment[s, NODE], p.segment[s, VALUE]
            mass, least = p.node[j, MASS], min(least, lightest[j])
            if p.node[j, IS_FREE] == 0:
                _add_own(p, s, height, own)
            elif height == 3:
                push_free_body(factor[mass:], p.jacobian[first:], p.push[first:], own)
            else:
                _push_nodes(p, s, s + 1, factor, last)
                _add_own(p, s, height, own)
        for a in range(height):
            soft = p.line[r + a, COMPLIANCE]
            if soft < 0.0:
                soft = p.line[r + a, COMPLIANCE] = -soft * own[a, a]
            own[a, a] += soft
            for b in range(a):
                own[b, a] = own[a, b]
        floor = NOISE * NOISE / least
        g = greatest_of_two(own, 0) if p.block[k, KIND] == DISK else own[0, 0]
        g = 0.0 if g < floor else g
        g += 0.0 * p.law[k, MU]  # NaN if that is
        p.law[k, NORMAL] = p.law[k, TANGENT] = g
        if p.block[k, KIND] == CONTACT:
            widest = greatest_of_two(own, 1)
            p.law[k, TANGENT] = g if widest < floor else widest


@jit
def _lightest(p: Problem):
    """The least entry on the diagonal of the mass of each node."""
    out = np.full(p.node.shape[0], math.inf)
    for j in range(out.size):
        n, mass = p.node[j, SIZE], p.node[j, MASS]
        for i in range(n):
            out[j] = min(out[j], p.mass[mass + i * n + i])
    return out


@jit
def _add_own(p: Problem, s: int, height: int, own: Floats2):
    """Add ``J M^-1 J^T`` of a segment to ``own``, the lower half."""
    n, first, left = p.segment[s, WIDTH], p.segment[s, VALUE], p.segment[s, LEFT]
    wide = p.segment[s, RIGHT] - left
    for a in range(height):
        row = first + a * n + left
        for b in range(a + 1):
            own[a, b] += scalar_product(p.jacobian, first + b * n + left, p.push, row, wide)


@jit
def greatest_of_two(own: Floats2, a: int):
    """The greatest velocity that a unit impulse in rows ``a`` and ``a + 1`` makes there."""
    half, away = 0.5 * (own[a, a] + own[a + 1, a + 1]), 0.5 * (own[a, a] - own[a + 1, a + 1])
    return half + np.sqrt(away * away + own[a, a + 1] * own[a, a + 1])


@jit
def fill_push(p: Problem, factor: Floats, last: Ints):
    """Make ``M^-1 J^T``: rows of the same node that follow each other at once.

    Those of free bodies are left to `fill`.
    """
    s, count = 0, p.segment.shape[0]
    while s < count:
        first, j = s, p.segment[s, NODE]
        while s < count and p.segment[s, NODE] == j:
            s += 1
        if p.node[j, IS_FREE] == 0:
            _push_nodes(p, first, s, factor, last)


@jit
def _push_nodes(p: Problem, first: int, end: int, factor: Floats, last: Ints):
    """``M^-1 J^T`` of segments of one node."""
    j, at = p.segment[first, NODE], p.segment[first, VALUE]
    to = p.segment[end, VALUE] if end < p.segment.shape[0] else p.push.size
    mass, size, dof = p.node[j, MASS], p.node[j, SIZE], p.node[j, DOF]
    p.push[at:to] = p.jacobian[at:to]
    solve_masses(factor, mass, size, last, dof, p.push[at:to])


@jit
def velocity_of(p: Problem, blocks: Ints, nodes: Ints, x: Floats, v: Floats):
    """Set ``v`` of ``nodes`` to the velocities under the impulses ``x`` of ``blocks``."""
    for j in nodes:
        for i in range(p.node[j, DOF], p.node[j, DOF] + p.node[j, SIZE]):
            v[i] = p.free[i]
    for k in blocks:
        r = p.block[k, ROW]
        push_by(p, k, x[r : r + p.block[k, HEIGHT]], v)


@jit
def row_velocity(p: Problem, k: int, x: Floats, v: Floats, u: Floats):
    """Put the row velocities of block ``k``, compliance included, in ``u``."""
    r, height = p.block[k, ROW], p.block[k, HEIGHT]
    for a in range(height):
        u[a] = p.line[r + a, BIAS] + p.line[r + a, COMPLIANCE] * x[r + a]
    add_rates(p, k, v, u)


@jit
def add_rates(p: Problem, k: int, v: Floats, u: Floats):
    """Add to ``u`` the row velocities of block ``k`` under the velocities ``v``."""
    J, height = p.jacobian, p.block[k, HEIGHT]
    for s in range(p.block[k, FIRST], p.block[k, LAST]):
        to, n, at = p.segment[s, TO], p.segment[s, WIDTH], p.segment[s, VALUE]
        if n == 6:  # a free body: no loop
            v0, v1, v2 = v[to], v[to + 1], v[to + 2]
            v3, v4, v5 = v[to + 3], v[to + 4], v[to + 5]
            for a in range(height):
                linear = J[at] * v0 + J[at + 1] * v1 + J[at + 2] * v2
                u[a] += linear + (J[at + 3] * v3 + J[at + 4] * v4 + J[at + 5] * v5)
                at += 6
        else:
            for a in range(height):
                total = 0.0
                for i in range(p.segment[s, LEFT], p.segment[s, RIGHT]):
                    total += J[at + i] * v[to + i]
                u[a] += total
                at += n


@jit
def first_rate(p: Problem, k: int, v: Floats):
    """The first row velocity of block ``k`` under the velocities ``v``, without compliance."""
    rate = p.line[p.block[k, ROW], BIAS]
    for s in range(p.block[k, FIRST], p.block[k, LAST]):
        rate += scalar_product(
            p.jacobian, p.segment[s, VALUE], v, p.segment[s, TO], p.segment[s, WIDTH]
        )
    return rate


@jit
def push_by(p: Problem, k: int, step: Floats, v: Floats):
    """Add the effect of the impulses ``step`` of block ``k`` to the velocities ``v``."""
    _add_rows(p, p.push, k, step, v)


@jit
def add_forces(p: Problem, k: int, x: Floats, b: Floats):
    """Add ``J^T x`` of block ``k`` to ``b``."""
    _add_rows(p, p.jacobian, k, x, b)


@jit
def _add_rows(p: Problem, rows: Floats, k: int, x: Floats, v: Floats):
    """Add the ``rows`` of block ``k``, each times its number of ``x``, to ``v``."""
    height = p.block[k, HEIGHT]
    for s in range(p.block[k, FIRST], p.block[k, LAST]):
        to, n, at = p.segment[s, TO], p.segment[s, WIDTH], p.segment[s, VALUE]
        if n == 6 and height == 3:  # a contact of a free body: no loops
            f0, f1, f2 = x[0], x[1], x[2]
            v0 = v[to] + (rows[at] * f0 + rows[at + 6] * f1 + rows[at + 12] * f2)
            v1 = v[to + 1] + (rows[at + 1] * f0 + rows[at + 7] * f1 + rows[at + 13] * f2)
            v2 = v[to + 2] + (rows[at + 2] * f0 + rows[at + 8] * f1 + rows[at + 14] * f2)
            v3 = v[to + 3] + (rows[at + 3] * f0 + rows[at + 9] * f1 + rows[at + 15] * f2)
            v4 = v[to + 4] + (rows[at + 4] * f0 + rows[at + 10] * f1 + rows[at + 16] * f2)
            v5 = v[to + 5] + (rows[at + 5] * f0 + rows[at + 11] * f1 + rows[at + 17] * f2)
            v[to], v[to + 1], v[to + 2] = v0, v1, v2
            v[to + 3], v[to + 4], v[to + 5] = v3, v4, v5
        elif height == 3:
            add_sum(rows[at:], n, x, v[to:])
        else:
            for a in range(height):
                f = x[a]
                for i in range(n):
                    v[to + i] += rows[at + i] * f
                at += n


@jit
def clear(p: Problem, blocks: Ints, x: Floats):
    """Set the impulses of ``blocks`` to zero."""
    for k in blocks:
        for r in range(p.block[k, ROW], p.block[k, ROW] + p.block[k, HEIGHT]):
            x[r] = 0.0


@jit
def copy_rows(p: Problem, blocks: Ints, source: Floats, to: Floats):
    """Copy the impulses of ``blocks``."""
    for k in blocks:
        for r in range(p.block[k, ROW], p.block[k, ROW] + p.block[k, HEIGHT]):
            to[r] = source[r]


@jit
def blend(p: Problem, blocks: Ints, start: Floats, full: Floats, x: Floats, share: float):
    """Set ``x`` of ``blocks`` to the point between two others."""
    for k in blocks:
        for r in range(p.block[k, ROW], p.block[k, ROW] + p.block[k, HEIGHT]):
            x[r] = start[r] + share * (full[r] - start[r])
