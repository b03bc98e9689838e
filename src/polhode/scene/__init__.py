"""Scenes: values that say what is simulated.  Nothing here computes a motion.

`scene` and `building` are the value and how it grows, `machine`, `geometry`, `couplings`, `forces`,
`springs`, `contact`, `keyframes` and `settings` its parts; `lint` warns of likely mistakes.  May
import `errors`, `notebooks`, `once`, `arrays`, `spatial` and `model`.
"""

from .contact import ContactParameters
from .couplings import Gear, Loop, LoopKind
from .forces import Damping, DampingGains, Dissipation, StokesDrag, UniformGravity
from .geometry import DisabledPair, Geometry
from .keyframes import Keyframe
from .lint import lint, without_effect, without_rule
from .machine import JointSettings, Machine
from .plugins import Plugin
from .scene import Scene
from .settings import Settings, View
from .springs import Bushing, Spring

__all__ = [
    "Bushing",
    "ContactParameters",
    "Damping",
    "DampingGains",
    "DisabledPair",
    "Dissipation",
    "Gear",
    "Geometry",
    "JointSettings",
    "Keyframe",
    "Loop",
    "LoopKind",
    "Machine",
    "Plugin",
    "Scene",
    "Settings",
    "Spring",
    "StokesDrag",
    "UniformGravity",
    "View",
    "lint",
    "without_effect",
    "without_rule",
]
