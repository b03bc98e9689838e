"""A capsule against another: the nearest places of the axes, and ends beside the other axis."""

from __future__ import annotations

from typing import NamedTuple

from ....scalar import Scalar, absolute, maximum, sqrt, where
from ....spatial import Transform, Vec3
from .shapes import FAR, Point, Shape, VectorLength, choose
from .spheres import ball_point, clamped

PARALLEL = 1e-12
"""Squared sine of the angle of two axes below which they have no common normal."""

CROSSING = 1e-12
"""Distance of the axes, relative to the size, below which it has no direction."""

SAME = 1e-8
"""Distance of two points, relative to the radii, below which they are one."""

BESIDE = 1.000001
"""Half lengths from the middle of a capsule up to which an end of the other is beside it."""

AS_NEAR = 1e-6
"""Share of the squared distance of the axes by which an end may be farther than the nearest."""


class _Places(NamedTuple):
    """A place on each axis, from the middle [m]."""

    a: Scalar
    b: Scalar


class _Axes:
    """The axes ``u`` and ``v`` of two capsules, ``d`` from the middle of a to that of b.

    Attributes
    ----------
    is_crossed : condition
        Whether they have a common normal.
    nearest : _Places
    """

    def __init__(self, a: Shape, X_a: Transform, b: Shape, X_b: Transform):
        half_a, half_b = a.size[1], b.size[1]
        u, v, d = X_a.E.z, X_b.E.z, X_b.r - X_a.r
        self.u, self.v, self.d = u, v, d
        self._along_u, self._along_v, self._cosine = d.dot(u), d.dot(v), u.dot(v)
        self.sine_squared: Scalar = 1.0 - self._cosine * self._cosine
        self.is_crossed: Scalar = self.sine_squared > PARALLEL
        s = self._along_u - self._cosine * self._along_v
        s = s / where(self.is_crossed, self.sine_squared, 1.0)
        s = where(self.is_crossed, clamped(s, half_a), -half_a)
        t = clamped(self.on_b(s), half_b)
        self.nearest: _Places = _Places(clamped(self.on_a(t), half_a), t)

    def on_a(self, t: Scalar) -> Scalar:
        """The place of the line a nearest to one of the axis b."""
        return self._along_u + self._cosine * t

    def on_b(self, s: Scalar) -> Scalar:
        """The place of the line b nearest to one of the axis a."""
        return self._cosine * s - self._along_v

    def between(self, at: _Places) -> Vec3:
        """From a place of b to one of a."""
        return self.u * at.a - self.d - self.v * at.b


def distance_squared(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> Scalar:
    """The square of the distance of the axes of two capsules."""
    axes = _Axes(a, X_a, b, X_b)
    way = axes.between(axes.nearest)
    return way.dot(way)


def capsule_capsule(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """The nearest points.  Then the end beside the other capsule that is farthest from there.

    Of axes that are nearly parallel, the end farthest from that one stands for the nearest points.
    Which points are the nearest is then decided by angles of any size.
    """
    (radius_a, half_a), (radius_b, half_b) = a.size, b.size
    axes = _Axes(a, X_a, b, X_b)
    ends = [_Places(end, axes.on_b(end)) for end in (half_a, -half_a)]
    ends += [_Places(axes.on_a(end), end) for end in (half_b, -half_b)]
    other, _ = _farthest(ends, axes.nearest, half_a, half_b)
    end, apart = _farthest(ends, other, half_a, half_b)
    ways = [axes.between(at) for at in (axes.nearest, end)]
    least, square = (way.dot(way) for way in ways)
    is_as_near = square <= least * (1.0 + AS_NEAR)
    nearest = _Places(*(where(is_as_near, x, y) for x, y in zip(end, axes.nearest, strict=True)))
    apart = where(is_as_near, apart, _apart(other, axes.nearest))

    normal = axes.u.cross(axes.v) * (1.0 / sqrt(maximum(axes.sine_squared, PARALLEL)))
    across = choose(axes.is_crossed, normal, X_a.E.x)
    size = CROSSING * (radius_a + radius_b + half_a + half_b)

    def point(at: _Places) -> Point:
        way = axes.between(at)
        length, inverse, _ = VectorLength.of_square(way.dot(way))
        normal = choose(length > size, way * inverse, across)
        return ball_point(X_a.r + axes.u * at.a, radius_a, normal, length - radius_b)

    first, second = point(nearest), point(other)
    gap = where(apart > SAME * (radius_a + radius_b), second.gap, FAR)
    return [first, second._replace(gap=gap)]


def _farthest(
    ends: list[_Places], nearest: _Places, half_a: Scalar, half_b: Scalar
) -> tuple[_Places, Scalar]:
    """The end beside the other axis that is farthest from given places, and how far; or these."""
    chosen, most = nearest, 0.0
    for k, at in enumerate(ends):
        place, half = (at.b, half_b) if k < 2 else (at.a, half_a)
        is_beside = absolute(place) <= half * BESIDE
        apart = _apart(at, nearest)
        is_next = is_beside & (apart > most)
        chosen = _Places(where(is_next, at.a, chosen.a), where(is_next, at.b, chosen.b))
        most = where(is_next, apart, most)
    return chosen, most


def _apart(one: _Places, other: _Places) -> Scalar:
    """How far two places on both axes are from others."""
    return absolute(one.a - other.a) + absolute(one.b - other.b)
