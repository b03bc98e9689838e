"""Shapes on a plane: points of their surface, each with its own height.

Points of round shapes are counted from the lowest: by the turn of a rim about its axis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ....scalar import Scalar, absolute, maximum, sqrt, where
from ....spatial import Transform, Vec3
from .shapes import FAR, Length, Point, Shape

UPRIGHT = 1e-7
"""Sine of the tilt below which no point of a rim is the lowest."""

LEVEL = 0.1
"""Slope of a torus' circle up to which places beside the lowest touch."""


@dataclass(frozen=True)
class _Raised:
    """A vector less half its height above a plane, and that height; both are linear in it."""

    half_way: Vec3
    height: Scalar

    def __add__(self, other: _Raised) -> _Raised:
        return _Raised(self.half_way + other.half_way, self.height + other.height)

    def __sub__(self, other: _Raised) -> _Raised:
        return _Raised(self.half_way - other.half_way, self.height - other.height)

    def __mul__(self, factor: Scalar) -> _Raised:
        return _Raised(self.half_way * factor, self.height * factor)


def _raised(v: Vec3, up: Vec3, height: Scalar) -> _Raised:
    return _Raised(v - up * (0.5 * height), height)


def _centre(X: Transform, plane: Transform, radius: Scalar = 0.0) -> _Raised:
    """The origin of a shape, or the lowest point of a sphere there."""
    up = plane.E.z
    height = up.dot(X.r - plane.r)
    return _Raised(X.r - up * (0.5 * (height + radius)), height - radius)


def _points(found: Sequence[_Raised], up: Vec3) -> list[Point]:
    return [Point(x.half_way, up, x.height) for x in found]


def sphere_plane(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """The lowest point."""
    (radius,) = a.size
    return _points([_centre(X_a, X_b, radius)], X_b.E.z)


def ellipsoid_plane(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """The lowest point, where the surface's normal is the plane's."""
    up = X_b.E.z
    scaled = Vec3(*(s * x for s, x in zip(a.size, X_a.E @ up, strict=True)))
    depth, inverse, _ = Length.of_square(scaled.dot(scaled))
    lowest = Vec3(*(-s * (x * inverse) for s, x in zip(a.size, scaled, strict=True)))
    return _points([_centre(X_a, X_b) + _raised(X_a.E.T @ lowest, up, -depth)], up)


def capsule_plane(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """The lowest points of both caps."""
    radius, half = a.size
    up, axis = X_b.E.z, X_a.E.z
    centre, end = _centre(X_a, X_b, radius), _raised(axis, up, up.dot(axis)) * half
    return _points([centre + end, centre - end], up)


def box_plane(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """The corners; bit k of a corner's number tells its side along axis k."""
    up = X_b.E.z
    corners = [_centre(X_a, X_b)]
    for half, axis in zip(a.size, X_a.E, strict=True):
        edge = _raised(axis, up, up.dot(axis)) * half
        corners = [x - edge for x in corners] + [x + edge for x in corners]
    return _points(corners, up)


def hull_plane(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """The corners, in their order."""
    up = X_b.E.z
    centre, axes = _centre(X_a, X_b), [_raised(axis, up, up.dot(axis)) for axis in X_a.E]
    x, y, z = axes
    return _points([centre + (x * v.x + y * v.y + z * v.z) for v in a.corners], up)


def cylinder_plane(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """The lowest points of both rims, then two more of the lower one, a third of a turn away."""
    radius, half = a.size
    up, axis = X_b.E.z, X_a.E.z
    rise = up.dot(axis)
    centre, end = _centre(X_a, X_b), _raised(axis, up, rise) * half
    lowest, left, right, _ = _rim(X_a, up, radius)
    lower = centre + end * where(rise > 0.0, -1.0, 1.0)
    return _points([centre + end + lowest, centre - end + lowest, lower + left, lower + right], up)


def cone_plane(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """The lowest point of the rim, two more a third of a turn away, and the tip."""
    radius, half = a.size
    up, axis = X_b.E.z, X_a.E.z
    centre, end = _centre(X_a, X_b), _raised(axis, up, up.dot(axis)) * half
    *rim, _ = _rim(X_a, up, radius)
    return _points([*(centre - end + x for x in rim), centre + end], up)


def torus_plane(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """The lowest point, and two more a third of a turn away while the torus is nearly level."""
    ring, radius = a.size
    up = X_b.E.z
    centre = _centre(X_a, X_b, radius)
    lowest, left, right, tilt = _rim(X_a, up, ring)
    is_level = absolute(tilt) * math.sqrt(0.75) <= LEVEL  # the slope there
    beside = [
        _Raised(x.half_way, where(is_level, x.height, FAR)) for x in (centre + left, centre + right)
    ]
    return _points([centre + lowest, *beside], up)


def _rim(X: Transform, up: Vec3, radius: Scalar) -> tuple[_Raised, _Raised, _Raised, Scalar]:
    """From the centre of a circle about z to its lowest point and to those a third of a turn away.

    Last, the sine of its tilt.
    """
    x, y = up.dot(X.E.x), up.dot(X.E.y)
    tilt = sqrt(x * x + y * y)
    is_tilted = tilt >= UPRIGHT
    inverse = where(is_tilted, -1.0 / maximum(tilt, UPRIGHT), 0.0)
    c, s = where(is_tilted, x * inverse, 1.0), y * inverse
    down = _raised(X.E.x * c + X.E.y * s, up, c * x + s * y) * radius
    across = _raised(X.E.y * c - X.E.x * s, up, c * y - s * x) * (radius * math.sqrt(0.75))
    back = down * -0.5
    return down, back + across, back - across, tilt
