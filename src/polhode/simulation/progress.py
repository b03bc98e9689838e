"""A bar on the terminal's standard error or in a notebook, and silence elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TextIO
from weakref import WeakSet

from ..arguments import as_flag
from ..notebooks import StatusLine, in_notebook

_WIDTH = 28
_EVERY = 0.1  # seconds between two drawings
_open: WeakSet[Progress] = WeakSet()
_is_worker = False


def leave_to_the_driver() -> None:
    """Draw no bar in this process unless one is asked for: it works for one that has a bar."""
    global _is_worker
    _is_worker = True


class Progress:
    """Shows how far a run is; draws nothing unless ``shown``.

    ``shown=None`` means: on a terminal and in a notebook, while no other bar is drawn.  A run in
    a sweep leaves the line to the sweep's bar.
    """

    def __init__(self, end: float, shown: bool | None = None, stream: TextIO | None = None):
        self.end = end
        is_of_cell = stream is None and in_notebook()
        self._line = StatusLine() if is_of_cell else TerminalLine(stream or sys.stderr)
        is_free = self._line.is_watched and not _is_worker and not len(_open)
        self.shown: bool = is_free if shown is None else as_flag("progress", shown)
        self._start = self._last = time.monotonic()
        self._begun = 0.0
        self._drawn = False
        if self.shown:
            _open.add(self)

    def begin(self, t: float = 0.0) -> None:
        """Estimate the time that is left by the speed from now on; the run is at ``t``."""
        self._start, self._begun = time.monotonic(), t

    def at(self, t: float) -> None:
        """Draw the state at time ``t`` of the run, at most ten times a second."""
        if not self.shown:
            return
        now = time.monotonic()
        if now - self._last >= _EVERY:
            self._last = now
            self._draw(t, now)

    def _draw(self, t: float, now: float) -> None:
        share = min(max(t / self.end, 0.0), 1.0) if self.end > 0.0 else 1.0
        full = "#" * round(share * _WIDTH)
        made = t - self._begun
        left = (now - self._start) * max(self.end - t, 0.0) / made if made > 0.0 else 0.0
        self._line.show(
            f"  [{full:<{_WIDTH}}] {100.0 * share:3.0f} %  {self._says(t)}, {left:.0f} s left "
        )
        self._drawn = True

    def _says(self, t: float) -> str:
        return f"t = {t:.3g} s"

    def close(self) -> None:
        """Wipe the bar."""
        if self._drawn:
            self._line.show("")
            self._drawn = False
        _open.discard(self)


class TerminalLine:
    """The last line of a terminal: each text replaces the one before."""

    def __init__(self, stream: TextIO):
        self._stream = stream
        self.is_watched: bool = stream.isatty()

    def show(self, text: str) -> None:
        """Show a text, or nothing if it is empty."""
        self._stream.write(f"\r{text}\x1b[K")
        self._stream.flush()
