"""Points that may touch, and the few of them that do: every world has its own.

A robot has many points that may touch and few that do, in each world of a register others.  A step
looks at all of them, and solves for those in `Slots`, which are near.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...scalar import Scalar, gather, maximum, minimum, reciprocal, sqrt, when, where
from ...spatial import Motion, Vec3
from .contact_model import Pair
from .placed import PlacedBodies, movers_of, velocity_at
from .touching import FAR, points

NEAR = 1e-3
"""Gaps [m or rad] that are looked at beyond those that the step may close."""

SLOTS = 8
"""Points of a group that may be near at once; a world with more is left to the exact solver."""

SLOTS_BETWEEN_BODIES = 4
"""The same of a group in which none touches the world, if none of its pairs has more points."""

MOST_GROUPS = 24
"""Groups of points; all that is left over is one more."""


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


class Slots(NamedTuple):
    """The near points of a group in order.

    Attributes
    ----------
    members : list of int
        Numbers of the group's candidates.
    entries : set of int
        Velocities that move any of them.
    chosen : list of scalars
        The candidate in each slot, by its place in ``members``.
    place : list of scalars
        The slot of each member that is near.
    count : scalar
        How many are near, which may be more than there are slots.
    """

    members: list[int]
    entries: frozenset[int]
    chosen: list[Scalar]
    place: list[Scalar]
    count: Scalar


def candidates(
    placed: PlacedBodies, pairs: Sequence[Pair], free: Mapping[int, Motion], dt: Scalar
) -> list[Candidate]:
    """All points of all pairs; ``free`` are velocities of the bodies without impulses."""
    found = []
    for pair in pairs:
        pose_a, pose_b = placed.pose(pair.a), placed.pose(pair.b)
        motion = _motion(placed, pair, free)
        for point in points(pair.a.shape, pose_a, pair.b.shape, pose_b):
            u = velocity_at(motion, point.position)
            is_near = point.gap < NEAR - 2.0 * dt * minimum(point.normal.dot(u), 0.0)
            found.append(Candidate(pair, point.position, point.normal, u, point.gap, is_near))
    return found


def _motion(placed: PlacedBodies, pair: Pair, velocities: Mapping[int, Motion]) -> Motion:
    """Of the first surface against the second."""
    a, b = pair.a, pair.b
    motion = velocities[a.body] - velocities[b.body]
    return motion + placed.pose(a).to_parent(a.belt) - placed.pose(b).to_parent(b.belt)


def fastest(found: Sequence[Candidate]) -> Scalar:
    """The greatest speed of a point without impulses, of those that pairs have."""
    most: Scalar = 0.0
    for x in found:
        most = where(x.gap < FAR, maximum(most, x.velocity.dot(x.velocity)), most)
    return sqrt(most)


def overlooked(
    placed: PlacedBodies, found: Sequence[Candidate], v: Sequence[Scalar], dt: Scalar
) -> Scalar:
    """The greatest velocity by which a point that is not near overlaps where the step ends.

    Impulses elsewhere may drive a point to where it did not move; ``v`` are velocities with all
    impulses.
    """
    velocities, rate = placed.velocities(v), reciprocal(dt)
    worst: Scalar = 0.0
    for x in found:
        u = velocity_at(_motion(placed, x.pair, velocities), x.position)
        worst = where(x.is_near, worst, maximum(worst, -(x.gap * rate + x.normal.dot(u))))
    return worst


def grouped(
    placed: PlacedBodies, found: Sequence[Candidate]
) -> list[tuple[frozenset[int], list[int]]]:
    """Candidates by the velocities that move them: rows of a group have the same zeros.

    Points that fewer velocities move join a group that has all of these.
    """
    pairs = {(x.pair.a.body, x.pair.b.body) for x in found}
    movers = {(a, b): movers_of(placed.model, a, b) for a, b in pairs}
    of = [movers[x.pair.a.body, x.pair.b.body] for x in found]
    sizes = sorted(set(of), key=lambda entries: (-len(entries), sorted(entries)))
    groups: dict[frozenset[int], list[int]] = {}
    whole = frozenset().union(*of)
    for entries in sizes:
        if not any(entries <= group for group in groups):
            groups[entries if len(groups) < MOST_GROUPS else whole] = []
    for k, entries in enumerate(of):
        home = min((g for g in groups if entries <= g), key=lambda g: (len(g), sorted(g)))
        groups[home].append(k)
    return [(entries, members) for entries, members in groups.items() if members]


def slots(found: Sequence[Candidate], entries: frozenset[int], members: list[int]) -> Slots:
    """The candidates of a group that are near, in their order."""
    count: Scalar = 0.0
    touches_world = any(0 in (found[k].pair.a.body, found[k].pair.b.body) for k in members)
    of_pairs = Counter(id(found[k].pair) for k in members)
    is_wide = touches_world or max(of_pairs.values()) > SLOTS_BETWEEN_BODIES
    most = SLOTS if is_wide else SLOTS_BETWEEN_BODIES
    chosen: list[Scalar] = [0.0] * min(most, len(members))
    place: list[Scalar] = []
    for k, number in enumerate(members):
        place.append(count)

        def take(count, chosen, k=k):
            return count + 1.0, [
                where(count == float(s), float(k), c) for s, c in enumerate(chosen)
            ]

        count, chosen = when(found[number].is_near, take, count, chosen)
    return Slots(members, entries, chosen, place, count)


def by_slot(values: Sequence[Scalar], slots: Slots) -> list[Scalar]:
    """The values of candidates in the slots of a group; ``values`` are those of all candidates."""
    own = [values[k] for k in slots.members]
    return [_entry(own, k) for k in slots.chosen]


def by_member(found: Sequence[Candidate], values: Sequence[Scalar], slots: Slots) -> list[Scalar]:
    """The values of the slots at the members of a group; zero for those that are not near."""
    return [
        when(found[number].is_near, lambda _, k=k: gather(values, k), 0.0)
        for number, k in zip(slots.members, slots.place, strict=True)
    ]


def _entry(values: Sequence[Scalar], k: Scalar) -> Scalar:
    """``values[k]``, without a look where all are the same."""
    first = values[0]
    same = isinstance(first, float) and all(isinstance(x, float) and x == first for x in values)
    return first if same else gather(values, k)
