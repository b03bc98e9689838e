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
from contact import solver_problems
from polhode import contact_problem
from polhode.collision import contacts
from polhode.examples import path
from random_shapes import pose, rotation

def show(*arrays):
    print(*(hashlib.sha256(np.ascontiguousarray(x).tobytes()).hexdigest() for x in arrays))

arm, rng = ph.load(path("arm.urdf")), np.random.default_rng(0)
q = ph.random_configuration(arm, rng, size=(37,))
qd, qdd = rng.standard_normal((2, 37, arm.nv))
for dtype in (np.float64, np.float32):
    x, v, a = (each.astype(dtype) for each in (q, qd, qdd))
    show(ph.inverse_dynamics(arm, x, v, a), ph.forward_dynamics(arm, x, v, a))
    show(ph.mass_matrix(arm, x), ph.body_poses(arm, x[0]))

box, here, there = ph.model.Box((0.2, 0.3, 0.2)), np.eye(4), pose((0.0, 0.1, 0.1), rotation(rng))
found = contacts(box, here, box, there, margin=0.1)
assert found
show([(*each.point, *each.normal, each.gap) for each in found])
rows = solver_problems.pile(rng, 4, mu=0.3)
x, v = np.zeros(len(rows.bias)), np.zeros(len(rows.free))
settings, report = contact_problem.solver_settings(), contact_problem.Report()
contact_problem.solve_convex(rows, x, v, settings, report)
assert x.any()
show(x, v)
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
    assert len(least.split()) == 11
    assert printed(cache=os.environ["POLHODE_CACHE_DIR"]) == least
