"""Models and scenes moving through time: integrators, controllers, recordings.

A model is a scene of one machine.  `scene` says what is simulated, `collision` where shapes touch,
`contact` which impulses follow, `stepping` how time goes on, `smooth` does without contact,
`recording` holds what a run leaves behind, `sweep` runs many.  May import `errors`, `once`,
`files`, `arguments`, `arrays`, `spatial`, `model`, `constraint_sets`, `algorithms`, `compiler`
and `api`.
"""

from ..errors import StartWarning
from .drive import Controller, State, ZeroOrderHold, zero_order_hold
from .errors import SimulationInterrupted, StartError
from .recording import Audit, RecordedContact

__all__ = [
    "Audit",
    "Controller",
    "RecordedContact",
    "SimulationInterrupted",
    "StartError",
    "StartWarning",
    "State",
    "ZeroOrderHold",
    "zero_order_hold",
]
