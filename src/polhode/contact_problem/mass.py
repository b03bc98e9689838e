"""Solving with the mass matrices of nodes, for one row of a Jacobian after the other."""

from __future__ import annotations

import math

from ..compiler.jit import Floats, jit


@jit
def factor_mass(a: Floats, at: int, n: int):
    """Cholesky's factors of the n x n matrix at ``a[at:]``, in place; False if it has none.

    One half holds the factor, the other its transpose, the diagonal one over the diagonal:
    all that is read of it later lies in rows.
    """
    for j in range(n):
        row = at + j * n
        d = a[row + j]
        if not (d > 0.0 and d < math.inf):
            return False
        inverse = 1.0 / math.sqrt(d)
        a[row + j] = inverse
        for c in range(j + 1, n):
            a[row + c] *= inverse
        for i in range(j + 1, n):
            f, below = a[row + i], at + i * n
            a[below + j] = f
            if f != 0.0:
                for c in range(i, n):
                    a[below + c] -= f * a[row + c]
    return True


@jit
def divide(a: Floats, at: int, n: int, w: Floats, to: int):
    """Solve with the factors at ``a[at:]`` the right side in ``w[to:to + n]``, in place."""
    if n == 6:
        divide_6(a, at, w, to)
        return
    for i in range(n):
        row = at + i * n
        y = w[to + i] * a[row + i]
        w[to + i] = y
        if y != 0.0:
            for c in range(i + 1, n):
                w[to + c] -= y * a[row + c]
    for i in range(n - 1, -1, -1):
        row = at + i * n
        y = w[to + i] * a[row + i]
        w[to + i] = y
        for c in range(i):
            w[to + c] -= y * a[row + c]


@jit
def divide_6(a: Floats, at: int, w: Floats, to: int):
    """`divide` for a free body: no loop."""
    a01, a02, a03, a04, a05 = a[at + 1], a[at + 2], a[at + 3], a[at + 4], a[at + 5]
    a12, a13, a14, a15 = a[at + 8], a[at + 9], a[at + 10], a[at + 11]
    a23, a24, a25 = a[at + 15], a[at + 16], a[at + 17]
    a34, a35, a45 = a[at + 22], a[at + 23], a[at + 29]
    d0, d1, d2 = a[at], a[at + 7], a[at + 14]
    d3, d4, d5 = a[at + 21], a[at + 28], a[at + 35]
    w0 = w[to] * d0
    w1 = (w[to + 1] - a01 * w0) * d1
    w2 = (w[to + 2] - (a02 * w0 + a12 * w1)) * d2
    w3 = (w[to + 3] - (a03 * w0 + a13 * w1 + a23 * w2)) * d3
    w4 = (w[to + 4] - (a04 * w0 + a14 * w1 + a24 * w2 + a34 * w3)) * d4
    w5 = (w[to + 5] - (a05 * w0 + a15 * w1 + a25 * w2 + a35 * w3 + a45 * w4)) * d5
    w5 *= d5
    w4 = (w4 - a45 * w5) * d4
    w3 = (w3 - (a34 * w4 + a35 * w5)) * d3
    w2 = (w2 - (a23 * w3 + a24 * w4 + a25 * w5)) * d2
    w1 = (w1 - (a12 * w2 + a13 * w3 + a14 * w4 + a15 * w5)) * d1
    w0 = (w0 - (a01 * w1 + a02 * w2 + a03 * w3 + a04 * w4 + a05 * w5)) * d0
    w[to], w[to + 1], w[to + 2] = w0, w1, w2
    w[to + 3], w[to + 4], w[to + 5] = w3, w4, w5


@jit
def scalar_product(a: Floats, i: int, b: Floats, j: int, n: int):
    """``a[i:i + n] . b[j:j + n]``."""
    if n == 6:
        linear = a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2]
        return linear + (a[i + 3] * b[j + 3] + a[i + 4] * b[j + 4] + a[i + 5] * b[j + 5])
    total = 0.0
    for c in range(n):
        total += a[i + c] * b[j + c]
    return total
