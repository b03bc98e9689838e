"""RBDL's kinematics: positions, velocities and accelerations of bodies and points.

With ``update_kinematics=False`` a function takes the positions (velocities, accelerations)
of the last call that updated them, and does not look at ``Q`` (``QDot``, ``QDDot``).
"""

from __future__ import annotations

import numpy as np

from .. import api
from ..api.programs import evaluate
from ..arrays import Array, ArrayLike
from ..spatial import Mat3, Quaternion
from . import algorithms
from .errors import RBDLDofMismatchError, RBDLInvalidParameterError
from .linear import check_output
from .model import Model


def numbers(values: ArrayLike) -> Array:
    """A copy: the caller may go on to change what it passed."""
    return np.array(values, dtype=float)


def UpdateKinematics(model: Model, Q: ArrayLike, QDot: ArrayLike, QDDot: ArrayLike) -> None:
    """Update positions, velocities and accelerations; the base does not accelerate.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    QDot : array_like, shape (qdot_size,)
        Velocities [rad/s or m/s].
    QDDot : array_like, shape (qdot_size,)
        Accelerations [rad/s^2 or m/s^2].
    """
    UpdateKinematicsCustom(model, Q, QDot, QDDot)


def UpdateKinematicsCustom(
    model: Model,
    Q: ArrayLike | None = None,
    QDot: ArrayLike | None = None,
    QDDot: ArrayLike | None = None,
) -> None:
    """Update positions, velocities, or accelerations: those that are not None.

    Velocities and accelerations alone are taken at the positions last updated.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,), optional
        Positions [rad or m].
    QDot : array_like, shape (qdot_size,), optional
        Velocities [rad/s or m/s].
    QDDot : array_like, shape (qdot_size,)
        Accelerations [rad/s^2 or m/s^2].
    """
    state = model.state
    if Q is not None:
        state.position = sized(Q, model.q_size, "Q")
    if QDot is not None:
        state.velocity = state.positions(), sized(QDot, model.qdot_size, "QDot")
    if QDDot is not None:
        qdd = sized(QDDot, model.qdot_size, "QDDot")
        still = state.velocity is None
        qd = np.zeros(model.qdot_size) if still else state.velocities()[1]
        state.acceleration = state.positions(), qd, qdd, False


def sized(values: ArrayLike, size: int, name: str) -> Array:
    """One vector as float64, of so many entries."""
    array = numbers(values)
    if array.shape != (size,):
        raise RBDLDofMismatchError(f"expected {size} numbers as {name}, got shape {array.shape}")
    return array


def at_position(model: Model, Q: ArrayLike, update: bool) -> Array:
    """``q`` as given, noted as the last update; or that of the last update."""
    if not update:
        return model.state.positions()
    q = model.state.position = numbers(Q)
    return q


def at_velocity(model: Model, Q: ArrayLike, QDot: ArrayLike, update: bool) -> tuple[Array, Array]:
    """``q, qd`` as given, noted as the last update; or those of the last update."""
    state = model.state
    if not update:
        return state.velocities()
    q = state.position = numbers(Q)
    state.velocity = both = q, numbers(QDot)
    return both


def at_acceleration(
    model: Model, Q: ArrayLike, QDot: ArrayLike, QDDot: ArrayLike, update: bool
) -> tuple[Array, Array, Array, bool]:
    """``q, qd, qdd``, and whether the base falls upward: as given, or of the last update."""
    state = model.state
    if not update:
        return state.accelerations()
    q, qd = at_velocity(model, Q, QDot, True)
    state.acceleration = everything = q, qd, numbers(QDDot), False
    return everything


def CalcBodyToBaseCoordinates(
    model: Model,
    Q: ArrayLike,
    body_id: int,
    body_point_position: ArrayLike,
    update_kinematics: bool = True,
) -> Array:
    """A point of a body, in base coordinates.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    body_id : int
        Number of a moving or fixed body.
    body_point_position : array_like, shape (3,)
        Point in body coordinates [m].
    update_kinematics : bool
        Whether to take the state that is given; False takes the one noted last.

    Returns
    -------
    position : ndarray, shape (3,)
        The point [m].
    """
    q = at_position(model, Q, update_kinematics)
    point = np.asarray(body_point_position, float)
    return api.point_position(model.core, q, model.number(body_id), point)


def CalcBaseToBodyCoordinates(
    model: Model,
    Q: ArrayLike,
    body_id: int,
    base_point_position: ArrayLike,
    update_kinematics: bool = True,
) -> Array:
    """A point given in base coordinates, in those of a body.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    body_id : int
        Number of a moving or fixed body.
    base_point_position : array_like, shape (3,)
        Point in base coordinates [m].
    update_kinematics : bool
        Whether to take the state that is given; False takes the one noted last.

    Returns
    -------
    position : ndarray, shape (3,)
        The point [m].
    """
    q = at_position(model, Q, update_kinematics)
    point = np.asarray(base_point_position, float)
    body = model.number(body_id)
    return evaluate(algorithms.body_coordinates, model.core, (q, point), None, body=body)


def CalcBodyWorldOrientation(
    model: Model, Q: ArrayLike, body_id: int, update_kinematics: bool = True
) -> Array:
    """The 3x3 rotation from base to body coordinates.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    body_id : int
        Number of a moving or fixed body.
    update_kinematics : bool
        Whether to take the state that is given; False takes the one noted last.

    Returns
    -------
    E : ndarray, shape (3, 3)
        The rotation.
    """
    q = at_position(model, Q, update_kinematics)
    body = model.number(body_id)
    return evaluate(algorithms.body_orientation, model.core, (q,), None, body=body)


def CalcPointJacobian(
    model: Model,
    Q: ArrayLike,
    body_id: int,
    point_position: ArrayLike,
    G: Array | None = None,
    update_kinematics: bool = True,
) -> Array:
    """3 x qdot_size: from QDot to the velocity of a point of a body, base axes.

    All of ``G`` is written, zeros too.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    body_id : int
        Number of a moving or fixed body.
    point_position : array_like, shape (3,)
        Point in body coordinates [m].
    G : ndarray, optional
        Where to put the result.
    update_kinematics : bool
        Whether to take the state that is given; False takes the one noted last.

    Returns
    -------
    G : ndarray, shape (3, qdot_size)
        The Jacobian.
    """
    q = at_position(model, Q, update_kinematics)
    if G is not None:
        check_output(G, (3, model.dof_count))
    point = np.asarray(point_position, float)
    return api.point_jacobian(model.core, q, model.number(body_id), point, out=G)


def CalcPointJacobian6D(
    model: Model,
    Q: ArrayLike,
    body_id: int,
    point_position: ArrayLike,
    G: Array | None = None,
    update_kinematics: bool = True,
) -> Array:
    """6 x qdot_size: from QDot to angular velocity, and velocity of a point, base axes.

    All of ``G`` is written, zeros too.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    body_id : int
        Number of a moving or fixed body.
    point_position : array_like, shape (3,)
        Point in body coordinates [m].
    G : ndarray, optional
        Where to put the result.
    update_kinematics : bool
        Whether to take the state that is given; False takes the one noted last.

    Returns
    -------
    G : ndarray, shape (6, qdot_size)
        The Jacobian, angular rows first.
    """
    q = at_position(model, Q, update_kinematics)
    if G is not None:
        check_output(G, (6, model.dof_count))
    point = np.asarray(point_position, float)
    return api.frame_jacobian(model.core, q, model.number(body_id), point, out=G)


def CalcBodySpatialJacobian(
    model: Model,
    Q: ArrayLike,
    body_id: int,
    G: Array | None = None,
    update_kinematics: bool = True,
) -> Array:
    """6 x qdot_size: from QDot to the spatial velocity of a body, in body coordinates.

    All of ``G`` is written, zeros too.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    body_id : int
        Number of a moving or fixed body.
    G : ndarray, optional
        Where to put the result.
    update_kinematics : bool
        Whether to take the state that is given; False takes the one noted last.

    Returns
    -------
    G : ndarray, shape (6, qdot_size)
        The Jacobian, angular rows first.
    """
    q = at_position(model, Q, update_kinematics)
    if G is not None:
        check_output(G, (6, model.dof_count))
    return api.body_jacobian(model.core, q, model.number(body_id), out=G)


def CalcPointVelocity(
    model: Model,
    Q: ArrayLike,
    QDot: ArrayLike,
    body_id: int,
    point_position: ArrayLike,
    update_kinematics: bool = True,
) -> Array:
    """The velocity of a point of a body, in base axes.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    QDot : array_like, shape (qdot_size,)
        Velocities [rad/s or m/s].
    body_id : int
        Number of a moving or fixed body.
    point_position : array_like, shape (3,)
        Point in body coordinates [m].
    update_kinematics : bool
        Whether to take the state that is given; False takes the one noted last.

    Returns
    -------
    velocity : ndarray, shape (3,)
        [m/s].
    """
    q, qd = at_velocity(model, Q, QDot, update_kinematics)
    point = np.asarray(point_position, float)
    return api.point_velocity(model.core, q, qd, model.number(body_id), point)


def CalcPointVelocity6D(
    model: Model,
    Q: ArrayLike,
    QDot: ArrayLike,
    body_id: int,
    point_position: ArrayLike,
    update_kinematics: bool = True,
) -> Array:
    """Angular velocity of a body, then velocity of its point, in base axes.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    QDot : array_like, shape (qdot_size,)
        Velocities [rad/s or m/s].
    body_id : int
        Number of a moving or fixed body.
    point_position : array_like, shape (3,)
        Point in body coordinates [m].
    update_kinematics : bool
        Whether to take the state that is given; False takes the one noted last.

    Returns
    -------
    velocity : ndarray, shape (6,)
        [rad/s, m/s].
    """
    q, qd = at_velocity(model, Q, QDot, update_kinematics)
    point, body = np.asarray(point_position, float), model.number(body_id)
    return evaluate(algorithms.point_velocity_6d, model.core, (q, qd, point), None, body=body)


def CalcPointAcceleration(
    model: Model,
    Q: ArrayLike,
    QDot: ArrayLike,
    QDDot: ArrayLike,
    body_id: int,
    point_position: ArrayLike,
    update_kinematics: bool = True,
) -> Array:
    """The acceleration of a point of a body, in base axes, as an observer measures it.

    Without an update after a function of dynamics, gravity is to be added, as in RBDL.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    QDot : array_like, shape (qdot_size,)
        Velocities [rad/s or m/s].
    QDDot : array_like, shape (qdot_size,)
        Accelerations [rad/s^2 or m/s^2].
    body_id : int
        Number of a moving or fixed body.
    point_position : array_like, shape (3,)
        Point in body coordinates [m].
    update_kinematics : bool
        Whether to take the state that is given; False takes the one noted last.

    Returns
    -------
    acceleration : ndarray, shape (3,)
        [m/s^2].
    """
    q, qd, qdd, falling = at_acceleration(model, Q, QDot, QDDot, update_kinematics)
    point = np.asarray(point_position, float)
    a = api.point_acceleration(model.core, q, qd, qdd, model.number(body_id), point)
    return a - model.gravity if falling else a


def CalcPointAcceleration6D(
    model: Model,
    Q: ArrayLike,
    QDot: ArrayLike,
    QDDot: ArrayLike,
    body_id: int,
    point_position: ArrayLike,
    update_kinematics: bool = True,
) -> Array:
    """Angular acceleration of a body, then acceleration of its point, in base axes.

    Without an update after a function of dynamics, gravity is to be added to the latter.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    QDot : array_like, shape (qdot_size,)
        Velocities [rad/s or m/s].
    QDDot : array_like, shape (qdot_size,)
        Accelerations [rad/s^2 or m/s^2].
    body_id : int
        Number of a moving or fixed body.
    point_position : array_like, shape (3,)
        Point in body coordinates [m].
    update_kinematics : bool
        Whether to take the state that is given; False takes the one noted last.

    Returns
    -------
    acceleration : ndarray, shape (6,)
        [rad/s^2, m/s^2].
    """
    q, qd, qdd, falling = at_acceleration(model, Q, QDot, QDDot, update_kinematics)
    given, body = (q, qd, qdd, np.asarray(point_position, float)), model.number(body_id)
    a = evaluate(algorithms.point_acceleration_6d, model.core, given, None, body=body)
    if falling:
        a[3:] -= model.gravity
    return a


def CalcAngularVelocityfromMatrix(RotMat: ArrayLike) -> Array:
    """The rotation vector of a matrix that turns vectors, half turns included.

    Parameters
    ----------
    RotMat : array_like, shape (3, 3)
        A rotation.

    Returns
    -------
    turn : ndarray, shape (3,)
        Axis times angle [rad].
    """
    E = np.asarray(RotMat, dtype=float)
    if E.shape != (3, 3):
        raise RBDLInvalidParameterError(f"expected a 3x3 matrix, got shape {E.shape}")
    return np.array(list(Quaternion.from_matrix(Mat3.of(E.T.tolist())).log()))
