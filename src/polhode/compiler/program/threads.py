"""Threads for large batches: a pool that calls the same ufunc on slices of the batch."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from numbers import Real
from typing import TYPE_CHECKING

from . import team

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_lock = threading.Lock()
_pool: ThreadPoolExecutor | None = None
_pool_size = 0
_n_threads: int | None = None


def set_num_threads(n: int | None) -> None:
    """Use ``n`` threads for large batches; None means the default again.

    Parameters
    ----------
    n : int or None
        Number of threads; None for the default.

    Raises
    ------
    ValueError
        If ``n`` is less than 1.
    """
    global _n_threads
    if n is not None and (not isinstance(n, Real) or int(n) != n or n < 1):
        raise ValueError(f"expected a whole number of threads of at least 1, got {n!r}")
    _n_threads = None if n is None else int(n)
    team.dismiss()


def get_num_threads() -> int:
    """Threads used for large batches: as set, else POLHODE_NUM_THREADS, else all processors.

    Returns
    -------
    n : int
        The number.
    """
    global _n_threads
    if _n_threads is None:
        text = os.environ.get("POLHODE_NUM_THREADS")
        if text is None:
            _n_threads = os.cpu_count() or 1
        else:
            if not text.strip().isdigit() or int(text) < 1:
                raise ValueError(f"expected POLHODE_NUM_THREADS of at least 1, got {text!r}")
            _n_threads = int(text)
    return _n_threads


def run_together(tasks: Sequence[Callable[[], object]]) -> None:
    """Run the tasks at the same time, the last one here; raise the first error."""
    if len(tasks) == 1:
        tasks[0]()
        return
    pool = _executor(len(tasks) - 1)
    futures = [pool.submit(task) for task in tasks[:-1]]
    try:
        tasks[-1]()
    finally:
        errors = [f.exception() for f in futures]
    for error in errors:
        if error is not None:
            raise error


def _executor(n: int) -> ThreadPoolExecutor:
    global _pool, _pool_size
    from concurrent.futures import ThreadPoolExecutor

    with _lock:
        if _pool is None or _pool_size < n:
            # a smaller pool is only dropped: another thread may be about to use it
            _pool, _pool_size = ThreadPoolExecutor(n, thread_name_prefix="polhode"), n
        return _pool


def _forget() -> None:
    """Threads do not survive a fork: the child starts a pool of its own."""
    global _pool, _pool_size, _lock
    _pool, _pool_size, _lock = None, 0, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
