"""Newton's method for the impulses of all blocks together, within a fixed number of unknowns.

With the linear forms ``dx = k - K Y^T dw`` of all laws,

    (1 + sum Y K Y^T) dw = sum Y k,

which has as many unknowns as the model has velocities and the sparsity of its tree.  Where impulses
are redundant those nearest to the last ones are taken.  Steps are full ones: they may lead away for
a while, and the proximal parameter, which holds them back, then rises.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import ANYTHING, Scalar, maximum, reciprocal, when, where
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

FIRST_PROX = 1e-4  # a part of each row's own compliance
LEAST_PROX = 1e-6
FALL, RISE = 0.3, 3.0

Matrix = list[list[Scalar]]


def newton_step(
    blocks: Sequence[RowBlock], x: Impulses, w: list[Scalar], prox: Scalar
) -> tuple[Impulses, list[Scalar]]:
    """Impulses after a full step, and what they do."""
    M, b, forms = _system(blocks, x, w, reciprocal(prox))
    dw = lu_solve(M, b)
    after: list[Scalar] = [0.0] * len(w)
    found = []
    for block, old, (k, K) in zip(blocks, x, forms, strict=True):

        def step(after, own, block=block, k=k, K=K):
            du = [along(y, dw) for y in block.y]
            own = [_less(a + c, row, du) for a, c, row in zip(own, k, K, strict=True)]
            for y, impulse in zip(block.y, own, strict=True):
                after = moved(after, y, impulse)
            return after, own

        after, new = where_near(block, step, after, old)
        found.append(new)
    return found, after


def _less(x: Scalar, row: Sequence[Scalar], u: Sequence[Scalar]) -> Scalar:
    """``x - row.u``."""
    for slope, rate in zip(row, u, strict=True):
        x = x - slope * rate
    return x


def next_prox(prox: Scalar, error: Scalar, last: Scalar) -> Scalar:
    """The proximal parameter of the next step."""
    return where(error < last, maximum(prox * FALL, LEAST_PROX), prox * RISE)


def greatest_error(blocks: Sequence[RowBlock], x: Impulses, w: list[Scalar]) -> Scalar:
    """How far the rows are from their laws at most, as a velocity."""
    error: Scalar = 0.0
    for block, own in zip(blocks, x, strict=True):

        def more(error, block=block, own=own):
            return maximum(error, block.error(velocities(block, w), own))

        error = when(block.is_near, more, error)
    return error


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


def lu_solve(M: Matrix, b: Sequence[Scalar]) -> list[Scalar]:
    """``M^-1 b``, eliminated from tips to base without pivots; exact zeros stay zeros."""
    n = len(b)
    M, x = [list(row) for row in M], list(b)
    inverse: list[Scalar] = [0.0] * n
    for i in reversed(range(n)):  # row by row: few numbers at a time
        for k in reversed(range(i + 1, n)):
            if _is_zero(M[i][k]):
                continue
            factor = M[i][k] * inverse[k]
            x[i] = x[i] - factor * x[k]
            for j in range(k):
                M[i][j] = M[i][j] - factor * M[k][j]
        inverse[i] = reciprocal(M[i][i])
    for i in range(n):
        for j in range(i):
            x[i] = x[i] - M[i][j] * x[j]
        x[i] = x[i] * inverse[i]
    return x


def _is_zero(x: Scalar) -> bool:
    return isinstance(x, float) and x == 0.0
