"""Runs of scenes from start to end, with records, checkpoints and progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...arguments import MOST_COUNT, as_mapping, as_number
from ...errors import ArgumentError, ModelError, shown, suggestion, suggests_options
from ...interrupts import uninterrupted
from ...model.checks import entries
from ..errors import SimulationError, SimulationInterrupted
from ..progress import Progress
from ..recording import Recording
from ..recording.checkpoint import Checkpoint
from ..scene import Scene
from ..smooth import SCHEMES
from .recorder import Recorder, Watch
from .simulator import Simulator
from .simulators import METHODS, TimeSteppingSimulator

_RECORD_PERIOD = 0.01  # s: a hundred records a second play smoothly


@suggests_options
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
    watch: Sequence[Watch] = (),
    seconds: dict[str, float] | None = None,
) -> Recording:
    """Move a scene through time; see `polhode.simulate`.

    Parameters
    ----------
    scene : Scene
    duration : float
        How long [s]; with ``resume``, from its first start on.
    dt : float, optional
        The step [s]; the scene's own, or 1 ms.
    method : str, optional
        A contact solver, ``"exact"``, ``"convex"`` or ``"lcp"``; or where nothing can touch a
        scheme of `Simulator`.
    controller, controllers, forces, contact_filter
        See `TimeSteppingSimulator`; ``controller`` is for scenes with one machine.
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
    duration = as_number("duration", duration, finite=False)
    if not 0.0 < duration < np.inf:
        raise ArgumentError(f"expected duration above 0 and finite, got {duration}")
    _check_watch(watch)
    bar = Progress(duration, progress)
    recorder = None
    try:
        simulator = _simulator(
            scene, method, dt=dt, controllers=_controllers(scene, controller, controllers),
            forces=forces, contact_filter=contact_filter, seed=seed,
            max_mini_steps=max_mini_steps,
        )  # fmt: skip
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


def _simulator(scene: Scene, method: str | None, **options: Any) -> TimeSteppingSimulator:
    """The simulator that a scene asks for, with a contact solver or a scheme."""
    known = (*METHODS, *SCHEMES)
    if method is not None and (not isinstance(method, str) or method not in known):
        hint = suggestion(method, known) if isinstance(method, str) else ""
        raise ArgumentError(
            f"expected a method out of {', '.join(known)}, got {shown(method)}{hint}"
        )
    solver = method if method in METHODS else "exact"
    if method in SCHEMES:
        pair = touching_pair(scene) if scene.settings.kind == "time-stepping" else None
        if pair is not None:
            raise ModelError(
                f"method '{method}' knows no contact, but '{pair[0]}' and '{pair[1]}' can touch; "
                f"expected {', '.join(METHODS)} (scene '{scene.name}')"
            )
        return Simulator(scene, method=solver, scheme=method, **options)
    kind = Simulator if scene.settings.kind == "simulator" else TimeSteppingSimulator
    return kind(scene, method=solver, **options)


def touching_pair(scene: Scene) -> tuple[str, str] | None:
    """The names of two geometries that can touch, if there are any."""
    active = {machine.name: machine for machine in scene.simulated}
    shown = [(k, g) for k, g in enumerate(scene.geometries) if g.machine in active]
    for n, (j, b) in enumerate(shown):
        for i, a in shown[:n]:
            is_still = active[a.machine].is_fixed and active[b.machine].is_fixed
            is_same = (a.machine, a.body) == (b.machine, b.body)
            if not is_still and not is_same and (i, j) not in scene.disabled_geometries:
                return a.name, b.name
    return None


def _check_watch(watch: Sequence[Watch]) -> None:
    for each in entries(watch, "pairs (steps, function) as watch"):
        if not (isinstance(each, tuple) and len(each) == 2 and callable(each[1])):
            raise TypeError(f"expected (steps, function) to watch the run, got {shown(each)}")
        if isinstance(each[0], bool) or not isinstance(each[0], int) or each[0] < 1:
            raise ValueError(f"expected to watch after one step or more, got {each[0]!r}")


def _controllers(scene, controller, controllers) -> dict[str, Callable[..., Any]]:
    chosen = {} if controllers is None else dict(as_mapping("controllers", controllers))
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
        count: float = int(record)
    else:
        count = as_number("record", record) / dt
        count = round(count) if abs(count) < MOST_COUNT else count
    if not 1 <= count <= MOST_COUNT:
        raise ArgumentError(
            f"expected to record after 1 step to {MOST_COUNT}, got {count:.4g} (record={record})"
        )
    return int(count)
