"""Spatial algebra: frozen records of scalars that may be floats, arrays, or traced values.

A file for each kind of record, by the chapters of the book; structural zeros are the number 0.0
and fold away.  May import `errors` and `scalar`.
"""

from .articulated import ArticulatedInertia
from .coriolis import Coriolis
from .dense import LDL
from .frame_motion import FrameMotion
from .inertia import Inertia
from .moments import Moments
from .quaternion import Quaternion
from .subspace import ForceSubspace, JointDiagonal, Subspace
from .transform import Transform, rotation_about, rotation_x, rotation_y, rotation_z
from .vec3 import Mat3, PlaneRotation, Sym3, Vec3
from .vectors import Force, Motion

__all__ = [
    "LDL",
    "ArticulatedInertia",
    "Coriolis",
    "Force",
    "ForceSubspace",
    "FrameMotion",
    "Inertia",
    "JointDiagonal",
    "Mat3",
    "Moments",
    "Motion",
    "PlaneRotation",
    "Quaternion",
    "Subspace",
    "Sym3",
    "Transform",
    "Vec3",
    "rotation_about",
    "rotation_x",
    "rotation_y",
    "rotation_z",
]
