"""A capsule against a box: the nearest place of its axis, and the other end of the part beside.

All is in the box's coordinates.  The squared distance of a line's places from a box is convex.  Its
slope is linear between the places where the line crosses planes of faces.  An axis that cuts the
box leaves it along the least overlap of six directions: normals of faces, and of edges with the
axis.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ....scalar import Scalar, absolute, maximum, minimum, where
from ....spatial import Transform, Vec3
from .faces import Face
from .separation import Axis, greatest_separation, normal_of_edges
from .shapes import FAR, Point, Shape, VectorLength, away_from_zero, choose, vector
from .spheres import ball_point, clamped

TOUCH = 1e-7
"""Distance of axis and box, relative to the size, below which it has no reliable direction."""

ROUNDING = 1e-14
"""Distance, relative to the size, of an axis that may cut the box."""

SAME = 1e-8
"""Distance of two points, relative to the size, below which they are one."""

BESIDE = 1e-9
"""How far, relative to the size, a line along a border of a face may miss the face."""


class _Line(NamedTuple):
    """Places ``middle + t direction``, ``t`` from ``-half`` to ``half``; half edges of a box."""

    middle: Vec3
    direction: Vec3
    half: Scalar
    box: tuple[Scalar, ...]

    def at(self, t: Scalar) -> Vec3:
        return self.middle + self.direction * t

    def past(self, t: Scalar) -> Vec3:
        """From the nearest place of the box."""
        return Vec3(*(x - clamped(x, h) for x, h in zip(self.at(t), self.box, strict=True)))


def capsule_box(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """The nearest or deepest point.  Then the other end of the part that lies beside the box."""
    radius, half = a.size
    line = _Line(X_b.E @ (X_a.r - X_b.r), X_b.E @ X_a.E.z, half, b.size)
    size = radius + half + sum(b.size)
    nearest = _nearest(line)
    past = line.past(nearest)
    length, inverse, _ = VectorLength.of_square(past.dot(past))
    is_apart = length > TOUCH * size
    overlap, out = greatest_separation(_axes(line), 0.0)
    distance = where(length > ROUNDING * size, length, overlap)
    n = choose(is_apart, past * inverse, out)

    face = Face.of(b.size, n, BESIDE * size)
    middle, way = face.place(line.middle), face.direction(line.direction)
    low, high = face.part(middle, way, -half, half)
    first = where(is_apart, nearest, clamped(where(way.gap > 0.0, low, high), half))
    other = clamped(where(first - low > high - first, low, high), half)
    is_other = (low <= high) & (absolute(other - first) > SAME * size)
    normal, axis = X_b.E.T @ n, X_a.E.z
    point = ball_point(X_a.r + axis * first, radius, normal, distance)
    above = middle.gap + other * way.gap
    second = ball_point(X_a.r + axis * other, radius, normal, above)
    return [point, second._replace(gap=where(is_other, second.gap, FAR))]


def _nearest(line: _Line) -> Scalar:
    """The place nearest to the box, or an end of those that are."""
    u = line.direction

    def slope(t: Scalar) -> Scalar:
        return u.dot(line.past(t))

    low, high = -line.half, line.half
    places = [(low, slope(low)), (high, slope(high))]
    for x, h, d in zip(line.middle, line.box, u, strict=True):
        inverse = 1.0 / away_from_zero(d)
        crossings = [clamped((side - x) * inverse, line.half) for side in (-h, h)]
        places += [(t, slope(t)) for t in crossings]
    low_slope, high_slope = places[0][1], places[1][1]
    for t, rise in places[2:]:
        is_low, is_high = (rise <= 0.0) & (t > low), (rise >= 0.0) & (t < high)
        low, low_slope = where(is_low, t, low), where(is_low, rise, low_slope)
        high, high_slope = where(is_high, t, high), where(is_high, rise, high_slope)
    change = high_slope - low_slope
    is_steep = change > 0.0
    part = where(is_steep, -low_slope / where(is_steep, change, 1.0), 0.0)
    return low + minimum(maximum(part, 0.0), 1.0) * (high - low)


def _axes(line: _Line) -> Iterator[Axis]:
    """Normals of faces, then of edges with the line."""
    p, u, half, h = line
    for k in range(3):
        yield Axis(vector((k, 1.0)), p[k], h[k] + half * absolute(u[k]))
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        direction, length = normal_of_edges(u, k)
        reach = h[i] * absolute(u[j]) + h[j] * absolute(u[i])
        yield Axis(direction, direction.dot(p), reach, length)
