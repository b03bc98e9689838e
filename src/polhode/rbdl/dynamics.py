"""RBDL's dynamics."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from .. import api
from ..arrays import Array, ArrayLike
from .errors import RBDLSizeMismatchError
from .kinematics import at_position, numbers
from .linear import check_output, given
from .model import Model


class LinearSolver(IntEnum):
    """The solvers RBDL offers; here the inertia matrix is always factorised as ``L^T D L``."""

    LinearSolverUnknown = 0
    LinearSolverPartialPivLU = 1
    LinearSolverColPivHouseholderQR = 2
    LinearSolverHouseholderQR = 3
    LinearSolverLLT = 4


def external_forces(model: Model, f_ext: ArrayLike | None) -> Array | None:
    """RBDL's list of forces, one for each body and one for the base, as polhode takes them."""
    if f_ext is None:
        return None
    forces = numbers(f_ext)
    n = len(model.mBodies)
    if forces.shape[-2:] != (n, 6):
        raise RBDLSizeMismatchError(
            f"expected {n} spatial forces as f_ext, one for each body and one for the base, "
            f"got shape {forces.shape}"
        )
    return forces[..., 1:, :]


def InverseDynamics(
    model: Model,
    Q: ArrayLike,
    QDot: ArrayLike,
    QDDot: ArrayLike,
    Tau: Array | None = None,
    f_ext: ArrayLike | None = None,
) -> Array:
    """The joint forces of the accelerations ``QDDot``; ``f_ext`` in base coordinates.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    QDot : array_like, shape (qdot_size,)
        Velocities [rad/s or m/s].
    QDDot : array_like, shape (qdot_size,)
        Accelerations [rad/s^2 or m/s^2].
    Tau : ndarray, optional
        Where to put the result.
    f_ext : array_like, shape (n_bodies + 1, 6), optional
        Spatial force on the root and on each moving body, base coordinates [N m, N].

    Returns
    -------
    Tau : ndarray, shape (qdot_size,)
        Joint forces [N m or N].
    """
    q, qd, qdd = numbers(Q), numbers(QDot), numbers(QDDot)
    forces = None if f_ext is None else external_forces(model, f_ext)
    if Tau is not None:
        check_output(Tau, qd.shape)
    tau = api.inverse_dynamics(model.core, q, qd, qdd, forces, out=Tau)
    state = model.state
    state.position, state.velocity = q, (q, qd)
    state.acceleration, state.newton = (q, qd, qdd, True), (q, qd, qdd, forces)
    return tau


def NonlinearEffects(
    model: Model,
    Q: ArrayLike,
    QDot: ArrayLike,
    Tau: Array | None = None,
    f_ext: ArrayLike | None = None,
) -> Array:
    """The joint forces at zero acceleration.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    QDot : array_like, shape (qdot_size,)
        Velocities [rad/s or m/s].
    Tau : ndarray, optional
        Where to put the result.
    f_ext : array_like, shape (n_bodies + 1, 6), optional
        Spatial force on the root and on each moving body, base coordinates [N m, N].

    Returns
    -------
    Tau : ndarray, shape (qdot_size,)
        Joint forces [N m or N].
    """
    q, qd = numbers(Q), numbers(QDot)
    forces = None if f_ext is None else external_forces(model, f_ext)
    if Tau is not None:
        check_output(Tau, qd.shape)
    tau = api.bias_forces(model.core, q, qd, forces, out=Tau)
    still, state = np.zeros(qd.shape), model.state
    state.position, state.velocity = q, (q, qd)
    state.acceleration, state.newton = (q, qd, still, True), (q, qd, still, forces)
    return tau


def CompositeRigidBodyAlgorithm(
    model: Model, Q: ArrayLike, H: Array | None = None, update_kinematics: bool = True
) -> Array:
    """The joint-space inertia matrix; all of ``H`` is written, zeros too.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    H : ndarray, optional
        Where to put the result.
    update_kinematics : bool
        Whether to take the state that is given; False takes the one noted last.

    Returns
    -------
    H : ndarray, shape (qdot_size, qdot_size)
        The matrix.
    """
    q = at_position(model, Q, update_kinematics)
    if H is not None:
        check_output(H, (model.dof_count, model.dof_count))
    model.state.composite = q
    return api.mass_matrix(model.core, q, out=H)


def ForwardDynamics(
    model: Model,
    Q: ArrayLike,
    QDot: ArrayLike,
    Tau: ArrayLike,
    QDDot: Array | None = None,
    f_ext: ArrayLike | None = None,
) -> Array:
    """The accelerations under the joint forces ``Tau``, by the articulated-body algorithm.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    QDot : array_like, shape (qdot_size,)
        Velocities [rad/s or m/s].
    Tau : array_like, shape (qdot_size,)
        Joint forces [N m or N].
    QDDot : ndarray, optional
        Where to put the result.
    f_ext : array_like, shape (n_bodies + 1, 6), optional
        Spatial force on the root and on each moving body, base coordinates [N m, N].

    Returns
    -------
    QDDot : ndarray, shape (qdot_size,)
        Accelerations [rad/s^2 or m/s^2].
    """
    q, qd, tau = numbers(Q), numbers(QDot), numbers(Tau)
    forces = None if f_ext is None else external_forces(model, f_ext)
    if QDDot is not None:
        check_output(QDDot, qd.shape)
    qdd = api.forward_dynamics(model.core, q, qd, tau, forces, out=QDDot)
    state = model.state
    state.position, state.velocity = q, (q, qd)
    state.acceleration, state.articulated = (q, qd, qdd.copy(), True), (q, qd, tau, forces)
    return qdd


def ForwardDynamicsLagrangian(
    model: Model,
    Q: ArrayLike,
    QDot: ArrayLike,
    Tau: ArrayLike,
    QDDot: Array | None = None,
    linear_solver: LinearSolver = LinearSolver.LinearSolverColPivHouseholderQR,
    f_ext: ArrayLike | None = None,
    H: Array | None = None,
    C: Array | None = None,
) -> Array:
    """The accelerations by the inertia matrix ``H`` and bias forces ``C``, filled if given.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    QDot : array_like, shape (qdot_size,)
        Velocities [rad/s or m/s].
    Tau : array_like, shape (qdot_size,)
        Joint forces [N m or N].
    QDDot : ndarray, optional
        Where to put the result.
    linear_solver : LinearSolver
        Makes no difference here.
    f_ext : array_like, shape (n_bodies + 1, 6), optional
        Spatial force on the root and on each moving body, base coordinates [N m, N].
    H, C : ndarray, optional
        Where to put it.

    Returns
    -------
    QDDot : ndarray, shape (qdot_size,)
        Accelerations [rad/s^2 or m/s^2].
    """
    q, qd = numbers(Q), numbers(QDot)
    forces = external_forces(model, f_ext)
    if H is not None:
        given(H, api.mass_matrix(model.core, q))
    if C is not None:
        given(C, api.bias_forces(model.core, q, qd, forces))
    if QDDot is not None:
        check_output(QDDot, qd.shape)
    qdd = api.forward_dynamics(model.core, q, qd, numbers(Tau), forces, method="crba", out=QDDot)
    state = model.state
    state.position, state.velocity, state.composite = q, (q, qd), q
    still = np.zeros(qd.shape)
    state.acceleration, state.newton = (q, qd, still, True), (q, qd, still, forces)
    return qdd


def CalcMInvTimesTau(
    model: Model,
    Q: ArrayLike,
    Tau: ArrayLike,
    QDDot: Array | None = None,
    update_kinematics: bool = True,
) -> Array:
    """``M(Q)^-1 Tau``, without forming ``M``.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    Tau : array_like, shape (qdot_size,)
        Joint forces [N m or N].
    QDDot : ndarray, optional
        Where to put the result.
    update_kinematics : bool
        Whether to take the state that is given; False takes the one noted last.

    Returns
    -------
    QDDot : ndarray, shape (qdot_size,)
        Accelerations [rad/s^2 or m/s^2].
    """
    q, tau = at_position(model, Q, update_kinematics), numbers(Tau)
    if QDDot is not None:
        check_output(QDDot, tau.shape)
    qdd = api.solve_mass_matrix(model.core, q, tau, out=QDDot)
    still, state = np.zeros(tau.shape), model.state
    state.articulated, state.acceleration = (q, still, tau, None), (q, still, qdd.copy(), False)
    return qdd
