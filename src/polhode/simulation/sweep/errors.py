"""A sweep that could not go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
