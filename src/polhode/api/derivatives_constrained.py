"""Derivatives of dynamics and impacts under constraints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import algorithms
from ..arrays import ArrayLike, several
from ..binding.calls import evaluate
from ..binding.constraints_arguments import require_set
from ..binding.derivatives_programs import evaluate_set_derivative, is_analytic
from ..constraint_sets import ConstraintSet
from ..model import Model

Outputs = tuple[np.ndarray, ...]


class ConstrainedDynamicsDerivatives(NamedTuple):
    """Derivatives of accelerations, then of constraint forces, by position, velocity, force."""

    d_q: np.ndarray
    d_qd: np.ndarray
    d_tau: np.ndarray
    force_d_q: np.ndarray
    force_d_qd: np.ndarray
    force_d_tau: np.ndarray


class ImpactDerivatives(NamedTuple):
    """Derivatives of velocities after an impact, then of impulses.

    By position, by velocity before, and by what ``G qd`` is to be after it.
    """

    d_q: np.ndarray
    d_qd: np.ndarray
    d_v_plus: np.ndarray
    impulse_d_q: np.ndarray
    impulse_d_qd: np.ndarray
    impulse_d_v_plus: np.ndarray


def constrained_dynamics_derivatives(
    model: Model,
    constraints: ConstraintSet,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: Outputs | None = None,
) -> ConstrainedDynamicsDerivatives:
    """Return the derivatives of `constrained_dynamics`.

    Parameters
    ----------
    model : Model
    constraints : ConstraintSet
    q : array_like, shape (..., nq)
    qd, tau : array_like, shape (..., nv)
    f_ext : array_like, shape (..., n_bodies, 6), optional
        External forces in base coordinates, moment about the base origin first; they stay
        as they are when the joints move.
    out : tuple of ndarray, optional
        Six, where to put the results.

    Returns
    -------
    d_q, d_qd, d_tau : ndarray, shape (..., nv, nv)
        Row ``i``, column ``j``: acceleration ``i`` by position, velocity and force ``j``.
        Positions vary as `integrate` moves them.
    force_d_q, force_d_qd, force_d_tau : ndarray, shape (..., n_rows, nv)
        The force of row ``i``, as `constrained_dynamics` returns it, by the same.  A positive one
        pushes a contact's body along the normal [N], a loop's successor along the axis [N or N m].

    Raises
    ------
    ModelError
        If the set is empty or of another model.
    ShapeError
        If the last axes of an argument do not fit.
    TraceError
        If the function of a custom constraint or joint cannot be traced.

    Notes
    -----
    At fixed accelerations and forces, a variable changes the equation of motion and the rows.
    ``H dqdd - G^T dforce`` and ``G dqdd`` make up for these changes; O(n (depth + rows)) for each
    column.  Stabilization is part of the rows.  Rows that are redundant have no force, as in
    `constrained_dynamics`, hence no derivative.  With custom constraints or joints, by
    differentiating the program of constrained dynamics.
    """
    require_set(model, constraints)
    out = several(out)
    arguments = (q, qd, tau) if f_ext is None else (q, qd, tau, f_ext)
    if is_analytic(constraints):
        function = algorithms.constrained_derivatives
        blocks = evaluate(function, constraints, arguments, out)
    else:
        wrt, function = ("q", "qd", "tau"), algorithms.constrained_range_space
        blocks = evaluate_set_derivative(function, constraints, wrt, arguments, out)
    return ConstrainedDynamicsDerivatives(*blocks)


def constraint_impulses_derivatives(
    model: Model,
    constraints: ConstraintSet,
    q: ArrayLike,
    qd: ArrayLike,
    v_plus: ArrayLike | None = None,
    *,
    out: Outputs | None = None,
) -> ImpactDerivatives:
    """Return the derivatives of `constraint_impulses`.

    Parameters
    ----------
    model : Model
    constraints : ConstraintSet
    q : array_like, shape (..., nq)
    qd : array_like, shape (..., nv)
        Velocities before.
    v_plus : array_like, shape (..., n_rows), optional
        What ``G qd`` is to be after it; zero if omitted.
    out : tuple of ndarray, optional
        Six, where to put the results.

    Returns
    -------
    d_q, d_qd : ndarray, shape (..., nv, nv)
        Of the velocities after it, by position and by the velocities before.  Positions vary
        as `integrate` moves them.
    d_v_plus : ndarray, shape (..., nv, n_rows)
    impulse_d_q, impulse_d_qd : ndarray, shape (..., n_rows, nv)
        Of the impulses, signed as forces are in `constrained_dynamics` [N s or N m s].
    impulse_d_v_plus : ndarray, shape (..., n_rows, n_rows)

    Raises
    ------
    ModelError
        If the set is empty or of another model.
    ShapeError
        If the last axes of an argument do not fit.
    TraceError
        If the function of a custom constraint or joint cannot be traced.

    Notes
    -----
    As of `constrained_dynamics_derivatives`, with the jump of the velocities for accelerations.
    A target that depends on the state, such as a bounce ``v_plus = -e G qd``, has its own
    derivative: multiply it by ``d_v_plus`` and add.
    """
    require_set(model, constraints)
    v_plus = [0.0] * constraints.n_rows if v_plus is None else v_plus
    arguments, out = (q, qd, v_plus), several(out)
    if is_analytic(constraints):
        function = algorithms.impulse_derivatives
        blocks = evaluate(function, constraints, arguments, out)
    else:
        wrt, function = ("q", "qd", "v_plus"), algorithms.impulses_range_space
        blocks = evaluate_set_derivative(function, constraints, wrt, arguments, out)
    return ImpactDerivatives(*blocks)
