"""Runs of models: worlds side by side by smooth integrators, or each as a scene of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import as_generator, check_called_with
from ..arrays import ArrayLike, as_array
from ..constraint_sets import ConstraintSet
from ..errors import ModelError, ShapeError
from ..model import Model
from ..scene import Scene
from .actuation import actuation_of
from .constraints_held import HeldConstraints
from .drive import Controller, Drive, State, checked_loads
from .driver import Run, Worlds
from .hold import ZeroOrderHold
from .integrators import SCIPY
from .integrators.adaptive import tolerances
from .passive_joints import PassiveJoints
from .smooth_worlds import SmoothWorlds
from .start import answer_limits, start_of
from .timeline import positive, timeline


def smooth_run(
    model: Model,
    acting: Model,
    duration: float,
    integrator: str,
    q0: ArrayLike | None,
    qd0: ArrayLike | None,
    f_ext: Any,
    constraints: ConstraintSet | None,
    *,
    dt: float | None,
    controller: Controller | None,
    controls: Any,
    start: str,
    record: float | int | None,
    seed: int | None,
    rtol: float,
    atol: float,
) -> Run:
    """A run of a model as a differential equation; see `polhode.simulate`.

    ``acting`` is the model with those joint forces that act.
    """
    duration, dt = positive(duration, "duration"), positive(1e-3 if dt is None else dt, "dt")
    _check_callables(controller, f_ext)
    sample_time = controller.period if isinstance(controller, ZeroOrderHold) else None
    allowed = tolerances(rtol, atol, model.nq + model.nv + 1)
    joints = PassiveJoints(acting, integrator)
    rows = None if constraints is None else HeldConstraints(model, constraints)
    q, qd = start_of(model, q0, qd0)
    notes = [answer_limits(acting, q, start), rows.begin(q, qd, start) if rows else ""]
    rng = as_generator("seed", seed)
    actuation = actuation_of(acting, controls, qd.shape[:-1], with_tendons=False)
    if actuation is not None and actuation.has_states:
        sample_time = dt if sample_time is None else min(dt, sample_time)
    instants = timeline(duration, dt, record, sample_time)
    drive = Drive(model, controller, f_ext, rng, qd.shape[:-1], joints, rows, actuation)
    settings = {"integrator": integrator, "dt": dt, "seed": seed,
                "notes": tuple(note for note in notes if note)}  # fmt: skip

    def world(w: tuple[int, ...]) -> SmoothWorlds:
        return SmoothWorlds(drive.of_world(w), instants, q[w], qd[w], settings, allowed)

    if integrator in SCIPY and drive.shape and 0 not in drive.shape:
        return Worlds(drive.shape, world)
    return SmoothWorlds(drive, instants, q, qd, settings, allowed)


def event_driven_run(
    model: Model,
    acting: Model,
    duration: float,
    q0: ArrayLike | None,
    qd0: ArrayLike | None,
    f_ext: Any,
    *,
    controller: Controller | None,
    start: str,
    **options: Any,
) -> Run:
    """A run of a model as a scene of its own; see `polhode.simulate`."""
    # What simulates contact takes a while to import.
    from .stepping.run import run_of_scene

    _check_callables(controller, f_ext)
    q, qd = start_of(model, q0, qd0)
    # What is kept as it is, a simulator says itself.
    note = "" if start == "keep" else answer_limits(acting, q, start)
    shape = qd.shape[:-1]
    for name in ("output", "resume", "watch"):
        if name in options and shape:
            raise ShapeError(f"expected one world with {name}, got worlds {shape}")
    if 0 in shape:
        raise ShapeError(f"expected at least one world, got worlds {shape}")
    loads = f_ext
    if shape and f_ext is not None and not callable(f_ext):
        loads = np.broadcast_to(as_array("f_ext", f_ext), (*shape, model.n_bodies, 6))

    def world(w: tuple[int, ...]) -> Any:
        own = loads[w] if isinstance(loads, np.ndarray) else loads
        return run_of_scene(
            model, duration, q0=q[w], qd0=qd[w], forces=_forces_of(model, own),
            controller=controller, start=start, notes=(note,) if note else (), **options,
        )  # fmt: skip

    return Worlds(shape, world) if shape else world(())


def simulator_of(
    model: Model, q0: Any, qd0: Any, f_ext: Any, controller: Controller | None, **options: Any
) -> Any:
    """A simulator of one world of a model, with a controller and external forces as of a run."""
    from .stepping import Simulator

    _check_callables(controller, f_ext)
    q, qd = start_of(model, q0, qd0)
    if q.ndim != 1:
        raise ShapeError(f"expected one world, got q0 of shape {q.shape} (model '{model.name}')")
    name = Scene.of(model).machines[0].name
    controllers = None if controller is None else {name: controller}
    forces = _forces_of(model, f_ext)
    simulator = Simulator(model, forces=forces, controllers=controllers, **options)
    simulator.set_state(name, q, qd)
    return simulator


def _check_callables(controller: Any, f_ext: Any) -> None:
    """Refuse what is no function ``(t, state)``."""
    if controller is not None:
        if not callable(controller):
            kind = type(controller).__name__
            raise TypeError(f"expected a controller (t, state) -> forces, got {kind}")
        check_called_with("controller", controller, ("t", "state"))
    if callable(f_ext):
        check_called_with("f_ext", f_ext, ("t", "state"))


def _forces_of(model: Model, f_ext: Any) -> _Loads | None:
    return None if f_ext is None else _Loads(model, f_ext)


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
        array = checked_loads(loads, t, self.model)
        for i in range(1, self.model.n_bodies + 1):
            if i not in self.links and array[i - 1].any():
                raise ModelError(
                    "expected external forces on bodies with a link, got some on body "
                    f"{i}, which is inside a joint at t = {t:g} s (model '{self.model.name}')"
                )
        return array
