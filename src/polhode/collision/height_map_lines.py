"""Lines of the grid of a height map: where the ground bends down over them."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..compiler.jit import Floats, jit
from ..spatial import Vec3
from . import shape_layout as at
from .ground import grid_point
from .placed import Placed

SMOOTH = 1e-6  # slope by which the ground has to bend at an edge


class Ridge(NamedTuple):
    """A line of the grid from point ``i, j`` to point ``i + di, j + dj``."""

    i: int
    j: int
    di: int
    dj: int


@jit
def bends(data: Floats, og: int, ridge: Ridge):
    """Whether the ground bends down somewhere along a line of the grid."""
    i, j, di, dj = ridge.i, ridge.j, ridge.di, ridge.dj
    return _bends_at(data, og, i, j, dj, di) or _bends_at(data, og, i + di, j + dj, dj, di)


@jit
def _bends_at(data: Floats, og: int, i: int, j: int, di: int, dj: int):
    """Whether the ground bends down at a point of the grid on the way ``di, dj`` over it."""
    if not (is_on_grid(data, og, i, j, di, dj) and is_on_grid(data, og, i, j, -di, -dj)):
        return True
    a = grid_point(data, og, i, j)
    b, c = grid_point(data, og, i + di, j + dj), grid_point(data, og, i - di, j - dj)
    width = max(abs(b.x - a.x), abs(b.y - a.y))
    return b.z + c.z - 2.0 * a.z < -SMOOTH * width


@jit
def is_ridge(ground: Placed, ridge: Ridge, t: float, n: Vec3, level: float):
    """Whether at ``t`` on an edge the ground on both sides falls away from ``n``.

    It may rise by the slope ``level``.
    """
    data, og = ground.data, ground.at
    i, j, di, dj = ridge.i, ridge.j, ridge.di, ridge.dj
    for sign in range(-1, 2, 2):
        ei, ej = sign * dj, sign * di
        if not is_on_grid(data, og, i, j, ei, ej):
            continue
        a = grid_point(data, og, i + ei, j + ej) - grid_point(data, og, i, j)
        b = grid_point(data, og, i + di + ei, j + dj + ej)
        b = b - grid_point(data, og, i + di, j + dj)
        way = ground.R @ (a + t * (b - a))
        if way.dot(n) > level * math.sqrt(way.dot(way)):
            return False
    return True


@jit
def is_far(data: Floats, o: int, x: Vec3, y: Vec3, margin: float):
    """Whether the line from x to y, in the body's coordinates, passes by its box."""
    for i in range(3):
        c, half = data[o + at.CENTRE + i], data[o + at.HALF + i] + margin
        if min(x[i], y[i]) - c >= half or c - max(x[i], y[i]) >= half:
            return True
    return False


@jit
def is_on_grid(data: Floats, og: int, i: int, j: int, di: int, dj: int):
    """Whether the grid has a point there."""
    rows, columns = int(data[og + at.N_VERTICES]), int(data[og + at.N_FACES])
    return 0 <= i + di < rows and 0 <= j + dj < columns
