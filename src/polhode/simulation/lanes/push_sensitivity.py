"""Derivatives of the velocities at which steps take overlaps out, by positions.

These are impulses of a few sweeps over the overlaps (`algorithms.stepping.solver.pushed`), and
their derivatives those of the same sweeps, to first order in the overlaps.
"""

from __future__ import annotations

import numpy as np

from ...algorithms.stepping.contact_rows import LEFT_ALONE, PUSH
from ...algorithms.stepping.solver import PUSHES
from ...compiler.jit import Bools, Floats, jit
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
    inverse,
    put_difference,
)


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
        J, push, holds = np.empty(most * nv), np.empty(most), np.zeros(most, np.bool_)
        n = _put_overlaps(parts, points, (k, dt), J, push, holds)
        if n == 0 or not lu(a, nv, pivot):
            continue
        Y = np.empty(nv * n)  # what unit impulses do
        for i in range(nv):
            for r in range(n):
                Y[i * n + r] = J[r * nv + i]
        lu_solve(a, nv, pivot, Y, n)
        d_impulses = _swept(J[: n * nv], Y, push[:n], holds, dt)
        for i in range(nv):
            for r in range(n):
                for j in range(nv):
                    found[k, i, j] += Y[i * n + r] * d_impulses[r * nv + j]


@jit
def _put_overlaps(
    parts: StepParts, points: NearPoints, where: tuple[int, float], J: Floats, push: Floats,
    holds: Bools,
):  # fmt: skip
    """Rows of a world that overlap, their push-outs, and which are equalities; how many."""
    k, dt = where
    nv, count = parts.matrix.shape[1], 0
    for r in range(parts.kinds.size):
        row = parts.rows[k, r]
        if parts.kinds[r] != BOX and row[nv + NEAR] != 0.0 and row[nv + PUSH_OUT] != 0.0:
            J[count * nv : (count + 1) * nv] = row[:nv]
            push[count], holds[count] = row[nv + PUSH_OUT], parts.kinds[r] == BILATERAL
            count += 1
    for m in range(points.first[k], points.first[k + 1]):
        overlap = -LEFT_ALONE - points.values[m, GAP]
        if overlap > 0.0:
            _put_normal(parts, points, k, m, J[count * nv :])
            push[count], holds[count] = overlap * PUSH / dt, False
            count += 1
    return count


@jit
def _put_normal(parts: StepParts, points: NearPoints, k: int, m: int, J: Floats):
    """The row of the normal of a point."""
    nv, normal = parts.matrix.shape[1], vector(points.values[m], NORMAL)
    moment = vector(points.values[m], POSITION).cross(normal)
    R = np.empty(6 * nv)
    put_difference(parts.axes, k, points.bodies[m], R)
    for j in range(nv):
        J[j] = moment.dot(column(R, 0, j)) + normal.dot(column(R, 3, j))


@jit
def _swept(J: Floats, Y: Floats, push: Floats, holds: Bools, dt: float):
    """Derivatives of the impulses, a row for each overlap."""
    n = push.size
    nv = J.size // n
    x, d_x = np.zeros(n), np.zeros(n * nv)
    G = np.zeros(n * n)
    for r in range(n):
        for s in range(n):
            for i in range(nv):
                G[r * n + s] += J[r * nv + i] * Y[i * n + s]
    for turn in range(2 * PUSHES):
        for r in range(n):
            if holds[r] != (turn % 2 == 1):
                continue
            share = (1.0 if holds[r] else PUSH) / dt
            ease, wanted = inverse(G[r * n + r]), push[r]
            for s in range(n):
                wanted -= G[r * n + s] * x[s]
            x[r] += wanted * ease
            acts = holds[r] or x[r] > 0.0
            x[r] = x[r] if acts else 0.0
            for j in range(nv):
                change = -share * J[r * nv + j]
                for s in range(n):
                    change -= G[r * n + s] * d_x[s * nv + j]
                d_x[r * nv + j] = d_x[r * nv + j] + change * ease if acts else 0.0
    return d_x
