"""Worlds of a model side by side, carried from instant to instant by a smooth integrator."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..model import Model
from ..model.inertias import told_undetermined
from ..recording import Recording
from .drive import Drive
from .driver import Run
from .errors import SimulationError
from .integrators import FIXED_STEP
from .integrators.adaptive import Adaptive
from .motion_state import MotionState
from .progress import Progress
from .timeline import Timeline, steps


class SmoothWorlds(Run):
    """A run of a drive, from ``q`` and ``qd`` on.

    ``settings`` go into the recording, with ``integrator`` and ``dt`` among them.  SciPy's
    integrators take one world.
    """

    def __init__(
        self,
        drive: Drive,
        instants: Timeline,
        q: np.ndarray,
        qd: np.ndarray,
        settings: dict[str, Any],
        tolerances: tuple[Any, Any],
    ):
        self.drive: Drive = drive
        self.instants: Timeline = instants
        self.state: MotionState = MotionState(0.0, q, qd, np.zeros(drive.shape))
        self.settings: dict[str, Any] = settings
        self.tolerances: tuple[Any, Any] = tolerances
        self.times: np.ndarray = instants.record_times
        sizes = {"q": q.shape, "qd": qd.shape, "tau": qd.shape, "tau_passive": qd.shape,
                 "tau_constraint": qd.shape, "work": drive.shape,
                 "controls": (*drive.shape, drive.model.n_controls),
                 "activation": (*drive.shape, drive.model.n_activations)}  # fmt: skip
        self.rows: dict[str, np.ndarray] = {
            name: np.zeros((len(self.times), *size)) for name, size in sizes.items()
        }
        self.filled: int = 0
        self.where: str = f" (model '{drive.model.name}', integrator '{settings['integrator']}')"

    @property
    def time(self) -> float:
        return self.state.time

    def go(self, bar: Progress) -> None:
        if 0 in self.drive.shape:
            self.filled = len(self.times)
        elif self.settings["integrator"] in FIXED_STEP:
            self._make_steps(bar)
        else:
            self._solve(bar)

    def close(self) -> Recording | None:
        """What there is, or None if there is nothing."""
        if not self.filled:
            return None
        rows = {name: values[: self.filled] for name, values in self.rows.items()}
        rows["times"] = self.times[: self.filled]
        if self.filled < len(self.times):
            rows = {name: values.copy() for name, values in rows.items()}
        drive, held = self.drive, self.drive.constraints
        return Recording(
            drive.model,
            **rows,  # type: ignore[arg-type]
            **self.settings,
            is_controlled=drive.controller is not None or drive.actuation is not None,
            is_loaded=drive.f_ext is not None,
            stopped=self.stopped,
            report={} if held is None else {"loop_error": held.error(rows["q"])},
        )

    def _record(self, state: MotionState) -> None:
        t, q, qd, work, _ = state
        rows, drive, k = self.rows, self.drive, self.filled
        rows["q"][k], rows["qd"][k], rows["work"][k] = q, qd, work
        rows["tau"][k] = tau = drive.tau(t, q, qd)
        rows["tau_passive"][k] = drive.passive(q, qd)
        rows["tau_constraint"][k] = drive.constraint_forces(t, q, qd, tau)
        if drive.actuation is not None:
            rows["controls"][k] = drive.actuation.controls
            rows["activation"][k] = drive.actuation.at(t)
        self.filled, self.state = k + 1, state

    def _make_steps(self, bar: Progress) -> None:
        """Step from instant to instant."""
        drive, (_, q, qd, work, _) = self.drive, self.state
        step = FIXED_STEP[self.settings["integrator"]](drive).step
        times, ticks = self.instants.times.tolist(), self.instants.ticks
        with np.errstate(over="ignore", invalid="ignore"):
            for k, start in enumerate(times):
                if ticks[k] and k + 1 < len(times):
                    drive.sample(start, q, qd)
                if self.instants.recorded[k]:
                    self._record(MotionState(start, q, qd, work))
                if k + 1 == len(times):
                    return
                count, h = steps(start, times[k + 1], self.settings["dt"])
                for j in range(count):
                    # Times of an instant and whole steps: sums of steps would round.
                    t, q, qd, work, _ = step(MotionState(start + j * h, q, qd, work), h)
                    if not _is_finite(q, qd):
                        raise SimulationError(_blown_up(drive.model, start + j * h, q, qd))
                    drive.finish_step(t, q, qd)
                    bar.at(start + j * h)

    def _solve(self, bar: Progress) -> None:
        """Solve from sample to sample of a held controller, or in one go."""
        drive, instants, state = self.drive, self.instants, self.state
        records, end = self.times, float(instants.times[-1])
        method, steps_at_most = self.settings["integrator"], end / self.settings["dt"]
        solver = Adaptive(drive, method, *self.tolerances, steps_at_most)
        ticks = (
            instants.times[instants.ticks & (instants.times < end)] if drive.is_sampled else [0.0]
        )

        def keep(at: MotionState) -> None:
            self._record(at)
            bar.at(at.time)

        for start, stop in pairwise([*map(float, ticks), end]):
            drive.sample(start, state.q, state.qd)
            if start in records:
                self._record(state)
            # A record that falls on the next sample waits for the forces of that sample.
            inside = (records > start) & ((records < stop) | (stop == end))
            state = solver.run(state, stop, records[inside], keep)


def _is_finite(q: np.ndarray, qd: np.ndarray) -> bool:
    # A sum of finite numbers may overflow; then every entry is looked at.
    total = np.add.reduce(qd, axis=None) + np.add.reduce(q, axis=None)
    return bool(np.isfinite(total)) or bool(np.isfinite(qd).all() and np.isfinite(q).all())


def _blown_up(model: Model, t: float, q: np.ndarray, qd: np.ndarray) -> str:
    message = f"the motion is not finite any more after t = {t:g} s"
    if q.ndim > 1:
        bad = np.asarray(~(np.isfinite(qd).all(axis=-1) & np.isfinite(q).all(axis=-1)))
        message += f" in {int(bad.sum())} of {bad.size} worlds, the first of them {_first(bad)}"
    return f"{message}; {told_undetermined(model) or 'try a shorter dt'}"


def _first(bad: np.ndarray) -> str:
    index = np.argwhere(bad)[0].tolist()
    return str(index[0] if len(index) == 1 else tuple(index))
