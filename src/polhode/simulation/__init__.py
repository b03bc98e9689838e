"""Machines and scenes moving through time: methods, controllers, recordings.

A model alone moves without contact, limits or loops; a scene with them.  `scene` says what is
simulated, `collision` where shapes touch, `contact` which impulses follow, `stepping` how time
goes on, `smooth` does without contact, `sweep` runs many.  May import `errors`, `once`, `files`,
`arguments`, `arrays`, `spatial`, `model`, `algorithms`, `compiler` and `api`.
"""

from ..errors import StartWarning
from .audit import Audit
from .drive import Controller, State, ZeroOrderHold, zero_order_hold
from .errors import SimulationInterrupted
from .scene_audit import SceneAudit
from .scene_recording import Contact

__all__ = [
    "Audit",
    "Contact",
    "Controller",
    "SceneAudit",
    "SimulationInterrupted",
    "StartWarning",
    "State",
    "ZeroOrderHold",
    "zero_order_hold",
]
