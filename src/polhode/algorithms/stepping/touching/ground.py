"""The ground of a height map, bilinear between the points of its grid, and its nearest place.

That is sought downhill from straight below, from cell to cell, by projected Newton steps.  All is
in the map's coordinates, and places on the ground are in numbers of cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ....scalar import Scalar, floor, gather, maximum, minimum, repeat, where
from ....spatial import Vec3
from .shapes import TINY, Shape, VectorLength

TURNS = 12
"""Newton steps at most; a step that ends on a line of the grid goes on in the next cell."""

CONVERGED = 1e-12
"""Of a cell: a smaller step is the last."""

CONVEX = 0.9
"""Share of the diagonal of the second derivative that its other entries may be."""


class HeightGrid(NamedTuple):
    """Heights row by row, numbers of rows and columns, half size, and widths of cells."""

    heights: Sequence[Scalar]
    rows: int
    columns: int
    half: tuple[Scalar, Scalar]
    cell: tuple[Scalar, Scalar]

    @classmethod
    def of(cls, shape: Shape) -> HeightGrid:
        rows, columns = len(shape.heights), len(shape.heights[0])
        heights = [height for row in shape.heights for height in row]
        x, y = shape.size
        return cls(heights, rows, columns, (x, y), (2.0 * x / (rows - 1), 2.0 * y / (columns - 1)))


class CellSurface(NamedTuple):
    """Height, its slopes along both sides of the cell, and their change along the other side."""

    height: Scalar
    along_s: Scalar
    along_t: Scalar
    twist: Scalar


class CellPlace(NamedTuple):
    """A place in cell (i, j), and over which lines of the grid the search came last."""

    s: Scalar
    t: Scalar
    i: Scalar
    j: Scalar
    came_i: Scalar
    came_j: Scalar


def straight_below(ground: HeightGrid, p: Vec3) -> CellPlace:
    """The place straight below a point, or the one nearest to that."""
    x, y = in_cells(ground, p)
    return in_cell(x, y, *cell_at(ground, x, y))


def in_cells(ground: HeightGrid, p: Vec3) -> tuple[Scalar, Scalar]:
    """Where on the map a point is, in numbers of cells."""
    return (p.x + ground.half[0]) / ground.cell[0], (p.y + ground.half[1]) / ground.cell[1]


def cell_at(ground: HeightGrid, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
    """The cell at a place in numbers of cells, or the one nearest to that."""
    i = minimum(maximum(floor(x), 0.0), ground.rows - 2.0)
    return i, minimum(maximum(floor(y), 0.0), ground.columns - 2.0)


def in_cell(x: Scalar, y: Scalar, i: Scalar, j: Scalar) -> CellPlace:
    """The place of a cell that is nearest to one in numbers of cells."""
    return CellPlace(unit_share(x - i), unit_share(y - j), i, j, 0.0, 0.0)


def unit_share(x: Scalar) -> Scalar:
    """The number from 0 to 1 that is nearest."""
    return minimum(maximum(x, 0.0), 1.0)


def surface_at(ground: HeightGrid, at: CellPlace) -> CellSurface:
    place = at.i * ground.columns + at.j
    a, c = gather(ground.heights, place), gather(ground.heights, place + 1.0)
    b = gather(ground.heights, place + ground.columns)
    d = gather(ground.heights, place + (ground.columns + 1.0))
    twist = a - b - c + d
    along_s, along_t = b - a + twist * at.t, c - a + twist * at.s
    return CellSurface(a + (b - a) * at.s + along_t * at.t, along_s, along_t, twist)


def normal_at(ground: HeightGrid, surface: CellSurface) -> Vec3:
    x, y = -surface.along_s / ground.cell[0], -surface.along_t / ground.cell[1]
    return Vec3(x, y, 1.0) * VectorLength.of_square(x * x + y * y + 1.0).inverse


def downhill(ground: HeightGrid, start: CellPlace, p: Vec3) -> CellPlace:
    """The nearest place to a point that the ways downhill lead to."""
    return repeat(lambda at: _next(ground, at, p), start, CONVERGED, TURNS)


def nearest_in_cell(ground: HeightGrid, start: CellPlace, p: Vec3) -> CellPlace:
    """The place of a cell nearest to a point."""

    def step(at: CellPlace) -> CellPlace:
        s, t, _, _ = _step(ground, at, p)
        return at._replace(s=s, t=t)

    return repeat(step, start, CONVERGED, TURNS)


def way_from(ground: HeightGrid, at: CellPlace, surface: CellSurface, p: Vec3) -> Vec3:
    """From a place on the ground to a point."""
    x, y = (at.i + at.s) * ground.cell[0], (at.j + at.t) * ground.cell[1]
    return Vec3(p.x + ground.half[0] - x, p.y + ground.half[1] - y, p.z - surface.height)


class _Step(NamedTuple):
    """Where a Newton step in a cell ends, and over which of its borders the way leads out."""

    s: Scalar
    t: Scalar
    is_out_s: Scalar
    is_out_t: Scalar


def _step(ground: HeightGrid, at: CellPlace, p: Vec3) -> _Step:
    """A Newton step for half the squared distance, along a border where it would lead out."""
    dx, dy = ground.cell
    surface = surface_at(ground, at)
    v = way_from(ground, at, surface, p)
    _, h_s, h_t, twist = surface
    slope_s, slope_t = -dx * v.x - h_s * v.z, -dy * v.y - h_t * v.z
    a, b = dx * dx + h_s * h_s, dy * dy + h_t * h_t
    across = h_s * h_t
    full = across - v.z * twist
    c = where(full * full > CONVEX * (a * b), across, full)
    is_out_s, is_out_t = leads_out(at.s, slope_s), leads_out(at.t, slope_t)
    step_s, step_t = c * slope_t - b * slope_s, c * slope_s - a * slope_t
    inverse = 1.0 / maximum(a * b - c * c, TINY)
    step_s = where(is_out_s, 0.0, where(is_out_t, -slope_s / a, step_s * inverse))
    step_t = where(is_out_t, 0.0, where(is_out_s, -slope_t / b, step_t * inverse))
    return _Step(unit_share(at.s + step_s), unit_share(at.t + step_t), is_out_s, is_out_t)


def _next(ground: HeightGrid, at: CellPlace, p: Vec3) -> CellPlace:
    """A step that goes on in the next cell where the way leads out of this one."""
    s, t, is_out_s, is_out_t = _step(ground, at, p)
    i, came_i = _beyond(at.s, at.i, is_out_s, at.came_i, ground.rows)
    j, came_j = _beyond(at.t, at.j, is_out_t, at.came_j, ground.columns)
    return CellPlace(s + (at.i - i), t + (at.j - j), i, j, came_i, came_j)


def leads_out(x: Scalar, slope: Scalar) -> Scalar:
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
