"""Velocity and Jacobian of the centre of mass, centroidal momentum, targets for poses.

Poses, points and their Jacobians are functions of `polhode` itself.
"""

from typing import TYPE_CHECKING

from .api.derivatives_energetics import center_of_mass_jacobian, centroidal_momentum_matrix
from .api.energetics import Energy, center_of_mass_velocity
from .api.inverse_kinematics import IKResult
from .api.inverse_kinematics_targets import Targets
from .namespaces import says_where

__all__ = [
    "Energy",
    "IKResult",
    "Targets",
    "center_of_mass_jacobian",
    "center_of_mass_velocity",
    "centroidal_momentum_matrix",
]

if not TYPE_CHECKING:  # type checkers would take any name
    __getattr__ = says_where(__name__)
