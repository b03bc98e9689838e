"""Shapes on a height map: balls and capsules by the nearest ground, others by some points."""

from __future__ import annotations

from typing import NamedTuple

from ....scalar import Scalar, absolute, logical_not, minimum, when, where
from ....spatial import Transform, Vec3
from .axes_on_ground import CapsuleAxis, settled
from .ground import (
    CellPlace,
    CellSurface,
    HeightGrid,
    downhill,
    normal_at,
    straight_below,
    surface_at,
    way_from,
)
from .ground_curvature import is_nearly_plane
from .ground_in_reach import Centre, nearest_in_reach
from .samples import samples
from .shapes import Point, Shape, VectorLength, choose
from .spheres import ball_point

ON_GROUND = 1e-12
"""Distance, relative to the map, below which the direction is the ground's normal."""

IN_REACH = 2.0
"""Radii of a ball within which all cells are looked at: else a step may pass a peak beside it."""

LEVEL = 0.1
"""Radii by which ground may rise between the ends of a capsule and not be looked at."""

NEARER = 1.0 - 1e-9
"""Share of the distance of both ends of an axis below which a place between them is nearer."""


class _Distance(NamedTuple):
    """Distance from the ground, negative below it, and the direction away from there."""

    length: Scalar
    normal: Vec3


def points_on_height_map(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """Points of a shape, each by the way downhill; of rims the lowest above the ground below."""
    ground = HeightGrid.of(b)
    below = straight_below(ground, X_b.E @ (X_a.r - X_b.r))
    up = X_b.E.T @ normal_at(ground, surface_at(ground, below))
    found = []
    for x in samples(a, X_a, up).places:
        p = X_b.E @ (x - X_b.r)
        off = _signed(ground, _downhill_from_below(ground, p), p)
        found.append(ball_point(x, 0.0, X_b.E.T @ off.normal, off.length))
    return found


def sphere_on_height_map(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """The nearest place of the ground."""
    ground, (radius,) = HeightGrid.of(b), a.size
    p = X_b.E @ (X_a.r - X_b.r)
    off = _signed(ground, _nearest_to_ball(ground, p, radius), p)
    return [ball_point(X_a.r, radius, X_b.E.T @ off.normal, off.length)]


def capsule_on_height_map(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """The nearest place to each end; if one is nearer to the axis, it is for the farther end.

    Both ends are looked at alone if one is below ground, or if no ground can rise much between.
    """
    ground, (radius, half) = HeightGrid.of(b), a.size
    axis = CapsuleAxis(X_b.E @ (X_a.r - X_b.r), X_b.E @ X_a.E.z, half)
    ends = [axis.middle + axis.direction * z for z in (half, -half)]
    places = [_nearest_to_ball(ground, p, radius) for p in ends]
    of_ends = [_signed(ground, at, p) for at, p in zip(places, ends, strict=True)]
    if is_nearly_plane(ground, 2.0 * half, LEVEL * radius):
        return [ball_point(X_a.r + X_a.E.z * z, radius, X_b.E.T @ off.normal, off.length)
                for z, off in zip((half, -half), of_ends, strict=True)]  # fmt: skip
    is_first = of_ends[0].length <= of_ends[1].length
    start = CellPlace(*(where(is_first, x, y) for x, y in zip(*places, strict=True)))
    least, reach = minimum(of_ends[0].length, of_ends[1].length), IN_REACH * radius

    def search(start: CellPlace) -> CellPlace:
        return settled(ground, nearest_in_reach(ground, start, axis, reach), axis)

    at = when((least > 0.0) & (least < reach + half), search, start)
    surface = surface_at(ground, at)
    v = way_from(ground, at, surface, axis.middle)
    between = _above(ground, surface, axis.way(v))
    is_between = (least > 0.0) & (between.length < NEARER * least)
    found = []
    for z, off, is_nearer in zip((half, -half), of_ends, (is_first, logical_not(is_first)),
                                 strict=True):  # fmt: skip
        is_other = is_between & logical_not(is_nearer)
        z = where(is_other, axis.place(v), z)
        normal = X_b.E.T @ choose(is_other, between.normal, off.normal)
        length = where(is_other, between.length, off.length)
        found.append(ball_point(X_a.r + X_a.E.z * z, radius, normal, length))
    return found


def _downhill_from_below(ground: HeightGrid, p: Vec3) -> CellPlace:
    """The place that the way downhill from straight below a point leads to."""
    return downhill(ground, straight_below(ground, p), p)


def _nearest_to_ball(ground: HeightGrid, p: Vec3, radius: Scalar) -> CellPlace:
    """The nearest place of all ground in reach of a ball, with derivatives of a fixed point."""
    first = _downhill_from_below(ground, p)
    nearest = nearest_in_reach(ground, first, Centre(p), IN_REACH * radius)
    is_other = (nearest.i != first.i) | (nearest.j != first.j)
    return when(is_other, lambda _: downhill(ground, nearest, p), first)


def _signed(ground: HeightGrid, nearest: CellPlace, p: Vec3) -> _Distance:
    """Signed distance of a point from its nearest place."""
    surface = surface_at(ground, nearest)
    is_over = (absolute(p.x) <= ground.half[0]) & (absolute(p.y) <= ground.half[1])
    is_under = is_over & (p.z < surface_at(ground, straight_below(ground, p)).height)
    length, normal = _above(ground, surface, way_from(ground, nearest, surface, p), is_under)
    return _Distance(where(is_under, -length, length), normal)


def _above(
    ground: HeightGrid, surface: CellSurface, v: Vec3, is_under: Scalar = False
) -> _Distance:
    """The distance of what ``v`` leads to from the ground, and the direction out of it."""
    length, inverse, _ = VectorLength.of_square(v.dot(v))
    inverse = where(is_under, -inverse, inverse)
    is_on = length < ON_GROUND * (ground.half[0] + ground.half[1])
    return _Distance(length, choose(is_on, normal_at(ground, surface), v * inverse))
