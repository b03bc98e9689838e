"""Machines moving through time: methods, controllers, recordings.

Supported: joints, gravity, controllers, external forces.  Not supported: contact,
friction, joint limits, loops.
"""

from .audit import Audit
from .drive import Controller, State, ZeroOrderHold, zero_order_hold
from .errors import SimulationError
from .recording import Recording
from .simulate import simulate

__all__ = [
    "Audit",
    "Controller",
    "Recording",
    "SimulationError",
    "State",
    "ZeroOrderHold",
    "simulate",
    "zero_order_hold",
]
