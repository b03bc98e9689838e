"""Who works: a pool of processes of our own, or any executor of the user's."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import connection, current_process, get_all_start_methods, get_context
from multiprocessing import parent_process as parent_of_process
from typing import Any

from ...once import held_over_fork
from .dask_client import on_dask
from .errors import SweepError
from .work import limit_threads

_LIMITS = ("POLHODE_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_LOOK_EVERY = 5.0  # seconds between two looks at the size of a cluster
_MOST_OF_WINDOWS = 61  # processes that `ProcessPoolExecutor` can wait for there
_IN_WORKER = "_polhode_sweep_worker"
_starting = threading.RLock()
held_over_fork(_starting)


class Here(Executor):
    """Runs what is submitted at once, in this thread."""

    _max_workers = 1

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run a task; its future has ended."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Workers:
    """An executor, how to get another when it breaks, and how many places it has."""

    def __init__(self, executor: Any, workers: int | None, threads: int):
        self._count, self._threads = workers, threads
        self._make: Callable[[], Any] | None = None
        self._ready: list[Future] = []
        if executor is None:
            is_serial = workers == 0 or getattr(current_process(), _IN_WORKER, False)
            self._make = Here if is_serial else self._pool
            self.is_local = True
        else:
            self.is_local: bool = False
            if not hasattr(executor, "submit"):
                self._make = _maker(executor)
        self.is_ours: bool = self._make is not None
        self.executor: Any = on_dask(executor if self._make is None else self._make())
        if not hasattr(self.executor, "submit"):
            raise TypeError(f"expected an Executor, got {type(self.executor).__name__}")
        self._looked, self._places = float("-inf"), 1

    @property
    def shares_memory(self) -> bool:
        """Whether tasks run in this process."""
        return isinstance(self.executor, (Here, ThreadPoolExecutor))

    @property
    def places(self) -> int:
        """How many batches run at the same time."""
        if self._count:
            return self._count
        now = time.monotonic()
        if now - self._looked > _LOOK_EVERY:
            self._looked, self._places = now, _places(self.executor)
        return self._places

    def replace(self) -> bool:
        """Get another executor for one that broke; False if there is no way to."""
        if self._make is None:
            return False
        if self._ready and not any(_is_fine(future) for future in self._ready):
            raise SweepError(
                "worker processes end before they do anything; if this is a script, call sweep "
                "under: if __name__ == '__main__':"
            )
        self.stop(kill=True)
        self.executor = on_dask(self._make())
        return True

    def stop(self, kill: bool = False) -> None:
        """Let go of an executor of ours; ``kill`` does not wait for what it does."""
        if not self.is_ours:
            return
        processes = list((getattr(self.executor, "_processes", None) or {}).values())
        self.executor.shutdown(wait=not kill, cancel_futures=True)
        if kill:
            for process in processes:
                with suppress(OSError, ValueError):
                    process.kill()

    def _pool(self) -> Executor:
        self._count = count = self._count or processors()
        methods = get_all_start_methods()
        context = get_context("forkserver" if "forkserver" in methods else "spawn")
        if hasattr(context, "set_forkserver_preload"):
            context.set_forkserver_preload([f"{__package__}.runs"])
        pool = ProcessPoolExecutor(count, context, _begin, (self._threads,))
        with _environment(self._threads):
            # Submitted one for each, all processes start now, with this environment.
            self._ready = [pool.submit(os.getpid) for _ in range(count)]
        return pool


def processors() -> int:
    """Processors that this process may use, as far as a pool can have a process for each."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return min(os.cpu_count() or 1, _MOST_OF_WINDOWS if sys.platform == "win32" else sys.maxsize)


def _maker(given: Any) -> Callable[[], Any]:
    if callable(given):
        return given
    raise TypeError(
        "expected an Executor, a function that makes one, or None, got "
        f"{type(given).__name__}; Dask has client.get_executor()"
    )


def _places(executor: Any) -> int:
    """Processors behind an executor: what it says itself, or as many as here."""
    known = getattr(executor, "_max_workers", None)
    if isinstance(known, int) and known > 0:
        return known
    return processors()


def _is_fine(future: Future) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


@contextmanager
def _environment(threads: int) -> Iterator[None]:
    """Limits of threads for libraries that look only when they are loaded.

    New processes can only inherit them. Two sweeps that start at the same time take turns, so that
    the variables end as the user has set them.
    """
    with _starting:
        before = {name: os.environ.get(name) for name in _LIMITS}
        try:
            os.environ.update({name: str(threads) for name in _LIMITS})
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


def _begin(threads: int) -> None:
    """A worker's start: it leaves the keyboard to its parent, and ends when that does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    setattr(current_process(), _IN_WORKER, True)
    limit_threads(threads)
    parent = parent_of_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: Any) -> None:
    connection.wait([sentinel])
    os._exit(1)
