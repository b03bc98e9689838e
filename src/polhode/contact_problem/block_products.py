"""Products of small blocks, those of free bodies without a loop along the row.

Six numbers that are read, changed and written stay in registers. In a loop each would wait for the
one before, which might lie in the same place.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..compiler.jit import Floats, jit


@jit
def add_three(a: Floats, wide: int, g: Floats, h: Floats, share: float):
    """Add ``share`` of the products of three rows of free bodies: no loop along the row."""
    to = 0
    for c in range(6):
        x, y, z = share * g[c], share * g[6 + c], share * g[12 + c]
        a0 = a[to] + (x * h[0] + y * h[6] + z * h[12])
        a1 = a[to + 1] + (x * h[1] + y * h[7] + z * h[13])
        a2 = a[to + 2] + (x * h[2] + y * h[8] + z * h[14])
        a3 = a[to + 3] + (x * h[3] + y * h[9] + z * h[15])
        a4 = a[to + 4] + (x * h[4] + y * h[10] + z * h[16])
        a5 = a[to + 5] + (x * h[5] + y * h[11] + z * h[17])
        a[to], a[to + 1], a[to + 2] = a0, a1, a2
        a[to + 3], a[to + 4], a[to + 5] = a3, a4, a5
        to += wide


@jit
def add_three_of_one(a: Floats, wide: int, g: Floats, share: float):
    """`add_three` of the rows of one body and themselves: the lower half, and some above it."""
    to = 0
    for c in range(4):
        x, y, z = share * g[c], share * g[6 + c], share * g[12 + c]
        a0 = a[to] + (x * g[0] + y * g[6] + z * g[12])
        a1 = a[to + 1] + (x * g[1] + y * g[7] + z * g[13])
        a2 = a[to + 2] + (x * g[2] + y * g[8] + z * g[14])
        a3 = a[to + 3] + (x * g[3] + y * g[9] + z * g[15])
        a[to], a[to + 1], a[to + 2], a[to + 3] = a0, a1, a2, a3
        to += wide
    for c in range(4, 6):
        x, y, z = share * g[c], share * g[6 + c], share * g[12 + c]
        a0 = a[to] + (x * g[0] + y * g[6] + z * g[12])
        a1 = a[to + 1] + (x * g[1] + y * g[7] + z * g[13])
        a2 = a[to + 2] + (x * g[2] + y * g[8] + z * g[14])
        a3 = a[to + 3] + (x * g[3] + y * g[9] + z * g[15])
        a4 = a[to + 4] + (x * g[4] + y * g[10] + z * g[16])
        a5 = a[to + 5] + (x * g[5] + y * g[11] + z * g[17])
        a[to], a[to + 1], a[to + 2] = a0, a1, a2
        a[to + 3], a[to + 4], a[to + 5] = a3, a4, a5
        to += wide


@jit
def add_two(a: Floats, g: Floats, h: Floats, first: float, second: float):
    """Add the products of two rows of free bodies, each times its share; rows of ``a`` adjoin."""
    for c in range(6):
        x, y, to = first * g[c], second * g[6 + c], 6 * c
        a0 = a[to] + (x * h[0] + y * h[6])
        a1 = a[to + 1] + (x * h[1] + y * h[7])
        a2 = a[to + 2] + (x * h[2] + y * h[8])
        a3 = a[to + 3] + (x * h[3] + y * h[9])
        a4 = a[to + 4] + (x * h[4] + y * h[10])
        a5 = a[to + 5] + (x * h[5] + y * h[11])
        a[to], a[to + 1], a[to + 2] = a0, a1, a2
        a[to + 3], a[to + 4], a[to + 5] = a3, a4, a5


@jit
def cone_rows(J: Floats, mu: float, d1: float, d2: float, g: Floats):
    """Put two rows of a free body in ``g``: along the edge of a friction cone, and across it.

    ``J`` begins with the three rows of a contact, ``d`` is the direction of its slip.
    """
    x0, x1, x2 = d1 * J[6] + d2 * J[12], d1 * J[7] + d2 * J[13], d1 * J[8] + d2 * J[14]
    x3, x4, x5 = d1 * J[9] + d2 * J[15], d1 * J[10] + d2 * J[16], d1 * J[11] + d2 * J[17]
    x0, x1, x2 = J[0] + mu * x0, J[1] + mu * x1, J[2] + mu * x2
    x3, x4, x5 = J[3] + mu * x3, J[4] + mu * x4, J[5] + mu * x5
    y0, y1, y2 = d1 * J[12] - d2 * J[6], d1 * J[13] - d2 * J[7], d1 * J[14] - d2 * J[8]
    y3, y4, y5 = d1 * J[15] - d2 * J[9], d1 * J[16] - d2 * J[10], d1 * J[17] - d2 * J[11]
    g[0], g[1], g[2], g[3], g[4], g[5] = x0, x1, x2, x3, x4, x5
    g[6], g[7], g[8], g[9], g[10], g[11] = y0, y1, y2, y3, y4, y5


@jit
def add_one(a: Floats, wide: int, g: Floats, h: Floats, share: float):
    """Add ``share`` of the product of one row of free bodies."""
    to = 0
    h0, h1, h2, h3, h4, h5 = h[0], h[1], h[2], h[3], h[4], h[5]
    for c in range(6):
        x = share * g[c]
        a0, a1, a2 = a[to] + x * h0, a[to + 1] + x * h1, a[to + 2] + x * h2
        a3, a4, a5 = a[to + 3] + x * h3, a[to + 4] + x * h4, a[to + 5] + x * h5
        a[to], a[to + 1], a[to + 2] = a0, a1, a2
        a[to + 3], a[to + 4], a[to + 5] = a3, a4, a5
        to += wide


@jit
def copy_lower_six(m: Floats, a: Floats, wide: int):
    """Copy the lower half of six by six numbers to rows that are ``wide`` apart."""
    i2, i3, i4, i5 = 2 * wide, 3 * wide, 4 * wide, 5 * wide
    a[0], a[wide], a[wide + 1] = m[0], m[6], m[7]
    a[i2], a[i2 + 1], a[i2 + 2] = m[12], m[13], m[14]
    a[i3], a[i3 + 1], a[i3 + 2], a[i3 + 3] = m[18], m[19], m[20], m[21]
    a[i4], a[i4 + 1], a[i4 + 2], a[i4 + 3], a[i4 + 4] = m[24], m[25], m[26], m[27], m[28]
    a[i5], a[i5 + 1], a[i5 + 2] = m[30], m[31], m[32]
    a[i5 + 3], a[i5 + 4], a[i5 + 5] = m[33], m[34], m[35]


@jit
def add_lower_six(m: Floats, a: Floats, wide: int):
    """Add the lower half of six by six numbers to rows that are ``wide`` apart."""
    i1, i2, i3, i4, i5 = wide, 2 * wide, 3 * wide, 4 * wide, 5 * wide
    a[0] += m[0]
    a[i1], a[i1 + 1] = a[i1] + m[6], a[i1 + 1] + m[7]
    a[i2], a[i2 + 1], a[i2 + 2] = a[i2] + m[12], a[i2 + 1] + m[13], a[i2 + 2] + m[14]
    b0, b1, b2, b3 = a[i3] + m[18], a[i3 + 1] + m[19], a[i3 + 2] + m[20], a[i3 + 3] + m[21]
    a[i3], a[i3 + 1], a[i3 + 2], a[i3 + 3] = b0, b1, b2, b3
    b0, b1, b2, b3 = a[i4] + m[24], a[i4 + 1] + m[25], a[i4 + 2] + m[26], a[i4 + 3] + m[27]
    a[i4], a[i4 + 1], a[i4 + 2], a[i4 + 3], a[i4 + 4] = b0, b1, b2, b3, a[i4 + 4] + m[28]
    b0, b1, b2, b3 = a[i5] + m[30], a[i5 + 1] + m[31], a[i5 + 2] + m[32], a[i5 + 3] + m[33]
    b4, b5 = a[i5 + 4] + m[34], a[i5 + 5] + m[35]
    a[i5], a[i5 + 1], a[i5 + 2], a[i5 + 3], a[i5 + 4], a[i5 + 5] = b0, b1, b2, b3, b4, b5


@jit
def add_six(m: Floats, a: Floats, wide: int):
    """Add six by six numbers to rows that are ``wide`` apart."""
    at = to = 0
    for _ in range(6):
        a0, a1, a2 = a[to] + m[at], a[to + 1] + m[at + 1], a[to + 2] + m[at + 2]
        a3, a4, a5 = a[to + 3] + m[at + 3], a[to + 4] + m[at + 4], a[to + 5] + m[at + 5]
        a[to], a[to + 1], a[to + 2] = a0, a1, a2
        a[to + 3], a[to + 4], a[to + 5] = a3, a4, a5
        at, to = at + 6, to + wide


class Product(NamedTuple):
    """Sizes of a product of two nodes' rows.

    ``n`` and ``width`` are those of the nodes, ``count`` is the number of rows.  ``is_half`` where
    only what is left of the diagonal counts.
    """

    n: int
    width: int
    count: int
    is_half: bool


@jit
def add_any(a: Floats, wide: int, g: Floats, h: Floats, size: Product):
    """Add the products of some rows of any two nodes; of robots most entries are zero."""
    if size.count == 3:
        _add_three_of_any(a, wide, g, h, size)
        return
    for e in range(size.count):
        _add_one_of_any(a, wide, g[e * size.n :], h[e * size.width :], size)


@jit
def _add_one_of_any(a: Floats, wide: int, g: Floats, h: Floats, size: Product):
    """Add the products of one row, four numbers at once."""
    end = _end_of(h, size.width)
    for c in range(size.n):
        f, q, to = g[c], 0, c * wide
        if f == 0.0:
            continue
        last = min(end, c + 1) if size.is_half else end
        while q + 4 <= last:
            i = to + q
            a0, a1, a2, a3 = a[i], a[i + 1], a[i + 2], a[i + 3]
            a0, a1, a2, a3 = a0 + f * h[q], a1 + f * h[q + 1], a2 + f * h[q + 2], a3 + f * h[q + 3]
            a[i], a[i + 1], a[i + 2], a[i + 3] = a0, a1, a2, a3
            q += 4
        while q < last:
            a[to + q] += f * h[q]
            q += 1


@jit
def _add_three_of_any(a: Floats, wide: int, g: Floats, h: Floats, size: Product):
    """Add the products of three rows, four numbers at once."""
    n, second, third = size.n, size.width, 2 * size.width
    end = max(_end_of(h, second), _end_of(h[second:], second), _end_of(h[third:], second))
    for c in range(n):
        x, y, z, q, to = g[c], g[n + c], g[2 * n + c], 0, c * wide
        if x == 0.0 and y == 0.0 and z == 0.0:
            continue
        last = min(end, c + 1) if size.is_half else end
        while q + 4 <= last:
            i, j, k = to + q, second + q, third + q
            a0 = a[i] + (x * h[q] + y * h[j] + z * h[k])
            a1 = a[i + 1] + (x * h[q + 1] + y * h[j + 1] + z * h[k + 1])
            a2 = a[i + 2] + (x * h[q + 2] + y * h[j + 2] + z * h[k + 2])
            a3 = a[i + 3] + (x * h[q + 3] + y * h[j + 3] + z * h[k + 3])
            a[i], a[i + 1], a[i + 2], a[i + 3] = a0, a1, a2, a3
            q += 4
        while q < last:
            a[to + q] += x * h[q] + y * h[second + q] + z * h[third + q]
            q += 1


@jit
def _end_of(h: Floats, width: int):
    """How many numbers of a row there are without the zeros at its end."""
    while width > 0 and h[width - 1] == 0.0:
        width -= 1
    return width


@jit
def add_sum(g: Floats, n: int, x: Floats, v: Floats):
    """Add three rows of n numbers, each times its number of ``x``, to ``v``, four at once."""
    f0, f1, f2, q = x[0], x[1], x[2], 0
    while q + 4 <= n:
        j, k = n + q, 2 * n + q
        v0 = v[q] + (g[q] * f0 + g[j] * f1 + g[k] * f2)
        v1 = v[q + 1] + (g[q + 1] * f0 + g[j + 1] * f1 + g[k + 1] * f2)
        v2 = v[q + 2] + (g[q + 2] * f0 + g[j + 2] * f1 + g[k + 2] * f2)
        v3 = v[q + 3] + (g[q + 3] * f0 + g[j + 3] * f1 + g[k + 3] * f2)
        v[q], v[q + 1], v[q + 2], v[q + 3] = v0, v1, v2, v3
        q += 4
    while q < n:
        v[q] += g[q] * f0 + g[n + q] * f1 + g[2 * n + q] * f2
        q += 1


@jit
def take_rows(a: Floats, step: int, b: Floats, wide: int, count: int, c: Floats):
    """Subtract from six numbers of ``c`` rows of ``b``, each times one of ``a``, ``step`` apart."""
    left = right = 0
    c0, c1, c2, c3, c4, c5 = c[0], c[1], c[2], c[3], c[4], c[5]
    for _ in range(count):
        f = a[left]
        c0 -= f * b[right]
        c1 -= f * b[right + 1]
        c2 -= f * b[right + 2]
        c3 -= f * b[right + 3]
        c4 -= f * b[right + 4]
        c5 -= f * b[right + 5]
        left += step
        right += wide
    c[0], c[1], c[2], c[3], c[4], c[5] = c0, c1, c2, c3, c4, c5


@jit
def take_six(a: Floats, b: Floats, wide: int, c: Floats, step: int):
    """Subtract the product of the transpose of a six by six block and another from a third.

    Rows of the first two are ``wide`` apart, those of the third ``step``.
    """
    i1, i2, i3, i4, i5, to = wide, 2 * wide, 3 * wide, 4 * wide, 5 * wide, 0
    for i in range(6):
        f, g, h = a[i], a[i1 + i], a[i2 + i]
        c0, c1 = c[to] - f * b[0], c[to + 1] - f * b[1]
        c2, c3 = c[to + 2] - f * b[2], c[to + 3] - f * b[3]
        c4, c5 = c[to + 4] - f * b[4], c[to + 5] - f * b[5]
        c0, c1, c2 = c0 - g * b[i1], c1 - g * b[i1 + 1], c2 - g * b[i1 + 2]
        c3, c4, c5 = c3 - g * b[i1 + 3], c4 - g * b[i1 + 4], c5 - g * b[i1 + 5]
        c0, c1, c2 = c0 - h * b[i2], c1 - h * b[i2 + 1], c2 - h * b[i2 + 2]
        c3, c4, c5 = c3 - h * b[i2 + 3], c4 - h * b[i2 + 4], c5 - h * b[i2 + 5]
        f, g, h = a[i3 + i], a[i4 + i], a[i5 + i]
        c0, c1, c2 = c0 - f * b[i3], c1 - f * b[i3 + 1], c2 - f * b[i3 + 2]
        c3, c4, c5 = c3 - f * b[i3 + 3], c4 - f * b[i3 + 4], c5 - f * b[i3 + 5]
        c0, c1, c2 = c0 - g * b[i4], c1 - g * b[i4 + 1], c2 - g * b[i4 + 2]
        c3, c4, c5 = c3 - g * b[i4 + 3], c4 - g * b[i4 + 4], c5 - g * b[i4 + 5]
        c0, c1, c2 = c0 - h * b[i5], c1 - h * b[i5 + 1], c2 - h * b[i5 + 2]
        c3, c4, c5 = c3 - h * b[i5 + 3], c4 - h * b[i5 + 4], c5 - h * b[i5 + 5]
        c[to], c[to + 1], c[to + 2], c[to + 3], c[to + 4], c[to + 5] = c0, c1, c2, c3, c4, c5
        to += step


@jit
def take_row(b: Floats, f: float, c: Floats, count: int):
    """Subtract ``f`` times the first numbers of ``b`` from those of ``c``, eight at once."""
    q = 0
    while q + 8 <= count:
        c0, c1, c2, c3 = c[q], c[q + 1], c[q + 2], c[q + 3]
        c4, c5, c6, c7 = c[q + 4], c[q + 5], c[q + 6], c[q + 7]
        c0, c1, c2, c3 = c0 - f * b[q], c1 - f * b[q + 1], c2 - f * b[q + 2], c3 - f * b[q + 3]
        c4, c5, c6, c7 = c4 - f * b[q + 4], c5 - f * b[q + 5], c6 - f * b[q + 6], c7 - f * b[q + 7]
        c[q], c[q + 1], c[q + 2], c[q + 3] = c0, c1, c2, c3
        c[q + 4], c[q + 5], c[q + 6], c[q + 7] = c4, c5, c6, c7
        q += 8
    while q < count:
        c[q] -= f * b[q]
        q += 1


@jit
def minus_product(m: Floats, n: int, x: Floats, out: Floats):
    """Put minus the product of a symmetric n x n matrix and ``x`` in ``out``."""
    for c in range(n):
        out[c] = 0.0
    if n == 6:
        take_rows(x, 1, m, 6, 6, out)
        return
    for c in range(n):
        take_row(m[c * n :], x[c], out, n)


@jit
def apart(a: Floats, b: Floats, n: int):
    """How far n numbers are apart: the greatest difference, and the sum of all."""
    most, total = 0.0, 0.0
    if n == 6:
        x0, x1, x2, x3, x4, x5 = (
            a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5]
        )  # fmt: skip
        left, right = max(abs(x0), abs(x1), abs(x2)), max(abs(x3), abs(x4), abs(x5))
        return max(left, right), (x0 + x1 + x2) + (x3 + x4 + x5)
    for i in range(n):
        most, total = max(most, abs(a[i] - b[i])), total + (a[i] - b[i])
    return most, total


@jit
def along_six(y: Floats, v: Floats, w: Floats):
    """``y . (v - w)`` of six numbers, none of which waits for another."""
    left = y[0] * (v[0] - w[0]) + y[1] * (v[1] - w[1]) + y[2] * (v[2] - w[2])
    return left + (y[3] * (v[3] - w[3]) + y[4] * (v[4] - w[4]) + y[5] * (v[5] - w[5]))


@jit
def minus_free_product(m: Floats, v: Floats, w: Floats, out: Floats):
    """Put minus the product of the mass matrix of a body and ``v - w`` in ``out``.

    The body turns about its centre of mass: rows of forces have no entries of turns.
    """
    x3, x4, x5 = v[3] - w[3], v[4] - w[4], v[5] - w[5]
    y0, y1, y2 = m[0] * (v[0] - w[0]), m[7] * (v[1] - w[1]), m[14] * (v[2] - w[2])
    y3, y4 = m[21] * x3 + m[22] * x4 + m[23] * x5, m[27] * x3 + m[28] * x4 + m[29] * x5
    y5 = m[33] * x3 + m[34] * x4 + m[35] * x5
    out[0], out[1], out[2], out[3], out[4], out[5] = -y0, -y1, -y2, -y3, -y4, -y5


@jit
def scale_six(b: Floats, f: float):
    """Multiply six numbers by ``f``."""
    b0, b1, b2, b3, b4, b5 = f * b[0], f * b[1], f * b[2], f * b[3], f * b[4], f * b[5]
    b[0], b[1], b[2], b[3], b[4], b[5] = b0, b1, b2, b3, b4, b5


@jit
def solve_columns(a: Floats, wide: int, b: Floats):
    """`solve_from_last` for the six columns of a block, whose rows are ``wide`` apart, too."""
    i1, i2, i3, i4, i5 = wide, 2 * wide, 3 * wide, 4 * wide, 5 * wide
    a50, a51, a52, a53, a54, s5 = a[i5], a[i5 + 1], a[i5 + 2], a[i5 + 3], a[i5 + 4], a[i5 + 5]
    a40, a41, a42, a43, s4 = a[i4], a[i4 + 1], a[i4 + 2], a[i4 + 3], a[i4 + 4]
    a30, a31, a32, s3 = a[i3], a[i3 + 1], a[i3 + 2], a[i3 + 3]
    a20, a21, s2, a10, s1, s0 = a[i2], a[i2 + 1], a[i2 + 2], a[i1], a[i1 + 1], a[0]
    for c in range(6):
        x5 = b[i5 + c] * s5
        x4 = (b[i4 + c] - a54 * x5) * s4
        x3 = (b[i3 + c] - a53 * x5 - a43 * x4) * s3
        x2 = (b[i2 + c] - a52 * x5 - a42 * x4 - a32 * x3) * s2
        x1 = (b[i1 + c] - a51 * x5 - a41 * x4 - a31 * x3 - a21 * x2) * s1
        x0 = b[c] - a50 * x5 - a40 * x4 - a30 * x3 - a20 * x2 - a10 * x1
        b[c], b[i1 + c], b[i2 + c] = x0 * s0, x1, x2
        b[i3 + c], b[i4 + c], b[i5 + c] = x3, x4, x5


@jit
def take_product(a: Floats, wide: int, b: Floats, c: Floats, height: int, n: int):
    """Subtract from ``c`` the product of a block, whose rows are ``wide`` apart, and ``b``."""
    at = 0
    for i in range(height):
        if n == 6:
            linear = a[at] * b[0] + a[at + 1] * b[1] + a[at + 2] * b[2]
            c[i] -= linear + (a[at + 3] * b[3] + a[at + 4] * b[4] + a[at + 5] * b[5])
        else:
            total = 0.0
            for k in range(n):
                total += a[at + k] * b[k]
            c[i] -= total
        at += wide


@jit
def factor_lower_six(a: Floats, wide: int):
    """Eliminate the rows of six by six numbers from the last to the first: ``A = R^T R``.

    Of ``A`` and ``R`` the lower half alone counts; on the diagonal comes one over that of ``R``.
    Returns whether ``A`` is positive definite.
    """
    i1, i2, i3, i4, i5 = wide, 2 * wide, 3 * wide, 4 * wide, 5 * wide
    a00, a10, a11, a20, a21, a22 = a[0], a[i1], a[i1 + 1], a[i2], a[i2 + 1], a[i2 + 2]
    a30, a31, a32, a33 = a[i3], a[i3 + 1], a[i3 + 2], a[i3 + 3]
    a40, a41, a42, a43, a44 = a[i4], a[i4 + 1], a[i4 + 2], a[i4 + 3], a[i4 + 4]
    a50, a51, a52, a53, a54 = a[i5], a[i5 + 1], a[i5 + 2], a[i5 + 3], a[i5 + 4]
    w5 = 1.0 / a[i5 + 5]  # square roots come last: no pivot has to wait for another's
    f4, f3, f2, f1, f0 = w5 * a54, w5 * a53, w5 * a52, w5 * a51, w5 * a50
    w4 = 1.0 / (a44 - f4 * a54)
    a43, a42, a41, a40 = a43 - f4 * a53, a42 - f4 * a52, a41 - f4 * a51, a40 - f4 * a50
    a33, a32, a31, a30 = a33 - f3 * a53, a32 - f3 * a52, a31 - f3 * a51, a30 - f3 * a50
    a22, a21, a20 = a22 - f2 * a52, a21 - f2 * a51, a20 - f2 * a50
    a11, a10, a00 = a11 - f1 * a51, a10 - f1 * a50, a00 - f0 * a50
    f3, f2, f1, f0 = w4 * a43, w4 * a42, w4 * a41, w4 * a40
    w3 = 1.0 / (a33 - f3 * a43)
    a32, a31, a30 = a32 - f3 * a42, a31 - f3 * a41, a30 - f3 * a40
    a22, a21, a20 = a22 - f2 * a42, a21 - f2 * a41, a20 - f2 * a40
    a11, a10, a00 = a11 - f1 * a41, a10 - f1 * a40, a00 - f0 * a40
    f2, f1, f0 = w3 * a32, w3 * a31, w3 * a30
    w2 = 1.0 / (a22 - f2 * a32)
    a21, a20, a11 = a21 - f2 * a31, a20 - f2 * a30, a11 - f1 * a31
    a10, a00 = a10 - f1 * a30, a00 - f0 * a30
    f1, f0 = w2 * a21, w2 * a20
    w1 = 1.0 / (a11 - f1 * a21)
    a10, a00 = a10 - f1 * a20, a00 - f0 * a20
    w0 = 1.0 / (a00 - w1 * a10 * a10)
    least, most = min(w0, w1, w2, w3, w4, w5), max(w0, w1, w2, w3, w4, w5)
    if not (least > 0.0 and most < math.inf):
        return False
    s0, s1, s2 = math.sqrt(w0), math.sqrt(w1), math.sqrt(w2)
    s3, s4, s5 = math.sqrt(w3), math.sqrt(w4), math.sqrt(w5)
    a[0], a[i1], a[i1 + 1] = s0, s1 * a10, s1
    a[i2], a[i2 + 1], a[i2 + 2] = s2 * a20, s2 * a21, s2
    a[i3], a[i3 + 1], a[i3 + 2], a[i3 + 3] = s3 * a30, s3 * a31, s3 * a32, s3
    a[i4], a[i4 + 1], a[i4 + 2], a[i4 + 3], a[i4 + 4] = s4 * a40, s4 * a41, s4 * a42, s4 * a43, s4
    a[i5], a[i5 + 1], a[i5 + 2], a[i5 + 3] = s5 * a50, s5 * a51, s5 * a52, s5 * a53
    a[i5 + 4], a[i5 + 5] = s5 * a54, s5
    return True


@jit
def solve_from_last(a: Floats, wide: int, b: Floats):
    """Solve ``R^T x = b`` with the factors of `factor_lower_six`, in place."""
    i1, i2, i3, i4, i5 = wide, 2 * wide, 3 * wide, 4 * wide, 5 * wide
    x5 = b[5] * a[i5 + 5]
    x4 = (b[4] - x5 * a[i5 + 4]) * a[i4 + 4]
    x3 = (b[3] - x5 * a[i5 + 3] - x4 * a[i4 + 3]) * a[i3 + 3]
    x2 = (b[2] - x5 * a[i5 + 2] - x4 * a[i4 + 2] - x3 * a[i3 + 2]) * a[i2 + 2]
    x1 = b[1] - x5 * a[i5 + 1] - x4 * a[i4 + 1] - x3 * a[i3 + 1] - x2 * a[i2 + 1]
    x1 *= a[i1 + 1]
    x0 = b[0] - x5 * a[i5] - x4 * a[i4] - x3 * a[i3] - x2 * a[i2] - x1 * a[i1]
    b[0], b[1], b[2], b[3], b[4], b[5] = x0 * a[0], x1, x2, x3, x4, x5


@jit
def solve_from_first(a: Floats, wide: int, b: Floats):
    """Solve ``R x = b`` with the factors of `factor_lower_six`, in place."""
    i1, i2, i3, i4, i5 = wide, 2 * wide, 3 * wide, 4 * wide, 5 * wide
    x0 = b[0] * a[0]
    x1 = (b[1] - x0 * a[i1]) * a[i1 + 1]
    x2 = (b[2] - x0 * a[i2] - x1 * a[i2 + 1]) * a[i2 + 2]
    x3 = (b[3] - x0 * a[i3] - x1 * a[i3 + 1] - x2 * a[i3 + 2]) * a[i3 + 3]
    x4 = b[4] - x0 * a[i4] - x1 * a[i4 + 1] - x2 * a[i4 + 2] - x3 * a[i4 + 3]
    x4 *= a[i4 + 4]
    x5 = b[5] - x0 * a[i5] - x1 * a[i5 + 1] - x2 * a[i5 + 2] - x3 * a[i5 + 3] - x4 * a[i5 + 4]
    b[0], b[1], b[2], b[3], b[4], b[5] = x0, x1, x2, x3, x4, x5 * a[i5 + 5]
