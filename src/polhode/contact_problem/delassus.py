"""A problem given by its Delassus matrix: ``u = G x + b``, without bodies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError, ShapeError, shown
from .calls import height_of
from .checks import ROUNDING, check_rows
from .rows import ConstraintRows


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
    ArgumentError
        If `G` is not symmetric or positive semidefinite, or the blocks are none that the solver
        takes.
    """
    G, b = _numbers("G", G), _numbers("b", b)
    heights = [height_of(k) for k in kind]
    m, n_blocks = sum(heights), len(heights)
    if G.shape != (m, m) or b.shape != (m,):
        raise ShapeError(f"expected {m} rows for these blocks, got G {G.shape} and b {b.shape}")
    factor = _factor(G)
    row = np.concatenate(([0], np.cumsum(heights))).astype(np.int64)
    rank = factor.shape[1]

    def per(count: int, name: str, value: ArrayLike) -> np.ndarray:
        numbers = _numbers(name, value)
        if numbers.shape not in ((), (count,)):
            raise ShapeError(f"expected shape () or ({count},) of {name}, got {numbers.shape}")
        return np.broadcast_to(numbers, (count,)).copy()

    corners = per(n_blocks, "edges", edges)
    if not np.array_equal(corners, np.round(corners)):
        raise ArgumentError(f"expected whole numbers as edges, got {corners.tolist()}")
    rows = ConstraintRows(
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
        compliance=per(m, "compliance", compliance),
        mu=per(n_blocks, "mu", mu),
        widening=np.zeros(n_blocks),
        edges=corners.astype(np.int64),
        lower=per(n_blocks, "lower", lower),
        upper=per(n_blocks, "upper", upper),
    )
    check_rows(rows)
    return rows


def _numbers(name: str, value: ArrayLike) -> np.ndarray:
    """An array of floats, infinite ones included."""
    try:
        return np.asarray(value, float)
    except (TypeError, ValueError):
        raise ShapeError(f"expected numbers as {name}, got {shown(value)}") from None


def _factor(G: np.ndarray) -> np.ndarray:
    """``F`` with ``F F^T = G`` and as many columns as ``G`` has rank."""
    if not np.isfinite(G).all():
        raise ArgumentError("expected finite numbers in G")
    most = np.abs(G).max(initial=0.0)
    if np.abs(G - G.T).max(initial=0.0) > ROUNDING * most:
        i, j = np.unravel_index(np.abs(G - G.T).argmax(), G.shape)
        raise ArgumentError(
            f"expected a symmetric G, got G[{i}, {j}] = {G[i, j]:g} and G[{j}, {i}] = {G[j, i]:g}; "
            "0.5 * (G + G.T) is symmetric"
        )
    values, vectors = np.linalg.eigh(0.5 * (G + G.T))
    if len(values) and values[0] < -ROUNDING * most:
        raise ArgumentError(
            f"expected a positive semidefinite G, got one with the eigenvalue {values[0]:.3g}"
        )
    keep = values > 1e-13 * max(values[-1], 0.0) if len(values) else np.zeros(0, bool)
    return np.ascontiguousarray(vectors[:, keep] * np.sqrt(values[keep]))
