"""How many tasks are done."""

from __future__ import annotations

from ...simulation.progress import Progress


class TaskProgress(Progress):
    """A bar that counts tasks."""

    failed = 0

    def _says(self, done: float) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{done:.0f} of {self.end:.0f} tasks{failed}"
