"""Rows that act in a step, on the pieces of their laws.

Each law is on one of its pieces: a row holds or not; a point is open, sticks or slides.  There its
impulses change by ``-f (J dv + U)`` and with the bounds of friction.  ``dv`` are changes of the
velocities after the step.  ``U`` is what all else changes of the row's velocity.  What holds is a
stiff spring, so rows that depend on each other do no harm.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.jit import Floats, jit
from ...contact_problem import BILATERAL, BOX
from ...contact_problem.block_lu import lu, lu_solve
from ...spatial import Vec3
from .refining import tangents, vector
from .step_parts import (
    CLOSING,
    COMPLIANCE,
    GAP,
    IMPULSE,
    LOWER,
    MU,
    NEAR,
    NORMAL,
    POSITION,
    RATE,
    ROLLING,
    TORQUE,
    TORSIONAL,
    UPPER,
    WIDENING,
    NearPoints,
    StepParts,
    put_difference,
    put_row,
    twist_of,
)

PROX = 1e-6
"""Compliance of what holds, in parts of its own; about its square is left of errors."""

LEAST_SHARE = 1e-7
"""Impulses that press, in parts of the greatest in the world, below which a point counts as open.

Of four points of a face three can bear it.  What the fourth has is what the solver left of it.
"""

COUPLE, FORCE, CLOSES, WRENCH = 0, 3, 6, 7  # columns of ActiveRows.wrench
FORCES, COUPLES = 0, 3  # rows of FreeInertia.axes, of a normal and its tangents each


class ActiveRows(NamedTuple):
    """Rows of a world whose impulses change by ``-f (J dv + U)``, and bounds that change others.

    Attributes
    ----------
    J, f : ndarray, shape (most, nv)
    left : ndarray, shape (most,)
        Part of its velocity that a row keeps for its spring; zero where the spring is true.
    wrench : ndarray, shape (most, 7)
        Of a row of a point: couple, force, and what a change of the gap adds.
    joint : ndarray of int, shape (most,)
        Numbers of rows of joints; -1 of points.
    bounds : ndarray, shape (most, nv)
        Rows whose impulses are at bounds that may change.
    gains : ndarray, shape (most, 2)
        Impulses along these by friction, and by the widening of the disk.
    laws, points : ndarray of int, shape (most,)
        Entries of `StepParts.columns` of that friction; points of the bounds, or -1.
    ends : ndarray of int, shape (2 + points,)
        How many bounds there are; of rows, where those of joints and of each point end.
    """

    J: np.ndarray
    f: np.ndarray
    left: np.ndarray
    wrench: np.ndarray
    joint: np.ndarray
    bounds: np.ndarray
    gains: np.ndarray
    laws: np.ndarray
    points: np.ndarray
    ends: np.ndarray


class FreeInertia(NamedTuple):
    """The factors of ``H + dt B``, and room for rows."""

    factors: np.ndarray
    pivot: np.ndarray
    row: np.ndarray
    R: np.ndarray
    axes: np.ndarray


class PointPiece(NamedTuple):
    """Where a point is on its law.

    ``normal``, ``s`` and ``t`` are impulses that it would have if it held.  ``ease`` and ``hold``
    are impulses that stop a unit velocity of the normal and of the tangents.  ``radius`` is that of
    the disk of friction.  ``spin``, ``roll_s``, ``roll_t``, ``hold_spin`` and ``hold_roll`` are the
    same of torques; the last two are zero where there are none.
    """

    normal: float
    s: float
    t: float
    ease: float
    hold: float
    radius: float
    spin: float
    roll_s: float
    roll_t: float
    hold_spin: float
    hold_roll: float


class DiskPiece(NamedTuple):
    """Two impulses of a point in a disk: what they would be if they held, and the radius.

    ``slope`` is by how much the radius grows with the normal impulse, ``hold`` the impulse that
    stops a unit velocity.  The row of the normal has a number, -1 where it is open, and is
    ``stiff``.
    """

    s: float
    t: float
    radius: float
    slope: float
    hold: float
    normal: int
    stiff: float


@jit
def room_of(nv: int):
    """Room for a world of ``nv`` velocities."""
    return FreeInertia(
        np.empty(nv * nv), np.empty(nv, np.int64), np.empty(nv), np.empty(6 * nv), np.empty((6, nv))
    )


@jit
def factored(parts: StepParts, k: int, free: FreeInertia):
    """Factor the inertia of a world; False if it is singular."""
    nv = free.pivot.size
    for i in range(nv):
        for j in range(nv):
            free.factors[i * nv + j] = parts.matrix[k, i, j]
    return lu(free.factors, nv, free.pivot)


@jit
def rows_for(parts: StepParts, points: NearPoints, k: int):
    """Room for all rows of a world."""
    nv, n_points = parts.matrix.shape[1], points.first[k + 1] - points.first[k]
    most = parts.kinds.size + 6 * n_points
    return ActiveRows(
        np.empty((most, nv)), np.empty((most, nv)), np.empty(most), np.empty((most, WRENCH)),
        np.empty(most, np.int64), np.empty((most, nv)), np.empty((most, 2)),
        np.empty(most, np.int64), np.empty(most, np.int64), np.zeros(2 + n_points, np.int64),
    )  # fmt: skip


@jit
def put_active(
    parts: StepParts, points: NearPoints, k: int, dt: float, free: FreeInertia, rows: ActiveRows
):
    """Find the rows of a world that act."""
    n = 0
    for r in range(parts.kinds.size):
        n += _put_joint(parts, (k, r), dt, free, rows, n)
    rows.ends[1] = n
    least = least_press(points, k)
    for m in range(points.first[k], points.first[k + 1]):
        piece = point_piece(parts, points, (k, m), free)
        n += _put_point(points, m, piece, free, least, rows, n)
        rows.ends[2 + m - points.first[k]] = n


@jit
def least_press(points: NearPoints, k: int):
    """The impulse up to which points of a world count as open."""
    least = 0.0
    for m in range(points.first[k], points.first[k + 1]):
        least = max(least, LEAST_SHARE * points.values[m, IMPULSE])
    return least


@jit
def joint_ease(row: Floats, free: FreeInertia):
    """The impulse that stops a unit velocity of a row of a joint; zero of one that is not near."""
    nv = free.pivot.size
    if row[nv + NEAR] == 0.0:
        return 0.0
    return inverse(compliance(free, row))


@jit
def _put_joint(
    parts: StepParts, which: tuple[int, int], dt: float, free: FreeInertia, rows: ActiveRows, n: int
):  # fmt: skip
    """The row of a joint where it holds, and how many rows that is.

    Where dry friction does not hold, its bound pushes.
    """
    k, r = which
    row, kind, nv = parts.rows[k, r], parts.kinds[r], free.pivot.size
    if row[nv + NEAR] == 0.0:
        return 0
    ease = joint_ease(row, free)
    z = parts.joints[k, r] - ease * row[nv + RATE]
    holds = kind == BILATERAL or z > row[nv + LOWER]
    if kind == BOX:
        holds = holds and z < row[nv + UPPER]
    if not holds:
        if kind == BOX:
            put_bound(row, rows, dt if z > 0.0 else -dt, 0.0, (1 + r, -1))
        return 0
    for j in range(nv):
        rows.J[n, j], rows.f[n, j] = row[j], ease / PROX * row[j]
    rows.left[n], rows.joint[n] = 1.0, r
    return 1


@jit
def put_bound(
    row: Floats, rows: ActiveRows, by_friction: float, by_widening: float, which: tuple[int, int]
):
    """A row whose impulse is at a bound; ``which`` are the law and the point of it."""
    b = rows.ends[0]
    for j in range(rows.bounds.shape[1]):
        rows.bounds[b, j] = row[j]
    rows.gains[b, 0], rows.gains[b, 1] = by_friction, by_widening
    rows.laws[b], rows.points[b] = which
    rows.ends[0] = b + 1


@jit
def compliance(free: FreeInertia, row: Floats):
    """The velocity that a unit impulse makes along a row."""
    nv, total = free.row.size, 0.0
    for j in range(nv):
        free.row[j] = row[j]
    lu_solve(free.factors, nv, free.pivot, free.row, 1)
    for j in range(nv):
        total += row[j] * free.row[j]
    return total


@jit
def inverse(x: float):
    """One over a number above zero; zero else."""
    return 1.0 / x if x > 0.0 else 0.0


@jit
def point_piece(
    parts: StepParts, points: NearPoints, which: tuple[int, int], free: FreeInertia
):  # fmt: skip
    """Where a point is on its law; ``free`` has its rows then."""
    k, m = which
    values = points.values[m]
    at, normal = vector(values, POSITION), vector(values, NORMAL)
    first, second = tangents(normal)
    put_difference(parts.axes, k, points.bodies[m], free.R)
    put_row(free.R, at.cross(normal), normal, free.axes[0])
    put_row(free.R, at.cross(first), first, free.axes[1])
    put_row(free.R, at.cross(second), second, free.axes[2])
    turn, velocity = twist_of(parts, points, k, m)
    x, soft = vector(values, IMPULSE), values[COMPLIANCE]
    ease = inverse(compliance(free, free.axes[0]) + soft)
    hold = inverse(max(compliance(free, free.axes[1]), compliance(free, free.axes[2])))
    rate = normal.dot(velocity) + values[CLOSING] * values[GAP] + soft * x.x
    s, t = x.y - hold * first.dot(velocity), x.z - hold * second.dot(velocity)
    hold_spin, hold_roll = torque_holds(values, free)
    spin = values[TORQUE] - hold_spin * normal.dot(turn)
    roll_s = values[TORQUE + 1] - hold_roll * first.dot(turn)
    roll_t = values[TORQUE + 2] - hold_roll * second.dot(turn)
    return PointPiece(
        x.x - ease * rate, s, t, ease, hold, radius_of(values), spin, roll_s, roll_t, hold_spin,
        hold_roll,
    )  # fmt: skip


@jit
def torque_holds(values: Floats, free: FreeInertia):
    """Impulses that stop a unit angular velocity about a point's normal, and about its tangents.

    Zero where it has no such friction; ``free`` has the rows then.
    """
    normal, none = vector(values, NORMAL), Vec3(0.0, 0.0, 0.0)
    first, second = tangents(normal)
    spin, roll = 0.0, 0.0
    if values[TORSIONAL] > 0.0:
        put_row(free.R, normal, none, free.axes[COUPLES])
        spin = inverse(compliance(free, free.axes[COUPLES]))
    if values[ROLLING] > 0.0:
        put_row(free.R, first, none, free.axes[COUPLES + 1])
        put_row(free.R, second, none, free.axes[COUPLES + 2])
        roll = inverse(
            max(compliance(free, free.axes[COUPLES + 1]), compliance(free, free.axes[COUPLES + 2]))
        )
    return spin, roll


@jit
def radius_of(values: Floats):
    """The radius of a point's disk of friction."""
    mu, wide = values[MU], values[WIDENING]
    most = mu * max(values[IMPULSE], 0.0)
    return math.sqrt(most * most + wide * wide) if wide > 0.0 else most


@jit
def _put_point(
    points: NearPoints, m: int, piece: PointPiece, free: FreeInertia, least: float,
    rows: ActiveRows, n: int,
):  # fmt: skip
    """The rows of a point on the piece of its law where it is, and how many.

    It is open, or sticks, or slides: then friction follows the pressure, and turns with the slip.
    What presses by less than ``least`` is open; then only a widened disk has friction.
    """
    values, presses = points.values[m], piece.normal > least
    pressed, share, wide = max(values[IMPULSE], 0.0), 1.0, values[WIDENING]
    count, stiff, normal = 0, 0.0, -1
    if presses:  # a spring in series with that of what holds
        stiff = inverse(PROX * inverse(piece.ease) + values[COMPLIANCE])
        put_wrench(points, m, (False, 1.0, 0.0, 0.0), free, rows, n, stiff)
        rows.left[n] = 1.0 - values[COMPLIANCE] * stiff
        rows.wrench[n, CLOSES] = values[CLOSING]
        count, normal = 1, n
    if wide > 0.0:
        share = inverse(piece.radius) * values[MU] * pressed
    if presses or wide > 0.0:
        slope = values[MU] * share
        disk = DiskPiece(piece.s, piece.t, piece.radius, slope, piece.hold, normal, stiff)
        found = _put_disk(points, m, disk, False, free, rows, n + count)
        if found == 1:
            widened = wide * inverse(piece.radius)
            put_bound(free.row, rows, share * pressed, widened, (0, m))
        count += found
    if presses and piece.hold_spin > 0.0:
        count += _put_spin(points, m, piece, free, rows, (n, n + count), stiff)
    if presses and piece.hold_roll > 0.0:
        arm = values[ROLLING]
        roll = DiskPiece(piece.roll_s, piece.roll_t, arm * pressed, arm, piece.hold_roll, n, stiff)
        count += _put_disk(points, m, roll, True, free, rows, n + count)
    return count


@jit
def _put_disk(
    points: NearPoints, m: int, disk: DiskPiece, is_couple: bool, free: FreeInertia,
    rows: ActiveRows, n: int,
):  # fmt: skip
    """Two rows that hold; or one that turns what slides, along which ``free.row`` is then."""
    length = math.sqrt(disk.s * disk.s + disk.t * disk.t)
    if length <= disk.radius:
        put_wrench(points, m, (is_couple, 0.0, 1.0, 0.0), free, rows, n, disk.hold / PROX)
        put_wrench(points, m, (is_couple, 0.0, 0.0, 1.0), free, rows, n + 1, disk.hold / PROX)
        return 2
    s, t = disk.s / length, disk.t / length
    axes = (COUPLES if is_couple else FORCES) + 1
    for j in range(free.pivot.size):
        free.row[j] = s * free.axes[axes, j] + t * free.axes[axes + 1, j]
        if disk.normal >= 0:
            rows.f[disk.normal, j] += disk.slope * disk.stiff * free.row[j]
    turn = disk.radius * disk.hold / (length - disk.radius)
    put_wrench(points, m, (is_couple, 0.0, -t, s), free, rows, n, turn)
    rows.left[n] = 0.0
    return 1


@jit
def _put_spin(
    points: NearPoints, m: int, piece: PointPiece, free: FreeInertia, rows: ActiveRows,
    which: tuple[int, int], stiff: float,
):  # fmt: skip
    """The row of torsional friction where it holds, and how many rows that is.

    ``which`` are the row of the normal, and its own.
    """
    normal, n = which
    arm = points.values[m, TORSIONAL]
    if abs(piece.spin) <= arm * max(points.values[m, IMPULSE], 0.0):
        put_wrench(points, m, (True, 1.0, 0.0, 0.0), free, rows, n, piece.hold_spin / PROX)
        return 1
    side = arm if piece.spin > 0.0 else -arm
    for j in range(free.pivot.size):
        rows.f[normal, j] += side * stiff * free.axes[COUPLES, j]
    return 0


@jit
def put_wrench(
    points: NearPoints, m: int, along: tuple[bool, float, float, float], free: FreeInertia,
    rows: ActiveRows, n: int, stiff: float,
):  # fmt: skip
    """A row of a point, which holds with a stiffness.

    It is a couple or a force ``along`` a sum of the normal and its tangents.
    """
    is_couple, x, y, z = along
    normal, to = vector(points.values[m], NORMAL), rows.wrench[n]
    first, second = tangents(normal)
    axis = normal * x + first * y + second * z
    axes, at = COUPLES if is_couple else FORCES, COUPLE if is_couple else FORCE
    for c in range(WRENCH):
        to[c] = 0.0
    to[at], to[at + 1], to[at + 2] = axis.x, axis.y, axis.z
    for j in range(free.pivot.size):
        total = x * free.axes[axes, j] + y * free.axes[axes + 1, j] + z * free.axes[axes + 2, j]
        rows.J[n, j], rows.f[n, j] = total, stiff * total
    rows.left[n], rows.joint[n] = 1.0, -1
