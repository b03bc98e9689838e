"""Derivatives of constrained motion, energy, momentum and Jacobians, and of second order.

Those of `polhode.inverse_dynamics` and `polhode.forward_dynamics` are functions of `polhode`
itself.  Positions are differentiated in the tangent space of the joints.
"""

from typing import TYPE_CHECKING

from .api.derivatives_constrained import (
    ConstrainedDynamicsDerivatives,
    ImpactDerivatives,
    constrained_dynamics_derivatives,
    constraint_impulses_derivatives,
)
from .api.derivatives_energetics import (
    EnergyDerivatives,
    MomentumDerivatives,
    energy_derivatives,
    momentum_derivatives,
)
from .api.derivatives_kinematics import (
    body_jacobian_derivative,
    frame_hessian,
    frame_jacobian_derivative,
    point_hessian,
    point_jacobian_derivative,
)
from .api.derivatives_second import (
    ForwardDynamicsSecondDerivatives,
    InverseDynamicsSecondDerivatives,
    forward_dynamics_second_derivatives,
    inverse_dynamics_second_derivatives,
)
from .namespaces import says_where

__all__ = [
    "ConstrainedDynamicsDerivatives",
    "EnergyDerivatives",
    "ForwardDynamicsSecondDerivatives",
    "ImpactDerivatives",
    "InverseDynamicsSecondDerivatives",
    "MomentumDerivatives",
    "body_jacobian_derivative",
    "constrained_dynamics_derivatives",
    "constraint_impulses_derivatives",
    "energy_derivatives",
    "forward_dynamics_second_derivatives",
    "frame_hessian",
    "frame_jacobian_derivative",
    "inverse_dynamics_second_derivatives",
    "momentum_derivatives",
    "point_hessian",
    "point_jacobian_derivative",
]

if not TYPE_CHECKING:  # type checkers would take any name
    __getattr__ = says_where(__name__)
