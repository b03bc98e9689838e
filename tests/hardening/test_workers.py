"""Programs in threads, in forked and in spawned workers: the same bits everywhere."""

from __future__ import annotations

import multiprocessing
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import polhode as ph
from random_trees import tree

KINDS = ("floating", "revolute x", "spherical", "prismatic", "universal")
SIZE = 64


def work(model: ph.Model, seed: int) -> bytes:
    """Results of several programs as bytes."""
    rng = np.random.default_rng(seed)
    q = ph.random_configuration(model, rng, size=(SIZE,))
    qd, tau = rng.standard_normal((2, SIZE, model.nv))
    qdd = ph.forward_dynamics(model, q, qd, tau)
    back = ph.inverse_dynamics(model, q, qd, qdd)
    return b"".join(
        np.ascontiguousarray(x).tobytes() for x in (qdd, back, ph.mass_matrix(model, q))
    )


@pytest.fixture(scope="module")
def expected():
    """What one thread computes."""
    model = tree(KINDS, seed=3)
    return model, [work(model, seed) for seed in range(6)]


def test_threads_that_meet_before_anything_is_compiled():
    """Many threads ask at once for programs that nobody has made: each gets the same bits."""
    model = tree(KINDS, seed=4)
    door, count = threading.Barrier(8), range(8)

    def enter(_):
        door.wait()
        return work(model, 0)

    with ThreadPoolExecutor(len(count)) as pool:
        results = list(pool.map(enter, count))
    assert len(set(results)) == 1
    assert results[0] == work(model, 0)


def test_threads_with_work_of_their_own(expected):
    """Different states at the same time do not meet in a buffer."""
    model, results = expected
    with ThreadPoolExecutor(6) as pool:
        for _ in range(3):
            assert list(pool.map(work, [model] * 6, range(6))) == results


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("start", ["fork", "forkserver", "spawn"])
def test_worker_processes(expected, start):
    """Whatever way a worker begins, it computes the same bits; models travel as they are."""
    if start not in multiprocessing.get_all_start_methods():
        pytest.skip(f"{start} is not available on {sys.platform}")
    model, results = expected
    context = multiprocessing.get_context(start)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(work, [model] * 6, range(6))) == results
