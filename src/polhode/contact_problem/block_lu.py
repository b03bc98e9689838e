"""Block LU factorisation, one block per pair of nodes, in an order that keeps fill low."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiler.jit import Floats, Ints, Ints2, jit
from .block_products import scale_six, take_product, take_row, take_rows
from .elimination_order import ordered, put_members
from .problem import DOF, SIZE, Problem


class Elimination(NamedTuple):
    """How the matrix of one island is stored, and the order in which it is eliminated.

    Attributes
    ----------
    order : shape (n,)
        Local nodes in order of elimination.
    later, following : shape (n + 1,), (k,)
        Neighbours of each node that are eliminated after it, and where those of each begin.
    at : shape (n, n)
        Where the block of a pair of nodes begins; -1 where it is zero.
    size : int
        Numbers to store.
    """

    order: np.ndarray
    later: np.ndarray
    following: np.ndarray
    at: np.ndarray
    size: int


@jit
def plan(p: Problem, blocks: Ints, nodes: Ints, local: Ints):
    """Order of elimination and storage for the nodes of one island."""
    order, later, following, linked = ordered(p, blocks, nodes, local)
    n = nodes.size
    at, members = np.full((n, n), -1, np.int64), np.empty(n, np.int64)
    size = 0
    for i in range(n):
        for e in range(put_members(linked, i, members)):
            j = members[e]
            at[i, j] = size
            size += p.node[nodes[i], SIZE] * p.node[nodes[j], SIZE]
    return Elimination(order, later, following, at, size)


@jit
def lu(a: Floats, n: int, pivot: Ints):
    """LU with row exchanges of the n x n block ``a``; False if it is singular.

    The diagonal holds one over the diagonal of U.
    """
    for j in range(n):
        p = j
        for i in range(j + 1, n):
            if abs(a[i * n + j]) > abs(a[p * n + j]):
                p = i
        pivot[j] = p
        if not abs(a[p * n + j]) > 0.0:
            return False
        if p != j:
            for c in range(n):
                swap = a[j * n + c]
                a[j * n + c] = a[p * n + c]
                a[p * n + c] = swap
        inverse = a[j * n + j] = 1.0 / a[j * n + j]
        for i in range(j + 1, n):
            f = a[i * n + j] * inverse
            a[i * n + j] = f
            if f != 0.0:
                take_row(a[j * n + j + 1 :], f, a[i * n + j + 1 :], n - j - 1)
    return True


@jit
def lu_solve(a: Floats, n: int, pivot: Ints, b: Floats, width: int):
    """Solve with an `lu` the n x width right sides ``b``, in place."""
    for j in range(n):
        p = pivot[j]
        if p != j:
            for c in range(width):
                swap = b[j * width + c]
                b[j * width + c] = b[p * width + c]
                b[p * width + c] = swap
    if width == 6:
        _solve_6(a, n, b)
        return
    if width == 1:
        _solve_1(a, n, b)
        return
    for i in range(n):
        for j in range(i):
            f = a[i * n + j]
            if f != 0.0:
                take_row(b[j * width :], f, b[i * width :], width)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            f = a[i * n + j]
            if f != 0.0:
                take_row(b[j * width :], f, b[i * width :], width)
        inverse = a[i * n + i]
        for c in range(width):
            b[i * width + c] *= inverse


@jit
def _solve_1(a: Floats, n: int, b: Floats):
    """Both halves of `lu_solve` for one right side, each number of which stays in a register."""
    for i in range(1, n):
        total, row = b[i], i * n
        for j in range(i):
            total -= a[row + j] * b[j]
        b[i] = total
    for i in range(n - 1, -1, -1):
        total, row = b[i], i * n
        for j in range(i + 1, n):
            total -= a[row + j] * b[j]
        b[i] = total * a[row + i]


@jit
def _solve_6(a: Floats, n: int, b: Floats):
    """Both halves of `lu_solve` for six right sides, each row of which stays in registers."""
    for i in range(1, n):
        take_rows(a[i * n :], 1, b, 6, i, b[6 * i :])
    for i in range(n - 1, -1, -1):
        later = i + 1
        take_rows(a[i * n + later :], 1, b[6 * later :], 6, n - later, b[6 * i :])
        scale_six(b[6 * i :], a[i * n + i])


@jit
def eliminate(node: Ints2, nodes: Ints, structure: Elimination, a: Floats, pivot: Ints):
    """Factor the block matrix ``a`` in place; False if a pivot block is singular."""
    order, later, following = structure.order, structure.later, structure.following
    at = structure.at
    for step in range(order.size):
        c = order[step]
        n, pivots = node[nodes[c], SIZE], node[nodes[c], DOF]
        if not lu(a[at[c, c] :], n, pivot[pivots:]):
            return False
        for e in range(later[step], later[step + 1]):
            j = following[e]
            width = node[nodes[j], SIZE]
            lu_solve(a[at[c, c] :], n, pivot[pivots:], a[at[c, j] :], width)
        for e in range(later[step], later[step + 1]):
            i = following[e]
            for f in range(later[step], later[step + 1]):
                j = following[f]
                height, width = node[nodes[i], SIZE], node[nodes[j], SIZE]
                take(a[at[i, c] :], a[at[c, j] :], a[at[i, j] :], height, n, width)
    return True


@jit
def take(a: Floats, b: Floats, c: Floats, height: int, n: int, width: int):
    """Subtract from the block ``c`` the product of ``a`` and ``b``."""
    if n == 6 and width == 6:
        for i in range(height):
            take_rows(a[6 * i :], 1, b, 6, 6, c[6 * i :])
        return
    for i in range(height):
        for k in range(n):
            f = a[i * n + k]
            if f != 0.0:
                take_row(b[k * width :], f, c[i * width :], width)


@jit
def back(node: Ints2, nodes: Ints, structure: Elimination, a: Floats, pivot: Ints, b: Floats):
    """Solve with `eliminate`'s factors for ``b`` (laid out as velocities), in place."""
    order, later, following = structure.order, structure.later, structure.following
    at = structure.at
    for step in range(order.size):
        c = order[step]
        to, n = node[nodes[c], DOF], node[nodes[c], SIZE]
        lu_solve(a[at[c, c] :], n, pivot[to:], b[to:], 1)
        for e in range(later[step], later[step + 1]):
            i = nodes[following[e]]
            below = b[node[i, DOF] :]
            take_product(a[at[following[e], c] :], n, b[to:], below, node[i, SIZE], n)
    for step in range(order.size - 1, -1, -1):
        c = order[step]
        to, n = node[nodes[c], DOF], node[nodes[c], SIZE]
        for e in range(later[step], later[step + 1]):
            j = nodes[following[e]]
            size, below = node[j, SIZE], b[node[j, DOF] :]
            take_product(a[at[c, following[e]] :], size, below, b[to:], n, size)
