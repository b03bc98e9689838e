"""RBDL's kinematics: positions, velocities and accelerations of bodies and points.

With ``update_kinematics=False`` a function takes the positions (velocities, accelerations)
of the last call that updated them, and does not look at ``q`` (``qdot``, ``qddot``).
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import polhode as ph

from ..arrays import Array, ArrayLike, as_array
from ..binding.calls import evaluate
from ..spatial import Mat3, Quaternion
from . import algorithms
from .errors import RBDLDofMismatchError, RBDLInvalidParameterError, RBDLWarning
from .model import Model
from .spelling import spelled
from .vectors import check_output
from .vocabulary import described

_FLOAT = np.dtype(float)


def numbers(values: ArrayLike, name: str) -> Array:
    """A copy: the caller may go on to change what it passed."""
    if type(values) is np.ndarray and values.dtype is _FLOAT:
        return values.copy()
    return np.array(as_array(name, values))


def as_floats(values: ArrayLike, name: str) -> Array:
    """An array of floats, a copy only if it is something else."""
    if type(values) is np.ndarray and values.dtype is _FLOAT:
        return values
    return as_array(name, values)


@spelled()
def UpdateKinematics(model: Model, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike) -> None:
    """Update positions, velocities and accelerations; the base does not accelerate."""
    UpdateKinematicsCustom(model, q, qdot, qddot)


@spelled()
def UpdateKinematicsCustom(
    model: Model,
    q: ArrayLike | None = None, qdot: ArrayLike | None = None, qddot: ArrayLike | None = None,
) -> None:  # fmt: skip
    """Update positions, velocities, or accelerations: those that are not None.

    Velocities and accelerations alone are taken at the positions last updated.
    """
    state = model.state
    if q is not None:
        state.position = sized(q, model.q_size, "q")
    if qdot is not None:
        state.velocity = state.positions(), sized(qdot, model.qdot_size, "qdot")
    if qddot is not None:
        qdd = sized(qddot, model.qdot_size, "qddot")
        still = state.velocity is None
        qd = np.zeros(model.qdot_size) if still else state.velocities()[1]
        state.acceleration = state.positions(), qd, qdd, False


def sized(values: ArrayLike, size: int, name: str) -> Array:
    """One vector as float64, of so many entries."""
    array = numbers(values, name)
    if array.shape != (size,):
        raise RBDLDofMismatchError(f"expected {size} numbers as {name}, got shape {array.shape}")
    return array


def at_position(model: Model, q: ArrayLike, update: bool) -> Array:
    """``q`` as given, noted as the last update; or that of the last update."""
    if not update:
        return model.state.positions()
    position = model.state.position = numbers(q, "q")
    return position


def at_velocity(model: Model, q: ArrayLike, qdot: ArrayLike, update: bool) -> tuple[Array, Array]:
    """``q, qd`` as given, noted as the last update; or those of the last update."""
    state = model.state
    if not update:
        return state.velocities()
    position = state.position = numbers(q, "q")
    state.velocity = both = position, numbers(qdot, "qdot")
    return both


def at_acceleration(
    model: Model, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, update: bool
) -> tuple[Array, Array, Array, bool]:
    """``q, qd, qdd``, and whether the base falls upward: as given, or of the last update."""
    state = model.state
    if not update:
        return state.accelerations()
    position, velocity = at_velocity(model, q, qdot, True)
    state.acceleration = everything = position, velocity, numbers(qddot, "qddot"), False
    return everything


@spelled("point")
def CalcBodyToBaseCoordinates(
    model: Model, q: ArrayLike, body_id: int, body_point_position: ArrayLike,
    update_kinematics: bool = True,
) -> Array:  # fmt: skip
    """A point of a body, in base coordinates."""
    at = at_position(model, q, update_kinematics)
    point = as_floats(body_point_position, "body_point_position")
    return ph.point_position(model.core, at, model.number(body_id), point)


@spelled()
@described(
    "point", body_point_position=("(3,)", "Point in base coordinates [m], for all its name.")
)
def CalcBaseToBodyCoordinates(
    model: Model, q: ArrayLike, body_id: int, body_point_position: ArrayLike,
    update_kinematics: bool = True,
) -> Array:  # fmt: skip
    """A point given in base coordinates, in those of a body."""
    at = at_position(model, q, update_kinematics)
    arguments, body = (
        (at, as_floats(body_point_position, "body_point_position")),
        model.number(body_id),
    )
    return evaluate(algorithms.body_coordinates, model.core, arguments, None, body=body)


@spelled("E")
def CalcBodyWorldOrientation(
    model: Model, q: ArrayLike, body_id: int, update_kinematics: bool = True
) -> Array:
    """The 3x3 rotation from base to body coordinates."""
    at = at_position(model, q, update_kinematics)
    body = model.number(body_id)
    return evaluate(algorithms.body_orientation, model.core, (at,), None, body=body)


@spelled(out="G")
def CalcPointJacobian(
    model: Model, q: ArrayLike, body_id: int, body_point_position: ArrayLike,
    G: Array | None = None, update_kinematics: bool = True,
) -> Array:  # fmt: skip
    """3 x qdot_size: from qdot to the velocity of a point of a body, base axes.

    All of ``G`` is written, zeros too.
    """
    at = at_position(model, q, update_kinematics)
    if G is not None:
        check_output(G, (3, model.dof_count))
    point = as_floats(body_point_position, "body_point_position")
    return ph.point_jacobian(model.core, at, model.number(body_id), point, out=G)


@spelled(out="G")
def CalcPointJacobian6D(
    model: Model, q: ArrayLike, body_id: int, body_point_position: ArrayLike,
    G: Array | None = None, update_kinematics: bool = True,
) -> Array:  # fmt: skip
    """6 x qdot_size: from qdot to angular velocity, and velocity of a point, base axes.

    All of ``G`` is written, zeros too.
    """
    at = at_position(model, q, update_kinematics)
    if G is not None:
        check_output(G, (6, model.dof_count))
    point = as_floats(body_point_position, "body_point_position")
    return ph.frame_jacobian(model.core, at, model.number(body_id), point, out=G)


@spelled(out="G")
def CalcBodySpatialJacobian(
    model: Model, q: ArrayLike, body_id: int,
    body_point_position: ArrayLike | None = None, G: Array | None = None,
    update_kinematics: bool = True,
) -> Array:  # fmt: skip
    """6 x qdot_size: from qdot to the spatial velocity of a body, in body coordinates.

    All of ``G`` is written, zeros too.  The point is not looked at, as in RBDL.
    """
    given: Any = body_point_position
    if np.ndim(given) == 2 or isinstance(G, bool):
        G, update_kinematics = _without_point(given, G, update_kinematics)
    at = at_position(model, q, update_kinematics)
    if G is not None:
        check_output(G, (6, model.dof_count))
    return ph.body_jacobian(model.core, at, model.number(body_id), out=G)


def _without_point(matrix: Any, flag: Any, update: bool) -> tuple[Array | None, bool]:
    """What ``(model, q, body_id, G, update_kinematics)``, the order of C++, means."""
    warnings.warn(
        "CalcBodySpatialJacobian takes (model, q, body_id, body_point_position, G, "
        "update_kinematics), as RBDL's wrapper does; a matrix in place of the point is taken for G",
        RBDLWarning, stacklevel=4,
    )  # fmt: skip
    return matrix, flag if isinstance(flag, bool) else update


@spelled("velocity")
def CalcPointVelocity(
    model: Model, q: ArrayLike, qdot: ArrayLike, body_id: int, body_point_position: ArrayLike,
    update_kinematics: bool = True,
) -> Array:  # fmt: skip
    """The velocity of a point of a body, in base axes."""
    at, qd = at_velocity(model, q, qdot, update_kinematics)
    point = as_floats(body_point_position, "body_point_position")
    return ph.point_velocity(model.core, at, qd, model.number(body_id), point)


@spelled("velocity_6d")
def CalcPointVelocity6D(
    model: Model, q: ArrayLike, qdot: ArrayLike, body_id: int, body_point_position: ArrayLike,
    update_kinematics: bool = True,
) -> Array:  # fmt: skip
    """Angular velocity of a body, then velocity of its point, in base axes."""
    state, body = at_velocity(model, q, qdot, update_kinematics), model.number(body_id)
    arguments = (*state, as_floats(body_point_position, "body_point_position"))
    return evaluate(algorithms.point_velocity_6d, model.core, arguments, None, body=body)


@spelled("acceleration")
def CalcPointAcceleration(
    model: Model, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, body_id: int,
    body_point_position: ArrayLike, update_kinematics: bool = True,
) -> Array:  # fmt: skip
    """The acceleration of a point of a body, in base axes, as an observer measures it.

    Without an update after a function of dynamics, gravity is to be added, as in RBDL.
    """
    at, qd, qdd, falling = at_acceleration(model, q, qdot, qddot, update_kinematics)
    point = as_floats(body_point_position, "body_point_position")
    a = ph.point_acceleration(model.core, at, qd, qdd, model.number(body_id), point)
    return a - model.gravity if falling else a


@spelled("acceleration_6d")
def CalcPointAcceleration6D(
    model: Model, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, body_id: int,
    body_point_position: ArrayLike, update_kinematics: bool = True,
) -> Array:  # fmt: skip
    """Angular acceleration of a body, then acceleration of its point, in base axes.

    Without an update after a function of dynamics, gravity is to be added to the latter.
    """
    *state, falling = at_acceleration(model, q, qdot, qddot, update_kinematics)
    arguments, body = (
        (*state, as_floats(body_point_position, "body_point_position")),
        model.number(body_id),
    )
    a = evaluate(algorithms.point_acceleration_6d, model.core, arguments, None, body=body)
    if falling:
        a[3:] -= model.gravity
    return a


@described("rotation_vector")
def CalcAngularVelocityfromMatrix(RotMat: ArrayLike) -> Array:
    """The rotation vector of a matrix that turns vectors, half turns included."""
    E = np.asarray(RotMat, dtype=float)
    if E.shape != (3, 3):
        raise RBDLInvalidParameterError(f"expected a 3x3 matrix, got shape {E.shape}")
    return np.array(list(Quaternion.from_matrix(Mat3.of(E.T.tolist())).log()))
