"""Scenes: values that say what is simulated.  Nothing here computes a motion."""

from .contact import ContactParameters
from .couplings import Gear, Loop, LoopKind
from .doubts import doubts
from .forces import Damping, DampingGains, Dissipation, StokesDrag, UniformGravity
from .geometry import DisabledPair, Geometry
from .machine import JointSettings, Machine
from .plugins import Plugin
from .scene import Scene
from .settings import Settings, View

__all__ = [
    "ContactParameters",
    "Damping",
    "DampingGains",
    "DisabledPair",
    "Dissipation",
    "Gear",
    "Geometry",
    "JointSettings",
    "Loop",
    "LoopKind",
    "Machine",
    "Plugin",
    "Scene",
    "Settings",
    "StokesDrag",
    "UniformGravity",
    "View",
    "doubts",
]
