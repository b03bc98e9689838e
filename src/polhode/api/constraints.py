"""Dynamics under constraints: accelerations and impacts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import algorithms
from ..arrays import ArrayLike
from ..constraints import Constraint, ConstraintSet
from ..errors import ModelError, suggestion
from ..model import Model, PerBody
from ..scalar import Scalar
from .constraints_equations import constrained_system
from .constraints_programs import check_rows, evaluate_constrained, require_set
from .constraints_solve import solve_direct, solve_null_space
from .derivatives_programs import written


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
        The first two are compiled for the set: by the branch-sparse factors of ``H``, and by
        the articulated-body algorithm.  The others are dense: the whole matrix, and a basis
        of the motions left free.
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
    ``H qdd + C = tau + G^T force`` and ``G qdd = gamma``.  Rows may depend on each other: the
    compiled methods give redundant rows no force (those that come first carry it), the
    dense ones share it with the least sum of squares; ``qdd`` is the same.  If rows contradict
    each other, the compiled methods follow the first ones.  RBDA chapter 8.
    """
    require_set(model, constraints)
    function, forced = _method(_DYNAMICS, method)
    if function is not None:
        if f_ext is None:
            result = evaluate_constrained(function, constraints, (q, qd, tau), out)
        else:
            result = evaluate_constrained(forced, constraints, (q, qd, tau, f_ext), out)
        return ConstrainedMotion(*result)
    system = constrained_system(model, constraints, q, qd, f_ext)
    solve = solve_direct if method == "direct" else solve_null_space
    f = np.asarray(tau, dtype=float) - system.C
    return ConstrainedMotion(*written(solve(system.H, f, system.G, system.gamma), out))


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
    v_plus = np.zeros(constraints.n_rows) if v_plus is None else v_plus
    function, _ = _method(_IMPULSES, method)
    if function is not None:
        return Impact(*evaluate_constrained(function, constraints, (q, qd, v_plus), out))
    check_rows("v_plus", np.asarray(v_plus), constraints)
    system = constrained_system(model, constraints, q, np.asarray(qd, dtype=float))
    solve = solve_direct if method == "direct" else solve_null_space
    momentum = np.einsum("...ij,...j->...i", system.H, np.asarray(qd, float))
    return Impact(*written(solve(system.H, momentum, system.G, np.asarray(v_plus, float)), out))


def range_space_with_forces(
    model: Model,
    q: PerBody,
    qd: PerBody,
    tau: PerBody,
    f_ext: PerBody,
    *,
    constraints: tuple[Constraint, ...],
) -> tuple[list[Scalar], list[Scalar]]:
    """Constrained dynamics with external forces in base coordinates."""
    f = algorithms.external_forces(model, q, f_ext)
    return algorithms.constrained_range_space(model, q, qd, tau, f, constraints=constraints)


def kokkevis_with_forces(
    model: Model,
    q: PerBody,
    qd: PerBody,
    tau: PerBody,
    f_ext: PerBody,
    *,
    constraints: tuple[Constraint, ...],
) -> tuple[list[Scalar], list[Scalar]]:
    """The same by the articulated-body algorithm."""
    f = algorithms.external_forces(model, q, f_ext)
    return algorithms.constrained_kokkevis(model, q, qd, tau, f, constraints=constraints)


_DENSE = {"direct": (None, None), "null_space": (None, None)}
_DYNAMICS = {
    "range_space": (algorithms.constrained_range_space, range_space_with_forces),
    "kokkevis": (algorithms.constrained_kokkevis, kokkevis_with_forces),
    **_DENSE,
}
_IMPULSES = {
    "range_space": (algorithms.impulses_range_space, None),
    "kokkevis": (algorithms.impulses_kokkevis, None),
    **_DENSE,
}


def _method(known: dict[str, tuple], method: str) -> tuple:
    try:
        return known[method]
    except KeyError:
        names = ", ".join(known)
        raise ModelError(
            f"expected a method of {names}, got {method!r}{suggestion(str(method), known)}"
        ) from None
