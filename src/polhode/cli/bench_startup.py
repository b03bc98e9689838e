"""First calls in fresh processes, and how time grows with the number of bodies."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np

from .. import algorithms
from ..api import compile, random_configuration
from ..errors import ModelError
from ..model import Link, Model, Revolute, RigidBody
from ..spatial import Transform
from .bench_models import Subject
from .terminal import Output
from .timing import best

_FIRST_CALL = """
import sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np, polhode as ph
model = ph.load(sys.argv[1], floating_base=sys.argv[2] == "1")
q, v = ph.neutral(model), np.zeros(model.nv)
function = getattr(ph, sys.argv[3])
start = time.perf_counter()
function(model, q, v, v)
print(time.perf_counter() - start)
"""
_FUNCTIONS = {"inverse dynamics": "inverse_dynamics", "forward dynamics": "forward_dynamics"}
_LONG, _SHORT, _STATES = 1000, 30, 64
_ALGORITHMS = {
    "rnea": (algorithms.rnea, 3),
    "aba": (algorithms.aba, 3),
    "crba times vector": (algorithms.crba_times, 2),
}


def first_calls(subject: Subject) -> dict[str, tuple[float, float]]:
    """Seconds of the first call in a new process, with an empty cache and a filled one."""
    times = {}
    for name, function in _FUNCTIONS.items():
        with tempfile.TemporaryDirectory(prefix="polhode-cache-") as cache:
            arguments = (subject.path, str(int(subject.floating)), function)
            times[name] = (_process(arguments, cache), _process(arguments, cache))
    return times


def _process(arguments: tuple[str, ...], cache: str) -> float:
    environment = {**os.environ, "POLHODE_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-c", _FIRST_CALL, *arguments],
        env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    if done.returncode:
        raise ModelError(f"a first call failed: {done.stderr.strip().splitlines()[-1]}")
    return float(done.stdout)


def chain_model(count: int) -> Model:
    """Equal links one on the other, turning about x, y and z in turn."""
    axes = (Revolute.x(), Revolute.y(), Revolute.z())
    body = RigidBody(1.0, (0.0, 0.0, -0.05), ((1e-3, 0.0, 0.0), (0.0, 1e-3, 0.0), (0.0, 0.0, 1e-4)))
    frame = Transform.translation(0.0, 0.0, -0.1)
    links = [
        Link(f"link{k}", f"link{k - 1}" if k else None, axes[k % 3], frame, body)
        for k in range(count)
    ]
    return Model(f"chain{count}", tuple(links))


def chain(output: Output) -> dict[str, Any]:
    """Compile time of a long chain, and its time for a body against a short chain's."""
    output.head(f"chains of {_LONG} and {_SHORT} bodies")
    report = {}
    for name, (function, inputs) in _ALGORITHMS.items():
        compile_s, long = _chain_times(function, inputs, _LONG)
        _, short = _chain_times(function, inputs, _SHORT)
        report[name] = {"compile_s": compile_s, "us_per_body": long, "against_short": long / short}
        output.say(
            f"  {name:<20} trace and compile {compile_s:6.2f} s; "
            f"{long * 1e3:.3f} ns a body and state, {long / short:.2f}x that of the short chain"
        )
    return report


def _chain_times(function: Any, inputs: int, count: int) -> tuple[float, float]:
    """Seconds until the first result, and microseconds for a body and state."""
    model = chain_model(count)
    rng = np.random.default_rng(0)
    q = random_configuration(model, rng, size=(_STATES,))
    arrays = [q, *(rng.standard_normal((_STATES, count)) for _ in range(inputs - 1))]
    start = time.perf_counter()
    program = compile(function, model)
    out = program(*arrays)
    elapsed = time.perf_counter() - start
    return elapsed, best(lambda: program(*arrays, out=out), 10) / count / _STATES * 1e6
