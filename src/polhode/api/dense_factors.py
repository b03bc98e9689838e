"""Dense factors and solutions, as compiled functions: reflections with pivots, elimination.

Golub and Van Loan, Matrix Computations, sections 5.1, 5.4 and 3.4.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..arrays import Array
from ..compiler.jit import jit

BLOCK = 8  # entries of a row that compiled code changes together


class RowFactors(NamedTuple):
    """Factors ``A[order] = lower Q^T`` of a matrix with ``m`` rows of length ``n``.

    Attributes
    ----------
    lower : ndarray, shape (m, n)
        Zero right of the diagonal, and from column ``rank`` on.
    reflectors : ndarray, shape (k, n)
        ``Q`` is the product of ``I - scale[i] v v^T`` with the rows ``v``; ``k = min(m, n)``.
    scale : ndarray, shape (k,)
    order : ndarray of int, shape (m,)
        The rows of ``A``, independent ones first.
    rank : int
    """

    lower: Array
    reflectors: Array
    scale: Array
    order: Array
    rank: int


class Decomposition(NamedTuple):
    """The complete orthogonal decomposition of a matrix.

    Attributes
    ----------
    rows : RowFactors
        Of the matrix.
    columns : RowFactors
        Of the transpose of ``rows.lower`` without its zero columns; empty if the rows are
        independent, for then nothing needs it.
    """

    rows: RowFactors
    columns: RowFactors


@jit
def row_factors(A: Array, least: float) -> RowFactors:
    """Factors by reflections; of the rows that are left the longest comes next.

    A row is redundant if its length beside those before it is at most ``least``.
    """
    m, n = A.shape
    most = min(m, n)
    lower, order = A.copy(), np.arange(m)
    reflectors, scale = np.zeros((most, n)), np.zeros(most)
    rank = 0
    while rank < most:
        pivot, length = _longest_row(lower, rank)
        if not length > least:
            break
        _exchange(lower, rank, pivot)
        order[rank], order[pivot] = order[pivot], order[rank]
        v = reflectors[rank]
        end = -math.copysign(length, lower[rank, rank])
        v[rank:] = lower[rank, rank:]
        v[rank] -= end
        scale[rank] = -1.0 / (end * v[rank])
        for i in range(rank + 1, m):
            _reflect(lower[i], v, scale[rank], rank)
        lower[rank, rank:] = 0.0
        lower[rank, rank] = end
        rank += 1
    for i in range(rank, m):
        lower[i, rank:] = 0.0
    return RowFactors(lower, reflectors, scale, order, rank)


@jit
def decomposed(A: Array, least: float) -> Decomposition:
    """The complete orthogonal decomposition of a matrix of any rank, that of `row_factors`."""
    rows = row_factors(A, least)
    is_deficient = rows.rank < len(A)
    transpose = np.zeros((rows.rank if is_deficient else 0, len(A)))
    for j in range(len(transpose)):
        for i in range(len(A)):
            transpose[j, i] = rows.lower[i, j]
    return Decomposition(rows, row_factors(transpose, 0.0))


@jit
def row_coordinates(A: Decomposition, b: Array) -> Array:
    """``y`` of the shortest least-squares solution ``Q (y, 0)`` of ``A x = b``."""
    rows, columns = A.rows, A.columns
    c = np.empty(len(b))
    for i in range(len(b)):
        c[i] = b[rows.order[i]]
    if rows.rank == len(b):
        return _forward(rows.lower, c)
    rotate(columns, c)
    z = _backward(columns.lower, c, columns.rank)
    y = np.empty(columns.rank)
    for i in range(len(y)):
        y[columns.order[i]] = z[i]
    return y


@jit
def row_multipliers(A: Decomposition, mu: Array) -> Array:
    """The shortest ``l`` with ``A^T l = Q (mu, 0)``."""
    rows, columns = A.rows, A.columns
    n_rows = len(rows.order)
    if rows.rank < n_rows:
        c = np.empty(columns.rank)
        for i in range(len(c)):
            c[i] = mu[columns.order[i]]
        part = np.zeros(n_rows)
        part[: columns.rank] = _forward(columns.lower, c)
        rotate_back(columns, part)
    else:
        part = _backward(rows.lower, mu, rows.rank)
    result = np.empty(n_rows)
    for i in range(n_rows):
        result[rows.order[i]] = part[i]
    return result


@jit
def rotate(A: RowFactors, x: Array) -> None:
    """Make ``x`` to ``Q^T x``."""
    for k in range(A.rank):
        _reflect(x, A.reflectors[k], A.scale[k], k)


@jit
def rotate_back(A: RowFactors, x: Array) -> None:
    """Make ``x`` to ``Q x``."""
    for i in range(A.rank):
        k = A.rank - 1 - i
        _reflect(x, A.reflectors[k], A.scale[k], k)


@jit
def rotate_rest(A: RowFactors, H: Array) -> None:
    """Make the block of a symmetric ``H`` from ``rank`` on to that of ``Q^T H Q``.

    The other entries are used up: those of row and column ``k`` have no part in it once the
    reflections up to ``k`` are done.
    """
    n = len(H)
    p = np.empty(n)
    for k in range(A.rank):
        v, scale = A.reflectors[k], A.scale[k]
        p[k:] = 0.0
        for i in range(k, n):
            for j in range(k, n):
                p[j] += v[i] * H[i, j]
        half = 0.5 * scale * _product(p, v, k)
        for j in range(k, n):
            p[j] = scale * (p[j] - half * v[j])
        for i in range(k, n):
            for j in range(k, n):
                H[i, j] -= v[i] * p[j] + p[i] * v[j]


@jit
def eliminate(A: Array, b: Array) -> None:
    """Make ``b`` to ``A^-1 b`` by elimination with partial pivoting; ``A`` is used up.

    Rows of ``A`` may be longer than their number: entries beyond do not count.  Each row is changed
    in whole blocks, which may begin before the pivot.  If its length is a multiple of the vector
    width, no entries are left to be done one by one.
    """
    n = len(A)
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[pivot, k]):
                pivot = i
        _exchange(A, k, pivot)
        b[k], b[pivot] = b[pivot], b[k]
        first = (k + 1) // BLOCK * BLOCK
        for i in range(k + 1, n):
            if A[i, k] != 0.0:
                factor = A[i, k] / A[k, k]
                for j in range(first, A.shape[1]):
                    A[i, j] -= factor * A[k, j]
                b[i] -= factor * b[k]
    for step in range(n):
        k = n - 1 - step
        b[k] = (b[k] - _product(A[k, :n], b, k + 1)) / A[k, k]


@jit
def square(n: int) -> Array:
    """A matrix of zeros for `eliminate`, its rows rounded up to whole blocks."""
    return np.zeros((n, (n + BLOCK - 1) // BLOCK * BLOCK))


@jit
def longest(A: Array) -> float:
    """The length of the longest row."""
    return _longest_row(A, 0)[1]


@jit
def _longest_row(A: Array, first: int) -> tuple[int, float]:
    """Which of the rows is longest, counted from ``first`` on in both directions."""
    best, most = first, 0.0
    for i in range(first, len(A)):
        square = _product(A[i], A[i], first)
        if square > most:
            best, most = i, square
    return best, math.sqrt(most)


@jit
def _product(a: Array, b: Array, first: int) -> float:
    """The scalar product of the entries from ``first`` on.

    In four sums, each of which need not wait for the others.
    """
    n = len(a)
    s, t, u, w = 0.0, 0.0, 0.0, 0.0
    j = first
    while j + 4 <= n:
        s += a[j] * b[j]
        t += a[j + 1] * b[j + 1]
        u += a[j + 2] * b[j + 2]
        w += a[j + 3] * b[j + 3]
        j += 4
    while j < n:
        s += a[j] * b[j]
        j += 1
    return (s + t) + (u + w)


@jit
def _reflect(x: Array, v: Array, scale: float, first: int) -> None:
    """Make ``x`` to ``x - scale (v . x) v``; ``v`` is zero before ``first``."""
    weight = scale * _product(x, v, first)
    for j in range(first, len(x)):
        x[j] -= weight * v[j]


@jit
def _exchange(A: Array, i: int, k: int) -> None:
    for j in range(A.shape[1]):
        A[i, j], A[k, j] = A[k, j], A[i, j]


@jit
def _forward(L: Array, c: Array) -> Array:
    """``y`` of ``L y = c`` with a lower triangle."""
    y = np.empty(len(c))
    for i in range(len(c)):
        total = c[i]
        for j in range(i):
            total -= L[i, j] * y[j]
        y[i] = total / L[i, i]
    return y


@jit
def _backward(L: Array, c: Array, n: int) -> Array:
    """``y`` of ``L^T y = c`` with a lower triangle of size ``n``."""
    y = np.empty(n)
    for step in range(n):
        i = n - 1 - step
        total = c[i]
        for j in range(i + 1, n):
            total -= L[j, i] * y[j]
        y[i] = total / L[i, i]
    return y
