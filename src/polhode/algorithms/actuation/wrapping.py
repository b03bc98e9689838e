"""The shortest way of a tendon around a sphere or a cylinder.

A sphere is looked at in the plane through its centre and the ends of the tendon, a cylinder across
its axis.  There a tendon runs along a tangent to the circle, along the circle, and along another
tangent.  Around a cylinder it is a helix: its advance along the axis is in proportion to the way
in the plane.  Of the two ways around, it takes the shorter one, unless a side site is beyond the
centre.  Then the line from the site through the centre meets the straight way, and the tendon goes
around on the site's side.  If
the site is inside, the tendon must touch the sphere or cylinder, and does so at one point.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...scalar import Scalar, atan2, cos, maximum, minimum, sin, sqrt, where
from ...spatial import Vec3

_TINY = 1e-15  # of lengths [m]: below it there is no direction
_NEWTON_STEPS = 8  # from the nearest point: doubles the digits of each, from one
Point = tuple[Scalar, Scalar]


class Wrapped(NamedTuple):
    """The way between two points: its length, and unit vectors along it away from both."""

    length: Scalar
    from_first: Vec3
    from_last: Vec3


def wrapped(a: Vec3, b: Vec3, radius: float, is_cylinder: bool, side: Vec3 | None) -> Wrapped:
    """The way from ``a`` to ``b`` around a sphere or cylinder, in its coordinates."""
    to_plane = (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0)) if is_cylinder else _plane(a, b)
    p, r = _in_plane(to_plane, a), _in_plane(to_plane, b)
    s = None if side is None else _in_plane(to_plane, side)
    square = None if side is None else side.dot(side)
    is_met, first, last, arc = _around(p, r, radius, s, square)
    t, u = _from_plane(to_plane, first), _from_plane(to_plane, last)
    if is_cylinder:
        before, after = _distance(p, first), _distance(r, last)
        slope = (b.z - a.z) / maximum(before + arc + after, _TINY)
        t, u = Vec3(t.x, t.y, a.z + slope * before), Vec3(u.x, u.y, b.z - slope * after)
        arc = sqrt(arc * arc + (u.z - t.z) * (u.z - t.z))
    start, end, straight = direction(t, a), direction(u, b), direction(b, a)
    length = where(is_met, start[0] + arc + end[0], straight[0])
    return Wrapped(
        length,
        _choose(is_met, start[1], straight[1]),
        _choose(is_met, end[1], -straight[1]),
    )


def direction(a: Vec3, b: Vec3) -> tuple[Scalar, Vec3]:
    """The distance from ``a`` to ``b``, and the unit vector that way; zero where both are one."""
    way = b - a
    length = sqrt(way.dot(way))
    return length, way * (1.0 / maximum(length, _TINY))


def _around(
    p: Point, r: Point, radius: float, side: Point | None, square: Scalar
) -> tuple[Scalar, Point, Point, Scalar]:
    """Whether the tendon meets the circle, the tangent points, and the arc between them.

    ``square`` is that of the distance of the side site from the centre, as MuJoCo has it also of a
    cylinder.
    """
    turn = _cross(p, r)
    nearest = _nearest(p, r)
    meets = _dot(nearest, nearest) <= radius * radius
    outside = (_dot(p, p) >= radius * radius) & (_dot(r, r) >= radius * radius)
    sign = where(turn < 0.0, -1.0, 1.0)  # of the shorter way: counter-clockwise is positive
    if side is None:
        first, last, angle = _tangents(p, r, radius, sign)
        return meets & outside, first, last, maximum(angle, 0.0) * radius
    is_beyond = (_cross(p, side) * turn < 0.0) & (_cross(r, side) * turn > 0.0)
    first, last, angle = _tangents(p, r, radius, where(is_beyond, -sign, sign))
    longer = where(angle < 0.0, angle + 2.0 * math.pi, angle)
    arc = where(is_beyond, longer, maximum(angle, 0.0)) * radius
    touched, is_inside = _touched(p, r, nearest, radius), square < radius * radius
    first, last = (
        tuple(where(is_inside, x, y) for x, y in zip(touched, point, strict=True))
        for point in (first, last)
    )
    misses = _dot(nearest, nearest) > radius * radius
    passes = square >= radius * radius
    meets = (is_inside & misses) | (passes & (meets | is_beyond))
    return meets & outside, first, last, where(is_inside, 0.0, arc)


def _tangents(p: Point, r: Point, radius: float, sign: Scalar) -> tuple[Point, Point, Scalar]:
    """The ends of the way along the circle, and its angle from -pi to pi."""
    first, last = _tangent(p, radius, sign), _tangent(r, radius, -sign)
    return first, last, atan2(_cross(first, last), _dot(first, last)) * sign


def _touched(p: Point, r: Point, nearest: Point, radius: float) -> Point:
    """The point of the circle over which the way between two points outside is shortest.

    Newton's method for the angle, at which both parts of the way are reflected into each other.
    """
    angle = atan2(nearest[1], nearest[0])
    for _ in range(_NEWTON_STEPS):
        t = radius * cos(angle), radius * sin(angle)
        slope, curvature = 0.0, 0.0
        for end in (p, r):
            # |end - t| has the slope cross(end, t) / |end - t| by the angle of t.
            length, across = maximum(_distance(end, t), _TINY), _cross(end, t)
            slope = slope + across / length
            curvature = curvature + (_dot(end, t) - across * across / (length * length)) / length
        angle = angle - slope / where(curvature > _TINY, curvature, 1.0)
    return radius * cos(angle), radius * sin(angle)


def _tangent(p: Point, radius: float, sign: Scalar) -> Point:
    """Where the tangent from a point meets the circle, on its left or right."""
    square = maximum(_dot(p, p), _TINY)
    along = radius * radius / square
    across = sqrt(maximum(square - radius * radius, 0.0)) * (radius * sign) / square
    return p[0] * along - p[1] * across, p[1] * along + p[0] * across


def _nearest(p: Point, r: Point) -> Point:
    """The point of a line segment that is nearest to the origin."""
    way = (r[0] - p[0], r[1] - p[1])
    part = -_dot(p, way) / maximum(_dot(way, way), _TINY * _TINY)
    part = minimum(maximum(part, 0.0), 1.0)
    return p[0] + way[0] * part, p[1] + way[1] * part


def _plane(a: Vec3, b: Vec3) -> tuple[Vec3, Vec3]:
    """Two unit vectors across each other in the plane of two points and the origin."""
    _, x = direction(Vec3.zero(), a)
    _, normal = direction(Vec3.zero(), a.cross(b))
    return x, normal.cross(x)


def _in_plane(axes: tuple[Vec3, Vec3], p: Vec3) -> Point:
    return axes[0].dot(p), axes[1].dot(p)


def _from_plane(axes: tuple[Vec3, Vec3], p: Point) -> Vec3:
    return axes[0] * p[0] + axes[1] * p[1]


def _choose(condition: Scalar, a: Vec3, b: Vec3) -> Vec3:
    return Vec3(*(where(condition, x, y) for x, y in zip(a, b, strict=True)))


def _dot(a: Point, b: Point) -> Scalar:
    return a[0] * b[0] + a[1] * b[1]


def _cross(a: Point, b: Point) -> Scalar:
    return a[0] * b[1] - a[1] * b[0]


def _distance(a: Point, b: Point) -> Scalar:
    way = (b[0] - a[0], b[1] - a[1])
    return sqrt(_dot(way, way))
