"""The separating axis of two convex shapes among some directions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ....scalar import Scalar, absolute, maximum, sqrt, where
from ....spatial import Vec3
from .shapes import FAR, TINY, choose, vector

PARALLEL = 1e-6
"""Sine of the angle of two edges below which they have no common normal."""


class Axis(NamedTuple):
    """A direction along which two shapes may be apart.

    Attributes
    ----------
    direction : Vec3
        Of any length.
    way : scalar
        From the second centre to the first, times this length.
    reach : scalar
        Of both shapes from their centres, times this length.
    length : scalar
    """

    direction: Vec3
    way: Scalar
    reach: Scalar
    length: Scalar = 1.0


def normal_of_edges(edge: Vec3, k: int) -> tuple[Vec3, Scalar]:
    """The product of an edge and the unit vector of axis ``k``, and its length."""
    i, j = (k + 1) % 3, (k + 2) % 3
    length = sqrt(maximum(edge[i] * edge[i] + edge[j] * edge[j], TINY))
    return vector((i, edge[j]), (j, -edge[i])), length


def greatest_separation(axes: Iterable[Axis], slack: Scalar) -> tuple[Scalar, Vec3]:
    """The separation along the best of some axes, and the unit vector from the second shape.

    An axis goes before later ones that are not better by more than the slack.
    """
    best, n, scale = -FAR, Vec3.zero(), 1.0
    for direction, way, reach, length in axes:
        inverse = 1.0 / length
        apart = (absolute(way) - reach) * inverse
        is_best = (apart > best + slack) & (length > PARALLEL)
        best, n = where(is_best, apart, best), choose(is_best, direction, n)
        scale = where(is_best, where(way < 0.0, -inverse, inverse), scale)
    return best, n * scale
