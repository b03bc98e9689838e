"""The threads of the pool that shares loops in machine code (see `codegen.pool`)."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import threading
from collections.abc import Callable

from ...once import once
from ..codegen.machine import Format
from ..codegen.pool import POOL
from .native import runtime

_PATIENCE = 20000  # looks for work before a thread sleeps: about half a millisecond

_record = (ctypes.c_int64 * len(POOL))()
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_record))  # a thread may read it to the very end
_members: list[_Member] = []
_lock = threading.Lock()


class _Member(threading.Thread):
    """A thread that serves while there is work, then sleeps until roused."""

    def __init__(self, number: int):
        super().__init__(name=f"polhode-{number}", daemon=True)
        self.number, self.roused = number, threading.Event()

    def run(self) -> None:
        serve = _serve()
        while True:
            self.roused.wait()
            with contextlib.suppress(Exception):  # the caller finds out, and works alone
                serve(ctypes.addressof(_record), self.number, _PATIENCE)
            self.roused.clear()


@once
def _serve() -> Callable[..., None]:
    kinds = (ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    return ctypes.CFUNCTYPE(None, *kinds)(runtime(Format("f64", 1)).address("pool_serve"))


def address() -> int:
    """Address of the pool's record, the same for the whole process."""
    return ctypes.addressof(_record)


def jobs() -> int:
    """How many loops were offered to the pool so far."""
    return _record[POOL.index("jobs")]


def rouse(n_threads: int) -> None:
    """Have ``n_threads``, the caller counted, ready or about to be; fewer if the system has less.

    Threads that no longer take part sleep.
    """
    if len(_members) < n_threads - 1:
        with _lock, contextlib.suppress(RuntimeError):  # of a system that gives no more threads
            for number in range(len(_members), n_threads - 1):
                member = _Member(number)
                member.start()
                _members.append(member)
    _record[POOL.index("members")] = min(n_threads - 1, len(_members))
    for member in _members[: n_threads - 1]:
        if not member.roused.is_set():
            member.roused.set()


def dismiss() -> None:
    """Share nothing until roused again."""
    _record[POOL.index("members")] = 0


atexit.register(dismiss)


def _forget() -> None:
    """Threads do not survive a fork: the child starts with none, and nothing under way."""
    global _lock
    _members.clear()
    _lock = threading.Lock()
    ctypes.memset(_record, 0, ctypes.sizeof(_record))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
