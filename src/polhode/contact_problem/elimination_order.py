"""In which order the nodes of an island are eliminated, and which pairs have a block then.

Pairs are bits: to eliminate a node links each two of its neighbours, a whole word at once.
"""

from __future__ import annotations

import numpy as np

from ..compiler.jit import Ints, Ints2, jit
from .problem import FIRST, LAST, NODE, Problem

WORD = 62  # bits used of a word: one less is always a number without sign


@jit
def ordered(p: Problem, blocks: Ints, nodes: Ints, local: Ints):
    """Order of elimination of the nodes of one island, those of least degree first.

    Returns ``(order, later, following, linked)``: local nodes in order of elimination, where
    the later neighbours of each begin in ``following``, and which pairs have a block.  Those
    are bits, which `put_members` reads.
    """
    n = nodes.size
    linked, left = _links(p, blocks, n, local), _all_of(n)
    order, degree = np.empty(n, np.int64), np.empty(n, np.int64)
    later, following = np.zeros(n + 1, np.int64), np.empty(n * (n - 1) // 2, np.int64)
    for i in range(n):
        degree[i] = _count_both(linked[i], left)
    least = 0
    for step in range(n):
        c = _first_least(degree, least)
        order[step], least = c, degree[c]
        degree[c] = n + 1  # never the least again
        left[c // WORD] ^= 1 << c % WORD
        first = later[step]
        last = first + _put_both(linked[c], left, following[first:])
        for a in range(first, last):
            i = following[a]
            for w in range(left.size):
                linked[i, w] |= linked[c, w] & left[w]
            degree[i] = _count_both(linked[i], left)
            least = min(least, degree[i])
        later[step + 1] = last
    return order, later, following, linked


@jit
def _first_least(degree: Ints, least: int):
    """The first of least degree, which is not below ``least``."""
    c = 0
    for i in range(degree.size):
        if degree[i] < degree[c]:
            c = i
        if degree[c] <= least:
            break
    return c


@jit
def _links(p: Problem, blocks: Ints, n: int, local: Ints):
    """Which nodes share a block, a row for each of them; each with itself."""
    linked = np.zeros((n, (n + WORD - 1) // WORD), np.int64)
    for i in range(n):
        linked[i, i // WORD] |= 1 << i % WORD
    before = -1
    for k in blocks:
        if before >= 0 and has_same_nodes(p, k, before):
            continue
        before = k
        for s in range(p.block[k, FIRST], p.block[k, LAST]):
            i = local[p.segment[s, NODE]]
            for t in range(p.block[k, FIRST], p.block[k, LAST]):
                j = local[p.segment[t, NODE]]
                linked[i, j // WORD] |= 1 << j % WORD
    return linked


@jit
def has_same_nodes(p: Problem, k: int, other: int):
    """Whether two blocks join the same nodes, as contacts of a pair do that follow each other."""
    first, shift = p.block[k, FIRST], p.block[other, FIRST] - p.block[k, FIRST]
    if p.block[k, LAST] - first != p.block[other, LAST] - p.block[other, FIRST]:
        return False
    for s in range(first, p.block[k, LAST]):
        if p.segment[s, NODE] != p.segment[s + shift, NODE]:
            return False
    return True


@jit
def _all_of(n: int):
    """The set of all nodes."""
    words = np.zeros((n + WORD - 1) // WORD, np.int64)
    for i in range(n):
        words[i // WORD] |= 1 << i % WORD
    return words


@jit
def _count_bits(word: int):
    """How many bits are set: of pairs, of fours, of eights and so on, all at once."""
    word -= word >> 1 & 0x5555555555555555
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333)
    word = word + (word >> 4) & 0x0F0F0F0F0F0F0F0F
    word += word >> 8
    word += word >> 16
    word += word >> 32
    return word & 127


@jit
def _count_both(one: Ints, other: Ints):
    """How many nodes are in both sets."""
    count = 0
    for w in range(one.size):
        count += _count_bits(one[w] & other[w])
    return count


@jit
def _put_both(one: Ints, other: Ints, out: Ints):
    """Put the nodes that are in both sets in ``out``, ascending; returns how many."""
    count = 0
    for w in range(one.size):
        word = one[w] & other[w]
        while word != 0:
            lowest = word & -word
            out[count] = w * WORD + _count_bits(lowest - 1)
            count += 1
            word ^= lowest
    return count


@jit
def put_members(linked: Ints2, i: int, out: Ints):
    """Put the nodes linked with ``i`` in ``out``, ascending; returns how many."""
    return _put_both(linked[i], linked[i], out)
