"""Ctrl-C that waits until something is whole, or until it can be raised."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let an interrupt that comes meanwhile come at the end.

    Only the main thread gets interrupts: in others nothing needs to be done.  As a decorator it
    also holds them while the function's variables are dropped: finalizers swallow interrupts.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    came: list[Any] = []
    signal.signal(signal.SIGINT, lambda *what: came.append(what))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            before(*came[0])


class CallbackInterrupts:
    """Ctrl-C while compiled code calls Python back.

    Python drops an interrupt that comes while it enters or leaves a callback.  Within
    `listening` such an interrupt waits for the next callback, or for the end.
    """

    def __init__(self) -> None:
        self._is_inside = False
        self._came: list[Any] = []
        self._before: Any = None

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Around a call of compiled code."""
        before = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not callable(before):
            yield
            return
        self._before = before
        signal.signal(signal.SIGINT, self._hear)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
            self._deliver()

    def enter(self) -> None:
        """At the start of a callback: from here on an interrupt is raised like any exception."""
        self._is_inside = True
        self._deliver()

    def leave(self) -> None:
        """At its end, in a ``finally``."""
        self._is_inside = False

    def _hear(self, *what: Any) -> None:
        if self._is_inside:
            self._before(*what)
        else:
            self._came.append(what)

    def _deliver(self) -> None:
        if self._came:
            what, self._came = self._came[0], []
            self._before(*what)
