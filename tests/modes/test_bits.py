"""One state gives the same bits alone, in any lane, batch, alignment and number of threads."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from modes.modes import MIXED, Algorithm, arguments, same_bits, state
from polhode import algorithms

STATES = 40
CASES = [
    pytest.param(name, function, id=f"{name}-{function.__name__}")
    for name, function in [
        ("walker", algorithms.rnea),
        ("walker", algorithms.aba),
        ("walker", algorithms.integrate),
        ("walker", algorithms.difference),
        ("chain", algorithms.crba),
        ("chain", algorithms.poses),
        ("tree", algorithms.inverse_inertia),
        ("tree", algorithms.energy),
    ]
]


def first_array(value):
    return value[0] if isinstance(value, tuple) else value


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("name", "function"), CASES)
def test_batch_sizes(name, function, dtype):
    """Batches of 1 to 40 states hold exactly what each state gives alone."""
    model = MIXED[name]
    program = ph.compile(function, model)
    arrays = [a.astype(dtype) for a in arguments(Algorithm(function, {}), model, (STATES,))]
    alone = np.stack([first_array(program(*state(arrays, k))) for k in range(STATES)])
    for n in range(1, STATES + 1):
        batch = first_array(program(*(a[:n] for a in arrays)))
        assert same_bits(batch, alone[:n]), f"batch of {n}"


@pytest.mark.parametrize(("name", "function"), CASES)
def test_memory_layout(name, function):
    """Misaligned starts, strides, reversed and transposed batches change no bit."""
    model = MIXED[name]
    program = ph.compile(function, model)
    arrays = arguments(Algorithm(function, {}), model, (21,))
    expected = first_array(program(*arrays))

    def shifted(a, k):
        home = np.empty(a.size + 8)
        home[k : k + a.size] = a.ravel()
        return home[k : k + a.size].reshape(a.shape)

    for k in range(8):
        assert same_bits(first_array(program(*(shifted(a, k) for a in arrays))), expected)
    spread = [np.repeat(a, 2, axis=0)[::2] for a in arrays]
    assert same_bits(first_array(program(*spread)), expected)
    columns = [np.asfortranarray(a) for a in arrays]
    assert same_bits(first_array(program(*columns)), expected)
    backwards = first_array(program(*(a[::-1] for a in arrays)))
    assert same_bits(backwards[::-1], expected)
    square = [a.reshape(3, 7, *a.shape[1:]).swapaxes(0, 1) for a in arrays]
    again = first_array(program(*square)).swapaxes(0, 1)
    assert same_bits(again.reshape(expected.shape), expected)


@pytest.mark.parametrize(("name", "function"), CASES[:2])
def test_threads(name, function):
    """Any number of threads gives the same bits."""
    model = MIXED[name]
    program = ph.compile(function, model)
    arrays = [np.tile(a, (120, 1)) for a in arguments(Algorithm(function, {}), model, (STATES,))]
    before = ph.get_num_threads()
    try:
        ph.set_num_threads(1)
        expected = program(*arrays)
        for n in (2, 3, 5):
            ph.set_num_threads(n)
            assert same_bits(program(*arrays), expected)
    finally:
        ph.set_num_threads(before)


DIGEST = """
import hashlib
import numpy as np
import polhode as ph
from modes.modes import MIXED, Algorithm, arguments
from polhode import algorithms
model = MIXED["walker"]
for function in (algorithms.rnea, algorithms.aba, algorithms.difference):
    arrays = arguments(Algorithm(function, {}), model, (21,))
    print(hashlib.sha256(ph.compile(function, model)(*arrays).tobytes()).hexdigest())
"""


def test_lane_widths():
    """Code 1, 2 and 4 lanes wide gives the bits of the widest."""

    def digests(lanes):
        path = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
        environment = {**os.environ, "PYTHONPATH": path}
        if lanes:
            environment["POLHODE_LANES"] = lanes
        result = subprocess.run(
            [sys.executable, "-c", DIGEST],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        return result.stdout.split()

    widest = digests(None)
    assert len(widest) == 3 and len(widest[0]) == len(hashlib.sha256().hexdigest())
    for lanes in ("1", "2", "4"):
        assert digests(lanes) == widest
