"""Runs of scenes from start to end, with records, checkpoints and progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...arguments import MOST_COUNT, as_mapping, as_number
from ...errors import ArgumentError, ModelError, shown, suggests_options
from ...interrupts import uninterrupted
from ...model import Model
from ...model.checks import entries
from ...recording import Recording
from ...recording.checkpoint import Checkpoint
from ...scene import Scene
from ..errors import SimulationError, SimulationInterrupted
from ..progress import Progress
from ..timeline import positive
from .recorder import Recorder, Watch
from .simulator import Simulator

_RECORD_PERIOD = 0.01  # s: a hundred records a second play smoothly


@suggests_options
def simulate_scene(
    scene: Scene | Model,
    duration: float,
    *,
    dt: float | None = None,
    integrator: str | None = None,
    contact: str | None = None,
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
    start: str = "check",
    joint_forces: str = "all",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    watch: Sequence[Watch] = (),
    seconds: dict[str, float] | None = None,
    q0: Any = None,
    qd0: Any = None,
) -> Recording:
    """Move a scene through time; see `polhode.simulate`.

    Parameters
    ----------
    scene : Scene or Model
    duration : float
        How long [s]; with ``resume``, from its first start on.
    dt : float, optional
        The step [s]; the scene's own, or 1 ms.
    integrator, contact, start, joint_forces, rtol, atol
        See `Simulator`.
    controller, controllers, forces, contact_filter
        See `Simulator`; ``controller`` is for scenes with one machine.
    record : float or int, optional
        A period [s], or a whole number of steps; every 10 ms by default.
    output : path, optional
        An ``.h5`` file that takes the recording while it runs.
    resume : path or Checkpoint, optional
        Go on with the run of this file (its last checkpoint), or from a checkpoint.
    watch : sequence of (int, callable), optional
        ``function(simulator)`` is called at the start and after each so many steps.
    seconds : dict, optional
        Takes how long the ``"first step"`` took, which may compile, and how long was spent
        ``"stepping"``, ``"writing"`` and ``"watching"`` [s].
    q0, qd0 : array_like, optional
        Where the first machine starts, instead of where the scene says.

    Returns
    -------
    recording : Recording
        With the contacts.

    Raises
    ------
    SimulationError
        If the motion stops being finite or the disk does not take the records; its
        ``recording`` holds what there is.
    SimulationInterrupted
        On Ctrl-C, a `KeyboardInterrupt`; its ``recording`` holds what there is.
    OSError
        If ``output`` cannot be written at all.
    """
    duration = positive(duration, "duration")
    _check_watch(watch)
    bar = Progress(duration, progress)
    recorder = None
    try:
        simulator = Simulator(
            scene, integrator=integrator, contact=contact, dt=dt,
            controllers=_controllers(scene, controller, controllers), forces=forces,
            contact_filter=contact_filter, seed=seed, max_mini_steps=max_mini_steps, start=start,
            joint_forces=joint_forces, rtol=rtol, atol=atol,
        )  # fmt: skip
        if q0 is not None or qd0 is not None:
            simulator.set_state(simulator.scene.machines[0].name, q0, qd0)
        if resume is None:
            simulator.check_start()
        every = _every(record, simulator.dt)
        recorder = Recorder(simulator, duration, every, seed, output, resume, watch)
        recorder.go(bar)
        return recorder.close()
    except KeyboardInterrupt:
        if recorder is None:
            raise
        recorder.stopped = f"interrupted at t = {recorder.simulator.current_time:g} s"
        raise _interrupted(recorder) from None
    except SimulationError as error:
        if recorder is None:
            raise
        recorder.stopped = str(error)
        raise SimulationError(str(error), recorder.salvage(error)) from error
    except OSError as error:
        if recorder is None or not recorder.done:
            raise
        recorder.stopped = _said_of_disk(error, recorder)
        raise SimulationError(recorder.stopped, recorder.salvage(error)) from error
    finally:
        bar.close()
        if recorder is not None and seconds is not None:
            seconds.update(recorder.seconds)


def _interrupted(recorder: Recorder) -> SimulationInterrupted:
    """The interrupt, with the recording of a run that ends here."""
    with uninterrupted():
        try:
            kept: Recording | None = recorder.close()
        except OSError as error:
            recorder.stopped += f"; {_said_of_disk(error, recorder)}"
            kept = recorder.salvage(error)
    return SimulationInterrupted(recorder.stopped, kept)


def _said_of_disk(error: OSError, recorder: Recorder) -> str:
    """What could not be written, why, and up to when there are records."""
    path = error.filename or recorder.output
    why = error.strerror or str(error).split("\n")[0]
    t = recorder.simulator.current_time
    return f"could not write '{path}' at t = {t:g} s: {why}; what was written before is kept"


def _check_watch(watch: Sequence[Watch]) -> None:
    for each in entries(watch, "pairs (steps, function) as watch"):
        if not (isinstance(each, tuple) and len(each) == 2 and callable(each[1])):
            raise TypeError(f"expected (steps, function) to watch the run, got {shown(each)}")
        if isinstance(each[0], bool) or not isinstance(each[0], int) or each[0] < 1:
            raise ValueError(f"expected to watch after one step or more, got {each[0]!r}")


def _controllers(scene, controller, controllers) -> dict[str, Callable[..., Any]]:
    chosen = {} if controllers is None else dict(as_mapping("controllers", controllers))
    if controller is not None:
        whole = scene if isinstance(scene, Scene) else Scene.of(scene)
        moving = [m.name for m in whole.simulated if not m.is_fixed]
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
        count: float = int(record)
    else:
        count = as_number("record", record) / dt
        count = round(count) if abs(count) < MOST_COUNT else count
    if not 1 <= count <= MOST_COUNT:
        raise ArgumentError(
            f"expected to record after 1 step to {MOST_COUNT}, got {count:.4g} (record={record})"
        )
    return int(count)
