"""Derivatives of a step by the theorem of implicit functions, one world after the other.

A step fulfils ``momentum = 0`` and the laws of its rows (`algorithms.stepping.balance`).  With the
rows that act (`active_rows`)

    (H + dt B + sum f J) dv = -d momentum - sum f U + sum g,

where ``d momentum`` and ``U`` are changes at fixed impulses and velocities after the step, and
``g`` those of bounds.  A second solution takes out what the springs still move by.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.jit import Floats, Ints, jit
from ...contact_problem.block_lu import lu, lu_solve
from ...contact_problem.block_products import take_row
from ...spatial import Vec3
from .active_rows import (
    CLOSES,
    COUPLE,
    FORCE,
    ActiveRows,
    FreeInertia,
    factored,
    room_of,
    rows_for,
)
from .refining import vector
from .relaxed_rows import put_rows
from .step_parts import (
    CHANGE,
    NORMAL,
    POSITION,
    NearPoints,
    StepParts,
    column,
    couple_of,
    force_of,
    gap_change,
    put_difference,
    twist_of,
)


class PartDerivatives(NamedTuple):
    """Derivatives of what steps fulfil.

    Attributes
    ----------
    momentum : ndarray, shape (n, nv, width)
        Of `momentum`: by positions, by parameters that move points, then by anything.
    rates : ndarray, shape (n, rows, moves)
        Of the rates of rows of joints, by positions and such parameters.
    sways : ndarray, shape (n, carriers + 1, 6 moves)
        Of `StepParts.motions`, by these.
    places : ndarray, shape (points, 7, moves - nv)
        Of positions, normals and gaps of points, by such parameters alone.
    widening : ndarray, shape (points, width)
        Of what widens the disks of friction, like ``momentum``; no points where nothing does.
    """

    momentum: np.ndarray
    rates: np.ndarray
    sways: np.ndarray
    places: np.ndarray
    widening: np.ndarray


class RightSides(NamedTuple):
    """Right sides of all columns, and changes of the velocities of rows by what moves points."""

    b: np.ndarray
    U: np.ndarray


class PointChange(NamedTuple):
    """How a point's place changes, its normal, gap, and motions at fixed velocities.

    Shapes (3, moves), (3, moves), (moves,) and (6 moves,): by positions, then by parameters that
    move points.  Axes turn by ``tilt``.
    """

    place: np.ndarray
    tilt: np.ndarray
    gap: np.ndarray
    motion: np.ndarray


@jit
def solve_steps(
    parts: StepParts, points: NearPoints, slopes: PartDerivatives, dt: float, r: float,
    found: np.ndarray,
):  # fmt: skip
    """Put the derivatives of velocities after steps in ``found``, like those of the momentum.

    Laws are relaxed by ``r`` [J].  NaN where the inertia of a world is singular.
    """
    nv, width = parts.matrix.shape[1], slopes.momentum.shape[2]
    a, pivot, free = np.empty(nv * nv), np.empty(nv, np.int64), room_of(nv)
    moves = nv + slopes.places.shape[2]
    change = change_of(moves)
    for k in range(parts.matrix.shape[0]):
        rows = rows_for(parts, points, k)
        right = RightSides(np.empty(nv * width), np.zeros((rows.J.shape[0], moves)))
        for i in range(nv):
            for j in range(nv):
                a[i * nv + j] = parts.matrix[k, i, j]
            for j in range(width):
                right.b[i * width + j] = -slopes.momentum[k, i, j]
        is_regular = factored(parts, k, free)
        put_rows(parts, points, k, dt, r, free, rows)
        _put_bounds(parts, rows, slopes, right.b)
        for h in range(rows.ends[1]):
            for j in range(moves):
                right.U[h, j] = slopes.rates[k, rows.joint[h], j]
        for m in range(points.first[k], points.first[k + 1]):
            put_change(parts, points, (k, m), (slopes.sways, slopes.places), free.R, change)
            _put_point(parts, points, (k, m), change, free, rows, right)
        is_regular = is_regular and _solved(rows, right.U, a, pivot, right.b)
        for i in range(nv):
            for j in range(width):
                found[k, i, j] = right.b[i * width + j] if is_regular else math.nan


@jit
def _put_bounds(parts: StepParts, rows: ActiveRows, slopes: PartDerivatives, b: Floats):
    """What bounds change, by friction and by what widens them."""
    nv = rows.bounds.shape[1]
    width = b.size // nv
    for e in range(rows.ends[0]):
        to, m = parts.columns[rows.laws[e]], rows.points[e]
        for i in range(nv):
            if to >= 0:
                b[i * width + to] += rows.gains[e, 0] * rows.bounds[e, i]
            if rows.gains[e, 1] != 0.0:
                share = rows.gains[e, 1] * rows.bounds[e, i]
                for j in range(width):
                    b[i * width + j] += share * slopes.widening[m, j]


@jit
def _solved(rows: ActiveRows, U: np.ndarray, a: Floats, pivot: Ints, b: Floats):
    """Solve under the rows for ``b``, and again for what those that hold still move by."""
    nv, n = pivot.size, rows.ends[rows.ends.size - 1]
    width = b.size // nv
    for h in range(n):
        for i in range(nv):
            if rows.f[h, i] != 0.0:
                take_row(rows.J[h], -rows.f[h, i], a[i * nv :], nv)
                take_row(U[h], rows.f[h, i], b[i * width :], U.shape[1])
    if not lu(a, nv, pivot):
        return False
    right, moved = b.copy(), np.empty(width)
    lu_solve(a, nv, pivot, b, width)
    for h in range(n):
        if rows.left[h] > 0.0:
            moved[:] = 0.0
            for j in range(U.shape[1]):
                moved[j] = U[h, j]
            for i in range(nv):
                if rows.J[h, i] != 0.0:
                    take_row(b[i * width :], -rows.J[h, i], moved, width)
            for i in range(nv):
                if rows.f[h, i] != 0.0:
                    take_row(moved, rows.left[h] * rows.f[h, i], right[i * width :], width)
    lu_solve(a, nv, pivot, right, width)
    for i in range(right.size):
        b[i] = right[i]
    return True


@jit
def change_of(moves: int):
    """Room for how a point changes by so much."""
    return PointChange(
        np.empty((3, moves)), np.empty((3, moves)), np.empty(moves), np.empty(6 * moves)
    )


@jit
def put_change(
    parts: StepParts, points: NearPoints, which: tuple[int, int],
    by: tuple[np.ndarray, np.ndarray], R: Floats, to: PointChange,
):  # fmt: skip
    """How a point changes, and ``R``, how its bodies move against each other.

    By positions the point and its normal move with the second body, and as the shapes say against
    it.  Motions change ``by`` all, and places by parameters (`PartDerivatives`).
    """
    (k, m), (sways, places) = which, by
    values = points.values[m]
    at, normal = vector(values, POSITION), vector(values, NORMAL)
    put_difference(parts.axes, k, points.bodies[m], R)
    put_difference(sways, k, points.carriers[m], to.motion)
    carrier, nv = parts.axes[k, points.bodies[m, 1]], parts.matrix.shape[1]
    for j in range(nv):
        turned = column(carrier, 0, j)
        place = _shift(values, POSITION, R, j) + column(carrier, 3, j) + turned.cross(at)
        tilt = turned + normal.cross(_shift(values, NORMAL, R, j))
        to.gap[j] = gap_change(values, R, j)
        to.place[0, j], to.place[1, j], to.place[2, j] = place.x, place.y, place.z
        to.tilt[0, j], to.tilt[1, j], to.tilt[2, j] = tilt.x, tilt.y, tilt.z
    for c in range(places.shape[2]):
        j = nv + c
        tilt = normal.cross(Vec3(places[m, 3, c], places[m, 4, c], places[m, 5, c]))
        to.tilt[0, j], to.tilt[1, j], to.tilt[2, j] = tilt.x, tilt.y, tilt.z
        for a in range(3):
            to.place[a, j] = places[m, a, c]
        to.gap[j] = places[m, 6, c]


@jit
def _put_point(
    parts: StepParts, points: NearPoints, which: tuple[int, int], change: PointChange,
    free: FreeInertia, rows: ActiveRows, right: RightSides,
):  # fmt: skip
    """What a point's force changes by as its bodies move, and the velocities of its rows."""
    k, m = which
    values, nv, moves, R = points.values[m], free.pivot.size, change.gap.size, free.R
    width = right.b.size // nv
    at, force, torque = vector(values, POSITION), force_of(values), couple_of(values)
    moments, forces = np.empty((3, moves)), np.empty((3, moves))
    for j in range(moves):
        tilt = of_three(change.tilt, j)
        d_force = tilt.cross(force)
        moment = of_three(change.place, j).cross(force) + at.cross(d_force) + tilt.cross(torque)
        forces[0, j], forces[1, j], forces[2, j] = d_force.x, d_force.y, d_force.z
        moments[0, j], moments[1, j], moments[2, j] = moment.x, moment.y, moment.z
    for i in range(nv):
        w, l = column(R, 0, i), column(R, 3, i)
        if w.dot(w) + l.dot(l) > 0.0:
            for j in range(moves):
                power = w.dot(of_three(moments, j)) + l.dot(of_three(forces, j))
                right.b[i * width + j] += power
    twist = twist_of(parts, points, k, m)
    last = m - points.first[k]
    for h in range(rows.ends[1 + last], rows.ends[2 + last]):
        along_row = vector(rows.wrench[h], COUPLE), vector(rows.wrench[h], FORCE)
        closes = rows.wrench[h, CLOSES]
        for j in range(moves):
            rate = velocity_change(change, at, twist, along_row, j)
            right.U[h, j] = rate + closes * change.gap[j]


@jit
def velocity_change(
    change: PointChange, at: Vec3, twist: tuple[Vec3, Vec3], axes: tuple[Vec3, Vec3], j: int
):  # fmt: skip
    """How the motion at a point, along a couple and a force that tilt, changes by a column."""
    (turn, velocity), (couple, force) = twist, axes
    tilt, spin = of_three(change.tilt, j), column(change.motion, 0, j)
    rate = column(change.motion, 3, j) + spin.cross(at)
    rate = rate + turn.cross(of_three(change.place, j)) - tilt.cross(velocity)
    return force.dot(rate) + couple.dot(spin - tilt.cross(turn))


@jit
def of_three(rows: np.ndarray, j: int):
    """Number ``j`` of three rows, as a vector."""
    return Vec3(rows[0, j], rows[1, j], rows[2, j])


@jit
def _shift(values: Floats, first: int, R: Floats, j: int):
    """How three numbers of a point change with a velocity, by what it moves the first shape."""
    w, l = column(R, 0, j), column(R, 3, j)
    rates = values[CHANGE + 6 * first :]
    return Vec3(along(rates, w, l), along(rates[6:], w, l), along(rates[12:], w, l))


@jit
def along(rates: Floats, w: Vec3, l: Vec3):
    """Six derivatives along a motion."""
    return vector(rates, 0).dot(w) + vector(rates, 3).dot(l)
