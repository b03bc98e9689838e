"""Derivatives of steps of worlds: what the programs say at the impulses of the steps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from ...algorithms.stepping.candidates import NEAR
from .adjoint import StepWeights, weigh_steps
from .derivative_programs import DerivativePrograms
from .margins import put_margins
from .programs import StepPrograms
from .push_sensitivity import solve_pushes, weigh_pushes
from .sensitivity import PartDerivatives, solve_steps
from .step_parts import ROW_COLUMNS, NearPoints, StepParts
from .step_points import StepPoints
from .torques import put_torques
from .widening import (
    lessen_margins,
    put_widening,
    put_widening_slopes,
    solve_worlds,
    weigh_widening,
)


class StepMade(NamedTuple):
    """How steps of worlds ended: positions, velocities, and kept impulses.

    Their laws are relaxed by so much [J].
    """

    q: np.ndarray
    qd: np.ndarray
    x: np.ndarray
    relaxation: float = 0.0

    @property
    def is_lost(self) -> np.ndarray:
        """Which worlds have a state that is not finite: nothing is known of its derivatives."""
        return np.logical_not(np.isfinite(np.hstack([self.q, self.qd])).all(axis=1))


class StateWeights(NamedTuple):
    """Weights of positions, velocities and activation after steps, each of shape (n, ...)."""

    q: np.ndarray
    qd: np.ndarray
    activation: np.ndarray


class Balanced(NamedTuple):
    """Velocities of worlds, what steps fulfil with them, and impulses: wrenches, and of joints."""

    v: np.ndarray
    parts: StepParts
    impulses: list[np.ndarray]


class EndedSteps(NamedTuple):
    """Steps as they ended, what they fulfil there, and their points.

    ``overlaps`` are the parts and points of what was pushed out of overlaps.
    """

    made: StepMade
    there: Balanced
    points: NearPoints
    overlaps: tuple[StepParts, NearPoints]


class StepDerivatives:
    """How steps of a contact model change with the states where they begin, and with controls.

    ``given`` are the inputs of the steps, with one axis of worlds; ``dt`` is a number.  ``made``
    are the programs of their derivatives.
    """

    def __init__(self, programs: StepPrograms, made: DerivativePrograms | None = None):
        self.programs: StepPrograms = programs
        self.made: DerivativePrograms = made or DerivativePrograms(programs)
        self._points: StepPoints = StepPoints(programs, self.made)
        laws = [pair.law for pair in programs.whole.pairs]
        self._is_viscous: bool = any(law.viscous for law in laws)
        self._has_torques: bool = any(law.has_torques for law in laws)

    def of_states(self, given: Mapping[str, Any], made: StepMade) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of the states after steps, by states before them and by controls."""
        here = self.made
        sizes = [2 * made.qd.shape[1], self._n_activations]
        width = sum(sizes) + self.programs.inputs.get("controls", (0,))[0]
        found = self._solved(given, made, width, here.by_state)
        if here.activation is not None:
            by = here.slopes(here.activation, here.by_state)
            later = by.ufunc(*(given[name] for name in here.own))
            np.concatenate(later, axis=-1, out=found[:, sizes[0] :])
        found[made.is_lost] = math.nan
        return found[:, :, : sum(sizes)], found[:, :, sum(sizes) :]

    def of_parameters(self, given: Mapping[str, Any], made: StepMade) -> dict[str, np.ndarray]:
        """The same by each parameter, whose axes come last."""
        n, nv = made.qd.shape
        here, shapes = self.made, self.programs.parameters
        by = [*here.moving, *(name for name in shapes if name not in here.moving)]
        sizes = [math.prod(shapes[name]) for name in by]
        ends = list(accumulate(sizes, initial=nv))
        starts = dict(zip(by, ends, strict=False))
        found = self._solved(given, made, ends[-1], by, self._friction_columns(starts))
        if here.activation is not None:
            slopes = here.slopes(here.activation, by)
            later = slopes.ufunc(*(given[name] for name in here.own))
            for x, start, size in zip(_outputs(later), ends, sizes, strict=False):
                found[:, 2 * nv :, start : start + size] = x.reshape(n, self._n_activations, size)
        found[made.is_lost] = math.nan
        columns = {name: slice(starts[name], starts[name] + size)
                   for name, size in zip(by, sizes, strict=True)}  # fmt: skip
        return {
            name: found[:, :, columns[name]].reshape(*found.shape[:2], *shape)
            for name, shape in shapes.items()
        }

    def weighted(
        self, given: Mapping[str, Any], made: StepMade, weights: StateWeights,
        names: tuple[str, ...],
    ) -> dict[str, np.ndarray]:  # fmt: skip
        """Derivatives of a weighted sum of states after steps, by states, controls, parameters."""
        here, by = self.made, [*self.made.by_state, *names]
        ended = self._ended(given, made)
        there, points = ended.there, ended.points
        to = self._weighed(given, ended, weights)
        found = self._reversed(given, (there, points), to, by)
        if self._is_viscous:
            free = self._free(given, there.parts)
            other = _no_weights(free.parts, points)
            weigh_widening(free.parts, points, given["dt"], to.widening, other)
            turned = np.swapaxes(free.parts.matrix, 1, 2).copy()
            solve_worlds(turned, other.momentum[..., None])
            for name, x in self._reversed(given, (free, points), other, by).items():
                found[name] += x
        if here.activation is not None:
            own = [given[name] for name in here.own]
            later = here.reverse(here.activation, by).ufunc(*own, weights.activation)
            for name, x in zip(by, later, strict=True):
                found[name] += x
        self._add_friction(to.friction, found)
        for x in found.values():
            x[made.is_lost] = math.nan
        return found

    def _reversed(
        self, given: Mapping[str, Any], balanced: tuple[Balanced, NearPoints], to: StepWeights,
        by: Sequence[str],
    ) -> dict[str, np.ndarray]:  # fmt: skip
        """What weights of a balance make of weights of what there is ``by``."""
        here, (there, points) = self.made, balanced
        moving = [name for name in here.moving if name in by]
        own = [given[name] for name in here.own]
        balance = here.reverse(here.balance, by)
        balance = balance.ufunc(*own, there.v, *there.impulses, -to.momentum)
        found = {name: np.array(x) for name, x in zip(by, _outputs(balance), strict=True)}
        found["q"] += to.q
        if here.moves:
            of_motions = to.motions[:, 1:].reshape(len(there.v), 6 * len(here.carriers))
            weights = np.hstack([to.rates, of_motions])
            place = [given[name] for name in here.place]
            names = ["q", *(name for name in moving if name == "frame")]
            later = here.reverse(here.rates, names).ufunc(*place, there.v, weights)
            for name, x in zip(names, _outputs(later), strict=True):
                found[name] += x
        if moving and self._points.n_points:
            place = [given[name] for name in here.place]
            spread = np.zeros((len(there.v), self._points.n_points, 7))
            spread[_worlds(points), points.number] = to.places
            later = here.reverse(here.places, moving).ufunc(*place, spread)
            for name, x in zip(moving, _outputs(later), strict=True):
                found[name] += x
        return found

    def _weighed(
        self, given: Mapping[str, Any], ended: EndedSteps, weights: StateWeights
    ) -> StepWeights:
        """Weights of what steps fulfil, by those of positions and velocities after them."""
        dt, here, made = given["dt"], self.made, ended.made
        parts, points = ended.there.parts, ended.points
        of_q, push = weights.q, dt * weights.q
        if here.advance is not None:
            own = [given[name] for name in here.place]
            moved = here.reverse(here.advance, ["q", "after"])
            of_q, push = moved.ufunc(*own, made.qd, made.q, weights.q)
        to = _no_weights(parts, points)
        to.q[:] = of_q
        weigh_steps(parts, points, dt, made.relaxation, weights.qd + push, to)
        weigh_pushes(*ended.overlaps, dt, np.ascontiguousarray(push), to.q)
        return to

    def _add_friction(self, weights: np.ndarray, found: Mapping[str, np.ndarray]) -> None:
        """Add the weights of friction to those of parameters."""
        if "mu_coulomb" in found:
            found["mu_coulomb"][:] += weights[:, 0]
        if "friction" in found:
            for r, friction in enumerate(self.programs.whole.frictions):
                found["friction"][:, friction.entry] += weights[:, 1 + r]

    def margins(self, given: Mapping[str, Any], made: StepMade) -> np.ndarray:
        """Least changes of velocities of rows at which their pieces change [m/s or rad/s]."""
        here, (n, _) = self.made, made.qd.shape
        ended = self._ended(given, made)
        there, points = ended.there, ended.points
        clear = np.zeros((n, 0))
        if self.programs.whole.pairs:
            place = [given[name] for name in here.place]
            clear = np.maximum(here.clearances.ufunc(*place, made.qd), 0.0)
            kept = self._points.slots(made.x)
            clear[kept.world, kept.number] = math.inf
        found = np.empty(n)
        put_margins(there.parts, points, clear, found)
        if self._is_viscous:
            lessen_margins(self._free(given, there.parts).parts, points, given["dt"], found)
        # Comparisons with NaN leave minima as they are: a lost state would be far from switches.
        found[made.is_lost] = math.nan
        return np.minimum(found, NEAR / given["dt"])

    def overlaps(self, given: Mapping[str, Any], made: StepMade) -> tuple[StepParts, NearPoints]:
        """The parts and points of what is pushed out of overlaps."""
        parts, poses = self._parts(given, made.qd, made.x[:, : self.made.n_rows])
        return parts, self._points.near(poses, self._points.slots(made.x), given)

    @property
    def _n_activations(self) -> int:
        return self.made.own.get("activation", (0,))[0]

    def _friction_columns(self, starts: Mapping[str, int]) -> list[int]:
        """The columns by friction of points, and by dry friction of each row of a joint."""
        columns = [starts.get("mu_coulomb", -1), *[-1] * self.made.n_rows]
        if "friction" in starts:
            for r, friction in enumerate(self.programs.whole.frictions):
                columns[1 + r] = starts["friction"] + friction.entry
        return columns

    def _solved(
        self, given: Mapping[str, Any], made: StepMade, width: int, by: Sequence[str],
        columns: Sequence[int] | None = None,
    ) -> np.ndarray:  # fmt: skip
        """Derivatives of the states after steps, by positions and what there is ``by``.

        Those of activation are left zero.
        """
        dt = given["dt"]
        ended = self._ended(given, made, columns)
        there, points = ended.there, ended.points
        momentum, rates, sways, places = self._slopes(given, (there, points), width, by)
        widening = np.zeros((0, width))
        if self._is_viscous:
            free = self._free(given, there.parts)
            of_free, _, free_sways, free_places = self._slopes(given, (free, points), width, by)
            d_free = -of_free
            solve_worlds(free.parts.matrix, d_free)
            widening = np.zeros((len(points.values), width))
            by_free = free_sways, free_places
            put_widening_slopes(free.parts, points, by_free, d_free, dt, widening)
        slopes = PartDerivatives(momentum, rates, sways, places, widening)
        d_after = np.empty_like(momentum)
        solve_steps(there.parts, points, slopes, dt, ended.made.relaxation, d_after)
        return self._advanced(given, ended, d_after)

    def _slopes(
        self, given: Mapping[str, Any], balanced: tuple[Balanced, NearPoints], width: int,
        by: Sequence[str],
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
        """Derivatives of a balance, of rates of rows, motions of carriers, places of points."""
        here, (there, points) = self.made, balanced
        n, nv = there.v.shape
        places = self._place_slopes(given, points, [x for x in here.moving if x in by])
        moves, n_carriers = nv + places.shape[2], len(here.carriers)
        rates, sways = np.zeros((n, here.n_rows, moves)), np.zeros((n, 1 + n_carriers, 6, moves))
        if here.moves:
            place = [given[name] for name in here.place]
            names = ["q", *(name for name in by if name == "frame")]
            found = here.slopes(here.rates, names).ufunc(*place, there.v)
            flat = [x.reshape(*x.shape[:2], math.prod(x.shape[2:])) for x in _outputs(found)]
            found = np.concatenate(flat, axis=-1)
            rates[:, :, : found.shape[2]] = found[:, : here.n_rows]
            of_carriers = found[:, here.n_rows :].reshape(n, n_carriers, 6, found.shape[2])
            sways[:, 1:, :, : found.shape[2]] = of_carriers
        momentum = np.zeros((n, nv, width))
        own = [given[name] for name in here.own]
        _put_last(momentum, here.slopes(here.balance, by).ufunc(*own, there.v, *there.impulses))
        return momentum, rates, sways.reshape(n, 1 + n_carriers, 6 * moves), places

    def _place_slopes(
        self, given: Mapping[str, Any], points: NearPoints, moving: Sequence[str]
    ) -> np.ndarray:
        """Derivatives of positions, normals and gaps of points by parameters."""
        n_points = len(points.number)
        if not (moving and self._points.n_points):
            sizes = [math.prod(self.programs.parameters[name]) for name in moving]
            return np.zeros((n_points, 7, sum(sizes)))
        place = [given[name] for name in self.made.place]
        found = _outputs(self.made.slopes(self.made.places, moving).ufunc(*place))
        near = [x[_worlds(points), points.number] for x in found]
        near = [x.reshape(n_points, 7, math.prod(x.shape[2:])) for x in near]
        return np.concatenate(near, axis=-1)

    def _ended(
        self, given: Mapping[str, Any], made: StepMade, columns: Sequence[int] | None = None
    ) -> EndedSteps:
        """The balance after steps, and their points."""
        parts, poses = self._parts(given, made.qd, made.x[:, : self.made.n_rows], columns)
        points = self._points.near(poses, self._points.slots(made.x), given)
        impulses = self._impulses(parts, points, given["dt"])
        if self._has_torques:
            own = [given[name] for name in self.made.own]
            missed = self.made.balance.ufunc(*own, made.qd, *impulses)
            put_torques(parts, points, missed)
            impulses = self._impulses(parts, points, given["dt"])
        there = Balanced(made.qd, parts, impulses)
        if self._is_viscous:
            put_widening(self._free(given, parts).parts, points, given["dt"])
        return EndedSteps(made, there, points, (parts, points))

    def _free(self, given: Mapping[str, Any], parts: StepParts) -> Balanced:
        """The balance without impulses."""
        here, n = self.made, len(parts.matrix)
        impulses = [np.zeros((n, *here.impulses[name])) for name in here.impulses]
        own = [given[name] for name in here.own]
        missed = here.balance.ufunc(*own, given["qd"], *impulses)
        solve_worlds(parts.matrix, missed[..., None])
        v = given["qd"] - missed
        moved = here.rates.ufunc(*(given[name] for name in here.place), v)
        motions = _with_world(moved[:, here.n_rows :], len(here.carriers), 6)
        return Balanced(v, parts._replace(motions=motions), impulses)

    def _parts(
        self, given: Mapping[str, Any], after: np.ndarray, joints: np.ndarray,
        columns: Sequence[int] | None = None,
    ) -> tuple[StepParts, np.ndarray]:  # fmt: skip
        """What steps fulfil at velocities ``after`` them, and poses of surfaces."""
        (n, nv), here = after.shape, self.made
        found = here.parts.ufunc(*(given[name] for name in here.own), after)
        matrix, *rest = _outputs(found)
        parts = iter(rest)
        rows = next(parts) if here.n_rows else np.zeros((n, 0, nv + ROW_COLUMNS))
        axes = next(parts) if here.bodies else np.zeros((n, 0, nv))
        motions = next(parts) if here.carriers else np.zeros((n, 0))
        poses = next(parts, np.zeros((n, 0, 12)))
        by_friction = np.array(columns or [-1] * (1 + here.n_rows), np.int64)
        whole = StepParts(
            matrix, rows, _with_world(axes, len(here.bodies), 6 * nv),
            _with_world(motions, len(here.carriers), 6), np.ascontiguousarray(joints),
            here.kinds, by_friction,
        )  # fmt: skip
        return whole, poses

    def _impulses(self, parts: StepParts, points: NearPoints, dt: float) -> list[np.ndarray]:
        """What bears on bodies and joints in the steps: wrenches, and impulses of rows."""
        joints = [parts.joints] if self.made.n_rows else []
        return [self._points.wrenches(points, dt), *joints]

    def _advanced(
        self, given: Mapping[str, Any], ended: EndedSteps, d_after: np.ndarray
    ) -> np.ndarray:
        """Derivatives of positions, then those of velocities; room for those of activation."""
        n, nv, width = d_after.shape
        dt, here, made = given["dt"], self.made, ended.made
        pushes = np.empty((n, nv, nv))
        solve_pushes(*ended.overlaps, dt, pushes)
        found = np.zeros((n, 2 * nv + self._n_activations, width))
        d_q, found[:, nv : 2 * nv] = found[:, :nv], d_after
        d_q[:] = d_after
        d_q[:, :, :nv] += pushes
        if here.advance is None:
            d_q *= dt
            d_q[:, range(nv), range(nv)] += 1.0
        else:
            advance = here.slopes(here.advance, ["q", "after"])
            place = [given[name] for name in here.place]
            by_q, by_speed = advance.ufunc(*place, made.qd, made.q)
            d_q[:] = by_speed @ d_q
            d_q[:, :, :nv] += by_q
        return found


def _no_weights(parts: StepParts, points: NearPoints) -> StepWeights:
    n, n_rows, _ = parts.rows.shape
    nv = parts.matrix.shape[1]
    return StepWeights(
        np.zeros((n, nv)), np.zeros((n, nv)), np.zeros((n, n_rows)), np.zeros(parts.motions.shape),
        np.zeros((n, 1 + n_rows)), np.zeros(len(points.values)), np.zeros((len(points.values), 7)),
    )  # fmt: skip


def _worlds(points: NearPoints) -> np.ndarray:
    """The world of each point."""
    return np.repeat(np.arange(len(points.first) - 1), np.diff(points.first))


def _outputs(found: Any) -> tuple[np.ndarray, ...]:
    """What a program has put out, of which there may be one."""
    return found if isinstance(found, tuple) else (found,)


def _put_last(to: np.ndarray, found: Any) -> None:
    """Fill the last columns with what a program has."""
    n, nv, width = to.shape
    flat = [x.reshape(n, nv, math.prod(x.shape[2:])) for x in _outputs(found)]
    first = width - sum(x.shape[2] for x in flat)
    np.concatenate(flat, axis=-1, out=to[:, :, first:])


def _with_world(rows: np.ndarray, n_rows: int, size: int) -> np.ndarray:
    """Rows after that of the world, which is zero."""
    found = np.zeros((len(rows), n_rows + 1, size))
    found[:, 1:] = rows.reshape(len(rows), n_rows, size)
    return found
