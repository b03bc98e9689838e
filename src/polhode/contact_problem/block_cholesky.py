"""Block Cholesky factorisation of a symmetric matrix, of which half is stored.

Nodes are ranked by when they are eliminated.  The rows of each make a panel.  It begins
with the lower half of the node's own block; blocks of later nodes linked with it follow, by rank.
Within a node rows are eliminated from the last to the first, so that trees have no fill-in (RBDA
section 6.5).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiler.jit import Floats, Ints, jit
from .block_products import (
    factor_lower_six,
    solve_columns,
    solve_from_first,
    solve_from_last,
    take_product,
    take_row,
    take_rows,
    take_six,
)
from .elimination_order import has_same_nodes, ordered
from .problem import DOF, FIRST, LAST, NODE, SIZE, Problem


class CholeskyLayout(NamedTuple):
    """Where the entries of the half are stored.

    Attributes
    ----------
    nodes, panel, width : shape (n,)
        Nodes by rank; where the rows of each begin, and how long they are.
    first, later, side : shape (n+1,), (L,), (L,)
        Where the later neighbours of each begin in `later`; their ranks, ascending; where
        their blocks begin in a row.
    place : shape (pairs,)
        Where the blocks of each block's pairs of segments begin.
    size : int
        The numbers to store.
    """

    nodes: np.ndarray
    panel: np.ndarray
    width: np.ndarray
    first: np.ndarray
    later: np.ndarray
    side: np.ndarray
    place: np.ndarray
    size: int


@jit
def plan_upper(p: Problem, blocks: Ints, nodes: Ints, local: Ints):
    """Storage for the nodes of an island; ``local`` of these becomes their ranks."""
    order, first, following, _ = ordered(p, blocks, nodes, local)
    n = nodes.size
    ranked, rank = np.empty(n, np.int64), np.empty(n, np.int64)
    for r in range(n):
        ranked[r] = nodes[order[r]]
        rank[order[r]] = r
    for i in range(n):
        local[nodes[i]] = rank[i]
    count = first[n]
    later, side = np.empty(count, np.int64), np.empty(count, np.int64)
    panel, width = np.empty(n, np.int64), np.empty(n, np.int64)
    size = 0
    for r in range(n):
        for e in range(first[r], first[r + 1]):  # sorted as they come in
            i, to = rank[following[e]], e
            while to > first[r] and later[to - 1] > i:
                later[to] = later[to - 1]
                to -= 1
            later[to] = i
        own = p.node[ranked[r], SIZE]
        across = own
        for e in range(first[r], first[r + 1]):
            side[e] = across
            across += p.node[ranked[later[e]], SIZE]
        panel[r], width[r] = size, across
        size += own * across
    place = _places(p, blocks, local, panel, first, later, side)
    return CholeskyLayout(ranked, panel, width, first, later, side, place, size)


@jit
def _places(
    p: Problem, blocks: Ints, local: Ints, panel: Ints, first: Ints, later: Ints, side: Ints
):
    """Where pairs of segments of each block go, those of lower rank before."""
    count = 0
    for k in blocks:
        m = p.block[k, LAST] - p.block[k, FIRST]
        count += m * (m + 1) // 2
    place = np.empty(count, np.int64)
    filled, before = 0, -1
    for k in blocks:
        if before >= 0 and has_same_nodes(p, k, before):
            m = p.block[k, LAST] - p.block[k, FIRST]
            for _ in range(m * (m + 1) // 2):
                place[filled] = place[filled - m * (m + 1) // 2]
                filled += 1
            continue
        before = k
        for s in range(p.block[k, FIRST], p.block[k, LAST]):
            for t in range(s, p.block[k, LAST]):
                i, j = local[p.segment[s, NODE]], local[p.segment[t, NODE]]
                if i > j:
                    i, j = j, i
                place[filled] = panel[i]
                if i != j:
                    e = first[i]
                    while later[e] != j:
                        e += 1
                    place[filled] += side[e]
                filled += 1
    return place


class BlockSizes(NamedTuple):
    """Sizes of two blocks of a panel with n rows."""

    n: int
    height: int
    width: int


@jit
def eliminate_upper(p: Problem, m: CholeskyLayout, a: Floats):
    """Factor in place, one over the diagonal on the diagonal; False if not positive definite."""
    for r in range(m.nodes.size):
        n, top, wide = p.node[m.nodes[r], SIZE], m.panel[r], m.width[r]
        if not _factor_panel(a, top, n, wide):
            return False
        last = m.first[r + 1]
        for e in range(m.first[r], last):
            i = m.later[e]
            place = m.first[i]
            for f in range(e, last):
                to = m.panel[i]
                if f > e:
                    while m.later[place] != m.later[f]:
                        place += 1
                    to += m.side[place]
                height, width = p.node[m.nodes[i], SIZE], p.node[m.nodes[m.later[f]], SIZE]
                left, right = top + m.side[e], top + m.side[f]
                if n == 6 and height == 6 and width == 6:
                    take_six(a[left:], a[right:], wide, a[to:], m.width[i])
                else:
                    size = BlockSizes(n, height, width)
                    _take(a[left:], a[right:], wide, a[to:], m.width[i], size)
    return True


@jit
def _factor_panel(a: Floats, top: int, n: int, wide: int):
    """Factor the n rows of a panel."""
    if n == 6 and wide % 6 == 0:
        return _factor_six(a[top:], wide)
    for j in range(n - 1, -1, -1):
        row = top + j * wide
        d = a[row + j]
        if not (d > 0.0 and d < math.inf):
            return False
        inverse = 1.0 / math.sqrt(d)
        a[row + j] = inverse
        for c in range(j):
            a[row + c] *= inverse
        for c in range(n, wide):
            a[row + c] *= inverse
        for i in range(j):
            f, other = a[row + i], top + i * wide
            if f != 0.0:
                take_row(a[row:], f, a[other:], i + 1)
                take_row(a[row + n :], f, a[other + n :], wide - n)
    return True


@jit
def _factor_six(a: Floats, wide: int):
    """Factor six rows, six columns at once."""
    if not factor_lower_six(a, wide):
        return False
    for c in range(6, wide, 6):
        solve_columns(a, wide, a[c:])
    return True


@jit
def _take(a: Floats, b: Floats, wide: int, c: Floats, step: int, size: BlockSizes):
    """Subtract the product of any two blocks of a panel from the block ``c``."""
    for i in range(size.height):
        for k in range(size.n):
            f = a[k * wide + i]
            if f != 0.0:
                take_row(b[k * wide :], f, c[i * step :], size.width)


@jit
def back_upper(p: Problem, m: CholeskyLayout, a: Floats, b: Floats):
    """Solve with the factors for ``b`` (laid out as velocities), in place."""
    count = m.nodes.size
    for r in range(count):
        j = m.nodes[r]
        n, to, wide, panel = p.node[j, SIZE], p.node[j, DOF], m.width[r], m.panel[r]
        if n == 6:
            solve_from_last(a[panel:], wide, b[to:])
        else:
            for i in range(n - 1, -1, -1):
                row = panel + i * wide
                b[to + i] *= a[row + i]
                take_row(a[row:], b[to + i], b[to:], i)
        for e in range(m.first[r], m.first[r + 1]):
            other = m.nodes[m.later[e]]
            below, side, size = p.node[other, DOF], panel + m.side[e], p.node[other, SIZE]
            if size == 6:
                take_rows(b[to:], 1, a[side:], wide, n, b[below:])
            else:
                for i in range(n):
                    take_row(a[side + i * wide :], b[to + i], b[below:], size)
    for back in range(count):
        r = count - 1 - back
        j = m.nodes[r]
        n, to, wide, panel = p.node[j, SIZE], p.node[j, DOF], m.width[r], m.panel[r]
        for e in range(m.first[r], m.first[r + 1]):
            other = m.nodes[m.later[e]]
            below, side, size = p.node[other, DOF], panel + m.side[e], p.node[other, SIZE]
            take_product(a[side:], wide, b[below:], b[to:], n, size)
        if n == 6:
            solve_from_first(a[panel:], wide, b[to:])
        else:
            for i in range(n):
                row, total = panel + i * wide, b[to + i]
                for c in range(i):
                    total -= a[row + c] * b[to + c]
                b[to + i] = total * a[row + i]
