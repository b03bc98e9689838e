"""How time advances: integrators side by side, one file each.

`event_driven` and `moreau` make the steps of contact, limits and dry friction.  `symplectic`,
`runge_kutta`, `moby` and SciPy's of `adaptive` integrate smooth motion, of many worlds of a model
or, by `of_scenes`, of a scene.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ..motion_state import MotionState
from .adaptive import NAMES as SCIPY
from .runge_kutta import RungeKutta4
from .smooth import SmoothSystem
from .symplectic import Symplectic


class Integrator(Protocol):
    """Steps of one system, which it was made for.

    A step is a function of the state and its length alone.  Smooth integrators keep no memory: only
    states of `event_driven` carry more than positions and velocities.  Worlds of a
    batch do not influence each other: a batch gives the bits of its worlds run one by one.
    """

    def step(self, state: MotionState, h: float) -> MotionState:
        """The state ``h`` [s] later."""
        ...


FIXED_STEP: dict[str, Callable[[SmoothSystem], Integrator]] = {
    "symplectic": Symplectic,
    "rk4": RungeKutta4,
}
"""Integrators of smooth motion, of models side by side and of scenes, by their names."""


def integrator_names() -> tuple[str, ...]:
    """All names that ``integrator=`` takes."""
    return ("event_driven", "moreau", *smooth_names(), "moby")


def smooth_names() -> tuple[str, ...]:
    """Those of integrators that carry worlds of a model side by side."""
    return (*FIXED_STEP, *SCIPY)
