"""Lemke's method for linear complementarity problems, with lexicographic ties."""

from __future__ import annotations

import numpy as np

from ..compiler.jit import Floats, Floats2, Ints, jit

# Relative to entries of order one; below it a pivot, or a difference of ratios, is rounding.
TINY = 1e-11


@jit
def lemke(M: Floats2, q: Floats, z: Floats, left: Ints):
    """Solve ``w = M z + q >= 0, z >= 0, w.z = 0``; False where the path ends without.

    The tableau carries the inverse of the basis, so that equal ratios are told apart by its
    rows: no basis comes twice.  Pivots are taken from ``left``, which holds how many are allowed.
    """
    n = q.size
    # Columns: w (the inverse of the basis), z, z0, right side, and room to a multiple of eight.
    T = np.zeros((n, (2 * n + 9) // 8 * 8))
    basis = np.arange(n)
    worst = 0
    for i in range(n):
        T[i, i] = 1.0
        for j in range(n):
            T[i, n + j] = -M[i, j]
        T[i, 2 * n] = -1.0
        T[i, 2 * n + 1] = q[i]
        if q[i] < q[worst]:
            worst = i
    for i in range(n):
        z[i] = 0.0
    if n == 0 or q[worst] >= 0.0:
        return True
    entering, leaving = 2 * n, worst
    for _ in range(min(50 * n + 100, left[0])):
        left[0] -= 1
        pivot(T, leaving, entering)
        gone = basis[leaving]
        basis[leaving] = entering
        if gone == 2 * n:
            for i in range(n):
                if n <= basis[i] < 2 * n:
                    z[basis[i] - n] = T[i, 2 * n + 1]
            return True
        entering = gone + n if gone < n else gone - n
        leaving = least_ratio(T, basis, entering)
        if leaving < 0:
            return False
    return False


@jit
def pivot(T: Floats2, row: int, column: int):
    """Make ``column`` the unit vector of ``row``."""
    inverse = 1.0 / T[row, column]
    for j in range(T.shape[1]):
        T[row, j] *= inverse
    for i in range(T.shape[0]):
        f = T[i, column]
        if i != row and f != 0.0:
            take_multiple(T[i], f, T[row])


@jit
def take_multiple(a: Floats, f: float, b: Floats):
    """Subtract ``f b`` from ``a``, whose lengths are multiples of eight: eight at once.

    Numbers that are read before any is written share a register.
    """
    j = 0
    while j < a.size:
        a0, a1, a2, a3 = a[j], a[j + 1], a[j + 2], a[j + 3]
        a4, a5, a6, a7 = a[j + 4], a[j + 5], a[j + 6], a[j + 7]
        a0, a1, a2, a3 = a0 - f * b[j], a1 - f * b[j + 1], a2 - f * b[j + 2], a3 - f * b[j + 3]
        a4, a5 = a4 - f * b[j + 4], a5 - f * b[j + 5]
        a6, a7 = a6 - f * b[j + 6], a7 - f * b[j + 7]
        a[j], a[j + 1], a[j + 2], a[j + 3] = a0, a1, a2, a3
        a[j + 4], a[j + 5], a[j + 6], a[j + 7] = a4, a5, a6, a7
        j += 8


@jit
def least_ratio(T: Floats2, basis: Ints, entering: int):
    """Row that leaves, lexicographically least; -1 where nothing bounds the ray."""
    n = T.shape[0]
    best = -1
    for i in range(n):
        if T[i, entering] <= TINY:
            continue
        if best < 0:
            best = i
            continue
        # Columns in order: the right side, then the inverse of the basis.
        for c in range(-1, n):
            j = 2 * n + 1 if c < 0 else c
            a, b = T[i, j] / T[i, entering], T[best, j] / T[best, entering]
            if abs(a - b) > TINY * (abs(a) + abs(b) + 1.0):
                if a < b:
                    best = i
                break
            if c < 0 and (basis[i] == 2 * n or basis[best] == 2 * n):
                best = i if basis[i] == 2 * n else best
                break
    return best
