"""Seconds of work, the least of several tries."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

_LONG_ENOUGH = 2e-3  # a try must outlast the clock's and the scheduler's grain


def best(work: Callable[[], Any], tries: int) -> float:
    """The shortest of several runs of ``work``."""
    shortest = float("inf")
    for _ in range(tries):
        start = time.perf_counter()
        work()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest


def per_call(work: Callable[[], Any], tries: int) -> float:
    """The time of one call of a short ``work``, looped."""
    work()
    once = best(work, 3)
    loops = max(1, round(_LONG_ENOUGH / max(once, 1e-9)))

    def many() -> None:
        for _ in range(loops):
            work()

    return best(many, tries) / loops
