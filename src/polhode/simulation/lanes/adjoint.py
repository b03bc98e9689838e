"""The derivatives of `sensitivity` in reverse: of one weighted sum, by everything.

One solution with the transposed matrix takes the place of one for each column.  With the weights
``g`` of the velocities after the step and ``A = H + dt B + sum f J``

    A^T y = g,    A^T z = g - sum left (f y) J,

the weight of the balance of momentum is ``z``, that of the velocity of a row
``-(f z) - left (f y)``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.jit import Floats, Ints, jit
from ...contact_problem.block_lu import lu, lu_solve
from ...spatial import Vec3
from .active_rows import (
    CLOSES,
    COUPLE,
    FORCE,
    ActiveRows,
    factored,
    room_of,
    rows_for,
)
from .refining import vector
from .relaxed_rows import put_rows
from .step_parts import (
    CHANGE,
    GAP,
    NORMAL,
    POSITION,
    NearPoints,
    StepParts,
    add_vector,
    column,
    couple_of,
    force_of,
    put_difference,
    twist_of,
)


class StepWeights(NamedTuple):
    """Weights of what steps fulfil.

    Attributes
    ----------
    momentum : ndarray, shape (n, nv)
        Of what pushes velocities: less those of `momentum`.  NaN where the inertia is singular.
    q : ndarray, shape (n, nv)
        Of positions, by which points and axes move.
    rates : ndarray, shape (n, rows)
        Of the rates of rows of joints.
    motions : ndarray, shape (n, carriers + 1, 6)
        Of the motions of surfaces after the step.
    friction : ndarray, shape (n, 1 + rows)
        Of friction of points, and of dry friction of rows.
    widening : ndarray, shape (points,)
        Of what widens the disks of friction.
    places : ndarray, shape (points, 7)
        Of positions, normals and gaps of points.
    """

    momentum: np.ndarray
    q: np.ndarray
    rates: np.ndarray
    motions: np.ndarray
    friction: np.ndarray
    widening: np.ndarray
    places: np.ndarray


class PlaceWeights(NamedTuple):
    """Weights of how a point moves, how its axes tilt, and of its gap."""

    place: Vec3
    tilt: Vec3
    gap: float


@jit
def weigh_steps(
    parts: StepParts, points: NearPoints, dt: float, r: float, weights: np.ndarray,
    to: StepWeights,
):  # fmt: skip
    """Add what ``weights`` of the velocities after steps, shape (n, nv), make of other weights.

    Laws are relaxed by ``r`` [J].
    """
    nv = parts.matrix.shape[1]
    a, pivot, free = np.empty(nv * nv), np.empty(nv, np.int64), room_of(nv)
    y, z = np.empty(nv), np.empty(nv)
    for k in range(parts.matrix.shape[0]):
        rows = rows_for(parts, points, k)
        is_regular = factored(parts, k, free)
        put_rows(parts, points, k, dt, r, free, rows)
        n = rows.ends[rows.ends.size - 1]
        own = np.zeros(n)
        for i in range(nv):
            y[i] = z[i] = weights[k, i]
            for j in range(nv):
                a[i * nv + j] = parts.matrix[k, j, i]
        if not (is_regular and _solved(rows, a, pivot, y, z, own)):
            for i in range(nv):
                to.momentum[k, i] = math.nan
            continue
        for i in range(nv):
            to.momentum[k, i] += z[i]
        _add_bounds(rows, z, k, to)
        for h in range(rows.ends[1]):
            to.rates[k, rows.joint[h]] += own[h]
        for m in range(points.first[k], points.first[k + 1]):
            _add_point(parts, points, (k, m), rows, own, z, to)


@jit
def _solved(rows: ActiveRows, a: Floats, pivot: Ints, y: Floats, z: Floats, own: Floats):
    """Solve for ``y`` and ``z``, and the weights of the velocities of rows."""
    nv, n = pivot.size, own.size
    for h in range(n):
        for i in range(nv):
            for j in range(nv):
                a[i * nv + j] += rows.J[h, i] * rows.f[h, j]
    if not lu(a, nv, pivot):
        return False
    lu_solve(a, nv, pivot, y, 1)
    for h in range(n):
        if rows.left[h] > 0.0:
            own[h] = -rows.left[h] * _product(rows.f[h], y)
            for i in range(nv):
                z[i] += own[h] * rows.J[h, i]
    lu_solve(a, nv, pivot, z, 1)
    for h in range(n):
        own[h] -= _product(rows.f[h], z)
    return True


@jit
def _product(a: Floats, b: Floats):
    total = 0.0
    for i in range(b.size):
        total += a[i] * b[i]
    return total


@jit
def _add_bounds(rows: ActiveRows, z: Floats, k: int, to: StepWeights):
    """What impulses at bounds weigh."""
    for e in range(rows.ends[0]):
        work = _product(rows.bounds[e], z)
        to.friction[k, rows.laws[e]] += rows.gains[e, 0] * work
        if rows.points[e] >= 0:
            to.widening[rows.points[e]] += rows.gains[e, 1] * work


@jit
def _add_point(
    parts: StepParts, points: NearPoints, which: tuple[int, int], rows: ActiveRows, own: Floats,
    z: Floats, to: StepWeights,
):  # fmt: skip
    """What the force of a point weighs as its bodies move, and the velocities of its rows."""
    k, m = which
    values, nv = points.values[m], z.size
    at, force, torque = vector(values, POSITION), force_of(values), couple_of(values)
    turn, shift = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
    R = np.empty(6 * nv)
    put_difference(parts.axes, k, points.bodies[m], R)
    for i in range(nv):
        turn, shift = turn + column(R, 0, i) * z[i], shift + column(R, 3, i) * z[i]
    axis, couple = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
    gap, last = 0.0, m - points.first[k]
    for h in range(rows.ends[1 + last], rows.ends[2 + last]):
        axis = axis + vector(rows.wrench[h], FORCE) * own[h]
        couple = couple + vector(rows.wrench[h], COUPLE) * own[h]
        gap += rows.wrench[h, CLOSES] * own[h]
    tilt = force.cross(shift + turn.cross(at)) + torque.cross(turn)
    of_force = PlaceWeights(force.cross(turn), tilt, gap)
    add_place(parts, points, which, R, of_force, to)
    add_velocity(parts, points, which, R, (couple, axis), to)


@jit
def add_velocity(
    parts: StepParts, points: NearPoints, which: tuple[int, int], R: Floats,
    along: tuple[Vec3, Vec3], to: StepWeights,
):  # fmt: skip
    """What the motion at a point weighs, along a couple and a force that tilt with the normal."""
    (k, m), (couple, axis) = which, along
    at = vector(points.values[m], POSITION)
    turn, velocity = twist_of(parts, points, k, m)
    own = PlaceWeights(axis.cross(turn), axis.cross(velocity) + couple.cross(turn), 0.0)
    add_place(parts, points, which, R, own, to)
    for side in range(2):
        carrier = to.motions[k, points.carriers[m, side]]
        share = 1.0 - 2.0 * side
        add_vector(carrier, (couple + at.cross(axis)) * share)
        add_vector(carrier[3:], axis * share)


@jit
def add_place(
    parts: StepParts, points: NearPoints, which: tuple[int, int], R: Floats, own: PlaceWeights,
    to: StepWeights,
):  # fmt: skip
    """What the place of a point weighs, by positions."""
    k, m = which
    values, carrier = points.values[m], parts.axes[k, points.bodies[m, 1]]
    at, normal = vector(values, POSITION), vector(values, NORMAL)
    sway = own.tilt.cross(normal)
    of_turn, of_shift = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
    for c in range(3):
        place = own.place.x if c == 0 else (own.place.y if c == 1 else own.place.z)
        tilt = sway.x if c == 0 else (sway.y if c == 1 else sway.z)
        rates, tilts = values[CHANGE + 6 * c :], values[CHANGE + 6 * (NORMAL + c) :]
        to.places[m, c] += place
        to.places[m, 3 + c] += tilt
        of_turn = of_turn + vector(rates, 0) * place + vector(tilts, 0) * tilt
        of_shift = of_shift + vector(rates, 3) * place + vector(tilts, 3) * tilt
    to.places[m, GAP] += own.gap
    gaps = values[CHANGE + 6 * GAP :]
    of_turn, of_shift = of_turn + vector(gaps, 0) * own.gap, of_shift + vector(gaps, 3) * own.gap
    turned = own.tilt + at.cross(own.place)
    for j in range(to.q.shape[1]):
        with_second = turned.dot(column(carrier, 0, j)) + own.place.dot(column(carrier, 3, j))
        first = of_turn.dot(column(R, 0, j)) + of_shift.dot(column(R, 3, j))
        to.q[k, j] += with_second + first
