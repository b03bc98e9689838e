"""The Hessian of the convex relaxation, ``M + J^T P J / R``, the half that is stored."""

from __future__ import annotations

from ..compiler.jit import Floats, jit
from .block_cholesky import CholeskyLayout
from .block_products import (
    Product,
    add_any,
    add_one,
    add_three,
    add_three_of_one,
    add_two,
    copy_lower_six,
)
from .problem import FIRST, HEIGHT, LAST, MASS, NODE, SIZE, VALUE, WIDTH, Island, Problem
from .springs import D1, D2, HOLDS, IDLE, TURN, Springs


@jit
def add_masses(p: Problem, m: CholeskyLayout, a: Floats):
    """Put the mass matrices in and clear the rest."""
    a[:] = 0.0
    for r in range(m.nodes.size):
        j = m.nodes[r]
        n, mass, wide = p.node[j, SIZE], p.node[j, MASS], m.width[r]
        if n == 6:
            copy_lower_six(p.mass[mass:], a[m.panel[r] :], wide)
            continue
        for i in range(n):
            to, at = m.panel[r] + i * wide, mass + i * n
            a[to : to + i + 1] = p.mass[at : at + i + 1]


@jit
def add_springs(island: Island, s: Springs, m: CholeskyLayout, a: Floats, g: Floats, h: Floats):
    """Add ``J^T P J / R`` of all springs; ``g`` and ``h`` are scratch."""
    p, blocks, local = island.p, island.blocks, island.local
    at = 0
    for k in blocks:
        first, last = p.block[k, FIRST], p.block[k, LAST]
        if s.state[k] == IDLE:
            at += (last - first) * (last - first + 1) // 2
            continue
        if s.state[k] == HOLDS and _is_of_free_bodies(p, k):
            at = _add_held(island, k, s.stiff[k], m, a, at)
            continue
        count = 0
        for i in range(first, last):
            shift = p.segment[i, VALUE] - p.segment[first, VALUE]
            count = _squares(p, k, i, s, g, h, shift)
        for i in range(first, last):
            for j in range(i, last):
                left, right = i, j
                if local[p.segment[i, NODE]] > local[p.segment[j, NODE]]:
                    left, right = j, i
                wide = m.width[local[p.segment[left, NODE]]]
                n, width = p.segment[left, WIDTH], p.segment[right, WIDTH]
                one = p.segment[left, VALUE] - p.segment[first, VALUE]
                two = p.segment[right, VALUE] - p.segment[first, VALUE]
                if n == 6 and width == 6 and count == 2:
                    add_two(a[m.place[at] :], wide, g[one:], h[two:])
                else:
                    size = Product(n, width, count, left == right)
                    add_any(a[m.place[at] :], wide, g[one:], h[two:], size)
                at += 1


@jit
def _is_of_free_bodies(p: Problem, k: int):
    """Whether a block is of free bodies alone, with three rows, as contacts have, or one."""
    free = p.block[k, HEIGHT] != 2
    for i in range(p.block[k, FIRST], p.block[k, LAST]):
        free = free and p.segment[i, WIDTH] == 6
    return free


@jit
def _add_held(island: Island, k: int, stiff: float, m: CholeskyLayout, a: Floats, at: int):
    """Add ``J^T J / R`` of a block of free bodies that holds; returns where the next begins."""
    p, J, local = island.p, island.p.jacobian, island.local
    is_row = p.block[k, HEIGHT] == 1
    for i in range(p.block[k, FIRST], p.block[k, LAST]):
        for j in range(i, p.block[k, LAST]):
            left, right = i, j
            if local[p.segment[i, NODE]] > local[p.segment[j, NODE]]:
                left, right = j, i
            wide = m.width[local[p.segment[left, NODE]]]
            one, two = J[p.segment[left, VALUE] :], J[p.segment[right, VALUE] :]
            if is_row:
                add_one(a[m.place[at] :], wide, one, two, stiff)
            elif i == j:
                add_three_of_one(a[m.place[at] :], wide, one, stiff)
            else:
                add_three(a[m.place[at] :], wide, one, two, stiff)
            at += 1
    return at


@jit
def _squares(p: Problem, k: int, i: int, s: Springs, g: Floats, h: Floats, to: int):
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
