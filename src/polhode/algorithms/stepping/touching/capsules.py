"""A capsule against another: the nearest places of the axes, and ends beside the other axis."""

from __future__ import annotations

from typing import NamedTuple

from ....scalar import Scalar, absolute, maximum, sqrt, where
from ....spatial import Transform
from .shapes import FAR, Point, Shape, VectorLength, choose
from .spheres import ball_point, clamped

PARALLEL = 1e-12
"""Squared sine of the angle of two axes below which they have no common normal."""

CROSSING = 1e-12
"""Distance of the axes, relative to the size, below which it has no direction."""

SAME = 1e-8
"""Distance of two points, relative to the radii, below which they are one."""


class _Places(NamedTuple):
    """A place on each axis, from the middle [m]."""

    a: Scalar
    b: Scalar


def capsule_capsule(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """The nearest points.  Then the end beside the other capsule that is farthest from there."""
    (radius_a, half_a), (radius_b, half_b) = a.size, b.size
    u, v, d = X_a.E.z, X_b.E.z, X_b.r - X_a.r
    along_u, along_v, cosine = d.dot(u), d.dot(v), u.dot(v)
    sine_squared = 1.0 - cosine * cosine
    is_crossed = sine_squared > PARALLEL

    def on_a(t: Scalar) -> Scalar:
        """The place of the line a nearest to one of the axis b."""
        return along_u + cosine * t

    def on_b(s: Scalar) -> Scalar:
        return cosine * s - along_v

    s = (along_u - cosine * along_v) / where(is_crossed, sine_squared, 1.0)
    s = where(is_crossed, clamped(s, half_a), -half_a)
    t = clamped(on_b(s), half_b)
    nearest = _Places(clamped(on_a(t), half_a), t)
    ends = [_Places(end, on_b(end)) for end in (half_a, -half_a)]
    ends += [_Places(on_a(end), end) for end in (half_b, -half_b)]
    other, apart = _farthest(ends, nearest, half_a, half_b)

    across = choose(is_crossed, u.cross(v) * (1.0 / sqrt(maximum(sine_squared, PARALLEL))), X_a.E.x)
    size = CROSSING * (radius_a + radius_b + half_a + half_b)

    def point(at: _Places) -> Point:
        x = u * at.a
        way = x - d - v * at.b
        length, inverse, _ = VectorLength.of_square(way.dot(way))
        normal = choose(length > size, way * inverse, across)
        return ball_point(X_a.r + x, radius_a, normal, length - radius_b)

    first, second = point(nearest), point(other)
    gap = where(apart > SAME * (radius_a + radius_b), second.gap, FAR)
    return [first, second._replace(gap=gap)]


def _farthest(
    ends: list[_Places], nearest: _Places, half_a: Scalar, half_b: Scalar
) -> tuple[_Places, Scalar]:
    """The end beside the other axis that is farthest from given places, and how far; or these."""
    chosen, most = nearest, 0.0
    for k, at in enumerate(ends):
        is_beside = absolute(at.b) < half_b if k < 2 else absolute(at.a) < half_a
        apart = absolute(at.a - nearest.a) + absolute(at.b - nearest.b)
        is_next = is_beside & (apart > most)
        chosen = _Places(where(is_next, at.a, chosen.a), where(is_next, at.b, chosen.b))
        most = where(is_next, apart, most)
    return chosen, most
