"""Newton's method for the impulses of all blocks together, within a fixed number of unknowns.

With the linear forms ``dx = k - K Y^T dw`` of all laws,

    (1 + sum Y K Y^T) dw = sum Y k,

which has as many unknowns as the model has velocities and the sparsity of its trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from ...scalar import ANYTHING, Scalar, maximum, reciprocal, repeat, when, where
from .blocks import (
    Impulses,
    Linear,
    RowBlock,
    along,
    entries,
    moved,
    velocities,
    where_near,
)
from .small_matrices import Matrix, less
from .tree_elimination import CoupledTrees

SWEEPS = 3  # before rounds of Newton's method


class VelocitySpace:
    """Blocks of rows, and what their impulses do to velocities ``w`` (`StepInertia`)."""

    def __init__(self, blocks: Sequence[RowBlock], trees: Sequence[Sequence[int]]):
        self.blocks: Sequence[RowBlock] = blocks
        self.nv: int = sum(map(len, trees))
        self.coupled: CoupledTrees = CoupledTrees.of(trees, blocks)
        self._products: list[Matrix] = [self._of_rows(block) for block in blocks]

    def _of_rows(self, block: RowBlock) -> Matrix:
        """Products of a block's rows with those before them."""
        found: Matrix = [[ANYTHING] * k for k in range(len(block.y))]
        if len(block.y) == 1:
            return found

        def products(_):
            return [[along(y, z) for z in block.y[:k]] for k, y in enumerate(block.y)]

        return when(block.is_near, products, found)

    def of(self, blocks: Sequence[RowBlock]) -> VelocitySpace:
        """The same of blocks with the same rows."""
        space = copy(self)
        space.blocks = blocks
        return space

    def begun(self, x: Impulses) -> tuple[Impulses, list[Scalar]]:
        """Impulses to begin with, none where nothing is near, and what they do."""
        found: Impulses = []
        w: list[Scalar] = [0.0] * self.nv
        for block, given in zip(self.blocks, x, strict=True):

            def warm(w, _, block=block, given=given):
                own = [where(block.is_near, impulse, 0.0) for impulse in given]
                for y, impulse in zip(block.y, own, strict=True):
                    w = moved(w, y, impulse)
                return w, own

            w, own = where_near(block, warm, w, [0.0] * len(given))
            found.append(own)
        return found, w

    def approached(self, x: Impulses, w: list[Scalar]) -> tuple[Impulses, list[Scalar]]:
        """Impulses after a few sweeps, in which each block is solved in turn (Gauss, Seidel)."""

        def swept(state):
            x, w = state
            found = []
            for block, own, products in zip(self.blocks, x, self._products, strict=True):

                def relax(w, own, block=block, products=products):
                    new = block.relaxed(velocities(block, w), own, products)
                    for y, after, before in zip(block.y, new, own, strict=True):
                        w = moved(w, y, after - before)
                    return w, new

                w, own = where_near(block, relax, w, own)
                found.append(own)
            return found, w

        return repeat(swept, (x, w), lambda _: False, SWEEPS)

    def newton_step(
        self, x: Impulses, w: list[Scalar], prox: Scalar
    ) -> tuple[Impulses, list[Scalar]]:
        """Impulses after a full step, and what they do."""
        M, b, forms = _system(self.blocks, x, w, reciprocal(prox))
        dw = self.coupled.solved(M, b)
        after: list[Scalar] = [0.0] * len(w)
        found = []
        for block, old, (k, K) in zip(self.blocks, x, forms, strict=True):

            def step(after, own, block=block, k=k, K=K):
                du = [along(y, dw) for y in block.y]
                own = less([a + c for a, c in zip(own, k, strict=True)], K, du)
                for y, impulse in zip(block.y, own, strict=True):
                    after = moved(after, y, impulse)
                return after, own

            after, new = where_near(block, step, after, old)
            found.append(new)
        return found, after

    def error(self, x: Impulses, w: list[Scalar]) -> Scalar:
        """How far the rows are from their laws at most, as a velocity."""
        error: Scalar = 0.0
        for block, own in zip(self.blocks, x, strict=True):

            def more(error, block=block, own=own):
                return maximum(error, block.error(velocities(block, w), own))

            error = when(block.is_near, more, error)
        return error

    def total(self, x: Impulses, w: list[Scalar]) -> list[Scalar]:
        """What impulses do to velocities."""
        return w


def _system(
    blocks: Sequence[RowBlock], x: Impulses, w: list[Scalar], stiffness: Scalar
) -> tuple[Matrix, list[Scalar], list[Linear]]:
    """``1 + sum Y K Y^T`` and ``sum Y k``, and the linear forms of all laws."""
    n = len(w)
    M: Matrix = [[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)]
    b: list[Scalar] = [0.0] * n
    forms = []
    for block, own in zip(blocks, x, strict=True):
        at = entries(block)

        def add(part, right, *_, block=block, own=own, at=at):
            k, K = block.linear(velocities(block, w), own, stiffness)
            return *_added(block, at, part, right, k, K), k, K

        part, right = [[M[i][j] for j in at] for i in at], [b[i] for i in at]
        none = [ANYTHING] * len(own), [[ANYTHING] * len(own) for _ in own]
        part, right, *form = when(block.is_near, add, part, right, *none)
        forms.append(tuple(form))
        for i, line, entry in zip(at, part, right, strict=True):
            b[i] = entry
            for j, value in zip(at, line, strict=True):
                M[i][j] = value
    return M, b, forms


def _added(block: RowBlock, at: list[int], part: Matrix, right: list[Scalar], k, K):
    """``part + Y K Y^T`` and ``right + Y k`` over the entries ``at``."""
    part, right = [list(line) for line in part], list(right)
    for y, entry in zip(block.y, k, strict=True):
        for i, place in enumerate(at):
            if place in y:
                right[i] = right[i] + y[place] * entry
    columns: list[dict[int, Scalar]] = [{} for _ in block.y]
    for p, column in enumerate(columns):
        for q, z in enumerate(block.y):
            for i, value in z.items():
                column[i] = column.get(i, 0.0) + value * K[q][p]
    for i, place in enumerate(at):
        for j, other in enumerate(at):
            for column, y in zip(columns, block.y, strict=True):
                if place in column and other in y:
                    part[i][j] = part[i][j] + column[place] * y[other]
    return part, right
