"""Shapes on a height map: points of their surface, each by its nearest place on the ground.

Between the points of the grid the ground is bilinear.  The nearest place is sought downhill from
straight below, from cell to cell, by projected Newton steps.  All is in the map's coordinates,
and places on the ground are in numbers of cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ....scalar import Scalar, absolute, floor, gather, maximum, minimum, repeat, where
from ....spatial import Transform, Vec3
from .samples import samples
from .shapes import TINY, Point, Shape, VectorLength, choose
from .spheres import ball_point

TURNS = 12
"""Newton steps at most; a step that ends on a line of the grid goes on in the next cell."""

CONVERGED = 1e-12
"""Of a cell: a smaller step is the last."""

CONVEX = 0.9
"""Share of the diagonal of the second derivative that its other entries may be."""

ON_GROUND = 1e-12
"""Distance, relative to the map, below which the direction is the ground's normal."""


class _Ground(NamedTuple):
    """Heights row by row, numbers of rows and columns, half size, and widths of cells."""

    heights: Sequence[Scalar]
    rows: int
    columns: int
    half: tuple[Scalar, Scalar]
    cell: tuple[Scalar, Scalar]

    @classmethod
    def of(cls, shape: Shape) -> _Ground:
        rows, columns = len(shape.heights), len(shape.heights[0])
        heights = [height for row in shape.heights for height in row]
        x, y = shape.size
        return cls(heights, rows, columns, (x, y), (2.0 * x / (rows - 1), 2.0 * y / (columns - 1)))


class _Surface(NamedTuple):
    """Height, its slopes along both sides of the cell, and their change along the other side."""

    height: Scalar
    along_s: Scalar
    along_t: Scalar
    twist: Scalar


class _Search(NamedTuple):
    """A place in cell (i, j), and over which lines of the grid the search came last."""

    s: Scalar
    t: Scalar
    i: Scalar
    j: Scalar
    came_i: Scalar
    came_j: Scalar


def on_height_map(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """Points of a convex shape; of rims those that are the lowest above the ground below."""
    ground = _Ground.of(b)
    below = _below(ground, X_b.E @ (X_a.r - X_b.r))
    up = X_b.E.T @ _normal(ground, _surface(ground, below))
    places, radius = samples(a, X_a, up)
    found = []
    for x in places:
        distance, normal = _distance(ground, X_b.E @ (x - X_b.r))
        found.append(ball_point(x, radius, X_b.E.T @ normal, distance))
    return found


def _below(ground: _Ground, p: Vec3) -> _Search:
    """The place straight below a point, or the one nearest to that."""
    x, y = (p.x + ground.half[0]) / ground.cell[0], (p.y + ground.half[1]) / ground.cell[1]
    i = minimum(maximum(floor(x), 0.0), ground.rows - 2.0)
    j = minimum(maximum(floor(y), 0.0), ground.columns - 2.0)
    return _Search(_unit(x - i), _unit(y - j), i, j, 0.0, 0.0)


def _unit(x: Scalar) -> Scalar:
    """The number from 0 to 1 that is nearest."""
    return minimum(maximum(x, 0.0), 1.0)


def _surface(ground: _Ground, at: _Search) -> _Surface:
    place = at.i * ground.columns + at.j
    a, c = gather(ground.heights, place), gather(ground.heights, place + 1.0)
    b = gather(ground.heights, place + ground.columns)
    d = gather(ground.heights, place + (ground.columns + 1.0))
    twist = a - b - c + d
    along_s, along_t = b - a + twist * at.t, c - a + twist * at.s
    return _Surface(a + (b - a) * at.s + along_t * at.t, along_s, along_t, twist)


def _normal(ground: _Ground, surface: _Surface) -> Vec3:
    x, y = -surface.along_s / ground.cell[0], -surface.along_t / ground.cell[1]
    return Vec3(x, y, 1.0) * VectorLength.of_square(x * x + y * y + 1.0).inverse


def _distance(ground: _Ground, p: Vec3) -> tuple[Scalar, Vec3]:
    """Signed distance of a point from the ground, and the direction away from it."""
    below = _below(ground, p)
    is_over = (absolute(p.x) <= ground.half[0]) & (absolute(p.y) <= ground.half[1])
    is_under = is_over & (p.z < _surface(ground, below).height)
    nearest = repeat(lambda at: _next(ground, at, p), below, CONVERGED, TURNS)
    surface = _surface(ground, nearest)
    v = _from(ground, nearest, surface, p)
    length, inverse, _ = VectorLength.of_square(v.dot(v))
    inverse = where(is_under, -inverse, inverse)
    is_on = length < ON_GROUND * (ground.half[0] + ground.half[1])
    return (
        where(is_under, -length, length),
        choose(is_on, _normal(ground, surface), v * inverse),
    )


def _from(ground: _Ground, at: _Search, surface: _Surface, p: Vec3) -> Vec3:
    """From a place on the ground to a point."""
    x, y = (at.i + at.s) * ground.cell[0], (at.j + at.t) * ground.cell[1]
    return Vec3(p.x + ground.half[0] - x, p.y + ground.half[1] - y, p.z - surface.height)


def _next(ground: _Ground, at: _Search, p: Vec3) -> _Search:
    """A Newton step for half the squared distance, along a border where it would lead out."""
    dx, dy = ground.cell
    surface = _surface(ground, at)
    v = _from(ground, at, surface, p)
    _, h_s, h_t, twist = surface
    slope_s, slope_t = -dx * v.x - h_s * v.z, -dy * v.y - h_t * v.z
    a, b = dx * dx + h_s * h_s, dy * dy + h_t * h_t
    across = h_s * h_t
    full = across - v.z * twist
    c = where(full * full > CONVEX * (a * b), across, full)
    is_out_s, is_out_t = _leads_out(at.s, slope_s), _leads_out(at.t, slope_t)
    step_s, step_t = c * slope_t - b * slope_s, c * slope_s - a * slope_t
    inverse = 1.0 / maximum(a * b - c * c, TINY)
    step_s = where(is_out_s, 0.0, where(is_out_t, -slope_s / a, step_s * inverse))
    step_t = where(is_out_t, 0.0, where(is_out_s, -slope_t / b, step_t * inverse))
    i, came_i = _beyond(at.s, at.i, is_out_s, at.came_i, ground.rows)
    j, came_j = _beyond(at.t, at.j, is_out_t, at.came_j, ground.columns)
    s, t = _unit(at.s + step_s) + (at.i - i), _unit(at.t + step_t) + (at.j - j)
    return _Search(s, t, i, j, came_i, came_j)


def _leads_out(x: Scalar, slope: Scalar) -> Scalar:
    """Whether the way downhill leads out of the cell."""
    return ((x <= 0.0) & (slope > 0.0)) | ((x >= 1.0) & (slope < 0.0))


def _beyond(
    x: Scalar, cell: Scalar, is_out: Scalar, came: Scalar, count: int
) -> tuple[Scalar, Scalar]:
    """The cell in which a search goes on, and over which border it came there.

    It does not go back: then both sides of a line of the grid lead to it.
    """
    way = where(is_out, where(x >= 1.0, 1.0, -1.0), 0.0)
    there = minimum(maximum(cell + way, 0.0), count - 2.0)
    is_new = (there != cell) & (way != -came)
    return where(is_new, there, cell), where(is_new, way, came)
