"""A bar on the terminal's standard error, and silence elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from ..arguments import as_flag

_WIDTH = 28
_EVERY = 0.1  # seconds between two drawings


class Progress:
    """Shows how far a run is; draws nothing unless ``shown``.

    ``shown=None`` means: only on a terminal.
    """

    def __init__(self, end: float, shown: bool | None = None, stream: TextIO | None = None):
        self.end = end
        self.stream: TextIO = stream or sys.stderr
        is_terminal = self.stream.isatty() if shown is None else as_flag("progress", shown)
        self.shown: bool = is_terminal
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
        self.stream.write(
            f"\r  [{full:<{_WIDTH}}] {100.0 * share:3.0f} %  "
            f"{self._says(t)}, {left:.0f} s left \x1b[K"
        )
        self.stream.flush()
        self._drawn = True

    def _says(self, t: float) -> str:
        return f"t = {t:.3g} s"

    def close(self) -> None:
        """Wipe the bar."""
        if self._drawn:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
            self._drawn = False
