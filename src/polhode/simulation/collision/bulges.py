"""Straight edges of a shape on the smooth parts of a height map, between the lines of its grid.

Above a straight line the height of the ground is a parabola in each cell; where the edge comes
nearest to it inside the cell it is square to the ground's normal there.
"""

from __future__ import annotations

import math

from ...compiler.jit import Floats, Floats2, jit
from ...spatial import Mat3, Vec3
from . import layout as at
from .found import put
from .ground import cell_at, cell_size, ground_distance, slope_in_cell
from .ridges import is_farthest
from .samples import n_sides, side_line

FIRST = 2.0**48  # name of the first
_CLOSE = 1e-9  # of a cell: places that count as one


@jit
def bulge_contacts(
    data: Floats,
    og: int,
    Rg: Mat3,
    pg: Vec3,
    o: int,
    R: Mat3,
    p: Vec3,
    margin: float,
    found: Floats2,
):
    """Contacts of edges of a body inside cells, normal out of the ground."""
    kind = int(data[o])
    if kind != at.BOX and kind != at.POLYHEDRON and kind != at.MESH and kind != at.CAPSULE:
        return
    top = data[og + at.CENTRE + 2] + data[og + at.HALF + 2] + margin + data[o + at.ROUND]
    for k in range(n_sides(data, o)):
        u, v = side_line(data, o, k, Vec3(1.0, 0.0, 0.0))
        u, v = Rg.T @ (R @ u + p - pg), Rg.T @ (R @ v + p - pg)
        if min(u.z, v.z) < top:
            _along(data, og, Rg, pg, u, v - u, k, o, R, p, margin, found)


@jit
def _along(
    data: Floats,
    og: int,
    Rg: Mat3,
    pg: Vec3,
    u: Vec3,
    way: Vec3,
    k: int,
    o: int,
    R: Mat3,
    p: Vec3,
    margin: float,
    found: Floats2,
):
    """From cell to cell along edge ``k``, which begins at ``u``."""
    rows, columns, _, _ = cell_size(data, og)
    t, end = _inside(data, og, u, way)
    for _ in range(2 * (rows + columns)):
        if t >= end:
            return
        after = min(end, _next(data, og, u, way, t))
        if after > t + _CLOSE:
            _in_cell(data, og, Rg, pg, u, way, t, after, k, o, R, p, margin, found)
        t = after


@jit
def _inside(data: Floats, og: int, u: Vec3, way: Vec3):
    """The part of a line over the map, from 0 to 1; its end goes first if there is none."""
    first, last = 0.0, 1.0
    for axis in range(2):
        half = data[og + 1 + axis]
        if abs(way[axis]) < _CLOSE * half:
            if abs(u[axis]) > half:
                last = -1.0
            continue
        a, b = (-half - u[axis]) / way[axis], (half - u[axis]) / way[axis]
        first, last = max(first, min(a, b)), min(last, max(a, b))
    return first, last


@jit
def _next(data: Floats, og: int, u: Vec3, way: Vec3, t: float):
    """Where a line crosses the next line of the grid."""
    _, _, dx, dy = cell_size(data, og)
    nearest = math.inf
    for axis in range(2):
        step, half = dx if axis == 0 else dy, data[og + 1 + axis]
        if abs(way[axis]) < _CLOSE * half:
            continue
        place_now = (u[axis] + t * way[axis] + half) / step
        if way[axis] > 0.0:
            line = math.floor(place_now + _CLOSE) + 1
        else:
            line = math.ceil(place_now - _CLOSE) - 1
        nearest = min(nearest, (line * step - half - u[axis]) / way[axis])
    return max(nearest, t + 0.1 * _CLOSE)


@jit
def _in_cell(
    data: Floats,
    og: int,
    Rg: Mat3,
    pg: Vec3,
    u: Vec3,
    way: Vec3,
    t: float,
    after: float,
    k: int,
    o: int,
    R: Mat3,
    p: Vec3,
    margin: float,
    found: Floats2,
):
    """The contact of a line inside one cell, if it comes nearest to the ground there."""
    middle = u + 0.5 * (t + after) * way
    i, j = cell_at(data, og, middle.x, middle.y)
    x, y = u + t * way, u + after * way
    a, b = x.z - slope_in_cell(data, og, i, j, x)[0], y.z - slope_in_cell(data, og, i, j, y)[0]
    c = middle.z - slope_in_cell(data, og, i, j, middle)[0]
    bend = 2.0 * (a + b - 2.0 * c)
    # Height a + (b - a - bend) f + bend f^2 at the share f of the way.
    if bend <= 0.0 or not 0.0 < bend - (b - a) < 2.0 * bend:
        return
    f = 0.5 * (bend - (b - a)) / bend
    z = u + (t + f * (after - t)) * way
    d, n = ground_distance(data, og, z)
    gap = d - data[o + at.ROUND]
    if gap >= margin:
        return
    n, z = Rg @ n, Rg @ z + pg
    if is_farthest(data, o, R, p, k, z, n):
        rows, columns, _, _ = cell_size(data, og)
        name = FIRST + float(rows * columns) * k + i * columns + j
        put(found, name, z + (-0.5 * gap - data[o + at.ROUND]) * n, n, gap)
