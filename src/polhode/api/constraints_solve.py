"""Dense solvers of ``H x = f + G^T l, G x = b`` for any rank of ``G``, one state or many.

They also serve rows that no program was made of.  Redundant rows share their force with the
least sum of squares, and contradictory rows are met in the least-squares sense.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array

RANK_TOLERANCE = 1e-9  # of the largest singular value of G


def solve_direct(H: Array, f: Array, G: Array, b: Array) -> tuple[Array, Array]:
    """By the whole matrix ``[[H, G^T], [G, 0]]``, of as many rows as are independent."""
    return _by_rank(_direct, H, f, G, b)


def solve_null_space(H: Array, f: Array, G: Array, b: Array) -> tuple[Array, Array]:
    """By an orthogonal basis of the motions that the rows leave free."""
    return _by_rank(_null_space, H, f, G, b)


def rank_of(s: Array) -> Array:
    """Ranks from singular values, largest first."""
    largest = s[..., :1] if s.shape[-1] else np.zeros((*s.shape[:-1], 1))
    return np.sum((s > RANK_TOLERANCE * largest) & (s > 0.0), axis=-1)


def _by_rank(method: Any, H: Array, f: Array, G: Array, b: Array) -> tuple[Array, Array]:
    """Solve the states of each rank together, in terms of the independent rows ``s V^T``."""
    n, m = H.shape[-1], G.shape[-2]
    batch = np.broadcast_shapes(H.shape[:-2], f.shape[:-1], G.shape[:-2], b.shape[:-1])
    H, G = (np.broadcast_to(x, (*batch, *x.shape[-2:])).reshape(-1, *x.shape[-2:]) for x in (H, G))
    f, b = (np.broadcast_to(x, (*batch, x.shape[-1])).reshape(-1, x.shape[-1]) for x in (f, b))
    x, multipliers = np.zeros((len(H), n)), np.zeros((len(H), m))
    U, s, Vt = np.linalg.svd(G, full_matrices=True)
    ranks = rank_of(s)
    for rank in np.unique(ranks):
        k = np.flatnonzero(ranks == rank)
        basis = U[k, :, :rank]
        wanted = np.einsum("imr,im->ir", basis, b[k]) / s[k, :rank]
        x[k], reduced = method(H[k], f[k], Vt[k], wanted, rank)
        multipliers[k] = np.einsum("imr,ir->im", basis, reduced / s[k, :rank])
    return x.reshape(*batch, n), multipliers.reshape(*batch, m)


def _direct(H: Array, f: Array, Vt: Array, wanted: Array, rank: int) -> tuple[Array, Array]:
    rows = Vt[:, :rank]
    corner = np.zeros((len(H), rank, rank))
    K = np.block([[H, np.swapaxes(rows, 1, 2)], [rows, corner]])
    solution = np.linalg.solve(K, np.concatenate([f, wanted], axis=1)[..., None])[..., 0]
    n = H.shape[-1]
    return solution[:, :n], -solution[:, n:]


def _null_space(H: Array, f: Array, Vt: Array, wanted: Array, rank: int) -> tuple[Array, Array]:
    Y, Z = Vt[:, :rank], Vt[:, rank:]
    held = np.einsum("irn,ir->in", Y, wanted)
    left = np.einsum("izn,in->iz", Z, f - np.einsum("inm,im->in", H, held))
    inner = Z @ H @ np.swapaxes(Z, 1, 2)
    free = np.linalg.solve(inner, left[..., None])[..., 0]
    x = held + np.einsum("izn,iz->in", Z, free)
    return x, np.einsum("irn,in->ir", Y, np.einsum("inm,im->in", H, x) - f)
