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

from ..compiler.jit import Bools, Floats, Ints, jit
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
    run, pair : shape (R + 1,)
        Where runs of constraints of the same nodes begin, and the pairs of each run in `place`.
    place : shape (pairs,)
        Where the blocks of each run's pairs of segments begin.
    size : int
        The numbers to store.
    """

    nodes: np.ndarray
    panel: np.ndarray
    width: np.ndarray
    first: np.ndarray
    later: np.ndarray
    side: np.ndarray
    run: np.ndarray
    pair: np.ndarray
    place: np.ndarray
    size: int


@jit
def plan_upper(p: Problem, blocks: Ints, nodes: Ints, local: Ints):
    """Storage for the nodes of an island; ``local`` of these becomes their ranks.

    Of nodes alike the last comes first: bodies that lie on others are eliminated before these.  On
    the ground most contacts slide, and what changes there changes few rows.
    """
    if nodes.size == 1:
        return _plan_of_one(p, blocks, nodes, local)
    n, (run, pair) = nodes.size, _runs(p, blocks)
    leaders, back = np.empty(run.size - 1, np.int64), np.empty(n, np.int64)
    for r in range(leaders.size):
        leaders[r] = blocks[run[r]]
    for i in range(n):
        back[i] = nodes[n - 1 - i]
        local[back[i]] = i
    order, first, following, _ = ordered(p, leaders, back, local)
    ranked, panel, width = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    for r in range(n):
        ranked[r] = back[order[r]]
        local[ranked[r]] = r
    later, side = np.empty(first[n], np.int64), np.empty(first[n], np.int64)
    size = 0
    for r in range(n):
        own = p.node[ranked[r], SIZE]
        across = own
        for e in range(first[r], first[r + 1]):
            put_ascending(later, first[r], e, local[back[following[e]]])
        for e in range(first[r], first[r + 1]):
            side[e] = across
            across += p.node[ranked[later[e]], SIZE]
        panel[r], width[r] = size, across
        size += own * across
    place = np.empty(pair[-1], np.int64)
    m = CholeskyLayout(ranked, panel, width, first, later, side, run, pair, place, size)
    _find_places(p, leaders, local, m)
    return m


@jit
def _plan_of_one(p: Problem, blocks: Ints, nodes: Ints, local: Ints):
    """`plan_upper` of a single node, to which all blocks belong."""
    local[nodes[0]] = 0
    size = p.node[nodes[0], SIZE]
    none, zeros, width = np.empty(0, np.int64), np.zeros(2, np.int64), np.empty(1, np.int64)
    run, pair = np.zeros(2, np.int64), np.zeros(2, np.int64)
    width[0], run[1], pair[1] = size, blocks.size, 1
    place = zeros[:1]
    return CholeskyLayout(nodes, place, width, zeros, none, none, run, pair, place, size * size)


@jit
def put_ascending(out: Ints, first: int, end: int, i: int):
    """Put ``i`` among the numbers of ``out`` from ``first`` to ``end``, which ascend."""
    to = end
    while to > first and out[to - 1] > i:
        out[to] = out[to - 1]
        to -= 1
    out[to] = i


@jit
def _runs(p: Problem, blocks: Ints):
    """Where blocks begin that follow each other on the same nodes, and how many pairs come before.

    Both end with the numbers of all.
    """
    run, pair = np.empty(blocks.size + 1, np.int64), np.empty(blocks.size + 1, np.int64)
    count, pairs = 0, 0
    for b in range(blocks.size):
        k = blocks[b]
        if b == 0 or not has_same_nodes(p, k, blocks[b - 1]):
            m = p.block[k, LAST] - p.block[k, FIRST]
            run[count], pair[count] = b, pairs
            count, pairs = count + 1, pairs + m * (m + 1) // 2
    run[count], pair[count] = blocks.size, pairs
    return run[: count + 1], pair[: count + 1]


@jit
def _find_places(p: Problem, leaders: Ints, local: Ints, m: CholeskyLayout):
    """Find where pairs of segments of each run go, those of lower rank before."""
    filled = 0
    for k in leaders:
        for s in range(p.block[k, FIRST], p.block[k, LAST]):
            for t in range(s, p.block[k, LAST]):
                i, j = local[p.segment[s, NODE]], local[p.segment[t, NODE]]
                if i > j:
                    i, j = j, i
                m.place[filled] = m.panel[i]
                if i != j:
                    e = m.first[i]
                    while m.later[e] != j:
                        e += 1
                    m.place[filled] += m.side[e]
                filled += 1


class BlockSizes(NamedTuple):
    """Sizes of two blocks of a panel with n rows."""

    n: int
    height: int
    width: int


@jit
def eliminate_upper(p: Problem, m: CholeskyLayout, is_new: Bools, a: Floats):
    """Factor in place, one over the diagonal on the diagonal; False if not positive definite.

    Panels that are not new have their factors already.
    """
    for r in range(m.nodes.size):
        n, top, wide = p.node[m.nodes[r], SIZE], m.panel[r], m.width[r]
        if is_new[r] and not _factor_panel(a, top, n, wide):
            return False
        last = m.first[r + 1]
        for e in range(m.first[r], last):
            i = m.later[e]
            if not is_new[i]:
                continue
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
