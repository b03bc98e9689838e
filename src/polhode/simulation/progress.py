"""A bar on the terminal's standard error or in a notebook, and silence elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from ..arguments import as_flag
from ..notebooks import StatusLine, in_notebook

_WIDTH = 28
_EVERY = 0.1  # seconds between two drawings


class Progress:
    """Shows how far a run is; draws nothing unless ``shown``.

    ``shown=None`` means: only on a terminal, and in a notebook.
    """

    def __init__(self, end: float, shown: bool | None = None, stream: TextIO | None = None):
        self.end = end
        is_of_cell = stream is None and in_notebook()
        self._line = StatusLine() if is_of_cell else TerminalLine(stream or sys.stderr)
        self.shown: bool = self._line.is_watched if shown is None else as_flag("progress", shown)
        self._start = self._last = time.monotonic()
        self._drawn = False

    def begin(self) -> None:
        """Count the time that is left from now on."""
        self._start = time.monotonic()

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
        left = (now - self._start) * (1.0 - share) / share if share > 0.0 else 0.0
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


class TerminalLine:
    """The last line of a terminal: each text replaces the one before."""

    def __init__(self, stream: TextIO):
        self._stream = stream
        self.is_watched: bool = stream.isatty()

    def show(self, text: str) -> None:
        """Show a text, or nothing if it is empty."""
        self._stream.write(f"\r{text}\x1b[K")
        self._stream.flush()
