"""Products of small blocks, those of free bodies without a loop along the row.

Six numbers that are read, changed and written stay in registers. In a loop each would wait for the
one before, which might lie in the same place.
"""

from __future__ import annotations

from ..compiler.jit import Floats, jit


@jit
def add_three(a: Floats, to: int, wide: int, g: Floats, one: int, h: Floats, two: int):
    """Add the products of three rows of free bodies: no loop along the row."""
    for c in range(6):
        x, y, z = g[one + c], g[one + 6 + c], g[one + 12 + c]
        a0 = a[to] + (x * h[two] + y * h[two + 6] + z * h[two + 12])
        a1 = a[to + 1] + (x * h[two + 1] + y * h[two + 7] + z * h[two + 13])
        a2 = a[to + 2] + (x * h[two + 2] + y * h[two + 8] + z * h[two + 14])
        a3 = a[to + 3] + (x * h[two + 3] + y * h[two + 9] + z * h[two + 15])
        a4 = a[to + 4] + (x * h[two + 4] + y * h[two + 10] + z * h[two + 16])
        a5 = a[to + 5] + (x * h[two + 5] + y * h[two + 11] + z * h[two + 17])
        a[to], a[to + 1], a[to + 2] = a0, a1, a2
        a[to + 3], a[to + 4], a[to + 5] = a3, a4, a5
        to += wide


@jit
def add_two(a: Floats, to: int, wide: int, g: Floats, one: int, h: Floats, two: int):
    """Add the products of two rows of free bodies."""
    for c in range(6):
        x, y = g[one + c], g[one + 6 + c]
        a0, a1 = (
            a[to] + (x * h[two] + y * h[two + 6]),
            a[to + 1] + (x * h[two + 1] + y * h[two + 7]),
        )
        a2 = a[to + 2] + (x * h[two + 2] + y * h[two + 8])
        a3 = a[to + 3] + (x * h[two + 3] + y * h[two + 9])
        a4 = a[to + 4] + (x * h[two + 4] + y * h[two + 10])
        a5 = a[to + 5] + (x * h[two + 5] + y * h[two + 11])
        a[to], a[to + 1], a[to + 2] = a0, a1, a2
        a[to + 3], a[to + 4], a[to + 5] = a3, a4, a5
        to += wide


@jit
def add_any(a: Floats, wide: int, g: Floats, n: int, h: Floats, width: int, count: int):
    """Add the products of some rows of any two nodes."""
    if count == 3:
        _add_three_of_any(a, wide, g, n, h, width)
        return
    for e in range(count):
        for c in range(n):
            f = g[e * n + c]
            if f != 0.0:
                for q in range(width):
                    a[c * wide + q] += f * h[e * width + q]


@jit
def _add_three_of_any(a: Floats, wide: int, g: Floats, n: int, h: Floats, width: int):
    """Add the products of three rows, four numbers at once."""
    second, third = width, 2 * width
    for c in range(n):
        x, y, z = g[c], g[n + c], g[2 * n + c]
        if x == 0.0 and y == 0.0 and z == 0.0:
            continue
        to, q = c * wide, 0
        while q + 4 <= width:
            i, j, k = q, second + q, third + q
            a0 = a[to] + (x * h[i] + y * h[j] + z * h[k])
            a1 = a[to + 1] + (x * h[i + 1] + y * h[j + 1] + z * h[k + 1])
            a2 = a[to + 2] + (x * h[i + 2] + y * h[j + 2] + z * h[k + 2])
            a3 = a[to + 3] + (x * h[i + 3] + y * h[j + 3] + z * h[k + 3])
            a[to], a[to + 1], a[to + 2], a[to + 3] = a0, a1, a2, a3
            to, q = to + 4, q + 4
        while q < width:
            a[to] += x * h[q] + y * h[second + q] + z * h[third + q]
            to, q = to + 1, q + 1


@jit
def take_row(a: Floats, step: int, b: Floats, wide: int, c: Floats):
    """Subtract from six numbers of ``c`` six of ``a``, ``step`` apart, times rows of ``b``."""
    left = right = 0
    c0, c1, c2, c3, c4, c5 = c[0], c[1], c[2], c[3], c[4], c[5]
    for _ in range(6):
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
