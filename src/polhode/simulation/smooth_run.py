"""Runs of models with smooth integrators, many worlds at once."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..arguments import as_generator
from ..arrays import ArrayLike
from ..constraint_sets import ConstraintSet
from ..model import Model
from ..recording import Recording
from .constraints_held import HeldConstraints
from .drive import Controller, Drive, ZeroOrderHold, check_called_with
from .errors import SimulationError, SimulationInterrupted
from .integrators import FIXED_STEP
from .integrators.adaptive import Adaptive, tolerances
from .passive_joints import PassiveJoints
from .progress import Progress
from .running import RecordLog, run_adaptive, run_fixed
from .start import answer_limits, start_of
from .timeline import positive, timeline


def simulate_smooth(
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
    joint_forces: str,
    start: str,
    record: float | int | None,
    seed: int | None,
    progress: bool | None,
    rtol: float,
    atol: float,
) -> Recording:
    """Return the recording of ``model``; see `polhode.simulate`.

    ``acting`` is the model with those joint forces that act.
    """
    duration, dt = positive(duration, "duration"), positive(1e-3 if dt is None else dt, "dt")
    check_controller(controller)
    if callable(f_ext):
        check_called_with("f_ext", f_ext, ("t", "state"))
    held = controller.period if isinstance(controller, ZeroOrderHold) else None
    instants = timeline(duration, dt, record, held)
    rtol, atol = tolerances(rtol, atol, model.nq + model.nv + 1)
    joints = PassiveJoints(acting, integrator)
    rows = None if constraints is None else HeldConstraints(model, constraints)
    q, qd = start_of(model, q0, qd0)
    notes = [answer_limits(acting, q, start), rows.begin(q, qd, start) if rows else ""]
    rng = as_generator("seed", seed)
    drive = Drive(model, controller, f_ext, rng, qd.shape[:-1], joints, rows)
    settings = {"integrator": integrator, "dt": dt, "seed": seed,
                "notes": tuple(note for note in notes if note)}  # fmt: skip
    log = RecordLog(drive, instants, q, qd, settings)
    bar = Progress(duration, progress)
    try:
        if integrator in FIXED_STEP:
            run_fixed(drive, FIXED_STEP[integrator](drive), instants, dt, q, qd, log, bar)
        else:
            make = partial(Adaptive, method=integrator, rtol=rtol, atol=atol, steps=duration / dt)
            run_adaptive(make, drive, instants, q, qd, log, bar)
    except SimulationError as error:
        message = f"{error} (model '{model.name}', integrator '{integrator}')"
        raise SimulationError(message, log.recording(str(error))) from error.__cause__
    except KeyboardInterrupt:
        kept = log.recording(f"interrupted at t = {log.last:g} s")
        if kept is None:
            raise
        raise SimulationInterrupted(kept.stopped, kept) from None
    finally:
        bar.close()
    recording = log.recording()
    assert recording is not None  # the start is always recorded
    return recording


def check_controller(controller: Any) -> None:
    """Refuse what is no function ``(t, state)``."""
    if controller is None:
        return
    if not callable(controller):
        kind = type(controller).__name__
        raise TypeError(f"expected a controller (t, state) -> forces, got {kind}")
    check_called_with("controller", controller, ("t", "state"))
