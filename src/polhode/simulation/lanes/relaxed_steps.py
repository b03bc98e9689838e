"""Velocities after steps whose laws are relaxed (`relaxed_laws`), one world after the other.

Newton's method on the laws as projections, ``x = P(x - hold u)``, from the impulses of the exact
step.  The velocities are those of the impulses throughout:

    (H + dt B) (v - v_free) = J^T x.

Where it fails it begins anew far away: laws that are relaxed more are nearly linear.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.jit import Floats, Floats2, jit
from ...contact_problem import BILATERAL, BOX
from ...contact_problem.block_lu import lu, lu_solve
from .active_rows import (
    COUPLES,
    PROX,
    FreeInertia,
    factored,
    inverse,
    joint_ease,
    point_piece,
    room_of,
)
from .refining import tangents, vector
from .relaxed_laws import pressed, slip_of
from .step_parts import (
    CLOSING,
    COMPLIANCE,
    GAP,
    IMPULSE,
    MU,
    NORMAL,
    RATE,
    ROLLING,
    TORQUE,
    TORSIONAL,
    UPPER,
    WIDENING,
    NearPoints,
    StepParts,
    twist_of,
)

SPARE = 1e-8
"""Compliance of pressures, in parts of their own: where nothing has room, they stay finite."""

STEPS = 60  # of Newton's method at most; most worlds take ten
ROUNDING = 1e-15  # of velocities, relative to the fastest, below which a search ends
HALVES = 30  # of a step along Newton's direction
FARTHEST = 1e6  # times the relaxation, from which a failed search begins anew
SOLVED = 1e-10
"""How far rows may miss their laws, in parts of the fastest."""

HOLDS, PRESSES, SLIPS = 0, 1, 2  # kinds of blocks
S, T, ALONG, ACROSS, FOLLOWS, LINEAR = 0, 1, 2, 3, 4, 5  # columns of RelaxedRows.linear


class RelaxedRows(NamedTuple):
    """Rows of a world, and blocks of them that have one law.

    Attributes
    ----------
    J : ndarray, shape (most, nv)
    u, x, k : ndarray, shape (most,)
        Velocities, impulses, and those by which these change at velocities that stay.
    first, kind : ndarray of int, shape (most,)
        First rows of blocks; `HOLDS`, `PRESSES` or `SLIPS`.
    height, presser : ndarray of int, shape (most,)
        Rows of blocks; the block whose pressure friction follows, -1 where its bound is fixed.
    hold, soft : ndarray, shape (most,)
        Impulses that stop a unit velocity, and compliance.
    mu, wide : ndarray, shape (most,)
        Radii of disks are ``sqrt((mu x)^2 + wide^2)``.
    linear : ndarray, shape (most, 5)
        Direction of friction, and how impulses change: along it or of a pressure, across, and
        with the pressure.
    owner : ndarray of int, shape (most, 2)
        The row of a joint and -1; or a point, and the first of its six impulses.
    size : ndarray of int, shape (2,)
        How many blocks there are, and rows.
    """

    J: np.ndarray
    u: np.ndarray
    x: np.ndarray
    k: np.ndarray
    first: np.ndarray
    kind: np.ndarray
    height: np.ndarray
    presser: np.ndarray
    hold: np.ndarray
    soft: np.ndarray
    mu: np.ndarray
    wide: np.ndarray
    linear: np.ndarray
    owner: np.ndarray
    size: np.ndarray


class SearchRoom(NamedTuple):
    """The inertia of a world and its factors, and room for a step of Newton's method."""

    matrix: np.ndarray
    factors: np.ndarray
    order: np.ndarray
    a: np.ndarray
    pivot: np.ndarray
    dv: np.ndarray
    du: np.ndarray
    dx: np.ndarray
    u: np.ndarray
    x: np.ndarray


@jit
def relax_worlds(
    parts: StepParts, points: NearPoints, starts: Floats2, r: float, v: Floats2, error: Floats
):
    """Put velocities after relaxed steps in ``v``, and impulses into parts and points.

    ``starts`` are velocities without impulses.  ``v`` are those of the parts; impulses of points
    are what the search begins with.  ``error`` is by how much rows miss their laws, in parts of
    the fastest.
    """
    nv = parts.matrix.shape[1]
    free = room_of(nv)
    for k in range(parts.matrix.shape[0]):
        most = parts.kinds.size + 6 * (points.first[k + 1] - points.first[k])
        rows, room = _rows_of(most, nv), _room_of(most, free)
        if not factored(parts, k, free):
            error[k] = math.nan
            for j in range(nv):
                v[k, j] = math.nan
            continue
        _put_blocks(parts, points, k, free, rows)
        for i in range(nv):
            for j in range(nv):
                room.matrix[i * nv + j] = parts.matrix[k, i, j]
        _put_velocities(rows, free, starts[k], v[k])
        error[k] = _searched(rows, room, r)
        if not error[k] < SOLVED:
            for h in range(most):
                rows.x[h] = 0.0
            _put_velocities(rows, free, starts[k], v[k])
            relaxation = r * FARTHEST
            while relaxation > r:
                error[k] = _searched(rows, room, relaxation)
                relaxation *= 0.1
            error[k] = _searched(rows, room, r)
        _put_velocities(rows, free, starts[k], v[k])
        _put_impulses(parts, points, k, rows)


@jit
def _rows_of(most: int, nv: int):
    return RelaxedRows(
        np.zeros((most, nv)), np.zeros(most), np.zeros(most), np.zeros(most),
        np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64),
        np.zeros(most, np.int64), np.zeros(most), np.zeros(most), np.zeros(most), np.zeros(most),
        np.zeros((most, LINEAR)), np.zeros((most, 2), np.int64), np.zeros(2, np.int64),
    )  # fmt: skip


@jit
def _room_of(most: int, free: FreeInertia):
    nv = free.pivot.size
    return SearchRoom(
        np.empty(nv * nv), free.factors, free.pivot, np.empty(nv * nv), np.empty(nv, np.int64),
        np.empty(nv), np.empty(most), np.empty(most), np.empty(most), np.empty(most),
    )  # fmt: skip


@jit
def _put_blocks(parts: StepParts, points: NearPoints, k: int, free: FreeInertia, rows: RelaxedRows):
    """The blocks of a world, their velocities, and the impulses to begin with."""
    nv, none = free.pivot.size, -1
    for r in range(parts.kinds.size):
        row = parts.rows[k, r]
        hold = joint_ease(row, free)
        if hold > 0.0:
            kind = PRESSES
            if parts.kinds[r] == BILATERAL:
                kind = HOLDS
            elif parts.kinds[r] == BOX:
                kind = SLIPS
            _add_row(rows, row[:nv], row[nv + RATE], 0.0)
            _add_block(rows, (kind, 1, none), (hold, SPARE / hold), (0.0, row[nv + UPPER]), (r, -1))
    for m in range(points.first[k], points.first[k + 1]):
        _put_point(parts, points, (k, m), free, rows)


@jit
def _put_point(
    parts: StepParts, points: NearPoints, which: tuple[int, int], free: FreeInertia,
    rows: RelaxedRows,
):  # fmt: skip
    """The blocks of a point."""
    k, m = which
    values, piece = points.values[m], point_piece(parts, points, which, free)
    if piece.ease == 0.0:
        return
    normal = vector(values, NORMAL)
    first, second = tangents(normal)
    turn, velocity = twist_of(parts, points, k, m)
    presser, x = rows.size[0], vector(values, IMPULSE)
    rate = normal.dot(velocity) + values[CLOSING] * values[GAP]
    _add_row(rows, free.axes[0], rate, x.x)
    soft = values[COMPLIANCE] + SPARE / piece.ease
    _add_block(rows, (PRESSES, 1, -1), (piece.ease, soft), (0.0, 0.0), (m, 0))
    if piece.hold > 0.0:
        _add_row(rows, free.axes[1], first.dot(velocity), x.y)
        _add_row(rows, free.axes[2], second.dot(velocity), x.z)
        disk = values[MU], values[WIDENING]
        _add_block(rows, (SLIPS, 2, presser), (piece.hold, 0.0), disk, (m, 1))
    if piece.hold_spin > 0.0:
        _add_row(rows, free.axes[COUPLES], normal.dot(turn), 0.0)
        disk = values[TORSIONAL], 0.0
        _add_block(rows, (SLIPS, 1, presser), (piece.hold_spin, 0.0), disk, (m, 3))
    if piece.hold_roll > 0.0:
        _add_row(rows, free.axes[COUPLES + 1], first.dot(turn), 0.0)
        _add_row(rows, free.axes[COUPLES + 2], second.dot(turn), 0.0)
        disk = values[ROLLING], 0.0
        _add_block(rows, (SLIPS, 2, presser), (piece.hold_roll, 0.0), disk, (m, 4))


@jit
def _add_row(rows: RelaxedRows, J: Floats, u: float, x: float):
    n = rows.size[1]
    for j in range(rows.J.shape[1]):
        rows.J[n, j] = J[j]
    rows.u[n], rows.x[n] = u, x
    rows.size[1] = n + 1


@jit
def _add_block(
    rows: RelaxedRows, kind: tuple[int, int, int], own: tuple[float, float],
    disk: tuple[float, float], owner: tuple[int, int],
):  # fmt: skip
    """A block of the last rows."""
    b = rows.size[0]
    rows.kind[b], rows.height[b], rows.presser[b] = kind
    rows.first[b] = rows.size[1] - rows.height[b]
    rows.hold[b], rows.soft[b] = own
    rows.mu[b], rows.wide[b] = disk
    rows.owner[b, 0], rows.owner[b, 1] = owner
    rows.size[0] = b + 1


@jit
def _put_impulses(parts: StepParts, points: NearPoints, k: int, rows: RelaxedRows):
    """Put the impulses of all rows where they belong."""
    for b in range(rows.size[0]):
        at, of = rows.owner[b, 0], rows.owner[b, 1]
        for e in range(rows.height[b]):
            x = rows.x[rows.first[b] + e]
            if of < 0:
                parts.joints[k, at] = x
            elif of < 3:
                points.values[at, IMPULSE + of + e] = x
            else:
                points.values[at, TORQUE + of - 3 + e] = x


@jit
def _put_velocities(rows: RelaxedRows, free: FreeInertia, start: Floats, v: Floats):
    """Put the velocities that impulses make of ``start`` in ``v``, and those of rows."""
    nv = v.size
    for j in range(nv):
        free.row[j] = 0.0
    for h in range(rows.size[1]):
        for j in range(nv):
            free.row[j] += rows.J[h, j] * rows.x[h]
    lu_solve(free.factors, nv, free.pivot, free.row, 1)
    for h in range(rows.size[1]):
        for j in range(nv):
            rows.u[h] += rows.J[h, j] * (start[j] + free.row[j] - v[j])
    for j in range(nv):
        v[j] = start[j] + free.row[j]


@jit
def _searched(rows: RelaxedRows, room: SearchRoom, r: float):
    """Search impulses by Newton's method; by how much rows miss their laws, in parts of speeds."""
    merit, error = _linearized(rows, r)
    fastest = _fastest(rows)
    for _ in range(STEPS):
        if error <= ROUNDING * fastest or not _found_step(rows, room):
            break
        share, is_better = 1.0, False
        for h in range(rows.size[1]):
            room.u[h], room.x[h] = rows.u[h], rows.x[h]
        for _half in range(HALVES):
            for h in range(rows.size[1]):
                rows.u[h] = room.u[h] + share * room.du[h]
                rows.x[h] = room.x[h] + share * room.dx[h]
            left, missed = _linearized(rows, r)
            if left < merit:
                merit, error, is_better = left, missed, True
                break
            share *= 0.5
        if not is_better:
            for h in range(rows.size[1]):
                rows.u[h], rows.x[h] = room.u[h], room.x[h]
            break
        fastest = _fastest(rows)
    return error * inverse(fastest)


@jit
def _fastest(rows: RelaxedRows):
    """The greatest speed of a row."""
    fastest = 0.0
    for h in range(rows.size[1]):
        fastest = max(fastest, abs(rows.u[h]))
    return fastest


@jit
def _linearized(rows: RelaxedRows, r: float):
    """Put the linear form of all laws; the sum of squares of what they miss, and the most."""
    total, most = 0.0, 0.0
    for b in range(rows.size[0]):
        hold = rows.hold[b]
        if rows.kind[b] == HOLDS:
            missed = abs(rows.u[rows.first[b]])
            rows.k[rows.first[b]] = -rows.u[rows.first[b]] * (hold / PROX)
            rows.linear[b, ALONG] = hold / PROX
        elif rows.kind[b] == PRESSES:
            missed = _press(rows, b, r)
        else:
            missed = _slip(rows, b, r)
        total += missed * missed * hold
        most = max(most, missed)
    return total, most


@jit
def _press(rows: RelaxedRows, b: int, r: float):
    """The linear form of a pressure, and by how much it misses its law, as a velocity."""
    h, hold, soft = rows.first[b], rows.hold[b], rows.soft[b]
    z = rows.x[h] - hold * (rows.u[h] + soft * rows.x[h])
    x = pressed(z, hold, r)
    root = math.sqrt(z * z + 4.0 * hold * r)
    share, rest = x / root, hold * r / (x * root)
    scale = 1.0 / (rest + share * hold * soft)
    rows.k[h], rows.linear[b, ALONG] = (x - rows.x[h]) * scale, share * hold * scale
    return abs(x - rows.x[h]) / hold


@jit
def _slip(rows: RelaxedRows, b: int, r: float):
    """The linear form of friction, and by how much it misses its law, as a velocity."""
    h, hold, height = rows.first[b], rows.hold[b], rows.height[b]
    s, t = rows.x[h] - hold * rows.u[h], 0.0
    if height == 2:
        t = rows.x[h + 1] - hold * rows.u[h + 1]
    radius, slope = _radius(rows, b)
    length = math.sqrt(s * s + t * t)
    found = slip_of(length, radius, hold, r)
    c, d = (s / length, t / length) if length > 0.0 else (1.0, 0.0)
    e = found.x * c - rows.x[h]
    f = found.x * d - rows.x[h + 1] if height == 2 else 0.0
    along, across = e * c + f * d, f * c - e * d
    along_scaled = along * (1.0 + found.along / hold)
    across_scaled = across * (1.0 + found.across / hold)
    rows.k[h] = along_scaled * c - across_scaled * d
    if height == 2:
        rows.k[h + 1] = along_scaled * d + across_scaled * c
    to = rows.linear[b]
    to[S], to[T], to[ALONG], to[ACROSS] = c, d, found.along, found.across
    to[FOLLOWS] = found.follows * slope
    return math.sqrt(e * e + f * f) / hold


@jit
def _radius(rows: RelaxedRows, b: int):
    """The radius of a disk, and how much it grows with the pressure."""
    presser, mu, wide = rows.presser[b], rows.mu[b], rows.wide[b]
    x = max(rows.x[rows.first[presser]], 0.0) if presser >= 0 else 0.0
    if wide == 0.0:
        return mu * x, mu
    radius = math.sqrt(mu * x * (mu * x) + wide * wide)
    return radius, mu * mu * x / radius


@jit
def _found_step(rows: RelaxedRows, room: SearchRoom):
    """Solve for the changes of velocities, and of rows; False if that cannot be done."""
    nv = room.pivot.size
    for i in range(nv * nv):
        room.a[i] = room.matrix[i]
    for j in range(nv):
        room.dv[j] = 0.0
    for b in range(rows.size[0]):
        _add_linear(rows, b, room)
    if not lu(room.a, nv, room.pivot):
        return False
    lu_solve(room.a, nv, room.pivot, room.dv, 1)
    _put_changes(rows, room)
    for b in range(rows.size[0]):
        h, to = rows.first[b], rows.linear[b]
        if rows.kind[b] != SLIPS:
            room.dx[h] = rows.k[h] - to[ALONG] * room.du[h]
            continue
        t = room.du[h + 1] if rows.height[b] == 2 else 0.0
        along = to[ALONG] * (to[S] * room.du[h] + to[T] * t)
        across = to[ACROSS] * (to[S] * t - to[T] * room.du[h])
        if rows.presser[b] >= 0:
            along -= to[FOLLOWS] * room.dx[rows.first[rows.presser[b]]]
        room.dx[h] = rows.k[h] - (along * to[S] - across * to[T])
        if rows.height[b] == 2:
            room.dx[h + 1] = rows.k[h + 1] - (along * to[T] + across * to[S])
    # Stiff rows leave errors in velocities, so these are changed by the impulses themselves.
    for j in range(nv):
        room.dv[j] = 0.0
    for h in range(rows.size[1]):
        for j in range(nv):
            room.dv[j] += rows.J[h, j] * room.dx[h]
    lu_solve(room.factors, nv, room.order, room.dv, 1)
    _put_changes(rows, room)
    return True


@jit
def _put_changes(rows: RelaxedRows, room: SearchRoom):
    """Put the changes of the velocities of rows."""
    for h in range(rows.size[1]):
        room.du[h] = 0.0
        for j in range(room.dv.size):
            room.du[h] += rows.J[h, j] * room.dv[j]


@jit
def _add_linear(rows: RelaxedRows, b: int, room: SearchRoom):
    """Add the linear form of a block to the equations."""
    h, nv, to = rows.first[b], room.pivot.size, rows.linear[b]
    if rows.kind[b] != SLIPS:
        for i in range(nv):
            _add_product(room, i, to[ALONG] * rows.J[h, i], rows.J[h])
            room.dv[i] += rows.J[h, i] * rows.k[h]
        return
    t = h + 1 if rows.height[b] == 2 else h  # of one row the second has no part
    follows, presser = 0.0, h
    if rows.presser[b] >= 0:
        presser = rows.first[rows.presser[b]]
        follows = to[FOLLOWS]
    stiff = rows.linear[rows.presser[b], ALONG] if rows.presser[b] >= 0 else 0.0
    for i in range(nv):
        along = to[S] * rows.J[h, i] + to[T] * rows.J[t, i]
        across = to[S] * rows.J[t, i] - to[T] * rows.J[h, i]
        own = to[ALONG] * along * to[S] - to[ACROSS] * across * to[T]
        other = to[ALONG] * along * to[T] + to[ACROSS] * across * to[S]
        _add_product(room, i, own, rows.J[h])
        room.dv[i] += rows.J[h, i] * rows.k[h] + along * follows * rows.k[presser]
        if rows.height[b] == 2:
            _add_product(room, i, other, rows.J[t])
            room.dv[i] += rows.J[t, i] * rows.k[t]
        _add_product(room, i, along * follows * stiff, rows.J[presser])


@jit
def _add_product(room: SearchRoom, i: int, x: float, row: Floats):
    """Add a multiple of a row to row ``i`` of the equations."""
    if x != 0.0:
        for j in range(row.size):
            room.a[i * row.size + j] += x * row[j]
