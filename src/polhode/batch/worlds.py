"""Roll-outs of scenes with contact: each world by itself, in threads."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from threading import Event, Lock
from typing import Any

import numpy as np

from ..arguments import as_items
from ..compiler import get_num_threads
from ..errors import ArgumentError, ModelError, ShapeError, shown
from ..scene import Scene
from ..simulation.errors import SimulationError, StartError
from ..simulation.start import unit
from ..simulation.stepping.clock import step_of
from ..simulation.stepping.coordinates import inward
from ..simulation.stepping.simulator import Simulator
from ..simulation.stepping.starts import Fault, of_worlds, refuse, settled, warn_of, warn_settled
from .machines import DRIVING, Rollout, driving_of, instants
from .starting import batch_axes, start_array

_CHUNK = 2000  # steps in one compiled call, so that an interrupt is heard


def roll_scenes(
    scenes: Scene | Sequence[Scene],
    q: Any,
    qd: Any,
    *,
    steps: int,
    dt: float | None,
    tau: Any,
    controls: Any,
    contact: str | None,
    joint_forces: str,
    start: str,
    record_every: int | None,
) -> Rollout:
    """Return the motion of scenes; see `polhode.rollout`."""
    each = checked_scenes(scenes)
    model, recorded = each[0].model, instants(steps, record_every)
    where = f"scene '{each[0].name}'"
    starts = [
        start_array(q, "q", "nq", model.nq, where),
        start_array(qd, "qd", "nv", model.nv, where),
    ]
    acts = joint_forces == "all" and bool(model.actuators)
    force, *driven = driving_of(tau, controls, steps, model, acts, where)
    count = None if isinstance(scenes, Scene) else len(each)
    axes = {name: x.shape[:-1] for name, x in zip(("q", "qd"), starts, strict=True)
            if x is not None}  # fmt: skip
    axes |= {name: x.shape[:-2] for name, x in zip(DRIVING, (force, *driven), strict=False)}
    batch = batch_axes(axes, count, where)
    n = math.prod(batch)
    q0, qd0 = (
        None if x is None else np.broadcast_to(x, (*batch, size)).reshape(n, size)
        for x, size in zip(starts, (model.nq, model.nv), strict=True)
    )
    forces, *driven = (
        np.broadcast_to(x, (*batch, *x.shape[-2:])).reshape(n, *x.shape[-2:])
        for x in (force, *driven)
    )
    options = {"contact": contact, "joint_forces": joint_forces, "start": start}
    worlds = _Worlds(each, q0, qd0, forces, driven[0] if acts else None, recorded, dt, options)
    _in_threads(worlds.simulator, worlds.run, n)
    faults = of_worlds(worlds.faults)
    if start == "check":
        refuse(faults, where)
    warn_of(faults, where)
    warn_settled(worlds.settled)
    times = np.array(recorded) * worlds.dt
    q_out, qd_out, activation = (
        np.moveaxis(x, 0, 1).reshape(len(recorded), *batch, x.shape[-1])
        for x in (worlds.q_out, worlds.qd_out, worlds.activation)
    )
    none = np.zeros((len(recorded), *batch, 0, 2))
    depth = np.array([report["penetration"] for report in worlds.reports], float).reshape(batch)
    return Rollout(times, q_out, qd_out, none, tuple(worlds.reports), activation,
                   penetration=depth, integrator="event_driven")  # fmt: skip


def checked_scenes(scenes: Any) -> tuple[Scene, ...]:
    """Scenes of the same size, one or more."""
    each = (scenes,) if isinstance(scenes, Scene) else tuple(as_items("model", scenes, "scenes"))
    for scene in each:
        if not isinstance(scene, Scene):
            raise TypeError(f"expected a Model, a Scene or Scenes as model, got {shown(scene)}")
        expected, got = ((s.model.nq, s.model.nv) for s in (each[0], scene))
        if got != expected:
            raise ShapeError(
                f"expected scenes of nq, nv = {expected} as the first, got {got} (scene "
                f"'{scene.name}')"
            )
    if not each:
        raise ArgumentError("expected scenes as model, got none")
    return each


@dataclass
class _Worlds:
    """All worlds of a roll-out: where they start, what drives them, and where they went."""

    scenes: tuple[Scene, ...]
    q: np.ndarray | None
    qd: np.ndarray | None
    force: np.ndarray
    controls: np.ndarray | None
    recorded: list[int]
    dt: Any
    options: dict[str, Any]
    reports: list[Mapping[str, float]] = field(init=False)
    faults: list[list[Fault]] = field(init=False)
    _building: Lock = field(init=False, default_factory=Lock)

    def __post_init__(self) -> None:
        n, model = len(self.force), self.scenes[0].model
        self.q_out = np.full((n, len(self.recorded), model.nq), np.nan)
        self.qd_out = np.full((n, len(self.recorded), model.nv), np.nan)
        n_activations = model.n_activations if self.controls is not None else 0
        self.activation = np.full((n, len(self.recorded), n_activations), np.nan)
        self.reports, self.faults = [{} for _ in range(n)], [[] for _ in range(n)]
        self.settled: dict[int, str] = {}
        self._first: list[Any] = [self._simulator(0)] if n else []
        self.dt = self._first[0].dt if n else step_of(self.scenes[0], self.dt)

    def simulator(self) -> Any:
        """What a thread goes on with: for the same scene a simulator and how it begins."""
        if len(self.scenes) > 1:
            return None
        with self._building:
            simulator = self._first.pop() if self._first else self._simulator(0)
        return simulator, simulator.checkpoint()

    def run(self, kept: Any, k: int, stop: Event) -> None:
        """Carry a world from start to end."""
        if kept is None:
            with self._building:
                simulator = self._simulator(k)
        else:
            simulator, begin = kept
            simulator.restore(begin)
        simulator._on_start = partial(self._answer_start, simulator, k)
        drive = self._begin(simulator, k)
        controls = None if self.controls is None else self.controls[k]
        rows = self._rows(simulator, drive, controls, stop)
        try:
            for row, (position, velocity) in enumerate(rows):
                q, qd = simulator.coordinates(position, velocity)
                self.q_out[k, row], self.qd_out[k, row] = q, qd
                if self.activation.size:
                    self.activation[k, row] = simulator.activation
        except (SimulationError, StartError):
            pass  # the rows stay NaN
        self.reports[k] = simulator.report

    def _simulator(self, k: int) -> Simulator:
        return Simulator(self.scenes[k], dt=self.dt, **self.options)

    def _answer_start(self, simulator: Simulator, k: int, faults: list[Fault]) -> None:
        """Note what is wrong with the start of a world, for one answer for all; settle it."""
        if faults and simulator.start == "settle":
            self.settled[k] = settled(simulator, faults, f"world {k}")
            return
        self.faults[k] = faults
        if faults and simulator.start == "check":
            raise StartError(f"world {k} is not as it must be at the start")

    def _begin(self, simulator: Simulator, k: int) -> np.ndarray | None:
        """Put a world where it starts; return the forces of its steps, if they change."""
        at_q, at_qd = _places(simulator)
        fields, force = simulator._fields, self.force[k]
        if self.q is not None or self.qd is not None:
            q, qd = simulator.state
            q = q if self.q is None else _unit(simulator, self.q[k])
            qd = qd if self.qd is None else self.qd[k]
            fields.position[:], fields.velocity[:] = inward(simulator._plan, q[at_q], qd[at_qd])
            simulator._is_fresh = True
        inner = np.ascontiguousarray(force[:, at_qd])
        for node in simulator._plan.nodes:
            if node.is_free and inner[:, node.dof : node.dof + 6].any():
                raise ModelError(
                    f"forces on the free body '{node.machine.name}' turn with it: use "
                    f"polhode.simulate with controllers, or forces of the scene"
                )
        if len(inner) == 1:
            fields.tau[:] = inner[0]
            return None
        return inner

    def _rows(
        self, simulator: Simulator, drive: np.ndarray | None, controls: np.ndarray | None,
        stop: Event,
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:  # fmt: skip
        """States at the recorded steps, in the loops' coordinates."""
        fields, at = simulator._fields, 0
        changes = _changes(controls)
        yield fields.position.copy(), fields.velocity.copy()
        for end in self.recorded[1:]:
            while at < end:
                if controls is not None and changes[:1] == [at]:
                    simulator.controls = controls[at]
                    del changes[0]
                count = min(_CHUNK, end - at, *[step - at for step in changes[:1]])
                part = None if drive is None else drive[at : at + count]
                simulator.advance(self.dt, count, drive=part)
                if self.controls is not None:
                    simulator._actuation.forget()
                at += count
                if stop.is_set():
                    return
            yield fields.position, fields.velocity


def _changes(controls: np.ndarray | None) -> list[int]:
    """The steps at which controls change, the first one included."""
    if controls is None or not len(controls):
        return []
    return [0, *(np.flatnonzero((controls[1:] != controls[:-1]).any(axis=-1)) + 1).tolist()]


def _unit(simulator: Simulator, q: np.ndarray) -> np.ndarray:
    """Positions with quaternions made exactly unit; those far from it are refused."""
    return unit(simulator.scene.model, q, "q")


def _places(simulator: Simulator) -> tuple[np.ndarray, np.ndarray]:
    """Where the loops' positions and velocities lie in those of `Scene.model`."""
    plan, scene = simulator._plan, simulator.scene
    at_q, at_qd = np.zeros(plan.nq, int), np.zeros(plan.nv, int)
    nodes = {node.machine.name: node for node in plan.nodes}
    i, surplus = 0, scene.model.nv
    for machine in scene.machines:
        n, more = machine.model.nv, machine.model.nq - machine.model.nv
        own = [*range(i, i + n), *range(surplus, surplus + more)]
        node = nodes.get(machine.name)
        if node is not None:
            at_q[node.place : node.place + n + more] = own
            at_qd[node.dof : node.dof + n] = own[:n]
        i, surplus = i + n, surplus + more
    return at_q, at_qd


def _in_threads(
    begin: Callable[[], Any], run: Callable[[Any, int, Event], None], count: int
) -> None:
    """Run worlds in as many threads as are allowed, each taking the next that is left."""
    n_threads, stop = max(1, min(get_num_threads(), count)), Event()
    left: SimpleQueue[int] = SimpleQueue()
    for k in range(count):
        left.put(k)

    def go() -> None:
        try:
            kept = begin() if count else None
            while not stop.is_set():
                run(kept, left.get_nowait(), stop)
        except Empty:
            pass
        except BaseException:
            stop.set()
            raise

    if n_threads == 1:
        go()
        return
    with ThreadPoolExecutor(n_threads) as pool:
        futures = [pool.submit(go) for _ in range(n_threads)]
        try:
            for future in futures:
                future.result()
        except BaseException:
            stop.set()
            raise
