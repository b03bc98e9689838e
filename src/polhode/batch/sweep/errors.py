"""A sweep that could not go on, and a task of it that failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...errors import Refusal

if TYPE_CHECKING:
    from .result import SweepResult


class SweepError(Refusal, RuntimeError):
    """A sweep that stopped before its end, not for what one task did.

    Attributes
    ----------
    result : SweepResult or None
        What was done up to then.
    """

    def __init__(self, message: str, result: SweepResult | None = None):
        super().__init__(message)
        self.result = result


@dataclass(frozen=True)
class TaskError:
    """Why a task has no result.

    Attributes
    ----------
    index : int
        Which task.
    kind, message : str
        Of the exception; ``"WorkerDied"`` if the task ended its worker.
    traceback : str
    parameters : mapping or None
        What the task was given.
    """

    index: int
    kind: str
    message: str
    traceback: str = field(repr=False, default="")
    parameters: Mapping[str, Any] | None = field(compare=False, default=None)

    def __str__(self) -> str:
        given = ", ".join(f"{k}={v!r}" for k, v in (self.parameters or {}).items())
        return f"task {self.index} ({given}): {self.kind}: {self.message}"
