"""Islands of few bilateral rows alone: impulses by one factorisation of their Delassus matrix."""

from __future__ import annotations

import math

import numpy as np

from ..compiler.jit import Ints, jit
from .gauss_seidel import residual
from .mass import factor_mass, scalar_product, solve_mass
from .problem import (
    FIRST,
    KIND,
    LAST,
    NODE,
    NORMAL,
    ROW,
    VALUE,
    WIDTH,
    Island,
    Problem,
    row_velocity,
    velocity_of,
)
from .rows import BILATERAL
from .thresholds import LEAST_PIVOT, MOST_ROWS, REFINEMENTS


@jit
def is_bilateral(p: Problem, blocks: Ints):
    """Whether an island has few rows, all of them bilateral."""
    only = blocks.size <= MOST_ROWS
    for k in blocks:
        only = only and p.block[k, KIND] == BILATERAL
    return only


@jit
def solve_bilateral(island: Island, enough: float):
    """Impulses ``x`` that stop all rows; returns the residual.

    Infinite, and ``x`` as it was, where rows depend on each other.
    """
    p, x, u = island.p, island.x, np.empty(1)
    rows = moving_rows(p, island.blocks)
    n = rows.size
    matrix, factor, step = delassus_of(p, rows), np.empty(n * n), np.empty(n)
    last, worst = np.empty(n, np.int64), math.inf
    if not factor_mass(matrix, factor, 0, n, last, 0, 0.0):
        return math.inf
    for i in range(n):
        at = i * n + i
        if factor[at] * factor[at] * LEAST_PIVOT * matrix[at] > 1.0:
            return math.inf
    velocity_of(p, island.blocks, island.nodes, x, island.v)
    for _ in range(REFINEMENTS):
        for i in range(n):
            row_velocity(p, rows[i], x, island.v, u)
            step[i] = -u[0]
        solve_mass(factor, 0, n, last, 0, step, 0)
        for i in range(n):
            x[p.block[rows[i], ROW]] += step[i]
        velocity_of(p, island.blocks, island.nodes, x, island.v)
        worst = residual(p, island.blocks, x, island.v, island.speed)
        if worst <= enough:
            break
    return worst


@jit
def moving_rows(p: Problem, blocks: Ints):
    """The blocks of one row whose impulses move anything."""
    out, count = np.empty(blocks.size, np.int64), 0
    for k in blocks:
        if p.law[k, NORMAL] > 0.0:
            out[count] = k
            count += 1
    return out[:count]


@jit
def delassus_of(p: Problem, rows: Ints):
    """Row velocities per impulses of blocks of one row, the lower half and the diagonal."""
    n = rows.size
    out = np.empty(n * n)
    for i in range(n):
        for j in range(i):
            out[i * n + j] = coupling(p, rows[i], rows[j])
        out[i * n + i] = p.own[rows[i], 0, 0]
    return out


@jit
def coupling(p: Problem, k: int, other: int):
    """Velocity of the row ``k`` per impulse of the row ``other``."""
    total = 0.0
    for s in range(p.block[k, FIRST], p.block[k, LAST]):
        for t in range(p.block[other, FIRST], p.block[other, LAST]):
            if p.segment[s, NODE] == p.segment[t, NODE]:
                at, to, n = p.segment[s, VALUE], p.segment[t, VALUE], p.segment[s, WIDTH]
                total += scalar_product(p.jacobian, at, p.push, to, n)
    return total
