"""Dynamics under constraints: accelerations and impacts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import algorithms
from ..arrays import Array, ArrayLike, written
from ..binding.calls import evaluate
from ..binding.constraints_arguments import common_batch, require_set, vector
from ..binding.model_argument import where_of
from ..constraint_sets import ConstraintSet
from ..errors import ModelError, TraceError, shown, suggestion
from ..model import Model
from .constraints_equations import constrained_system
from .constraints_solve import solved


class ConstrainedMotion(NamedTuple):
    """Accelerations (..., nv) and the force of each row (..., n_rows)."""

    qdd: np.ndarray
    force: np.ndarray


class Impact(NamedTuple):
    """Velocities after an impact (..., nv) and the impulse of each row (..., n_rows)."""

    qd_plus: np.ndarray
    impulse: np.ndarray


def constrained_dynamics(
    model: Model,
    constraints: ConstraintSet,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    method: str = "range_space",
    out: tuple[np.ndarray, np.ndarray] | None = None,
) -> ConstrainedMotion:
    """Return the accelerations under constraints, and the constraint forces.

    Parameters
    ----------
    model : Model
    constraints : ConstraintSet
    q : array_like, shape (..., nq)
        Joint positions [rad or m].
    qd, tau : array_like, shape (..., nv)
        Joint velocities and forces.
    f_ext : array_like, shape (..., n_bodies, 6), optional
        Forces on bodies, in base coordinates, with the moment about the base origin.
    method : {"range_space", "kokkevis", "direct", "null_space"}
        The first two are programs of the set: by the branch-sparse factors of ``H``, and by
        the articulated-body algorithm.  The others solve the set's equations by dense
        matrices, with pivots: the whole matrix, and a basis of the motions left free.
    out : pair of ndarray, optional

    Returns
    -------
    motion : ConstrainedMotion
        ``qdd`` (..., nv) and ``force`` (..., n_rows).

    Raises
    ------
    ModelError
        If the set is empty or of another model, or there is no such method.
    ShapeError
        If the last axes of an argument do not fit.

    Notes
    -----
    ``H qdd + C = tau + G^T force`` and ``G qdd = gamma``.  Rows may depend on each other.  The
    first two methods give redundant rows no force: those that come first carry it.  The dense ones
    share it with the least sum of squares.  ``qdd`` is the same.  If rows contradict each other,
    the first two follow the first rows, the dense ones meet all in the least-squares sense.  RBDA
    chapter 8.
    """
    require_set(model, constraints)
    if isinstance(method, str) and method in _DENSE:
        return ConstrainedMotion(*_dense_motion(method, constraints, (q, qd, tau), f_ext, out))
    function = _method(_DYNAMICS, method)
    arguments = (q, qd, tau) if f_ext is None else (q, qd, tau, f_ext)
    return ConstrainedMotion(*evaluate(function, constraints, arguments, out))


def constraint_impulses(
    model: Model,
    constraints: ConstraintSet,
    q: ArrayLike,
    qd: ArrayLike,
    v_plus: ArrayLike | None = None,
    *,
    method: str = "range_space",
    out: tuple[np.ndarray, np.ndarray] | None = None,
) -> Impact:
    """Return the velocities after an impact on the constraints, and the impulses.

    Parameters
    ----------
    model : Model
    constraints : ConstraintSet
    q : array_like, shape (..., nq)
    qd : array_like, shape (..., nv)
        Velocities before.
    v_plus : array_like, shape (..., n_rows), optional
        What ``G qd`` is to be after it; zero if omitted.
    method : {"range_space", "kokkevis", "direct", "null_space"}
        As of `constrained_dynamics`.
    out : pair of ndarray, optional

    Returns
    -------
    impact : Impact
        ``qd_plus`` (..., nv) and ``impulse`` (..., n_rows).

    Raises
    ------
    ModelError
        If the set is empty or of another model, or there is no such method.
    ShapeError
        If the last axes of an argument do not fit.

    Notes
    -----
    ``H (qd_plus - qd) = G^T impulse`` and ``G qd_plus = v_plus``: a positive impulse pushes as
    a positive force does.
    """
    require_set(model, constraints)
    v_plus = [0.0] * constraints.n_rows if v_plus is None else v_plus
    if isinstance(method, str) and method in _DENSE:
        return Impact(*_dense_impact(method, constraints, q, qd, v_plus, out))
    function = _method(_IMPULSES, method)
    return Impact(*evaluate(function, constraints, (q, qd, v_plus), out))


_DYNAMICS = {
    "range_space": algorithms.constrained_range_space,
    "kokkevis": algorithms.constrained_kokkevis,
}
_IMPULSES = {
    "range_space": algorithms.impulses_range_space,
    "kokkevis": algorithms.impulses_kokkevis,
}
_DENSE = "direct", "null_space"


def _method(known: dict[str, Any], method: Any) -> Any:
    if isinstance(method, str) and method in known:
        return known[method]
    names = *known, *_DENSE
    hint = suggestion(method, names) if isinstance(method, str) else ""
    raise ModelError(f"expected a method of {', '.join(names)}, got {shown(method)}{hint}")


def _dense_motion(
    method: str,
    constraints: ConstraintSet,
    state: tuple[ArrayLike, ArrayLike, ArrayLike],
    f_ext: ArrayLike | None,
    out: Any,
) -> tuple[Array, Array]:
    """Accelerations and forces of rows, from the set's equations at each state."""
    _refuse_traced(method, state)
    model = constraints.model
    names, lengths = ("q", "qd", "tau"), (model.nq, model.nv, model.nv)
    q, qd, tau = (vector(*each, model) for each in zip(names, state, lengths, strict=True))
    system = constrained_system(model, constraints, q, qd, f_ext)
    if tau.shape != system.C.shape:
        common_batch({"the equations": (system.C, 1), "tau": (tau, 1)}, model)
    results = solved(method, system.H, tau - system.C, system.G, system.gamma)
    return written(results, out, where_of(model))


def _dense_impact(
    method: str,
    constraints: ConstraintSet,
    q: ArrayLike,
    qd: ArrayLike,
    v_plus: ArrayLike,
    out: Any,
) -> tuple[Array, Array]:
    """Velocities after an impact, and impulses: the jump is what the rows still lack."""
    _refuse_traced(method, (q, qd, v_plus))
    model = constraints.model
    wanted = vector("v_plus", v_plus, constraints.n_rows, model)
    before = vector("qd", qd, model.nv, model)
    system = constrained_system(model, constraints, vector("q", q, model.nq, model), before)
    if wanted.shape != system.errd.shape:
        common_batch({"the equations": (system.errd, 1), "v_plus": (wanted, 1)}, model)
    rest = np.zeros(model.nv)
    jump, impulse = solved(method, system.H, rest, system.G, wanted - system.errd)
    return written((before + jump, impulse), out, where_of(model))


def _refuse_traced(method: str, arguments: tuple[Any, ...]) -> None:
    """A TraceError for traced values: pivots depend on numbers."""
    if all(type(x) is np.ndarray and not x.dtype.hasobject for x in arguments):
        return
    from ..binding.composing import is_traced

    if is_traced(arguments):
        raise TraceError(
            f"method '{method}' looks for pivots among numbers and cannot become part of a "
            "program; use 'range_space' or 'kokkevis' in functions that are compiled"
        )
