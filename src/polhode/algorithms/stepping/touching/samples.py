"""Points of a shape that are the lowest, or can be: what ground is asked about.

They are corners, ends of axes, and points of rims.  These are counted from the lowest, by the turn
about the axis.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ....scalar import Scalar, maximum, sqrt, where
from ....spatial import Transform, Vec3
from .shapes import Kind, Shape, VectorLength, choose

UPRIGHT = 1e-7
"""Sine of the tilt below which no point of a rim is the lowest."""

THIRD = math.sqrt(0.75)
"""Sine of a third of a turn."""


ROUNDING = 1e-12
"""Height, relative to the size, by which a corner is lower than another."""


class Samples(NamedTuple):
    """Points of a shape, each the centre of a ball of the shape that has the radius."""

    places: list[Vec3]
    radius: Scalar


def samples(shape: Shape, X: Transform, up: Vec3) -> Samples:
    """The points of a shape at its pose, where ``up`` is the normal of the ground."""
    radius = shape.size[0] if shape.kind in (Kind.SPHERE, Kind.CAPSULE) else 0.0
    return Samples(_PLACES[shape.kind](shape, X, up), radius)


def _centre(shape: Shape, X: Transform, up: Vec3) -> list[Vec3]:
    return [X.r]


def _lowest(shape: Shape, X: Transform, up: Vec3) -> list[Vec3]:
    """Of an ellipsoid, where its normal is the ground's."""
    scaled = [s * x for s, x in zip(shape.size, X.E @ up, strict=True)]
    inverse = VectorLength.of_square(sum(x * x for x in scaled)).inverse
    return [X.point(Vec3(*(-s * (x * inverse) for s, x in zip(shape.size, scaled, strict=True))))]


def _ends(shape: Shape, X: Transform, up: Vec3) -> list[Vec3]:
    half = X.E.z * shape.size[1]
    return [X.r + half, X.r - half]


def _box_corners(shape: Shape, X: Transform, up: Vec3) -> list[Vec3]:
    """Bit k of a corner's number tells its side along axis k."""
    corners = [X.r]
    for half, axis in zip(shape.size, X.E, strict=True):
        edge = axis * half
        corners = [x - edge for x in corners] + [x + edge for x in corners]
    return corners


def _hull_corners(shape: Shape, X: Transform, up: Vec3) -> list[Vec3]:
    """The lowest of each group."""
    local_up = X.E @ up
    return [X.point(_lowest_corner(group, local_up)) for group in shape.corners]


def _lowest_corner(group: tuple[Vec3, ...], up: Vec3) -> Vec3:
    """The first of those that are the lowest but for rounding."""
    lowest, *others = group
    height, slack = up.dot(lowest), ROUNDING * sqrt(lowest.dot(lowest))
    for corner in others:
        own = up.dot(corner)
        is_lower = own < height - slack
        lowest, height = choose(is_lower, corner, lowest), where(is_lower, own, height)
    return lowest


def _rims(shape: Shape, X: Transform, up: Vec3) -> list[Vec3]:
    """The lowest of both rims, then two more of the lower one, a third of a turn away."""
    radius, half = shape.size
    end, (lowest, left, right) = X.E.z * half, rim(X, up, radius)
    lower = X.r + end * where(up.dot(X.E.z) > 0.0, -1.0, 1.0)
    return [X.r + end + lowest, X.r - end + lowest, lower + left, lower + right]


def _rim_and_tip(shape: Shape, X: Transform, up: Vec3) -> list[Vec3]:
    """The lowest of the rim, two more a third of a turn away, and the tip."""
    radius, half = shape.size
    end = X.E.z * half
    base = X.r - end
    return [*(base + x for x in rim(X, up, radius)), X.r + end]


def rim(X: Transform, up: Vec3, radius: Scalar) -> tuple[Vec3, Vec3, Vec3]:
    """From the centre of a circle about z to its lowest point, and those a third of a turn away."""
    x, y = up.dot(X.E.x), up.dot(X.E.y)
    tilt = sqrt(x * x + y * y)
    is_tilted = tilt >= UPRIGHT
    scale = radius / maximum(tilt, UPRIGHT)
    c, s = where(is_tilted, -x * scale, radius), where(is_tilted, -y * scale, 0.0)
    down, across = X.E.x * c + X.E.y * s, X.E.y * (c * THIRD) - X.E.x * (s * THIRD)
    back = down * -0.5
    return down, back + across, back - across


_PLACES = {
    Kind.SPHERE: _centre,
    Kind.ELLIPSOID: _lowest,
    Kind.CAPSULE: _ends,
    Kind.CYLINDER: _rims,
    Kind.CONE: _rim_and_tip,
    Kind.BOX: _box_corners,
    Kind.HULL: _hull_corners,
}
