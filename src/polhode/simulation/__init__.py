"""Models and scenes moving through time: integrators, controllers.

A model becomes a scene of its own.  `integrators` lead from one `motion_state` to the next.
`stepping` holds the parts of a step of a scene, and `smooth` a scene without contact as
differential equations.  `simulate` makes runs of them, and `driver` carries these out.

May import `errors`, `once`, `namespaces`, `notebooks`, `interrupts`, `files`, `arrays`,
`arguments`, `spatial`, `model`, `constraint_sets`, `algorithms`, `compiler`, `binding`, `api`,
`scene`, `collision`, `contact_problem` and `recording`.
"""

from typing import TYPE_CHECKING

from ..errors import SimulationWarning, StartWarning
from ..namespaces import says_where
from ..recording import Audit, RecordedContact
from .drive import Controller, State, zero_order_hold
from .errors import SimulationError, SimulationInterrupted, StartError
from .hold import ZeroOrderHold
from .lanes.compiled_step import CompiledStep, StateDerivatives, StepGradient, SteppedState

__all__ = [
    "Audit",
    "CompiledStep",
    "Controller",
    "RecordedContact",
    "SimulationError",
    "SimulationInterrupted",
    "SimulationWarning",
    "StartError",
    "StartWarning",
    "State",
    "StateDerivatives",
    "StepGradient",
    "SteppedState",
    "ZeroOrderHold",
    "zero_order_hold",
]

if not TYPE_CHECKING:  # type checkers would take any name
    __getattr__ = says_where(__name__)
