"""Modules that call each other, compiled on threads while the next are written.

Three quarters of the time in which a long program is made pass in LLVM, which works without
Python's lock.  The object code of a module does not depend on which thread makes it, and when.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType

from ...interrupts import uninterrupted
from .machine import IN_ONE_PIECE, compile_beside, compile_ir, ready_for_threads


class SideBySide:
    """Compiles modules in turn, on as many threads as are allowed.

    A context manager: no thread is left behind it.  Whoever enters it holds `making`.

    Attributes
    ----------
    add : callable or None
        Compiles a module beside others; None where modules cannot call each other.
    """

    def __init__(self, n_threads: int, opt: int, speed: int = 0):
        self.n_threads: int = n_threads
        self.opt: int = opt
        self.speed: int = speed
        self.add: Callable[[str], None] | None = self._add if IN_ONE_PIECE else None
        self._objects: list[Future[bytes]] = []
        self._threads: ThreadPoolExecutor | None = None

    def __enter__(self) -> SideBySide:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._threads is not None:
            with uninterrupted():
                self._threads.shutdown(cancel_futures=True)

    def objects(self, *last: str) -> list[bytes]:
        """The object code of all modules in their order, and of the last ones."""
        if not self._objects and len(last) == 1:
            return [compile_ir(last[0], opt=self.opt, speed=self.speed)]
        for ir in last:
            self._add(ir)
        return [made.result() for made in self._objects]

    def _add(self, ir: str) -> None:
        try:
            made = self._pool().submit(compile_beside, ir, self.opt, self.speed)
        except RuntimeError:  # the system gives no more threads, or Python is about to end
            made = _done(compile_beside(ir, self.opt, self.speed))
        self._objects.append(made)

    def _pool(self) -> ThreadPoolExecutor:
        if self._threads is None:
            ready_for_threads()
            self._threads = ThreadPoolExecutor(self.n_threads, "polhode-llvm")
        return self._threads


def _done(data: bytes) -> Future[bytes]:
    made: Future[bytes] = Future()
    made.set_result(data)
    return made
