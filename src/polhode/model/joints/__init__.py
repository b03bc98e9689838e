"""All kinds of joints; a new kind enters through its ``jcalc``, or as a `Serial` of simpler ones.

May import `arguments`, `errors`, `once`, `scalar`, `spatial` and the `checks` of `model`.
"""

from .base import JointKind, JointMotion
from .function_based import FunctionAxis, FunctionBased
from .piecewise import PiecewisePolynomial
from .several import (
    Axes,
    Custom,
    Euler,
    Fixed,
    FloatingBase,
    Planar,
    Spherical,
    TranslationXYZ,
    Universal,
    axes_joint,
    quaternion,
)
from .single import Helical, Prismatic, Revolute, Screw, axis_joint

__all__ = [
    "Axes",
    "Custom",
    "Euler",
    "Fixed",
    "FloatingBase",
    "FunctionAxis",
    "FunctionBased",
    "Helical",
    "JointKind",
    "JointMotion",
    "PiecewisePolynomial",
    "Planar",
    "Prismatic",
    "Revolute",
    "Screw",
    "Spherical",
    "TranslationXYZ",
    "Universal",
    "axes_joint",
    "axis_joint",
    "quaternion",
]
