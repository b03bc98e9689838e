"""Functions that workers of sweeps call in tests."""

from __future__ import annotations

import io
import os
import signal
import time
from pathlib import Path

import numpy as np

import polhode as ph
from polhode.simulation.progress import Progress

SPINNER = ph.Model("spinner").add("disc", joint=ph.model.Revolute.z(), mass=1.0, inertia=(1, 1, 1))


class Terminal(io.StringIO):
    """A stream that says that somebody looks at it."""

    def isatty(self) -> bool:
        return True


def angle_after(rate):
    return ph.simulate(SPINNER, 0.1, qd0=[rate]).q[-1, 0]


def bar_is_drawn():
    return Progress(1.0, stream=Terminal()).shown


def noisy(a, b, rng):
    """A number, an array and a text, with random numbers of the task's own."""
    return {"sum": a + b, "noise": {"x": rng.normal(size=3)}, "sign": "-" if a < 5 else "+"}


def fails_at_three(k):
    if k == 3:
        raise ValueError(f"no {k}")
    return np.sqrt(float(k))


def noted(k, log, rng, seconds=0.0):
    """Notes in a file that it ran, so that what runs twice is seen."""
    note(log, k)
    time.sleep(seconds)
    return {"k": k, "x": rng.normal(size=4)}


def dies_at(k, fatal, log, times=10**9):
    """The worker of one task ends at once, as if it were killed, some number of times."""
    note(log, k)
    if k == fatal and runs(log).count(k) <= times:
        os.kill(os.getpid(), signal.SIGKILL)
    return k * k


def note(log, k):
    with open(log, "a") as file:
        file.write(f"{k}\n")


def runs(log):
    """The tasks that ran, in any order."""
    path = Path(log)
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def same_bits(a, b):
    """Whether two results of sweeps are equal bit for bit."""
    assert a.names == b.names
    assert a.done.tolist() == b.done.tolist()
    for name in a.names:
        one, other = a[name], b[name]
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes()
    return True


def nested(k):
    """A sweep inside a task."""
    import polhode as ph

    return ph.sweep(square, {"x": [k, k + 1]})[""]


def square(x):
    return x * x
