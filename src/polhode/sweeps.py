"""Parameters, results and errors of `polhode.sweep`."""

from typing import TYPE_CHECKING

from .batch.sweep import Parameters, SweepError, SweepResult, TaskError, grid, sample
from .namespaces import says_where

__all__ = [
    "Parameters",
    "SweepError",
    "SweepResult",
    "TaskError",
    "grid",
    "sample",
]

if not TYPE_CHECKING:  # type checkers would take any name
    __getattr__ = says_where(__name__)
