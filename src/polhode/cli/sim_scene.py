"""``polhode sim SCENE``: a run of a scene with contact from the command line."""

from __future__ import annotations

import importlib
import time
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import ModelError
from ..simulation import SceneRecording, SimulationError, simulate
from ..simulation.scene import Scene
from .terminal import Output

SOLVERS = ("exact", "convex", "lcp")


def plugins(settings: list[str]) -> dict[str, Callable[..., Any]]:
    """Python callables from texts such as ``contact=my_module:find``."""
    found = {}
    for setting in settings:
        name, equals, place = setting.partition("=")
        module, colon, function = place.partition(":")
        if not (name and equals and module and colon and function):
            raise ModelError(f"expected ID=MODULE:FUNCTION as plug-in, got '{setting}'")
        found[name] = getattr(importlib.import_module(module), function)
    return found


def run_scene(scene: Scene, options: Namespace, output: Output) -> int:
    """Simulate and write what was asked for; a run that fails writes what it has."""
    dt = options.dt or scene.settings.step_size or 1e-3
    duration = options.time if options.time is not None else 10.0
    if options.max_iterations is not None:
        steps = options.max_iterations * dt
        duration = min(steps, options.time) if options.time is not None else steps
    target = options.output
    is_stream = target is not None and Path(target).suffix.lower() in (".h5", ".hdf5")
    began = time.perf_counter()
    try:
        recording = simulate(
            scene,
            duration,
            dt=dt,
            method=options.solver,
            record=options.record,
            seed=options.seed,
            progress=False if output.quiet else None,
            output=target if is_stream else None,
            resume=options.resume,
        )
    except SimulationError as error:
        if isinstance(error.recording, SceneRecording):
            _write(error.recording, scene, options, output, is_stream)
        raise
    took = time.perf_counter() - began
    assert isinstance(recording, SceneRecording)
    files = _write(recording, scene, options, output, is_stream)
    output.say(repr(recording))
    output.say(str(recording.audit))
    steps = max(1, int(recording.report["steps"]))
    output.say(f"{steps} steps in {took:.3g} s, {1e6 * took / steps:.3g} us a step")
    output.result(_as_data(recording, files))
    if options.show:
        recording.show()
    if recording.stopped:
        raise SimulationError(recording.stopped, recording)
    return 0


def _write(
    recording: SceneRecording, scene: Scene, options: Namespace, output: Output, is_stream: bool
) -> dict[str, str]:
    """Write the files asked for; return what was written where."""
    files = {"output": str(options.output)} if is_stream else {}
    writers = {
        "output": recording.save,
        "html": recording.to_html,
        "csv": recording.to_csv,
        "plot": recording.plot,
    }
    for name, write in writers.items():
        path = getattr(options, name)
        if path is not None and name not in files:
            files[name] = str(write(path))
    for what, path in files.items():
        output.say(f"wrote {path}" if what else path)
    if options.snapshots is not None:
        count = snapshots(recording, scene, options.snapshots, options.snapshot_every)
        output.say(f"wrote {count} snapshots to {options.snapshots}")
    return files


def snapshots(recording: SceneRecording, scene: Scene, folder: str, every: int) -> int:
    """Write the scene as Moby XML at every n-th record, first and last; return how many."""
    from ..formats import save

    root = Path(folder)
    root.mkdir(parents=True, exist_ok=True)
    last = len(recording.times) - 1
    chosen = sorted({*range(0, last + 1, every), last})
    for k in chosen:
        t = float(recording.times[k])
        save(at_record(recording, scene, k), root / f"{scene.name}-{k:08d}-{t:.6f}.xml")
    return len(chosen)


def at_record(recording: SceneRecording, scene: Scene, k: int) -> Scene:
    """The scene as it was at a record, to go on from."""
    for machine in scene.simulated:
        if not machine.is_fixed:
            q, qd = recording.of(machine.name)
            scene = scene.with_start(machine.name, q=q[k].tolist(), qd=qd[k].tolist())
    return scene.with_settings(time=float(recording.times[k]))


def _as_data(recording: SceneRecording, files: dict[str, str]) -> dict[str, object]:
    audit = recording.audit
    return {
        "scene": recording.model.name,
        "duration": recording.duration,
        "records": len(recording.times),
        "solver": recording.method,
        "dt": recording.dt,
        "stopped": recording.stopped,
        "q": recording.q[-1].tolist(),
        "qd": recording.qd[-1].tolist(),
        "contacts": len(recording.contact_gap),
        "energy_drift": audit.energy_drift,
        "energy_rise": audit.energy_rise,
        "penetration": audit.penetration,
        "loop_error": audit.loop_error,
        "residual": audit.residual,
        "unconverged": audit.unconverged,
        "report": dict(recording.report),
        "files": files,
    }
