"""RBDL's dynamics."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

import polhode as ph

from ..arrays import Array, ArrayLike
from .errors import RBDLSizeMismatchError
from .kinematics import at_position, numbers
from .model import Model
from .spelling import spelled
from .vectors import check_output, given


class LinearSolver(IntEnum):
    """The solvers RBDL offers; here the inertia matrix is always factorised as ``L^T D L``."""

    LinearSolverUnknown = 0
    LinearSolverPartialPivLU = 1
    LinearSolverColPivHouseholderQR = 2
    LinearSolverHouseholderQR = 3
    LinearSolverLLT = 4


def external_forces(model: Model, f_external: ArrayLike | None) -> Array | None:
    """RBDL's list of forces, one for each body and one for the base, as polhode takes them."""
    if f_external is None:
        return None
    forces = numbers(f_external, "f_external")
    n = len(model.mBodies)
    if forces.shape[-2:] != (n, 6):
        raise RBDLSizeMismatchError(
            f"expected {n} spatial forces as f_external, one for each body and one for the base, "
            f"got shape {forces.shape}"
        )
    return forces[..., 1:, :]


@spelled(out="tau")
def InverseDynamics(
    model: Model, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike,
    tau: Array | None = None, f_external: ArrayLike | None = None,
) -> Array:  # fmt: skip
    """The joint forces of the accelerations ``qddot``; ``f_external`` in base coordinates."""
    at, qd, qdd = numbers(q, "q"), numbers(qdot, "qdot"), numbers(qddot, "qddot")
    forces = None if f_external is None else external_forces(model, f_external)
    if tau is not None:
        check_output(tau, qd.shape)
    result = ph.inverse_dynamics(model.core, at, qd, qdd, forces, out=tau)
    state = model.state
    state.position, state.velocity = at, (at, qd)
    state.acceleration, state.newton = (at, qd, qdd, True), (at, qd, qdd, forces)
    return result


@spelled(out="tau")
def NonlinearEffects(
    model: Model, q: ArrayLike, qdot: ArrayLike,
    tau: Array | None = None, f_external: ArrayLike | None = None,
) -> Array:  # fmt: skip
    """The joint forces at zero acceleration."""
    at, qd = numbers(q, "q"), numbers(qdot, "qdot")
    forces = None if f_external is None else external_forces(model, f_external)
    if tau is not None:
        check_output(tau, qd.shape)
    result = ph.bias_forces(model.core, at, qd, forces, out=tau)
    still, state = np.zeros(qd.shape), model.state
    state.position, state.velocity = at, (at, qd)
    state.acceleration, state.newton = (at, qd, still, True), (at, qd, still, forces)
    return result


@spelled(out="H")
def CompositeRigidBodyAlgorithm(
    model: Model, q: ArrayLike, H: Array | None = None, update_kinematics: bool = True
) -> Array:
    """The joint-space inertia matrix; all of ``H`` is written, zeros too."""
    at = at_position(model, q, update_kinematics)
    if H is not None:
        check_output(H, (model.dof_count, model.dof_count))
    model.state.composite = at
    return ph.mass_matrix(model.core, at, out=H)


@spelled(out="qddot")
def ForwardDynamics(
    model: Model, q: ArrayLike, qdot: ArrayLike, tau: ArrayLike,
    qddot: Array | None = None, f_external: ArrayLike | None = None,
) -> Array:  # fmt: skip
    """The accelerations under the joint forces ``tau``, by the articulated-body algorithm."""
    at, qd, force = numbers(q, "q"), numbers(qdot, "qdot"), numbers(tau, "tau")
    forces = None if f_external is None else external_forces(model, f_external)
    if qddot is not None:
        check_output(qddot, qd.shape)
    qdd = ph.forward_dynamics(model.core, at, qd, force, forces, out=qddot)
    state = model.state
    state.position, state.velocity = at, (at, qd)
    state.acceleration, state.articulated = (at, qd, qdd.copy(), True), (at, qd, force, forces)
    return qdd


@spelled("qddot", out="qddot H C")
def ForwardDynamicsLagrangian(
    model: Model, q: ArrayLike, qdot: ArrayLike, tau: ArrayLike,
    qddot: Array | None = None,
    linear_solver: LinearSolver = LinearSolver.LinearSolverColPivHouseholderQR,
    f_external: ArrayLike | None = None, H: Array | None = None, C: Array | None = None,
) -> Array:  # fmt: skip
    """The accelerations by the inertia matrix ``H`` and bias forces ``C``, filled if given."""
    at, qd = numbers(q, "q"), numbers(qdot, "qdot")
    forces = external_forces(model, f_external)
    if H is not None:
        given(H, ph.mass_matrix(model.core, at))
    if C is not None:
        given(C, ph.bias_forces(model.core, at, qd, forces))
    if qddot is not None:
        check_output(qddot, qd.shape)
    qdd = ph.forward_dynamics(
        model.core, at, qd, numbers(tau, "tau"), forces, method="crba", out=qddot
    )  # fmt: skip
    state = model.state
    state.position, state.velocity, state.composite = at, (at, qd), at
    still = np.zeros(qd.shape)
    state.acceleration, state.newton = (at, qd, still, True), (at, qd, still, forces)
    return qdd


@spelled(out="qddot")
def CalcMInvTimesTau(
    model: Model, q: ArrayLike, tau: ArrayLike,
    qddot: Array | None = None, update_kinematics: bool = True,
) -> Array:  # fmt: skip
    """``M(q)^-1 tau``, without forming ``M``."""
    at, force = at_position(model, q, update_kinematics), numbers(tau, "tau")
    if qddot is not None:
        check_output(qddot, force.shape)
    qdd = ph.solve_mass_matrix(model.core, at, force, out=qddot)
    still, state = np.zeros(force.shape), model.state
    state.articulated = at, still, force, None
    state.acceleration = at, still, qdd.copy(), False
    return qdd
