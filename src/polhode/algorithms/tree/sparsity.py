"""Factorisation that keeps branch-induced sparsity (RBDA Table 6.3 to 6.5, section 6.5).

``parents[i]`` is the index before ``i`` towards the root, or -1. A matrix has this sparsity if
entry (i, j) is zero unless ``i`` or ``j`` is an ancestor of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...scalar import Scalar, reciprocal, sqrt

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
    return solve_unit_lower(L, parents, [y * s for y, s in zip(x, inverse_d, strict=True)])


def solve_unit_lower(L: Matrix, parents: Sequence[int], b: Sequence[Scalar]) -> list[Scalar]:
    """``L^-1 b`` with ones on the diagonal of ``L``."""
    x = list(b)
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


def ltl(H: Matrix, parents: Sequence[int]) -> Matrix:
    """``H = L^T L`` with lower triangular ``L`` of the same sparsity (RBDA Table 6.3)."""
    n = len(H)
    L = [list(row) for row in H]
    for k in reversed(range(n)):
        L[k][k + 1 :] = [0.0] * (n - k - 1)
        L[k][k] = sqrt(L[k][k])
        scale = reciprocal(L[k][k])
        chain = list(ancestors(parents, k))
        for i in chain:
            L[k][i] = L[k][i] * scale
        for at, i in enumerate(chain):
            for j in chain[at:]:
                L[i][j] = L[i][j] - L[k][i] * L[k][j]
    return L


def times_symmetric(H: Matrix, parents: Sequence[int], x: Sequence[Scalar]) -> list[Scalar]:
    """``H x``; only the lower triangle of ``H`` is read (RBDA Table 6.5)."""
    y = [H[i][i] * x[i] for i in range(len(x))]
    for i in range(len(x)):
        for j in ancestors(parents, i):
            y[i] = y[i] + H[i][j] * x[j]
            y[j] = y[j] + H[i][j] * x[i]
    return y


def times_lower(L: Matrix, parents: Sequence[int], x: Sequence[Scalar]) -> list[Scalar]:
    """``L x``."""
    y = [L[i][i] * x[i] for i in range(len(x))]
    for i in range(len(x)):
        for j in ancestors(parents, i):
            y[i] = y[i] + L[i][j] * x[j]
    return y


def times_upper(L: Matrix, parents: Sequence[int], x: Sequence[Scalar]) -> list[Scalar]:
    """``L^T x``."""
    y = [L[i][i] * x[i] for i in range(len(x))]
    for i in range(len(x)):
        for j in ancestors(parents, i):
            y[j] = y[j] + L[i][j] * x[i]
    return y


def solve_lower(L: Matrix, parents: Sequence[int], b: Sequence[Scalar]) -> list[Scalar]:
    """``L^-1 b``."""
    x = list(b)
    for i in range(len(x)):
        for j in ancestors(parents, i):
            x[i] = x[i] - L[i][j] * x[j]
        x[i] = x[i] * reciprocal(L[i][i])
    return x


def solve_upper(L: Matrix, parents: Sequence[int], b: Sequence[Scalar]) -> list[Scalar]:
    """``L^-T b``."""
    x = list(b)
    for i in reversed(range(len(x))):
        x[i] = x[i] * reciprocal(L[i][i])
        for j in ancestors(parents, i):
            x[j] = x[j] - L[i][j] * x[i]
    return x


def elimination_parents(before: Sequence[set[int]]) -> list[int]:
    """The parents of a matrix whose row ``k`` is zero left of its diagonal but at ``before[k]``.

    The elimination tree from the last index to the first: the factors' other entries are zero
    (George and Liu 1981).
    """
    parents, filled = [-1] * len(before), [set(each) for each in before]
    for k in reversed(range(len(filled))):
        if filled[k]:
            parents[k] = max(filled[k])
            filled[parents[k]] |= filled[k] - {parents[k]}
    return parents


def expanded_parents(parents: Sequence[int], n_dofs: Sequence[int]) -> list[int]:
    """The parent of each joint variable, where joints have ``n_dofs`` of them (RBDA Table 6.4)."""
    last = [-1]  # the last variable of the base, then of each body
    expanded: list[int] = []
    for parent, count in zip(parents, n_dofs, strict=True):
        before = last[parent + 1]
        for _ in range(count):
            expanded.append(before)
            before = len(expanded) - 1
        last.append(before)
    return expanded
