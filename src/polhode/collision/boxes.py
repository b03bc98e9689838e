"""Two boxes: the direction in which they are farthest apart or overlap least.

The separating axis test over 3 + 3 face normals and 9 products of edges.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiler.jit import Floats, Floats2, jit
from ..spatial import Mat3, Vec3
from .placed import Placed
from .vectors import column

PARALLEL = 1e-6  # sine of the angle below which two edges have no common normal
SMALL = 1e-2  # sine of the angle from which on `_may_separate` is exact
ROUNDING = 1e-10  # of the size: separations are more exact


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
    size = a.number(5) + b.number(5)
    slack = 1e-9 * size
    for k in range(6):
        axis = column(a.R, k) if k < 3 else column(b.R, k - 3)
        way = axis.dot(d)
        gap = abs(way) - _reach(a.data, a.at, a.R, axis) - _reach(b.data, b.at, b.R, axis)
        if gap > limit:
            return gap, axis
        if gap > best + (slack if k > 0 else 0.0):
            best = gap
            n = axis if way >= 0.0 else -axis
    cosines, away = np.empty((3, 3)), a.R.T @ d
    for j in range(3):
        along = a.R.T @ column(b.R, j)
        cosines[j, 0], cosines[j, 1], cosines[j, 2] = along.x, along.y, along.z
    for k in range(9):
        i, j = k // 3, k % 3
        if not _may_separate(a, b, cosines, away, k, min(limit, best + slack)):
            continue
        axis = column(a.R, i).cross(column(b.R, j))
        length = math.sqrt(axis.dot(axis))
        if length < PARALLEL:
            continue
        axis = 1.0 / length * axis
        way = axis.dot(d)
        gap = abs(way) - _reach(a.data, a.at, a.R, axis) - _reach(b.data, b.at, b.R, axis)
        if gap > limit:
            return gap, axis
        if gap > best + slack:
            best = gap
            n = axis if way >= 0.0 else -axis
    return best, n


@jit
def _may_separate(a: Placed, b: Placed, cosines: Floats2, away: Vec3, k: int, least: float):
    """Whether a product of edges may separate two boxes by more than ``least``.

    Row ``j`` of ``cosines`` has those of the angles between axis ``j`` of b and the axes of a.
    ``away`` is the way from b to a along these.  It takes no root, and no axis (Gottschalk, Lin
    and Manocha, OBBTree, 1996, section 5).
    """
    i, j = k // 3, k % 3
    u, v, p, q = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
    edge = cosines[j]
    square = 1.0 - edge[i] * edge[i]
    if square < SMALL * SMALL:
        return square > 0.9 * PARALLEL * PARALLEL
    wide = a.number(1 + u) * abs(edge[v]) + a.number(1 + v) * abs(edge[u])
    wide += b.number(1 + p) * abs(cosines[q, i]) + b.number(1 + q) * abs(cosines[p, i])
    gap = abs(away[v] * edge[u] - away[u] * edge[v]) - wide
    gap += ROUNDING * (a.number(5) + b.number(5))
    if least >= 0.0:
        return gap > 0.0 and gap * gap > least * least * square
    return gap >= 0.0 or gap * gap < least * least * square
