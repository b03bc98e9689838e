"""How points of contact change while the first shape moves against the second."""

from __future__ import annotations

from ....spatial import Mat3, Transform, Vec3
from .pairs import points
from .shapes import Point, Shape


def moved_points(
    a: Shape, X_a: Transform, b: Shape, X_b: Transform, turn: Vec3, shift: Vec3
) -> list[Point]:
    """`points` after the first shape has moved by a small rotation vector, and a shift.

    Exact to first order, at zero: for derivatives.  The rotation is about the base origin.
    """
    E = Mat3.of([tuple(axis + turn.cross(axis)) for axis in X_a.E])
    return points(a, Transform(E, X_a.r + turn.cross(X_a.r) + shift), b, X_b)
