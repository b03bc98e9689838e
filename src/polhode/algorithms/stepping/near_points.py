"""The few points of a world that are near, in slots; pairs that are apart in all lanes are skipped.

A robot has many points that may touch and few that do, in each world of a register others.  A step
looks at the pairs that speeds may bring together, and solves for the points in `Slots`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ...model import Model
from ...scalar import ANYTHING, Scalar, gather, guard, maximum, sqrt, when, where
from ...spatial import Vec3
from .candidates import NEAR, Candidate, Velocities, candidate, overlooked
from .contact_model import Pair
from .greatest import greatest
from .kept_impulses import KeptPoint, impulses_of
from .placed import PlacedBodies, movers_of, velocity_at
from .touching import GROUND, count, may_touch, points, reach
from .tree_elimination import trees_of

SLOTS = 8
"""Points of a group that may be near at once; a world with more is left to the exact solver."""

SLOTS_OF_TREES = 12
"""The same of a group that has points of a tree with the world, and with another tree."""

SLOTS_BETWEEN_BODIES = 4
"""The same of a group in which none touches the world, if none of its pairs has more points."""

MOST_GROUPS = 24
"""Groups of points; all that is left over is one more."""

FEW_PAIRS = 24
"""Pairs up to which those of spheres are looked at without asking whether they may touch."""

FASTER = 2.0
"""How much faster than without impulses bodies may be after them, for pairs that are skipped."""

EMPTY = -1.0  # the candidate in a slot without one


class PointGroup(NamedTuple):
    """Points that the same velocities move: their rows have the same zeros.

    Attributes
    ----------
    entries : set of int
        Velocities that move any of them.
    pairs : list of int
        Numbers of the group's pairs.
    most : int
        How many may be near at once.
    """

    entries: frozenset[int]
    pairs: list[int]
    most: int


class Visit(NamedTuple):
    """A pair in a step: whether it may touch in some world, and its points where it may.

    ``first`` is the number of its first point among those of all pairs.
    """

    pair: Pair
    first: int
    may_touch: Scalar
    points: list[Candidate]


class SlotPoint(NamedTuple):
    """A point in a slot, and its impulses in the last step."""

    position: Vec3
    normal: Vec3
    velocity: Vec3
    gap: Scalar
    x: list[Scalar]


class Slots(NamedTuple):
    """The near points of a group in order.

    Attributes
    ----------
    group : PointGroup
    members : dict
        The pair of each of the group's points, by its number.
    chosen : list of scalars
        The number of the point in each slot.
    points : list of SlotPoint
    count : scalar
        How many are near, which may be more than there are slots.
    """

    group: PointGroup
    members: dict[int, Pair]
    chosen: list[Scalar]
    points: list[SlotPoint]
    count: Scalar


def point_groups(model: Model, pairs: Sequence[Pair], most: int | None = None) -> list[PointGroup]:
    """Pairs by the velocities that move their points; all in one group with ``most`` slots.

    Points that fewer velocities move join a group that has all of these.
    """
    movers = {ends: movers_of(model, *ends) for ends in {(x.a.body, x.b.body) for x in pairs}}
    of = [movers[x.a.body, x.b.body] for x in pairs]
    if most is not None:
        n = sum(count(pair.a.shape, pair.b.shape) for pair in pairs)
        return [PointGroup(frozenset().union(*of), list(range(len(pairs))), min(most, n))]
    sizes = sorted(set(of), key=lambda entries: (-len(entries), sorted(entries)))
    groups: dict[frozenset[int], list[int]] = {}
    whole = frozenset().union(*of)
    for entries in sizes:
        if not any(entries <= group for group in groups):
            groups[entries if len(groups) < MOST_GROUPS else whole] = []
    for k, entries in enumerate(of):
        home = min((g for g in groups if entries <= g), key=lambda g: (len(g), sorted(g)))
        groups[home].append(k)
    tree = {k: t for t, own in enumerate(trees_of(model)) for k in own}
    return [
        PointGroup(entries, members, _most([pairs[k] for k in members], {tree[k] for k in entries}))
        for entries, members in groups.items()
        if members
    ]


def _most(pairs: Sequence[Pair], trees: set[int]) -> int:
    """Slots of a group of these pairs, which move some trees."""
    of_pairs = [count(pair.a.shape, pair.b.shape) for pair in pairs]
    total = sum(of_pairs)
    if any(0 in (pair.a.body, pair.b.body) for pair in pairs):
        return min(SLOTS_OF_TREES if len(trees) > 1 else SLOTS, total)
    return min(SLOTS if max(of_pairs) > SLOTS_BETWEEN_BODIES else SLOTS_BETWEEN_BODIES, total)


def visited(
    placed: PlacedBodies, pairs: Sequence[Pair], velocities: Sequence[Velocities], dt: Scalar
) -> tuple[list[Visit], Scalar]:
    """All pairs, and the deepest overlap of rigid points."""
    depth: Scalar = 0.0
    margin = NEAR + 2.0 * FASTER * dt * greatest_speed(placed, pairs, velocities)
    found, first = [], 0
    for pair in pairs:
        a, b, seen = pair.a.shape, pair.b.shape, []
        poses = placed.pose(pair.a), placed.pose(pair.b)

        def look(depth, pair=pair, poses=poses, seen=seen):
            for point in points(pair.a.shape, poses[0], pair.b.shape, poses[1]):
                seen.append(candidate(placed, pair, point, velocities, dt))
                if not pair.law.stiffness:
                    depth = maximum(-point.gap, depth)  # not -0.0 of what just touches
            return depth

        near = _turns_ground(pair) or guard(
            may_touch(a, poses[0], b, poses[1], margin, is_one_of_many=len(pairs) > FEW_PAIRS)
        )
        depth = when(near, look, depth)
        found.append(Visit(pair, first, near, seen))
        first += count(a, b)
    return found, depth


def _turns_ground(pair: Pair) -> bool:
    """Whether a shape without bounds moves, whose speed has none either."""
    return any(x.body and x.shape.kind in GROUND for x in (pair.a, pair.b))


def greatest_speed(
    placed: PlacedBodies, pairs: Sequence[Pair], velocities: Sequence[Velocities]
) -> Scalar:
    """A speed that no point of a shape exceeds, by ``(a + b)^2 <= 2 (a^2 + b^2)``."""
    sides = {(x.name, x.body): x for pair in pairs for x in (pair.a, pair.b) if x.body}
    squares: list[Scalar] = [0.0]
    for surface in sides.values():
        at, far = placed.pose(surface).r, reach(surface.shape)
        for of_bodies in velocities:
            motion = of_bodies[surface.body]
            v, w = velocity_at(motion, at), motion.ang
            squares.append(v.dot(v) + far * far * w.dot(w))
    return sqrt(2.0 * greatest(squares))


def missed(
    placed: PlacedBodies,
    visits: Sequence[Visit],
    velocities: Sequence[Velocities],
    v: Sequence[Scalar],
    dt: Scalar,
) -> Scalar:
    """As `overlooked`; infinite where bodies are faster than skipped pairs were looked at for."""
    after = placed.velocities(v)
    overlaps: list[Scalar] = [0.0]
    for visit in visits:

        def look(_, visit=visit):
            return overlooked(placed, visit.points, after, dt)

        overlaps.append(when(visit.may_touch, look, 0.0))
    worst = greatest(overlaps)
    if all(visit.may_touch is True for visit in visits):
        return worst
    pairs = [visit.pair for visit in visits]
    fast = greatest_speed(placed, pairs, [after]) > FASTER * greatest_speed(
        placed, pairs, velocities
    )
    return where(fast, math.inf, worst)


def slots_of(group: PointGroup, visits: Sequence[Visit], kept: Sequence[KeptPoint]) -> Slots:
    """The near points of a group; ``kept`` are impulses of the group in the last step."""
    members: dict[int, Pair] = {}
    is_near: dict[int, Scalar] = {}
    records: dict[int, list[Scalar]] = {}
    for visit in (visits[k] for k in group.pairs):
        for k in range(count(visit.pair.a.shape, visit.pair.b.shape)):
            members[visit.first + k] = visit.pair
        for k, point in enumerate(visit.points, visit.first):
            holds = visit.may_touch
            is_near[k] = point.is_near if holds is True else holds & point.is_near
            records[k] = [*point.position, *point.normal, *point.velocity, point.gap]
    first = next(iter(records.values()), [0.0] * 10)
    empty = [a if _is_same(a, [r[f] for r in records.values()]) else ANYTHING
             for f, a in enumerate(first)]  # fmt: skip
    total: Scalar = 0.0
    chosen: list[Scalar] = [EMPTY] * group.most
    table = [list(empty) for _ in chosen]
    for k, record in records.items():

        def take(total, chosen, table, k=k, record=record):
            here = [total == float(s) for s in range(group.most)]
            chosen = [where(h, float(k), c) for h, c in zip(here, chosen, strict=True)]
            table = [[where(h, new, old) for new, old in zip(record, row, strict=True)]
                     for h, row in zip(here, table, strict=True)]  # fmt: skip
            return total + 1.0, chosen, table

        total, chosen, table = when(is_near[k], take, total, chosen, table)
    found = []
    for s, (number, r) in enumerate(zip(chosen, table, strict=True)):

        def before(*_, number=number):
            return impulses_of(number, kept)

        x = when(total > float(s), before, [0.0, 0.0, 0.0])
        found.append(SlotPoint(Vec3(*r[:3]), Vec3(*r[3:6]), Vec3(*r[6:9]), r[9], x))
    return Slots(group, members, chosen, found, total)


def _is_same(x: Scalar, others: Sequence[Scalar]) -> bool:
    return isinstance(x, float) and all(isinstance(y, float) and x == y for y in others)


def of_slot(values: Sequence[Scalar], slots: Slots, s: int) -> Scalar:
    """Which of some values, one of each member, is that of the point in a slot."""
    first = values[0]
    if _is_same(first, values):
        return first
    numbers = list(slots.members)
    if numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        return gather(values, slots.chosen[s] - float(numbers[0]))
    place = {k: float(n) for n, k in enumerate(numbers)}
    return gather(values, gather([place.get(k, 0.0) for k in range(numbers[-1] + 1)],
                                 slots.chosen[s]))  # fmt: skip
