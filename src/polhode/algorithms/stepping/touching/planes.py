"""Shapes on a plane: points of their surface, each with its own height."""

from __future__ import annotations

from ....scalar import Scalar, absolute, where
from ....spatial import Transform, Vec3
from .samples import THIRD, rim, samples
from .shapes import FAR, Point, Shape
from .spheres import ball_point

LEVEL = 0.1
"""Slope of a torus' circle up to which places beside the lowest touch."""


def on_plane(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """Points of a convex shape."""
    places, radius = samples(a, X_a, X_b.E.z)
    return [_on_plane(x, radius, X_b) for x in places]


def torus_on_plane(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """The lowest point, and two more a third of a turn away while the torus is nearly level."""
    ring, radius = a.size
    lowest, *beside = (_on_plane(X_a.r + x, radius, X_b) for x in rim(X_a, X_b.E.z, ring))
    # The slope of the circle there is that across the direction to the lowest point.
    drop = absolute(beside[0].gap - lowest.gap) * (THIRD / 1.5)
    is_level = drop <= LEVEL * ring
    return [lowest, *(x._replace(gap=where(is_level, x.gap, FAR)) for x in beside)]


def _on_plane(x: Vec3, radius: Scalar, plane: Transform) -> Point:
    up = plane.E.z
    return ball_point(x, radius, up, up.dot(x - plane.r))
