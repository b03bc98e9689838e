"""Machines and scenes moving through time: methods, controllers, recordings.

A model alone moves without contact, limits or loops; a scene with them.  `scene` says what is
simulated, `collision` where shapes touch, `contact` which impulses follow, `stepping` how time
goes on, `smooth` does without contact, `recording` holds what a run leaves behind, `sweep` runs
many.  May import `errors`, `once`, `files`, `arguments`, `arrays`, `spatial`, `model`,
`algorithms`, `compiler` and `api`.
"""

from .drive import Controller, State, ZeroOrderHold, zero_order_hold
from .errors import SimulationError, SimulationInterrupted
from .recording import Audit, RecordedContact, Recording
from .rollout import rollout
from .simulate import simulate

__all__ = [
    "Audit",
    "Controller",
    "RecordedContact",
    "Recording",
    "SimulationError",
    "SimulationInterrupted",
    "State",
    "ZeroOrderHold",
    "rollout",
    "simulate",
    "zero_order_hold",
]
