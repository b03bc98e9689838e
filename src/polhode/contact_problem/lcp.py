"""Friction on pyramids as a linear complementarity problem, solved by Lemke's method."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiler.jit import Bools, Floats, Floats2, Ints, jit
from .friction import radius
from .gauss_seidel import residual, speed_of, sweeps
from .islands import islands_of
from .lemke import lemke
from .problem import (
    EDGES,
    HEIGHT,
    KIND,
    LOWER,
    MU,
    NORMAL,
    ROW,
    TANGENT,
    UPPER,
    WIDENING,
    Problem,
    problem_of,
    row_velocity,
    velocity_of,
)
from .rows import BILATERAL, BOX, CONTACT, DISK, NO_SLIP, ConstraintRows
from .settings import Report, SolverSettings

LEAST = 1e-11  # relative: added to the diagonal, so that dependent bilateral rows can be solved
MOST = 1e6  # times the greatest impulse that the speed can need: a bound where there is none
SOFT, POINTS = 1e-6, 12  # compliance of scaled pairs; of 60 problems 6 are not solved, else 14
ASTRAY = 1e-6  # relative: more than that below zero is no rounding
WORK = 6 * 10**10  # numbers of tableaus that the pivots of an island may write: some ten seconds
POLISH = 50  # Gauss-Seidel sweeps after Lemke's method


class Polygons(NamedTuple):
    """Polygons in the place of friction disks.

    Attributes
    ----------
    edges : shape (K,)
        Of each contact's polygon.
    turn : shape (K,)
        Angle of one of its corners [rad].
    offset, slope : shape (K,)
        Its radius is ``offset + slope x_n``.
    """

    edges: np.ndarray
    turn: np.ndarray
    offset: np.ndarray
    slope: np.ndarray


class Pyramids(NamedTuple):
    """Impulses ``x = start + E z`` and laws ``w = E^T u + C z + c`` of pairs ``z``, ``w``."""

    start: np.ndarray
    E: np.ndarray
    C: np.ndarray
    c: np.ndarray


@jit
def lcp(rows: ConstraintRows, x: Floats, v: Floats, settings: SolverSettings, report: Report):
    """Impulses under the pyramid law, island by island; checked, and polished by sweeps.

    Blocks with a round cone get ``settings.lcp_edges`` edges.  Where Lemke's path ends without a
    solution, or is longer than `WORK` allows, the sweeps begin at ``x``.  The residual says how
    well they did.
    """
    report.clear()
    report.rows = x.size
    p = problem_of(rows)
    for k in range(p.block.shape[0]):
        if p.block[k, KIND] == CONTACT:
            p.law[k, MU] = min(p.law[k, MU], NO_SLIP - 1e-9)
        if p.block[k, KIND] in (CONTACT, DISK) and p.block[k, EDGES] < 3:
            p.block[k, EDGES] = settings.lcp_edges
    polygons = polygons_of(p, settings.lcp_edges)
    v[:] = p.free
    order, first_block, all_nodes, first_node = islands_of(p)
    report.islands = first_block.size - 1
    for i in range(first_block.size - 1):
        blocks = order[first_block[i] : first_block[i + 1]]
        nodes = all_nodes[first_node[i] : first_node[i + 1]]
        speed = speed_of(p, blocks, nodes)
        velocity_of(p, blocks, nodes, x, v)
        worst = residual(p, blocks, x, v, speed)
        if not worst <= settings.tolerance:
            if worst < math.inf and pyramid(p, blocks, nodes, x, v, speed, polygons):
                report.stage = max(report.stage, 1)
            else:
                report.stage = 2
            velocity_of(p, blocks, nodes, x, v)
            still = 0.1 * settings.tolerance * speed
            report.sweeps += sweeps(p, blocks, x, v, POLISH, still)
            velocity_of(p, blocks, nodes, x, v)
            worst = residual(p, blocks, x, v, speed)
        report.worst = max(report.worst, worst)
        if not worst <= settings.tolerance:
            report.unconverged += 1
    return report.worst


@jit
def polygons_of(p: Problem, edges: int):
    """The polygons of the laws, with ``edges`` for a round disk; radii as of the least impulses."""
    n = p.block.shape[0]
    out = Polygons(np.empty(n, np.int64), np.zeros(n), np.empty(n), np.empty(n))
    for k in range(n):
        law = p.law[k]
        out.edges[k] = p.block[k, EDGES] if p.block[k, EDGES] > 2 else edges
        out.slope[k] = law[MU]
        out.offset[k] = law[UPPER] if p.block[k, KIND] == DISK else law[WIDENING]
        if law[LOWER] > 0.0:
            out.offset[k] = radius(law[MU], law[WIDENING], law[LOWER]) - law[MU] * law[LOWER]
    return out


@jit
def extent(p: Problem, blocks: Ints, edges: Ints):
    """The numbers of impulses and of complementary pairs of an island."""
    rows, pairs = 0, 0
    for k in blocks:
        kind = p.block[k, KIND]
        rows += p.block[k, HEIGHT]
        if kind == CONTACT:
            pairs += edges[k] + 2
        elif kind == DISK:
            pairs += edges[k] + 1
        elif kind != BILATERAL:
            pairs += 2 if kind == BOX else 1
    return rows, pairs


@jit
def pyramid(
    p: Problem,
    blocks: Ints,
    nodes: Ints,
    x: Floats,
    v: Floats,
    speed: float,
    polygons: Polygons,
):
    """Put the solution of the island's LCP in ``x``; False, and ``x`` as it was, if none.

    With impulses ``x = start + E z`` and laws ``w = E^T u + C z + c`` the matrix is
    ``E^T G E + C``; bilateral impulses are eliminated from ``G`` first.
    """
    m, pairs = extent(p, blocks, polygons.edges)
    kept = x.copy()
    G, b, start = np.empty((m, m)), np.empty(m), np.zeros(m)
    E, C, c = np.zeros((m, pairs)), np.zeros((pairs, pairs)), np.zeros(pairs)
    unit, free = np.empty(m), np.zeros(m, np.bool_)
    lay_out(p, blocks, speed, Pyramids(start, E, C, c), polygons, unit, free)
    put(p, blocks, x, start, unit)
    velocity_of(p, blocks, nodes, x, v)
    read(p, blocks, x, v, b, unit)
    column = np.empty(m)
    for j in range(m):
        start[j] += 1.0
        put(p, blocks, x, start, unit)
        velocity_of(p, blocks, nodes, x, v)
        read(p, blocks, x, v, column, unit)
        start[j] -= 1.0
        for i in range(m):
            G[i, j] = column[i] - b[i]
    for f in range(m):
        if free[f]:
            G[f, f] += LEAST
    for f in range(m):  # eliminate each bilateral row from all others
        if free[f]:
            for i in range(m):
                if i != f:
                    share = G[i, f] / G[f, f]
                    for j in range(m):
                        G[i, j] -= share * G[f, j]
                    b[i] -= share * b[f]
    z = np.zeros(pairs)
    add_reduced(E, G, b, C, c)
    left = np.full(1, WORK // (2 * pairs * pairs + 1))
    is_found = lemke(C, c, z, left)
    if not is_curved(p, blocks) and not (is_found and is_solution(C, c, z)):
        is_found = approach(C, c, z, left) or is_found
    if not is_found:
        x[:] = kept
        return False
    for i in range(m):
        start[i] += along_row(E, i, z)
    for f in range(m):
        if free[f]:
            s = b[f]
            for j in range(m):
                if not free[j]:
                    s += G[f, j] * along_row(E, j, z)
            start[f] -= s / G[f, f]
    put(p, blocks, x, start, unit)
    return True


@jit
def is_solution(C: Floats2, c: Floats, z: Floats):
    """Whether no part of what Lemke's method found is below zero by more than rounding."""
    most, largest = 0.0, 0.0
    for i in range(c.size):
        most, largest = max(most, abs(c[i])), max(largest, abs(z[i]))
    for i in range(c.size):
        if z[i] < -ASTRAY * largest or c[i] + along_row(C, i, z) < -ASTRAY * most:
            return False
    return True


@jit
def approach(C: Floats2, c: Floats, z: Floats, left: Ints):
    """Proximal points where rounding leads Lemke's method astray; whether there is any.

    Redundant impulses make ``C`` singular, and with masses a thousandfold apart some of its pivots
    are rounding.  Each point is the solution with a slight compliance about the one before.  If
    there is none, ``z`` stays.
    """
    soft, about, center, found = C.copy(), c.copy(), np.zeros(c.size), np.empty(c.size)
    for i in range(c.size):
        soft[i, i] += SOFT
    for made in range(POINTS):
        for i in range(c.size):
            about[i] = c[i] - SOFT * center[i]
        if not lemke(soft, about, found, left) or not is_solution(soft, about, found):
            return made > 0
        center[:] = z[:] = found
    return True


@jit
def is_curved(p: Problem, blocks: Ints):
    """Whether polygons differ from the sets of friction, which are round or viscous."""
    some = False
    for k in blocks:
        if p.block[k, KIND] == CONTACT:
            some = some or p.block[k, EDGES] < 3 or p.law[k, WIDENING] > 0.0
        some = some or (p.block[k, KIND] == DISK and p.block[k, EDGES] < 3)
    return some


@jit
def along_row(E: Floats2, i: int, z: Floats):
    """Entry ``i`` of ``E z``."""
    total = 0.0
    for j in range(len(z)):
        total += E[i, j] * z[j]
    return total


@jit
def add_reduced(E: Floats2, G: Floats2, b: Floats, C: Floats2, c: Floats):
    """Add ``E^T G E`` to ``C`` and ``E^T b`` to ``c``."""
    m, pairs = E.shape
    row, first, last = np.empty(pairs), np.full(m, pairs), np.zeros(m, np.int64)
    for k in range(m):  # the entries of a block stand side by side
        for j in range(pairs):
            if E[k, j] != 0.0:
                first[k], last[k] = min(first[k], j), j + 1
    for i in range(m):
        row[:] = 0.0
        for k in range(m):
            for j in range(first[k], last[k]):
                row[j] += G[i, k] * E[k, j]
        for a in range(pairs):
            if E[i, a] != 0.0:
                c[a] += E[i, a] * b[i]
                for j in range(pairs):
                    C[a, j] += E[i, a] * row[j]


@jit
def lay_out(
    p: Problem,
    blocks: Ints,
    speed: float,
    pairs: Pyramids,
    polygons: Polygons,
    unit: Floats,
    free: Bools,
):
    """Which impulses the pairs make, and which laws they stand for, in scaled units."""
    start, E, C, c = pairs.start, pairs.E, pairs.C, pairs.c
    r, z = 0, 0
    for k in blocks:
        kind, law = p.block[k, KIND], p.law[k]
        scale = 1.0 / math.sqrt(max(law[NORMAL], law[TANGENT]))
        for a in range(p.block[k, HEIGHT]):
            unit[r + a] = scale
        if kind == BILATERAL:
            free[r] = True
        elif kind == DISK:
            z = _lay_polygon(pairs, r, z, int(polygons.edges[k]), polygons.turn[k])
            most = MOST * speed / math.sqrt(law[NORMAL])
            c[z - 1] = min(polygons.offset[k] / scale, most)
        else:
            most = MOST * speed / math.sqrt(max(law[NORMAL], law[TANGENT]))
            low = max(law[LOWER] / scale, -most)
            start[r] = low
            E[r, z] = 1.0
            if kind == BOX:
                C[z, z + 1], C[z + 1, z] = 1.0, -1.0
                c[z + 1] = min(law[UPPER] / scale, most) - low
                z += 1
            elif kind == CONTACT:
                end = _lay_polygon(pairs, r + 1, z + 1, int(polygons.edges[k]), polygons.turn[k])
                last = end - 1
                C[last, z] = polygons.slope[k]
                c[last] = polygons.offset[k] / scale + polygons.slope[k] * low
                z = last
            z += 1
        r += p.block[k, HEIGHT]


@jit
def _lay_polygon(pairs: Pyramids, r: int, z: int, edges: int, turn: float):
    """Pairs from ``z`` on of the rows ``r`` and ``r + 1``; returns the next.

    One for each corner, and the last for what is left of the radius.
    """
    last = z + edges
    for e in range(edges):
        angle = turn + 2.0 * math.pi * e / edges
        pairs.E[r, z + e], pairs.E[r + 1, z + e] = math.cos(angle), math.sin(angle)
        pairs.C[z + e, last], pairs.C[last, z + e] = 1.0, -1.0
    return last + 1


@jit
def put(p: Problem, blocks: Ints, x: Floats, scaled: Floats, unit: Floats):
    """Copy scaled impulses of an island into ``x``."""
    r = 0
    for k in blocks:
        for a in range(p.block[k, HEIGHT]):
            x[p.block[k, ROW] + a] = scaled[r] * unit[r]
            r += 1


@jit
def read(p: Problem, blocks: Ints, x: Floats, v: Floats, scaled: Floats, unit: Floats):
    """Copy scaled row velocities of an island into ``scaled``."""
    u = np.empty(3)
    r = 0
    for k in blocks:
        row_velocity(p, k, x, v, u)
        for a in range(p.block[k, HEIGHT]):
            scaled[r] = u[a] * unit[r]
            r += 1
