"""What integrators of scenes have in common: their state is in the arrays of a simulator."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from ..motion_state import MotionState
from ..stepping.checkpointing import put_state, state_of
from ..stepping.starts import Fault

if TYPE_CHECKING:
    from ..stepping.clock import StepCount
    from ..stepping.loop import Log
    from ..stepping.simulator import Simulator


class SceneIntegrator(ABC):
    """Steps of the scene of a simulator, one by one or many in one call.

    Attributes
    ----------
    chooses_steps : bool
        Whether the motion depends on how it is divided into calls.
    """

    chooses_steps: bool = False

    def __init__(self, owner: Simulator):
        self.owner: Simulator = owner

    @property
    def memory(self) -> dict[str, np.ndarray]:
        """What the motion depends on beside the arrays of the simulator, by name; in place."""
        return {}

    def step(self, state: MotionState, h: float) -> MotionState:
        """The state ``h`` [s] later, in which the simulator is left."""
        put_state(self.owner, state)
        self.owner.advance(h, 1)
        return state_of(self.owner)

    @abstractmethod
    def faults(self, h: float) -> list[Fault]:
        """What is wrong with a state that was just set."""

    @abstractmethod
    def advance(self, steps: StepCount, drive: Any) -> Log:
        """Make steps from where the simulator is; joint forces of each may be given."""
