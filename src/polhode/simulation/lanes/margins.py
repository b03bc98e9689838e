"""How far steps are from where a row goes over to another piece of its law."""

from __future__ import annotations

import math

from ...compiler.jit import Floats, Floats2, jit
from ...contact_problem import BILATERAL, BOX
from .active_rows import FreeInertia, factored, joint_ease, least_press, point_piece, room_of
from .step_parts import (
    IMPULSE,
    LOWER,
    RATE,
    ROLLING,
    TORSIONAL,
    UPPER,
    WIDENING,
    NearPoints,
    StepParts,
)


@jit
def put_margins(parts: StepParts, points: NearPoints, clear: Floats2, found: Floats):
    """Put the least change of a row's velocity at which its piece changes [m/s or rad/s].

    ``clear`` are velocities by which points stay open, of all that there are.
    """
    free = room_of(parts.matrix.shape[1])
    for k in range(parts.matrix.shape[0]):
        least = math.inf
        if not factored(parts, k, free):
            found[k] = math.nan
            continue
        for c in range(clear.shape[1]):
            least = min(least, clear[k, c])
        for r in range(parts.kinds.size):
            if parts.kinds[r] != BILATERAL:
                least = min(least, _of_joint(parts, k, r, free))
        open_up_to = least_press(points, k)
        for m in range(points.first[k], points.first[k + 1]):
            least = min(least, _of_point(parts, points, (k, m), free, open_up_to))
        found[k] = least


@jit
def _of_joint(parts: StepParts, k: int, r: int, free: FreeInertia):
    """Of a limit or of dry friction of a joint."""
    row, nv = parts.rows[k, r], free.pivot.size
    ease = joint_ease(row, free)
    if ease == 0.0:
        return math.inf
    z = parts.joints[k, r] - ease * row[nv + RATE]
    off = abs(z - row[nv + LOWER])
    if parts.kinds[r] == BOX:
        off = min(off, abs(z - row[nv + UPPER]))
    return off / ease


@jit
def _of_point(
    parts: StepParts, points: NearPoints, which: tuple[int, int], free: FreeInertia, least: float
):  # fmt: skip
    """Of a point: until it opens or closes, and of friction until it slides or sticks."""
    piece = point_piece(parts, points, which, free)
    if piece.ease == 0.0:
        return math.inf
    off = abs(piece.normal) / piece.ease
    has_friction = piece.normal > least or points.values[which[1], WIDENING] > 0.0
    if has_friction and piece.hold > 0.0 and piece.radius > 0.0:
        length = math.sqrt(piece.s * piece.s + piece.t * piece.t)
        off = min(off, abs(length - piece.radius) / piece.hold)
    pressed = max(points.values[which[1], IMPULSE], 0.0)
    if piece.normal > least and piece.hold_spin > 0.0:
        most = points.values[which[1], TORSIONAL] * pressed
        off = min(off, abs(abs(piece.spin) - most) / piece.hold_spin)
    if piece.normal > least and piece.hold_roll > 0.0:
        roll = math.sqrt(piece.roll_s * piece.roll_s + piece.roll_t * piece.roll_t)
        off = min(off, abs(roll - points.values[which[1], ROLLING] * pressed) / piece.hold_roll)
    return off
