"""Small symmetric systems, such as a joint's ``D = S^T IA S`` or the rows of constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..scalar import Scalar, reciprocal, where
from .articulated import ArticulatedInertia
from .subspace import ForceSubspace
from .vec3 import Sym3
from .vectors import Force

ZERO = 1e-18
"""Part of the trace that rounding may leave of the pivot of a row without entries. It is the
square of 1e-9: entries are rounded at 1e-16, and rows of independent units are far longer."""


@dataclass(frozen=True, slots=True)
class LDL:
    """The factors of ``A = L D L^T``: rows of unit lower ``L``, and the inverse of ``D``."""

    L: tuple[tuple[Scalar, ...], ...]
    inverse_d: tuple[Scalar, ...]

    @classmethod
    def of(cls, A: Sequence[Sequence[Scalar]], *, rank_tolerance: float | None = None) -> LDL:
        """Factorise; only the lower triangle of ``A`` is read.

        With a ``rank_tolerance``, ``A`` may be only semidefinite.  A row is redundant if its pivot
        is at most this part of its diagonal entry, plus `ZERO` of the trace.  The rest of its
        column vanishes with it, and the row is left out.  The factors solve every consistent
        system, with zeros for redundant unknowns.

        The trace tells a row that is zero up to rounding, whose diagonal entry is rounding too.
        If ``A`` is ``G H^-1 G^T``, a row of ``G`` that is a millionth of another one still counts.
        That is so even if it moves a hundred thousand times the inertia.
        """
        L: list[list[Scalar]] = []
        inverse_d: list[Scalar] = []
        least = sum((row[i] for i, row in enumerate(A)), 0.0) * ZERO
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
            L.append(lower)
            if rank_tolerance is None:
                inverse_d.append(reciprocal(pivot))
            else:
                counts = pivot > row[i] * rank_tolerance + least
                inverse_d.append(where(counts, reciprocal(where(counts, pivot, 1.0)), 0.0))
        return cls(tuple(map(tuple, L)), tuple(inverse_d))

    def solve(self, b: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """``A^-1 b``."""
        x = [y * s for y, s in zip(self._forward(b), self.inverse_d, strict=True)]
        for i in reversed(range(len(x))):
            for k in range(i + 1, len(x)):
                x[i] = x[i] - self.L[k][i] * x[k]
        return tuple(x)

    def _forward(self, b: Sequence[Scalar]) -> list[Scalar]:
        y = list(b)
        for i, row in enumerate(self.L):
            for k, factor in enumerate(row):
                y[i] = y[i] - factor * y[k]
        return y

    def projection(self, U: ForceSubspace) -> ArticulatedInertia:
        """``U A^-1 U^T``, as the sum of ``w w^T / d`` over the columns of ``U L^-T``."""
        W: list[Force] = []
        for column, row in zip(U.columns, self.L, strict=True):
            for factor, earlier in zip(row, W, strict=True):
                column = column - earlier * factor
            W.append(column)
        total = ArticulatedInertia.zero()
        for w, scale in zip(W, self.inverse_d, strict=True):
            total = total + _dyad(w, w * scale)
        return total


def _dyad(f: Force, g: Force) -> ArticulatedInertia:
    """``f g^T`` of two parallel six-vectors."""
    return ArticulatedInertia(
        Sym3.upper(f.ang.outer(g.ang)), f.ang.outer(g.lin), Sym3.upper(f.lin.outer(g.lin))
    )
