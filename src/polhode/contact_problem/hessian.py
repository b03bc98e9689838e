"""The Hessian of the convex relaxation, ``M + J^T P J / R``, the half that is stored.

Between two of Newton's steps few springs change.  What they add is kept, summed up over those that
join the same free bodies.  Rows of the matrix are made again where a spring changed, and where a
row before them did, of whose factors they have a product.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiler.jit import Floats, Ints, jit
from .block_cholesky import CholeskyLayout
from .block_products import (
    Product,
    add_any,
    add_lower_six,
    add_one,
    add_six,
    add_three,
    add_three_of_one,
    add_two,
    cone_rows,
    copy_lower_six,
)
from .problem import FIRST, HEIGHT, KIND, LAST, MASS, NODE, SIZE, VALUE, WIDTH, Island, Problem
from .rows import CONTACT
from .springs import D1, D2, HOLDS, IDLE, SLIDES, TURN, Springs

UNKNOWN = -1  # state of a spring that has not been added so far


class Hessian(NamedTuple):
    """The matrix of an island, and what is kept of it from step to step.

    Attributes
    ----------
    a : flat
        Its half, laid out as a `CholeskyLayout` says; factors are put in its place.
    is_new : shape (n,)
        Whether the rows of a node, by rank, were made again.
    sums : shape (36 * pairs,)
        ``J^T P J / R`` of runs of free bodies, six by six numbers for each of their pairs.
    state : shape (k,)
        Of the springs of the island, when they were added.
    g, h : flat
        Scratch for the rows of a block.
    """

    a: np.ndarray
    is_new: np.ndarray
    sums: np.ndarray
    state: np.ndarray
    g: np.ndarray
    h: np.ndarray


@jit
def hessian_of(m: CholeskyLayout, blocks: Ints, widest: int):
    """Storage, where blocks have rows of no more than ``widest`` numbers together."""
    return Hessian(
        np.empty(m.size), np.empty(m.nodes.size, np.bool_), np.empty(36 * m.place.size),
        np.full(blocks.size, UNKNOWN), np.empty(widest), np.empty(widest),
    )  # fmt: skip


@jit
def assemble(island: Island, s: Springs, m: CholeskyLayout, H: Hessian):
    """Make the rows of the matrix again that are not those of the time before."""
    note_changes(island, s, m, H)
    for r in range(m.nodes.size):
        if H.is_new[r]:
            add_mass(island.p, m, r, H.a)
    for r in range(m.run.size - 1):
        if is_of_free_bodies(island.p, island.blocks[m.run[r]]):
            add_sums(island, r, m, H)
        else:
            for b in range(m.run[r], m.run[r + 1]):
                add_block(island, island.blocks[b], s, m, m.pair[r], H)


@jit
def note_changes(island: Island, s: Springs, m: CholeskyLayout, H: Hessian):
    """Set ``is_new``, and sum up the runs of free bodies that changed."""
    p, blocks, local = island.p, island.blocks, island.local
    for r in range(m.nodes.size):
        H.is_new[r] = H.state[0] == UNKNOWN
    for r in range(m.run.size - 1):
        if not has_changed(blocks, r, s, m, H):
            continue
        k = blocks[m.run[r]]
        if is_of_free_bodies(p, k):
            sum_up(island, r, s, m, H)
        for i in range(p.block[k, FIRST], p.block[k, LAST]):
            H.is_new[local[p.segment[i, NODE]]] = True
    for r in range(m.nodes.size):
        for e in range(m.first[r], m.first[r + 1] if H.is_new[r] else 0):
            H.is_new[m.later[e]] = True


@jit
def has_changed(blocks: Ints, r: int, s: Springs, m: CholeskyLayout, H: Hessian):
    """Note the states of the springs of a run; whether any changed, or turned as it slid."""
    some = False
    for b in range(m.run[r], m.run[r + 1]):
        state = s.state[blocks[b]]
        some = some or state == SLIDES or state != H.state[b]
        H.state[b] = state
    return some


@jit
def is_of_free_bodies(p: Problem, k: int):
    """Whether a block is of free bodies alone."""
    free = True
    for i in range(p.block[k, FIRST], p.block[k, LAST]):
        free = free and p.segment[i, WIDTH] == 6
    return free


@jit
def add_mass(p: Problem, m: CholeskyLayout, r: int, a: Floats):
    """Put the mass matrix of a node in its rows, and clear the rest."""
    j = m.nodes[r]
    n, mass, wide = p.node[j, SIZE], p.node[j, MASS], m.width[r]
    a[m.panel[r] : m.panel[r] + n * wide] = 0.0
    if n == 6:
        copy_lower_six(p.mass[mass:], a[m.panel[r] :], wide)
        return
    for i in range(n):
        to, at = m.panel[r] + i * wide, mass + i * n
        a[to : to + i + 1] = p.mass[at : at + i + 1]


@jit
def add_sums(island: Island, r: int, m: CholeskyLayout, H: Hessian):
    """Add the sums of a run of free bodies to the rows that are made again."""
    p, local, k, at = island.p, island.local, island.blocks[m.run[r]], m.pair[r]
    for i in range(p.block[k, FIRST], p.block[k, LAST]):
        for j in range(i, p.block[k, LAST]):
            rank = min(local[p.segment[i, NODE]], local[p.segment[j, NODE]])
            if H.is_new[rank] and i == j:
                add_lower_six(H.sums[36 * at :], H.a[m.place[at] :], m.width[rank])
            elif H.is_new[rank]:
                add_six(H.sums[36 * at :], H.a[m.place[at] :], m.width[rank])
            at += 1


@jit
def sum_up(island: Island, r: int, s: Springs, m: CholeskyLayout, H: Hessian):
    """Sum up ``J^T P J / R`` of a run of free bodies."""
    p, out = island.p, H.sums[36 * m.pair[r] :]
    for i in range(0, 36 * (m.pair[r + 1] - m.pair[r]), 6):
        out[i], out[i + 1], out[i + 2] = 0.0, 0.0, 0.0
        out[i + 3], out[i + 4], out[i + 5] = 0.0, 0.0, 0.0
    swaps = has_greater_rank_first(island, island.blocks[m.run[r]])
    for b in range(m.run[r], m.run[r + 1]):
        k = island.blocks[b]
        if s.state[k] == HOLDS and p.block[k, KIND] == CONTACT:
            add_held(p, k, swaps, s.stiff[k], out)
        elif s.state[k] == SLIDES and p.block[k, KIND] == CONTACT:
            add_sliding(p, k, swaps, s, H.g, out)
        elif s.state[k] != IDLE:
            add_squares(island, k, s, H, out)


@jit
def has_greater_rank_first(island: Island, k: int):
    """Whether block ``k`` is of two nodes, the first of greater rank."""
    p, local, first = island.p, island.local, island.p.block[k, FIRST]
    if p.block[k, LAST] - first != 2:
        return False
    return local[p.segment[first, NODE]] > local[p.segment[first + 1, NODE]]


@jit
def add_held(p: Problem, k: int, swaps: bool, stiff: float, out: Floats):
    """Add ``J^T J / R`` of a contact that holds, of one free body or two."""
    J, first = p.jacobian, p.block[k, FIRST]
    one = J[p.segment[first, VALUE] :]
    add_three_of_one(out, 6, one, stiff)
    if p.block[k, LAST] - first == 2:
        other = J[p.segment[first + 1, VALUE] :]
        if swaps:
            add_three(out[36:], 6, other, one, stiff)
        else:
            add_three(out[36:], 6, one, other, stiff)
        add_three_of_one(out[72:], 6, other, stiff)


@jit
def add_sliding(p: Problem, k: int, swaps: bool, s: Springs, g: Floats, out: Floats):
    """Add ``J^T P J / R`` of a contact that slides, of one free body or two."""
    J, first, mu = p.jacobian, p.block[k, FIRST], s.mu[k]
    along, across = s.stiff[k] / (1.0 + mu * mu), s.stiff[k] * s.slope[k, TURN]
    d1, d2 = s.slope[k, D1], s.slope[k, D2]
    cone_rows(J[p.segment[first, VALUE] :], mu, d1, d2, g)
    add_two(out, g, g, along, across)
    if p.block[k, LAST] - first == 2:
        other = g[12:]
        cone_rows(J[p.segment[first + 1, VALUE] :], mu, d1, d2, other)
        if swaps:
            add_two(out[36:], other, g, along, across)
        else:
            add_two(out[36:], g, other, along, across)
        add_two(out[72:], other, other, along, across)


@jit
def add_squares(island: Island, k: int, s: Springs, H: Hessian, out: Floats):
    """Add ``J^T P J / R`` of a limit, a loop or a disk of free bodies."""
    p, local, g, h = island.p, island.local, H.g, H.h
    first, last, count, at = p.block[k, FIRST], p.block[k, LAST], 0, 0
    for i in range(first, last):
        count = squares(p, k, i, s, g, h, 12 * (i - first))
    for i in range(first, last):
        for j in range(i, last):
            one, two = 12 * (i - first), 12 * (j - first)
            if local[p.segment[i, NODE]] > local[p.segment[j, NODE]]:
                one, two = two, one
            for e in range(0, 6 * count, 6):
                add_one(out[at:], 6, g[one + e :], h[two + e :], 1.0)
            at += 36


@jit
def add_block(island: Island, k: int, s: Springs, m: CholeskyLayout, at: int, H: Hessian):
    """Add ``J^T P J / R`` of block ``k``, whose pairs begin at ``at``, to rows made again."""
    p, local, g, h = island.p, island.local, H.g, H.h
    first, last, count = p.block[k, FIRST], p.block[k, LAST], 0
    if s.state[k] == IDLE:
        return
    for i in range(first, last):
        shift = p.segment[i, VALUE] - p.segment[first, VALUE]
        count = squares(p, k, i, s, g, h, shift)
    for i in range(first, last):
        for j in range(i, last):
            left, right = i, j
            if local[p.segment[i, NODE]] > local[p.segment[j, NODE]]:
                left, right = j, i
            rank = local[p.segment[left, NODE]]
            one = p.segment[left, VALUE] - p.segment[first, VALUE]
            two = p.segment[right, VALUE] - p.segment[first, VALUE]
            size = Product(p.segment[left, WIDTH], p.segment[right, WIDTH], count, left == right)
            if H.is_new[rank]:
                add_any(H.a[m.place[at] :], m.width[rank], g[one:], h[two:], size)
            at += 1


@jit
def squares(p: Problem, k: int, i: int, s: Springs, g: Floats, h: Floats, to: int):
    """Rows ``g``, and ``h`` with their weights, whose products are ``J^T P J / R``."""
    J, at, n, stiff = p.jacobian, p.segment[i, VALUE], p.segment[i, WIDTH], s.stiff[k]
    if s.state[k] == HOLDS:
        for e in range(p.block[k, HEIGHT] * n):
            g[to + e] = J[at + e]
            h[to + e] = stiff * J[at + e]
        return p.block[k, HEIGHT]
    d1, d2, mu = s.slope[k, D1], s.slope[k, D2], s.mu[k]
    if p.block[k, HEIGHT] == 2:
        for c in range(n):
            g[to + c] = d1 * J[at + n + c] - d2 * J[at + c]
            h[to + c] = stiff * s.slope[k, TURN] * g[to + c]
        return 1
    out, turn = stiff / (1.0 + mu * mu), stiff * s.slope[k, TURN]
    for c in range(n):
        one, two = J[at + n + c], J[at + 2 * n + c]
        g[to + c] = J[at + c] + mu * (d1 * one + d2 * two)
        g[to + n + c] = d1 * two - d2 * one
        h[to + c] = out * g[to + c]
        h[to + n + c] = turn * g[to + n + c]
    return 2
