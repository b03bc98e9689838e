"""The public functions by theme: check shapes, find or build the program, call it.

Doors by theme (`dynamics`, `kinematics`, `constraints` and its parts, `derivatives` and its
parts, `parameters` and its parts, `manifold`, `inverse_kinematics`, `rollout`), and what stands
behind each: `programs` finds and calls, `tracing` and `outputs` lead from arrays to scalars and
back, `trace_errors` and `trace_advice` explain.  The only place where algorithms meet the
compiler.  May import `errors`, `once`, `arguments`, `scalar`, `spatial`, `model`,
`constraint_sets`, `algorithms` and `compiler`.
"""

from .constraints import (
    ConstrainedMotion,
    Impact,
    constrained_dynamics,
    constraint_impulses,
)
from .constraints_assembly import Assembly, assemble
from .constraints_equations import (
    ConstrainedSystem,
    ConstraintErrors,
    constrained_system,
    constraint_errors,
    constraint_jacobian,
)
from .constraints_forces import (
    ConstraintReport,
    GroupForces,
    constraint_forces,
    constraint_report,
)
from .constraints_inverse import (
    ConstrainedForces,
    constrained_inverse_dynamics,
    is_fully_actuated,
)
from .constraints_solve import solve_direct, solve_null_space
from .derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from .derivatives_constrained import (
    ConstrainedDynamicsDerivatives,
    ImpactDerivatives,
    constrained_dynamics_derivatives,
    constraint_impulses_derivatives,
)
from .derivatives_energetics import (
    EnergyDerivatives,
    MomentumDerivatives,
    center_of_mass_jacobian,
    centroidal_momentum_matrix,
    energy_derivatives,
    momentum_derivatives,
)
from .derivatives_kinematics import (
    body_jacobian_derivative,
    frame_hessian,
    frame_jacobian_derivative,
    point_hessian,
    point_jacobian_derivative,
)
from .derivatives_second import (
    ForwardDynamicsSecondDerivatives,
    InverseDynamicsSecondDerivatives,
    forward_dynamics_second_derivatives,
    inverse_dynamics_second_derivatives,
)
from .dynamics import (
    bias_forces,
    forward_dynamics,
    gravity_forces,
    hybrid_dynamics,
    inverse_dynamics,
    inverse_mass_matrix,
    mass_matrix,
    solve_mass_matrix,
)
from .energetics import (
    Energy,
    center_of_mass,
    center_of_mass_velocity,
    energy,
    momentum,
    zero_moment_point,
)
from .explicit_constraints import explicit_dynamics, explicit_state
from .floating_base import (
    floating_base_dynamics,
    floating_base_inverse_dynamics,
    floating_base_state,
    total_inertia,
)
from .ground_contact import (
    compliant_ground,
    ground_contact_force,
    point_motions,
)
from .inverse_kinematics import IKResult, inverse_kinematics
from .inverse_kinematics_targets import Targets
from .kinematics import (
    body_jacobian,
    body_pose,
    body_poses,
    frame_jacobian,
    point_acceleration,
    point_jacobian,
    point_position,
    point_velocity,
)
from .manifold import (
    difference,
    get_quaternion,
    integrate,
    neutral,
    random_configuration,
    set_quaternion,
)
from .parameters import parameters_of, with_parameters
from .parameters_identification import (
    BaseParameters,
    Identification,
    base_parameters,
    identify,
)
from .parameters_regressor import (
    inertial_parameters,
    inverse_dynamics_regressor,
    with_inertial_parameters,
)
from .plain import run_plain
from .programs import compile, program_of
from .rollout import Rollout

__all__ = [
    "Assembly",
    "BaseParameters",
    "ConstrainedDynamicsDerivatives",
    "ConstrainedForces",
    "ConstrainedMotion",
    "ConstrainedSystem",
    "ConstraintErrors",
    "ConstraintReport",
    "Energy",
    "EnergyDerivatives",
    "ForwardDynamicsSecondDerivatives",
    "GroupForces",
    "IKResult",
    "Identification",
    "Impact",
    "ImpactDerivatives",
    "InverseDynamicsSecondDerivatives",
    "MomentumDerivatives",
    "Rollout",
    "Targets",
    "assemble",
    "base_parameters",
    "bias_forces",
    "body_jacobian",
    "body_jacobian_derivative",
    "body_pose",
    "body_poses",
    "center_of_mass",
    "center_of_mass_jacobian",
    "center_of_mass_velocity",
    "centroidal_momentum_matrix",
    "compile",
    "compliant_ground",
    "constrained_dynamics",
    "constrained_dynamics_derivatives",
    "constrained_inverse_dynamics",
    "constrained_system",
    "constraint_errors",
    "constraint_forces",
    "constraint_impulses",
    "constraint_impulses_derivatives",
    "constraint_jacobian",
    "constraint_report",
    "difference",
    "energy",
    "energy_derivatives",
    "explicit_dynamics",
    "explicit_state",
    "floating_base_dynamics",
    "floating_base_inverse_dynamics",
    "floating_base_state",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "forward_dynamics_second_derivatives",
    "frame_hessian",
    "frame_jacobian",
    "frame_jacobian_derivative",
    "get_quaternion",
    "gravity_forces",
    "ground_contact_force",
    "hybrid_dynamics",
    "identify",
    "inertial_parameters",
    "integrate",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "inverse_dynamics_regressor",
    "inverse_dynamics_second_derivatives",
    "inverse_kinematics",
    "inverse_mass_matrix",
    "is_fully_actuated",
    "mass_matrix",
    "momentum",
    "momentum_derivatives",
    "neutral",
    "parameters_of",
    "point_acceleration",
    "point_hessian",
    "point_jacobian",
    "point_jacobian_derivative",
    "point_motions",
    "point_position",
    "point_velocity",
    "program_of",
    "random_configuration",
    "run_plain",
    "set_quaternion",
    "solve_direct",
    "solve_mass_matrix",
    "solve_null_space",
    "total_inertia",
    "with_inertial_parameters",
    "with_parameters",
    "zero_moment_point",
]
