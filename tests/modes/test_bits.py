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
from modes.modes import MIXED, algorithms_of, arguments, same_bits, state

STATES = 40
CHOSEN = {
    "walker": {algorithm.name for algorithm in algorithms_of(MIXED["walker"])},
    "chain": {"crba", "poses"},
    "tree": {"inverse_inertia", "energy"},
}
"""Every algorithm with a floating base and quaternions, and some with the other joints."""
CASES = [
    pytest.param(name, number, id=f"{name}-{number}-{algorithm.name}")
    for name, chosen in CHOSEN.items()
    for number, algorithm in enumerate(algorithms_of(MIXED[name]))
    if algorithm.name in chosen
]


def case(name, number, size):
    """The program of an algorithm for a tree, and arrays for it."""
    model = MIXED[name]
    algorithm = algorithms_of(model)[number]
    return algorithm.compiled(model), arguments(algorithm, model, (size,))


def first_array(value):
    return value[0] if isinstance(value, tuple) else value


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("name", "number"), CASES)
def test_batch_sizes(name, number, dtype):
    """Batches of 1 to 40 states hold exactly what each state gives alone."""
    program, arrays = case(name, number, STATES)
    arrays = [a.astype(dtype) for a in arrays]
    alone = np.stack([first_array(program(*state(arrays, k))) for k in range(STATES)])
    for n in range(1, STATES + 1):
        batch = first_array(program(*(a[:n] for a in arrays)))
        assert same_bits(batch, alone[:n]), f"batch of {n}"


@pytest.mark.parametrize(("name", "number"), CASES)
def test_memory_layout(name, number):
    """Misaligned starts, strides, reversed and transposed batches change no bit."""
    program, arrays = case(name, number, 21)
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


@pytest.mark.parametrize("name", ["rnea", "aba"])
def test_threads(name):
    """Any number of threads gives the same bits."""
    names = [algorithm.name for algorithm in algorithms_of(MIXED["walker"])]
    program, arrays = case("walker", names.index(name), STATES)
    arrays = [np.tile(a, (120, 1)) for a in arrays]
    before = ph.get_num_threads()
    try:
        ph.set_num_threads(1)
        expected = program(*arrays)
        for n in (2, 3, 5):
            ph.set_num_threads(n)
            assert same_bits(program(*arrays), expected)
    finally:
        ph.set_num_threads(before)


@pytest.mark.parametrize(("name", "number"), CASES)
def test_levels_of_compilation(name, number, monkeypatch):
    """Code that takes less time to compile gives the same bits, of a batch and of one state."""
    found = []
    for level in ("0", "1"):
        monkeypatch.setenv("POLHODE_OPT_LEVEL", level)
        program, arrays = case(name, number, 21)
        found.append(first_array(program(*arrays)))
        assert same_bits(first_array(program(*state(arrays, 7))), found[0][7])
    assert same_bits(*found)


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
