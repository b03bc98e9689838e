"""How time advances: integrators side by side, one file each.

`event_driven` makes the steps of contact, limits and dry friction; `symplectic`, `runge_kutta`,
`moby` and SciPy's of `adaptive` carry smooth motion, of many worlds of a model or, by
`of_scenes`, of a scene.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from .runge_kutta import RungeKutta4
from .smooth import SmoothMethod, SmoothSystem
from .symplectic import Symplectic

if TYPE_CHECKING:
    from ..stepping.loop import Log, StepCount
    from ..stepping.starts import Fault

FIXED_STEP: dict[str, Callable[[SmoothSystem], SmoothMethod]] = {
    "symplectic": Symplectic,
    "rk4": RungeKutta4,
}


class Integrator(Protocol):
    """What a `Simulator` asks for steps.

    Attributes
    ----------
    chooses_steps : bool
        Whether the motion depends on how it is divided into calls.
    """

    chooses_steps: bool

    def faults(self, h: float) -> list[Fault]:
        """What is wrong with a state that was just set."""
        ...

    def advance(self, steps: StepCount, drive: Any) -> Log:
        """Make steps; joint forces of each may be given."""
        ...
