"""The nearest place on a height map to a ball's centre or a capsule's axis, of all in reach.

Cells are looked at one after the other.  Those are passed over that lie beyond a box or a plane:
the ground's tangent at the nearest place so far.  So plane and convex ground costs no search.
"""

from __future__ import annotations

from typing import NamedTuple

from ....scalar import Scalar, gather, logical_not, maximum, minimum, repeat, sqrt, when, where
from ....spatial import Vec3
from .axes_on_ground import CapsuleAxis
from .ground import (
    CellPlace,
    HeightGrid,
    cell_at,
    in_cell,
    in_cells,
    nearest_in_cell,
    surface_at,
    way_from,
)
from .shapes import choose

NEARER = 1.0 - 1e-10
"""Share of the squared distance below which another place is nearer."""


class Centre(NamedTuple):
    """The centre of a ball, in the map's coordinates; like `CapsuleAxis`, but without a length."""

    middle: Vec3
    spread: tuple[Scalar, ...] = (0.0, 0.0, 0.0)

    def along(self, n: Vec3) -> Scalar:
        return 0.0

    def is_searched(self, i: Scalar, j: Scalar, nearest: CellPlace) -> Scalar:
        return (i == nearest.i) & (j == nearest.j)

    def way(self, v: Vec3) -> Vec3:
        return v

    def nearest_in_cell(self, ground: HeightGrid, i: Scalar, j: Scalar) -> CellPlace:
        """The place of a cell nearest to the centre."""
        return nearest_in_cell(ground, in_cell(*in_cells(ground, self.middle), i, j), self.middle)


class _Found(NamedTuple):
    """The nearest place so far, the way from there to the core, and its square."""

    at: CellPlace
    away: Vec3
    square: Scalar

    @classmethod
    def of(cls, ground: HeightGrid, at: CellPlace, core: Centre | CapsuleAxis) -> _Found:
        away = core.way(way_from(ground, at, surface_at(ground, at), core.middle))
        return cls(at, away, away.dot(away))


class _Tour(NamedTuple):
    """The next cell to look at, and what is found in those before."""

    i: Scalar
    j: Scalar
    found: _Found


def nearest_in_reach(
    ground: HeightGrid, first: CellPlace, core: Centre | CapsuleAxis, reach: Scalar
) -> CellPlace:
    """The nearest place to a core if it is within reach, else ``first`` or one that is nearer."""
    dx, dy = ground.cell
    x, y = in_cells(ground, core.middle)
    found = _Found.of(ground, first, core)
    wide = minimum(sqrt(found.square), reach)
    wide_x, wide_y = (core.spread[0] + wide) / dx, (core.spread[1] + wide) / dy
    i, j = cell_at(ground, x - wide_x, y - wide_y)
    last_i, last_j = cell_at(ground, x + wide_x, y + wide_y)

    def look(tour: _Tour) -> _Tour:
        found = tour.found

        def search(found: _Found) -> _Found:
            there = core.nearest_in_cell(ground, tour.i, tour.j)
            return _nearer(_Found.of(ground, there, core), found)

        is_far = _is_beyond(ground, tour.i, tour.j, core, found)
        is_far = is_far | core.is_searched(tour.i, tour.j, found.at)
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


def _is_beyond(
    ground: HeightGrid, i: Scalar, j: Scalar, core: Centre | CapsuleAxis, found: _Found
) -> Scalar:
    """Whether a cell is no nearer than what is found, by bounds of its corners."""
    (dx, dy), (half_x, half_y), p = ground.cell, ground.half, core.middle
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
    lowest, opposite = _least(a, b, c, d), _least(-a, -b, -c, -d)
    ranges = (x - dx, -x), (y - dy, -y), (lowest, opposite)
    off = [maximum(maximum(*ends) - own, 0.0)
           for ends, own in zip(ranges, core.spread, strict=True)]  # fmt: skip
    in_box = off[0] * off[0] + off[1] * off[1] + off[2] * off[2]
    return (_least(*of_corners) - core.along(n) >= least) | (in_box >= least)


def _least(a: Scalar, b: Scalar, c: Scalar, d: Scalar) -> Scalar:
    return minimum(minimum(a, b), minimum(c, d))
