"""RBDL's functions of a model under constraints."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

import polhode as ph

from ..api.constraints_solve import solve_direct, solve_null_space
from ..arrays import Array, ArrayLike
from .constraints import ConstraintSet, noted
from .dynamics import external_forces
from .errors import RBDLError
from .kinematics import at_position, at_velocity, numbers, sized
from .model import Model
from .spelling import spelled
from .vectors import check_output, given


@spelled(out="err")
def CalcConstraintsPositionError(
    model: Model, q: ArrayLike, CS: ConstraintSet,
    err: Array | None = None, update_kinematics: bool = True,
) -> Array:  # fmt: skip
    """By how much positions violate each row; contacts have no position error."""
    at = at_position(model, q, update_kinematics)
    error = ph.constraints.constraint_errors(model.core, CS.on(model), at).position
    noted(CS, err=error)
    return given(err, error)


@spelled(out="err")
def CalcConstraintsVelocityError(
    model: Model, q: ArrayLike, qdot: ArrayLike, CS: ConstraintSet,
    err: Array | None = None, update_kinematics: bool = True,
) -> Array:  # fmt: skip
    """By how much velocities violate each row: ``G qdot``."""
    at, qd = at_velocity(model, q, qdot, update_kinematics)
    error = ph.constraints.constraint_errors(model.core, CS.on(model), at, qd).velocity
    noted(CS, errd=error)
    return given(err, error)


@spelled(out="G")
def CalcConstraintsJacobian(
    model: Model, q: ArrayLike, CS: ConstraintSet,
    G: Array | None = None, update_kinematics: bool = True,
) -> Array:  # fmt: skip
    """Rows x qdot_size; all of ``G`` is written, zeros too."""
    at = at_position(model, q, update_kinematics)
    if G is not None:
        check_output(G, (CS.size(), model.dof_count))
    jacobian = ph.constraints.constraint_jacobian(model.core, CS.on(model), at, out=G)
    noted(CS, G=jacobian)
    return jacobian


@spelled()
def CalcConstrainedSystemVariables(
    model: Model, q: ArrayLike, qdot: ArrayLike, tau: ArrayLike, CS: ConstraintSet,
    update_kinematics: bool = True, f_external: ArrayLike | None = None,
) -> None:  # fmt: skip
    """Put ``H, C, G, gamma, err`` and ``errd`` into the set; ``C`` includes ``f_external``."""
    at, qd = at_velocity(model, q, qdot, update_kinematics)
    forces = external_forces(model, f_external)
    noted(
        CS, **ph.constraints.constrained_system(model.core, CS.on(model), at, qd, forces)._asdict()
    )


class _Forward(Protocol):
    """Forward dynamics under constraints."""

    def __call__(
        self, model: Model, q: ArrayLike, qdot: ArrayLike, tau: ArrayLike, CS: ConstraintSet,
        qddot: Array | None = None, update_kinematics: bool = True,
        f_external: ArrayLike | None = None,
    ) -> Array: ...  # fmt: skip


class _Impulses(Protocol):
    """Velocities after an impact."""

    def __call__(
        self, model: Model, q: ArrayLike, qdot_minus: ArrayLike, CS: ConstraintSet,
        qdot_plus: Array | None = None,
    ) -> Array: ...  # fmt: skip


def _forward(method: str, name: str, how: str) -> _Forward:
    def function(model, q, qdot, tau, CS, qddot=None, update_kinematics=True, f_external=None):
        at, qd = at_velocity(model, q, qdot, update_kinematics)
        forces = None if f_external is None else external_forces(model, f_external)
        if qddot is not None:
            check_output(qddot, qd.shape)
        qdd, force = ph.constrained_dynamics(
            model.core, CS.on(model), at, qd, numbers(tau, "tau"), forces, method=method
        )
        CS.solved_at(model, at, qd, forces, force)
        model.state.acceleration = at, qd, qdd, True
        return given(qddot, qdd)

    doc = f"""The accelerations under constraints, by {how}.

    ``H qddot + C = tau + G^T force``; ``CS.force, H, C, G, gamma, err`` and ``errd`` are set.
    """
    return spelled(out="qddot")(_named(function, _Forward, name, doc))


def _impulses(method: str, name: str, how: str) -> _Impulses:
    def function(model, q, qdot_minus, CS, qdot_plus=None):
        at = at_position(model, q, True)
        if qdot_plus is not None:
            check_output(qdot_plus, (model.dof_count,))
        qd, impulse = ph.constraint_impulses(
            model.core,
            CS.on(model),
            at,
            numbers(qdot_minus, "qdot_minus"),
            CS.v_plus,
            method=method,
        )
        noted(CS, impulse=impulse)
        return given(qdot_plus, qd)

    doc = f"""The velocities after an impact with ``CS.v_plus``, by {how}.

    ``H (qdot_plus - qdot_minus) = G^T impulse``; ``CS.impulse`` is set.
    """
    return spelled(out="qdot_plus")(_named(function, _Impulses, name, doc))


def _named(function: Any, kind: Any, name: str, doc: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__annotations__ = kind.__call__.__annotations__
    function.__doc__ = doc
    return function


_WHOLE, _SPARSE = "the whole system", "sparse factors of H"
_FREE, _TESTS = "a basis of free motion", "the ABA with test forces"

# fmt: off
ForwardDynamicsConstraintsDirect: _Forward = _forward(
    "direct", "ForwardDynamicsConstraintsDirect", _WHOLE)
ForwardDynamicsConstraintsRangeSpaceSparse: _Forward = _forward(
    "range_space", "ForwardDynamicsConstraintsRangeSpaceSparse", _SPARSE)
ForwardDynamicsConstraintsNullSpace: _Forward = _forward(
    "null_space", "ForwardDynamicsConstraintsNullSpace", _FREE)
ForwardDynamicsContactsKokkevis: _Forward = _forward(
    "kokkevis", "ForwardDynamicsContactsKokkevis", _TESTS)
ComputeConstraintImpulsesDirect: _Impulses = _impulses(
    "direct", "ComputeConstraintImpulsesDirect", _WHOLE)
ComputeConstraintImpulsesRangeSpaceSparse: _Impulses = _impulses(
    "range_space", "ComputeConstraintImpulsesRangeSpaceSparse", _SPARSE)
ComputeConstraintImpulsesNullSpace: _Impulses = _impulses(
    "null_space", "ComputeConstraintImpulsesNullSpace", _FREE)
# fmt: on


@spelled("success", out="q")
def CalcAssemblyQ(
    model: Model, qinit: ArrayLike, CS: ConstraintSet, q: Array, weights: ArrayLike,
    tolerance: float = 1e-12, max_iter: int = 100,
) -> bool:  # fmt: skip
    """Put positions near ``qinit`` that meet the constraints into ``q``; whether there are any.

    Success is, as in RBDL, an error below the tolerance after a step below it, or without one.

    Raises
    ------
    RBDLDofMismatchError
        If an array does not fit the model.
    """
    start, weight = sized(qinit, model.q_size, "qinit"), _weights(model, weights)
    check_output(q, (model.q_size,))
    found = ph.assemble(
        model.core, CS.on(model), start, weights=weight, tolerance=tolerance,
        step_tolerance=tolerance, max_iterations=max_iter,
    )  # fmt: skip
    q[...] = found.q
    return bool(found.success)


@spelled(out="qdot")
def CalcAssemblyQDot(
    model: Model, q: ArrayLike, qdot_init: ArrayLike, CS: ConstraintSet, qdot: Array | None,
    weights: ArrayLike,
) -> Array:  # fmt: skip
    """Velocities near ``qdot_init`` that meet the constraints at ``q``."""
    at = sized(q, model.q_size, "q")
    start = sized(qdot_init, model.qdot_size, "qdot_init")
    weight = _weights(model, weights)
    found = ph.assemble(
        model.core, CS.on(model), at, start, weights=weight, tolerance=np.inf, max_iterations=1
    )
    if not np.array_equal(found.q, at):
        raise RBDLError("velocities were asked for at positions that cannot be evaluated")
    return given(qdot, np.asarray(found.qd))


def _weights(model: Model, weights: ArrayLike) -> Array:
    return sized(weights, model.dof_count, "weights")


@spelled(out="qddot_out tau")
def InverseDynamicsConstraints(
    model: Model, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, CS: ConstraintSet,
    qddot_out: Array | None = None, tau: Array | None = None, update_kinematics: bool = True,
    f_external: ArrayLike | None = None,
) -> tuple[Array, Array]:  # fmt: skip
    """The forces of actuated degrees of freedom that give them ``qddot``, and all accelerations.

    `isConstrainedSystemFullyActuated` tells whether that is possible; `CS.SetActuationMap` says
    which degrees of freedom are actuated.
    """
    state = at_velocity(model, q, qdot, update_kinematics)
    return _inverse(model, state, qddot, CS, (qddot_out, tau), f_external)


@spelled(out="qddot_out tau")
def InverseDynamicsConstraintsRelaxed(
    model: Model, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, CS: ConstraintSet,
    qddot_out: Array | None = None, tau: Array | None = None, update_kinematics: bool = True,
    f_external: ArrayLike | None = None,
) -> tuple[Array, Array]:  # fmt: skip
    """The same for accelerations that may differ a little where they must."""
    at, qd = at_velocity(model, q, qdot, update_kinematics)
    # RBDL's choice: 100 times the largest entry of the first rows of H
    rows = ph.mass_matrix(model.core, at)[: sum(_actuated(CS))]
    weight = 100.0 * float(np.abs(rows).max(initial=0.0))
    return _inverse(model, (at, qd), qddot, CS, (qddot_out, tau), f_external, weight)


def _inverse(
    model: Model, state: tuple[Array, Array], wanted: ArrayLike, CS: ConstraintSet,
    outputs: tuple[Array | None, Array | None], f_external: ArrayLike | None,
    weight: float | None = None,
) -> tuple[Array, Array]:  # fmt: skip
    forces = external_forces(model, f_external)
    qdd, tau, force = ph.constraints.constrained_inverse_dynamics(
        model.core, CS.on(model), *state, numbers(wanted, "qddot"), _actuated(CS), forces,
        relaxed=weight is not None, weight=weight,
    )  # fmt: skip
    CS.solved_at(model, *state, forces, force)
    model.state.acceleration = *state, qdd, True
    return given(outputs[0], qdd), given(outputs[1], tau)


@spelled("claim")
def isConstrainedSystemFullyActuated(
    model: Model, q: ArrayLike, qdot: ArrayLike, CS: ConstraintSet,
    update_kinematics: bool = True, f_external: ArrayLike | None = None,
) -> bool:  # fmt: skip
    """Whether constraints determine all degrees of freedom that have no actuator."""
    at, _ = at_velocity(model, q, qdot, update_kinematics)
    return bool(ph.constraints.is_fully_actuated(model.core, CS.on(model), at, _actuated(CS)))


def _actuated(CS: ConstraintSet) -> list[bool]:
    if CS.actuated is None:
        raise RBDLError("expected actuated joints: first call CS.SetActuationMap first")
    return CS.actuated


@spelled("x multipliers")
def SolveConstrainedSystemDirect(
    H: ArrayLike, G: ArrayLike, c: ArrayLike, gamma: ArrayLike
) -> tuple[Array, Array]:
    """``x`` and ``lambda`` of ``H x = c + G^T lambda``, ``G x = gamma``, for rows of any rank."""
    return solve_direct(*_system(H, G, c, gamma))


@spelled("x multipliers")
def SolveConstrainedSystemNullSpace(
    H: ArrayLike, G: ArrayLike, c: ArrayLike, gamma: ArrayLike
) -> tuple[Array, Array]:
    """The same by a basis of the motions that the rows leave free."""
    return solve_null_space(*_system(H, G, c, gamma))


@spelled("x multipliers")
def SolveConstrainedSystemRangeSpaceSparse(
    model: Model, H: ArrayLike, G: ArrayLike, c: ArrayLike, gamma: ArrayLike
) -> tuple[Array, Array]:
    """The same; ``model`` is not needed, since the branches of ``H`` are not made use of."""
    return SolveConstrainedSystemDirect(H, G, c, gamma)


def _system(H, G, c, gamma) -> tuple[Array, Array, Array, Array]:
    return numbers(H, "H"), numbers(c, "c"), numbers(G, "G"), numbers(gamma, "gamma")
