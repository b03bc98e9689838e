"""Inverse dynamics under constraints: which actuator forces give wanted accelerations."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from ..arguments import as_flag, as_mask
from ..arrays import Array, ArrayLike, as_array
from ..binding.constraints_arguments import common_batch, require_set, vector
from ..constraint_sets import ConstraintSet
from ..errors import ShapeError
from ..model import Model
from .constraints_equations import (
    ConstrainedSystem,
    constrained_system,
    constraint_jacobian,
)
from .constraints_solve import states

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
        Let actuated accelerations differ from those wanted.  Without it they are equal, which makes
        sense where `is_fully_actuated` holds.  Elsewhere two conditions are met as nearly as is
        possible in the least-squares sense: the rows, and no force in unactuated joints.
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
    where = f" (model '{model.name}')"
    mask, is_relaxed = _mask(model, actuated), as_flag("relaxed", relaxed, where)
    q, qd = vector("q", q, model.nq, model), vector("qd", qd, model.nv, model)
    wanted = np.where(mask, vector("qdd", qdd, model.nv, model), 0.0)
    system = constrained_system(model, constraints, q, qd, f_ext)
    named: dict[str, tuple[ArrayLike, int]] = {"q": (q, 1), "qd": (qd, 1), "qdd": (wanted, 1)}
    if f_ext is not None:
        named["f_ext"] = f_ext, 2
    stiffness = None
    if is_relaxed and weight is not None:
        stiffness = as_array("weight", weight, where)
        named["weight"] = stiffness, 0
    batch = common_batch(named, model)
    if is_relaxed:
        return _relaxed(system, wanted, mask, stiffness, batch)
    return _exact(system, wanted, mask, batch)


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
    Whether the columns of ``G`` without actuators are independent of each other; False of a
    position that is not finite.
    """
    require_set(model, constraints)
    mask = _mask(model, actuated)
    from .constraints_actuation import ranks_without

    G = constraint_jacobian(model, constraints, vector("q", q, model.nq, model))
    batch = G.shape[:-2]
    ranks = np.empty(prod(batch), dtype=int)
    ranks_without(states(G, batch, G.shape[-2:]), mask, ranks)
    return (ranks == np.sum(~mask)).reshape(batch)[()]


def _exact(
    system: ConstrainedSystem, wanted: Array, mask: Array, batch: tuple[int, ...]
) -> ConstrainedForces:
    from .constraints_actuation import Dynamics, actuated_states

    results = _results(system, batch)
    results.qdd[...] = wanted
    H, C, G, gamma = _flat(system, batch)
    actuated_states(Dynamics(H, C, G, gamma), mask, *_flat(results, batch))
    return results


def _relaxed(
    system: ConstrainedSystem,
    wanted: Array,
    mask: Array,
    stiffness: Array | None,
    batch: tuple[int, ...],
) -> ConstrainedForces:
    from .constraints_actuation import Dynamics, relaxed_states

    n = len(mask)
    if stiffness is None:
        W = _STIFFNESS * np.where(mask & mask[:, None], system.H, 0.0)
    else:
        W = stiffness[..., None, None] * np.diag(mask)
    results = _results(system, batch)
    results.qdd[...] = wanted
    H, C, G, gamma = _flat(system, batch)
    relaxed_states(Dynamics(H, C, G, gamma), states(W, batch, (n, n)), mask, *_flat(results, batch))
    return results


def _results(system: ConstrainedSystem, batch: tuple[int, ...]) -> ConstrainedForces:
    n_rows, nv = system.G.shape[-2:]
    return ConstrainedForces(*(np.empty((*batch, n)) for n in (nv, nv, n_rows)))


def _flat(system: ConstrainedSystem | ConstrainedForces, batch: tuple[int, ...]) -> list[Array]:
    """Arrays over one axis of states: of a system ``H``, ``C``, ``G`` and ``gamma``."""
    is_system = isinstance(system, ConstrainedSystem)
    depths = (2, 1, 2, 1) if is_system else (1, 1, 1)
    return [states(x, batch, x.shape[x.ndim - d :]) for x, d in zip(system, depths, strict=False)]


def _mask(model: Model, actuated: Sequence[bool]) -> Array:
    where = f" (model '{model.name}')"
    is_row = isinstance(actuated, list | tuple) or (
        isinstance(actuated, np.ndarray) and actuated.ndim == 1
    )
    if is_row and len(actuated) != model.nv:
        raise ShapeError(
            f"expected nv = {model.nv} entries in actuated, got {len(actuated)}{where}"
        )
    if is_row and isinstance(actuated, np.ndarray) and actuated.dtype.kind == "b":
        return np.ascontiguousarray(actuated)
    return np.array(as_mask("actuated", actuated, model.nv, where))
