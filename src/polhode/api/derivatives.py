"""Derivatives of dynamics, exact, along the tangent of the joints."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import algorithms
from ..model import Model
from .programs import evaluate

ArrayLike = Any
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
    model: Model, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Outputs | None = None
) -> InverseDynamicsDerivatives:
    """Return the derivatives of `inverse_dynamics`.

    Parameters
    ----------
    q : array_like, shape (..., nq)
    qd, qdd : array_like, shape (..., nv)
    out : three ndarrays, shape (..., nv, nv), optional

    Returns
    -------
    d_q, d_qd, d_qdd : ndarray, shape (..., nv, nv)
        Row ``i``, column ``j``: force ``i`` by position, velocity and acceleration ``j``.
        Positions vary as `integrate` moves them; ``d_qdd`` is the mass matrix.

    Raises
    ------
    ModelError
        If the model has custom joints.
    ShapeError
        If the last axes of an argument do not fit the model.

    Notes
    -----
    O(n depth). Singh, Russo and Wensing, "Efficient analytical derivatives of rigid-body
    dynamics using spatial vector algebra", RA-L 7(2), 2022.
    """
    arguments, out = (q, qd, qdd), out and tuple(out)  # a named tuple is not a plain one
    return InverseDynamicsDerivatives(*evaluate(algorithms.rnea_derivatives, model, arguments, out))


def forward_dynamics_derivatives(
    model: Model, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, out: Outputs | None = None
) -> ForwardDynamicsDerivatives:
    """Return the derivatives of `forward_dynamics`.

    Parameters
    ----------
    q : array_like, shape (..., nq)
    qd, tau : array_like, shape (..., nv)
    out : three ndarrays, shape (..., nv, nv), optional

    Returns
    -------
    d_q, d_qd, d_tau : ndarray, shape (..., nv, nv)
        Row ``i``, column ``j``: acceleration ``i`` by position, velocity and force ``j``.
        Positions vary as `integrate` moves them; ``d_tau`` is the inverse mass matrix.

    Raises
    ------
    ModelError
        If the model has custom joints.
    ShapeError
        If the last axes of an argument do not fit the model.

    Notes
    -----
    ``-H^-1`` times the derivatives of inverse dynamics at the resulting accelerations
    (Carpentier and Mansard, "Analytical derivatives of rigid body dynamics algorithms",
    RSS 2018, section V).
    """
    arguments, out = (q, qd, tau), out and tuple(out)
    return ForwardDynamicsDerivatives(*evaluate(algorithms.aba_derivatives, model, arguments, out))
