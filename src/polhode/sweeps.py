"""Parameters, results and errors of `polhode.sweep`."""

from .batch.sweep import Parameters, SweepError, SweepResult, TaskError, grid, sample

__all__ = [
    "Parameters",
    "SweepError",
    "SweepResult",
    "TaskError",
    "grid",
    "sample",
]
