"""Inverse dynamics under constraints: which actuator forces give wanted accelerations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..arrays import ArrayLike
from ..constraints import ConstraintSet
from ..errors import ShapeError
from ..model import Model
from .constraints_equations import (
    ConstrainedSystem,
    constrained_system,
    constraint_jacobian,
)
from .constraints_programs import require_set
from .constraints_solve import rank_of, solve_direct
from .programs import check_shape

_STIFFNESS = 100.0  # of the mass matrix: the default weight of acceleration errors


class ConstrainedForces(NamedTuple):
    """Accelerations and forces of all joints (..., nv), and the force of each row."""

    qdd: np.ndarray
    tau: np.ndarray
    force: np.ndarray


def constrained_inverse_dynamics(
    model: Model,
    constraints: ConstraintSet,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    actuated: Sequence[bool],
    f_ext: ArrayLike | None = None,
    *,
    relaxed: bool = False,
    weight: ArrayLike | None = None,
) -> ConstrainedForces:
    """Return actuator forces that give accelerations, and what the other joints then do.

    Parameters
    ----------
    model : Model
    constraints : ConstraintSet
    q : array_like, shape (..., nq)
    qd : array_like, shape (..., nv)
    qdd : array_like, shape (..., nv)
        Wanted accelerations; entries without actuators are never read.
    actuated : sequence of bool, length nv
        Which entries of ``tau`` may differ from zero.
    f_ext : array_like, shape (..., n_bodies, 6), optional
    relaxed : bool
        Let actuated accelerations give way.  Without it they are exactly as wanted, which
        makes sense where `is_fully_actuated` holds; elsewhere rows are met, and unactuated
        joints left free of force, as nearly as is possible in the least-squares sense.
    weight : float or array_like, shape (...,), optional
        What errors of accelerations cost when relaxed, one like another; if omitted, a
        hundred times what the mass matrix says, as in RBDL.

    Returns
    -------
    forces : ConstrainedForces
        ``qdd``, ``tau`` and ``force``; ``tau`` is zero where there is no actuator.

    Raises
    ------
    ModelError
        If the set is empty or of another model.
    ShapeError
        If an argument or the mask does not fit.

    Notes
    -----
    ``H qdd + C = tau + G^T force`` and ``G qdd = gamma``.  Relaxed: the least
    ``qdd^T H qdd / 2 + C^T qdd + e^T W e / 2 - C_a^T e`` among those that meet the rows, with
    ``e = qdd_a - wanted_a`` for the actuated entries; ``W`` is ``100 H_aa``, or the weight given
    (Koch 2015).
    """
    require_set(model, constraints)
    mask = _mask(model, actuated)
    wanted = np.asarray(qdd, dtype=float)
    check_shape("qdd", (model.nv,), wanted, model)
    wanted = np.where(mask, wanted, 0.0)
    system = constrained_system(model, constraints, q, qd, f_ext)
    if relaxed:
        return _relaxed(system, wanted, mask, weight)
    return _exact(system, wanted, mask)


def is_fully_actuated(
    model: Model, constraints: ConstraintSet, q: ArrayLike, actuated: Sequence[bool]
) -> np.ndarray:
    """Return whether constraints determine all joints that have no actuator.

    Parameters
    ----------
    model : Model
    constraints : ConstraintSet
    q : array_like, shape (..., nq)
    actuated : sequence of bool, length nv

    Returns
    -------
    answer : ndarray of bool, shape (...)

    Raises
    ------
    ModelError
        If the set is empty or of another model.
    ShapeError
        If an argument or the mask does not fit.

    Notes
    -----
    Whether the columns of ``G`` without actuators are independent of each other.
    """
    require_set(model, constraints)
    mask = _mask(model, actuated)
    free = constraint_jacobian(model, constraints, q)[..., ~mask]
    return rank_of(np.linalg.svd(free, compute_uv=False)) == free.shape[-1]


def _exact(system: ConstrainedSystem, wanted: np.ndarray, mask: np.ndarray) -> ConstrainedForces:
    H, C, G, gamma = system[:4]
    free = np.linalg.pinv(G[..., ~mask])
    rest = gamma - _times(G, wanted)
    qdd = np.array(np.broadcast_to(wanted, (*rest.shape[:-1], wanted.shape[-1])))
    qdd[..., ~mask] = _times(free, rest)
    needed = _times(H, qdd) + C
    force = _times(np.swapaxes(free, -1, -2), needed[..., ~mask])
    tau = np.where(mask, needed - _times(np.swapaxes(G, -1, -2), force), 0.0)
    return ConstrainedForces(qdd, tau, force)


def _relaxed(
    system: ConstrainedSystem, wanted: np.ndarray, mask: np.ndarray, weight: ArrayLike | None
) -> ConstrainedForces:
    H, C, G, gamma = system[:4]
    W = _STIFFNESS * np.where(mask & mask[:, None], H, 0.0)
    if weight is not None:
        W = np.asarray(weight, dtype=float)[..., None, None] * np.diag(mask)
    held = np.where(mask, C, 0.0)
    qdd, force = solve_direct(H + W, _times(W, wanted) + held - C, G, gamma)
    return ConstrainedForces(qdd, _times(W, wanted - qdd) + held, force)


def _times(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    return (A @ x[..., None])[..., 0]


def _mask(model: Model, actuated: Sequence[bool]) -> np.ndarray:
    mask = np.asarray(actuated, dtype=bool)
    if mask.shape != (model.nv,):
        raise ShapeError(
            f"expected nv = {model.nv} entries in actuated, got {mask.size} (model '{model.name}')"
        )
    return mask
