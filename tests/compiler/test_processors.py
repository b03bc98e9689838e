"""The same bits on a processor of less: compiled for it here, and run."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from polhode.compiler.codegen.machine import cpu_features

RUN = """
import hashlib, sys
import numpy as np
from polhode.compiler.codegen import machine

if sys.argv[1:]:
    machine._processor = lambda: (sys.argv[1], "")
    machine.cpu_features = lambda: frozenset(sys.argv[2:])
    machine.cpu_identity = lambda: sys.argv[1]
    assert machine.wide_lanes("f64") == 2

import polhode as ph
from polhode.examples import path

def show(*arrays):
    print(*(hashlib.sha256(np.ascontiguousarray(x).tobytes()).hexdigest() for x in arrays))

arm, rng = ph.load(path("arm.urdf")), np.random.default_rng(0)
q = ph.random_configuration(arm, rng, size=(37,))
qd, qdd = rng.standard_normal((2, 37, arm.nv))
for dtype in (np.float64, np.float32):
    x, v, a = (each.astype(dtype) for each in (q, qd, qdd))
    show(ph.inverse_dynamics(arm, x, v, a), ph.forward_dynamics(arm, x, v, a))
    show(ph.mass_matrix(arm, x), ph.body_poses(arm, x[0]))
scene = ph.Scene("drop").add_fixed("floor", ph.model.Box((4, 4, 1)), position=(0, 0, -0.5))
scene = scene.add_body("box", ph.model.Box((0.2, 0.2, 0.2)), mass=1.0, position=(0.0, 0.0, 0.2))
run = ph.simulate(scene.contact("box", "floor", mu_coulomb=0.5), 0.3)
show(run.q, run.qd)
"""


def printed(*processor: str, cache: str) -> str:
    """Digests of results on a processor, by name and features; on this one without."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(sys.path), "POLHODE_CACHE_DIR": cache,
    }  # fmt: skip
    environment.pop("POLHODE_LANES", None)
    command = [sys.executable, "-c", RUN, *processor]
    return subprocess.run(
        command, env=environment, capture_output=True, check=True, text=True
    ).stdout


@pytest.mark.skipif("sse2" not in cpu_features(), reason="this processor has no SSE2")
def test_a_processor_of_less_gives_the_same_bits(tmp_path):
    """With SSE2 alone a fused multiply-add is a call, and a register holds two numbers."""
    least = printed("x86-64", "sse2", cache=str(tmp_path))
    assert len(least.split()) == 10
    assert printed(cache=os.environ["POLHODE_CACHE_DIR"]) == least
