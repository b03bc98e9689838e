"""Smooth motion of scenes without contact, by any of the smooth integrators."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ModelError
from ...model.inertias import told_undetermined
from ..errors import SimulationError
from ..motion_state import MotionState
from ..smooth.dynamics import SceneDrive
from ..stepping.checkpointing import nothing_near
from ..stepping.counter_indices import LOOP_ERROR
from ..stepping.starts import Fault, faults_of
from . import FIXED_STEP, SCIPY, Integrator
from .adaptive import Adaptive, Flight
from .event_driven import EventDriven
from .moby import ExplicitEuler, PositionsFirst
from .scene_integrator import SceneIntegrator

if TYPE_CHECKING:
    from ..stepping.clock import StepCount
    from ..stepping.loop import Log
    from ..stepping.simulator import Simulator

Row = tuple[Any, ...]
"""The columns of `polhode.simulation.stepping.loop.RecordedRows`."""


class SmoothSteps(SceneIntegrator):
    """What integrators of smooth motion have in common."""

    def __init__(self, owner: Simulator):
        super().__init__(owner)
        self.drive: SceneDrive = SceneDrive(owner)

    def faults(self, h: float) -> list[Fault]:
        """What is wrong with a state that was just set: only loops and gears can be."""
        drive = self.drive
        if not len(drive.couplings):
            return []
        return faults_of(self.owner, nothing_near(), drive.couplings.rows(*drive.state()[1:3]).err)

    def advance(self, steps: StepCount, drive: np.ndarray | None) -> Log:
        """Make steps, with what they record."""
        from ..stepping.loop import Log, RecordedRows

        if drive is not None:
            raise ValueError("expected integrator='event_driven' with the forces of each "
                             f"step, got '{self.owner.integrator}'")  # fmt: skip
        rows = self._make(steps)
        self.owner._is_fresh = False
        n, nq, nv = len(rows), self.owner._plan.nq, self.owner._plan.nv
        shapes = [(n,), (n, nq), *[(n, nv)] * 4, (n,)]
        columns = zip(*rows, strict=True) if rows else [()] * len(shapes)
        arrays = (np.array(x, float).reshape(k) for x, k in zip(columns, shapes, strict=True))
        return Log(n, RecordedRows(*arrays), np.zeros(n + 1, np.int64), nothing_near()[0])

    @abstractmethod
    def _make(self, steps: StepCount) -> list[Row]:
        """Make steps; rows after each whose number is a multiple of ``every``."""

    def _project(self, q: np.ndarray, qd: np.ndarray) -> None:
        """Bring loops and gears together, in place, and report what is left."""
        totals = self.owner._fields.totals
        totals[LOOP_ERROR] = max(totals[LOOP_ERROR], self.drive.project(q, qd))


class FixedSteps(SmoothSteps):
    """Steps of a fixed length, loops and gears brought together after each."""

    def __init__(self, owner: Simulator, integrator: str):
        super().__init__(owner)
        if integrator == "moby":
            is_stepped = owner.scene.settings.kind == "time-stepping"
            self._method: Integrator = (PositionsFirst if is_stepped else ExplicitEuler)(self.drive)
        else:
            self._method = FIXED_STEP[integrator](self.drive)
        self._projects: bool = integrator != "moby"

    def _make(self, steps: StepCount) -> list[Row]:
        drive, owner, rows = self.drive, self.owner, []
        state = drive.state()
        if owner._is_fresh:
            drive.project(state.q, state.qd)
        for number in range(steps.phase + 1, steps.phase + steps.count + 1):
            owner._callables.step_begin = state.time
            owner._callables.sample_actuation(state.time)
            after = self._stepped(state, steps.h)
            owner._clock.count(1, steps.h)
            drive.put_state(after._replace(time=owner.current_time))
            state = drive.state()  # as it would be in another call
            if steps.every > 0 and number % steps.every == 0:
                rows.append(drive.row(state))
        return rows

    def _stepped(self, state: MotionState, h: float) -> MotionState:
        """The state after a step, loops and gears closed, velocities reduced by dissipation."""
        with np.errstate(over="ignore", invalid="ignore"):
            after = self._method.step(state, h)
            if self._projects:
                self._project(after.q, after.qd)
        if not (np.isfinite(after.q).all() and np.isfinite(after.qd).all()):
            advice = told_undetermined(self.drive.model) or "try a shorter step"
            raise SimulationError(
                f"the motion is not finite any more after t = {state.time:g} s; {advice} "
                f"(scene '{self.owner.scene.name}')"
            )
        return after._replace(qd=after.qd * self.drive.kept)


class AdaptiveSteps(SmoothSteps):
    """SciPy's `solve_ivp`, with dense output and events."""

    chooses_steps = True

    def __init__(self, owner: Simulator, method: str, rtol: Any, atol: Any):
        super().__init__(owner)
        self.method: str = method
        self.rtol = rtol
        self.atol = atol
        if owner.scene.dissipation is not None:
            raise ModelError(
                "a dissipation acts once in each step: expected integrator 'event_driven', "
                f"'symplectic', 'rk4' or 'moby', got '{method}' (scene '{owner.scene.name}')"
            )
        if owner._callables.is_sampled:
            raise ModelError(
                "a sampled controller of a scene needs steps of fixed length: expected integrator "
                f"'event_driven', 'symplectic' or 'rk4', got '{method}' (scene "
                f"'{owner.scene.name}')"
            )

    def _make(self, steps: StepCount) -> list[Row]:
        """Go on by the time of the steps.

        Controls and activation hold from step to step, where they change.
        """
        if not self.owner._callables.samples_actuation:
            return self._make_at_once(steps)
        rows, owner = [], self.owner
        for k in range(steps.count):
            owner._callables.sample_actuation(owner.current_time)
            rows += self._make_at_once(steps._replace(count=1, phase=steps.phase + k))
        return rows

    def _make_at_once(self, steps: StepCount) -> list[Row]:
        """Go on by the time of the steps; rows are read from the dense output."""
        h, count, every, phase = steps
        drive, owner = self.drive, self.owner
        start = owner.current_time
        wanted = [i + 1 for i in range(count) if every > 0 and (phase + i + 1) % every == 0]
        solver, found = self._solved(start + count * h, ())
        times = (start + k * h for k in wanted)
        rows = [drive.row(MotionState(t, *solver.split(found.sol(t)))) for t in times]
        state = drive.state()
        owner._clock.count(count, h)
        drive.put_state(state._replace(time=owner.current_time))
        return rows

    def solve(self, end: float, events: Sequence[Callable[..., float]]) -> Flight:
        """Go on to the time ``end`` or an event that ends it."""
        if self.owner._callables.samples_actuation:
            raise ModelError(
                "expected constant controls and actuators without activation for solve: they hold "
                f"from step to step; use advance (scene '{self.owner.scene.name}')"
            )
        solver, found = self._solved(end, events)
        return solver.flight(found, events)

    def _solved(self, end: float, events: Sequence[Callable[..., float]]) -> tuple[Adaptive, Any]:
        """What SciPy finds up to ``end`` or an event; the simulator is left at its end."""
        drive = self.drive
        state = drive.state()
        drive.project(state.q, state.qd)
        solver = Adaptive(drive, self.method, self.rtol, self.atol, 1e3 * (end - state.time))
        try:
            found = solver.solve(state, end, events)
        except SimulationError as error:
            raise SimulationError(f"{error} (scene '{self.owner.scene.name}')") from error.__cause__
        last = MotionState(float(found.t[-1]), *solver.split(found.y[:, -1]))
        self._project(last.q, last.qd)
        drive.put_state(last)
        return solver, found


def scene_integrator(owner: Simulator, rtol: Any, atol: Any) -> SceneIntegrator:
    """The integrator that a simulator names."""
    if owner.integrator == "event_driven":
        return EventDriven(owner)
    if owner.integrator == "moreau":
        # What compiles takes a while to import.
        from .moreau import MoreauSteps

        return MoreauSteps(owner)
    if owner.integrator in SCIPY:
        return AdaptiveSteps(owner, owner.integrator, rtol, atol)
    return FixedSteps(owner, owner.integrator)
