"""Contacts of straight edges with a height map inside its cells.

Along a straight line the height of the ground is a parabola in each cell. At the contact the edge
is perpendicular to the ground's normal.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..compiler.jit import Floats, Floats2, jit
from ..spatial import Vec3
from . import shape_layout as at
from .contact_list import add_contact
from .ground import cell_at, cell_size, ground_distance, slope_in_cell
from .height_map_ridges import is_farthest
from .placed import Placed
from .sample_points import n_sides, side_line

FIRST = 2.0**48  # name of the first
_CLOSE = 1e-9  # of a cell: places that count as one


class Line(NamedTuple):
    """Edge ``k`` of a body, from ``u`` to ``u + direction`` in the map's coordinates [m]."""

    u: Vec3
    direction: Vec3
    k: int


@jit
def cell_contacts(
    ground: Placed,
    shape: Placed,
    margin: float,
    found: Floats2,
):
    """Contacts of edges of a body inside cells, normal out of the ground."""
    kind = shape.kind
    if kind != at.BOX and kind != at.POLYHEDRON and kind != at.MESH:
        return
    top = ground.number(at.CENTRE + 2) + ground.number(at.HALF + 2) + margin
    for k in range(n_sides(shape.data, shape.at)):
        u, v = side_line(shape.data, shape.at, k, Vec3(1.0, 0.0, 0.0))
        u, v = (
            ground.to_local(shape.to_world(u)),
            ground.to_local(shape.to_world(v)),
        )
        if min(u.z, v.z) < top:
            _along(ground, shape, Line(u, v - u, k), margin, found)


@jit
def _along(ground: Placed, shape: Placed, line: Line, margin: float, found: Floats2):
    """From cell to cell along an edge."""
    u, direction = line.u, line.direction
    rows, columns, _, _ = cell_size(ground.data, ground.at)
    t, end = _inside(ground.data, ground.at, u, direction)
    for _ in range(2 * (rows + columns)):
        if t >= end:
            return
        after = min(end, _next(ground.data, ground.at, u, direction, t))
        if after > t + _CLOSE:
            _in_cell(ground, shape, line, t, after, margin, found)
        t = after


@jit
def _inside(data: Floats, og: int, u: Vec3, direction: Vec3):
    """The part of a line over the map, from 0 to 1; its end goes first if there is none."""
    first, last = 0.0, 1.0
    for axis in range(2):
        half = data[og + 1 + axis]
        if abs(direction[axis]) < _CLOSE * half:
            if abs(u[axis]) > half:
                last = -1.0
            continue
        a, b = (-half - u[axis]) / direction[axis], (half - u[axis]) / direction[axis]
        first, last = max(first, min(a, b)), min(last, max(a, b))
    return first, last


@jit
def _next(data: Floats, og: int, u: Vec3, direction: Vec3, t: float):
    """Where a line crosses the next line of the grid."""
    _, _, dx, dy = cell_size(data, og)
    nearest = math.inf
    for axis in range(2):
        step, half = dx if axis == 0 else dy, data[og + 1 + axis]
        if abs(direction[axis]) < _CLOSE * half:
            continue
        cell = (u[axis] + t * direction[axis] + half) / step
        if direction[axis] > 0.0:
            line = math.floor(cell + _CLOSE) + 1
        else:
            line = math.ceil(cell - _CLOSE) - 1
        nearest = min(nearest, (line * step - half - u[axis]) / direction[axis])
    return max(nearest, t + 0.1 * _CLOSE)


@jit
def _in_cell(
    ground: Placed, shape: Placed, line: Line, t: float, after: float, margin: float, found: Floats2
):
    """The contact of a line inside one cell, if it comes nearest to the ground there."""
    u, direction, k = line.u, line.direction, line.k
    middle = u + 0.5 * (t + after) * direction
    i, j = cell_at(ground.data, ground.at, middle.x, middle.y)
    x, y = u + t * direction, u + after * direction
    a, b = (
        x.z - slope_in_cell(ground.data, ground.at, i, j, x)[0],
        y.z - slope_in_cell(ground.data, ground.at, i, j, y)[0],
    )
    c = middle.z - slope_in_cell(ground.data, ground.at, i, j, middle)[0]
    curvature = 2.0 * (a + b - 2.0 * c)
    # Height a + (b - a - curvature) f + curvature f^2 at the fraction f of the segment.
    if curvature <= 0.0 or not 0.0 < curvature - (b - a) < 2.0 * curvature:
        return
    f = 0.5 * (curvature - (b - a)) / curvature
    z = u + (t + f * (after - t)) * direction
    gap, n = ground_distance(ground.data, ground.at, z)
    if gap >= margin:
        return
    n, z = ground.R @ n, ground.to_world(z)
    if is_farthest(shape, k, z, n):
        rows, columns, _, _ = cell_size(ground.data, ground.at)
        name = FIRST + float(rows * columns) * k + i * columns + j
        add_contact(found, name, z + -0.5 * gap * n, n, gap)
