"""Whether two shapes may be near: by spheres about their origins, round ones by their axes."""

from __future__ import annotations

from functools import reduce
from itertools import chain

from ....scalar import Scalar, guard, maximum, sqrt
from ....spatial import Transform
from .capsules import distance_squared
from .shapes import Kind, Shape
from .spheres import from_axis

GROUND = Kind.PLANE, Kind.HEIGHT_MAP
"""Shapes without bounds, or that are looked at as if they had none."""


def is_near(a: Shape, X_a: Transform, b: Shape, X_b: Transform, margin: Scalar) -> Scalar:
    """Whether a shape may be nearer to another, or to ground, than the margin."""
    v = X_a.r - X_b.r
    if b.kind in GROUND:
        top = 0.0 if b.kind is Kind.PLANE else _greatest(*chain(*b.heights))
        return X_b.E.z.dot(v) < top + reach(a) + margin
    most = reach(a) + reach(b) + margin
    near = v.dot(v) < most * most
    if b.kind is Kind.CAPSULE and a.kind in (Kind.SPHERE, Kind.CAPSULE):
        most = a.size[0] + b.size[0] + margin
        near = guard(near) & (_of_axes(a, X_a, b, X_b) < most * most)
    return near


def _of_axes(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> Scalar:
    """The square of the distance of a centre or axis from the axis of a capsule."""
    if a.kind is Kind.CAPSULE:
        return distance_squared(a, X_a, b, X_b)
    way = from_axis(X_a.r, b, X_b)
    return way.dot(way)


def reach(shape: Shape) -> Scalar:
    """The radius of a sphere about the origin that holds the shape."""
    size = shape.size
    match shape.kind:
        case Kind.SPHERE | Kind.CAPSULE | Kind.TORUS:
            return sum(size)
        case Kind.ELLIPSOID:
            return _greatest(*size)
        case Kind.HULL:
            return sqrt(_greatest(*(corner.dot(corner) for corner in chain(*shape.corners))))
    return sqrt(sum(x * x for x in size))


def _greatest(*scalars: Scalar) -> Scalar:
    return reduce(maximum, scalars)
