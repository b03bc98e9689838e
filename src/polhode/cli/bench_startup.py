"""First calls in fresh processes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from ..errors import ModelError
from .bench_models import Subject

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
