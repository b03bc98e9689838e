"""The nearest place on a height map of all cells in reach of a point.

Cells are looked at one after the other.  Those are passed over that lie beyond a box or a plane:
the ground's tangent at the nearest place so far.  So plane and convex ground costs no search.
"""

from __future__ import annotations

from typing import NamedTuple

from ....scalar import Scalar, gather, logical_not, maximum, minimum, repeat, sqrt, when, where
from ....spatial import Vec3
from .ground import CellPlace, HeightGrid, cell_at, in_cell, nearest_in_cell, surface_at, way_from
from .shapes import choose

NEARER = 1.0 - 1e-10
"""Share of the squared distance below which another place is nearer."""


class _Found(NamedTuple):
    """The nearest place so far, the way from there to the point, and its square."""

    at: CellPlace
    away: Vec3
    square: Scalar

    @classmethod
    def of(cls, ground: HeightGrid, at: CellPlace, p: Vec3) -> _Found:
        away = way_from(ground, at, surface_at(ground, at), p)
        return cls(at, away, away.dot(away))


class _Tour(NamedTuple):
    """The next cell to look at, and what is found in those before."""

    i: Scalar
    j: Scalar
    found: _Found


def nearest_in_reach(ground: HeightGrid, first: CellPlace, p: Vec3, reach: Scalar) -> CellPlace:
    """The nearest place to a point if it is within reach, else ``first`` or one that is nearer."""
    (dx, dy), (half_x, half_y) = ground.cell, ground.half
    x, y = (p.x + half_x) / dx, (p.y + half_y) / dy
    found = _Found.of(ground, first, p)
    wide = minimum(sqrt(found.square), reach)
    i, j = cell_at(ground, x - wide / dx, y - wide / dy)
    last_i, last_j = cell_at(ground, x + wide / dx, y + wide / dy)

    def look(tour: _Tour) -> _Tour:
        found = tour.found

        def search(found: _Found) -> _Found:
            there = nearest_in_cell(ground, in_cell(x, y, tour.i, tour.j), p)
            return _nearer(_Found.of(ground, there, p), found)

        is_known = (tour.i == found.at.i) & (tour.j == found.at.j)
        is_far = is_known | _is_beyond(ground, tour.i, tour.j, p, found)
        found = when(logical_not(is_far), search, found)
        is_end = tour.j >= last_j
        return _Tour(where(is_end, tour.i + 1.0, tour.i), where(is_end, j, tour.j + 1.0), found)

    cells = (ground.rows - 1) * (ground.columns - 1)
    return repeat(look, _Tour(i, j, found), lambda tour: tour.i > last_i, cells).found.at


def _nearer(new: _Found, old: _Found) -> _Found:
    is_nearer = new.square < NEARER * old.square
    at = CellPlace(*(where(is_nearer, x, y) for x, y in zip(new.at, old.at, strict=True)))
    away = choose(is_nearer, new.away, old.away)
    return _Found(at, away, where(is_nearer, new.square, old.square))


def _is_beyond(ground: HeightGrid, i: Scalar, j: Scalar, p: Vec3, found: _Found) -> Scalar:
    """Whether a cell is no nearer than what is found, by bounds of its corners."""
    (dx, dy), (half_x, half_y) = ground.cell, ground.half
    place = i * ground.columns + j
    first, second = place, place + float(ground.columns)
    heights = [gather(ground.heights, at) for at in (first, second, first + 1.0, second + 1.0)]
    a, b, c, d = (p.z - height for height in heights)
    x, y = p.x + half_x - i * dx, p.y + half_y - j * dy
    least = NEARER * found.square
    n = found.away
    along_x, next_x, along_y, next_y = n.x * x, n.x * (x - dx), n.y * y, n.y * (y - dy)
    of_corners = [along_x + along_y + n.z * a, next_x + along_y + n.z * b,
                  along_x + next_y + n.z * c, next_x + next_y + n.z * d]  # fmt: skip
    off_x, off_y = _beside(x, dx), _beside(y, dy)
    lowest, highest = _least(a, b, c, d), -_least(-a, -b, -c, -d)
    off_z = maximum(maximum(lowest, -highest), 0.0)
    in_box = off_x * off_x + off_y * off_y + off_z * off_z
    return (_least(*of_corners) >= least) | (in_box >= least)


def _beside(x: Scalar, width: Scalar) -> Scalar:
    """How far a place is beside a cell from zero to the width."""
    return maximum(maximum(-x, x - width), 0.0)


def _least(a: Scalar, b: Scalar, c: Scalar, d: Scalar) -> Scalar:
    return minimum(minimum(a, b), minimum(c, d))
