"""What a run of a scene is made of: a simulator, and a recorder of its steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...arguments import as_mapping
from ...errors import ModelError, shown
from ...model import Model
from ...model.checks import entries
from ...recording.checkpoint import Checkpoint
from ...scene import Scene
from ..timeline import positive, steps_of_records
from .clock import step_of
from .recorder import Recorder, Watch
from .simulator import Simulator


def run_of_scene(
    scene: Scene | Model,
    duration: float,
    *,
    dt: float | None = None,
    controller: Callable[..., Any] | None = None,
    controllers: Mapping[str, Callable[..., Any]] | None = None,
    record: float | int | None = None,
    seed: int | None = None,
    output: str | Path | None = None,
    resume: str | Path | Checkpoint | None = None,
    watch: Sequence[Watch] = (),
    seconds: dict[str, float] | None = None,
    q0: Any = None,
    qd0: Any = None,
    notes: tuple[str, ...] = (),
    **options: Any,
) -> Recorder:
    """The run that `polhode.simulate` carries out; other options are of `Simulator`.

    ``q0`` and ``qd0`` take the place of the initial state of the first model. The recording repeats
    the ``notes``.
    """
    duration = positive(duration, "duration")
    _check_watch(watch)
    whole = scene if isinstance(scene, Scene) else Scene.of(scene)
    h, every = steps_of_records(record, step_of(whole, dt))
    simulator = Simulator(
        scene, dt=h, controllers=_controllers(whole, controller, controllers), seed=seed,
        **options,
    )  # fmt: skip
    if q0 is not None or qd0 is not None:
        simulator.set_state(simulator.scene.machines[0].name, q0, qd0)
    if resume is None:
        simulator.check_start()
    return Recorder(simulator, duration, every, seed, output, resume, watch, seconds, notes)


def _check_watch(watch: Sequence[Watch]) -> None:
    for each in entries(watch, "pairs (steps, function) as watch"):
        if not (isinstance(each, tuple) and len(each) == 2 and callable(each[1])):
            raise TypeError(f"expected (steps, function) to watch the run, got {shown(each)}")
        if isinstance(each[0], bool) or not isinstance(each[0], int) or each[0] < 1:
            raise ValueError(f"expected to watch after one step or more, got {each[0]!r}")


def _controllers(
    scene: Scene,
    controller: Callable[..., Any] | None,
    controllers: Mapping[str, Callable[..., Any]] | None,
) -> dict[str, Callable[..., Any]]:
    """Controllers by name of the model; ``controller`` is that of the only one that moves."""
    chosen = {} if controllers is None else dict(as_mapping("controllers", controllers))
    if controller is not None:
        moving = [m.name for m in scene.simulated if not m.is_fixed]
        if len(moving) != 1:
            raise ModelError(
                f"expected one model that moves for a controller, got {len(moving)}; give "
                "controllers={name: function}"
            )
        chosen[moving[0]] = controller
    return chosen
