"""Memory stays what it was: over many states, many steps, many models and many errors."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tracemalloc
import weakref
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from io_samples import ARM
from polhode.formats import urdf
from polhode.model import FloatingBase
from random_trees import tree

KINDS = ("revolute x", "prismatic", "revolute")
TESTS, SOURCES = str(Path(__file__).parents[1]), str(Path(ph.__file__).parents[1])

MILLION = """
import resource, sys
sys.path.append(sys.argv[1])
import numpy as np
import polhode as ph
from random_trees import tree

model, n = tree({kinds!r}), 10**6
ph.set_num_threads(2)
x = [np.random.default_rng(k).standard_normal((n, 3)) for k in range(3)]
out = np.full((n, 3), 1.0)  # its pages are there
ph.inverse_dynamics(model, *(a[:20000] for a in x), out=out[:20000])
few = out[:20000].copy()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
ph.inverse_dynamics(model, *x, out=out)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert np.array_equal(few, out[:20000])
assert np.isfinite(out).all() and out[-1].any()
print(after - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the largest memory as Linux counts it")
def test_a_million_states_need_no_more_memory():
    """Where the result's place is given, nothing is allocated that grows with the batch."""
    code = MILLION.format(kinds=KINDS)
    done = subprocess.run(
        [sys.executable, "-c", code, TESTS], capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": SOURCES},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 4096  # KiB; one array of the batch has 23 MiB


def _growth(work, times: int) -> int:
    """Bytes that Python holds more after the last two thirds of some repetitions.

    Twice the lesser growth of both thirds: what is lost is lost in each, and what other threads of
    the process allocate once is in one of them.
    """
    gc.collect()
    tracemalloc.start()
    try:
        sizes = []
        for third in range(3):
            for k in range(third * times // 3, (third + 1) * times // 3):
                work(k)
            gc.collect()
            sizes.append(tracemalloc.get_traced_memory()[0])
        return 2 * min(sizes[1] - sizes[0], sizes[2] - sizes[1])
    finally:
        tracemalloc.stop()


def test_steps_leave_nothing_behind():
    """A run holds its records, however many steps lie between them."""
    model = tree(KINDS)
    run = ph.simulate(model, 0.1, dt=1e-3, record=0.05, progress=False)
    assert len(run.times) == 3
    sizes = []
    for duration in (4.0, 12.0):
        gc.collect()
        tracemalloc.start()
        run = ph.simulate(model, duration, dt=1e-3, record=duration / 2, progress=False)
        sizes.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert len(run.times) == 3
    assert sizes[1] - sizes[0] < 16_000  # for 8000 steps more: two bytes a step at most


def test_calls_leave_nothing_behind():
    """Singles, batches and results that are thrown away."""
    model = tree(KINDS)
    x = [np.random.default_rng(k).standard_normal((50, 3)) for k in range(3)]

    def work(_):
        ph.inverse_dynamics(model, *x)
        ph.inverse_dynamics(model, *(a[0] for a in x))
        ph.body_poses(model, x[0])

    assert _growth(work, 1500) < 8_000


def test_errors_leave_nothing_behind():
    """Refused arguments and files."""
    model = tree(KINDS)
    broken = ARM.replace('link="upper"', 'link="uper"', 1)

    def work(_):
        with pytest.raises(ph.ShapeError):
            ph.inverse_dynamics(model, np.zeros(2), np.zeros(3), np.zeros(3))
        with pytest.raises(ph.ParseError):
            urdf.parse(broken)

    assert _growth(work, 300) < 16_000


def test_machines_of_recordings_are_freed():
    """Equal machines share their programs, but nothing keeps them when the scene is gone."""
    scene = ph.Scene("balls")
    for k in range(3):
        ball = ph.Model(f"ball{k}", gravity=(0.0, 0.0, 0.0)).add(
            "body", joint=FloatingBase(), mass=2.0, inertia=(1.0, 2.0, 2.5)
        )
        scene = scene.add_machine(ball)
    run = ph.simulate(scene, 0.01, progress=False)
    assert np.ptp(run.kinetic + run.potential) < 1e-9 and run.poses.shape[1] == 6
    machines = [weakref.ref(machine.model) for machine in run.scene.machines]
    assert all(machine() is not None for machine in machines)
    del scene, run, ball
    gc.collect()
    assert [machine() for machine in machines] == [None] * 3


def test_models_are_freed_with_their_programs():
    """Models made, used and forgotten one after another, each with code of its own."""

    def work(k):
        model = tree(KINDS, seed=k)
        ph.energy(model, np.zeros(3), np.zeros(3))

    assert _growth(work, 30) < 40_000
    if sys.platform == "linux":
        size = _resident()
        for k in range(30, 50):
            work(k)
        assert _resident() - size < 24 * 2**20


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
