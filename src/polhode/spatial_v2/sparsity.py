"""Branch-induced sparsity: factorisations and products along a parent array.

``lambda_[i]`` is the parent of row ``i``, counted from 1, and 0 for none.
"""

from __future__ import annotations

import numpy as np

from ..algorithms.tree import sparsity
from ..arrays import as_array
from ..errors import ShapeError
from .arrays import ArrayLike, vector
from .vocabulary import described


@described("parents")
def expandLambda(lambda_: ArrayLike, nf: ArrayLike) -> np.ndarray:
    """The parent array of joint variables, from that of bodies and the sizes of their joints."""
    parents = _parents(lambda_, np.size(lambda_))
    freedoms = vector(nf, len(parents), "nf").astype(int).tolist()
    return np.array(sparsity.expanded_parents(parents, freedoms), int) + 1


@described("L")
def LTL(H: ArrayLike, lambda_: ArrayLike) -> np.ndarray:
    """Lower triangular ``L`` with ``L.T @ L == H``; NaN unless ``H`` is positive definite."""
    rows, parents = _matrix(H, lambda_)
    return np.array(sparsity.ltl(rows, parents))


@described("L D")
def LTDL(H: ArrayLike, lambda_: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Unit lower triangular ``L`` and diagonal ``D`` with ``L.T @ D @ L == H``."""
    rows, parents = _matrix(H, lambda_)
    L, inverse_d, _ = sparsity.ltdl(rows, parents)
    return np.array(L), np.diag(1.0 / np.array(inverse_d))


@described("y")
def mpyH(H: ArrayLike, lambda_: ArrayLike, x: ArrayLike) -> np.ndarray:
    """``H @ x`` of a symmetric ``H``."""
    return _product(sparsity.times_symmetric, H, lambda_, x)


@described("y")
def mpyL(L: ArrayLike, lambda_: ArrayLike, x: ArrayLike) -> np.ndarray:
    """``L @ x``."""
    return _product(sparsity.times_lower, L, lambda_, x)


@described("y")
def mpyLt(L: ArrayLike, lambda_: ArrayLike, x: ArrayLike) -> np.ndarray:
    """``L.T @ x``."""
    return _product(sparsity.times_upper, L, lambda_, x)


@described("y")
def mpyLi(L: ArrayLike, lambda_: ArrayLike, x: ArrayLike) -> np.ndarray:
    """``inv(L) @ x``; no entry of the diagonal may be zero."""
    return _product(sparsity.solve_lower, L, lambda_, x)


@described("y")
def mpyLit(L: ArrayLike, lambda_: ArrayLike, x: ArrayLike) -> np.ndarray:
    """``inv(L.T) @ x``; no entry of the diagonal may be zero."""
    return _product(sparsity.solve_upper, L, lambda_, x)


def _product(function, A: ArrayLike, lambda_: ArrayLike, x: ArrayLike) -> np.ndarray:
    rows, parents = _matrix(A, lambda_)
    return np.array(function(rows, parents, vector(x, len(rows), "x").tolist()))


def _matrix(A: ArrayLike, lambda_: ArrayLike) -> tuple[list[list[float]], list[int]]:
    array = np.atleast_2d(as_array("A", A))
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ShapeError(f"expected a square matrix, got shape {array.shape}")
    return array.tolist(), _parents(lambda_, len(array))


def _parents(lambda_: ArrayLike, n: int) -> list[int]:
    parents = vector(lambda_, n, "lambda").astype(int)
    if any(not 0 <= p <= i for i, p in enumerate(parents.tolist())):
        raise ShapeError(f"expected 0 <= lambda(i) < i, got {parents.tolist()}")
    return (parents - 1).tolist()
