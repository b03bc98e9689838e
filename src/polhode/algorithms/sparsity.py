"""Factorisation that keeps branch-induced sparsity (RBDA Table 6.3 to 6.5, section 6.5).

``parents[i]`` is the index before ``i`` towards the root, or -1; a matrix has this
sparsity if entry (i, j) is zero unless one of them is an ancestor of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..scalar import Scalar, reciprocal

Matrix = list[list[Scalar]]


def ancestors(parents: Sequence[int], i: int) -> Iterator[int]:
    """The indices from the parent of ``i`` to the root."""
    i = parents[i]
    while i >= 0:
        yield i
        i = parents[i]


def ltdl(H: Matrix, parents: Sequence[int]) -> tuple[Matrix, list[Scalar], Sequence[int]]:
    """``H = L^T D L``: unit lower triangular ``L``, the inverse of ``D``, and ``parents``."""
    n = len(H)
    A = [list(row) for row in H]
    L = [[0.0] * n for _ in range(n)]
    inverse_d: list[Scalar] = [0.0] * n
    for k in reversed(range(n)):
        L[k][k] = 1.0
        inverse_d[k] = reciprocal(A[k][k])
        for i in ancestors(parents, k):
            L[k][i] = A[k][i] * inverse_d[k]
        for i in ancestors(parents, k):
            A[i][i] = A[i][i] - L[k][i] * A[k][i]
            for j in ancestors(parents, i):
                A[i][j] = A[i][j] - L[k][i] * A[k][j]
    return L, inverse_d, parents


def ltdl_solve(
    L: Matrix, inverse_d: Sequence[Scalar], parents: Sequence[int], b: Sequence[Scalar]
) -> list[Scalar]:
    """``H^-1 b`` from the factors of ``H``."""
    x = list(b)
    for i in reversed(range(len(x))):
        for j in ancestors(parents, i):
            x[j] = x[j] - L[i][j] * x[i]
    x = [y * s for y, s in zip(x, inverse_d, strict=True)]
    for i in range(len(x)):
        for j in ancestors(parents, i):
            x[i] = x[i] - L[i][j] * x[j]
    return x


def ltdl_inverse(L: Matrix, inverse_d: Sequence[Scalar], parents: Sequence[int]) -> Matrix:
    """``H^-1 = W D^-1 W^T`` with ``W = L^-1``, which has the sparsity of ``L``."""
    n = len(L)
    W = [[0.0] * n for _ in range(n)]
    scaled = [[0.0] * n for _ in range(n)]
    chains = [(i, *ancestors(parents, i)) for i in range(n)]
    for i in range(n):
        W[i][i] = 1.0
        for j in chains[i][1:]:
            entry = -L[i][j]
            for k in chains[i][1:]:
                if k == j:
                    break
                entry = entry - L[i][k] * W[k][j]
            W[i][j] = entry
        for k in chains[i]:
            scaled[i][k] = W[i][k] * inverse_d[k]
    inverse = [[0.0] * n for _ in range(n)]
    for i in range(n):
        of_i = set(chains[i])
        for j in range(i + 1):
            common = [k for k in chains[j] if k in of_i]
            total: Scalar = 0.0
            for k in common:
                total = total + scaled[i][k] * W[j][k]
            inverse[i][j] = inverse[j][i] = total
    return inverse
