"""RBDL's functions of a model under constraints."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from .. import api
from ..api.constraints_solve import solve_direct, solve_null_space
from ..arrays import Array, ArrayLike
from .constraints import ConstraintSet, noted
from .dynamics import external_forces
from .errors import RBDLError
from .kinematics import at_position, at_velocity, numbers, sized
from .linear import check_output, given
from .model import Model


def CalcConstraintsPositionError(
    model: Model,
    Q: ArrayLike,
    CS: ConstraintSet,
    err: Array | None = None,
    update_kinematics: bool = True,
) -> Array:
    """By how much positions violate each row; contacts have no position error.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    CS : ConstraintSet
        The constraints.
    err : ndarray, optional
        Where to put the result.
    update_kinematics : bool
        Whether to take the state that is given; False takes the one noted last.

    Returns
    -------
    err : ndarray, shape (rows,)
        Errors [m or rad].
    """
    q = at_position(model, Q, update_kinematics)
    error = api.constraint_errors(model.core, CS.on(model), q).position
    noted(CS, err=error)
    return given(err, error)


def CalcConstraintsVelocityError(
    model: Model,
    Q: ArrayLike,
    QDot: ArrayLike,
    CS: ConstraintSet,
    err: Array | None = None,
    update_kinematics: bool = True,
) -> Array:
    """By how much velocities violate each row: ``G QDot``.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    QDot : array_like, shape (qdot_size,)
        Velocities [rad/s or m/s].
    CS : ConstraintSet
        The constraints.
    err : ndarray, optional
        Where to put the result.
    update_kinematics : bool
        Whether to take the state that is given; False takes the one noted last.

    Returns
    -------
    err : ndarray, shape (rows,)
        Errors [m/s or rad/s].
    """
    q, qd = at_velocity(model, Q, QDot, update_kinematics)
    error = api.constraint_errors(model.core, CS.on(model), q, qd).velocity
    noted(CS, errd=error)
    return given(err, error)


def CalcConstraintsJacobian(
    model: Model,
    Q: ArrayLike,
    CS: ConstraintSet,
    G: Array | None = None,
    update_kinematics: bool = True,
) -> Array:
    """Rows x qdot_size; all of ``G`` is written, zeros too.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    CS : ConstraintSet
        The constraints.
    G : ndarray, optional
        Where to put the result.
    update_kinematics : bool
        Whether to take the state that is given; False takes the one noted last.

    Returns
    -------
    G : ndarray, shape (rows, qdot_size)
        The rows.
    """
    q = at_position(model, Q, update_kinematics)
    if G is not None:
        check_output(G, (CS.size(), model.dof_count))
    jacobian = api.constraint_jacobian(model.core, CS.on(model), q, out=G)
    noted(CS, G=jacobian)
    return jacobian


def CalcConstrainedSystemVariables(
    model: Model,
    Q: ArrayLike,
    QDot: ArrayLike,
    Tau: ArrayLike,
    CS: ConstraintSet,
    update_kinematics: bool = True,
    f_ext: ArrayLike | None = None,
) -> None:
    """Put ``H, C, G, gamma, err`` and ``errd`` into the set; ``C`` includes ``f_ext``.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    QDot : array_like, shape (qdot_size,)
        Velocities [rad/s or m/s].
    Tau : array_like, shape (qdot_size,)
        Joint forces [N m or N].
    CS : ConstraintSet
        The constraints.
    update_kinematics : bool
        Whether to take the state that is given; False takes the one noted last.
    f_ext : array_like, shape (n_bodies + 1, 6), optional
        Spatial force on the root and on each moving body, base coordinates [N m, N].
    """
    q, qd = at_velocity(model, Q, QDot, update_kinematics)
    forces = external_forces(model, f_ext)
    noted(CS, **api.constrained_system(model.core, CS.on(model), q, qd, forces)._asdict())


_FORWARD_TEXT = """
    Parameters
    ----------
    model : Model
    Q, QDot : array_like, shape (q_size,), (qdot_size,)
        Positions [rad or m] and velocities [rad/s or m/s].
    Tau : array_like, shape (qdot_size,)
        Joint forces [N m or N].
    CS : ConstraintSet
        The constraints.
    QDDot : ndarray, optional
        Where to put the result.
    update_kinematics : bool
        Whether to take the state that is given; False takes the one noted last.
    f_ext : array_like, shape (n_bodies + 1, 6), optional
        Spatial force on the root and on each moving body, base coordinates [N m, N].

    Returns
    -------
    QDDot : ndarray, shape (qdot_size,)
        Accelerations [rad/s^2 or m/s^2], with ``H QDDot + C = Tau + G^T force``.
    """

_IMPULSES_TEXT = """
    Parameters
    ----------
    model : Model
    Q, QDotMinus : array_like, shape (q_size,), (qdot_size,)
        Positions [rad or m] and velocities before the impact [rad/s or m/s].
    CS : ConstraintSet
        The constraints; ``CS.impulse`` is set.
    QDotPlus : ndarray, optional
        Where to put the result.

    Returns
    -------
    QDotPlus : ndarray, shape (qdot_size,)
        Velocities [rad/s or m/s].
    """


class _Forward(Protocol):
    """Forward dynamics under constraints."""

    def __call__(
        self,
        model: Model,
        Q: ArrayLike,
        QDot: ArrayLike,
        Tau: ArrayLike,
        CS: ConstraintSet,
        QDDot: Array | None = None,
        update_kinematics: bool = True,
        f_ext: ArrayLike | None = None,
    ) -> Array: ...


class _Impulses(Protocol):
    """Velocities after an impact."""

    def __call__(
        self,
        model: Model,
        Q: ArrayLike,
        QDotMinus: ArrayLike,
        CS: ConstraintSet,
        QDotPlus: Array | None = None,
    ) -> Array: ...


def _forward(method: str, name: str, doc: str) -> _Forward:
    def function(
        model: Model,
        Q: ArrayLike,
        QDot: ArrayLike,
        Tau: ArrayLike,
        CS: ConstraintSet,
        QDDot: Array | None = None,
        update_kinematics: bool = True,
        f_ext: ArrayLike | None = None,
    ) -> Array:
        q, qd = at_velocity(model, Q, QDot, update_kinematics)
        forces = None if f_ext is None else external_forces(model, f_ext)
        if QDDot is not None:
            check_output(QDDot, qd.shape)
        qdd, force = api.constrained_dynamics(
            model.core, CS.on(model), q, qd, numbers(Tau), forces, method=method
        )
        noted(CS, force=force)
        model.state.acceleration = q, qd, qdd, True
        return given(QDDot, qdd)

    return _named(function, name, f"{doc}\n{_FORWARD_TEXT}")


def _impulses(method: str, name: str, doc: str) -> _Impulses:
    def function(
        model: Model,
        Q: ArrayLike,
        QDotMinus: ArrayLike,
        CS: ConstraintSet,
        QDotPlus: Array | None = None,
    ) -> Array:
        q = at_position(model, Q, True)
        if QDotPlus is not None:
            check_output(QDotPlus, (model.dof_count,))
        qd, impulse = api.constraint_impulses(
            model.core, CS.on(model), q, numbers(QDotMinus), CS.v_plus, method=method
        )
        noted(CS, impulse=impulse)
        return given(QDotPlus, qd)

    return _named(function, name, f"{doc}\n{_IMPULSES_TEXT}")


def _named(function: Any, name: str, doc: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


ForwardDynamicsConstraintsDirect: _Forward = _forward(
    "direct",
    "ForwardDynamicsConstraintsDirect",
    "The accelerations under constraints, by the whole system; ``CS.force`` is set.",
)
ForwardDynamicsConstraintsRangeSpaceSparse: _Forward = _forward(
    "range_space",
    "ForwardDynamicsConstraintsRangeSpaceSparse",
    "The accelerations under constraints, by sparse factors of H; ``CS.force`` is set.",
)
ForwardDynamicsConstraintsNullSpace: _Forward = _forward(
    "null_space",
    "ForwardDynamicsConstraintsNullSpace",
    "The accelerations under constraints, by a basis of free motion; ``CS.force`` is set.",
)
ForwardDynamicsContactsKokkevis: _Forward = _forward(
    "kokkevis",
    "ForwardDynamicsContactsKokkevis",
    "The accelerations under constraints, by the ABA with test forces; ``CS.force`` is set.",
)
_IMPACT = (
    "The velocities after an impact with ``CS.v_plus``: ``H (QDotPlus - QDotMinus) = G^T impulse``."
)
ComputeConstraintImpulsesDirect: _Impulses = _impulses(
    "direct", "ComputeConstraintImpulsesDirect", _IMPACT
)
ComputeConstraintImpulsesRangeSpaceSparse: _Impulses = _impulses(
    "range_space", "ComputeConstraintImpulsesRangeSpaceSparse", _IMPACT
)
ComputeConstraintImpulsesNullSpace: _Impulses = _impulses(
    "null_space", "ComputeConstraintImpulsesNullSpace", _IMPACT
)


def CalcAssemblyQ(
    model: Model,
    QInit: ArrayLike,
    CS: ConstraintSet,
    Q: Array,
    weights: ArrayLike,
    tolerance: float = 1e-12,
    max_iter: int = 100,
) -> bool:
    """Put positions near ``QInit`` that meet the constraints into ``Q``; whether there are any.

    Parameters
    ----------
    model : Model
    QInit : array_like, shape (q_size,)
        Positions [rad or m].
    CS : ConstraintSet
        The constraints.
    Q : ndarray, optional
        Where to put the result.
    weights : array_like, shape (qdot_size,)
        How hard each freedom is to move; zero for free.
    tolerance : float
        Norm of the constraints' errors that will do.
    max_iter : int
        Most steps.

    Returns
    -------
    success : bool
        Whether the errors are below the tolerance.

    Raises
    ------
    RBDLDofMismatchError
        If an array does not fit the model.
    """
    start, weight = sized(QInit, model.q_size, "QInit"), _weights(model, weights)
    check_output(Q, (model.q_size,))
    found = api.assemble(
        model.core, CS.on(model), start, weights=weight, tolerance=tolerance,
        max_iterations=max_iter,
    )  # fmt: skip
    Q[...] = found.q
    return bool(found.success)


def CalcAssemblyQDot(
    model: Model,
    Q: ArrayLike,
    QDotInit: ArrayLike,
    CS: ConstraintSet,
    QDot: Array | None,
    weights: ArrayLike,
) -> Array:
    """Velocities near ``QDotInit`` that meet the constraints at ``Q``.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    QDotInit : array_like, shape (qdot_size,)
        Velocities [rad/s or m/s].
    CS : ConstraintSet
        The constraints.
    QDot : ndarray, optional
        Where to put the result.
    weights : array_like, shape (qdot_size,)
        How hard each freedom is to move; zero for free.

    Returns
    -------
    QDot : ndarray, shape (qdot_size,)
        The velocities.
    """
    q = sized(Q, model.q_size, "Q")
    start = sized(QDotInit, model.qdot_size, "QDotInit")
    weight = _weights(model, weights)
    found = api.assemble(
        model.core, CS.on(model), q, start, weights=weight, tolerance=np.inf, max_iterations=1
    )
    if not np.array_equal(found.q, q):
        raise RBDLError("velocities were asked for at positions that cannot be evaluated")
    return given(QDot, np.asarray(found.qd))


def _weights(model: Model, weights: ArrayLike) -> Array:
    return sized(weights, model.dof_count, "weights")


def InverseDynamicsConstraints(
    model: Model,
    Q: ArrayLike,
    QDot: ArrayLike,
    QDDotDesired: ArrayLike,
    CS: ConstraintSet,
    QDDotOutput: Array | None = None,
    TauOutput: Array | None = None,
    update_kinematics: bool = True,
    f_ext: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """The forces of actuated freedoms that give them ``QDDotDesired``, and all accelerations.

    `isConstrainedSystemFullyActuated` tells whether that is possible; `CS.SetActuationMap`
    says which freedoms are actuated.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    QDot : array_like, shape (qdot_size,)
        Velocities [rad/s or m/s].
    QDDotDesired : array_like, shape (qdot_size,)
        Accelerations [rad/s^2 or m/s^2].
    CS : ConstraintSet
        The constraints.
    QDDotOutput, TauOutput : ndarray, optional
        Where to put the result.
    update_kinematics : bool
        Whether to take the state that is given; False takes the one noted last.
    f_ext : array_like, shape (n_bodies + 1, 6), optional
        Spatial force on the root and on each moving body, base coordinates [N m, N].

    Returns
    -------
    QDDot : ndarray, shape (qdot_size,)
        Accelerations [rad/s^2 or m/s^2].
    Tau : ndarray, shape (qdot_size,)
        Joint forces [N m or N].
    """
    given_ = (Q, QDot, QDDotDesired, CS, QDDotOutput, TauOutput, update_kinematics, f_ext)
    return _inverse(model, *given_, relaxed=False)


def InverseDynamicsConstraintsRelaxed(
    model: Model,
    Q: ArrayLike,
    QDot: ArrayLike,
    QDDotControls: ArrayLike,
    CS: ConstraintSet,
    QDDotOutput: Array | None = None,
    TauOutput: Array | None = None,
    update_kinematics: bool = True,
    f_ext: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """The same for accelerations that may give way a little where they must.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    QDot : array_like, shape (qdot_size,)
        Velocities [rad/s or m/s].
    QDDotControls : array_like, shape (qdot_size,)
        Accelerations [rad/s^2 or m/s^2].
    CS : ConstraintSet
        The constraints.
    QDDotOutput, TauOutput : ndarray, optional
        Where to put the result.
    update_kinematics : bool
        Whether to take the state that is given; False takes the one noted last.
    f_ext : array_like, shape (n_bodies + 1, 6), optional
        Spatial force on the root and on each moving body, base coordinates [N m, N].

    Returns
    -------
    QDDot : ndarray, shape (qdot_size,)
        Accelerations [rad/s^2 or m/s^2].
    Tau : ndarray, shape (qdot_size,)
        Joint forces [N m or N].
    """
    given_ = (Q, QDot, QDDotControls, CS, QDDotOutput, TauOutput, update_kinematics, f_ext)
    return _inverse(model, *given_, relaxed=True)


def _inverse(
    model, Q, QDot, wanted, CS, QDDotOutput, TauOutput, update_kinematics, f_ext, *, relaxed
) -> tuple[Array, Array]:
    q, qd = at_velocity(model, Q, QDot, update_kinematics)
    forces = external_forces(model, f_ext)
    actuated, weight = _actuated(CS), None
    if relaxed:  # RBDL's choice: 100 times the largest entry of the first rows of H
        weight = 100.0 * np.abs(api.mass_matrix(model.core, q)[: sum(actuated)]).max(initial=0.0)
    qdd, tau, force = api.constrained_inverse_dynamics(
        model.core, CS.on(model), q, qd, numbers(wanted), actuated, forces,
        relaxed=relaxed, weight=weight,
    )  # fmt: skip
    noted(CS, force=force)
    model.state.acceleration = q, qd, qdd, True
    return given(QDDotOutput, qdd), given(TauOutput, tau)


def isConstrainedSystemFullyActuated(
    model: Model,
    Q: ArrayLike,
    QDot: ArrayLike,
    CS: ConstraintSet,
    update_kinematics: bool = True,
    f_ext: ArrayLike | None = None,
) -> bool:
    """Whether constraints determine all freedoms that have no actuator.

    Parameters
    ----------
    model : Model
    Q : array_like, shape (q_size,)
        Positions [rad or m].
    QDot : array_like, shape (qdot_size,)
        Velocities [rad/s or m/s].
    CS : ConstraintSet
        The constraints.
    update_kinematics : bool
        Whether to take the state that is given; False takes the one noted last.
    f_ext : array_like, shape (n_bodies + 1, 6), optional
        Spatial force on the root and on each moving body, base coordinates [N m, N].

    Returns
    -------
    claim : bool
        Whether they do.
    """
    q, _ = at_velocity(model, Q, QDot, update_kinematics)
    return bool(api.is_fully_actuated(model.core, CS.on(model), q, _actuated(CS)))


def _actuated(CS: ConstraintSet) -> list[bool]:
    if CS.actuated is None:
        raise RBDLError("which freedoms are actuated is not known: call CS.SetActuationMap first")
    return CS.actuated


def SolveConstrainedSystemDirect(
    H: ArrayLike, G: ArrayLike, c: ArrayLike, gamma: ArrayLike
) -> tuple[Array, Array]:
    """``x`` and ``lambda`` of ``H x = c + G^T lambda``, ``G x = gamma``, for rows of any rank.

    Parameters
    ----------
    H : array_like, shape (n, n)
        Symmetric, positive definite.
    G : array_like, shape (rows, n)
        The rows.
    c : array_like, shape (n,)
        Right side.
    gamma : array_like, shape (rows,)
        Right side of the rows.

    Returns
    -------
    x : ndarray, shape (n,)
        The solution.
    multipliers : ndarray, shape (rows,)
        ``lambda``.
    """
    return solve_direct(*_system(H, G, c, gamma))


def SolveConstrainedSystemNullSpace(
    H: ArrayLike, G: ArrayLike, c: ArrayLike, gamma: ArrayLike
) -> tuple[Array, Array]:
    """The same by a basis of the motions that the rows leave free.

    Parameters
    ----------
    H : array_like, shape (n, n)
        Symmetric, positive definite.
    G : array_like, shape (rows, n)
        The rows.
    c : array_like, shape (n,)
        Right side.
    gamma : array_like, shape (rows,)
        Right side of the rows.

    Returns
    -------
    x : ndarray, shape (n,)
        The solution.
    multipliers : ndarray, shape (rows,)
        ``lambda``.
    """
    return solve_null_space(*_system(H, G, c, gamma))


def SolveConstrainedSystemRangeSpaceSparse(
    model: Model, H: ArrayLike, G: ArrayLike, c: ArrayLike, gamma: ArrayLike
) -> tuple[Array, Array]:
    """The same; ``model`` is not needed, since the branches of ``H`` are not made use of.

    Parameters
    ----------
    model : Model
    H : array_like, shape (n, n)
        Symmetric, positive definite.
    G : array_like, shape (rows, n)
        The rows.
    c : array_like, shape (n,)
        Right side.
    gamma : array_like, shape (rows,)
        Right side of the rows.

    Returns
    -------
    x : ndarray, shape (n,)
        The solution.
    multipliers : ndarray, shape (rows,)
        ``lambda``.
    """
    return SolveConstrainedSystemDirect(H, G, c, gamma)


def _system(H, G, c, gamma) -> tuple[Array, Array, Array, Array]:
    return numbers(H), numbers(c), numbers(G), numbers(gamma)
