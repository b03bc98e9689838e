"""One state gives the same bits alone, in every lane, width, batch, alignment and thread."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from compiler.examples import (
    branches,
    chain,
    elementary,
    pendulum_program,
    program,
    same_bits,
    skipped,
    states,
    turning,
)
from polhode.compiler import get_num_threads, set_num_threads
from polhode.compiler.codegen.machine import wide_lanes


def programs():
    """One program of each kind with the shapes of its inputs."""
    return [
        pytest.param(pendulum_program, [(5,), (5,), ()], id="pendulum"),
        pytest.param(lambda: program(branches, x=(3,)), [(3,)], id="branches"),
        pytest.param(lambda: program(skipped, x=(3,)), [(3,)], id="skipped"),
        pytest.param(lambda: program(turning, x=(2,)), [(2,)], id="turning"),
        pytest.param(lambda: program(elementary, x=(), y=()), [(), ()], id="elementary"),
        pytest.param(lambda: program(chain(9), q=(9,), qd=(9,)), [(9,), (9,)], id="chain"),
    ]


def outputs(result):
    """A program's results as a tuple."""
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("make", "shapes"), programs())
def test_batches_of_every_size_give_the_bits_of_single_states(make, shapes, dtype):
    """1 to 40 states: scalar code, whole vectors, and vectors that are not full."""
    p = make()
    x = [states(40, *shape, seed=k, dtype=dtype) for k, shape in enumerate(shapes)]
    alone = [outputs(p(*(a[k] for a in x))) for k in range(40)]
    for n in range(1, 41):
        for i, got in enumerate(outputs(p(*(a[:n] for a in x)))):
            assert got.dtype == dtype
            assert same_bits(got, np.array([one[i] for one in alone[:n]])), (n, i)


@pytest.mark.parametrize(("make", "shapes"), programs())
def test_alignment_does_not_change_bits(make, shapes):
    """Arrays that start at every byte of a cache line, results too."""
    p = make()
    x = [states(21, *shape, seed=k) for k, shape in enumerate(shapes)]
    expected = outputs(p(*x))
    for shift in (1, 4, 8, 24, 40, 56, 63):
        moved, results = [_moved(a, shift) for a in x], [_moved(a, shift) for a in expected]
        p(*moved, out=tuple(results))
        for got, want in zip(results, expected, strict=True):
            assert same_bits(got, want)


def _moved(array, shift):
    """A copy of an array whose data starts ``shift`` bytes into a cache line."""
    memory = np.zeros(array.nbytes + 128, np.uint8)
    start = -memory.ctypes.data % 64 + shift
    copy = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


@pytest.mark.parametrize("n_threads", [1, 2, 3, 7])
def test_threads_do_not_change_bits(n_threads):
    """A batch large enough to be shared gives the bits of one thread."""
    p = program(chain(9), q=(9,), qd=(9,))
    q, qd = states(20011, 9), states(20011, 9, seed=1)
    expected = p.ufunc(q, qd)
    before = get_num_threads()
    try:
        set_num_threads(n_threads)
        for got, want in zip(p(q, qd), expected, strict=True):
            assert same_bits(got, want)
    finally:
        set_num_threads(before)


_CHILD = """
import sys, numpy as np
from compiler.examples import chain, elementary, program, skipped, states, turning
for build, shapes in (
    (chain(9), dict(q=(9,), qd=(9,))), (elementary, dict(x=(), y=())), (skipped, dict(x=(3,))),
    (turning, dict(x=(2,))),
):
    p = program(build, **shapes)
    for dtype in (np.float64, np.float32):
        x = [states(37, *s, seed=k, dtype=dtype) for k, s in enumerate(shapes.values())]
        results = p(*x)
        for result in results if isinstance(results, tuple) else (results,):
            sys.stdout.write(result.tobytes().hex() + "\\n")
"""


def test_every_width_gives_the_same_bits(tmp_path):
    """Processes that use 1, 2, 4, 8 and 16 lanes print the same numbers, bit for bit."""
    printed = set()
    for lanes in (1, 2, 4, 8, 16):
        environment = os.environ | {
            "POLHODE_LANES": str(lanes),
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        child = subprocess.run(
            [sys.executable, "-c", _CHILD], env=environment, capture_output=True, check=True
        )
        printed.add(child.stdout)
    assert len(printed) == 1
    assert len(printed.pop()) > 10000


def test_lanes_are_chosen_for_the_processor():
    """A register of float32 holds twice as many as one of float64."""
    if "POLHODE_LANES" not in os.environ:
        assert wide_lanes("f32") == 2 * wide_lanes("f64")
