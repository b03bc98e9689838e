"""What a worker does: it calls a function for each task of a batch, and never raises for one."""

from __future__ import annotations

import hashlib
import os
import pickle
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...simulation.progress import leave_to_the_driver
from .values import Flat, flatten

Task = tuple[int, dict[str, Any]]
_KEPT = 4  # functions that a worker keeps from one batch to the next
_functions: dict[bytes, Job] = {}
_limited = False


@dataclass(frozen=True)
class Job:
    """A function, whether it takes ``rng``, and what seeds that."""

    function: Callable[..., Any]
    wants_rng: bool
    entropy: int

    def run(self, index: int, parameters: dict[str, Any]) -> Flat:
        """The result of a task; its random numbers depend on the seed and its index only."""
        if self.wants_rng:
            seeds = np.random.SeedSequence(self.entropy, spawn_key=(index,))
            parameters = {**parameters, "rng": np.random.default_rng(seeds)}
        return flatten(self.function(**parameters))


class Failure(NamedTuple):
    """Why a task has no result."""

    kind: str
    message: str
    traceback: str


class Outcome(NamedTuple):
    """What came of a batch; ``refused`` says why none of it could be started."""

    results: list[tuple[int, Flat | Failure]]
    seconds: float
    refused: str = ""


def run_batch(job: Job | bytes, tasks: Sequence[Task], driver: int, threads: int) -> Outcome:
    """Run tasks one after the other.

    Parameters
    ----------
    job : Job or bytes
        Pickled if the worker is another process.
    tasks : sequence of (index, parameters)
    driver : int
        The process that started the sweep: others limit their threads.
    threads : int
    """
    began = time.perf_counter()
    try:
        if os.getpid() != driver:
            leave_to_the_driver()
            limit_threads(threads)
        job = job if isinstance(job, Job) else _unpickled(job)
    except Exception as error:
        return Outcome([], 0.0, f"{type(error).__name__}: {error}")
    results = [(index, _run(job, index, parameters)) for index, parameters in tasks]
    return Outcome(results, time.perf_counter() - began)


def _run(job: Job, index: int, parameters: dict[str, Any]) -> Flat | Failure:
    try:
        return job.run(index, parameters)
    except (Exception, SystemExit) as error:
        # The first entry is this function, which tells nobody anything.
        if error.__traceback__ is not None:
            error.__traceback__ = error.__traceback__.tb_next
        return Failure(type(error).__name__, str(error), traceback.format_exc())


def _unpickled(job: bytes) -> Job:
    key = hashlib.sha256(job).digest()
    found = _functions.get(key)
    if found is None:
        while len(_functions) >= _KEPT:
            _functions.pop(next(iter(tuple(_functions))), None)
        found = _functions[key] = pickle.loads(job)
    return found


def limit_threads(threads: int) -> None:
    """Let this process use so many threads at a time, once."""
    global _limited
    if _limited:
        return
    _limited = True
    from ...compiler import set_num_threads

    set_num_threads(threads)
    try:
        from threadpoolctl import threadpool_limits  # type: ignore[import-not-found]
    except ImportError:
        return
    threadpool_limits(threads)
