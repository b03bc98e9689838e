"""Systems ``H x = f + G^T l, G x = b`` whose rows may depend on each other (RBDA section 8.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...scalar import Scalar
from ...spatial import LDL
from ..tree.sparsity import Matrix, ancestors, ltdl, solve_unit_lower
from .sparse_rows import Row, added, row_product

Vector = list[Scalar]

RANK_TOLERANCE = 1e-11
"""A row is redundant if less than this part of its inverse inertia is left after the elimination
of the rows before it. The part is 45 000 roundings of that entry."""


class RangeSpace:
    """The solver of one ``H`` and ``G``: by the factors of ``H`` and of ``G H^-1 G^T``.

    With ``H = L^T D L`` and the rows ``W = G L^-1`` the latter is ``W D^-1 W^T``. A row of ``W``
    is zero off the branches that the row of ``G`` concerns, so no dense matrix is formed.
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
        products = [[row_product(a, b) for b in self.W[: i + 1]] for i, a in enumerate(self.scaled)]
        self.factors: LDL = LDL.of(products, rank_tolerance=RANK_TOLERANCE)

    def solve(self, f: Sequence[Scalar], b: Sequence[Scalar]) -> tuple[Vector, Vector]:
        """``x`` and ``l``, with what rounding left of ``b - G x`` made up for once.

        The factors are those of a product of ``G`` with itself. Without the second pass, nearly
        dependent rows would lose twice as many digits as necessary.
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
        scaled = [z[k] * d for k, d in enumerate(self.inverse_d)]
        return solve_unit_lower(self.L, self.parents, scaled), multipliers

    def _through_transpose(self, row: Mapping[int, Scalar]) -> dict[int, Scalar]:
        """``L^-T row``."""
        result = dict(row)
        for i in reversed(range(len(self.L))):
            if i in result:
                for j in ancestors(self.parents, i):
                    result[j] = result.get(j, 0.0) - self.L[i][j] * result[i]
        return result
