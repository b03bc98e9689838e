"""The system ``(1 + K G) x = k`` of Newton's method, solved part by part without pivots.

Each part borders the factors of those before it: rows of ``L`` to the left, columns of ``U``
above.  So what is behind the last near part of a chain is skipped.  What parts of another chain
leave of a border is taken off as soon as they are known, since others between may not be near.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from ...scalar import ANYTHING, Scalar, when
from .chains import Chains
from .small_matrices import (
    Matrix,
    blank,
    factored,
    is_zero,
    less,
    lower_solved,
    over_upper,
    plus_identity,
    product,
    reduced,
    transposed,
    upper_solved,
)

Blocks = Mapping[tuple[int, int], Matrix]


class Border(NamedTuple):
    """A part against those before it.

    Attributes
    ----------
    D : Matrix
        Its own block, or the factors of that.
    rest : list of scalars
        What is left of its right-hand side.
    low, up : dict
        By part: rows of ``L``, columns of ``U``.
    """

    D: Matrix
    rest: list[Scalar]
    low: dict[int, Matrix]
    up: dict[int, Matrix]


class PartElimination:
    """Factors and right-hand sides of the parts that are done.

    ``K`` and ``k`` of a part may be looked at where it is near; ``G`` has blocks of parts with
    those before them.
    """

    def __init__(self, chains: Chains, G: Blocks, K: Sequence[Matrix], k: Sequence[list[Scalar]]):
        self.chains: Chains = chains
        self.G: Blocks = G
        self.K: Sequence[Matrix] = K
        self.done: list[Border] = []
        self.inverse: list[list[Scalar]] = []
        for i, right in enumerate(k):
            self._border(i, right)

    def solution(self) -> Matrix:
        """``x`` of all parts; zero where they are not near."""
        right = [border.rest for border in self.done]
        found: Matrix = [[0.0] * len(b) for b in right]
        for i in reversed(range(len(right))):
            before, up = self.chains.before(i), self.done[i].up

            def back(_, earlier, i=i, before=before, up=up):
                x = upper_solved(self.done[i].D, self.inverse[i], right[i])
                return x, [less(b, up[j], x) for j, b in zip(before, earlier, strict=True)]

            near = self.chains.parts[i].is_near
            found[i], rest = when(near, back, found[i], [right[j] for j in before])
            for j, b in zip(before, rest, strict=True):
                right[j] = b
            others = self.chains.others(i)

            def reduce(j, x, b, up=up):
                return x, less(b, up[j], x)

            _, after = self.chains.of_others(i, reduce, found[i], [right[j] for j in others])
            for j, b in zip(others, after, strict=True):
                right[j] = b
        return found

    def _border(self, i: int, right: list[Scalar]) -> None:
        """Add a part."""
        near, before = self.chains.parts[i].is_near, self.chains.before(i)
        begun = self._after_others(i, right)

        def end(D, _, rest, lows, ups):
            low, up = begun.low | dict(zip(before, lows, strict=True)), dict(begun.up)
            up |= dict(zip(before, ups, strict=True))
            if not self.chains.others(i):
                D, (lows, ups) = self._own(i), self._beside(i, before)
                low, up = dict(zip(before, lows, strict=True)), dict(zip(before, ups, strict=True))
            border = Border(D, rest, low, up)
            for j in before:
                border = self._eliminated(border, j)
            D, inverse = factored(border.D)
            rest = lower_solved(D, border.rest)
            return D, inverse, rest, [low[j] for j in before], [up[j] for j in before]

        n = len(right)
        given = [begun.low[j] for j in before], [begun.up[j] for j in before]
        D, inverse, rest, lows, ups = when(near, end, begun.D, [ANYTHING] * n, begun.rest, *given)
        low = begun.low | dict(zip(before, lows, strict=True))
        up = begun.up | dict(zip(before, ups, strict=True))
        self.done.append(Border(D, rest, low, up))
        self.inverse.append(inverse)

    def _after_others(self, i: int, right: list[Scalar]) -> Border:
        """The border of a part after all parts of other chains."""
        parts, before, others = self.chains.parts, self.chains.before(i), self.chains.others(i)
        n = parts[i].n_rows
        lows = [blank(n, parts[j].n_rows) for j in before]
        ups = [blank(parts[j].n_rows, n) for j in before]
        D, low, up = blank(n, n), {}, {}
        if others:
            D, lows, ups = when(
                parts[i].is_near, lambda *_: (self._own(i), *self._beside(i, before)), D, lows, ups
            )
        for j in others:

            def eliminate(D, rest, lows, ups, *_, j=j):
                (low_j,), (up_j,) = self._beside(i, [j])
                border = self._eliminated(Border(D, rest, low | {j: low_j}, up | {j: up_j}), j)
                low_j, up_j = border.low[j], border.up[j]
                lows = [reduced(a, low_j, self.done[m].up[j])
                        for a, m in zip(lows, before, strict=True)]  # fmt: skip
                ups = [reduced(a, self.done[m].low[j], up_j)
                       for a, m in zip(ups, before, strict=True)]  # fmt: skip
                return border.D, border.rest, lows, ups, low_j, up_j

            D, right, lows, ups, low[j], up[j] = when(
                self.chains.both_near(i, j), eliminate, D, right, lows, ups,
                blank(n, parts[j].n_rows), blank(parts[j].n_rows, n),
            )  # fmt: skip
        low |= dict(zip(before, lows, strict=True))
        up |= dict(zip(before, ups, strict=True))
        return Border(D, right, low, up)

    def _own(self, i: int) -> Matrix:
        return plus_identity(product(self.K[i], self.G[i, i]))

    def _beside(self, i: int, js: Sequence[int]) -> tuple[list[Matrix], list[Matrix]]:
        """The blocks of a part with others to its left, and above it."""
        low = [product(self.K[i], self.G[i, j]) for j in js]
        return low, [product(self.K[j], transposed(self.G[i, j])) for j in js]

    def _eliminated(self, border: Border, j: int) -> Border:
        """A border after part ``j``, whose row and column it gets."""
        done, (D, rest, low, up) = self.done[j], border
        for m in self.chains.before(j):
            up[j] = reduced(up[j], done.low[m], up[m])
            low[j] = reduced(low[j], low[m], done.up[m])
        columns = [lower_solved(done.D, column) for column in transposed(up[j])]
        up[j] = transposed(columns)
        low[j] = over_upper(low[j], done.D, self.inverse[j])
        return Border(reduced(D, low[j], up[j]), less(rest, low[j], done.rest), low, up)


def with_zeros(A: Matrix, numbers: Sequence[Scalar]) -> Matrix:
    """Numbers in the shape of a matrix; zeros that it has by itself stay."""
    found = iter(numbers)
    return [[a if is_zero(a) else b for a, b in zip(line, islice(found, len(line)), strict=True)]
            for line in A]  # fmt: skip
