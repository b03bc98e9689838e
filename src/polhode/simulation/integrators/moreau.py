"""Moreau's time step of a scene: the program of roll-outs, for one world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...algorithms.stepping.touching import count
from ...api.dynamics import bias_forces
from ...errors import ModelError
from ..lanes.lowering import geometry_pairs, refusal
from ..lanes.one_world import OneWorld
from ..lanes.programs import StepPrograms, step_programs
from ..lanes.shown import Shown
from ..stepping.building import without_contact
from ..stepping.checkpointing import near_of, nothing_near
from ..stepping.clock import StepCount
from ..stepping.contacts import GAP, IMPULSE, N_REAL, NORMAL, POINT, A, B, Contacts
from ..stepping.coordinates import inward_force, to_model
from ..stepping.counter_indices import (
    LAST_STEP,
    LOOP_ERROR,
    N_MINI,
    N_SOLVES,
    N_UNCONVERGED,
    PENETRATION,
    PUSH_OUT,
    RESIDUAL,
    WORK,
)
from ..stepping.loop import NOTHING, Log, RecordedRows
from ..stepping.starts import Fault
from .event_driven import faults_at, not_finite
from .scene_integrator import SceneIntegrator

if TYPE_CHECKING:
    from ..stepping.simulator import Simulator

_MEMORY = {"q": "moreau_q", "qd": "moreau_qd", "x": "moreau_kept"}
"""How parts of the state are called in files.

Impulses were ``moreau_x`` when they were kept of all points.
"""

_NO_POINTS = np.zeros((0, 13))


class Recorded(NamedTuple):
    """A row of `RecordedRows`, and the columns of `Contacts`."""

    row: tuple[Any, ...]
    whole: np.ndarray
    real: np.ndarray


class MoreauSteps(SceneIntegrator):
    """Steps of first order: all impulses at once, at the end of the step.

    See `polhode.algorithms.stepping.moreau`.  The state is kept as the program has it, beside that
    in the simulator's coordinates.
    """

    def __init__(self, owner: Simulator):
        super().__init__(owner)
        scene = owner.scene if owner.has_contact else without_contact(owner.scene)
        why = refusal(scene)
        if why is None and owner._callables.filters:
            why = f"filters of contacts (scene '{owner.scene.name}')"
        if why is not None:
            raise ModelError(f"integrator 'moreau' has no {why}; use 'event_driven'")
        self.programs: StepPrograms = step_programs(scene)
        plan, model, fields = owner._plan, self.programs.whole.model, owner._fields
        free = plan.free_bodies
        shown = Shown(position=fields.position, velocity=fields.velocity,
                      order=plan.order_of_model, com=free.com, free=free.first)  # fmt: skip
        self.world: OneWorld = OneWorld(self.programs, shown)
        moving = {pair: place.body for pair, place in plan.places.items() if place.body >= 0}
        own = {body: model.body("/".join(pair)).moving - 1 for pair, body in moving.items()}
        self._of_plan, self._of_model = [*own], [*own.values()]
        place = {number: k for k, number in enumerate(owner._lowered.geometries)}
        numbers = [
            (place[i], place[j])
            for (i, j), pair in zip(geometry_pairs(scene), self.programs.whole.pairs,
                                    strict=True)
            for _ in range(count(pair.a.shape, pair.b.shape))
        ]  # fmt: skip
        self._geometries: np.ndarray = np.array(numbers, np.int64).reshape(-1, 2)

    @property
    def memory(self) -> dict[str, np.ndarray]:
        """The state in the coordinates of the program, and the impulses of the last step."""
        state = self.world.state
        return {key: state[name] for name, key in _MEMORY.items() if name in state}

    def faults(self, h: float) -> list[Fault]:
        """Take a state that was just set, and find what is wrong with it."""
        owner = self.owner
        found = faults_at(owner, h)
        owner._near = near_of(*nothing_near())
        for x in self.world.state.values():
            x[:] = 0.0
        state = self.world.state
        state["q"][:], state["qd"][:] = to_model(
            owner._plan, owner._fields.position, owner._fields.velocity
        )
        return found

    def advance(self, steps: StepCount, drive: np.ndarray | None) -> Log:
        """Make steps, with what they record."""
        if drive is not None:
            raise ValueError("expected integrator='event_driven' with the forces of each step, "
                             "got 'moreau'")  # fmt: skip
        rows, left, number = [], steps.count, steps.phase
        try:
            while left:
                due = steps.every - number % steps.every if steps.every > 0 else left + 1
                count = min(due - 1, left) or 1
                if due == 1:
                    rows.append(self._recorded(steps.h))
                else:
                    self._make(count, steps.h)
                left, number = left - count, number + count
        finally:
            self._note_openings()
        return self._log(rows) if steps.every else NOTHING

    def _make(self, count: int, h: float) -> None:
        """Make steps; with callables one by one, for they read the state and hold forces."""
        if not self._asks:
            self._advance(count, h)
            return
        for _ in range(count):
            self._ask()
            self._advance(1, h)
            self._note_openings()

    @property
    def _asks(self) -> bool:
        """Whether something acts that depends on the state."""
        callables = self.owner._callables
        acts = callables.controllers or callables.forces or callables.samples_actuation
        return bool(acts) or bool(self.owner._pushes.any())

    def _ask(self) -> None:
        """Hold the joint forces, wrenches and controls of now."""
        owner, world = self.owner, self.world
        callables, t = owner._callables, owner.current_time
        callables.step_begin = t
        callables.sample_actuation(t)
        q, model = world.state["q"], self.programs.whole.model
        world.tau[:] = callables.controlled_forces(t)
        wrenches = self._wrenches(t)
        if wrenches.any():
            still = np.zeros(model.nv)
            bare = bias_forces(model, q, still)
            world.tau += bare - bias_forces(model, q, still, f_ext=wrenches)

    def _wrenches(self, t: float) -> np.ndarray:
        """Wrenches on the bodies of the model, those that are held and those of forces."""
        owner = self.owner
        on_bodies = owner._pushes.copy()
        owner._callables.add_wrenches(t, on_bodies)
        found = np.zeros((self.programs.whole.model.n_bodies, 6))
        found[self._of_model] = on_bodies[self._of_plan]
        return found

    def _advance(self, count: int, h: float) -> None:
        """Make steps under what is held, and count them."""
        owner, world = self.owner, self.world
        actuation = owner._callables.actuation
        if actuation is not None:
            world.controls[:] = actuation.controls
            if "activation" in world.state:
                world.state["activation"][:] = actuation.activation
        before = world.unsolved[0]
        made = world.advance(count, h)
        owner._clock.count(made, h)
        if actuation is not None and "activation" in world.state:
            actuation.reach(owner.current_time, world.state["activation"])
        counters, totals = owner._fields.counters, owner._fields.totals
        counters[N_MINI] += made
        counters[N_SOLVES] += made if self.programs.layout.kinds else 0
        counters[N_UNCONVERGED] += world.unsolved[0] - before
        totals[LAST_STEP] = h
        for k, x in zip((WORK, PUSH_OUT), world.sums[:2].tolist(), strict=True):
            totals[k] += x
        for k, x in zip((PENETRATION, RESIDUAL), world.sums[2:].tolist(), strict=True):
            totals[k] = max(totals[k], x)
        world.sums[:] = 0.0
        if made < count:
            raise not_finite(owner)

    def _note_openings(self) -> None:
        """Note how far gears and loops are open."""
        whole, totals = self.programs.whole, self.owner._fields.totals
        if whole.gears or whole.closures:
            open_by = float(np.abs(self.programs.openings(self.world.state["q"])).max())
            totals[LOOP_ERROR] = max(totals[LOOP_ERROR], open_by)

    def _recorded(self, h: float) -> Recorded:
        """Make a step, and record where it ends and what acted in it."""
        owner, world = self.owner, self.world
        if self._asks:
            self._ask()
        given = [world.state[name].copy() for name in self.programs.state]
        given += [world.tau, *([world.controls] if world.controls.size else [])]
        self._advance(1, h)
        self._note_openings()
        forces = self.programs.record(*given, h, world.state["qd"])
        applied, passive, held, *points = forces
        fields, plan = owner._fields, owner._plan
        forces = (inward_force(plan, fields.position, x) for x in (applied, passive, held))
        row = (owner.current_time, fields.position.copy(), fields.velocity.copy(), *forces,
               float(fields.totals[WORK]))  # fmt: skip
        whole, real = self._contacts(points[0] if points else _NO_POINTS, h)
        impulses = np.zeros_like(fields.contact_impulse)
        for column, sign in ((A, h), (B, -h)):
            np.add.at(impulses, whole[:, column], sign * real[:, IMPULSE : IMPULSE + 3])
        return Recorded((*row, impulses), whole, real)

    def _contacts(self, points: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
        """Points that press or touch: the columns of `Contacts`, with forces as impulses."""
        axes = points[:, 3:12].reshape(-1, 3, 3)
        impulses = self.world.impulses()[-3 * len(points) :] if len(points) else np.zeros(0)
        impulses = impulses.reshape(-1, 3)
        near = impulses.any(axis=1) | (points[:, 12] <= self.owner._fields.thresh)
        whole, real = np.zeros((near.sum(), 4), np.int64), np.zeros((near.sum(), N_REAL))
        whole[:, [A, B]] = self._geometries[near]
        real[:, POINT : POINT + 3], real[:, NORMAL : NORMAL + 3] = points[near, :3], axes[near, 0]
        force = np.einsum("pa,pak->pk", impulses[near], axes[near]) / h
        real[:, IMPULSE : IMPULSE + 3], real[:, GAP] = force, points[near, 12]
        return whole, real

    def _log(self, found: list[Recorded]) -> Log:
        """What a call recorded."""
        n, nq, nv = len(found), self.owner._plan.nq, self.owner._plan.nv
        impulses = self.owner._fields.contact_impulse
        shapes = [(n,), (n, nq), *[(n, nv)] * 4, (n,), (n, *impulses.shape)]
        columns = zip(*(each.row for each in found), strict=True) if found else [()] * len(shapes)
        rows = [np.array(x, float).reshape(k) for x, k in zip(columns, shapes, strict=True)]
        if not n:
            return Log(n, RecordedRows(*rows), np.zeros(1, np.int64), nothing_near()[0])
        start = np.cumsum([0, *(len(each.whole) for each in found)])
        near = nothing_near()[0]
        whole = np.concatenate([near.whole, *(each.whole for each in found)])
        real = np.concatenate([near.real, *(each.real for each in found)])
        return Log(n, RecordedRows(*rows), start, Contacts(whole, real))
