"""``polhode sim SCENE``: a run of a scene with contact from the command line."""

from __future__ import annotations

import time
from argparse import Namespace
from typing import Any

from ..errors import ModelError
from ..files.kinds import HDF5, RECORDINGS, kind_of
from ..recording import Recording
from ..scene import Scene
from ..simulation.errors import SimulationError, SimulationInterrupted
from ..simulation.simulate import simulate
from ..simulation.stepping.clock import step_of
from .sim_watch import ProgressLines, RunLog, Snapshots, Watches
from .terminal import Output

_OF_MODELS = ("set", "speed", "damping", "constraints")
_LOGGED = 200  # steps between looks at what went wrong


def run_scene(scene: Scene, options: Namespace, output: Output) -> int:
    """Simulate and write what was asked for; a run that fails writes what it has."""
    _refuse(options)
    dt = step_of(scene, options.dt)
    log = RunLog(options.log_level or "warning", options.log)
    snapshots = Snapshots(options.snapshots, scene) if options.snapshots else None
    target, seconds = options.output, {}
    is_stream = target is not None and kind_of(target, RECORDINGS, "--output") is HDF5
    last: list[Any] = []
    watch: Watches = [(1 << 62, last.append), *_watches(scene, options, output, log, snapshots)]
    began, stop = time.perf_counter(), None
    log.logger.info("scene '%s': %r, steps of %g s", scene.name, scene, dt)
    try:
        recording = simulate(
            scene,
            _duration(options, dt),
            dt=dt,
            integrator=options.integrator,
            contact=options.contact,
            start=options.bad_start,
            joint_forces=options.joint_forces,
            record=options.record,
            seed=options.seed,
            progress=False if output.quiet else None,
            output=target if is_stream else None,
            resume=options.resume,
            watch=watch,
            seconds=seconds,
        )
    except SimulationInterrupted as interrupt:
        if interrupt.recording is None:
            raise
        recording, stop = interrupt.recording, interrupt
    except SimulationError as error:
        log.logger.error("%s", error)
        if error.recording is not None:
            _write(error.recording, options, output, is_stream)
        raise
    finally:
        if snapshots is not None and last:
            snapshots(last[0])
            output.say(f"wrote {snapshots.count} snapshots to {options.snapshots}")
        log.close()
    took = time.perf_counter() - began
    files = _write(recording, options, output, is_stream)
    _say(recording, took, seconds, options, output)
    output.result(_as_data(recording, files))
    if stop is not None:
        raise stop
    if options.show:
        recording.show()
    return 0


def _refuse(options: Namespace) -> None:
    """Options that only models have, which would otherwise do nothing."""
    for name in _OF_MODELS:
        if getattr(options, name):
            raise ModelError(f"--{name} is for models; in a scene the file says how it starts")
    if options.start != "neutral":
        raise ModelError("--start is for models; a scene starts as its file says")


def _duration(options: Namespace, dt: float) -> float:
    """The shorter of the time and the number of steps, 10 s if neither is given."""
    if options.max_iterations is None:
        return 10.0 if options.time is None else options.time
    if options.max_iterations < 1:
        raise ModelError(f"expected --max-iterations of at least 1, got {options.max_iterations}")
    steps = options.max_iterations * dt
    return steps if options.time is None else min(steps, options.time)


def _watches(
    scene: Scene, options: Namespace, output: Output, log: RunLog, snapshots: Snapshots | None
) -> Watches:
    """What is called on the way, and how often."""
    found: Watches = []
    if options.print:
        lines = ProgressLines(options.print, scene, output)
        found.append((_every(options, "print_every", 1), lines))
    if options.log_level or options.log:
        found.append((1 if log.is_per_step else _LOGGED, log))
    if snapshots is not None:
        found.append((_every(options, "snapshot_every", 1000), snapshots))
    return found


def _every(options: Namespace, name: str, default: int) -> int:
    """How many steps are between two calls."""
    count = getattr(options, name)
    if count is not None and count < 1:
        raise ModelError(f"expected --{name.replace('_', '-')} of at least 1, got {count}")
    return default if count is None else count


def _say(
    recording: Recording, took: float, seconds: dict[str, float], options: Namespace,
    output: Output,
) -> None:  # fmt: skip
    output.say(repr(recording))
    output.say(str(recording.audit))
    for note in recording.notes:
        output.say(f"note: {note}")
    steps = max(1, int(recording.report["steps"]))
    spent = seconds.get("stepping", took)
    output.say(f"{steps} steps in {took:.3g} s, {1e6 * spent / steps:.3g} us a step")
    if not options.profile:
        return
    output.head("where the time went")
    parts = {"preparing": took - sum(seconds.values()), **seconds}
    for name, value in parts.items():
        output.say(f"  {name:<10} {value:10.4f} s  {100.0 * value / took:5.1f} %")
    output.say(f"  {recording.duration / max(spent, 1e-9):.3g} times as fast as life")
    for name in ("mini_steps", "solves", "impacts", "contacts"):
        output.say(f"  {name.replace('_', '-'):<10} {recording.report[name] / steps:10.3g} a step")


def _write(
    recording: Recording, options: Namespace, output: Output, is_stream: bool
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
    for path in files.values():
        output.say(f"wrote {path}")
    return files


def _as_data(recording: Recording, files: dict[str, str]) -> dict[str, object]:
    audit = recording.audit
    return {
        "scene": recording.model.name,
        "duration": recording.duration,
        "records": len(recording.times),
        "integrator": recording.integrator,
        "contact": recording.contact,
        "dt": recording.dt,
        "stopped": recording.stopped,
        "q": recording.q[-1].tolist(),
        "qd": recording.qd[-1].tolist(),
        "contacts": len(recording.contact_gap),
        "energy_drift": audit.energy_drift,
        "energy_balance": audit.energy_balance,
        "energy_rise": audit.energy_rise,
        "penetration": audit.penetration,
        "push_out_energy": audit.push_out_energy,
        "loop_error": audit.loop_error,
        "residual": audit.residual,
        "unconverged": audit.unconverged,
        "relaxed": audit.relaxed,
        "slack": audit.slack,
        "warnings": list(audit.warnings),
        "notes": list(recording.notes),
        "report": dict(recording.report),
        "files": files,
    }
