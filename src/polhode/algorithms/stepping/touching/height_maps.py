"""Shapes on a height map: points of their surface, each by its nearest place on the ground."""

from __future__ import annotations

from ....scalar import Scalar, absolute, where
from ....spatial import Transform, Vec3
from .ground import CellPlace, HeightGrid, downhill, normal_at, straight_below, surface_at, way_from
from .ground_in_reach import nearest_in_reach
from .samples import samples
from .shapes import Point, Shape, VectorLength, choose
from .spheres import ball_point

ON_GROUND = 1e-12
"""Distance, relative to the map, below which the direction is the ground's normal."""

IN_REACH = 2.0
"""Radii of a ball within which all cells are looked at: else a step may pass a peak beside it."""


def on_height_map(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """Points of a convex shape; of rims those that are the lowest above the ground below."""
    ground = HeightGrid.of(b)
    below = straight_below(ground, X_b.E @ (X_a.r - X_b.r))
    up = X_b.E.T @ normal_at(ground, surface_at(ground, below))
    places, radius = samples(a, X_a, up)
    is_ball = not (isinstance(radius, float) and radius == 0.0)
    found = []
    for x in places:
        p = X_b.E @ (x - X_b.r)
        nearest = _nearest_to_ball(ground, p, radius) if is_ball else _nearest(ground, p)
        distance, normal = _signed(ground, nearest, p)
        found.append(ball_point(x, radius, X_b.E.T @ normal, distance))
    return found


def _nearest(ground: HeightGrid, p: Vec3) -> CellPlace:
    """The place that the way downhill from straight below a point leads to."""
    return downhill(ground, straight_below(ground, p), p)


def _nearest_to_ball(ground: HeightGrid, p: Vec3, radius: Scalar) -> CellPlace:
    """The nearest place of all ground in reach of a ball.

    Derivatives are those of the last search alone.
    """
    first = _nearest(ground, p)
    return downhill(ground, nearest_in_reach(ground, first, p, IN_REACH * radius), p)


def _signed(ground: HeightGrid, nearest: CellPlace, p: Vec3) -> tuple[Scalar, Vec3]:
    """Signed distance of a point from its nearest place, and the direction away from there."""
    surface = surface_at(ground, nearest)
    is_over = (absolute(p.x) <= ground.half[0]) & (absolute(p.y) <= ground.half[1])
    is_under = is_over & (p.z < surface_at(ground, straight_below(ground, p)).height)
    v = way_from(ground, nearest, surface, p)
    length, inverse, _ = VectorLength.of_square(v.dot(v))
    inverse = where(is_under, -inverse, inverse)
    is_on = length < ON_GROUND * (ground.half[0] + ground.half[1])
    return (
        where(is_under, -length, length),
        choose(is_on, normal_at(ground, surface), v * inverse),
    )
