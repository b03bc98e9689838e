"""Dense solutions of ``H x = f + G^T l, G x = b`` for rows of any rank, as compiled functions."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..compiler.jit import jit
from .dense_factors import (
    RowFactors,
    decomposed,
    eliminate,
    longest,
    rotate,
    rotate_back,
    rotate_rest,
    row_coordinates,
    row_multipliers,
    square,
)

RANK_TOLERANCE = 1e-9  # of the longest row is left of a row that is not redundant


@jit
def direct_states(H: Array, f: Array, G: Array, b: Array, x: Array, multipliers: Array) -> None:
    """Solve each state by the whole matrix; results go into ``x`` and ``multipliers``.

    Parameters
    ----------
    H : ndarray, shape (states, n, n)
    f : ndarray, shape (states, n)
    G : ndarray, shape (states, rows, n)
    b : ndarray, shape (states, rows)
    x : ndarray, shape (states, n)
    multipliers : ndarray, shape (states, rows)
    """
    for k in range(len(H)):
        direct_state(H[k], f[k], G[k], b[k], x[k], multipliers[k])


@jit
def null_space_states(H: Array, f: Array, G: Array, b: Array, x: Array, multipliers: Array) -> None:
    """The same by an orthogonal basis of the motions that the rows leave free."""
    for k in range(len(H)):
        if is_finite(G[k]):
            rows = decomposed(G[k], rounding(G[k]))
            mu = _null_space(H[k], f[k], rows.rows, row_coordinates(rows, b[k]), x[k])
            multipliers[k] = row_multipliers(rows, mu)
        else:
            x[k], multipliers[k] = np.nan, np.nan


@jit
def direct_state(H: Array, f: Array, G: Array, b: Array, x: Array, multipliers: Array) -> None:
    """One state by the whole matrix."""
    if is_finite(G):
        rows = decomposed(G, rounding(G))
        mu = _direct(H, f, rows.rows, row_coordinates(rows, b), x)
        multipliers[:] = row_multipliers(rows, mu)
    else:
        x[:], multipliers[:] = np.nan, np.nan


@jit
def rounding(G: Array) -> float:
    """The length up to which a row beside others of ``G`` is redundant."""
    return RANK_TOLERANCE * longest(G)


@jit
def is_finite(A: Array) -> bool:
    """Whether no entry of a matrix is infinite or not a number."""
    for i in range(len(A)):
        for j in range(A.shape[1]):
            if not np.isfinite(A[i, j]):
                return False
    return True


@jit
def _direct(H: Array, f: Array, G: RowFactors, y: Array, x: Array) -> Array:
    """``[[H, Y^T], [Y, 0]] (x, -mu) = (f, y)`` with orthonormal rows ``Y``; returns ``mu``."""
    n, rank = len(H), G.rank
    K, solution = square(n + rank), np.empty(n + rank)
    for i in range(n):
        K[i, :n] = H[i]
    row = np.empty(n)
    for k in range(rank):
        row[:] = 0.0
        row[k] = 1.0
        rotate_back(G, row)
        K[n + k, :n] = row
        for i in range(n):
            K[i, n + k] = row[i]
    solution[:n], solution[n:] = f, y
    eliminate(K, solution)
    x[:] = solution[:n]
    mu = np.empty(rank)
    for k in range(rank):
        mu[k] = -solution[n + k]
    return mu


@jit
def _null_space(H: Array, f: Array, G: RowFactors, y: Array, x: Array) -> Array:
    """``x = Q (y, z)``: the rows set ``y``, the equation of free motion ``z``; returns ``mu``."""
    n, rank = len(H), G.rank
    x[:rank], x[rank:] = y, 0.0
    rotate_back(G, x)
    left = _residual(H, x, f)
    rotate(G, left)
    turned = H.copy()
    rotate_rest(G, turned)
    inner, z = square(n - rank), np.empty(n - rank)
    for i in range(n - rank):
        inner[i, : n - rank] = turned[rank + i, rank:]
        z[i] = left[rank + i]
    eliminate(inner, z)
    x[:rank], x[rank:] = y, z
    rotate_back(G, x)
    left = _residual(H, x, f)
    rotate(G, left)
    mu = np.empty(rank)
    for i in range(rank):
        mu[i] = -left[i]
    return mu


@jit
def _residual(H: Array, x: Array, f: Array) -> Array:
    """``f - H x`` for a symmetric ``H``."""
    left = f.copy()
    for i in range(len(x)):
        for j in range(len(x)):
            left[j] -= H[i, j] * x[i]
    return left
