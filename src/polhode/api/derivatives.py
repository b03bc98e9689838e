"""Derivatives of dynamics, exact, along the tangent of the joints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import algorithms
from ..arrays import ArrayLike, several
from ..binding.derivatives_programs import evaluate_derivative
from ..model import Model

Outputs = tuple[np.ndarray, ...]


class InverseDynamicsDerivatives(NamedTuple):
    """Derivatives of joint forces by position, velocity and acceleration."""

    d_q: np.ndarray
    d_qd: np.ndarray
    d_qdd: np.ndarray


class ForwardDynamicsDerivatives(NamedTuple):
    """Derivatives of joint accelerations by position, velocity and force."""

    d_q: np.ndarray
    d_qd: np.ndarray
    d_tau: np.ndarray


def inverse_dynamics_derivatives(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: Outputs | None = None,
) -> InverseDynamicsDerivatives:
    """Return the derivatives of `inverse_dynamics`.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    qd, qdd : array_like, shape (..., nv)
    f_ext : array_like, shape (..., n_bodies, 6), optional
        External forces in base coordinates, moment about the base origin first; they stay
        as they are when the joints move.
    out : three ndarrays, shape (..., nv, nv), optional

    Returns
    -------
    d_q, d_qd, d_qdd : ndarray, shape (..., nv, nv)
        Row ``i``, column ``j``: force ``i`` by position, velocity and acceleration ``j``.
        Positions vary as `integrate` moves them; ``d_qdd`` is the mass matrix.

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.
    TraceError
        If the function of a custom joint cannot be traced.

    Notes
    -----
    O(n depth). Singh, Russo and Wensing, "Efficient analytical derivatives of rigid-body
    dynamics using spatial vector algebra", RA-L 7(2), 2022.  With custom joints, by
    differentiating the program of inverse dynamics.
    """
    out = several(out)
    arguments = (q, qd, qdd) if f_ext is None else (q, qd, qdd, f_ext)
    blocks = evaluate_derivative(
        algorithms.rnea_derivatives, model, arguments, out, algorithms.inverse_dynamics, _by_motion
    )
    return InverseDynamicsDerivatives(*blocks)


def forward_dynamics_derivatives(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: Outputs | None = None,
) -> ForwardDynamicsDerivatives:
    """Return the derivatives of `forward_dynamics`.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    qd, tau : array_like, shape (..., nv)
    f_ext : array_like, shape (..., n_bodies, 6), optional
        External forces in base coordinates, moment about the base origin first; they stay
        as they are when the joints move.
    out : three ndarrays, shape (..., nv, nv), optional

    Returns
    -------
    d_q, d_qd, d_tau : ndarray, shape (..., nv, nv)
        Row ``i``, column ``j``: acceleration ``i`` by position, velocity and force ``j``.
        Positions vary as `integrate` moves them; ``d_tau`` is the inverse mass matrix.

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.
    TraceError
        If the function of a custom joint cannot be traced.

    Notes
    -----
    ``-H^-1`` times the derivatives of inverse dynamics at the resulting accelerations
    (Carpentier and Mansard, "Analytical derivatives of rigid body dynamics algorithms",
    RSS 2018, section V).  With custom joints, by differentiating the program of forward
    dynamics.
    """
    out = several(out)
    arguments = (q, qd, tau) if f_ext is None else (q, qd, tau, f_ext)
    blocks = evaluate_derivative(
        algorithms.aba_derivatives, model, arguments, out, algorithms.forward_dynamics, _by_motion
    )
    return ForwardDynamicsDerivatives(*blocks)


def _by_motion(program):
    """By the first three inputs, along the tangent."""
    return program.jacobian(list(program.inputs)[:3], tangent=True)
