"""A problem given by its Delassus matrix: ``u = G x + b``, without bodies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ShapeError
from .rows import ConstraintRows, height_of


def rows_of_delassus(
    G: ArrayLike,
    b: ArrayLike,
    kind: Sequence[int],
    *,
    mu: ArrayLike = 0.0,
    edges: ArrayLike = 0,
    lower: ArrayLike = 0.0,
    upper: ArrayLike = np.inf,
    compliance: ArrayLike = 0.0,
) -> ConstraintRows:
    """Rows that have the Delassus matrix ``G`` and the free row velocities ``b``.

    Parameters
    ----------
    G : array_like, shape (m, m)
        Symmetric and positive semidefinite, of any rank.
    b : array_like, shape (m,)
        Row velocities without impulses.
    kind : sequence of int
        One of BILATERAL, UNILATERAL, BOX, DISK, CONTACT per block, in the order of the rows.
    mu, edges, lower, upper : array_like, shape () or (K,)
        As in `ConstraintRows`.
    compliance : array_like, shape () or (m,)
        As in `ConstraintRows`.

    Returns
    -------
    rows : Rows
        On one node that has the identity for a mass, and as many velocities as `G` has rank.

    Raises
    ------
    ShapeError
        If the sizes of `G`, `b` and `kind` do not fit.
    """
    G, b = np.asarray(G, float), np.asarray(b, float)
    heights = [height_of(k) for k in kind]
    m, n_blocks = sum(heights), len(heights)
    if G.shape != (m, m) or b.shape != (m,):
        raise ShapeError(f"expected {m} rows for these blocks, got G {G.shape} and b {b.shape}")
    factor = _factor(G)
    row = np.concatenate(([0], np.cumsum(heights))).astype(np.int64)
    rank = factor.shape[1]

    def per_block(value: ArrayLike, dtype: type = float) -> np.ndarray:
        return np.broadcast_to(np.asarray(value, dtype), (n_blocks,)).copy()

    return ConstraintRows(
        node_dof=np.array([0, rank]),
        node_mass=np.array([0, rank * rank]),
        mass=np.eye(rank).ravel(),
        free=np.zeros(rank),
        kind=np.array(kind, np.int64),
        row=row,
        segment=np.arange(n_blocks + 1),
        node=np.zeros(n_blocks, np.int64),
        value=row * rank,
        jacobian=factor.ravel(),
        bias=b.copy(),
        compliance=np.broadcast_to(np.asarray(compliance, float), (m,)).copy(),
        mu=per_block(mu),
        widening=per_block(0.0),
        edges=per_block(edges, np.int64),
        lower=per_block(lower),
        upper=per_block(upper),
    )


def _factor(G: np.ndarray) -> np.ndarray:
    """``F`` with ``F F^T = G`` and as many columns as ``G`` has rank."""
    values, vectors = np.linalg.eigh(0.5 * (G + G.T))
    keep = values > 1e-13 * max(values[-1], 0.0) if len(values) else np.zeros(0, bool)
    return np.ascontiguousarray(vectors[:, keep] * np.sqrt(values[keep]))
