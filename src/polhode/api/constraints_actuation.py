"""Inverse dynamics of actuated joints under constraints, as compiled functions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array
from ..compiler.jit import jit
from .constraints_dense import direct_state, is_finite, rounding
from .dense_factors import (
    decomposed,
    rotate,
    rotate_back,
    row_coordinates,
    row_factors,
    row_multipliers,
)


class Dynamics(NamedTuple):
    """``H qdd + C = tau + G^T force`` and ``G qdd = gamma``, of one state or of several.

    Attributes
    ----------
    H : ndarray, shape (..., nv, nv)
    C : ndarray, shape (..., nv)
    G : ndarray, shape (..., rows, nv)
    gamma : ndarray, shape (..., rows)
    """

    H: Array
    C: Array
    G: Array
    gamma: Array


@jit
def actuated_states(
    system: Dynamics, actuated: Array, qdd: Array, tau: Array, force: Array
) -> None:
    """Actuator forces that give each state its accelerations.

    Parameters
    ----------
    system : Dynamics
        With an axis of states.
    actuated : ndarray of bool, shape (nv,)
    qdd : ndarray, shape (states, nv)
        Wanted where there is an actuator; the other entries are results.
    tau : ndarray, shape (states, nv)
        Result.
    force : ndarray, shape (states, rows)
        Result.
    """
    H, C, G, gamma = system.H, system.C, system.G, system.gamma
    for k in range(len(H)):
        if is_finite(G[k]):
            one = Dynamics(H[k], C[k], G[k], gamma[k])
            _actuate(one, actuated, qdd[k], tau[k], force[k])
        else:
            qdd[k], tau[k], force[k] = np.nan, np.nan, np.nan


@jit
def relaxed_states(
    system: Dynamics, W: Array, actuated: Array, qdd: Array, tau: Array, force: Array
) -> None:
    """The same where wanted accelerations are relaxed, at a cost ``W`` of their errors.

    Parameters are as of `actuated_states`, and ``W``, shape (states, nv, nv), zero but for
    actuated rows and columns.
    """
    H, C, G, gamma = system.H, system.C, system.G, system.gamma
    n = len(actuated)
    for k in range(len(H)):
        total, f, bias, wanted = H[k].copy(), np.zeros(n), np.zeros(n), qdd[k].copy()
        for i in range(n):
            bias[i] = C[k, i] if actuated[i] else 0.0
            for j in range(n):
                total[i, j] += W[k, i, j]
                f[i] += W[k, i, j] * wanted[j]
            f[i] += bias[i] - C[k, i]
        direct_state(total, f, G[k], gamma[k], qdd[k], force[k])
        for i in range(n):
            tau[k, i] = bias[i]
            for j in range(n):
                tau[k, i] += W[k, i, j] * (wanted[j] - qdd[k, j])


@jit
def ranks_without(G: Array, actuated: Array, ranks: Array) -> None:
    """The rank, in each state, of the columns without actuators; -1 if ``G`` is not finite."""
    for k in range(len(G)):
        if is_finite(G[k]):
            ranks[k] = row_factors(_columns(G[k], actuated), rounding(G[k])).rank
        else:
            ranks[k] = -1


@jit
def _columns(G: Array, actuated: Array) -> Array:
    """The columns of ``G`` without actuators."""
    n_free = 0
    for j in range(len(actuated)):
        n_free += not actuated[j]
    part = np.empty((len(G), n_free))
    for i in range(len(G)):
        at = 0
        for j in range(len(actuated)):
            if not actuated[j]:
                part[i, at] = G[i, j]
                at += 1
    return part


@jit
def _actuate(system: Dynamics, actuated: Array, qdd: Array, tau: Array, force: Array) -> None:
    """One state: free accelerations from ``G qdd = gamma``, then forces from the motion.

    Where the free columns of ``G`` do not determine either, the shortest least-squares
    solution is taken.
    """
    H, C, G = system.H, system.C, system.G
    n = len(C)
    free = decomposed(_columns(G, actuated), rounding(G))
    rest = system.gamma.copy()
    for i in range(len(rest)):
        for j in range(n):
            if actuated[j]:
                rest[i] -= G[i, j] * qdd[j]
    x = np.zeros(free.rows.lower.shape[1])
    x[: free.rows.rank] = row_coordinates(free, rest)
    rotate_back(free.rows, x)
    at = 0
    for j in range(n):
        if not actuated[j]:
            qdd[j] = x[at]
            at += 1
    at = 0
    for i in range(n):
        tau[i] = C[i]
        for j in range(n):
            tau[i] += H[i, j] * qdd[j]
        if not actuated[i]:
            x[at] = tau[i]
            at += 1
    rotate(free.rows, x)
    force[:] = row_multipliers(free, x[: free.rows.rank])
    for i in range(n):
        if actuated[i]:
            for j in range(len(force)):
                tau[i] -= G[j, i] * force[j]
        else:
            tau[i] = 0.0
