"""A good call of each public function, method and constructor, and what its parameters are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import polhode as ph
from polhode.model import Anchor, Box, Mimic, Plane, Revolute, Sphere, Spherical
from polhode.scene import Keyframe
from polhode.spatial import Transform

ARRAY, NUMBER, COUNT, FLAG, TEXT, BODY, OUT, MASK, FUNCTION, ANYTHING, OTHER = (
    "array", "number", "count", "flag", "text", "body", "out", "mask", "function", "anything",
    "other",
)  # fmt: skip

ROD: dict[str, Any] = {"mass": 1.0, "com": (0.1, 0.0, -0.3), "inertia": (0.1, 0.1, 0.01)}
MODEL = (
    ph.Model("arm")
    .append("link", joint=Revolute.y(), **ROD)
    .append("wrist", joint=Spherical(), **ROD)
    .append("hand", joint=Revolute.x(), **ROD)
)
DRIVEN = (
    MODEL.add_tendon("line", [Anchor(None, (0.1, 0.2, 0.3)), Anchor("hand", (0.1, 0.0, 0.2))])
    .add_motor("motor", joint="link", gear=2.0)
    .add_position_servo("servo", tendon="line", kp=3.0, time_constant=0.1)
)
AFLOAT = ph.Model("ship").append("hull", **ROD).append("mast", joint=Revolute.y(), **ROD).float()
Q = np.array([0.3, 0.1, 0.7, 0.1, 0.4, 0.7])
QD, QDD, TAU = np.linspace(-1.0, 1.0, 15).reshape(3, 5)
F_EXT = np.full((3, 6), 0.1)
POINT = np.array([0.1, 0.2, 0.3])
X = np.array([1.0, 0, 0, 0, 0, 0, 0.5, 0.1, 0.2, 0.3, 0, 0, 0])
ONE = np.array([0.2])
CONTACT = ph.constraints.ConstraintSet(MODEL).contact("hand", (0.0, 0.0, 1.0), (0.0, 0.0, 1.0))
MASS = ["mass"]

ROLES = {
    "q": ARRAY, "qd": ARRAY, "qdd": ARRAY, "tau": ARRAY, "q0": ARRAY, "q1": ARRAY, "v": ARRAY,
    "f_ext": ARRAY, "point": ARRAY, "normal": ARRAY, "x": ARRAY, "quaternion": ARRAY, "pi": ARRAY,
    "regressor": ARRAY, "weight": ARRAY, "weights": ARRAY, "weight_q": ARRAY,
    "weight_qd": ARRAY, "force": ARRAY, "v_plus": ARRAY,
    "position": ARRAY, "velocity": ARRAY, "yielded": ARRAY, "stiffness": ARRAY, "damping": ARRAY,
    "friction": ARRAY, "rotation": ARRAY, "height": ARRAY, "pose_a": ARRAY, "pose_b": ARRAY,
    "controls": ARRAY, "activation": ARRAY, "gravity": ARRAY, "com": ARRAY, "inertia": ARRAY,
    "spin": ARRAY, "axis": ARRAY, "size": ARRAY, "first": ARRAY, "second": ARRAY, "vertices": ARRAY,
    "rows": ARRAY, "heights": ARRAY, "scale": ARRAY,
    "dt": NUMBER, "tolerance": NUMBER, "step_tolerance": NUMBER, "rtol": NUMBER, "atol": NUMBER,
    "mass": NUMBER, "density": NUMBER, "margin": NUMBER, "radius": NUMBER, "length": NUMBER,
    "duration": NUMBER, "record": NUMBER, "pitch": NUMBER, "end": NUMBER, "h": NUMBER, "t": NUMBER,
    "rotor_inertia": NUMBER, "gear_ratio": NUMBER,
    "ratio": NUMBER, "normal_acceleration": NUMBER, "stabilization": NUMBER, "lower": NUMBER,
    "upper": NUMBER, "effort": NUMBER, "lower_effort": NUMBER, "multiplier": NUMBER,
    "offset": NUMBER, "period": NUMBER,
    "major_radius": NUMBER, "minor_radius": NUMBER, "viscosity": NUMBER, "blunt_drag": NUMBER,
    "slender_drag": NUMBER, "angular_drag": NUMBER, "kutta_lift": NUMBER, "magnus_lift": NUMBER,
    "wind": ARRAY, "semi_axes": ARRAY, "added_mass": ARRAY, "added_inertia": ARRAY,
    "steps": COUNT, "record_every": COUNT, "max_iterations": COUNT, "n": COUNT, "n_rows": COUNT,
    "limits": FLAG, "relaxed": FLAG, "in_base_axes": FLAG, "tangent": FLAG, "with_value": FLAG,
    "method": TEXT, "name": TEXT, "joint_name": TEXT, "prefix": TEXT, "parent": TEXT,
    "function": FUNCTION, "gamma": FUNCTION, "controller": FUNCTION, "build": FUNCTION,
    "language": TEXT, "dtype": TEXT, "lanes": COUNT, "body": BODY, "out": OUT,
    "forward": MASK, "actuated": MASK,
}  # fmt: skip
"""What a parameter of this name is; OTHER if it is not here, so that all kinds are refused."""

# ANYTHING: values are handed on as they are, traced ones too; only errors are judged.

OWN_ROLES = {
    ("polhode.constraints.ConstraintSet.contact", "ground"): ARRAY,
    ("polhode.constraints.ConstraintSet.loop", "predecessor"): BODY,
    ("polhode.constraints.ConstraintSet.loop", "successor"): BODY,
    ("polhode.Camera", "body"): ANYTHING,
    ("polhode.contact.ray_cast", "pose"): ARRAY,
    ("polhode.contact.ray_cast", "origin"): ARRAY,
    ("polhode.contact.ray_cast", "direction"): ARRAY,
    ("polhode.Camera", "direction"): ARRAY,
    ("polhode.Camera", "locus"): ARRAY,
    ("polhode.Camera", "trackpoint"): ARRAY,
    ("polhode.Camera", "up"): ARRAY,
    ("polhode.Camera", "zoom"): NUMBER,
    ("polhode.kinematics.Targets.pose", "pose"): ARRAY,
    ("polhode.random_configuration", "size"): COUNT,
    ("polhode.random_configuration", "rng"): COUNT,
    ("polhode.contact.compliant_ground", "stiffness"): NUMBER,
    ("polhode.contact.compliant_ground", "damping"): NUMBER,
    ("polhode.contact.compliant_ground", "friction"): NUMBER,
    ("polhode.integrate", "dt"): ARRAY,
    ("polhode.simulate", "seed"): COUNT,
    ("polhode.simulate", "qd0"): ARRAY,
    ("polhode.Simulator", "seed"): COUNT,
    ("polhode.Simulator", "max_mini_steps"): COUNT,
    ("polhode.Simulator.push", "wrench"): ARRAY,
    ("polhode.Scene.at", "time"): NUMBER,
    ("polhode.Scene.contact", "a"): TEXT,
    ("polhode.Scene.contact", "b"): TEXT,
    ("polhode.Scene.add_spring", "stiffness"): NUMBER,
    ("polhode.Scene.add_spring", "damping"): NUMBER,
    ("polhode.Scene.add_spring", "rest_length"): NUMBER,
    ("polhode.Scene.add_spring", "point_a"): ARRAY,
    ("polhode.Scene.add_spring", "point_b"): ARRAY,
    ("polhode.Scene.add_sensor", "kind"): TEXT,
    ("polhode.Scene.add_sensor", "cutoff"): NUMBER,
    ("polhode.Scene.add_sensor", "noise"): NUMBER,
    ("polhode.Scene.add_sensor", "delay"): NUMBER,
    ("polhode.Scene.add_sensor", "magnetic_field"): ARRAY,
    ("polhode.sensors", "time"): ARRAY,
    ("polhode.Scene.add_damper", "damping"): NUMBER,
    ("polhode.Scene.add_damper", "point_a"): ARRAY,
    ("polhode.Scene.add_damper", "point_b"): ARRAY,
    ("polhode.Scene.add_geometry", "is_compliant"): FLAG,
    ("polhode.model.Limits", "velocity"): NUMBER,
    ("polhode.passive_forces", "friction_speed"): NUMBER,
    ("polhode.model.JointDynamics", "damping"): NUMBER,
    ("polhode.model.JointDynamics", "friction"): NUMBER,
    ("polhode.model.JointDynamics", "armature"): NUMBER,
    ("polhode.model.JointDynamics", "stiffness"): NUMBER,
    ("polhode.model.JointDynamics", "rest"): NUMBER,
    ("polhode.Model.with_joint_dynamics", "damping"): NUMBER,
    ("polhode.Model.with_joint_dynamics", "friction"): NUMBER,
    ("polhode.Model.with_joint_dynamics", "stiffness"): NUMBER,
    ("polhode.Model.with_joint_dynamics", "rest"): NUMBER,
    ("polhode.model.Mimic", "joint"): TEXT,
    ("polhode.model.Mimic", "coupled"): FLAG,
    ("polhode.model.TriangleMesh", "faces"): COUNT,
    ("polhode.inverse_kinematics", "damping"): NUMBER,
    ("polhode.identification.parameters_of", "names"): TEXT,
    ("polhode.compile", "parameters"): TEXT,
    ("polhode.compile", "optional"): TEXT,
    ("polhode.Program.jacobian", "wrt"): TEXT,
    ("polhode.Program.jvp", "wrt"): TEXT,
    ("polhode.Program.vjp", "wrt"): TEXT,
    ("polhode.Program.hessian", "wrt"): TEXT,
    ("polhode.Program.hessian", "also"): TEXT,
    ("polhode.Program.sparsity", "wrt"): TEXT,
    ("polhode.Model", "base"): TEXT,
    ("polhode.Model.split_q", "q"): ANYTHING,
    ("polhode.Model.split_v", "v"): ANYTHING,
    ("polhode.Model.join_q", "per_body"): ANYTHING,
    ("polhode.Model.join_v", "per_body"): ANYTHING,
    ("polhode.Model.sum_forces", "per_body"): ANYTHING,
    ("polhode.sweeps.sample", "seed"): COUNT,
} | {
    (f"polhode.{owner}.add_{kind}", name): role
    for owner in ("Model", "Scene")
    for kinds, roles in (
        (("motor", "position_servo", "velocity_servo", "dc_motor", "muscle"), {
            "control_range": ARRAY, "force_range": ARRAY, "length_range": ARRAY,
            "time_constants": ARRAY, "gear": NUMBER, "kp": NUMBER, "kv": NUMBER,
            "time_constant": NUMBER, "force": NUMBER, "motor_constant": NUMBER,
            "resistance": NUMBER, "max_torque": NUMBER,
        }),
        (("tendon",), {
            "stiffness": NUMBER, "damping": NUMBER, "friction": NUMBER, "armature": NUMBER,
            "rest": NUMBER, "limits": ARRAY,
        }),
    )
    for kind in kinds
    for name, role in roles.items()
}  # fmt: skip

ALIASES = {
    "wrt": ("inputs",), "also": ("inputs", "wrt"), "names": ("parameters",), "machine": ("model",),
    "joints": ("joint",),
}  # fmt: skip
"""Words that may stand for a parameter in a message, besides its name."""


MAY_BE_NONE = {
    (path, name) for path in ("polhode.contact.distance", "polhode.contact.contacts")
    for name in ("pose_a", "pose_b")
} | {
    (f"polhode.Scene.add_{kind}", name) for kind in ("spring", "damper", "bushing") for name in "ab"
} | {
    ("polhode.Scene.add_geometry", "shape"), ("polhode.Scene.add_sensor", "of"),
    ("polhode.Scene.add_sensor", "zone"), ("polhode.contact.ray_cast", "pose"),
}  # fmt: skip
"""Parameters without a default that take None, as documented."""


@cache
def program() -> Any:
    """A program that was compiled from a user's function."""
    return ph.compile(ph.algorithms.rnea, MODEL)


@cache
def large() -> ph.Model:
    """A model whose matrices are filled column by column."""
    chain = ph.Model("chain")
    for k in range(64):
        chain = chain.append(f"link{k}", joint=Revolute.y(), **ROD)
    return chain


def _outs(*shapes: tuple[int, ...]) -> Callable[[], Any]:
    def make() -> Any:
        arrays = tuple(np.full(shape, 7.0) for shape in shapes)
        return arrays if len(arrays) > 1 else arrays[0]

    return make


def _call(_out: Callable[[], Any] | None = None, **arguments: Any) -> Callable[[], dict[str, Any]]:
    """Fresh arguments of a call: arrays are copied."""

    def make() -> dict[str, Any]:
        given = {
            name: value.copy() if isinstance(value, np.ndarray) else value
            for name, value in arguments.items()
        }
        return given if _out is None else {**given, "out": _out()}

    return make


_STATE = {"model": MODEL, "q": Q, "qd": QD}
_DRIVEN = {"model": DRIVEN, "q": Q, "qd": QD, "controls": np.array([0.3, 0.7]),
           "activation": ONE}  # fmt: skip
_AT_POINT = {"model": MODEL, "q": Q, "body": "hand", "point": POINT}
_MOVING_POINT = _STATE | {"body": "hand", "point": POINT}
_AFLOAT = {"model": AFLOAT, "x": X, "q": ONE, "qd": ONE}
_SET = {"model": MODEL, "constraints": CONTACT, "q": Q, "qd": QD}
_SHAPES = {
    "shape_a": Sphere(0.5), "pose_a": np.eye(4), "shape_b": Box((1, 1, 1)), "pose_b": np.eye(4),
}  # fmt: skip
_SQUARE, _CUBE = (5, 5), (5, 5, 5)


def _gamma(q: Any, qd: Any) -> Any:
    G = [[1.0 if i == j else 0.0 for j in range(5)] for i in range(5)]
    return q, qd, G, [0.0] * 5


GOOD: dict[str, Callable[[], dict[str, Any]]] = {
    "polhode.inverse_dynamics": _call(_outs((5,)), **_STATE, qdd=QDD, f_ext=F_EXT),
    "polhode.forward_dynamics": _call(_outs((5,)), **_STATE, tau=TAU, f_ext=F_EXT, method="aba"),
    "polhode.hybrid_dynamics": _call(
        _outs((5,), (5,)), **_STATE, qdd=QDD, tau=TAU, forward=[True, False, True, True, False],
        f_ext=F_EXT,
    ),
    "polhode.mass_matrix": _call(_outs(_SQUARE), model=MODEL, q=Q),
    "polhode.inverse_mass_matrix": _call(_outs(_SQUARE), model=MODEL, q=Q),
    "polhode.solve_mass_matrix": _call(_outs((5,)), model=MODEL, q=Q, tau=TAU),
    "polhode.bias_forces": _call(_outs((5,)), **_STATE, f_ext=F_EXT),
    "polhode.coriolis_matrix": _call(_outs(_SQUARE), **_STATE),
    "polhode.gravity_forces": _call(_outs((5,)), model=MODEL, q=Q),
    "polhode.energy": _call(_outs((), ()), **_STATE),
    "polhode.passive_forces": _call(_outs((5,)), **_STATE, friction_speed=0.1),
    "polhode.actuator_forces": _call(_outs((5,)), **_DRIVEN),
    "polhode.actuation.fluid_forces": _call(
        _outs((5,)), **_STATE | {"model": MODEL.with_fluid(1.2, 0.1, (1.0, 2.0, 3.0))}
    ),
    "polhode.actuation.actuator_values": _call(_outs((2,), (2,), (2,)), **_DRIVEN),
    "polhode.actuation.activation_rates": _call(_outs((1,)), **_DRIVEN),
    "polhode.actuation.next_activation": _call(_outs((1,)), **_DRIVEN, dt=0.01),
    "polhode.actuation.tendon_lengths": _call(_outs((1,)), model=DRIVEN, q=Q),
    "polhode.actuation.tendon_jacobian": _call(_outs((1, 5)), model=DRIVEN, q=Q),
    "polhode.momentum": _call(_outs((6,)), **_STATE),
    "polhode.center_of_mass": _call(_outs((3,)), model=MODEL, q=Q),
    "polhode.kinematics.center_of_mass_velocity": _call(_outs((3,)), **_STATE),
    "polhode.zero_moment_point": _call(
        _outs((3,)), **_STATE, qdd=QDD, point=POINT, normal=np.array([0.0, 0.0, 1.0])
    ),
    "polhode.body_poses": _call(_outs((3, 4, 4)), model=MODEL, q=Q),
    "polhode.body_pose": _call(_outs((4, 4)), model=MODEL, q=Q, body="hand"),
    "polhode.point_position": _call(_outs((3,)), **_AT_POINT),
    "polhode.point_velocity": _call(_outs((3,)), **_MOVING_POINT),
    "polhode.point_acceleration": _call(_outs((3,)), **_MOVING_POINT, qdd=QDD),
    "polhode.body_jacobian": _call(_outs((6, 5)), model=MODEL, q=Q, body="hand"),
    "polhode.frame_jacobian": _call(_outs((6, 5)), **_AT_POINT),
    "polhode.point_jacobian": _call(_outs((3, 5)), **_AT_POINT),
    "polhode.derivatives.body_jacobian_derivative": _call(_outs((6, 5)), **_STATE, body="hand"),
    "polhode.derivatives.frame_jacobian_derivative": _call(_outs((6, 5)), **_MOVING_POINT),
    "polhode.derivatives.point_jacobian_derivative": _call(_outs((3, 5)), **_MOVING_POINT),
    "polhode.derivatives.frame_hessian": _call(_outs((6, 5, 5)), **_AT_POINT),
    "polhode.derivatives.point_hessian": _call(_outs((3, 5, 5)), **_AT_POINT),
    "polhode.kinematics.center_of_mass_jacobian": _call(_outs((3, 5)), model=MODEL, q=Q),
    "polhode.kinematics.centroidal_momentum_matrix": _call(_outs((6, 5)), model=MODEL, q=Q),
    "polhode.derivatives.energy_derivatives": _call(_outs((5,), (5,), (5,)), **_STATE),
    "polhode.derivatives.momentum_derivatives": _call(_outs((6, 5), (6, 5)), **_STATE),
    "polhode.inverse_dynamics_derivatives": _call(
        _outs(_SQUARE, _SQUARE, _SQUARE), **_STATE, qdd=QDD, f_ext=F_EXT
    ),
    "polhode.forward_dynamics_derivatives": _call(
        _outs(_SQUARE, _SQUARE, _SQUARE), **_STATE, tau=TAU, f_ext=F_EXT
    ),
    "polhode.derivatives.inverse_dynamics_second_derivatives": _call(
        _outs(_CUBE, _CUBE, _CUBE, _CUBE), **_STATE, qdd=QDD, f_ext=F_EXT
    ),
    "polhode.derivatives.forward_dynamics_second_derivatives": _call(
        _outs(_CUBE, _CUBE, _CUBE, _CUBE), **_STATE, tau=TAU, f_ext=F_EXT
    ),
    "polhode.identification.inverse_dynamics_regressor": _call(_outs((5, 30)), **_STATE, qdd=QDD),
    "polhode.integrate": _call(_outs((6,)), model=MODEL, q=Q, v=QD, dt=0.1),
    "polhode.difference": _call(_outs((5,)), model=MODEL, q0=Q, q1=Q),
    "polhode.neutral": _call(model=MODEL),
    "polhode.random_configuration": _call(model=MODEL, rng=1, size=2),
    "polhode.get_quaternion": _call(model=MODEL, q=Q, body="wrist"),
    "polhode.set_quaternion": _call(
        model=MODEL, q=Q, body="wrist", quaternion=np.array([0.9, 0.1, 0.2, 0.3])
    ),
    "polhode.floating_base.floating_base_dynamics": _call(
        _outs((13,), (1,)), **_AFLOAT, tau=ONE, f_ext=np.zeros((3, 6))
    ),
    "polhode.floating_base.floating_base_inverse_dynamics": _call(
        _outs((13,), (1,)), **_AFLOAT, qdd=ONE, f_ext=np.zeros((3, 6))
    ),
    "polhode.floating_base.floating_base_state": _call(_outs((8,), (7,)), **_AFLOAT),
    "polhode.floating_base.total_inertia": _call(_outs((6, 6)), model=MODEL, q=Q),
    "polhode.contact.ground_contact_force": _call(
        stiffness=1e4, damping=1e2, friction=0.5, position=np.array([0.0, 0.0, -0.01]),
        velocity=np.array([0.1, 0.0, 0.0]), yielded=np.array([0.0, 0.0]),
    ),
    "polhode.contact.compliant_ground": _call(
        stiffness=1e4, damping=1e2, friction=0.5, model=MODEL, points=[("hand", (0, 0, 1))]
    ),
    "polhode.identification.inertial_parameters": _call(model=MODEL),
    "polhode.identification.with_inertial_parameters": _call(
        model=MODEL, pi=np.asarray(ph.identification.inertial_parameters(MODEL))
    ),
    "polhode.identification.parameters_of": _call(model=MODEL, names=MASS),
    "polhode.identification.with_parameters": _call(
        model=MODEL, parameters={"mass": [1.0, 0.5, 2.0]}
    ),
    "polhode.identification.base_parameters": _call(
        model=MODEL, regressor=np.ones((4, 30)), tolerance=1e-9
    ),
    "polhode.identification.identify": _call(
        model=ph.Model("rod").append("rod", joint=Revolute.y(), **ROD),
        q=np.linspace(0, 3, 9)[:, None], qd=np.linspace(0, 1, 9)[:, None] ** 2,
        qdd=np.linspace(0, 1, 9)[:, None] ** 3, tau=np.ones((9, 1)), base=None,
    ),
    "polhode.constraints.explicit_state": _call(model=MODEL, gamma=_gamma, q=Q, qd=QD),
    "polhode.constraints.explicit_dynamics": _call(
        _outs((5,)), **_STATE, gamma=_gamma, tau=TAU, f_ext=F_EXT
    ),
    "polhode.rollout": _call(
        model=MODEL, ground=None, q=Q, qd=QD, steps=3, dt=0.01, u=None, tau=TAU, controls=None,
        integrator="rk4", record_every=1,
    ),
    "polhode.compile_step": _call(
        scene=ph.Scene.of(MODEL), dt=0.01, parameters=["mass"], joint_forces="all"
    ),
    "polhode.simulation.CompiledStep.parameter_derivatives": _call(
        self=ph.compile_step(MODEL, parameters=["mass"]), q=Q, qd=QD, controls=None, tau=TAU,
        activation=None, parameters={"mass": np.ones(MODEL.n_bodies)},
    ),
    "polhode.simulation.CompiledStep.derivatives": _call(
        self=ph.compile_step(MODEL), q=Q, qd=QD, controls=None, tau=TAU, activation=None,
        parameters=None,
    ),
    "polhode.simulation.CompiledStep.margin": _call(
        self=ph.compile_step(MODEL), q=Q, qd=QD, controls=None, tau=TAU, activation=None,
        parameters=None,
    ),
    "polhode.simulation.CompiledStep.vjp": _call(
        self=ph.compile_step(MODEL, parameters=["mass"]), q=Q, qd=QD, controls=None, tau=TAU,
        activation=None, parameters={"mass": np.ones(MODEL.n_bodies)}, weight_q=QD, weight_qd=QD,
        weight_activation=None, by=["mass"],
    ),
    "polhode.compile": _call(
        function=ph.algorithms.rnea, model=MODEL, parameters=MASS, shapes={}, optional=()
    ),
    "polhode.Program.jacobian": lambda: {"self": program(), "wrt": "q", "tangent": False,
                                         "with_value": False},
    "polhode.Program.jvp": lambda: {"self": program(), "wrt": "q", "tangent": False,
                                    "with_value": False},
    "polhode.Program.vjp": lambda: {"self": program(), "wrt": "q", "tangent": False,
                                    "with_value": False},
    "polhode.Program.hessian": lambda: {"self": program(), "wrt": "q", "also": "qd",
                                        "tangent": False, "with_value": False},
    "polhode.Program.sparsity": lambda: {"self": program(), "wrt": "q"},
    "polhode.Model.body": _call(self=MODEL, body="hand"),
    "polhode.constrained_dynamics": _call(
        _outs((5,), (1,)), **_SET, tau=TAU, f_ext=F_EXT, method="range_space"
    ),
    "polhode.derivatives.constrained_dynamics_derivatives": _call(**_SET, tau=TAU, f_ext=F_EXT),
    "polhode.constraints.constrained_inverse_dynamics": _call(
        **_SET, qdd=QDD, actuated=[True] * 4 + [False], f_ext=F_EXT, relaxed=False
    ),
    "polhode.constraints.joint_reactions": _call(
        _outs((3, 6)), **_SET, qdd=QDD, force=ONE, f_ext=F_EXT
    ),
    "polhode.constraints.constrained_system": _call(**_SET, f_ext=F_EXT),
    "polhode.constraints.constraint_errors": _call(**_SET),
    "polhode.constraints.constraint_forces": _call(
        model=MODEL, constraints=CONTACT, q=Q, force=ONE, in_base_axes=False
    ),
    "polhode.constraint_impulses": _call(
        _outs((5,), (1,)), **_SET, v_plus=ONE, method="range_space"
    ),
    "polhode.derivatives.constraint_impulses_derivatives": _call(**_SET, v_plus=ONE),
    "polhode.constraints.constraint_jacobian": _call(
        _outs((1, 5)), model=MODEL, constraints=CONTACT, q=Q
    ),
    "polhode.constraints.constraint_report": _call(model=MODEL, constraints=CONTACT, q=Q),
    "polhode.constraints.is_fully_actuated": _call(
        model=MODEL, constraints=CONTACT, q=Q, actuated=[True] * 4 + [False]
    ),
    "polhode.assemble": _call(
        **_SET, weights=np.ones(5), tolerance=1e-12, max_iterations=5
    ),
    "polhode.constraints.ConstraintSet": _call(model=MODEL, constraints=()),
    "polhode.constraints.ConstraintSet.contact": _call(
        self=ph.constraints.ConstraintSet(MODEL), body="hand", point=(0.0, 0.0, 1.0),
        normal=(0.0, 0.0, 1.0), name="", normal_acceleration=0.0, ground=None, stabilization=None,
    ),
    "polhode.inverse_kinematics": lambda: {
        "model": MODEL,
        "targets": ph.kinematics.Targets(MODEL).point("hand", (0, 0, 0), (0.1, 0.1, 0.3)),
        "q0": Q.copy(), "method": "adaptive", "damping": None, "tolerance": 1e-6,
        "step_tolerance": 1e-6, "max_iterations": 3, "limits": False,
    },
    "polhode.kinematics.Targets.point": lambda: {
        "self": ph.kinematics.Targets(MODEL), "body": "hand", "point": POINT.copy(),
        "position": POINT.copy(), "weight": 1.0,
    },
    "polhode.kinematics.Targets.point_xy": lambda: {
        "self": ph.kinematics.Targets(MODEL), "body": "hand", "point": POINT.copy(),
        "position": POINT[:2].copy(), "weight": 1.0,
    },
    "polhode.kinematics.Targets.point_z": lambda: {
        "self": ph.kinematics.Targets(MODEL), "body": "hand", "point": POINT.copy(), "height": 0.5,
        "weight": 1.0,
    },
    "polhode.kinematics.Targets.com_xy": lambda: {
        "self": ph.kinematics.Targets(MODEL), "position": POINT[:2].copy(), "weight": 1.0,
    },
    "polhode.kinematics.Targets.orientation": lambda: {
        "self": ph.kinematics.Targets(MODEL), "body": "hand", "rotation": np.eye(3), "weight": 1.0,
    },
    "polhode.kinematics.Targets.pose": lambda: {
        "self": ph.kinematics.Targets(MODEL), "body": "hand", "pose": np.eye(4), "weight": 1.0,
    },
    "polhode.kinematics.Targets.full": lambda: {
        "self": ph.kinematics.Targets(MODEL), "body": "hand", "point": POINT.copy(),
        "position": POINT.copy(), "rotation": np.eye(3), "weight": 1.0,
    },
    "polhode.contact.distance": _call(**_SHAPES),
    "polhode.contact.contacts": _call(**_SHAPES, margin=0.1),
    "polhode.contact.ray_cast": lambda: {
        "shape": Sphere(0.1), "pose": np.eye(4), "origin": np.array([0.0, 0.0, 3.0]),
        "direction": np.array([0.0, 0.1, -2.0]),
    },
    "polhode.Model": _call(name="m", links=(), gravity=(0.0, 0.0, -9.81), base="ROOT"),
    "polhode.Model.add": _call(
        self=ph.Model("m").add("trunk"), name="arm", joint=Revolute.y(), parent="trunk",
        mass=1.0, com=np.array([0.1, 0.0, 0.0]), inertia=np.array([1.0, 1.0, 1.0]),
        joint_name="shoulder", mimic=Mimic("elbow"),
    ),
    "polhode.Model.attach": _call(self=MODEL, other=ph.Model("x").add("y"), to="hand", prefix="a"),
    "polhode.Model.float": _call(self=ph.Model("m").add("trunk"), joint_name="root"),
    "polhode.Model.lock": _call(self=MODEL, positions={"hand": 0.1}),
    "polhode.Model.relation": _call(self=MODEL, joint="hand"),
    "polhode.Model.sum_forces": lambda: {"self": MODEL, "per_body": MODEL.split_v(QD)},
    "polhode.Model.with_joint_dynamics": _call(
        self=MODEL, joint="hand", damping=0.1, friction=0.2, rotor_inertia=1e-4, gear_ratio=50.0,
        stiffness=0.3, rest=0.1,
    ),
    "polhode.Model.with_fluid": _call(
        self=MODEL, density=1.2, viscosity=0.1, wind=POINT, shapes={"hand": []}
    ),
    "polhode.Model.rename": _call(self=MODEL, names={"hand": "fist"}),
    "polhode.Model.split_q": _call(self=MODEL, q=Q),
    "polhode.Model.split_v": _call(self=MODEL, v=QD),
    "polhode.model.Sphere": _call(radius=0.5),
    "polhode.model.Box": _call(size=np.array([1.0, 2.0, 3.0])),
    "polhode.model.Cylinder": _call(radius=0.5, length=1.0),
    "polhode.model.Capsule": _call(radius=0.5, length=1.0),
    "polhode.model.Cone": _call(radius=0.5, length=1.0),
    "polhode.model.Torus": _call(major_radius=0.5, minor_radius=0.1),
    "polhode.model.Polyhedron": _call(vertices=np.eye(4, 3)),
    "polhode.model.Revolute": _call(axis=np.array([0.0, 0.6, 0.8])),
    "polhode.model.Prismatic": _call(axis=np.array([0.0, 0.6, 0.8])),
    "polhode.model.Universal": _call(
        first=np.array([1.0, 0.0, 0.0]), second=np.array([0.0, 1.0, 0.0])
    ),
    "polhode.model.Screw": _call(pitch=0.1),
    "polhode.model.Fluid": _call(density=1.2, viscosity=0.1, wind=POINT),
    "polhode.model.FluidBox": _call(size=POINT),
    "polhode.model.FluidEllipsoid": _call(
        semi_axes=POINT, blunt_drag=0.5, slender_drag=0.25, angular_drag=1.5, kutta_lift=1.0,
        magnus_lift=1.0, added_mass=POINT, added_inertia=POINT,
    ),
    "polhode.model.Limits": _call(lower=-1.0, upper=1.0, velocity=2.0, effort=3.0,
                                  lower_effort=-2.0),
    "polhode.Scene.add_body": lambda: {
        "self": ph.Scene(), "name": "ball", "shape": Sphere(0.1), "mass": 1.0,
        "position": POINT.copy(), "quaternion": np.array([1.0, 0, 0, 0]),
        "velocity": POINT.copy(), "spin": POINT.copy(),
    },
    "polhode.Scene.add_fixed": lambda: {
        "self": ph.Scene(), "name": "floor", "shape": Plane(), "position": POINT.copy(),
        "quaternion": np.array([1.0, 0, 0, 0]), "velocity": POINT.copy(), "spin": POINT.copy(),
    },
    "polhode.Scene.add_machine": lambda: {
        "self": ph.Scene(), "model": MODEL, "name": "arm", "q": Q.copy(), "qd": QD.copy(),
        "joint_settings": (), "geometries": (),
    },
    "polhode.set_num_threads": _call(n=1),
}  # fmt: skip

_SCENE = (
    ph.Scene("yard")
    .add_fixed("floor", Plane())
    .add_body("ball", Sphere(0.1), mass=1.0, position=(0.0, 0.0, 1.0))
    .add_machine(MODEL, "arm")
    .contact()
)

_KEYED = replace(_SCENE, keyframes=(Keyframe("home", {"arm": tuple(_SCENE.machine("arm").q)}),))

_SENSING = (
    ph.Scene.of(MODEL)
    .add_sensor("imu", "accelerometer", ("arm", "hand"))
    .add_sensor("gyro", "gyro", ("arm", "hand"))
)


@cache
def _simulator() -> Any:
    return ph.Simulator(_SCENE, dt=1e-3)


GOOD |= {
    "polhode.Camera": _call(
        body="ball", trackpoint=POINT, direction=POINT, up=(0.0, 0.0, 1.0), zoom=1.0,
        locus=(0.0, 0.0),
    ),
    "polhode.constraints.ConstraintSet.loop": lambda: {
        "self": ph.constraints.ConstraintSet(MODEL), "predecessor": "link", "successor": "hand",
        "X_predecessor": Transform.identity(), "X_successor": Transform.identity(),
        "axis": np.array([0, 0, 0, 0, 0, 1.0]), "name": "loop", "stabilization": None,
    },
    "polhode.constraints.ConstraintSet.custom": lambda: {
        "self": ph.constraints.ConstraintSet(MODEL), "n_rows": 1, "function": lambda q, qd: [q[0]],
        "name": "own", "stabilization": None,
    },
    "polhode.constraints.ConstraintSet.group": _call(
        self=CONTACT, name=CONTACT.constraints[0].name
    ),
    "polhode.Model.append": _call(self=MODEL, name="tool", mass=1.0),
    "polhode.Model.join_q": lambda: {"self": MODEL, "per_body": MODEL.split_q(Q)},
    "polhode.Model.join_v": lambda: {"self": MODEL, "per_body": MODEL.split_v(QD)},
    "polhode.Program": _call(build=lambda x: x, inputs={"x": ()}, name="same"),
    "polhode.Program.source": lambda: {
        "self": program(), "language": "c", "dtype": "float64", "lanes": 1,
    },
    "polhode.Scene.add_gear": lambda: {
        "self": _SCENE, "name": "gear", "a": ("arm", "link"), "b": ("arm", "hand"), "ratio": 2.0,
    },
    "polhode.Scene.add_geometry": lambda: {
        "self": _SCENE, "name": "knob", "body": ("arm", "hand"), "shape": Sphere(0.1),
        "frame": None, "is_compliant": False,
    },
    "polhode.Scene.add_spring": lambda: {
        "self": _SCENE, "name": "spring", "a": ("arm", "hand"), "b": ("ball", "ball"),
        "stiffness": 10.0, "rest_length": 1.0, "damping": 1.0, "point_a": POINT.copy(),
        "point_b": POINT.copy(), "table": (),
    },
    "polhode.Scene.add_damper": lambda: {
        "self": _SCENE, "name": "damper", "a": ("arm", "hand"), "b": ("ball", "ball"),
        "damping": 1.0, "point_a": POINT.copy(), "point_b": POINT.copy(),
    },
    "polhode.Scene.add_bushing": lambda: {
        "self": _SCENE, "name": "bushing", "a": ("arm", "hand"), "b": ("ball", "ball"),
        "stiffness": np.ones(6), "damping": np.ones(6), "frame_a": None, "frame_b": None,
    },
    "polhode.Scene.with_fluid": lambda: {
        "self": _SCENE, "density": 1.2, "viscosity": 0.1, "wind": POINT.copy(),
        "shapes": {("arm", "hand"): []},
    },
    "polhode.Scene.add_sensor": lambda: {
        "self": _SCENE, "name": "touch", "kind": "touch", "of": ("arm", "hand"), "frame": None,
        "cutoff": 1.0, "noise": 0.1, "delay": 0.1, "zone": Sphere(0.1),
        "magnetic_field": POINT.copy(),
    },
    "polhode.sensors": lambda: {
        "scene": _SENSING, "q": Q.copy(), "qd": QD.copy(), "qdd": QDD.copy(), "tau": TAU.copy(),
        "f_ext": F_EXT.copy(), "time": np.array(0.5), "out": np.empty(6),
    },
    "polhode.Scene.at": lambda: {
        "self": _SCENE, "q": np.array(_SCENE.q0), "qd": np.array(_SCENE.qd0), "time": None,
    },
    "polhode.Scene.at_keyframe": _call(self=_KEYED, keyframe="home"),
    "polhode.Scene.contact": _call(self=_SCENE, a="floor", b="ball"),
    "polhode.Scene.contact_parameters": _call(self=_SCENE, a="floor", b="ball"),
    "polhode.Scene.disable": _call(self=_SCENE, a="floor", b="ball"),
    "polhode.Scene.geometry": _call(self=_SCENE, geometry="floor"),
    "polhode.Scene.machine": _call(self=_SCENE, machine="arm"),
    "polhode.Scene.has_rule_of_pair": _call(self=_SCENE, a="floor", b="ball"),
    "polhode.Simulator": _call(
        scene=_SCENE, integrator="event_driven", contact="exact", dt=1e-3, controllers=None,
        forces=None, contact_filter=None, seed=None, max_mini_steps=50, start="check",
        joint_forces="all", rtol=1e-8, atol=1e-10,
    ),
    "polhode.Simulator.step": lambda: {"self": _simulator(), "h": 1e-3},
    "polhode.Simulator.push": lambda: {
        "self": _simulator(), "machine": "ball", "link": "ball", "wrench": np.zeros(6),
    },
    "polhode.Simulator.set_state": lambda: {
        "self": _simulator(), "machine": "arm", "q": Q.copy(), "qd": QD.copy(),
    },
    "polhode.Simulator.state_of": lambda: {"self": _simulator(), "machine": "arm"},
    "polhode.simulate": lambda: {
        "model": ph.Model("rod").append("rod", joint=Revolute.y(), **ROD), "duration": 0.01,
        "q0": ONE.copy(), "qd0": ONE.copy(), "dt": 1e-3, "integrator": "rk4", "f_ext": None,
        "record": 0.005, "seed": 1, "rtol": 1e-8, "atol": 1e-10,
    },
    "polhode.simulation.zero_order_hold": _call(controller=lambda t, state: [0.0], period=0.1),
    "polhode.sweeps.sample": _call(n=2, seed=0),
    "polhode.model.Helical": _call(axis=np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.1])),
    "polhode.model.Euler": _call(order="ZYX"),
    "polhode.model.Axes": _call(rows=np.eye(3, 6)),
    "polhode.model.Heightmap": _call(heights=np.zeros((3, 3)), size=(1.0, 1.0)),
    "polhode.model.TriangleMesh": _call(
        vertices=np.eye(4, 3), faces=((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))
    ),
    "polhode.model.JointDynamics": _call(
        damping=1.0, friction=0.5, armature=0.1, stiffness=2.0, rest=0.3
    ),
    "polhode.model.Mimic": _call(joint="hand", multiplier=1.0, offset=0.0, coupled=False),
    "polhode.model.RigidBody": _call(
        mass=1.0, com=np.zeros(3), inertia=((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0))
    ),
}  # fmt: skip


def _pushed(kind: str, **arguments: Any) -> dict[str, Callable[[], dict[str, Any]]]:
    """A method of models and scenes that adds an actuator at a joint."""
    at = {"name": "push", "joint": "link", "tendon": None, "transmission": None, "gear": 2.0}
    return {
        f"polhode.{owner}.add_{kind}": _call(self=subject, **at, **arguments)
        for owner, subject in (("Model", MODEL), ("Scene", _SCENE))
    }


_RANGES = {"control_range": (-1.0, 1.0), "force_range": (-1.0, 1.0)}
_TENDON = {"name": "sum", "joints": {"link": 1.0, "hand": 2.0}, "stiffness": 1.0, "damping": 1.0,
           "rest": 0.5, "armature": 0.1, "friction": 0.1, "limits": (-1.0, 1.0)}  # fmt: skip
GOOD |= {
    **_pushed("motor", **_RANGES),
    **_pushed("position_servo", kp=2.0, kv=0.5, time_constant=0.1, **_RANGES),
    **_pushed("velocity_servo", kv=0.5, **_RANGES),
    **_pushed("muscle", force=10.0, length_range=(0.5, 1.5), time_constants=(0.01, 0.04)),
    **_pushed("dc_motor", motor_constant=0.1, resistance=2.0, time_constant=0.1, max_torque=5.0,
              control_range=(-1.0, 1.0)),
    "polhode.Model.add_tendon": _call(self=MODEL, **_TENDON),
    "polhode.Scene.add_tendon": _call(self=_SCENE, **_TENDON),
}  # fmt: skip
