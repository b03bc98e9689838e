"""Products and factors of blocks of a few rows, as lists of scalars.  Exact zeros stay out."""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import ANYTHING, Scalar, reciprocal

Matrix = list[list[Scalar]]
Vector = Sequence[Scalar]


def blank(m: int, n: int) -> Matrix:
    """Numbers that are never looked at."""
    return [[ANYTHING] * n for _ in range(m)]


def is_zero(x: Scalar) -> bool:
    return isinstance(x, float) and x == 0.0


def transposed(A: Matrix) -> Matrix:
    return [list(column) for column in zip(*A, strict=True)]


def plus(u: Vector, A: Matrix, x: Vector) -> list[Scalar]:
    """``u + A x``."""
    found = []
    for total, line in zip(u, A, strict=True):
        for a, value in zip(line, x, strict=True):
            total = total + a * value
        found.append(total)
    return found


def less(u: Vector, A: Matrix, x: Vector) -> list[Scalar]:
    """``u - A x``."""
    found = []
    for total, line in zip(u, A, strict=True):
        for a, value in zip(line, x, strict=True):
            total = total - a * value
        found.append(total)
    return found


def product(A: Matrix, B: Matrix) -> Matrix:
    """``A B``."""
    return [
        [_sum((a, b) for a, b in zip(line, column, strict=True) if not is_zero(a))
         for column in zip(*B, strict=True)]
        for line in A
    ]  # fmt: skip


def _sum(pairs) -> Scalar:
    total: Scalar = 0.0
    for a, b in pairs:
        total = total + a * b
    return total


def reduced(A: Matrix, B: Matrix, C: Matrix) -> Matrix:
    """``A - B C``."""
    found = []
    for line, factors in zip(A, B, strict=True):
        row = list(line)
        for factor, other in zip(factors, C, strict=True):
            row = [x - factor * c for x, c in zip(row, other, strict=True)]
        found.append(row)
    return found


def plus_identity(A: Matrix) -> Matrix:
    return [[a + 1.0 if i == j else a for j, a in enumerate(line)] for i, line in enumerate(A)]


def factored(D: Matrix) -> tuple[Matrix, list[Scalar]]:
    """``D = L U`` in one matrix, ``L`` with a unit diagonal; and the inverse diagonal of ``U``."""
    D, inverse = [list(line) for line in D], []
    for i, line in enumerate(D):  # row by row: few numbers at a time
        for k in range(i):
            if is_zero(line[k]):
                continue
            line[k] = line[k] * inverse[k]
            for j in range(k + 1, len(D)):
                line[j] = line[j] - line[k] * D[k][j]
        inverse.append(reciprocal(line[i]))
    return D, inverse


def lower_solved(D: Matrix, b: Vector) -> list[Scalar]:
    """``L^-1 b``."""
    x = list(b)
    for i in range(len(x)):
        for k in range(i):
            if not is_zero(D[i][k]):
                x[i] = x[i] - D[i][k] * x[k]
    return x


def upper_solved(D: Matrix, inverse: Vector, b: Vector) -> list[Scalar]:
    """``U^-1 b``."""
    x = list(b)
    for i in reversed(range(len(x))):
        for k in range(i + 1, len(x)):
            x[i] = x[i] - D[i][k] * x[k]
        x[i] = x[i] * inverse[i]
    return x


def over_upper(B: Matrix, D: Matrix, inverse: Vector) -> Matrix:
    """``B U^-1``."""
    found = []
    for line in B:
        x = list(line)
        for k in range(len(x)):
            for m in range(k):
                x[k] = x[k] - x[m] * D[m][k]
            x[k] = x[k] * inverse[k]
        found.append(x)
    return found
