"""A run in chunks of steps, and what it leaves in memory or in a file."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...files.kinds import STREAMS, check_target
from ...interrupts import uninterrupted
from ...recording import Recording
from ...recording.checkpoint import Checkpoint
from ...recording.impulses import of_touched
from ...recording.layout import START, joined, meta_of
from ...recording.stream import Stream, read_checkpoint
from ..driver import Run
from ..progress import Progress
from ..timeline import whole_steps
from .contacts import N_REAL, Contacts
from .loop import RecordedRows
from .simulator import Simulator

CHUNK_SECONDS = 0.1
_RECORDS = 100  # in a call of a solver that chooses its steps: not by the clock, to repeat itself
Watch = tuple[int, Callable[[Simulator], Any]]
"""A number of steps, and what is called at the start and after each so many."""


class Recorder(Run):
    """Steps in calls that are long enough to be worth it, and short for the keyboard."""

    def __init__(
        self, simulator: Simulator, duration: float, every: int, seed: int | None,
        output: str | Path | None, resume: str | Path | Checkpoint | None, watch: Sequence[Watch],
        seconds: dict[str, float] | None = None, notes: tuple[str, ...] = (),
    ):  # fmt: skip
        self.simulator: Simulator = simulator
        self.every: int = every
        self.seed: int | None = seed
        self.watch = watch
        self.notes: tuple[str, ...] = notes
        self.output = None if output is None else Path(output)
        self.chunks: list[dict[str, np.ndarray]] = []
        self.stream: Stream | None = None
        self.done: int = 0
        self.on_grid: Checkpoint | None = None
        self.seconds: dict[str, float] = {} if seconds is None else seconds
        self.seconds.update(dict.fromkeys(("first step", "stepping", "writing", "watching"), 0.0))
        self.steps: int
        self.rest: float
        self.steps, self.rest = whole_steps(duration, simulator.dt)
        if not self.rest and self.steps % every:  # the end is recorded, too
            self.steps, self.rest = self.steps - 1, simulator.dt
        if self.output is not None:
            check_target(self.output, STREAMS, "output")
        if resume is not None:
            self._resume(resume)

    @property
    def time(self) -> float:
        return self.simulator.current_time

    @property
    def is_on_disk(self) -> bool:
        return self.output is not None and self.done > 0

    def _resume(self, resume: str | Path | Checkpoint) -> None:
        is_file = not isinstance(resume, Checkpoint)
        self.simulator.restore(read_checkpoint(resume) if is_file else resume)  # type: ignore[arg-type]
        self.done = int(self.simulator.report["steps"])
        if is_file:
            self.output = Path(resume)  # type: ignore[arg-type]
            self.stream = Stream.reopen(self.output, self.simulator.current_time + 1e-12)

    def _start(self) -> None:
        """The record of the start, without contacts."""
        sim = self.simulator
        fields, none = sim._fields, np.zeros((1, len(sim._fields.velocity)))
        rows = RecordedRows(
            np.array([sim.current_time]), fields.position[None].copy(),
            fields.velocity[None].copy(), none, none, none, np.zeros(1),
        )  # fmt: skip
        self._take(rows, np.zeros(2, np.int64), None)
        self._call_watches()

    def go(self, bar: Progress) -> None:
        """Make all steps; time is counted from the second on, as the first may compile."""
        sim, chunk = self.simulator, 1
        if not self.done:
            self._start()
        while self.done < self.steps:
            if sim.chooses_steps:
                chunk = _RECORDS * self.every - self.done % (_RECORDS * self.every)
            count = min(chunk, self.steps - self.done, *(n - self.done % n for n, _ in self.watch))
            took = self._make(sim.dt, count, self.every, bar)
            if chunk > 1:
                chunk = int(min(4 * chunk, max(1, count * CHUNK_SECONDS / took)))
            chunk = max(chunk, min(2, self.steps))
        if self.rest:
            # Who goes on from here goes on with whole steps.
            self.on_grid = sim.checkpoint()
            self._make(self.rest, 1, 1, bar)

    def _make(self, h: float, count: int, every: int, bar: Progress) -> float:
        """Make steps, and take what they record; how long they took [s]."""
        sim, began = self.simulator, time.perf_counter()
        log = sim.advance(h, count, every, self.done)
        if not self.seconds["first step"]:
            bar.begin()
        self.done += count
        took = max(time.perf_counter() - began, 1e-6)
        k = log.filled
        self._take(RecordedRows(*(x[:k] for x in log.rows)), log.start[: k + 1], log.contacts)
        self.seconds["stepping" if self.seconds["first step"] else "first step"] += took
        self._call_watches()
        bar.at(sim.current_time - sim.scene.settings.time)
        return took

    def _call_watches(self) -> None:
        began = time.perf_counter()
        for every, function in self.watch:
            if self.done % every == 0:
                function(self.simulator)
        self.seconds["watching"] += time.perf_counter() - began

    def _take(self, rows: RecordedRows, start: np.ndarray, contacts: Contacts | None) -> None:
        began, sim = time.perf_counter(), self.simulator
        q, qd = sim.coordinates(rows.position, rows.velocity)
        parts = {"tau": rows.applied, "tau_passive": rows.passive,
                 "tau_constraint": rows.constraint}  # fmt: skip
        forces = {name: sim.joint_forces(rows.position, x) for name, x in parts.items()}
        count = int(start[-1])
        pairs = np.zeros((0, 2), np.int64)
        real = np.zeros((0, N_REAL))
        if contacts is not None and count:
            pairs = np.array(sim._lowered.geometries)[contacts.whole[:count, :2]]
            real = contacts.real[:count].copy()
        chunk = {
            "times": rows.times.copy(), "q": q, "qd": qd, **forces, "work": rows.work.copy(),
            **sim._callables.recorded(rows.times),
            START: start.copy(), "contact_pair": pairs, "contact_point": real[:, 0:3],
            "contact_normal": real[:, 3:6], "contact_force": real[:, 6:9],
            "contact_torque": real[:, 15:18], "contact_gap": real[:, 9],
            **of_touched(self._impulses(rows)),
        }  # fmt: skip
        if self.output is None:
            self.chunks.append(chunk)
        else:
            self._write(chunk)
        self.seconds["writing"] += time.perf_counter() - began

    def _impulses(self, rows: RecordedRows) -> np.ndarray:
        """Of contacts on each geometry of the scene since the record before; NaN where unknown."""
        sim = self.simulator
        found = np.zeros((len(rows.times), len(sim.scene.geometries), 3))
        if len(rows.impulses):
            # Moreau's integrator tells those of steps that are recorded.
            is_known = sim.integrator != "moreau" or self.every == 1
            found[:, sim._lowered.geometries] = rows.impulses if is_known else np.nan
        return found

    def _write(self, chunk: dict[str, np.ndarray]) -> None:
        assert self.output is not None
        if self.stream is None:
            self.stream = Stream(self.output, meta_of(self._empty()))
        if not self.output.exists():
            raise FileNotFoundError(
                errno.ENOENT, "the file is gone while the run writes it", str(self.output)
            )
        try:
            with uninterrupted():
                self.stream.append(chunk, self.on_grid or self.simulator.checkpoint())
        except RuntimeError as error:  # some of HDF5's failures to write are said so
            raise OSError(str(error)) from error

    def _empty(self) -> Recording:
        """The recording, still without records."""
        sim, model = self.simulator, self.simulator.model
        return Recording(
            model, np.zeros(0), np.zeros((0, model.nq)), np.zeros((0, model.nv)),
            np.zeros((0, model.nv)), np.zeros(0),
            integrator=sim.integrator, contact=sim.contact,
            dt=sim.dt, seed=self.seed,
            is_controlled=bool(sim._callables.controllers or sim.scene.actuators),
            is_loaded=bool(sim.scene.forces or sim._callables.forces), scene=sim.scene,
            stopped=self.stopped, geometry_names=tuple(g.name for g in sim.scene.geometries),
            geometry_bodies=tuple((g.machine, g.body) for g in sim.scene.geometries),
            report=sim.report, notes=(*sim.notes, *self.notes),
        )  # fmt: skip

    def close(self) -> Recording:
        """Finish the file, and return what was recorded.

        Raises
        ------
        OSError
            If the file cannot be finished; `salvage` may still have something.
        """
        if self.output is not None:
            if self.stream is not None:
                self._finish(self.stream)
                self.stream = None
            return replace(
                Recording.load(self.output), scene=self.simulator.scene, stopped=self.stopped
            )
        return self._joined(self.chunks)

    def _finish(self, stream: Stream) -> None:
        stream.finish(self.simulator.report, self.stopped)
        stream.close()

    def salvage(self, error: BaseException) -> Recording | None:
        """What a run left that could not write on: from the file, or from what is still open."""
        if self.output is None or self.stream is None:
            return None if self.output is not None or not self.chunks else self._joined(self.chunks)
        stream, self.stream = self.stream, None
        found = _quietly(lambda: self._joined([stream.written()]))
        if stream.is_damaged or _quietly(lambda: self._finish(stream) or True) is None:
            stream.abandon(error)
        from_file = _quietly(lambda: Recording.load(self.output))  # type: ignore[arg-type]
        best = from_file or found
        return best and replace(best, scene=self.simulator.scene, stopped=self.stopped)

    def _joined(self, chunks: list[dict[str, np.ndarray]]) -> Recording:
        return replace(self._empty(), **joined(chunks))


def _quietly(action: Callable[[], Any]) -> Any:
    """What an action gives, or None if the disk does not let it."""
    try:
        return action()
    except (OSError, RuntimeError, ValueError, KeyError):
        return None
