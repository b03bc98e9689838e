"""polhode: rigid-body dynamics, compiled for your robot.

>>> import polhode as ph
>>> from polhode.model import Revolute
>>> arm = ph.Model("arm").add("link", joint=Revolute.y(), mass=2.0, com=(0.5, 0.0, 0.0))
>>> ph.inverse_dynamics(arm, [0.0], [0.0], [0.0])
array([-9.81])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "load": "formats",
    "save": "formats",
    "Model": "model",
    "ModelError": "errors",
    "ModelWarning": "errors",
    "ParseError": "errors",
    "ShapeError": "errors",
    "TraceError": "errors",
    "inverse_dynamics": "api",
    "forward_dynamics": "api",
    "hybrid_dynamics": "api",
    "mass_matrix": "api",
    "inverse_mass_matrix": "api",
    "solve_mass_matrix": "api",
    "bias_forces": "api",
    "gravity_forces": "api",
    "inverse_dynamics_derivatives": "api",
    "forward_dynamics_derivatives": "api",
    "body_poses": "api",
    "point_position": "api",
    "point_velocity": "api",
    "point_acceleration": "api",
    "point_jacobian": "api",
    "body_jacobian": "api",
    "frame_jacobian": "api",
    "energy": "api",
    "momentum": "api",
    "center_of_mass": "api",
    "center_of_mass_velocity": "api",
    "zero_moment_point": "api",
    "neutral": "api",
    "random_configuration": "api",
    "integrate": "api",
    "difference": "api",
    "get_quaternion": "api",
    "set_quaternion": "api",
    "assemble": "api",
    "constrained_dynamics": "api",
    "constrained_inverse_dynamics": "api",
    "constrained_system": "api",
    "constraint_errors": "api",
    "constraint_forces": "api",
    "constraint_impulses": "api",
    "constraint_jacobian": "api",
    "constraint_report": "api",
    "inverse_kinematics": "api",
    "is_fully_actuated": "api",
    "Targets": "api",
    "ConstraintSet": "constraints",
    "floating_base_dynamics": "api",
    "floating_base_inverse_dynamics": "api",
    "floating_base_state": "api",
    "explicit_dynamics": "api",
    "explicit_state": "api",
    "compliant_ground": "api",
    "ground_contact_force": "api",
    "rollout": "api",
    "total_inertia": "api",
    "compile": "api",
    "Program": "compiler",
    "set_num_threads": "compiler",
    "get_num_threads": "compiler",
    "simulate": "simulation",
    "Recording": "simulation",
    "SimulationError": "simulation",
    "zero_order_hold": "simulation",
    "show": "viewer",
}
_MODULES = ("algorithms", "constraints", "model", "rbdl", "scalar", "spatial", "spatial_v2")

__all__ = [
    "ConstraintSet",
    "Model",
    "ModelError",
    "ModelWarning",
    "ParseError",
    "Program",
    "Recording",
    "ShapeError",
    "SimulationError",
    "Targets",
    "TraceError",
    "__version__",
    "algorithms",
    "assemble",
    "bias_forces",
    "body_jacobian",
    "body_poses",
    "center_of_mass",
    "center_of_mass_velocity",
    "compile",
    "compliant_ground",
    "constrained_dynamics",
    "constrained_inverse_dynamics",
    "constrained_system",
    "constraint_errors",
    "constraint_forces",
    "constraint_impulses",
    "constraint_jacobian",
    "constraint_report",
    "constraints",
    "difference",
    "energy",
    "explicit_dynamics",
    "explicit_state",
    "floating_base_dynamics",
    "floating_base_inverse_dynamics",
    "floating_base_state",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "frame_jacobian",
    "get_num_threads",
    "get_quaternion",
    "gravity_forces",
    "ground_contact_force",
    "hybrid_dynamics",
    "integrate",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "inverse_kinematics",
    "inverse_mass_matrix",
    "is_fully_actuated",
    "load",
    "mass_matrix",
    "model",
    "momentum",
    "neutral",
    "point_acceleration",
    "point_jacobian",
    "point_position",
    "point_velocity",
    "random_configuration",
    "rbdl",
    "rollout",
    "save",
    "scalar",
    "set_num_threads",
    "set_quaternion",
    "show",
    "simulate",
    "solve_mass_matrix",
    "spatial",
    "spatial_v2",
    "total_inertia",
    "zero_moment_point",
    "zero_order_hold",
]

if TYPE_CHECKING:
    from . import algorithms, constraints, model, rbdl, scalar, spatial, spatial_v2
    from .api import (
        Targets,
        assemble,
        bias_forces,
        body_jacobian,
        body_poses,
        center_of_mass,
        center_of_mass_velocity,
        compile,
        compliant_ground,
        constrained_dynamics,
        constrained_inverse_dynamics,
        constrained_system,
        constraint_errors,
        constraint_forces,
        constraint_impulses,
        constraint_jacobian,
        constraint_report,
        difference,
        energy,
        explicit_dynamics,
        explicit_state,
        floating_base_dynamics,
        floating_base_inverse_dynamics,
        floating_base_state,
        forward_dynamics,
        forward_dynamics_derivatives,
        frame_jacobian,
        get_quaternion,
        gravity_forces,
        ground_contact_force,
        hybrid_dynamics,
        integrate,
        inverse_dynamics,
        inverse_dynamics_derivatives,
        inverse_kinematics,
        inverse_mass_matrix,
        is_fully_actuated,
        mass_matrix,
        momentum,
        neutral,
        point_acceleration,
        point_jacobian,
        point_position,
        point_velocity,
        random_configuration,
        rollout,
        set_quaternion,
        solve_mass_matrix,
        total_inertia,
        zero_moment_point,
    )
    from .compiler import Program, get_num_threads, set_num_threads
    from .constraints import ConstraintSet
    from .errors import ModelError, ModelWarning, ParseError, ShapeError, TraceError
    from .formats import load, save
    from .model import Model
    from .simulation import Recording, SimulationError, simulate, zero_order_hold
    from .viewer import show


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    elif name in _MODULES:
        value = import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module 'polhode' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
