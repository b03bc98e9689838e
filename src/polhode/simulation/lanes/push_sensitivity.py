"""Derivatives of the velocities at which steps take overlaps out, by positions.

These are impulses of a few sweeps over the overlaps (`algorithms.stepping.solver.pushed`).  Their
derivatives are those of the same sweeps, to first order in the overlaps.  In reverse, the sweeps
go backward.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...algorithms.stepping.contact_rows import LEFT_ALONE, PUSH
from ...algorithms.stepping.solver import PUSHES
from ...compiler.jit import Floats, Floats2, jit
from ...contact_problem import BILATERAL, BOX
from ...contact_problem.block_lu import lu, lu_solve
from .active_rows import inverse
from .refining import vector
from .step_parts import (
    COMPLIANCE,
    GAP,
    NEAR,
    NORMAL,
    POSITION,
    PUSH_OUT,
    NearPoints,
    StepParts,
    gap_change,
    put_difference,
    put_row,
)

TURNS = 2 * PUSHES  # of each sweep equalities are the second part


class Overlaps(NamedTuple):
    """Overlaps of a world.

    Attributes
    ----------
    J, gaps : ndarray, shape (most, nv)
        Rows, and how gaps change by positions.
    push : ndarray, shape (most,)
        Velocities of push-out.
    holds : ndarray of bool, shape (most,)
        Whether it is an equality, which is pushed either way.
    Y : ndarray, shape (nv most,)
        What unit impulses do, a row for each velocity.
    G : ndarray, shape (most, most)
        The velocities that they make along rows.
    acts : ndarray of bool, shape (turns, most)
        Whether a row was pushed in a part of a sweep.
    """

    J: np.ndarray
    gaps: np.ndarray
    push: np.ndarray
    holds: np.ndarray
    Y: np.ndarray
    G: np.ndarray
    acts: np.ndarray


@jit
def solve_pushes(parts: StepParts, points: NearPoints, dt: float, found: np.ndarray):
    """Put the derivatives of all worlds in ``found``, shape (n, nv, nv)."""
    nv = parts.matrix.shape[1]
    for k in range(parts.matrix.shape[0]):
        for i in range(nv):
            for j in range(nv):
                found[k, i, j] = 0.0
        overlaps = _room(parts, points, k)
        n = _put_swept(parts, points, k, dt, overlaps)
        d_x = np.zeros((n, nv))
        for turn in range(TURNS):
            for r in range(n):
                if overlaps.holds[r] == (turn % 2 == 1):
                    _change(overlaps, turn, r, n, dt, d_x)
        for i in range(nv):
            for r in range(n):
                for j in range(nv):
                    found[k, i, j] += overlaps.Y[i * n + r] * d_x[r, j]


@jit
def weigh_pushes(
    parts: StepParts, points: NearPoints, dt: float, weights: Floats2, to: Floats2
):  # fmt: skip
    """Add what ``weights`` of these velocities, shape (n, nv), make of weights of positions."""
    nv = parts.matrix.shape[1]
    for k in range(parts.matrix.shape[0]):
        overlaps = _room(parts, points, k)
        n = _put_swept(parts, points, k, dt, overlaps)
        of_x, of_gap = np.zeros(n), np.zeros(n)
        for r in range(n):
            for i in range(nv):
                of_x[r] += overlaps.Y[i * n + r] * weights[k, i]
        for back in range(TURNS):
            turn = TURNS - 1 - back
            for e in range(n):
                r = n - 1 - e
                if overlaps.holds[r] != (turn % 2 == 1):
                    continue
                own = of_x[r] * inverse(overlaps.G[r, r])
                if not overlaps.acts[turn, r]:
                    of_x[r] = 0.0
                    continue
                of_gap[r] -= _share(overlaps, r, dt) * own
                for s in range(n):
                    of_x[s] -= overlaps.G[r, s] * own
        for r in range(n):
            for j in range(nv):
                to[k, j] += of_gap[r] * overlaps.gaps[r, j]


@jit
def _room(parts: StepParts, points: NearPoints, k: int):
    """Room for all overlaps of a world."""
    nv = parts.matrix.shape[1]
    most = parts.kinds.size + points.first[k + 1] - points.first[k]
    return Overlaps(
        np.empty((most, nv)), np.empty((most, nv)), np.empty(most), np.zeros(most, np.bool_),
        np.empty(nv * most), np.zeros((most, most)), np.zeros((TURNS, most), np.bool_),
    )  # fmt: skip


@jit
def _put_swept(parts: StepParts, points: NearPoints, k: int, dt: float, to: Overlaps):
    """The overlaps of a world after all sweeps, and how many there are."""
    n, nv = _put_overlaps(parts, points, k, dt, to), parts.matrix.shape[1]
    a, pivot = np.empty(nv * nv), np.empty(nv, np.int64)
    for i in range(nv):
        for j in range(nv):
            a[i * nv + j] = parts.matrix[k, i, j]
    if n == 0 or not lu(a, nv, pivot):
        return 0
    for i in range(nv):
        for r in range(n):
            to.Y[i * n + r] = to.J[r, i]
    lu_solve(a, nv, pivot, to.Y, n)
    for r in range(n):
        for s in range(n):
            for i in range(nv):
                to.G[r, s] += to.J[r, i] * to.Y[i * n + s]
    x = np.zeros(n)
    for turn in range(TURNS):
        for r in range(n):
            if to.holds[r] == (turn % 2 == 1):
                wanted = to.push[r]
                for s in range(n):
                    wanted -= to.G[r, s] * x[s]
                x[r] += wanted * inverse(to.G[r, r])
                to.acts[turn, r] = to.holds[r] or x[r] > 0.0
                x[r] = x[r] if to.acts[turn, r] else 0.0
    return n


@jit
def _put_overlaps(parts: StepParts, points: NearPoints, k: int, dt: float, to: Overlaps):
    """The overlaps of a world, and how many there are; springs push by themselves."""
    nv, count = parts.matrix.shape[1], 0
    for r in range(parts.kinds.size):
        row = parts.rows[k, r]
        if parts.kinds[r] != BOX and row[nv + NEAR] != 0.0 and row[nv + PUSH_OUT] != 0.0:
            for j in range(nv):
                to.J[count, j] = to.gaps[count, j] = row[j]
            to.push[count], to.holds[count] = row[nv + PUSH_OUT], parts.kinds[r] == BILATERAL
            count += 1
    R = np.empty(6 * nv)
    for m in range(points.first[k], points.first[k + 1]):
        overlap = -LEFT_ALONE - points.values[m, GAP]
        if overlap > 0.0 and points.values[m, COMPLIANCE] == 0.0:
            _put_normal(parts, points, (k, m), R, to, count)
            to.push[count] = overlap * PUSH / dt
            count += 1
    return count


@jit
def _put_normal(
    parts: StepParts, points: NearPoints, which: tuple[int, int], R: Floats, to: Overlaps, r: int
):  # fmt: skip
    """The row of the normal of a point, and how its gap changes."""
    k, m = which
    normal = vector(points.values[m], NORMAL)
    put_difference(parts.axes, k, points.bodies[m], R)
    put_row(R, vector(points.values[m], POSITION).cross(normal), normal, to.J[r])
    for j in range(to.J.shape[1]):
        to.gaps[r, j] = gap_change(points.values[m], R, j)


@jit
def _share(overlaps: Overlaps, r: int, dt: float):
    """The velocity of push-out by the overlap."""
    return (1.0 if overlaps.holds[r] else PUSH) / dt


@jit
def _change(overlaps: Overlaps, turn: int, r: int, n: int, dt: float, d_x: Floats2):
    """The derivatives of an impulse after a part of a sweep."""
    ease, share = inverse(overlaps.G[r, r]), _share(overlaps, r, dt)
    for j in range(d_x.shape[1]):
        change = -share * overlaps.gaps[r, j]
        for s in range(n):
            change -= overlaps.G[r, s] * d_x[s, j]
        d_x[r, j] = d_x[r, j] + change * ease if overlaps.acts[turn, r] else 0.0
