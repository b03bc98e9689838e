"""Derivatives of energy and momentum; how joint velocities make momentum."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import algorithms
from ..algorithms.derivatives import energy as derivatives_energy
from ..arrays import ArrayLike, several
from ..binding.calls import evaluate
from ..binding.derivatives_programs import evaluate_derivative
from ..model import Model
from .dynamics import require_mass


class EnergyDerivatives(NamedTuple):
    """Derivatives of kinetic energy by position and velocity, and of potential energy."""

    kinetic_q: np.ndarray
    kinetic_qd: np.ndarray
    potential_q: np.ndarray


class MomentumDerivatives(NamedTuple):
    """Derivatives of momentum by position and velocity."""

    d_q: np.ndarray
    d_qd: np.ndarray


def energy_derivatives(
    model: Model, q: ArrayLike, qd: ArrayLike, *, out: tuple[np.ndarray, ...] | None = None
) -> EnergyDerivatives:
    """Return the derivatives of `energy`.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    qd : array_like, shape (..., nv)
    out : three ndarrays, shape (..., nv), optional

    Returns
    -------
    kinetic_q, kinetic_qd, potential_q : ndarray, shape (..., nv)
        Of kinetic energy by position and by velocity, and of potential energy by position;
        that by velocity is zero.  Positions vary as `integrate` moves them.

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.
    TraceError
        If the function of a custom joint cannot be traced.

    Notes
    -----
    ``kinetic_qd`` is the joint momentum ``H qd``, ``potential_q`` the `gravity_forces`, and
    ``kinetic_q = (v x s) . h`` with the velocity below the joint and the momentum above; O(n).
    """
    blocks = evaluate_derivative(
        derivatives_energy.energy_derivatives, model, (q, qd), several(out),
        algorithms.energy, _by_state, (0, 1, 2),
    )  # fmt: skip
    return EnergyDerivatives(*blocks)


def momentum_derivatives(
    model: Model, q: ArrayLike, qd: ArrayLike, *, out: tuple[np.ndarray, ...] | None = None
) -> MomentumDerivatives:
    """Return the derivatives of `momentum`.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    qd : array_like, shape (..., nv)
    out : pair of ndarray, shape (..., 6, nv), optional

    Returns
    -------
    d_q, d_qd : ndarray, shape (..., 6, nv)
        Of angular momentum about the base origin, then linear, in base axes.  Positions vary
        as `integrate` moves them.

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.
    TraceError
        If the function of a custom joint cannot be traced.

    Notes
    -----
    ``s x* h + Ic (v x s)`` and ``Ic s`` with the inertia and momentum above the joint, and the
    velocity below it; O(n).
    """
    blocks = evaluate_derivative(
        derivatives_energy.momentum_derivatives, model, (q, qd), several(out),
        algorithms.momentum, _by_state,
    )  # fmt: skip
    return MomentumDerivatives(*blocks)


def center_of_mass_jacobian(
    model: Model, q: ArrayLike, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return the Jacobian of the centre of mass.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    out : ndarray, shape (..., 3, nv), optional

    Returns
    -------
    J : ndarray, shape (..., 3, nv)
        ``J qd`` is `center_of_mass_velocity`, in base axes.

    Raises
    ------
    ModelError
        If no moving body has mass.
    ShapeError
        If the last axis of `q` is not ``model.nq``.

    Notes
    -----
    The linear part of ``Ic s`` by the mass of the model; O(n).  RBDA section 2.13.
    """
    require_mass(model)
    return evaluate(derivatives_energy.center_of_mass_jacobian, model, (q,), out)


def centroidal_momentum_matrix(
    model: Model, q: ArrayLike, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return the matrix that makes momentum about the centre of mass of joint velocities.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    out : ndarray, shape (..., 6, nv), optional

    Returns
    -------
    A : ndarray, shape (..., 6, nv)
        ``A qd`` is angular momentum about the centre of mass, then linear, in base axes.

    Raises
    ------
    ModelError
        If no moving body has mass.
    ShapeError
        If the last axis of `q` is not ``model.nq``.

    Notes
    -----
    Columns ``Ic s``, carried to the centre of mass; O(n).  Orin and Goswami, "Centroidal
    momentum matrix of a humanoid robot", IROS 2008.
    """
    require_mass(model)
    return evaluate(derivatives_energy.centroidal_momentum_matrix, model, (q,), out)


def _by_state(program):
    return program.jacobian(("q", "qd"), tangent=True)
