"""A compiled function that finds no memory raises, from however deep, and can be called again."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.compiler.jit import Floats, Ints, Struct, jit

TOO_MANY = 2**50  # doubles: more than a processor can address


class Count(Struct):
    """How far a function got."""

    n: int


@jit
def made(n: int):
    """An array, and something to give back."""
    kept = np.zeros(100)
    x = np.zeros(n)
    x[0] = kept[1] + 1.0
    return x


@jit
def pair(n: int, m: int):
    """An array with two axes of bytes."""
    return np.empty((n, m), np.uint8)


@jit
def summed(n: int, count: Count):
    """A sum over passes of a loop, each of which makes an array; the last is the largest."""
    total = 0.0
    for k in range(3):
        count.n += 1
        size = 5 if k < 2 else n
        x = made(size)
        total += x[0]
        count.n += 1
    return total


@jit
def outer(n: int, count: Count, out: Floats):
    """Calls that call others."""
    out[0] = summed(5, count)
    larger = np.zeros(20000)  # more than a thread has at first
    larger[-1] = summed(n, count)
    out[1] = larger[-1]
    return larger


@jit
def without_result(n: int, out: Ints):
    """A function that returns nothing."""
    x = np.full(n, 1)
    out[0] = x[0]


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_no_memory_is_an_error_of_the_call(mode, monkeypatch):
    """In the middle of nested calls; the next call works."""
    if mode == "python":
        monkeypatch.setenv("POLHODE_JIT", "python")
    count, out = Count(), np.zeros(2)
    for _ in range(3):
        count.n = 0
        with pytest.raises(MemoryError):
            outer(TOO_MANY, count, out)
        assert count.n == 11  # six of the first sum, five of the second: none after the error
        assert outer(7, count, out)[-1] == 3.0 and list(out) == [3.0, 3.0]


def test_the_message_names_function_and_size():
    """The function that asked, not the one that was called, and bytes."""
    with pytest.raises(MemoryError) as error:
        outer(TOO_MANY, Count(), np.zeros(2))
    wanted = f"no memory for an array of {8 * TOO_MANY} bytes, asked for by {__name__}.made"
    assert str(error.value) == wanted


def test_what_returns_nothing():
    """Nothing is written after the error."""
    out = np.zeros(1, int)
    with pytest.raises(MemoryError, match="without_result"):
        without_result(TOO_MANY, out)
    assert out[0] == 0
    without_result(3, out)
    assert out[0] == 1


@pytest.mark.parametrize(
    ("n", "m"), [(2**32, 2**32), (2**62, 3), (2**62, 4), (-1, 1), (1, -5), (2**63 - 1, 1)]
)
def test_sizes_that_cannot_be_counted(n, m):
    """Products beyond 64 bits, and negative lengths, are no small arrays."""
    with pytest.raises(MemoryError):
        pair(n, m)
    assert pair(2, 3).shape == (2, 3)


def test_nothing_leaks():
    """What was taken before the error is given back."""
    import resource

    def failed():
        with pytest.raises(MemoryError):
            grown(TOO_MANY)

    failed()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(50):
        failed()
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 100_000  # KiB; fifty times 32 MB are 1.6 GB


@jit
def grown(n: int):
    """Much memory that is written to, then too much."""
    much = np.full(4194304, 1.0)
    return made(n)[0] + much[3]
