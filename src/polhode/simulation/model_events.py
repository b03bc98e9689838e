"""Runs of models with the event-driven integrator: limits and dry friction, world by world."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import ArrayLike, as_array
from ..errors import ModelError, ShapeError, shown
from ..model import Model
from ..recording import Recording
from ..scene import Scene
from .drive import Controller, State, ZeroOrderHold, check_called_with
from .errors import SimulationError, SimulationInterrupted
from .smooth_run import check_controller
from .start import answer_limits, start_of
from .stepping import Simulator
from .stepping.run import simulate_scene


def simulate_events(
    model: Model,
    duration: float,
    integrator: str,
    q0: ArrayLike | None,
    qd0: ArrayLike | None,
    f_ext: Any,
    *,
    controller: Controller | None,
    **options: Any,
) -> Recording:
    """Return the recording of a model as a scene of one machine; see `polhode.simulate`."""
    check_controller(controller)
    if callable(f_ext):
        check_called_with("f_ext", f_ext, ("t", "state"))
    q, qd = start_of(model, q0, qd0)
    note = ""
    if options["joint_forces"] == "all" and options["start"] != "keep":
        note = answer_limits(model, q, options["start"])
    shape = qd.shape[:-1]
    run = _Worlds(model, duration, integrator, controller, options)
    if not shape:
        return _noted(run.world(q, qd, f_ext), note)
    loads = f_ext
    if f_ext is not None and not callable(f_ext):
        loads = np.broadcast_to(as_array("f_ext", f_ext), (*shape, model.n_bodies, 6))
    for name in ("output", "resume", "watch"):
        if name in options:
            raise ShapeError(f"expected one world with {name}, got worlds {shape}")
    worlds = []
    for w in np.ndindex(shape):
        own = loads[w] if isinstance(loads, np.ndarray) else loads
        try:
            worlds.append(run.world(q[w], qd[w], own))
        except (SimulationError, KeyboardInterrupt) as error:
            kind = SimulationError if isinstance(error, SimulationError) else SimulationInterrupted
            if (own_part := getattr(error, "recording", None)) is not None:
                worlds.append(own_part)
            kept = _joined(worlds, shape) if worlds else None
            text = f"{str(error) or 'interrupted'}, in world {w[0] if len(w) == 1 else w}"
            raise kind(text, kept) from error.__cause__
    return _noted(_joined(worlds, shape), note)


def _noted(recording: Recording, note: str) -> Recording:
    return replace(recording, notes=(*recording.notes, note)) if note else recording


def simulator_of(
    model: Model, q0: Any, qd0: Any, f_ext: Any, controller: Controller | None, **options: Any
) -> Simulator:
    """A simulator of one world of a model, with a controller and external forces as of a run."""
    check_controller(controller)
    if callable(f_ext):
        check_called_with("f_ext", f_ext, ("t", "state"))
    q, qd = start_of(model, q0, qd0)
    if q.ndim != 1:
        raise ShapeError(f"expected one world, got q0 of shape {q.shape} (model '{model.name}')")
    forces, sampled = (None if f_ext is None else _Loads(model, f_ext)), _sampled(controller)
    name = Scene.of(model).machines[0].name
    controllers = None if sampled is None else {name: sampled}
    simulator = Simulator(model, forces=forces, controllers=controllers, **options)
    simulator.set_state(name, q, qd)
    return simulator


class _Worlds:
    """What the runs of all worlds have in common."""

    def __init__(self, model, duration, integrator, controller, options: dict[str, Any]):
        self.model: Model = model
        self.duration: float = duration
        self.integrator: str = integrator
        self.controller = controller
        self.options = options

    def world(self, q: np.ndarray, qd: np.ndarray, f_ext: Any) -> Recording:
        """The run of one world."""
        forces = None if f_ext is None else _Loads(self.model, f_ext)
        return simulate_scene(
            self.model, self.duration, integrator=self.integrator, q0=q, qd0=qd, forces=forces,
            controller=_sampled(self.controller), **self.options,
        )  # fmt: skip


class _Loads:
    """External forces of a model as forces of a scene."""

    def __init__(self, model: Model, f_ext: Any):
        self.model: Model = model
        self.f_ext = f_ext
        self.links: dict[int, str] = {}
        for link in model.links:
            self.links.setdefault(int(model.body(link.name).moving), link.name)
        if not callable(f_ext):
            self.f_ext = self._checked(f_ext, 0.0)

    def __call__(self, t: float, simulator: Any) -> dict[tuple[str, str], np.ndarray]:
        loads = self.f_ext
        if callable(loads):
            q, qd = simulator.state
            loads = self._checked(
                loads(t, State(t, q, qd, self.model, simulator._callables.rng)), t
            )
        name = simulator.scene.machines[0].name
        return {(name, link): loads[i - 1] for i, link in self.links.items() if i}

    def _checked(self, loads: Any, t: float) -> np.ndarray:
        where = f" at t = {t:g} s (model '{self.model.name}')"
        if loads is None:
            raise ShapeError(f"expected external forces f_ext, got None{where}")
        array = as_array("external forces f_ext", loads, where)
        expected = (self.model.n_bodies, 6)
        if array.shape != expected:
            raise ShapeError(
                f"expected external forces f_ext of shape {expected}, got {array.shape}{where}"
            )
        if not np.isfinite(array).all():
            raise SimulationError(f"expected finite external forces, got {shown(array)}{where}")
        for i in range(1, self.model.n_bodies + 1):
            if i not in self.links and array[i - 1].any():
                raise ModelError(
                    f"expected external forces on bodies with a link, got some on body {i}, which "
                    f"is inside a joint{where}"
                )
        return array


def _sampled(controller: Controller | None) -> Callable[..., Any] | None:
    """A held controller, called at the first step at or after each multiple of its period."""
    if not isinstance(controller, ZeroOrderHold):
        return controller
    period, sample, tau = controller.period, -1, None

    def held(t: float, state: State) -> Any:
        nonlocal sample, tau
        if (now := int(t / period + 1e-9)) != sample:
            sample, tau = now, controller(t, state)
        return tau

    return held


def _joined(worlds: list[Recording], shape: tuple[int, ...]) -> Recording:
    """One recording of many worlds; NaN where one did not come."""
    longest = max(worlds, key=lambda world: len(world.times))
    rows: dict[str, np.ndarray] = {}
    for name in ("q", "qd", "tau", "tau_passive", "tau_constraint", "work"):
        own = getattr(longest, name)
        whole = np.full((len(own), math.prod(shape), *own.shape[1:]), np.nan)
        for k, world in enumerate(worlds):
            values = getattr(world, name)
            whole[: len(values), k] = values
        rows[name] = whole.reshape(len(own), *shape, *own.shape[1:])
    notes = tuple(dict.fromkeys(note for world in worlds for note in world.notes))
    stopped = next((world.stopped for world in worlds if world.stopped), "")
    return replace(longest, **rows, notes=notes, stopped=stopped, scene=None)
