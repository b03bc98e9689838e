"""``polhode sim FILE``: a run from the command line."""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Sequence
from functools import reduce
from operator import add

import numpy as np

from ..api.manifold import neutral, random_configuration
from ..arguments import as_generator
from ..constraint_sets import ConstraintSet
from ..errors import ModelError
from ..model import Model
from ..recording import Recording
from ..scene import Scene
from ..simulation.errors import SimulationError, SimulationInterrupted, StartError
from ..simulation.simulate import simulate
from .ground import with_ground
from .idle import refuse_idle
from .model_file import read_model, read_scene
from .sim_files import check_files
from .sim_plugins import plugins
from .sim_scene import run_scene
from .terminal import Output

_FRICTION = 0.8  # on the ground of --ground
_NEEDED = {"friction": "ground", "print_every": "print", "snapshot_every": "snapshots"}


def run(options: Namespace, output: Output) -> int:
    """Simulate and write what was asked for; a run that fails writes what it has."""
    try:
        return _run(options, output)
    except StartError as error:
        raise StartError(f"{error}; on the command line: --bad-start settle or keep") from None


def _run(options: Namespace, output: Output) -> int:
    check_files(options)
    refuse_idle(options, _NEEDED)
    functions = plugins(options.plugin) or None
    if options.ground:
        scene = read_scene(options.file, options, plugins=functions)
        friction = _FRICTION if options.friction is None else options.friction
        model = with_ground(scene, friction)
    else:
        model = read_model(options.file, options, plugins=functions)
    if isinstance(model, Scene):
        return run_scene(model, options, output)
    _refuse(options)
    q0 = neutral(model)
    if options.start == "random":
        q0 = random_configuration(model, as_generator("seed", options.seed))
    qd0 = np.zeros(model.nv)
    _put(model, options.set, q0, "q")
    _put(model, options.speed, qd0, "v")
    try:
        recording = simulate(
            model,
            10.0 if options.time is None else options.time,
            q0=q0,
            qd0=qd0,
            dt=options.dt,
            integrator=options.integrator,
            start=options.bad_start,
            joint_forces=options.joint_forces,
            constraints=_constraints(model, options.constraints),
            controller=_damper(options.damping),
            record=options.record,
            seed=options.seed,
            progress=False if output.quiet else None,
        )
    except SimulationError as error:
        if error.recording is not None:
            _write(error.recording, options, output)
        raise
    except SimulationInterrupted as interrupt:
        if interrupt.recording is not None:
            _report(interrupt.recording, options, output)
        raise
    _report(recording, options, output)
    if options.show:
        recording.show()
    return 0


def _report(recording: Recording, options: Namespace, output: Output) -> None:
    """Write the files and the summary, with what the run notes about itself."""
    files = _write(recording, options, output)
    output.say(repr(recording))
    output.say(str(recording.audit))
    for note in recording.notes:
        output.say(f"note: {note}")
    output.result(_as_data(recording, files) | {"notes": list(recording.notes)})


def _refuse(options: Namespace) -> None:
    """Options that only scenes have, which would otherwise do nothing."""
    for name in (
        "max_iterations",
        "resume",
        "snapshots",
        "plugin",
        "print",
        "log_level",
        "log",
        "contact",
        "profile",
    ):
        if getattr(options, name):
            raise ModelError(f"--{name.replace('_', '-')} is for scenes, got a model")


def _constraints(model: Model, names: Sequence[str]) -> ConstraintSet | None:
    """The constraint sets of these names together; None without any."""
    sets = [ConstraintSet.declared(model, name) for name in names]
    return reduce(add, sets) if sets else None


def _damper(damping: float):
    if not (damping >= 0.0 and math.isfinite(damping)):
        raise ValueError(f"expected --damping of at least 0 and finite, got {damping:g}")
    if damping == 0.0:
        return None
    return lambda t, state: -damping * state.qd


def _put(model: Model, settings: Sequence[str], array: np.ndarray, which: str) -> None:
    """Set entries of ``array`` from texts such as ``elbow=0.5`` or ``hip=0,0.1,0``."""
    for setting in settings:
        name, equals, text = setting.partition("=")
        joint = model.joint(name)
        try:
            values = [float(x) for x in text.split(",")]
        except ValueError:
            values = []
        place = getattr(joint, which)
        size = len(array[place])
        if not equals or len(values) != size:
            numbers = "a number" if size == 1 else f"{size} numbers"
            raise ModelError(f"expected '{name}={numbers}', got '{setting}'")
        array[place] = values


def _write(recording: Recording, options: Namespace, output: Output) -> dict[str, str]:
    """Write the files asked for; return what was written where."""
    writers = {
        "output": recording.save,
        "html": recording.to_html,
        "csv": recording.to_csv,
        "plot": recording.plot,
    }
    files = {}
    for name, write in writers.items():
        path = getattr(options, name)
        if path is not None:
            files[name] = str(write(path))
            output.say(f"wrote {files[name]}")
    return files


def _as_data(recording: Recording, files: dict[str, str]) -> dict[str, object]:
    audit = recording.audit
    return {
        "model": recording.model.name,
        "duration": recording.duration,
        "records": len(recording.times),
        "integrator": recording.integrator,
        "dt": recording.dt,
        "stopped": recording.stopped,
        "q": recording.q[-1].tolist(),
        "qd": recording.qd[-1].tolist(),
        "energy_drift": audit.energy_drift,
        "energy_balance": audit.energy_balance,
        "momentum_drift": audit.momentum_drift,
        "loop_error": audit.loop_error,
        "warnings": list(audit.warnings),
        "files": files,
    }
