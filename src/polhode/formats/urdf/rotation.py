"""Roll, pitch and yaw to a rotation, with quarter turns exact.

A pi/2 that was rounded when the file was written would fill a rotation with 1e-12s and spoil the
sparsity of everything made from it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

from ..names import shorten
from ..reading import Notes
from ..xml import Element
from .values import vector, words

Row = tuple[float, float, float]
Rows = tuple[Row, Row, Row]

HALF_PI = Decimal("1.5707963267948966192313216916397514421")
DECIMALS: dict[bool | str, int] = {True: 9, "digits": 3}
ROUNDING = Decimal("1e-15")  # what a printed double may be off by
QUARTER_TURNS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))  # cos, sin

IDENTITY: Rows = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def rotation(origin: Element, snap: bool | str, notes: Notes) -> Rows:
    """Rows of the matrix that takes child to parent coordinates, ``Rz(yaw) Ry(pitch) Rx(roll)``."""
    if "rpy" not in origin.attributes:
        return IDENTITY
    literals = words(origin, "rpy", 3)
    return turned(literals, vector(origin, "rpy", 3), snap, notes, origin.line)


def turned(
    literals: Sequence[str], angles: Sequence[float], snap: bool | str, notes: Notes, line: int
) -> Rows:
    """`rotation` for roll, pitch and yaw as they are written and as numbers."""
    turns = [quarter_turns(word, snap) for word in literals]
    for word, angle, turn in zip(literals, angles, turns, strict=True):
        if turn is not None and angle != turn * (math.pi / 2):
            notes.add("snapped", f"{shorten(word)} read as {turn} pi/2", line)
    (cr, sr), (cp, sp), (cy, sy) = (
        (math.cos(angle), math.sin(angle)) if turn is None else QUARTER_TURNS[turn % 4]
        for angle, turn in zip(angles, turns, strict=True)
    )
    return (
        _row(cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        _row(sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        _row(-sp, cp * sr, cp * cr),
    )


def _row(x: float, y: float, z: float) -> Row:
    return x + 0.0, y + 0.0, z + 0.0  # makes -0.0 a zero


def quarter_turns(word: str, snap: bool | str) -> int | None:
    """Number of quarter turns of a literal, or None if it is no such multiple.

    It must have enough decimals, and differ from the multiple of pi/2 by less than one unit of its
    last digit. So both rounded and truncated literals count.
    """
    if snap is False:
        return None
    if float(word) == 0.0:
        return 0
    value = Decimal(word)
    turns = int((value / HALF_PI).to_integral_value()) if abs(value) < 1000 else 0
    exponent = int(value.as_tuple().exponent)
    if -exponent < DECIMALS[snap]:
        return None
    unit = max(Decimal(1).scaleb(exponent), ROUNDING * max(1, abs(turns)))
    return turns if abs(value - turns * HALF_PI) < unit else None


def rotate_inertia(R: Rows, inertia: Rows) -> Rows:
    """``R I R^T``: an inertia in the axes that ``R`` leads to."""
    if R == IDENTITY:
        return inertia
    axes = range(3)
    RI = [[sum(R[i][k] * inertia[k][j] for k in axes) for j in axes] for i in axes]
    full = [[sum(RI[i][k] * R[j][k] for k in axes) for j in axes] for i in axes]
    a, b, c = full[0][1], full[0][2], full[1][2]
    return ((full[0][0], a, b), (a, full[1][1], c), (b, c, full[2][2]))
