"""Threads for large batches: a pool that calls the same ufunc on slices of the batch."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

from ...errors import ArgumentError
from .pool import dismiss

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

MOST = 1024  # threads: far beyond any gain, and far below what systems refuse to start
_lock = threading.Lock()
_pool: ThreadPoolExecutor | None = None
_pool_size = 0
_chosen: int | None = None
_default: int | None = None


def set_num_threads(n: int | None) -> None:
    """Use ``n`` threads for large batches; None means the default again.

    Calls that are under way end with as many as they began with.

    Parameters
    ----------
    n : int or None
        Number of threads, at most 1024; None for the default.

    Raises
    ------
    ValueError
        If ``n`` is no whole number from 1 to 1024: each is a thread of the system, and more
        than there are processors make nothing faster.
    """
    global _chosen, _default
    _chosen, _default = None if n is None else _checked(n, "a number of threads n"), None
    dismiss()


def get_num_threads() -> int:
    """Threads used for large batches: as set, else POLHODE_NUM_THREADS, else all processors.

    Returns
    -------
    n : int
        The number.
    """
    global _default
    n = _chosen or _default
    if n is None:
        n = _default = _from_environment()
    return n


def _from_environment() -> int:
    text = os.environ.get("POLHODE_NUM_THREADS")
    if text is None:
        return min(os.cpu_count() or 1, MOST)
    is_number = text.strip().isdecimal() and len(text) < 20
    what = "the environment variable POLHODE_NUM_THREADS"
    return _checked(int(text) if is_number else text, what)


def _checked(n: Any, what: str) -> int:
    """A number of threads as an int.

    Raises
    ------
    ValueError
        If it is none, or too many.
    """
    number: Any = n if isinstance(n, Real) and not isinstance(n, bool) else 0
    if not 1 <= number <= MOST or number != int(number):
        got = f"{n!r:.40}"
        raise ArgumentError(
            f"expected {what} of at least 1 and at most {MOST}, got {got}; each is a thread of the "
            f"system, and this computer has {os.cpu_count() or 1} processors"
        )
    return int(number)


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
