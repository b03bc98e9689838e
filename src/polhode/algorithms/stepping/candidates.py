"""Points that may touch, and whether a step may close their gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...scalar import Scalar, maximum, minimum, reciprocal, sqrt, where
from ...spatial import Motion, Vec3
from .contact_model import Pair
from .greatest import greatest
from .placed import PlacedBodies, velocity_at
from .touching import FAR, Point, points

NEAR = 1e-3
"""Gaps [m or rad] that are looked at beyond those that the step may close."""

TOUCHING = 1e-9
"""Gaps up to this [m] are closed: those of points on one face differ by rounding.

Else other points would carry the load in each step, and a grasp would end at a single one.
"""

Velocities = Mapping[int, Motion]
"""Of bodies, about the base origin."""


class Candidate(NamedTuple):
    """A point of a pair.

    ``velocity`` is that of the first surface against the second without impulses.
    """

    pair: Pair
    position: Vec3
    normal: Vec3
    velocity: Vec3
    gap: Scalar
    is_near: Scalar


def candidates(
    placed: PlacedBodies, pairs: Sequence[Pair], free: Velocities, dt: Scalar
) -> list[Candidate]:
    """All points of all pairs; ``free`` are velocities of the bodies without impulses."""
    return [
        candidate(placed, pair, point, [free], dt)
        for pair in pairs
        for point in points(pair.a.shape, placed.pose(pair.a), pair.b.shape, placed.pose(pair.b))
    ]


def candidate(
    placed: PlacedBodies, pair: Pair, point: Point, velocities: Sequence[Velocities], dt: Scalar
) -> Candidate:
    """A point of a pair, near if any of some velocities may close its gap; the first are free."""
    found = [velocity_at(motion_of(placed, pair, v), point.position) for v in velocities]
    approach: Scalar = 0.0
    for u in found:
        approach = minimum(approach, point.normal.dot(u))
    is_near = point.gap < NEAR - 2.0 * dt * approach
    return Candidate(pair, point.position, point.normal, found[0], point.gap, is_near)


def waiting(gap: Scalar, dt: Scalar) -> Scalar:
    """The velocity at which a gap closes with the step's end."""
    return where(gap > TOUCHING, gap, 0.0) / dt


def motion_of(placed: PlacedBodies, pair: Pair, velocities: Velocities) -> Motion:
    """Of the first surface against the second."""
    return velocities[pair.a.body] - velocities[pair.b.body] + belt_motion(placed, pair)


def belt_motion(placed: PlacedBodies, pair: Pair) -> Motion:
    """What surfaces that move against their bodies add to `motion_of`."""
    return placed.pose(pair.a).to_parent(pair.a.belt) - placed.pose(pair.b).to_parent(pair.b.belt)


def fastest(found: Sequence[Candidate]) -> Scalar:
    """The greatest speed of a point without impulses, of those that pairs have."""
    most: Scalar = 0.0
    for x in found:
        most = where(x.gap < FAR, maximum(most, x.velocity.dot(x.velocity)), most)
    return sqrt(most)


def overlooked(
    placed: PlacedBodies, found: Sequence[Candidate], after: Velocities, dt: Scalar
) -> Scalar:
    """The greatest velocity by which a point that is not near overlaps where the step ends.

    Impulses elsewhere may drive a point to where it did not move; ``after`` are velocities with
    all impulses.
    """
    rate, overlaps = reciprocal(dt), [0.0]
    for x in found:
        u = velocity_at(motion_of(placed, x.pair, after), x.position)
        overlaps.append(where(x.is_near, 0.0, -(x.gap * rate + x.normal.dot(u))))
    return greatest(overlaps)
