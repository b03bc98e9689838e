"""Rows that act in a step whose laws are relaxed: all of them, each by the slope of its law."""

from __future__ import annotations

import math

from ...compiler.jit import Floats, jit
from ...contact_problem import BILATERAL, BOX
from .active_rows import (
    CLOSES,
    COUPLES,
    FORCES,
    PROX,
    ActiveRows,
    FreeInertia,
    joint_ease,
    point_piece,
    put_active,
    put_bound,
    put_wrench,
    radius_of,
)
from .refining import tangents, vector
from .relaxed_laws import press_slope, slip_at
from .relaxed_steps import SPARE
from .step_parts import (
    CLOSING,
    COMPLIANCE,
    IMPULSE,
    MU,
    NORMAL,
    RATE,
    ROLLING,
    TORSIONAL,
    UPPER,
    WIDENING,
    NearPoints,
    StepParts,
    twist_of,
)


@jit
def put_rows(
    parts: StepParts, points: NearPoints, k: int, dt: float, r: float, free: FreeInertia,
    rows: ActiveRows,
):  # fmt: skip
    """Find the rows of a world that act, under laws relaxed by ``r`` or exact ones."""
    if r == 0.0:
        put_active(parts, points, k, dt, free, rows)
        return
    n = 0
    for j in range(parts.kinds.size):
        n += _put_joint(parts, (k, j), (dt, r), free, rows, n)
    rows.ends[1] = n
    for m in range(points.first[k], points.first[k + 1]):
        n += _put_point(parts, points, (k, m), r, free, rows, n)
        rows.ends[2 + m - points.first[k]] = n


@jit
def _put_joint(
    parts: StepParts, which: tuple[int, int], scales: tuple[float, float], free: FreeInertia,
    rows: ActiveRows, n: int,
):  # fmt: skip
    """The row of a joint, if it may act; ``scales`` are the time step and the relaxation."""
    (k, j), (dt, r) = which, scales
    row, x, nv = parts.rows[k, j], parts.joints[k, j], free.pivot.size
    hold, left = joint_ease(row, free), 0.0
    if hold == 0.0:
        return 0
    if parts.kinds[j] == BILATERAL:
        slope, left = hold / PROX, 1.0
    elif parts.kinds[j] == BOX:
        rate = row[nv + RATE]
        found = slip_at(abs(rate), row[nv + UPPER], r)
        slope = found.along
        put_bound(row, rows, found.follows * (-dt if rate > 0.0 else dt), 0.0, (1 + j, -1))
    else:
        slope = press_slope(x, SPARE / hold, r)
    for c in range(nv):
        rows.J[n, c], rows.f[n, c] = row[c], slope * row[c]
    rows.left[n], rows.joint[n] = left, j
    return 1


@jit
def _put_point(
    parts: StepParts, points: NearPoints, which: tuple[int, int], r: float, free: FreeInertia,
    rows: ActiveRows, n: int,
):  # fmt: skip
    """The rows of a point, and how many: of its normal, then of its friction."""
    k, m = which
    values, piece = points.values[m], point_piece(parts, points, which, free)
    if piece.ease == 0.0:
        return 0
    normal, x = vector(values, NORMAL), values[IMPULSE]
    first, second = tangents(normal)
    turn, velocity = twist_of(parts, points, k, m)
    slope = press_slope(x, values[COMPLIANCE] + SPARE / piece.ease, r)
    put_wrench(points, m, (False, 1.0, 0.0, 0.0), free, rows, n, slope)
    rows.left[n], rows.wrench[n, CLOSES] = 0.0, values[CLOSING]
    count = 1
    if piece.hold > 0.0:
        radius, share = radius_of(values), 1.0
        if values[WIDENING] > 0.0:
            share = values[MU] * x / radius
        slip = False, first.dot(velocity), second.dot(velocity)
        follows = _put_disk(points, m, slip, (radius, r), free, rows, n + count)
        _follow(rows, n, follows * values[MU] * share * slope, free.row)
        wide = values[WIDENING] / radius if radius > 0.0 else 0.0
        put_bound(free.row, rows, follows * share * x, follows * wide, (0, m))
        count += 2
    if piece.hold_spin > 0.0:
        rate, arm = normal.dot(turn), values[TORSIONAL]
        found = slip_at(abs(rate), arm * x, r)
        put_wrench(points, m, (True, 1.0, 0.0, 0.0), free, rows, n + count, found.along)
        rows.left[n + count] = 0.0
        side = -arm if rate > 0.0 else arm
        _follow(rows, n, found.follows * side * slope, free.axes[COUPLES])
        count += 1
    if piece.hold_roll > 0.0:
        arm = values[ROLLING]
        roll = True, first.dot(turn), second.dot(turn)
        follows = _put_disk(points, m, roll, (arm * x, r), free, rows, n + count)
        _follow(rows, n, follows * arm * slope, free.row)
        count += 2
    return count


@jit
def _put_disk(
    points: NearPoints, m: int, slip: tuple[bool, float, float], disk: tuple[float, float],
    free: FreeInertia, rows: ActiveRows, n: int,
):  # fmt: skip
    """Two rows, along friction and across; by how much it grows with the radius.

    ``free.row`` is the row along it then.  ``disk`` has the radius and the relaxation.
    """
    (is_couple, s, t), (radius, r) = slip, disk
    speed = math.sqrt(s * s + t * t)
    c, d = (-s / speed, -t / speed) if speed > 0.0 else (1.0, 0.0)
    found = slip_at(speed, radius, r)
    put_wrench(points, m, (is_couple, 0.0, c, d), free, rows, n, found.along)
    put_wrench(points, m, (is_couple, 0.0, -d, c), free, rows, n + 1, found.across)
    rows.left[n] = rows.left[n + 1] = 0.0
    axes = (COUPLES if is_couple else FORCES) + 1
    for j in range(free.pivot.size):
        free.row[j] = c * free.axes[axes, j] + d * free.axes[axes + 1, j]
    return found.follows


@jit
def _follow(rows: ActiveRows, n: int, share: float, row: Floats):
    """Let an impulse along a row follow that of the normal, whose row has a number."""
    for j in range(row.size):
        rows.f[n, j] += share * row[j]
