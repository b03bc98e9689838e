"""polhode: rigid-body dynamics, compiled for your robot.

>>> import polhode as ph
>>> from polhode.model import Revolute
>>> arm = ph.Model("arm").add("link", joint=Revolute.y(), mass=2.0, com=(0.5, 0.0, 0.0))
>>> ph.inverse_dynamics(arm, [0.0], [0.0], [0.0])
array([-9.81])
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_ROOT = {
    "api.actuation": "actuator_forces",
    "api.constraints": "constrained_dynamics constraint_impulses",
    "api.constraints_assembly": "assemble",
    "api.derivatives": "forward_dynamics_derivatives inverse_dynamics_derivatives",
    "api.dynamics": """
        bias_forces coriolis_matrix forward_dynamics gravity_forces hybrid_dynamics
        inverse_dynamics inverse_mass_matrix mass_matrix solve_mass_matrix
    """,
    "api.energetics": "center_of_mass energy momentum zero_moment_point",
    "api.inverse_kinematics": "inverse_kinematics",
    "api.kinematics": """
        body_jacobian body_pose body_poses frame_jacobian point_acceleration point_jacobian
        point_position point_velocity
    """,
    "api.manifold": """
        difference get_quaternion integrate neutral random_configuration set_quaternion
    """,
    "api.passive": "passive_forces",
    "batch.rollout": "rollout",
    "batch.sweep": "sweep",
    "binding.programs": "compile",
    "compiler": "Program get_num_threads set_num_threads",
    "errors": "ArgumentError ModelError ModelWarning ParseError ShapeError TraceError",
    "formats": "load save",
    "model": "Model",
    "recording": "Recording",
    "scene": "Scene",
    "sensing": "sensors",
    "simulation.lanes.compile_step": "compile_step",
    "simulation.simulate": "simulate",
    "simulation.stepping": "Simulator TimeSteppingSimulator",
    "viewer": "Camera render show",
}
"""The public names by the module that defines them."""

_NAMESPACES = (
    "actuation",
    "adapters",
    "algorithms",
    "biomechanics",
    "constraints",
    "contact",
    "cuda",
    "derivatives",
    "environments",
    "floating_base",
    "formats",
    "identification",
    "kinematics",
    "model",
    "rbdl",
    "scalar",
    "simulation",
    "spatial",
    "spatial_v2",
    "sweeps",
)
"""Modules with more of them, which `dir` lists, too."""

if TYPE_CHECKING:  # both tables once more, as type checkers read them
    from . import actuation as actuation
    from . import adapters as adapters
    from . import algorithms as algorithms
    from . import biomechanics as biomechanics
    from . import constraints as constraints
    from . import contact as contact
    from . import cuda as cuda
    from . import derivatives as derivatives
    from . import environments as environments
    from . import floating_base as floating_base
    from . import formats as formats
    from . import identification as identification
    from . import kinematics as kinematics
    from . import model as model
    from . import rbdl as rbdl
    from . import scalar as scalar
    from . import simulation as simulation
    from . import spatial as spatial
    from . import spatial_v2 as spatial_v2
    from . import sweeps as sweeps
    from .api.actuation import actuator_forces as actuator_forces
    from .api.constraints import constrained_dynamics as constrained_dynamics
    from .api.constraints import constraint_impulses as constraint_impulses
    from .api.constraints_assembly import assemble as assemble
    from .api.derivatives import forward_dynamics_derivatives as forward_dynamics_derivatives
    from .api.derivatives import inverse_dynamics_derivatives as inverse_dynamics_derivatives
    from .api.dynamics import bias_forces as bias_forces
    from .api.dynamics import coriolis_matrix as coriolis_matrix
    from .api.dynamics import forward_dynamics as forward_dynamics
    from .api.dynamics import gravity_forces as gravity_forces
    from .api.dynamics import hybrid_dynamics as hybrid_dynamics
    from .api.dynamics import inverse_dynamics as inverse_dynamics
    from .api.dynamics import inverse_mass_matrix as inverse_mass_matrix
    from .api.dynamics import mass_matrix as mass_matrix
    from .api.dynamics import solve_mass_matrix as solve_mass_matrix
    from .api.energetics import center_of_mass as center_of_mass
    from .api.energetics import energy as energy
    from .api.energetics import momentum as momentum
    from .api.energetics import zero_moment_point as zero_moment_point
    from .api.inverse_kinematics import inverse_kinematics as inverse_kinematics
    from .api.kinematics import body_jacobian as body_jacobian
    from .api.kinematics import body_pose as body_pose
    from .api.kinematics import body_poses as body_poses
    from .api.kinematics import frame_jacobian as frame_jacobian
    from .api.kinematics import point_acceleration as point_acceleration
    from .api.kinematics import point_jacobian as point_jacobian
    from .api.kinematics import point_position as point_position
    from .api.kinematics import point_velocity as point_velocity
    from .api.manifold import difference as difference
    from .api.manifold import get_quaternion as get_quaternion
    from .api.manifold import integrate as integrate
    from .api.manifold import neutral as neutral
    from .api.manifold import random_configuration as random_configuration
    from .api.manifold import set_quaternion as set_quaternion
    from .api.passive import passive_forces as passive_forces
    from .batch.rollout import rollout as rollout
    from .batch.sweep import sweep as sweep
    from .binding.programs import compile as compile
    from .compiler import Program as Program
    from .compiler import get_num_threads as get_num_threads
    from .compiler import set_num_threads as set_num_threads
    from .errors import ArgumentError as ArgumentError
    from .errors import ModelError as ModelError
    from .errors import ModelWarning as ModelWarning
    from .errors import ParseError as ParseError
    from .errors import ShapeError as ShapeError
    from .errors import TraceError as TraceError
    from .formats import load as load
    from .formats import save as save
    from .model import Model as Model
    from .recording import Recording as Recording
    from .scene import Scene as Scene
    from .sensing import sensors as sensors
    from .simulation.lanes.compile_step import compile_step as compile_step
    from .simulation.simulate import simulate as simulate
    from .simulation.stepping import Simulator as Simulator
    from .simulation.stepping import TimeSteppingSimulator as TimeSteppingSimulator
    from .viewer import Camera as Camera
    from .viewer import render as render
    from .viewer import show as show

else:  # apart, or type checkers would take any name
    _HOME = {name: home for home, names in _ROOT.items() for name in names.split()}

    __all__ = ["__version__", *sorted(_HOME)]

    def __getattr__(name: str) -> Any:
        # Imports of two threads could wait for each other, and for ever in a forked child.
        with import_module(".once", __name__).making:
            if name in _HOME:
                value = getattr(import_module(f".{_HOME[name]}", __name__), name)
            elif name in _NAMESPACES:
                value = import_module(f".{name}", __name__)
            else:
                raise _absent(name)
            globals()[name] = value
            return value

    def __dir__() -> list[str]:
        return sorted((*__all__, *_NAMESPACES))

    def _absent(name: str) -> Exception:
        """The error for a name that is not here: where it is now, or a near one."""
        from .errors import suggestion
        from .moved_names import MOVED

        if name not in MOVED:
            here = "" if name.startswith("_") else _called(name)
            hint = f"; use {here}" if here else suggestion(name, __dir__())
            # With a name of its own Python adds no suggestion to this one.
            return AttributeError(f"module 'polhode' has no attribute '{name}'{hint}", name=name)
        text = f"polhode.{name} is polhode.{MOVED[name]}.{name} now"
        # An import statement replaces an AttributeError by one that does not say this.
        is_import = sys._getframe(2).f_code.co_name == "_handle_fromlist"
        return ImportError(text, name=__name__) if is_import else AttributeError(text)

    def _called(name: str) -> str:
        """What a name of another library is here: ours, and those of namespaces that have it."""
        from .namespaces import homes
        from .other_names import FUNCTIONS, meaning

        ours = meaning(name, FUNCTIONS)
        found = [ours] * bool(ours) + [f"{home}.{name}" for home in homes(name)]
        return " or ".join(f"polhode.{each}" for each in found)
