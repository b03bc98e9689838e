"""Runs of scenes from start to end, with records, checkpoints and progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ModelError
from ..checkpoint import Checkpoint
from ..errors import SimulationError
from ..progress import Progress
from ..scene import Scene
from ..scene_files import Stream, is_hdf5, load, meta_of, read_checkpoint
from ..scene_recording import ARRAYS, SceneRecording
from .simulators import METHODS, Simulator, TimeSteppingSimulator

_CHUNK_SECONDS = 0.1
_RECORD_PERIOD = 0.01


def simulate_scene(
    scene: Scene,
    duration: float,
    *,
    dt: float | None = None,
    method: str | None = None,
    controller: Callable[..., Any] | None = None,
    controllers: Mapping[str, Callable[..., Any]] | None = None,
    forces: Callable[..., Any] | None = None,
    contact_filter: Callable[..., Any] | None = None,
    record: float | int | None = None,
    seed: int | None = None,
    progress: bool | None = None,
    output: str | Path | None = None,
    resume: str | Path | Checkpoint | None = None,
    max_mini_steps: int = 50,
) -> SceneRecording:
    """Move a scene through time; see `polhode.simulate`.

    Parameters
    ----------
    scene : Scene
    duration : float
        How long [s]; with ``resume``, from its first start on.
    dt : float, optional
        The step [s]; the scene's own, or 1 ms.
    method : {"exact", "convex", "lcp"}, optional
        Contact solver.
    controller, controllers, forces, contact_filter
        See `TimeSteppingSimulator`; ``controller`` is for scenes with one machine.
    record : float or int, optional
        A period [s], or a whole number of steps; every 10 ms by default.
    output : path, optional
        An ``.h5`` file that takes the recording while it runs.
    resume : path or Checkpoint, optional
        Go on with the run of this file (its last checkpoint), or from a checkpoint.

    Returns
    -------
    recording : SceneRecording
    """
    if not 0.0 < duration < np.inf:
        raise ValueError(f"expected duration above 0 and finite, got {duration}")
    kind = Simulator if scene.settings.kind == "simulator" else TimeSteppingSimulator
    simulator = kind(
        scene,
        dt=dt,
        method=method if method in METHODS else "exact" if method is None else method,
        controllers=_controllers(scene, controller, controllers),
        forces=forces,
        contact_filter=contact_filter,
        seed=seed,
        max_mini_steps=max_mini_steps,
    )
    run = _Run(simulator, duration, _every(record, simulator.dt), seed, output, resume)
    bar = Progress(duration, progress)
    try:
        run.go(bar)
    except KeyboardInterrupt:
        run.stopped = f"interrupted at t = {simulator.current_time:g} s"
    except SimulationError as error:
        run.stopped = str(error)
        raise SimulationError(str(error), run.close()) from error
    except OSError as error:
        run.stopped = f"could not write '{run.output}': {error}"
        raise SimulationError(run.stopped, run.close()) from error
    finally:
        bar.close()
    return run.close()


def _controllers(scene, controller, controllers) -> dict[str, Callable[..., Any]]:
    chosen = dict(controllers or {})
    if controller is not None:
        moving = [m.name for m in scene.simulated if not m.is_fixed]
        if len(moving) != 1:
            raise ModelError(
                f"expected one machine that moves for a controller, got {len(moving)}; give "
                "controllers={name: function}"
            )
        chosen[moving[0]] = controller
    return chosen


def _every(record: float | int | None, dt: float) -> int:
    """Steps between two records."""
    if record is None:
        return max(1, round(_RECORD_PERIOD / dt))
    if isinstance(record, (int, np.integer)) and not isinstance(record, bool):
        count = int(record)
    else:
        count = round(float(record) / dt)
    if count < 1:
        raise ValueError(f"expected to record after one step or more, got {record}")
    return count


class _Run:
    """A run in chunks of steps, each long enough to be worth a call and short for the keyboard."""

    def __init__(self, simulator, duration, every, seed, output, resume):
        self.simulator, self.every, self.seed = simulator, every, seed
        self.output = None if output is None else Path(output)
        self.chunks: list[dict[str, np.ndarray]] = []
        self.stream: Stream | None = None
        self.stopped, self.done = "", 0
        self.steps = max(1, round(duration / simulator.dt))
        if self.output is not None and not is_hdf5(self.output):
            raise ValueError(f"expected a file that ends in .h5 as output, got '{self.output}'")
        if resume is not None:
            self._resume(resume)
        if not self.done:
            self._start()

    def _resume(self, resume: str | Path | Checkpoint) -> None:
        is_file = not isinstance(resume, Checkpoint)
        self.simulator.restore(read_checkpoint(resume) if is_file else resume)  # type: ignore[arg-type]
        self.done = self.simulator.report["steps"]
        if is_file:
            self.output = Path(resume)  # type: ignore[arg-type]
            self.stream = Stream.reopen(self.output, self.simulator.current_time + 1e-12)

    def _start(self) -> None:
        """The record of the start, without contacts."""
        sim = self.simulator
        self._take(
            np.array([sim.current_time]), sim._fields.position[None].copy(),
            sim._fields.velocity[None].copy(), np.zeros(2, np.int64), None,
        )  # fmt: skip

    def go(self, bar: Progress) -> None:
        sim, chunk = self.simulator, 1
        while self.done < self.steps:
            began = time.perf_counter()
            count = min(chunk, self.steps - self.done)
            log = sim.advance(sim.dt, count, self.every, self.done)
            self.done += count
            k = log.filled
            self._take(
                log.times[:k], log.position[:k], log.velocity[:k], log.start[: k + 1],
                log.contacts,
            )  # fmt: skip
            took = max(time.perf_counter() - began, 1e-6)
            if chunk > 1:
                chunk = int(min(4 * chunk, max(1, count * _CHUNK_SECONDS / took)))
            chunk = max(chunk, min(2, self.steps))
            bar.at(sim.current_time - sim.scene.settings.time)

    def _take(self, times, position, velocity, start, contacts) -> None:
        sim = self.simulator
        q, qd = sim.coordinates(position, velocity)
        count = int(start[-1])
        pairs = np.zeros((0, 2), np.int64)
        real = np.zeros((0, 12))
        if contacts is not None and count:
            pairs = np.array(sim._lowered.geometries)[contacts.whole[:count, :2]]
            real = contacts.real[:count].copy()
        chunk = {
            "times": times.copy(), "q": q, "qd": qd, "contact_start": start.copy(),
            "contact_pair": pairs, "contact_point": real[:, 0:3], "contact_normal": real[:, 3:6],
            "contact_force": real[:, 6:9], "contact_gap": real[:, 9],
        }  # fmt: skip
        if self.output is None:
            self.chunks.append(chunk)
            return
        if self.stream is None:
            self.stream = Stream(self.output, meta_of(self._empty()))
        self.stream.append(chunk, sim.checkpoint())

    def _empty(self) -> SceneRecording:
        """The recording, still without records."""
        sim, model = self.simulator, self.simulator.scene.model
        return SceneRecording(
            model, np.zeros(0), np.zeros((0, model.nq)), np.zeros((0, model.nv)),
            np.zeros((0, model.nv)), np.zeros(0), method=sim.method, dt=sim.dt, seed=self.seed,
            is_loaded=bool(sim.scene.forces), scene=sim.scene, stopped=self.stopped,
            geometry_names=tuple(g.name for g in sim.scene.geometries), report=sim.report,
        )  # fmt: skip

    def close(self) -> SceneRecording:
        """Finish the file, and return what was recorded."""
        from dataclasses import replace

        empty = self._empty()
        if self.output is not None:
            if self.stream is not None:
                try:
                    self.stream.finish(self.simulator.report, self.stopped)
                finally:
                    self.stream.close()
            found = load(self.output)
            return replace(found, scene=self.simulator.scene, stopped=self.stopped)
        arrays = {name: np.concatenate([c[name] for c in self.chunks]) for name in ARRAYS
                  if name != "contact_start"}  # fmt: skip
        counts = np.concatenate([np.diff(c["contact_start"]) for c in self.chunks])
        arrays["contact_start"] = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        count = len(arrays["times"])
        return replace(empty, **arrays, tau=np.zeros((count, empty.model.nv)), work=np.zeros(count))
