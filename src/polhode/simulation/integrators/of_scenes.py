"""Smooth motion of scenes without contact, by any of the smooth integrators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ModelError
from ..errors import SimulationError
from ..smooth.dynamics import SceneDrive
from ..stepping.checkpointing import nothing_near
from ..stepping.counter_indices import LOOP_ERROR
from ..stepping.starts import Fault, faults_of
from . import FIXED_STEP
from .adaptive import NAMES as SCIPY
from .adaptive import Adaptive, Flight
from .moby import ExplicitEuler, PositionsFirst

if TYPE_CHECKING:
    from ..stepping.loop import Log, StepCount
    from ..stepping.simulator import Simulator

Row = tuple[Any, ...]
"""The columns of `polhode.simulation.stepping.loop.RecordedRows`."""


class SmoothSteps:
    """What integrators of smooth motion have in common, which answer as the event-driven one."""

    chooses_steps = False

    def __init__(self, owner: Simulator):
        self.owner: Simulator = owner
        self.drive: SceneDrive = SceneDrive(owner)

    def faults(self, h: float) -> list[Fault]:
        """What is wrong with a state that was just set: only loops and gears can be."""
        drive = self.drive
        if not len(drive.couplings):
            return []
        return faults_of(self.owner, nothing_near(), drive.couplings.rows(*drive.outward()).err)

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

    def _make(self, steps: StepCount) -> list[Row]:
        """Make steps; rows after each whose number is a multiple of ``every``."""
        raise NotImplementedError

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
            self._method: Any = (PositionsFirst if is_stepped else ExplicitEuler)(self.drive)
        else:
            self._method = FIXED_STEP[integrator](self.drive)
        self._projects: bool = integrator != "moby"
        self._work = np.zeros(())

    def _make(self, steps: StepCount) -> list[Row]:
        drive, owner, rows = self.drive, self.owner, []
        q, qd = drive.outward()
        if owner._is_fresh:
            drive.project(q, qd)
        for number in range(steps.phase + 1, steps.phase + steps.count + 1):
            t = owner._callables.step_begin = owner.current_time
            with np.errstate(over="ignore", invalid="ignore"):
                self._method.step(t, steps.h, q, qd, self._work)
                if self._projects:
                    self._project(q, qd)
            if not (np.isfinite(q).all() and np.isfinite(qd).all()):
                raise SimulationError(
                    f"the motion is not finite any more after t = {t:g} s; try a shorter step "
                    f"(scene '{owner.scene.name}')"
                )
            qd *= drive.kept
            owner._clock.count(1, steps.h)
            drive.put(owner.current_time, q, qd)
            q, qd = drive.outward()  # as it would be in another call
            if steps.every > 0 and number % steps.every == 0:
                rows.append(drive.row(owner.current_time, q, qd, float(self._work)))
        return rows


class AdaptiveSteps(SmoothSteps):
    """SciPy's `solve_ivp`, with dense output and events."""

    chooses_steps = True

    def __init__(self, owner: Simulator, method: str, rtol: Any, atol: Any):
        super().__init__(owner)
        self.method: str = method
        self.rtol = rtol
        self.atol = atol
        self._work = 0.0
        self._work_at: Callable[[float], float] = lambda at: 0.0
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
        """Go on by the time of the steps; rows are read from the dense output."""
        h, count, every, phase = steps
        drive, owner = self.drive, self.owner
        start, before, rows = owner.current_time, self._work, []
        wanted = [i + 1 for i in range(count) if every > 0 and (phase + i + 1) % every == 0]
        flight = self.solve(start + count * h, ())
        for k in wanted:
            at = start + k * h
            rows.append(drive.row(at, *flight.state(at), before + self._work_at(at)))
        q, qd = drive.outward()
        owner._clock.count(count, h)
        drive.put(owner.current_time, q, qd)
        return rows

    def solve(self, end: float, events: Sequence[Callable[..., float]]) -> Flight:
        """Go on to the time ``end`` or an event that ends it."""
        drive, owner = self.drive, self.owner
        t, (q, qd) = owner.current_time, drive.outward()
        drive.project(q, qd)
        solver = Adaptive(drive, self.method, self.rtol, self.atol, 1e3 * (end - t))
        try:
            found = solver.solve(t, end, q, qd, events)
        except SimulationError as error:
            raise SimulationError(f"{error} (scene '{owner.scene.name}')") from error.__cause__
        q, qd, work = solver.split(found.y[:, -1])
        self._work += float(work)
        self._work_at = lambda at: float(found.sol(at)[-1])
        self._project(q, qd)
        drive.put(float(found.t[-1]), q, qd)
        return solver.flight(found, events)


def smooth_steps(owner: Simulator, rtol: Any, atol: Any) -> SmoothSteps:
    """The smooth integrator that a simulator names."""
    if owner.integrator in SCIPY:
        return AdaptiveSteps(owner, owner.integrator, rtol, atol)
    return FixedSteps(owner, owner.integrator)
