"""A capsule against a cylinder: the nearest place of its axis, and another end of the part beside.

All is in the cylinder's coordinates.  The squared distance of a line's places from the cylinder is
convex.  Its slope has kinks where the line crosses the round side and the planes of the caps.
Between them, and the place nearest to the cylinder's axis, the slope bends one way.  So Newton's
method finds its zero from the steeper end of such a part.

An axis that cuts the cylinder leaves it along the direction of the least overlap.  The normal of a
cap is a local minimum, and so is that of the side at an end of the axis or across it.  The fourth
kind is a direction over a rim, square to the axis.  Seen along itself the axis is a point, and the
rim an ellipse around it.
"""

from __future__ import annotations

from typing import NamedTuple

from ....scalar import Scalar, absolute, maximum, minimum, repeat, sqrt, when, where
from ....spatial import Transform, Vec3
from .shapes import FAR, TINY, Point, Shape, VectorLength, away_from_zero, choose
from .spheres import ball_point, clamped

TOUCH = 1e-7
"""Distance of axis and cylinder, relative to the size, below which it has no reliable direction."""

ROUNDING = 1e-14
"""Distance, relative to the size, of an axis that may cut the cylinder."""

SAME = 1e-8
"""Distance of two points, relative to the size, below which they are one."""

LEVEL = 1e-12
"""Of the size: how much deeper than the first point the second may be, by rounding."""

CAP = 0.7
"""Height of a unit normal above which a point is one of a cap, and else one of the side."""

CHANGE = 1e-10
"""The last turn of Newton's method [relative]; the next one would be the square of that."""

TURNS = 40
"""Of Newton's method, where a line touches the round side and is nearly level; usual are five."""


class _Line(NamedTuple):
    """Places ``middle + t direction``, ``t`` from ``-half`` to ``half``; sizes of the cylinder.

    ``across`` is the squared length of the direction's part across the axis, ``beside`` the place
    nearest to the axis.
    """

    middle: Vec3
    direction: Vec3
    half: Scalar
    radius: Scalar
    height: Scalar
    across: Scalar
    beside: Scalar

    @classmethod
    def of(cls, a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> _Line:
        (_, half), (radius, height) = a.size, b.size
        m, u = X_b.E @ (X_a.r - X_b.r), X_b.E @ X_a.E.z
        across = u.x * u.x + u.y * u.y
        beside = -(m.x * u.x + m.y * u.y) / maximum(across, TINY)
        return cls(m, u, half, radius, height, across, beside)

    def at(self, t: Scalar) -> Vec3:
        return self.middle + self.direction * t

    def distance(self, n: Vec3) -> Scalar:
        """Of the axis from the cylinder along a unit vector; negative if they overlap."""
        side = VectorLength.of_square(n.x * n.x + n.y * n.y).value
        axis = n.dot(self.middle) - self.half * absolute(n.dot(self.direction))
        return axis - self.radius * side - self.height * absolute(n.z)

    def over_cap(self) -> tuple[Scalar, Scalar, Scalar]:
        """Where the part over the caps begins and ends, and whether there is one."""
        x = self.at(self.beside)
        room = self.radius * self.radius - (x.x * x.x + x.y * x.y)
        reach = sqrt(maximum(room, TINY * TINY) / maximum(self.across, TINY))
        low, high = (clamped(self.beside + r, self.half) for r in (-reach, reach))
        return low, high, room > 0.0

    def beside_side(self) -> tuple[Scalar, Scalar]:
        """Where the part between the planes of the caps begins and ends."""
        inverse = 1.0 / away_from_zero(self.direction.z)
        ends = [clamped((z - self.middle.z) * inverse, self.half)
                for z in (-self.height, self.height)]  # fmt: skip
        return minimum(*ends), maximum(*ends)


class _Past(NamedTuple):
    """From the nearest place of the cylinder to one of a line."""

    x: Vec3
    rho: Scalar
    share: Scalar
    above: Scalar

    @classmethod
    def of(cls, line: _Line, t: Scalar) -> _Past:
        """``share`` is that of the distance from the axis that is outside, ``above`` a height."""
        x = line.at(t)
        rho = sqrt(maximum(x.x * x.x + x.y * x.y, TINY * TINY))
        share = maximum(1.0 - line.radius / rho, 0.0)
        return cls(x, rho, share, x.z - clamped(x.z, line.height))

    @property
    def way(self) -> Vec3:
        return Vec3(self.x.x * self.share, self.x.y * self.share, self.above)

    def slope(self, u: Vec3) -> Scalar:
        return self.share * (u.x * self.x.x + u.y * self.x.y) + u.z * self.above


class _Leaving(NamedTuple):
    """A direction in which the axis may leave the cylinder; the place where it is deepest."""

    normal: Vec3
    distance: Scalar
    place: Scalar


def capsule_cylinder(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """The nearest or deepest point.  Then the other end of the part that lies beside the cylinder.

    The second has the normal of the cap, or of the side.
    """
    radius = a.size[0]
    line = _Line.of(a, X_a, b, X_b)
    size = radius + line.half + line.radius + line.height
    nearest = _nearest(line, size)
    way = _Past.of(line, nearest).way
    length, inverse, _ = VectorLength.of_square(way.dot(way))
    found = _Leaving(way * inverse, length, nearest)

    def leaving(outside: _Leaving) -> _Leaving:
        inside = _least_overlap(line)
        distance = where(length > ROUNDING * size, outside.distance, inside.distance)
        return inside._replace(distance=distance)

    found = when(length <= TOUCH * size, leaving, found)
    first = _point(X_a, X_b, radius, found)
    second, other = _second(line, radius, found)
    # Along another normal, an axis that leaves over a rim is deeper than it is.
    is_other = absolute(other - found.place) > SAME * size
    is_other = is_other & (second.gap >= first.gap - LEVEL * size)
    position = X_b.r + X_b.E.T @ second.position
    gap = where(is_other, second.gap, FAR)
    return [first, Point(position, X_b.E.T @ second.normal, gap)]


def _point(X_a: Transform, X_b: Transform, radius: Scalar, at: _Leaving) -> Point:
    return ball_point(X_a.r + X_a.E.z * at.place, radius, X_b.E.T @ at.normal, at.distance)


def _second(line: _Line, radius: Scalar, first: _Leaving) -> tuple[Point, Scalar]:
    """The contact at the other end of the part over a cap or beside the side, and its place."""
    n = first.normal
    is_cap = absolute(n.z) > CAP
    low, high, is_over = line.over_cap()
    side_low, side_high = line.beside_side()
    low, high = where(is_cap, low, side_low), where(is_cap, high, side_high)
    other = where(first.place - low > high - first.place, low, high)
    x = line.at(other)
    cap, side = _on_cap(line, radius, n, x), _on_side(line, radius, n, x)
    gap = where(is_cap, where(is_over, cap.gap, FAR), side.gap)
    gap = where(low < high, gap, FAR)
    position = choose(is_cap, cap.position, side.position)
    return Point(position, choose(is_cap, cap.normal, side.normal), gap), other


def _on_cap(line: _Line, radius: Scalar, n: Vec3, x: Vec3) -> Point:
    sign = where(n.z < 0.0, -1.0, 1.0)
    return ball_point(x, radius, Vec3(0.0, 0.0, sign), sign * x.z - line.height)


def _on_side(line: _Line, radius: Scalar, n: Vec3, x: Vec3) -> Point:
    """Of round sides that lie beside each other, a little aside: along the normal at the first."""
    _, inverse, _ = VectorLength.of_square(n.x * n.x + n.y * n.y)
    e, f = n.x * inverse, n.y * inverse
    out, aside = e * x.x + f * x.y, e * x.y - f * x.x
    both = line.radius + radius
    share = line.radius / both
    drop = both * both - aside * aside
    top = sqrt(maximum(drop, TINY * TINY))
    gap = where(drop > 0.75 * both * both, out - top, FAR)
    middle, across = share * top + 0.5 * (out - top), share * aside
    place = Vec3(e * middle - f * across, f * middle + e * across, x.z)
    return Point(place, Vec3(e, f, 0.0), gap)


def _nearest(line: _Line, size: Scalar) -> Scalar:
    """The place nearest to the cylinder, or one of those that are."""
    u, (over_low, over_high, _) = line.direction, line.over_cap()
    low, high = -line.half, line.half
    low_slope, high_slope = (_Past.of(line, t).slope(u) for t in (low, high))
    for t in (over_low, over_high, *line.beside_side(), clamped(line.beside, line.half)):
        rise = _Past.of(line, t).slope(u)
        is_low, is_high = (rise <= 0.0) & (t > low), (rise >= 0.0) & (t < high)
        low, low_slope = where(is_low, t, low), where(is_low, rise, low_slope)
        high, high_slope = where(is_high, t, high), where(is_high, rise, high_slope)
    is_between = (low_slope < 0.0) & (high_slope > 0.0)
    steep = where(low + high > 2.0 * line.beside, high, low)
    start = where(is_between, steep, where(low_slope >= 0.0, low, high))
    within = _Past.of(line, 0.5 * (low + high))
    is_round, is_beyond = within.share > 0.0, absolute(within.above) > 0.0
    top = where(within.x.z < 0.0, -line.height, line.height)
    bend_above = where(is_beyond, u.z * u.z, 0.0)

    def newton(place: Scalar) -> Scalar:
        t = place * size
        x, rho, _, _ = _Past.of(line, t)
        share = where(is_round, 1.0 - line.radius / rho, 0.0)
        along = u.x * x.x + u.y * x.y
        turn = along / rho
        bend = share * line.across + where(is_round, line.radius / rho * turn * turn, 0.0)
        slope = share * along + where(is_beyond, u.z * (x.z - top), 0.0)
        t = t - slope / maximum(bend + bend_above, TINY)
        return minimum(maximum(t, low), high) / size

    found = repeat(newton, start / size, CHANGE, TURNS) * size
    return where(is_between, found, start)


def _least_overlap(line: _Line) -> _Leaving:
    """The direction in which an axis that cuts the cylinder leaves it on the shortest way."""
    m, u = line.middle, line.direction
    low, high, _ = line.over_cap()
    sign = where(m.z < 0.0, -1.0, 1.0)
    distance = sign * m.z - line.half * absolute(u.z) - line.height
    found = _Leaving(Vec3(0.0, 0.0, sign), distance, where(sign * u.z > 0.0, low, high))
    length, inverse, is_tilted = VectorLength.of_square(line.across)
    e, f = where(is_tilted, -u.y * inverse, 1.0), where(is_tilted, u.x * inverse, 0.0)
    aside = e * m.x + f * m.y
    turn = where(aside < 0.0, -1.0, 1.0)
    out = Vec3(turn * e, turn * f, 0.0)
    beside = _Leaving(out, turn * aside - line.radius, clamped(line.beside, line.half))
    found = _lesser(found, beside)
    for end in (-line.half, line.half):
        x = line.at(end)
        _, inverse, is_off = VectorLength.of_square(x.x * x.x + x.y * x.y)
        n = choose(is_off, Vec3(x.x * inverse, x.y * inverse, 0.0), out)
        found = _lesser(found, _Leaving(n, line.distance(n), end))
    return _lesser(found, _over_rim(line, out, turn * aside, length))


def _lesser(a: _Leaving, b: _Leaving) -> _Leaving:
    """That of the lesser overlap; the first where both are as deep."""
    is_b = b.distance > a.distance
    return _Leaving(
        choose(is_b, b.normal, a.normal),
        where(is_b, b.distance, a.distance),
        where(is_b, b.place, a.place),
    )


def _over_rim(line: _Line, out: Vec3, aside: Scalar, across: Scalar) -> _Leaving:
    """Over the rim that is nearest to an axis which is a point, as seen along itself.

    A rim is an ellipse then, with semi-axes 1 and ``k`` in units of the radius.  The nearest point
    ``(c, k s)``, where ``c^2 + s^2 = 1``, to a point ``(x, y)`` fulfils
    ``c = x s / (k y + (1 - k^2) s)``.  Newton's method by ``1 / s`` goes one way from ``s = 1``.
    """
    m, u = line.middle, line.direction
    k = absolute(u.z)
    up = u.cross(out)
    up = up * where(up.z < 0.0, -1.0, 1.0)
    height = up.dot(m)
    up = up * where(height < 0.0, -1.0, 1.0)
    inverse = 1.0 / line.radius
    x, y = aside * inverse, (absolute(height) - line.height * across) * inverse

    def cosine(s: Scalar) -> tuple[Scalar, Scalar]:
        below = k * y + line.across * s
        return x * s / maximum(below, TINY), below

    def newton(s: Scalar) -> Scalar:
        c, below = cosine(s)
        rise = c * c * (k * y) / maximum(below, TINY) + s * s
        is_ahead = (below > 0.0) & (rise > 0.0)
        excess = 0.5 * (c * c + s * s - 1.0)
        ratio = where(is_ahead, excess, 0.0) / where(is_ahead, rise, 1.0)
        return s / maximum(1.0 + ratio, 0.5)

    s = repeat(newton, 1.0 + 0.0 * x, CHANGE, TURNS)
    n = out * (k * minimum(cosine(s)[0], 1.0)) + up * s
    n = n * VectorLength.of_square(n.dot(n)).inverse
    _, inverse, _ = VectorLength.of_square(n.x * n.x + n.y * n.y)
    top = where(n.z < 0.0, -line.height, line.height)
    rim = Vec3(n.x * (inverse * line.radius), n.y * (inverse * line.radius), top)
    return _Leaving(n, line.distance(n), clamped(u.dot(rim - m), line.half))
