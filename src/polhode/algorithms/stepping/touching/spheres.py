"""A sphere against another shape, by the signed distance of its centre.

Where a centre has no nearest point, the normal is an axis of the other shape.
"""

from __future__ import annotations

from typing import NamedTuple

from ....scalar import Scalar, absolute, maximum, minimum, sqrt, where
from ....spatial import Transform, Vec3
from .shapes import Point, Shape, VectorLength, choose


def ball_point(centre: Vec3, radius: Scalar, normal: Vec3, distance: Scalar) -> Point:
    """The contact of a ball whose centre is at a distance from a surface below it."""
    return Point(centre - normal * (0.5 * (distance + radius)), normal, distance - radius)


def clamped(x: Scalar, half: Scalar) -> Scalar:
    """The number from ``-half`` to ``half`` that is nearest to ``x``."""
    return minimum(maximum(x, -half), half)


def sphere_sphere(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """One point on the line of centres."""
    (radius,), (other,) = a.size, b.size
    distance, normal = _away(X_a.r - X_b.r, X_b.E.z)
    return [ball_point(X_a.r, radius, normal, distance - other)]


def sphere_capsule(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """One point, beside the nearest place of the capsule's axis."""
    (radius,), (other, _) = a.size, b.size
    distance, normal = _away(from_axis(X_a.r, b, X_b), X_b.E.x)
    return [ball_point(X_a.r, radius, normal, distance - other)]


def from_axis(at: Vec3, capsule: Shape, X: Transform) -> Vec3:
    """To a point from the nearest place of a capsule's axis."""
    v, axis = at - X.r, X.E.z
    return v - axis * clamped(v.dot(axis), capsule.size[1])


def sphere_box(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """One point, on the nearest face, edge or corner."""
    (radius,) = a.size
    distance, normal = box_distance(b.size, X_b.E @ (X_a.r - X_b.r))
    return [ball_point(X_a.r, radius, X_b.E.T @ normal, distance)]


def sphere_cylinder(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """One point, on the side, a cap or a rim."""
    (radius,), (other, half) = a.size, b.size
    z, rho, outward = _around(X_a, X_b)
    x, y = rho - other, absolute(z) - half
    past_x, past_y = maximum(x, 0.0), maximum(y, 0.0)
    past, inverse, is_outside = VectorLength.of_square(past_x * past_x + past_y * past_y)
    is_side = x >= y
    n_x = where(is_outside, past_x * inverse, where(is_side, 1.0, 0.0))
    n_y = where(is_outside, past_y * inverse, where(is_side, 0.0, 1.0))
    normal = outward * n_x + X_b.E.z * where(z < 0.0, -n_y, n_y)
    distance = where(is_outside, past, maximum(x, y))
    return [ball_point(X_a.r, radius, normal, distance)]


def sphere_cone(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """One point, on the side, the base, the rim or the tip."""
    (radius,), (other, half) = a.size, b.size
    z, rho, outward = _around(X_a, X_b)
    distance, n_rho, n_z = _cone_distance(other, half, rho, z)
    return [ball_point(X_a.r, radius, outward * n_rho + X_b.E.z * n_z, distance)]


def sphere_torus(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """One point, on the tube."""
    (radius,), (ring, tube) = a.size, b.size
    z, rho, outward = _around(X_a, X_b)
    distance, normal = _away(outward * (rho - ring) + X_b.E.z * z, X_b.E.z)
    return [ball_point(X_a.r, radius, normal, distance - tube)]


def _around(X_a: Transform, X_b: Transform) -> tuple[Scalar, Scalar, Vec3]:
    """Of a centre about the axis of another shape: height, distance, and direction away."""
    v, axis = X_a.r - X_b.r, X_b.E.z
    z = v.dot(axis)
    return z, *_away(v - axis * z, X_b.E.x)


def _cone_distance(
    radius: Scalar, half: Scalar, rho: Scalar, z: Scalar
) -> tuple[Scalar, Scalar, Scalar]:
    """Signed distance from a cone in a half-plane through its axis, and the normal there."""
    height, above = 2.0 * half, z + half  # from the base
    slant = sqrt(radius * radius + height * height)
    side_rho, side_z = height / slant, radius / slant
    to_side = (rho - radius) * side_rho + above * side_z
    is_base = -above >= to_side
    part = _share((radius - rho) * radius + above * height, slant * slant)
    off_base = _Off(maximum(rho - radius, 0.0), above)
    off_side = _Off(rho - (1.0 - part) * radius, above - part * height)
    is_nearer = (above < 0.0) & (off_base.square <= off_side.square)
    is_on_base = (to_side <= 0.0) | is_nearer
    off_rho = where(is_on_base, off_base.rho, off_side.rho)
    off_z = where(is_on_base, off_base.z, off_side.z)
    square = where(is_on_base, off_base.square, off_side.square)
    past, inverse, is_apart = VectorLength.of_square(square)
    is_outside = ((above < 0.0) | (to_side > 0.0)) & is_apart
    return (
        where(is_outside, past, maximum(-above, to_side)),
        where(is_outside, off_rho * inverse, where(is_base, 0.0, side_rho)),
        where(is_outside, off_z * inverse, where(is_base, -1.0, side_z)),
    )


class _Off(NamedTuple):
    """A vector in a half-plane through the axis."""

    rho: Scalar
    z: Scalar

    @property
    def square(self) -> Scalar:
        return self.rho * self.rho + self.z * self.z


def _share(part: Scalar, whole: Scalar) -> Scalar:
    return minimum(maximum(part / whole, 0.0), 1.0)


def box_distance(half: tuple[Scalar, ...], p: Vec3) -> tuple[Scalar, Vec3]:
    """Signed distance of a point from a box, and the outward normal there, in its coordinates."""
    past = [absolute(x) - h for x, h in zip(p, half, strict=True)]
    out = Vec3(*(maximum(x, 0.0) for x in past))
    distance, inverse, is_outside = VectorLength.of_square(out.dot(out))
    is_x = (past[0] >= past[1]) & (past[0] >= past[2])
    is_y = past[1] >= past[2]
    face = (
        where(is_x, 1.0, 0.0),
        where(is_x, 0.0, where(is_y, 1.0, 0.0)),
        where(is_x, 0.0, where(is_y, 0.0, 1.0)),
    )
    n = (where(is_outside, x * inverse, f) for x, f in zip(out, face, strict=True))
    normal = Vec3(*(where(x < 0.0, -m, m) for x, m in zip(p, n, strict=True)))
    depth = maximum(maximum(past[0], past[1]), past[2])
    return where(is_outside, distance, depth), normal


def _away(v: Vec3, otherwise: Vec3) -> tuple[Scalar, Vec3]:
    """VectorLength and direction of a vector; another unit vector where it has none."""
    length, inverse, is_positive = VectorLength.of_square(v.dot(v))
    return length, choose(is_positive, v * inverse, otherwise)
