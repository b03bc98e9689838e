"""Algorithms over scalars: floats, NumPy arrays and traced values alike.

`tree` holds the tables of the book and the variants that programs run.  `constrained` is for loops
and contacts, `derivatives` for the analytic derivatives of both.  `actuation` is what drives
them: tendons and actuators.  `ground_contact` and `rollout`
are a time step on compliant ground.  Bodies are numbered, and a value for each body is a mapping
from its number.  Nothing here knows of arrays, shapes or machine code.  May import `scalar`,
`spatial`, `model` and `constraint_sets`.
"""

from .actuation.forces import (
    activation_rates,
    actuator_forces,
    actuator_state,
    actuator_values,
    compensating_forces,
    next_activation,
    tendon_forces,
)
from .actuation.tendons import tendon_jacobian, tendon_lengths, tendon_velocities
from .constrained.assembly import assembled_velocities, assembly_step
from .constrained.inverse_kinematics import ROWS as IK_ROWS
from .constrained.inverse_kinematics import VALUES as IK_VALUES
from .constrained.inverse_kinematics import ik_step, ik_step_limited
from .constrained.reactions import constrained_joint_reactions
from .constrained.rows import constraint_rows
from .constrained.solvers import (
    constrained_kokkevis,
    constrained_range_space,
    constrained_system,
    constraint_errors,
    constraint_jacobian,
    impulses_kokkevis,
    impulses_range_space,
)
from .derivatives.constrained import constrained_derivatives, impulse_derivatives
from .derivatives.coriolis import coriolis_matrix
from .derivatives.dynamics import aba_derivatives, rnea_derivatives
from .derivatives.energy import (
    center_of_mass_jacobian,
    centroidal_momentum_matrix,
    energy_derivatives,
    momentum_derivatives,
)
from .derivatives.kinematics import (
    body_jacobian_derivative,
    frame_hessian,
    frame_jacobian_derivative,
    point_hessian,
    point_jacobian_derivative,
)
from .derivatives.second import rnea_second_derivatives
from .sensors import sensor_rays, sensor_values
from .tree.aba import aba, aba_tables
from .tree.aba_relative import aba_relative
from .tree.crba import crba, crba_tables
from .tree.dynamics import (
    bias,
    crba_forward,
    forward_dynamics,
    gravity,
    inertia_times,
    inverse_dynamics,
    inverse_inertia,
    mass_matrix,
    solve_inertia,
)
from .tree.energy import (
    center_of_mass,
    center_of_mass_velocity,
    energy,
    momentum,
    zero_moment_point,
)
from .tree.fluid_forces import fluid_forces
from .tree.hybrid import hybrid
from .tree.jacobians import body_jacobian, frame_jacobian, point_jacobian
from .tree.kinematics import (
    base_transforms,
    body_accelerations,
    body_pose,
    body_velocities,
    external_forces,
    point_acceleration,
    point_position,
    point_velocity,
    poses,
)
from .tree.luh_walker_paul import luh_walker_paul
from .tree.manifold import difference, integrate
from .tree.passive_forces import all_passive_forces, passive_forces, smooth_passive_forces
from .tree.reactions import joint_reactions
from .tree.regressor import inertial_parameters, rnea_regressor
from .tree.rnea import rnea, rnea_tables

__all__ = [
    "IK_ROWS",
    "IK_VALUES",
    "aba",
    "aba_derivatives",
    "aba_relative",
    "aba_tables",
    "activation_rates",
    "actuator_forces",
    "actuator_state",
    "actuator_values",
    "all_passive_forces",
    "assembled_velocities",
    "assembly_step",
    "base_transforms",
    "bias",
    "body_accelerations",
    "body_jacobian",
    "body_jacobian_derivative",
    "body_pose",
    "body_velocities",
    "center_of_mass",
    "center_of_mass_jacobian",
    "center_of_mass_velocity",
    "centroidal_momentum_matrix",
    "compensating_forces",
    "constrained_derivatives",
    "constrained_joint_reactions",
    "constrained_kokkevis",
    "constrained_range_space",
    "constrained_system",
    "constraint_errors",
    "constraint_jacobian",
    "constraint_rows",
    "coriolis_matrix",
    "crba",
    "crba_forward",
    "crba_tables",
    "difference",
    "energy",
    "energy_derivatives",
    "external_forces",
    "fluid_forces",
    "forward_dynamics",
    "frame_hessian",
    "frame_jacobian",
    "frame_jacobian_derivative",
    "gravity",
    "hybrid",
    "ik_step",
    "ik_step_limited",
    "impulse_derivatives",
    "impulses_kokkevis",
    "impulses_range_space",
    "inertia_times",
    "inertial_parameters",
    "integrate",
    "inverse_dynamics",
    "inverse_inertia",
    "joint_reactions",
    "luh_walker_paul",
    "mass_matrix",
    "momentum",
    "momentum_derivatives",
    "next_activation",
    "passive_forces",
    "point_acceleration",
    "point_hessian",
    "point_jacobian",
    "point_jacobian_derivative",
    "point_position",
    "point_velocity",
    "poses",
    "rnea",
    "rnea_derivatives",
    "rnea_regressor",
    "rnea_second_derivatives",
    "rnea_tables",
    "sensor_rays",
    "sensor_values",
    "smooth_passive_forces",
    "solve_inertia",
    "tendon_forces",
    "tendon_jacobian",
    "tendon_lengths",
    "tendon_velocities",
    "zero_moment_point",
]
