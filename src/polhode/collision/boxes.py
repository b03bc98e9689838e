"""Two boxes: the direction in which they are farthest apart or overlap least.

The separating axis test over 3 + 3 face normals and 9 products of edges.
"""

from __future__ import annotations

import math

from ..compiler.jit import Floats, jit
from ..spatial import Mat3, Vec3
from .placed import Placed
from .vectors import column

PARALLEL = 1e-6  # sine of the angle below which two edges have no common normal


@jit
def _reach(data: Floats, o: int, R: Mat3, n: Vec3):
    """Half the width of a box along ``n``."""
    total = 0.0
    for k in range(3):
        total += data[o + 1 + k] * abs(column(R, k).dot(n))
    return total


@jit
def box_axis(a: Placed, b: Placed, limit: float):
    """(separation, unit normal from b to a); stops at a separation above ``limit``.

    Faces go before edges that are not better by more than rounding.
    """
    d = a.p - b.p
    best, n = -math.inf, Vec3(0.0, 0.0, 1.0)
    slack = 1e-9 * (a.number(5) + b.number(5))
    for k in range(15):
        if k < 3:
            axis = column(a.R, k)
        elif k < 6:
            axis = column(b.R, k - 3)
        else:
            axis = column(a.R, (k - 6) // 3).cross(column(b.R, (k - 6) % 3))
            length = math.sqrt(axis.dot(axis))
            if length < PARALLEL:
                continue
            axis = 1.0 / length * axis
        way = axis.dot(d)
        gap = abs(way) - _reach(a.data, a.at, a.R, axis) - _reach(b.data, b.at, b.R, axis)
        if gap > limit:
            return gap, axis
        if gap > best + (slack if k > 0 else 0.0):
            best = gap
            n = axis if way >= 0.0 else -axis
    return best, n
