"""Carrying a machine from instant to instant, and noting what is recorded."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from ..recording import Recording
from .drive import Drive
from .errors import SimulationError
from .integrators import SmoothMethod
from .integrators.adaptive import Adaptive
from .progress import Progress
from .timeline import Timeline, steps


class RecordLog:
    """Rows of the recording as they come."""

    def __init__(
        self,
        drive: Drive,
        instants: Timeline,
        q: np.ndarray,
        qd: np.ndarray,
        settings: dict[str, Any],
    ):
        self.drive: Drive = drive
        self.settings: dict[str, Any] = settings
        self.times: np.ndarray = instants.record_times
        count = len(self.times)
        self.q: np.ndarray = np.empty((count, *q.shape))
        self.qd: np.ndarray = np.empty((count, *qd.shape))
        self.tau: np.ndarray = np.empty_like(self.qd)
        self.tau_passive: np.ndarray = np.empty_like(self.qd)
        self.tau_constraint: np.ndarray = np.empty_like(self.qd)
        self.work: np.ndarray = np.empty((count, *drive.shape))
        self.filled: int = 0
        self.last: float = 0.0

    def add(self, t: float, q: np.ndarray, qd: np.ndarray, work: Any) -> None:
        self.put(self.filled, self.drive, t, q, qd, work)
        self.filled, self.last = self.filled + 1, t

    def put(
        self, at: Any, drive: Drive, t: float, q: np.ndarray, qd: np.ndarray, work: Any
    ) -> None:
        """Fill a row, or one world of it."""
        self.q[at], self.qd[at], self.work[at] = q, qd, work
        self.tau[at] = tau = drive.tau(t, q, qd)
        self.tau_passive[at] = drive.passive(qd)
        self.tau_constraint[at] = drive.constraint_forces(t, q, qd, tau)

    def recording(self, stopped: str = "") -> Recording | None:
        """What there is, or None if there is nothing."""
        if not self.filled:
            return None
        names = ("times", "q", "qd", "tau", "tau_passive", "tau_constraint", "work")
        rows: dict[str, Any] = {name: getattr(self, name)[: self.filled] for name in names}
        if self.filled < len(self.times):
            rows = {name: values.copy() for name, values in rows.items()}
        drive = self.drive
        return Recording(
            drive.model,
            **rows,
            **self.settings,
            is_controlled=drive.controller is not None,
            is_loaded=drive.f_ext is not None,
            stopped=stopped,
        )


def run_fixed(
    drive: Drive,
    method: SmoothMethod,
    instants: Timeline,
    dt: float,
    q: np.ndarray,
    qd: np.ndarray,
    log: RecordLog,
    bar: Progress,
) -> None:
    """Step from instant to instant, in place."""
    work = np.zeros(drive.shape)
    times = instants.times.tolist()
    with np.errstate(over="ignore", invalid="ignore"):
        for k, start in enumerate(times):
            if instants.ticks[k] and k + 1 < len(times):
                drive.sample(start, q, qd)
            if instants.recorded[k]:
                log.add(start, q, qd, work)
            if k + 1 == len(times):
                return
            count, h = steps(start, times[k + 1], dt)
            for j in range(count):
                method.step(start + j * h, h, q, qd, work)
                if not _is_finite(q, qd):
                    raise SimulationError(_blown_up(start + j * h, q, qd))
                drive.finish_step(start + (j + 1) * h, q, qd)
                bar.at(start + j * h)


def _is_finite(q: np.ndarray, qd: np.ndarray) -> bool:
    # A sum of finite numbers may overflow; then every entry is looked at.
    total = np.add.reduce(qd, axis=None) + np.add.reduce(q, axis=None)
    return bool(np.isfinite(total)) or bool(np.isfinite(qd).all() and np.isfinite(q).all())


def _blown_up(t: float, q: np.ndarray, qd: np.ndarray) -> str:
    message = f"the motion is not finite any more after t = {t:g} s"
    if q.ndim > 1:
        bad = np.asarray(~(np.isfinite(qd).all(axis=-1) & np.isfinite(q).all(axis=-1)))
        message += f" in {int(bad.sum())} of {bad.size} worlds, the first of them {_first(bad)}"
    return message + "; try a shorter dt"


def _first(bad: np.ndarray) -> str:
    index = np.argwhere(bad)[0].tolist()
    return str(index[0] if len(index) == 1 else tuple(index))


def run_adaptive(
    make: Callable[[Drive], Adaptive],
    drive: Drive,
    instants: Timeline,
    q: np.ndarray,
    qd: np.ndarray,
    log: RecordLog,
    bar: Progress,
) -> None:
    """One world after the other; without a batch the log fills as the run goes."""
    if not drive.shape:
        _adaptive_world(make(drive), drive, instants, q, qd, log.add, bar.at)
        return
    for rows in (log.q, log.qd, log.tau, log.tau_passive, log.tau_constraint, log.work):
        rows.fill(np.nan)  # what an interrupted run has not reached
    log.filled, log.last = len(log.times), float(log.times[-1])
    worlds = list(np.ndindex(drive.shape))
    for n, w in enumerate(worlds):
        one = drive.of_world(_of_world(drive.f_ext, w))
        add = _writer(log, one, w)
        _adaptive_world(make(one), one, instants, q[w], qd[w], add, lambda t: None)
        bar.at(bar.end * (n + 1) / len(worlds))


def _writer(log: RecordLog, drive: Drive, world: tuple[int, ...]) -> Callable[..., None]:
    """Writes one world's rows, in order, into those of the batch."""
    rows = iter(range(len(log.times)))

    def add(t: float, q: np.ndarray, qd: np.ndarray, work: Any) -> None:
        log.put((next(rows), *world), drive, t, q, qd, work)

    return add


def _of_world(f_ext: Any, world: tuple[int, ...]) -> Any:
    return f_ext[world] if isinstance(f_ext, np.ndarray) else f_ext


def _adaptive_world(
    solver: Adaptive,
    drive: Drive,
    instants: Timeline,
    q: np.ndarray,
    qd: np.ndarray,
    record: Callable[..., None],
    show: Callable[[float], None],
) -> None:
    """Solve from sample to sample of a held controller, or in one go."""
    work = np.zeros(())
    records, end = instants.record_times, float(instants.times[-1])
    ticks = instants.times[instants.ticks & (instants.times < end)] if drive.held else [0.0]
    breaks = [*map(float, ticks), end]

    def keep(t: float, q_t: np.ndarray, qd_t: np.ndarray, work_t: np.ndarray) -> None:
        record(t, q_t, qd_t, work_t)
        show(t)

    for start, stop in pairwise(breaks):
        drive.sample(start, q, qd)
        if start in records:
            record(start, q, qd, work)
        # A record that falls on the next sample waits for the forces of that sample.
        inside = (records > start) & ((records < stop) | (stop == end))
        solver.run(start, stop, q, qd, work, records[inside], keep)
