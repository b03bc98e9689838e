"""Mass matrices of trees, factored from the leaves to the root: ``M = L^T L``.

Rows of ``L`` have zeros where rows of ``M`` have: no fill-in by branches (RBDA section 6.5).
"""

from __future__ import annotations

import math

from ..compiler.jit import Floats, Floats2, Ints, jit
from .block_products import take_row


@jit
def factor_mass(mass: Floats, a: Floats, at: int, n: int, last: Ints, to: int, least: float):
    """Write the factor of the n x n matrix at ``mass[at:]`` to ``a[at:]``.

    False if it has none; it begins with NaN then.

    The lower half holds ``L``, the upper its transpose, the diagonal one over the diagonal: all
    that is read of it later is contiguous.  ``last[to + i]`` is the last row of ``L`` with an
    entry in column ``i``.  Pivots below the ``least`` share of their diagonal entries are raised,
    in ``mass``, too.
    """
    largest = 0.0
    for i in range(n):
        largest = max(largest, mass[at + i * n + i])
        last[to + i] = i
        for j in range(i + 1):
            a[at + i * n + j] = mass[at + i * n + j]
    for j in range(n - 1, -1, -1):
        row = at + j * n
        own = mass[row + j]
        floor = least * (own if own > 0.0 else largest)
        if a[row + j] < floor:
            mass[row + j] += floor - a[row + j]
            a[row + j] = floor
        d = a[row + j]
        if not (d > 0.0 and d < math.inf):
            a[at] = math.nan
            return False
        inverse = 1.0 / math.sqrt(d)
        a[row + j] = inverse
        for i in range(j):
            f = inverse * a[row + i]
            a[row + i] = a[at + i * n + j] = f
            if f != 0.0:
                last[to + i] = max(last[to + i], j)
                take_row(a[row:], f, a[at + i * n :], i + 1)
    return True


@jit
def solve_mass(a: Floats, at: int, n: int, last: Ints, to: int, w: Floats, first: int):
    """Solve with the factor at ``a[at:]`` the right side in ``w[first:first + n]``, in place."""
    if is_free_body(n, last, to):
        _solve_free_body(a, at, w, first)
        return
    if n == 6:
        _solve_6(a, at, w, first)
        return
    to_unit_mass(a, at, n, w, first)
    from_unit_mass(a, at, n, last, to, w, first)


@jit
def is_free_body(n: int, last: Ints, to: int):
    """Whether a mass matrix is that of a body that turns about its centre of mass."""
    return n == 6 and last[to] == 0 and last[to + 1] == 1 and last[to + 2] == 2


@jit
def to_unit_mass(a: Floats, at: int, n: int, w: Floats, first: int):
    """Solve ``L^T y = w`` with the factor at ``a[at:]``, in place: what acts on ``L v``."""
    for i in range(n - 1, -1, -1):
        row = at + i * n
        y = w[first + i] * a[row + i]
        w[first + i] = y
        if y != 0.0:
            for c in range(i):
                w[first + c] -= y * a[row + c]


@jit
def from_unit_mass(a: Floats, at: int, n: int, last: Ints, to: int, w: Floats, first: int):
    """Solve ``L v = w`` with the factor at ``a[at:]``, in place."""
    for i in range(n):
        row = at + i * n
        x = w[first + i] * a[row + i]
        w[first + i] = x
        for c in range(i + 1, last[to + i] + 1):
            w[first + c] -= x * a[row + c]


@jit
def solve_masses(a: Floats, at: int, n: int, last: Ints, to: int, w: Floats):
    """`solve_mass` for all right sides in ``w``, one after the other."""
    first = 0
    while n != 6 and n > 0 and first + 3 * n <= w.size:
        _solve_three(a, at, n, last, to, w, first)
        first += 3 * n
    while first < w.size:
        solve_mass(a, at, n, last, to, w, first)
        first += n


@jit
def _solve_three(a: Floats, at: int, n: int, last: Ints, to: int, w: Floats, first: int):
    """`solve_mass` for three right sides: what one waits for, the others use."""
    second, third = first + n, first + 2 * n
    for i in range(n - 1, -1, -1):
        row = at + i * n
        d = a[row + i]
        x, y, z = w[first + i] * d, w[second + i] * d, w[third + i] * d
        w[first + i], w[second + i], w[third + i] = x, y, z
        if x != 0.0 or y != 0.0 or z != 0.0:
            for c in range(i):
                f = a[row + c]
                w[first + c] -= x * f
                w[second + c] -= y * f
                w[third + c] -= z * f
    for i in range(n):
        row = at + i * n
        d = a[row + i]
        x, y, z = w[first + i] * d, w[second + i] * d, w[third + i] * d
        w[first + i], w[second + i], w[third + i] = x, y, z
        for c in range(i + 1, last[to + i] + 1):
            f = a[row + c]
            w[first + c] -= x * f
            w[second + c] -= y * f
            w[third + c] -= z * f


@jit
def _solve_free_body(a: Floats, at: int, w: Floats, first: int):
    """`solve_mass` for a body that turns about its centre of mass: no loop."""
    d0, d1, d2 = a[at], a[at + 7], a[at + 14]
    d3, d4, d5 = a[at + 21], a[at + 28], a[at + 35]
    a34, a35, a45 = a[at + 22], a[at + 23], a[at + 29]
    w5 = w[first + 5] * d5
    w4 = (w[first + 4] - a45 * w5) * d4
    w3 = (w[first + 3] - (a34 * w4 + a35 * w5)) * d3 * d3
    w4 = (w4 - a34 * w3) * d4
    w5 = (w5 - (a35 * w3 + a45 * w4)) * d5
    w[first] = w[first] * d0 * d0
    w[first + 1] = w[first + 1] * d1 * d1
    w[first + 2] = w[first + 2] * d2 * d2
    w[first + 3], w[first + 4], w[first + 5] = w3, w4, w5


@jit
def push_free_body(a: Floats, J: Floats, push: Floats, own: Floats2):
    """Put ``M^-1 J^T`` of three rows of a free body in ``push``, and add ``J M^-1 J^T`` to ``own``.

    ``a`` begins with the factor of its mass; of ``own`` the lower half counts.
    """
    d0, d1, d2, d3, d4, d5 = a[0], a[7], a[14], a[21], a[28], a[35]
    a34, a35, a45 = a[22], a[23], a[29]
    for r in range(0, 18, 6):
        w5 = J[r + 5] * d5
        w4 = (J[r + 4] - a45 * w5) * d4
        w3 = (J[r + 3] - (a34 * w4 + a35 * w5)) * d3 * d3
        w4 = (w4 - a34 * w3) * d4
        w5 = (w5 - (a35 * w3 + a45 * w4)) * d5
        w0, w1, w2 = J[r] * d0 * d0, J[r + 1] * d1 * d1, J[r + 2] * d2 * d2
        push[r], push[r + 1], push[r + 2] = w0, w1, w2
        push[r + 3], push[r + 4], push[r + 5] = w3, w4, w5
        for c in range(0, r + 6, 6):
            linear = J[c] * w0 + J[c + 1] * w1 + J[c + 2] * w2
            own[r // 6, c // 6] += linear + (J[c + 3] * w3 + J[c + 4] * w4 + J[c + 5] * w5)


@jit
def _solve_6(a: Floats, at: int, w: Floats, first: int):
    """`solve_mass` for six degrees of freedom: no loop."""
    a01, a02, a03, a04, a05 = a[at + 1], a[at + 2], a[at + 3], a[at + 4], a[at + 5]
    a12, a13, a14, a15 = a[at + 8], a[at + 9], a[at + 10], a[at + 11]
    a23, a24, a25 = a[at + 15], a[at + 16], a[at + 17]
    a34, a35, a45 = a[at + 22], a[at + 23], a[at + 29]
    d0, d1, d2 = a[at], a[at + 7], a[at + 14]
    d3, d4, d5 = a[at + 21], a[at + 28], a[at + 35]
    w5 = w[first + 5] * d5
    w4 = (w[first + 4] - a45 * w5) * d4
    w3 = (w[first + 3] - (a34 * w4 + a35 * w5)) * d3
    w2 = (w[first + 2] - (a23 * w3 + a24 * w4 + a25 * w5)) * d2
    w1 = (w[first + 1] - (a12 * w2 + a13 * w3 + a14 * w4 + a15 * w5)) * d1
    w0 = (w[first] - (a01 * w1 + a02 * w2 + a03 * w3 + a04 * w4 + a05 * w5)) * d0
    w0 *= d0
    w1 = (w1 - a01 * w0) * d1
    w2 = (w2 - (a02 * w0 + a12 * w1)) * d2
    w3 = (w3 - (a03 * w0 + a13 * w1 + a23 * w2)) * d3
    w4 = (w4 - (a04 * w0 + a14 * w1 + a24 * w2 + a34 * w3)) * d4
    w5 = (w5 - (a05 * w0 + a15 * w1 + a25 * w2 + a35 * w3 + a45 * w4)) * d5
    w[first], w[first + 1], w[first + 2] = w0, w1, w2
    w[first + 3], w[first + 4], w[first + 5] = w3, w4, w5


@jit
def scalar_product(a: Floats, i: int, b: Floats, j: int, n: int):
    """``a[i:i + n] . b[j:j + n]``."""
    if n == 6:
        linear = a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2]
        return linear + (a[i + 3] * b[j + 3] + a[i + 4] * b[j + 4] + a[i + 5] * b[j + 5])
    even = odd = third = fourth = 0.0  # four sums: each waits for itself alone
    c = 0
    while c + 4 <= n:
        even += a[i + c] * b[j + c]
        odd += a[i + c + 1] * b[j + c + 1]
        third += a[i + c + 2] * b[j + c + 2]
        fourth += a[i + c + 3] * b[j + c + 3]
        c += 4
    while c < n:
        even += a[i + c] * b[j + c]
        c += 1
    return (even + odd) + (third + fourth)
