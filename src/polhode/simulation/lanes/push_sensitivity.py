"""Derivatives of the velocities at which steps take overlaps out, by positions.

These are impulses of a few sweeps over the overlaps (`algorithms.stepping.solver.pushed`), and
their derivatives those of the same sweeps, to first order in the overlaps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...algorithms.stepping.contact_rows import LEFT_ALONE, PUSH
from ...algorithms.stepping.solver import PUSHES
from ...compiler.jit import Floats, jit
from ...contact_problem import BILATERAL, BOX
from ...contact_problem.block_lu import lu, lu_solve
from .refining import vector
from .sensitivity import (
    GAP,
    NEAR,
    NORMAL,
    POSITION,
    PUSH_OUT,
    NearPoints,
    StepParts,
    column,
    gap_change,
    inverse,
    put_difference,
)


class Overlaps(NamedTuple):
    """Overlaps of a world: rows ``J``, velocities of push-out, and how gaps change by positions.

    What ``holds`` is an equality, which is pushed either way.
    """

    J: np.ndarray
    push: np.ndarray
    gaps: np.ndarray
    holds: np.ndarray


@jit
def solve_pushes(parts: StepParts, points: NearPoints, dt: float, found: np.ndarray):
    """Put the derivatives of all worlds in ``found``, shape (n, nv, nv)."""
    nv = parts.matrix.shape[1]
    a, pivot = np.empty(nv * nv), np.empty(nv, np.int64)
    for k in range(parts.matrix.shape[0]):
        for i in range(nv):
            for j in range(nv):
                a[i * nv + j] = parts.matrix[k, i, j]
                found[k, i, j] = 0.0
        most = parts.kinds.size + points.first[k + 1] - points.first[k]
        overlaps = Overlaps(
            np.empty(most * nv), np.empty(most), np.empty(most * nv), np.zeros(most, np.bool_)
        )
        n = _put_overlaps(parts, points, k, dt, overlaps)
        if n == 0 or not lu(a, nv, pivot):
            continue
        Y = np.empty(nv * n)  # what unit impulses do
        for i in range(nv):
            for r in range(n):
                Y[i * n + r] = overlaps.J[r * nv + i]
        lu_solve(a, nv, pivot, Y, n)
        d_impulses = _swept(overlaps, n, Y, dt)
        for i in range(nv):
            for r in range(n):
                for j in range(nv):
                    found[k, i, j] += Y[i * n + r] * d_impulses[r * nv + j]


@jit
def _put_overlaps(parts: StepParts, points: NearPoints, k: int, dt: float, to: Overlaps):
    """The overlaps of a world, and how many there are."""
    nv, count = parts.matrix.shape[1], 0
    for r in range(parts.kinds.size):
        row = parts.rows[k, r]
        if parts.kinds[r] != BOX and row[nv + NEAR] != 0.0 and row[nv + PUSH_OUT] != 0.0:
            for j in range(nv):
                to.J[count * nv + j] = to.gaps[count * nv + j] = row[j]
            to.push[count], to.holds[count] = row[nv + PUSH_OUT], parts.kinds[r] == BILATERAL
            count += 1
    for m in range(points.first[k], points.first[k + 1]):
        overlap = -LEFT_ALONE - points.values[m, GAP]
        if overlap > 0.0:
            _put_normal(parts, points, k, m, to.J[count * nv :], to.gaps[count * nv :])
            to.push[count] = overlap * PUSH / dt
            count += 1
    return count


@jit
def _put_normal(parts: StepParts, points: NearPoints, k: int, m: int, J: Floats, gaps: Floats):
    """The row of the normal of a point, and how its gap changes."""
    nv, normal = parts.matrix.shape[1], vector(points.values[m], NORMAL)
    moment = vector(points.values[m], POSITION).cross(normal)
    R = np.empty(6 * nv)
    put_difference(parts.axes, k, points.bodies[m], R)
    for j in range(nv):
        J[j] = moment.dot(column(R, 0, j)) + normal.dot(column(R, 3, j))
        gaps[j] = gap_change(points.values[m], R, j)


@jit
def _swept(overlaps: Overlaps, n: int, Y: Floats, dt: float):
    """Derivatives of the impulses, a row for each overlap."""
    nv = Y.size // n
    x, d_x, G = np.zeros(n), np.zeros(n * nv), np.zeros(n * n)
    for r in range(n):
        for s in range(n):
            for i in range(nv):
                G[r * n + s] += overlaps.J[r * nv + i] * Y[i * n + s]
    for turn in range(2 * PUSHES):
        for r in range(n):
            if overlaps.holds[r] != (turn % 2 == 1):
                continue
            share = (1.0 if overlaps.holds[r] else PUSH) / dt
            ease, wanted = inverse(G[r * n + r]), overlaps.push[r]
            for s in range(n):
                wanted -= G[r * n + s] * x[s]
            x[r] += wanted * ease
            acts = overlaps.holds[r] or x[r] > 0.0
            x[r] = x[r] if acts else 0.0
            for j in range(nv):
                change = -share * overlaps.gaps[r * nv + j]
                for s in range(n):
                    change -= G[r * n + s] * d_x[s * nv + j]
                d_x[r * nv + j] = d_x[r * nv + j] + change * ease if acts else 0.0
    return d_x
