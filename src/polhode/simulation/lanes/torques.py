"""Impulses of torsional and rolling friction, which steps do not keep.

Where a point turns about an axis, its torque is a length times the pressure, against the motion.
The others are what the balance of momentum misses: the least that make it up, in the metric of
kinetic energy.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiler.jit import Floats, Floats2, jit
from ...contact_problem.block_lu import lu, lu_solve
from .active_rows import COUPLES, FreeInertia, factored, room_of, torque_holds
from .refining import tangents, vector
from .step_parts import (
    IMPULSE,
    NORMAL,
    ROLLING,
    TORQUE,
    TORSIONAL,
    NearPoints,
    StepParts,
    put_difference,
    twist_of,
)

SLIDES = 1e-5
"""Torques [of their bounds] that would stop a motion, above which it is one: the solver ends at a
hundredth of that."""

PROX = 1e-10
"""Compliance of rows that depend on each other, in parts of the greatest; twice solved."""


@jit
def put_torques(parts: StepParts, points: NearPoints, missed: Floats2):
    """Put the torques of all points into `NearPoints.values`.

    ``missed`` are what balances miss without them, shape (n, nv); they are changed.
    """
    nv = parts.matrix.shape[1]
    free = room_of(nv)
    for k in range(parts.matrix.shape[0]):
        most = 3 * (points.first[k + 1] - points.first[k])
        J, place, n = np.empty((most, nv)), np.empty((most, 2), np.int64), 0
        if most == 0 or not factored(parts, k, free):
            continue
        for m in range(points.first[k], points.first[k + 1]):
            if points.values[m, IMPULSE] > 0.0:
                n += _put_of_point(parts, points, (k, m), free, missed[k], J[n:], place[n:])
        if n > 0:
            x = _least(J, n, free, missed[k])
            for r in range(n):
                points.values[place[r, 0], TORQUE + place[r, 1]] = x[r]


@jit
def _put_of_point(
    parts: StepParts, points: NearPoints, which: tuple[int, int], free: FreeInertia,
    missed: Floats, J: Floats2, place: np.ndarray,
):  # fmt: skip
    """Torques against motions; rows of the others, and how many these are."""
    k, m = which
    values, nv = points.values[m], free.pivot.size
    put_difference(parts.axes, k, points.bodies[m], free.R)
    turn, _ = twist_of(parts, points, k, m)
    normal = vector(values, NORMAL)
    first, second = tangents(normal)
    hold_spin, hold_roll = torque_holds(values, free)
    spin, s, t = normal.dot(turn), first.dot(turn), second.dot(turn)
    n = 0
    for c in range(3):
        hold, arm = hold_spin if c == 0 else hold_roll, values[TORSIONAL if c == 0 else ROLLING]
        rate = abs(spin) if c == 0 else math.sqrt(s * s + t * t)
        own = spin if c == 0 else (s if c == 1 else t)
        most = arm * values[IMPULSE]
        if hold == 0.0:
            continue
        if hold * rate > SLIDES * most:
            values[TORQUE + c] = -most * own / rate
            for j in range(nv):
                missed[j] -= values[TORQUE + c] * free.axes[COUPLES + c, j]
        else:
            for j in range(nv):
                J[n, j] = free.axes[COUPLES + c, j]
            place[n, 0], place[n, 1] = m, c
            n += 1
    return n


@jit
def _least(J: Floats2, n: int, free: FreeInertia, missed: Floats):
    """The least impulses of rows that make up for what is missed."""
    nv = free.pivot.size
    Y, G, greatest = np.empty(nv * n), np.zeros(n * n), 0.0
    x, right, pivot = np.zeros(n), np.zeros(n), np.empty(n, np.int64)
    for i in range(nv):
        for r in range(n):
            Y[i * n + r] = J[r, i]
    lu_solve(free.factors, nv, free.pivot, Y, n)
    for r in range(n):
        for s in range(n):
            for i in range(nv):
                G[r * n + s] += J[r, i] * Y[i * n + s]
        greatest = max(greatest, G[r * n + r])
        for i in range(nv):
            right[r] += Y[i * n + r] * missed[i]
    for r in range(n):
        G[r * n + r] += PROX * greatest
    if not lu(G, n, pivot):
        return x
    for _ in range(2):
        change = right.copy()
        for r in range(n):
            change[r] += PROX * greatest * x[r]
        _replace(x, change)
        lu_solve(G, n, pivot, x, 1)
    return x


@jit
def _replace(x: Floats, by: Floats):
    for r in range(x.size):
        x[r] = by[r]
