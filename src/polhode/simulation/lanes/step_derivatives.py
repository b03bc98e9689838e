"""Derivatives of steps of worlds: what the programs say at the impulses of the steps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from ...algorithms.stepping.contact_model import ContactModel
from ...algorithms.stepping.kept_impulses import IN_SLOT
from ...algorithms.stepping.touching import Shape, count
from ...compiler import Program
from ...once import kept
from .derivative_programs import DerivativePrograms, point_program
from .programs import StepPrograms
from .push_sensitivity import solve_pushes
from .sensitivity import (
    CHANGE,
    IMPULSE,
    MU,
    POINT_COLUMNS,
    ROW_COLUMNS,
    NearPoints,
    StepParts,
    add_wrenches,
    solve_steps,
)

IMPULSES_OF_SLOT = slice(1, IN_SLOT)


class StepMade(NamedTuple):
    """How steps of worlds ended: positions, velocities, and kept impulses."""

    q: np.ndarray
    qd: np.ndarray
    x: np.ndarray


class ShapePairs(NamedTuple):
    """Pairs of two kinds of shapes: the program of their points, and sizes by pair."""

    program: Program
    sizes: tuple[np.ndarray, ...]


class StepDerivatives:
    """How steps of a contact model change with the states where they begin, and with controls."""

    def __init__(self, programs: StepPrograms):
        pairs = programs.whole.pairs
        self._programs = programs
        self._made = made = DerivativePrograms(programs)
        counts = [count(pair.a.shape, pair.b.shape) for pair in pairs]
        self._first_point = np.array([0, *accumulate(counts)])
        self._pair_of_point = np.repeat(np.arange(len(pairs)), counts)
        number = {id(surface): k for k, surface in enumerate(made.surfaces)}
        place = {body: k for k, body in enumerate([0, *made.bodies])}
        sides = [[number[id(pair.a)], number[id(pair.b)]] for pair in pairs]
        bodies = [[place[pair.a.body], place[pair.b.body]] for pair in pairs]
        self._surfaces = np.array(sides, np.int64).reshape(-1, 2)
        self._bodies = np.array(bodies, np.int64).reshape(-1, 2)
        self._numbers = np.array([0, *made.bodies], np.int64)
        self._mu = np.array([float(pair.law.mu) for pair in pairs])
        self._kind_of_pair, self._kinds = _by_kinds(programs.whole)

    def of_states(self, given: Mapping[str, Any], made: StepMade) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of the states after steps, by states before them and by controls.

        ``given`` are the inputs of the steps, with one axis of worlds; ``dt`` is a number.
        """
        n_state = 2 * made.qd.shape[1]
        width = n_state + self._programs.inputs.get("controls", (0,))[0]
        found = self._solved(given, made, width, self._made.momentum)
        return found[:, :, :n_state], found[:, :, n_state:]

    def of_parameters(self, given: Mapping[str, Any], made: StepMade) -> dict[str, np.ndarray]:
        """The same by each parameter, whose axes come last."""
        n, nv = made.qd.shape
        shapes = self._programs.parameters
        sizes = [math.prod(shape) for shape in shapes.values()]
        ends = list(accumulate(sizes, initial=nv))
        starts = dict(zip(shapes, ends, strict=False))
        columns = [starts.get("mu_coulomb", -1), *[-1] * self._made.n_rows]
        if "friction" in starts:
            for r, friction in enumerate(self._programs.whole.frictions):
                columns[1 + r] = starts["friction"] + friction.entry
        found = self._solved(given, made, ends[-1], self._made.by_parameters, columns)
        return {
            name: found[:, :, start : start + size].reshape(n, 2 * nv, *shapes[name])
            for (name, start), size in zip(starts.items(), sizes, strict=True)
        }

    def _solved(
        self, given: Mapping[str, Any], made: StepMade, width: int, momentum: Program,
        columns: Sequence[int] | None = None,
    ) -> np.ndarray:  # fmt: skip
        """Derivatives of the states after steps, by positions and what ``momentum`` has beside."""
        own = [given[name] for name in self._programs.inputs if name != "x"]
        parts, poses = self._parts(own, made, width, columns)
        points = self._points(poses, made.x, given.get("mu_coulomb"))
        self._put_momentum(parts, points, own, given["dt"], momentum)
        d_after = np.empty_like(parts.momentum)
        solve_steps(parts, points, given["dt"], d_after)
        return self._advanced(given, made, parts, points, d_after)

    def _parts(
        self, own: Sequence[np.ndarray], made: StepMade, width: int, columns: Sequence[int] | None
    ) -> tuple[StepParts, np.ndarray]:
        """All but the derivatives of the momentum, and poses of surfaces."""
        n, nv, here = len(made.qd), made.qd.shape[1], self._made
        found = here.parts.ufunc(*own, made.qd)
        matrix, *rest = found if isinstance(found, tuple) else (found,)
        parts = iter(rest)
        nothing = np.zeros((n, 0, nv))
        rows = np.zeros((n, 0, nv + ROW_COLUMNS)), nothing
        if here.n_rows:
            rows = next(parts), next(parts)
        moves = (next(parts), next(parts)) if here.bodies else (nothing, nothing)
        poses = next(parts, np.zeros((n, 0, 12)))
        axes, sways = (_with_world(x, len(here.bodies)) for x in moves)
        joints = np.ascontiguousarray(made.x[:, : here.n_rows])
        by_friction = np.array(columns or [-1] * (1 + here.n_rows), np.int64)
        laws = joints, self._programs.kinds.joints, by_friction
        momentum = np.zeros((n, nv, width))
        return StepParts(matrix, momentum, *rows, axes, sways, made.qd, *laws), poses

    def _put_momentum(
        self, parts: StepParts, points: NearPoints, own: Sequence[np.ndarray], dt: float,
        momentum: Program,
    ) -> None:  # fmt: skip
        """Fill the last columns with what a program has, at forces of contact and of joints."""
        n, n_bodies = len(parts.matrix), self._programs.whole.model.n_bodies
        wrenches = np.zeros((n, 6 * n_bodies))
        add_wrenches(points, self._numbers, dt, wrenches)
        impulses = [wrenches.reshape(n, n_bodies, 6)]
        if self._made.n_rows:
            impulses.append(parts.joints)
        found = momentum.ufunc(*own, parts.after, *impulses)
        found = found if isinstance(found, tuple) else (found,)
        n, nv, width = parts.momentum.shape
        flat = [x.reshape(n, nv, math.prod(x.shape[2:])) for x in found]
        first = width - sum(x.shape[2] for x in flat)
        np.concatenate(flat, axis=-1, out=parts.momentum[:, :, first:])

    def _points(self, poses: np.ndarray, x: np.ndarray, mu: np.ndarray | None) -> NearPoints:
        """The points in slots; ``mu`` is the friction of worlds, if it is their own."""
        rows = self._programs.kept
        slots = x[:, rows.n_joints : rows.n_impulses].reshape(len(x), sum(rows.n_slots), IN_SLOT)
        world, slot = np.nonzero(slots[..., 0] >= 0.0)
        chosen = slots[world, slot]
        number = chosen[:, 0].astype(np.int64)
        pair = self._pair_of_point[number]
        values = np.empty((len(world), POINT_COLUMNS))
        values[:, MU] = self._mu[pair] if mu is None else mu[world]
        values[:, IMPULSE:] = chosen[:, IMPULSES_OF_SLOT]
        frames = poses.reshape(len(x), len(self._made.surfaces), 4, 3)
        local = number - self._first_point[pair]
        kind = self._kind_of_pair[pair]
        for k, (program, sizes) in enumerate(self._kinds):
            at = np.flatnonzero(kind == k)
            if len(at):
                a, b = self._surfaces[pair[at]].T
                own = [size[pair[at]] for size in sizes]
                own += [frames[world[at], a], frames[world[at], b], np.zeros(6)]
                place, change = program.ufunc(*own)
                which = np.arange(len(at)), local[at]
                values[at, :CHANGE] = place[which]
                values[at, CHANGE:MU] = change[which].reshape(len(at), MU - CHANGE)
        first = np.searchsorted(world, np.arange(len(x) + 1))
        return NearPoints(first, self._bodies[pair], values)

    def _advanced(
        self, given: Mapping[str, Any], made: StepMade, parts: StepParts,
        points: NearPoints, d_after: np.ndarray,
    ) -> np.ndarray:  # fmt: skip
        """Derivatives of positions, then those of velocities."""
        n, nv, width = d_after.shape
        q, dt = given["q"], given["dt"]
        own = [given[name] for name in self._programs.parameters]
        pushes = np.empty((n, nv, nv))
        solve_pushes(parts, points, dt, pushes)
        found = np.empty((n, 2 * nv, width))
        d_q, found[:, nv:] = found[:, :nv], d_after
        d_q[:] = d_after
        d_q[:, :, :nv] += pushes
        if self._made.advance is None:
            d_q *= dt
            d_q[:, range(nv), range(nv)] += 1.0
        else:
            by_q, by_speed = self._made.advance.ufunc(q, dt, *own, made.qd, made.q)
            d_q[:] = by_speed @ d_q
            d_q[:, :, :nv] += by_q
        return found


def _with_world(of_bodies: np.ndarray, n_bodies: int) -> np.ndarray:
    """Rows of bodies after those of the world, which are zero."""
    n, _, nv = of_bodies.shape
    found = np.zeros((n, n_bodies + 1, 6 * nv))
    found[:, 1:] = of_bodies.reshape(n, n_bodies, 6 * nv)
    return found


def _by_kinds(whole: ContactModel) -> tuple[np.ndarray, list[ShapePairs]]:
    """Of each pair the number of its kind, and the kinds."""
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
        program = _point_program(*shapes[0])
        found.append(ShapePairs(program, tuple(x for x in sizes if x.shape[1])))
    return kind, found


def _kind(shape: Shape) -> tuple:
    """What is the same of all shapes that one program finds points of."""
    return shape.kind, shape.corners, shape.heights


_PROGRAMS: dict[tuple, Program] = {}


def _point_program(a: Shape, b: Shape) -> Program:
    """Made once for all contact models, but for those of hulls and height maps."""
    key = _kind(a), _kind(b)
    if a.corners or a.heights or b.corners or b.heights:
        return point_program(a, b)
    return kept(_PROGRAMS, key, lambda: point_program(a, b))
