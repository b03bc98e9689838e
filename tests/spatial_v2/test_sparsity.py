"""Factorisations along a tree cost what the book says, and keep its zeros."""

from __future__ import annotations

import numpy as np
import pytest

from polhode import spatial_v2 as sv
from polhode.algorithms.tree import sparsity
from polhode.compiler import Program

N = 100
TOLERANCE = 1e-11
RNG = np.random.default_rng(5)


def lower_entries(parents: list[int]) -> list[tuple[int, int]]:
    """Where a matrix with the sparsity of a tree may not be zero, below and on the diagonal."""
    return [(i, j) for i in range(len(parents)) for j in (i, *sparsity.ancestors(parents, i))]


def tree(branching: int) -> list[int]:
    """The parents of a tree of N rows, breadth first."""
    return [-1, *((i - 1) // branching for i in range(1, N))]


def matrix(parents: list[int], values) -> list[list]:
    """The symmetric matrix with these entries below and on the diagonal."""
    H = [[0.0] * N for _ in range(N)]
    for (i, j), x in zip(lower_entries(parents), values, strict=True):
        H[i][j] = H[j][i] = x
    return H


def operations(parents: list[int], function) -> int:
    """Additions, products and quotients of ``function(matrix, vector)``."""

    def build(values, b):
        return function(matrix(parents, values), b)

    return Program(build, {"values": (len(lower_entries(parents)),), "b": (N,)}).ops


def factors(H: list[list], parents: list[int]) -> list:
    """The entries of both factors of ``H``, all of which cost something."""
    L, inverse_d, _ = sparsity.ltdl(H, parents)
    return [*(L[i][j] for i, j in lower_entries(parents) if j < i), *inverse_d]


def costs(parents: list[int]) -> tuple[int, int]:
    """The sums D1 and D2 over the rows (RBDA section 6.5)."""
    depth = [1 + sum(1 for _ in sparsity.ancestors(parents, i)) for i in range(N)]
    return sum(d - 1 for d in depth), sum(d * (d - 1) // 2 for d in depth)


@pytest.mark.parametrize("branching", [2, 4])
def test_operations_are_those_of_the_book(branching, record_property):
    """D1 quotients and D2 products with a sum; for solving, D1 of them there and back."""
    parents = tree(branching)
    D1, D2 = costs(parents)
    factorise = operations(parents, lambda H, b: factors(H, parents))
    whole = operations(
        parents, lambda H, b: sparsity.ltdl_solve(*sparsity.ltdl(H, parents), list(b))
    )
    product = operations(parents, lambda H, b: sparsity.times_symmetric(H, parents, b))
    assert product == N + 4 * D1
    assert factorise == 2 * D2 + D1 + N  # N reciprocals stand in for D1 quotients
    assert whole == factorise + 4 * D1 + N
    dense = (N**3 - N) // 3 + N * N + 2 * N * (N - 1)
    record_property("operations", ("sparse solve, branching", branching, whole, dense))
    print(f"branching {branching}: {whole} operations, dense {dense}: {dense / whole:.1f} times")
    assert dense > 20 * whole


@pytest.mark.parametrize("branching", [1, 2, 4])
def test_factors_and_products(branching):
    """Products of the factors give the matrix; zeros between branches stay zeros."""
    parents = tree(branching)
    lambda_ = np.array(parents) + 1
    L0 = np.tril(np.array(matrix(parents, RNG.standard_normal(len(lower_entries(parents))))))
    np.fill_diagonal(L0, 4.0 + RNG.random(N))
    H, x = L0.T @ L0, RNG.standard_normal(N)
    L, (U, D) = sv.LTL(H, lambda_), sv.LTDL(H, lambda_)
    zero = np.array(matrix(parents, [1.0] * len(lower_entries(parents)))) == 0.0
    assert not np.any(L[zero | np.triu(np.ones((N, N), bool), 1)])
    assert not np.any(U[zero])
    for got, wanted in (
        (L, L0), (U.T @ D @ U, H),
        (sv.mpyH(H, lambda_, x), H @ x), (sv.mpyL(L, lambda_, x), L @ x),
        (sv.mpyLt(L, lambda_, x), L.T @ x),
        (L @ sv.mpyLi(L, lambda_, x), x), (L.T @ sv.mpyLit(L, lambda_, x), x),
    ):  # fmt: skip
        np.testing.assert_allclose(got, wanted, rtol=0, atol=TOLERANCE * np.abs(H).max())


def test_expanded_parents_of_a_floating_base():
    """Bodies 2 and 3 hang on the last of the base's six variables."""
    assert sv.expandLambda([0, 1, 1], [6, 1, 2]).tolist() == [0, 1, 2, 3, 4, 5, 6, 6, 8]
