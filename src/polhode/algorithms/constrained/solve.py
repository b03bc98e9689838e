"""Systems ``H x = f + G^T l, G x = b`` whose rows may depend on each other (RBDA section 8.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...scalar import Scalar, reciprocal, where
from ...spatial import LDL
from ..tree.sparsity import Matrix, ancestors, ltdl
from .sparse_rows import Row, added, row_product

Vector = list[Scalar]

RANK_TOLERANCE = 1e-11
"""A row is redundant if less than this part of its inverse inertia is left when the rows
before it are held."""


def semidefinite_ldl(A: Sequence[Sequence[Scalar]]) -> LDL:
    """The factors of a matrix that is only semidefinite; its redundant rows get no part in ``x``.

    Where the pivot of a row vanishes, so does the rest of its column: the row is left out,
    and the factors solve every consistent system, with zeros for what is redundant.
    """
    L: list[tuple[Scalar, ...]] = []
    inverse_d: list[Scalar] = []
    for i, row in enumerate(A):
        scaled: list[Scalar] = []  # entries L_ij d_j
        lower: list[Scalar] = []
        for j in range(i):
            entry = row[j]
            for k in range(j):
                entry = entry - scaled[k] * L[j][k]
            scaled.append(entry)
            lower.append(entry * inverse_d[j])
        pivot = row[i]
        for k in range(i):
            pivot = pivot - scaled[k] * lower[k]
        counts = pivot > row[i] * RANK_TOLERANCE
        L.append(tuple(lower))
        inverse_d.append(where(counts, reciprocal(where(counts, pivot, 1.0)), 0.0))
    return LDL(tuple(L), tuple(inverse_d))


class RangeSpace:
    """The solver of one ``H`` and ``G``: by the factors of ``H`` and of ``G H^-1 G^T``.

    With ``H = L^T D L`` and the rows ``W = G L^-1`` the latter is ``W D^-1 W^T``; a row of
    ``W`` is zero off the branches that a row of ``G`` is about, so nothing dense is formed.
    """

    def __init__(self, H: Matrix, parents: Sequence[int], G: Sequence[Mapping[int, Scalar]]):
        self.G = G
        self.L: Matrix
        self.inverse_d: Vector
        self.parents: Sequence[int]
        self.L, self.inverse_d, self.parents = ltdl(H, parents)
        self.W = [self._through_transpose(row) for row in G]
        self.scaled: list[Row] = [
            {k: x * self.inverse_d[k] for k, x in row.items()} for row in self.W
        ]
        self.factors: LDL = semidefinite_ldl(
            [[row_product(a, b) for b in self.W[: i + 1]] for i, a in enumerate(self.scaled)]
        )

    def solve(self, f: Sequence[Scalar], b: Sequence[Scalar]) -> tuple[Vector, Vector]:
        """``x`` and ``l``, with what rounding left of ``b - G x`` made up for once.

        The factors are those of a product of ``G`` with itself: without the second look, rows
        that are nearly dependent would lose twice as many digits as they must.
        """
        z = self._through_transpose(dict(enumerate(f)))  # L^-T (f + G^T l), l still zero
        multipliers: Vector = [0.0] * len(self.W)
        for _ in range(2):
            missing = [x - row_product(row, z) for x, row in zip(b, self.scaled, strict=True)]
            more = self.factors.solve(missing)
            multipliers = added(multipliers, more)
            for row, weight in zip(self.W, more, strict=True):
                for k, x in row.items():
                    z[k] = z[k] + x * weight
        solution = [z[k] * d for k, d in enumerate(self.inverse_d)]
        for i in range(len(solution)):
            for j in ancestors(self.parents, i):
                solution[i] = solution[i] - self.L[i][j] * solution[j]
        return solution, multipliers

    def _through_transpose(self, row: Mapping[int, Scalar]) -> dict[int, Scalar]:
        """``L^-T row``."""
        result = dict(row)
        for i in reversed(range(len(self.L))):
            if i in result:
                for j in ancestors(self.parents, i):
                    result[j] = result.get(j, 0.0) - self.L[i][j] * result[i]
        return result
