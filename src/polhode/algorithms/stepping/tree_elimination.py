"""Linear systems over the velocities of trees, of which contact couples some and not others.

``M x = b`` is solved by elimination without pivots, tree by tree, in each from tips to base.  What
trees do to each other is skipped where they do not touch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...model import Model
from ...scalar import Scalar, guard, when
from .blocks import RowBlock, entries
from .small_matrices import (
    Matrix,
    factored,
    less,
    lower_solved,
    over_upper,
    reduced,
    transposed,
    upper_solved,
)


def trees_of(model: Model) -> list[list[int]]:
    """The velocities of each tree: of bodies that hang on one joint to the ground."""
    root: dict[int, int] = {}
    trees: dict[int, list[int]] = {}
    for i in model.bodies:
        root[i] = root.get(model.parent[i], i)
        if i not in model.leaders:
            trees.setdefault(root[i], []).extend(model.v_index[i])
    return [tree for tree in trees.values() if tree]


@dataclass(frozen=True)
class CoupledTrees:
    """Trees in the order of elimination, and which of them are coupled.

    Attributes
    ----------
    trees : list of list of int
        Velocities, from tips to base.
    near : dict
        By pairs of trees in order, whether near rows couple them, or the elimination of trees
        before them.  Pairs that never are have no entry.
    """

    trees: list[list[int]]
    near: dict[tuple[int, int], Scalar]

    @classmethod
    def of(cls, trees: Sequence[Sequence[int]], blocks: Sequence[RowBlock]) -> CoupledTrees:
        """Trees that some blocks couple where they are near."""
        order = [sorted(tree, reverse=True) for tree in reversed(trees)]
        home = {k: t for t, tree in enumerate(order) for k in tree}
        near: dict[tuple[int, int], Scalar] = {}
        for block in blocks:
            for pair in _pairs(sorted({home[k] for k in entries(block)})):
                near[pair] = near.get(pair, False) | block.is_near
        for t in range(len(order)):
            for i, j in _pairs([i for i in range(t + 1, len(order)) if (t, i) in near]):
                near[i, j] = near.get((i, j), False) | (near[t, i] & near[t, j])
        return cls(order, {pair: guard(condition) for pair, condition in near.items()})

    def after(self, t: int) -> list[int]:
        """The trees that are eliminated after ``t`` and may be coupled to it."""
        return [i for i in range(t + 1, len(self.trees)) if (t, i) in self.near]

    def solved(self, M: Matrix, b: Sequence[Scalar]) -> list[Scalar]:
        """``M^-1 b``; exact zeros stay zeros."""
        numbers = range(len(self.trees))
        A = {(i, j): [[M[k][m] for m in self.trees[j]] for k in self.trees[i]]
             for i in numbers for j in numbers
             if i == j or (min(i, j), max(i, j)) in self.near}  # fmt: skip
        right = [[b[k] for k in tree] for tree in self.trees]
        inverse = [self._eliminated(t, A, right) for t in numbers]
        x: list[list[Scalar]] = [[] for _ in numbers]
        for t in reversed(numbers):
            rest = right[t]
            for i in self.after(t):
                rest = when(self.near[t, i], lambda rest, t=t, i=i: less(rest, A[t, i], x[i]), rest)
            x[t] = upper_solved(A[t, t], inverse[t], rest)
        found = {k: value for tree, own in zip(self.trees, x, strict=True)
                 for k, value in zip(tree, own, strict=True)}  # fmt: skip
        return [found[k] for k in range(len(b))]

    def _eliminated(
        self, t: int, A: dict[tuple[int, int], Matrix], right: list[list[Scalar]]
    ) -> list[Scalar]:
        """The inverse diagonal of the factors of tree ``t``, which ``A`` and ``right`` are left."""
        A[t, t], inverse = factored(A[t, t])
        right[t] = lower_solved(A[t, t], right[t])
        for i in self.after(t):

            def eliminate(low, up, own, rest):
                low = over_upper(low, A[t, t], inverse)
                up = transposed([lower_solved(A[t, t], column) for column in transposed(up)])
                return low, up, reduced(own, low, up), less(rest, low, right[t])

            given = A[i, t], A[t, i], A[i, i], right[i]
            A[i, t], A[t, i], A[i, i], right[i] = when(self.near[t, i], eliminate, *given)
        for i, j in _pairs(self.after(t)):

            def fill(beside, above, i=i, j=j):
                return reduced(beside, A[j, t], A[t, i]), reduced(above, A[i, t], A[t, j])

            both = guard(self.near[t, i]) & self.near[t, j]
            A[j, i], A[i, j] = when(both, fill, A[j, i], A[i, j])
        return inverse


def _pairs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """All pairs of some numbers, in order."""
    return [(a, b) for n, b in enumerate(numbers) for a in numbers[:n]]
