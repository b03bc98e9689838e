"""Functions that are called at multiples of a period, and held in between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ZeroOrderHold:
    """A controller that is called at multiples of ``period`` and held in between.

    Attributes
    ----------
    controller : callable ``(t, state) -> tau``
    period : float
        Sample time [s].
    """

    controller: Callable[[float, Any], Any]
    period: float

    def __call__(self, t: float, state: Any) -> Any:
        return self.controller(t, state)
