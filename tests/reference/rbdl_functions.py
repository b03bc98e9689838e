"""RBDL's functions of a state, expressed in polhode's."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import polhode as ph
from polhode import algorithms
from polhode.model import FloatingBase, Model
from reference.cases import array

Answer = Any
STILL = np.zeros(3)


def _q(state: dict) -> np.ndarray:
    return array(state["q"])


def _qd(state: dict) -> np.ndarray:
    return array(state["qdot"])


def _qdd(state: dict) -> np.ndarray:
    return array(state["qddot"])


def _tau(state: dict) -> np.ndarray:
    return array(state["tau"])


def _f_ext(state: dict) -> np.ndarray:
    """RBDL's list has an entry for the base."""
    return array(state["f_ext"])[1:].reshape(-1, 6)


def inverse_dynamics(model: Model, state: dict) -> Answer:
    return ph.inverse_dynamics(model, _q(state), _qd(state), _qdd(state))


def inverse_dynamics_f_ext(model: Model, state: dict) -> Answer:
    return ph.inverse_dynamics(model, _q(state), _qd(state), _qdd(state), _f_ext(state))


def inverse_dynamics_zero(model: Model, state: dict) -> Answer:
    return ph.inverse_dynamics(model, _q(state), _qd(state), 0.0 * _qdd(state))


def bias(model: Model, state: dict) -> Answer:
    return ph.bias_forces(model, _q(state), _qd(state))


def bias_f_ext(model: Model, state: dict) -> Answer:
    return ph.bias_forces(model, _q(state), _qd(state), _f_ext(state))


def forward_dynamics(method: str, with_forces: bool) -> Callable[[Model, dict], Answer]:
    def compute(model: Model, state: dict) -> Answer:
        f_ext = _f_ext(state) if with_forces else None
        return ph.forward_dynamics(model, _q(state), _qd(state), _tau(state), f_ext, method=method)

    return compute


def solve_mass_matrix(model: Model, state: dict) -> Answer:
    return ph.solve_mass_matrix(model, _q(state), _tau(state))


def mass_matrix(model: Model, state: dict) -> Answer:
    return ph.mass_matrix(model, _q(state))


def update_kinematics(model: Model, state: dict) -> Answer:
    """Velocities, accelerations and frames of all bodies, the base among them."""
    q, qd, qdd = _q(state), _qd(state), _qdd(state)
    poses = np.concatenate([np.eye(4)[None], ph.body_poses(model, q)])
    v, a = np.zeros((2, model.n_bodies + 1, 6))
    v[1:], a[1:] = spatial_motions(model, q, qd, qdd)
    E, r = np.swapaxes(poses[:, :3, :3], 1, 2), poses[:, :3, 3]
    p = np.maximum(np.array(model.parent), 0)
    in_parent = np.einsum("bij,bj->bi", E[p], r - r[p])
    relative = E @ np.swapaxes(E[p], 1, 2)
    return {
        "v": v,
        "a": a,
        "X_base": [{"E": E[i], "r": r[i]} for i in range(len(E))],
        "X_lambda": [
            {"E": relative[i], "r": in_parent[i]} if i else {"E": np.eye(3), "r": STILL}
            for i in range(len(E))
        ],
    }


def spatial_motions(
    model: Model, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Spatial velocity and acceleration of each moving body, in its own coordinates."""
    return body_accelerations(model)(q, qd, qdd)


@cache
def body_accelerations(model: Model) -> ph.Program:
    return ph.compile(algorithms.body_accelerations, model)


def rotation(model: Model, q: np.ndarray, body: int) -> np.ndarray:
    """Columns: the body's axes in base coordinates."""
    frame = model.body(body)
    carrier = ph.body_poses(model, q)[frame.moving - 1, :3, :3] if frame.moving else np.eye(3)
    return carrier @ np.array(frame.frame.E.rows()).T


def center_of_mass(model: Model, state: dict) -> Answer:
    """Angular momentum is about the centre of mass; its rate is the moment of all forces."""
    q, qd, qdd = _q(state), _qd(state), _qdd(state)
    mass = sum(body.mass for body in model.bodies)
    center, velocity = (
        ph.center_of_mass(model, q),
        ph.kinematics.center_of_mass_velocity(model, q, qd),
    )
    h, rate = ph.momentum(model, q, qd), momentum_rate(model, q, qd, qdd)
    return {
        "mass": mass,
        "com": center,
        "com_velocity": velocity,
        "com_acceleration": rate[3:] / mass,
        "angular_momentum": h[:3] - np.cross(center, h[3:]),
        "change_of_angular_momentum": rate[:3] - np.cross(center, rate[3:]),
    }


def momentum_rate(model: Model, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Moment about the base origin, and force, that a base without weight has to supply."""
    carried = on_free_root(model)
    whole = ph.neutral(carried)
    whole[6 : 6 + model.nv] = q[: model.nv]
    whole[len(whole) - (model.nq - model.nv) :] = q[model.nv :]
    still = np.zeros(6)
    tau = ph.inverse_dynamics(
        carried, whole, np.concatenate([still, qd]), np.concatenate([still, qdd])
    )
    return np.concatenate([tau[3:6], tau[:3]])


@cache
def on_free_root(model: Model) -> Model:
    """The model carried by a free body without weight or gravity."""
    root = Model("root", gravity=(0.0, 0.0, 0.0)).add("root", joint=FloatingBase())
    return root.attach(model, to="root", prefix="its ")


def kinetic_energy(model: Model, state: dict) -> Answer:
    return ph.energy(model, _q(state), _qd(state)).kinetic


def potential_energy(model: Model, state: dict) -> Answer:
    return ph.energy(model, _q(state), _qd(state)).potential


def zero_moment_point(model: Model, state: dict) -> Answer:
    normal = state["CalcZeroMomentPoint"]["normal"]
    point = ph.zero_moment_point(model, _q(state), _qd(state), _qdd(state), normal=normal)
    return {"normal": normal, "zmp": point}


STATE_FUNCTIONS: dict[str, Callable[[Model, dict], Answer]] = {
    "UpdateKinematics": update_kinematics,
    "InverseDynamics": inverse_dynamics,
    "InverseDynamics_fext": inverse_dynamics_f_ext,
    "InverseDynamics_zero_qddot": inverse_dynamics_zero,
    "NonlinearEffects": bias,
    "NonlinearEffects_fext": bias_f_ext,
    "CompositeRigidBodyAlgorithm": mass_matrix,
    "ForwardDynamics": forward_dynamics("aba", with_forces=False),
    "ForwardDynamics_fext": forward_dynamics("aba", with_forces=True),
    "ForwardDynamicsLagrangian": forward_dynamics("crba", with_forces=False),
    "ForwardDynamicsLagrangian_fext": forward_dynamics("crba", with_forces=True),
    "CalcMInvTimesTau": solve_mass_matrix,
    "CalcCenterOfMass": center_of_mass,
    "CalcKineticEnergy": kinetic_energy,
    "CalcPotentialEnergy": potential_energy,
    "CalcZeroMomentPoint": zero_moment_point,
}


def to_base(model: Model, state: dict, body: int, point: dict) -> Answer:
    return ph.point_position(model, _q(state), body, point["point"])


def to_body(model: Model, state: dict, body: int, point: dict) -> Answer:
    q = _q(state)
    origin = ph.point_position(model, q, body, STILL)
    return rotation(model, q, body).T @ (array(point["base_point"]) - origin)


def world_orientation(model: Model, state: dict, body: int, point: dict) -> Answer:
    return rotation(model, _q(state), body).T


def velocity_6d(model: Model, state: dict, body: int, point: dict) -> Answer:
    return ph.frame_jacobian(model, _q(state), body, point["point"]) @ _qd(state)


def velocity(model: Model, state: dict, body: int, point: dict) -> Answer:
    return ph.point_velocity(model, _q(state), _qd(state), body, point["point"])


def acceleration(model: Model, state: dict, body: int, point: dict) -> Answer:
    return ph.point_acceleration(model, _q(state), _qd(state), _qdd(state), body, point["point"])


def acceleration_6d(model: Model, state: dict, body: int, point: dict) -> Answer:
    q, qd, qdd = _q(state), _qd(state), _qdd(state)
    moving = model.body(body).moving
    angular = np.zeros(3)
    if moving:
        _, a = spatial_motions(model, q, qd, qdd)
        angular = rotation(model, q, moving) @ a[moving - 1, :3]
    return np.concatenate([angular, acceleration(model, state, body, point)])


POINT_FUNCTIONS: dict[str, Callable[[Model, dict, int, dict], Answer]] = {
    "CalcBodyToBaseCoordinates": to_base,
    "CalcBaseToBodyCoordinates": to_body,
    "CalcBodyWorldOrientation": world_orientation,
    "CalcPointJacobian": lambda model, state, body, point: ph.point_jacobian(
        model, _q(state), body, point["point"]
    ),
    "CalcPointJacobian6D": lambda model, state, body, point: ph.frame_jacobian(
        model, _q(state), body, point["point"]
    ),
    "CalcBodySpatialJacobian": lambda model, state, body, point: ph.body_jacobian(
        model, _q(state), body
    ),
    "CalcPointVelocity": velocity,
    "CalcPointVelocity6D": velocity_6d,
    "CalcPointAcceleration": acceleration,
    "CalcPointAcceleration6D": acceleration_6d,
}
