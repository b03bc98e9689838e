"""Points of contact of steps of worlds: where they are, how they move, and their laws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from ...algorithms.stepping.candidates import TOUCHING
from ...algorithms.stepping.contact_model import ContactModel, Surface
from ...algorithms.stepping.kept_impulses import IN_SLOT
from ...algorithms.stepping.touching import FAR, Shape, count
from ...compiler import Program
from ...once import kept
from .derivative_programs import Carrier, DerivativePrograms, carrier_of, point_program
from .programs import StepPrograms
from .step_parts import (
    CHANGE,
    CLOSING,
    COMPLIANCE,
    GAP,
    IMPULSE,
    MU,
    POINT_COLUMNS,
    TORQUE,
    TORSIONAL,
    VISCOUS,
    NearPoints,
    add_wrenches,
)

IMPULSES_OF_SLOT = slice(1, IN_SLOT)


class ShapePairs(NamedTuple):
    """Pairs of two kinds of shapes: the program of their points, and sizes by pair."""

    program: Program
    sizes: tuple[np.ndarray, ...]


class PointSlots(NamedTuple):
    """Worlds, numbers and impulses of the points that steps keep."""

    world: np.ndarray
    number: np.ndarray
    x: np.ndarray


class StepPoints:
    """The points of a contact model, in steps of worlds."""

    def __init__(self, programs: StepPrograms, made: DerivativePrograms):
        pairs = programs.whole.pairs
        self._rows = programs.kept
        self._n_bodies = programs.whole.model.n_bodies
        counts = [count(pair.a.shape, pair.b.shape) for pair in pairs]
        self._first_point = np.array([0, *accumulate(counts)])
        self.n_points: int = int(self._first_point[-1])
        self._pair_of_point = np.repeat(np.arange(len(pairs)), counts)
        number = {id(surface): k for k, surface in enumerate(made.surfaces)}
        body = {body: k for k, body in enumerate([0, *made.bodies])}
        carrier = {each: k for k, each in enumerate([Carrier(0), *made.carriers])}
        sides = [(pair.a, pair.b) for pair in pairs]
        self._n_surfaces = len(number)
        self._surfaces = _numbered(sides, lambda x: number[id(x)])
        self._bodies = _numbered(sides, lambda x: body[x.body])
        self._carriers = _numbered(sides, lambda x: carrier[carrier_of(x)])
        self._numbers = np.array([0, *made.bodies], np.int64)
        self._laws = PointLaws(programs.whole)
        rises = "heights" in programs.parameters
        self._kind_of_pair, self._kinds = _by_kinds(programs.whole, rises)

    def slots(self, x: np.ndarray) -> PointSlots:
        """Those of the impulses ``x`` that steps keep."""
        rows = self._rows
        slots = x[:, rows.n_joints : rows.n_impulses].reshape(len(x), sum(rows.n_slots), IN_SLOT)
        world, slot = np.nonzero(slots[..., 0] >= 0.0)
        chosen = slots[world, slot]
        return PointSlots(world, chosen[:, 0].astype(np.int64), chosen[:, IMPULSES_OF_SLOT])

    def all(self, x: np.ndarray) -> PointSlots:
        """All points of all worlds, with the impulses ``x`` of those that steps keep."""
        n, kept, n_points = len(x), self.slots(x), self.n_points
        impulses = np.zeros((n, n_points, 3))
        impulses[kept.world, kept.number] = kept.x
        world, number = np.divmod(np.arange(n * n_points), max(n_points, 1))
        return PointSlots(world, number, impulses.reshape(n * n_points, 3))

    def near(self, poses: np.ndarray, slots: PointSlots, given: Mapping[str, Any]) -> NearPoints:
        """The points in slots, at poses of the surfaces of all worlds, but those there are not."""
        world, number, impulses = slots
        pair = self._pair_of_point[number]
        values = np.zeros((len(world), POINT_COLUMNS))
        n = len(poses)
        frames = poses.reshape(n, self._n_surfaces, 4, 3)
        local = number - self._first_point[pair]
        kind = self._kind_of_pair[pair]
        for k, (program, sizes) in enumerate(self._kinds):
            at = np.flatnonzero(kind == k)
            if len(at):
                a, b = self._surfaces[pair[at]].T
                own = [size[pair[at]] for size in sizes]
                if "heights" in program.inputs:
                    own.append(given["heights"][world[at]])
                own += [frames[world[at], a], frames[world[at], b], np.zeros(6)]
                place, change = program.ufunc(*own)
                which = np.arange(len(at)), local[at]
                values[at, :CHANGE] = place[which]
                values[at, CHANGE:MU] = change[which].reshape(len(at), MU - CHANGE)
        mu = given.get("mu_coulomb")
        self._laws.put(values, pair, impulses, None if mu is None else mu[world], given["dt"])
        there = ~(values[:, GAP] >= FAR)
        if not there.all():
            world, number, pair, values = world[there], number[there], pair[there], values[there]
        first = np.searchsorted(world, np.arange(n + 1))
        return NearPoints(first, number, self._bodies[pair], self._carriers[pair], values)

    def wrenches(self, points: NearPoints, dt: float) -> np.ndarray:
        """Mean wrenches on bodies over steps, about the base origin; shape (n, n_bodies, 6)."""
        found = np.zeros((len(points.first) - 1, 6 * self._n_bodies))
        add_wrenches(points, self._numbers, dt, found)
        return found.reshape(len(found), self._n_bodies, 6)


class PointLaws:
    """The laws of points, by pairs of surfaces."""

    def __init__(self, whole: ContactModel):
        laws = [pair.law for pair in whole.pairs]
        self._mu = np.array([float(x.mu) for x in laws])
        self._stiffness = np.array([x.stiffness for x in laws])
        self._damping = np.array([x.damping for x in laws])
        self._viscous = np.array([x.viscous for x in laws])
        self._arms = np.array([[x.torsional, x.rolling] for x in laws]).reshape(-1, 2)

    def put(
        self, values: np.ndarray, pair: np.ndarray, impulses: np.ndarray, mu: np.ndarray | None,
        dt: float,
    ) -> None:  # fmt: skip
        """Put friction, impulses and springs of points into `NearPoints.values`.

        ``mu`` is the friction of worlds, if it is their own.
        """
        values[:, MU] = self._mu[pair] if mu is None else mu
        values[:, IMPULSE:CLOSING] = impulses
        gap, stiffness = values[:, GAP], self._stiffness[pair]
        is_soft = stiffness > 0.0
        gain = np.where(is_soft, stiffness * dt + self._damping[pair], 1.0)
        rigid = np.where(gap > TOUCHING, 1.0 / dt, 0.0)
        values[:, CLOSING] = np.where(is_soft & (gap < 0.0), stiffness / gain, rigid)
        values[:, VISCOUS] = self._viscous[pair]
        values[:, TORSIONAL:TORQUE] = self._arms[pair]
        values[:, COMPLIANCE] = np.where(is_soft, 1.0 / (gain * dt), 0.0)


def _numbered(
    sides: Sequence[tuple[Surface, Surface]], number: Callable[[Surface], int]
) -> np.ndarray:
    """A number of each side of pairs, shape (pairs, 2)."""
    return np.array([[number(x) for x in pair] for pair in sides], np.int64).reshape(-1, 2)


def _by_kinds(whole: ContactModel, rises: bool) -> tuple[np.ndarray, list[ShapePairs]]:
    """Of each pair the number of its kind, and the kinds; heights may be those of worlds."""
    members: dict[tuple, list[int]] = {}
    for k, pair in enumerate(whole.pairs):
        members.setdefault((_kind(pair.a.shape), _kind(pair.b.shape)), []).append(k)
    kind = np.zeros(len(whole.pairs), np.int64)
    found = []
    for number, own in enumerate(members.values()):
        kind[own] = number
        shapes = [[whole.pairs[k].a.shape, whole.pairs[k].b.shape] for k in own]
        sizes = []
        for side in zip(*shapes, strict=True):
            table = np.zeros((len(whole.pairs), len(side[0].size)))
            table[own] = [shape.size for shape in side]
            sizes.append(table)
        a, b = shapes[0]
        program = _point_program(a, b, rises)
        found.append(ShapePairs(program, tuple(x for x in sizes if x.shape[1])))
    return kind, found


def _kind(shape: Shape) -> tuple:
    """What is the same of all shapes that one program finds points of."""
    return shape.kind, shape.corners, shape.heights


_PROGRAMS: dict[tuple, Program] = {}


def _point_program(a: Shape, b: Shape, rises: bool) -> Program:
    """Made once for all contact models, but for those of hulls and height maps."""
    key = _kind(a), _kind(b)
    if a.corners or a.heights or b.corners or b.heights:
        return point_program(a, b, rises)
    return kept(_PROGRAMS, key, lambda: point_program(a, b))
