"""How many tasks go out together: enough to be worth the way, few enough to share fairly."""

from __future__ import annotations

import math

TARGET = 0.1  # seconds of work in a batch; half of it is what must not be undercut
RATE = 100  # batches a second that the driver takes back, however many work
_GROWTH = 4


class BatchSize:
    """Learns from how long batches took."""

    def __init__(self, target: float = TARGET):
        self.target = target
        self._per_task: float | None = None
        self._last = 1

    def took(self, seconds: float, tasks: int) -> None:
        """A batch has come back."""
        now = max(seconds / tasks, 1e-7)
        before = self._per_task
        # A first task that compiled something must not be remembered for long.
        self._per_task = now if before is None or now < before else 0.5 * (now + before)

    def next(self, left: int, places: int) -> int:
        """How many tasks to hand out of those ``left``, to one of so many places."""
        if self._per_task is None:
            return 1
        wanted = math.ceil(max(self.target, places / RATE) / self._per_task)
        fair = max(1, left // (2 * places))
        self._last = max(1, min(wanted, fair, _GROWTH * self._last))
        return self._last
