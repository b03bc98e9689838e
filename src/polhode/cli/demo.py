"""``polhode demo``: from two model files to dynamics, a simulation and a picture."""

from __future__ import annotations

import shutil
import time
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..api.dynamics import forward_dynamics, inverse_dynamics
from ..api.manifold import random_configuration
from ..errors import ArgumentError
from ..examples import path, scripts, title
from ..files.kinds import check_output_folder
from ..formats import load
from ..model import Model
from ..recording import Recording
from ..simulation.drive import zero_order_hold
from ..simulation.simulate import simulate
from ..viewer.show import open_page
from .demo_motion import Stride, start, track, waving
from .terminal import Output

_STATES = 10_000
_DURATION = 8.0
_SAMPLE = 0.002


def run(options: Namespace, output: Output) -> int:
    """Load, describe, compute, simulate and show the shipped models."""
    if options.list:
        return _list(output)
    if options.copy is not None:
        return _copy(Path(options.copy), output)
    check_output_folder(options.output, "the demo")
    folder = Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    arm, walker = load(path("arm.urdf")), load(path("walker.lua"))
    report = [
        _one(arm, waving(arm), "arm", folder, output),
        _one(walker, Stride(walker), "walker, led like a marionette", folder, output),
    ]
    output.result(report)
    if not options.no_open:
        for entry in report:
            open_page(Path(entry["html"]))
    return 0


def _list(output: Output) -> int:
    """Name each example script, and say what it shows."""
    found = [(f"{s.parent.name}/{s.name}", title(s), str(s)) for s in scripts()]
    for name, what, _ in found:
        output.say(f"{name:<36} {what}")
    output.head("polhode demo --copy DIR copies them; each runs alone: python DIR/NAME")
    output.result([{"name": n, "title": what, "path": p} for n, what, p in found])
    return 0


def _copy(folder: Path, output: Output) -> int:
    """Copy the models and scripts of the examples into a new folder."""
    if folder.exists():
        raise ArgumentError(f"expected a new folder to copy to, but '{folder}' is there")
    shutil.copytree(path(""), folder, ignore=shutil.ignore_patterns("__*"))
    for shared in folder.glob("*.py"):
        shared.unlink()  # scripts import these from the package
    output.say(f"models and scripts are in {folder}")
    output.result({"folder": str(folder)})
    return 0


def _one(
    model: Model,
    motion: Callable[[float], np.ndarray],
    title: str,
    folder: Path,
    output: Output,
) -> dict[str, Any]:
    output.head(f"{model.name}: {model.nv} degrees of freedom, {model.n_bodies} moving bodies")
    output.say(model.hierarchy())
    output.head("Degree of freedom overview:")
    output.say(model.dof_overview())
    output.say()
    speeds = {
        "inverse dynamics": _speed(inverse_dynamics, model),
        "forward dynamics": _speed(forward_dynamics, model),
    }
    for name, (first, each) in speeds.items():
        output.say(
            f"{name:<18} first call {first:6.3f} s, "
            f"then {_STATES} states at {each * 1e6:.3f} us each"
        )
    began = time.perf_counter()
    recording = _simulated(model, motion, False if output.quiet else None)
    elapsed = time.perf_counter() - began
    html = recording.to_html(folder / f"{model.name}.html", title=title).absolute()
    plot = recording.plot(folder / f"{model.name}-energy.svg").absolute()
    data = recording.save(folder / f"{model.name}.npz").absolute()
    balance = recording.audit.relative_energy_balance
    output.say(
        f"{_DURATION:g} s simulated in {elapsed:.2f} s; "
        f"energy without the work done is kept to {balance:.1e} of its swing"
    )
    for what, file in (("animation", html), ("energy plot", plot), ("recording", data)):
        output.say(f"{what:<18} {file}")
    return {
        "model": model.name,
        "nv": model.nv,
        "first_call_s": {name: first for name, (first, _) in speeds.items()},
        "us_per_state": {name: each * 1e6 for name, (_, each) in speeds.items()},
        "simulated_s": _DURATION,
        "elapsed_s": elapsed,
        "relative_energy_balance": balance,
        "html": str(html),
        "plot": str(plot),
        "recording": str(data),
    }


def _speed(function: Callable[..., Any], model: Model) -> tuple[float, float]:
    """Seconds for the first call, and for each of many states after it."""
    rng = np.random.default_rng(1)
    q = random_configuration(model, rng, size=(_STATES,))
    u, w = (rng.standard_normal((_STATES, model.nv)) for _ in range(2))
    start = time.perf_counter()
    function(model, q[0], u[0], w[0])
    first = time.perf_counter() - start
    out = function(model, q, u, w)
    best = np.inf
    for _ in range(10):
        start = time.perf_counter()
        function(model, q, u, w, out=out)
        best = min(best, time.perf_counter() - start)
    return first, best / _STATES


def _simulated(
    model: Model, motion: Callable[[float], np.ndarray], progress: bool | None
) -> Recording:
    """The model led along ``motion`` by a sampled controller."""
    controller = zero_order_hold(track(model, motion), _SAMPLE)
    q0, qd0 = start(model, motion)
    return simulate(
        model, _DURATION, q0=q0, qd0=qd0, dt=_SAMPLE / 2, controller=controller, progress=progress
    )
