"""The public functions by theme: check shapes, find or build the program, call it."""

from .derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
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
from .kinematics import (
    body_jacobian,
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
from .plain import run_plain
from .programs import compile, program_of

__all__ = [
    "Energy",
    "bias_forces",
    "body_jacobian",
    "body_poses",
    "center_of_mass",
    "center_of_mass_velocity",
    "compile",
    "difference",
    "energy",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "frame_jacobian",
    "get_quaternion",
    "gravity_forces",
    "hybrid_dynamics",
    "integrate",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "inverse_mass_matrix",
    "mass_matrix",
    "momentum",
    "neutral",
    "point_acceleration",
    "point_jacobian",
    "point_position",
    "point_velocity",
    "program_of",
    "random_configuration",
    "run_plain",
    "set_quaternion",
    "solve_mass_matrix",
    "zero_moment_point",
]
