"""Semismooth Newton on the projections of Alart and Curnier, in velocity space.

Every block is linearised where it is: ``dx = dx0 - D du``.  Rows that hold get a proximal
``D`` (one over a small part of their own diagonal), so that dependent rows do no harm.  The
linear system has the size of the velocities, not of the rows: ``(M + J^T D J) dv = J^T dx0``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiler.jit import Floats, Floats2, Floats3, Ints, Ints2, jit
from .block_lu import Elimination, back, eliminate, plan
from .block_products import Product, add_any, add_three
from .friction import CORNER, EDGE, INSIDE, nearest, radius, radius_slope
from .problem import (
    ARM,
    BIAS,
    COMPLIANCE,
    DOF,
    EDGES,
    FIRST,
    HEIGHT,
    KIND,
    LAST,
    LOWER,
    MASS,
    MOVES,
    MU,
    NODE,
    NORMAL,
    PRESSER,
    ROW,
    SIZE,
    TANGENT,
    TO,
    UPPER,
    VALUE,
    WIDENING,
    WIDTH,
    Island,
    Problem,
    add_forces,
    add_rates,
    first_rate,
    row_velocity,
)
from .rows import BILATERAL, BOX, CONTACT, DISK
from .thresholds import FEW_ACTIVE
from .torque_bounds import set_bound


class Scratch(NamedTuple):
    """Work arrays of Newton's method.

    Matrix, right side, pivots, rows of a block, and two sets of impulses.
    """

    matrix: np.ndarray
    step: np.ndarray
    pivot: np.ndarray
    row: np.ndarray
    start: np.ndarray
    full: np.ndarray


@jit
def hold_one(kind: int, x: float, u: float, law: Floats, prox: float, D: Floats2, dx: Floats):
    """Linearise a normal or one-row block."""
    z = x - u / law[NORMAL]
    D[0, 0] = 0.0
    if kind != BILATERAL and z <= law[LOWER]:
        dx[0] = law[LOWER] - x
    elif kind == BOX and z >= law[UPPER]:
        dx[0] = law[UPPER] - x
    else:
        D[0, 0] = 1.0 / (prox * law[NORMAL])
        dx[0] = -D[0, 0] * u


@jit
def move_with_normal(
    island: Island, k: int, way: tuple[float, float], prox: float, D: Floats2, dx: Floats
):
    """Let a torque at its bound change with the normal impulse of its contact.

    It points in the direction ``way``.  Column 2 of ``D`` becomes its change per velocity of that
    normal.
    """
    p, x = island.p, island.x
    contact = p.block[k, PRESSER]
    law, r = p.law[contact], p.block[contact, ROW]
    rate = first_rate(p, contact, island.v) + p.line[r, COMPLIANCE] * x[r]
    slope, step = np.zeros((1, 1)), np.zeros(1)
    hold_one(CONTACT, x[r], rate, law, prox, slope, step)
    yield_to(p.line, r, 1, slope, step)
    arm = p.law[k, ARM]
    D[0, 2], D[1, 2] = arm * way[0] * slope[0, 0], arm * way[1] * slope[0, 0]
    dx[0] += arm * way[0] * step[0]
    dx[1] += arm * way[1] * step[0]


@jit
def hold_torque(island: Island, k: int, u: Floats, prox: float, D: Floats2, dx: Floats):
    """Linearise a torque whose bound moves with a normal impulse."""
    p, r = island.p, island.p.block[k, ROW]
    x, law = island.x[r:], p.law[k]
    set_bound(p, k, island.x)
    d1, d2 = 0.0, 0.0
    if p.block[k, KIND] == DISK:
        d1, d2 = hold_in_disk(x, u, disk_of(p, k, prox), 0, D, dx)
    else:
        hold_one(BOX, x[0], u[0], law, prox, D, dx)
        if D[0, 0] == 0.0:
            d1 = 1.0 if x[0] - u[0] / law[NORMAL] >= law[UPPER] else -1.0
    if d1 != 0.0 or d2 != 0.0:
        move_with_normal(island, k, (d1, d2), prox, D, dx)


class Disk(NamedTuple):
    """Where two impulses lie.

    Its radius, the greatest velocity that a unit impulse makes, its edges if it is a polygon, and
    the proximal parameter.
    """

    size: float
    own: float
    edges: int
    prox: float


@jit
def disk_of(p: Problem, k: int, prox: float):
    """The disk of a block that is one."""
    return Disk(p.law[k, UPPER], p.law[k, NORMAL], p.block[k, EDGES], prox)


@jit
def hold_in_disk(x: Floats, u: Floats, disk: Disk, at: int, D: Floats2, dx: Floats):
    """Linearise two impulses in a disk, in rows ``at`` and ``at + 1`` of ``D`` and ``dx``.

    Returns the direction in which they grow with the radius; zero inside.
    """
    size, h, to = disk.size, disk.own, at + 1
    z1, z2 = x[0] - u[0] / h, x[1] - u[1] / h
    state, p1, p2, d1, d2 = nearest(z1, z2, size, disk.edges)
    stiff = 1.0 / (disk.prox * h)
    if state == INSIDE:
        D[at, at] = D[to, to] = stiff
        dx[at], dx[to] = -stiff * u[0], -stiff * u[1]
        return 0.0, 0.0
    if state == CORNER or size == 0.0:
        dx[at], dx[to] = p1 - x[0], p2 - x[1]
        return d1, d2
    e1, e2, turn = d1, d2, stiff
    if state == EDGE:
        length = math.hypot(d1, d2)
        e1, e2 = d1 / length, d2 / length
        short = size * length - (e1 * x[0] + e2 * x[1])
        dx[at], dx[to] = short * e1, short * e2
    else:
        turn = min(size / (h * (math.hypot(z1, z2) - size)), stiff)
        dx[at], dx[to] = size * d1 - x[0], size * d2 - x[1]
    along = turn * (e1 * u[1] - e2 * u[0])
    dx[at] += along * e2
    dx[to] -= along * e1
    D[at, at], D[at, to] = turn * e2 * e2, -turn * e1 * e2
    D[to, at], D[to, to] = D[at, to], turn * e1 * e1
    return d1, d2


@jit
def hold_friction(
    x: Floats, u: Floats, law: Floats, edges: int, prox: float, D: Floats2, dx: Floats
):
    """Linearise the tangents of a contact whose normal stands in ``D`` and ``dx`` already."""
    for a in range(1, 3):
        for b in range(3):
            D[a, b] = 0.0
    pressed, mu, h = D[0, 0] > 0.0, law[MU], law[TANGENT]
    normal = x[0] if pressed else max(x[0] + dx[0], 0.0)
    size = radius(mu, law[WIDENING], normal)
    d1, d2 = hold_in_disk(x[1:], u[1:], Disk(size, h, edges, prox), 1, D, dx)
    if pressed and (d1 != 0.0 or d2 != 0.0):
        slope = radius_slope(mu, normal, size)
        D[1, 0], D[2, 0] = slope * d1 * D[0, 0], slope * d2 * D[0, 0]
        dx[1] += slope * d1 * dx[0]
        dx[2] += slope * d2 * dx[0]


@jit
def yield_to(line: Floats2, r: int, height: int, D: Floats2, dx: Floats):
    """Fold compliant rows in: from ``dx = dx0 - D (J dv + R dx)`` to ``dx = dx0 - D J dv``."""
    if height == 1:
        f = 1.0 / (1.0 + D[0, 0] * line[r, COMPLIANCE])
        D[0, 0] *= f
        dx[0] *= f
        return
    if height == 2:
        _yield_two(line, r, 0, D, dx)
        return
    c0, c1, c2 = line[r, COMPLIANCE], line[r + 1, COMPLIANCE], line[r + 2, COMPLIANCE]
    if c0 == 0.0 and c1 == 0.0 and c2 == 0.0:
        return
    # D has no entry of the first row beyond the diagonal: eliminate it, then a 2 x 2.
    f = 1.0 / (1.0 + D[0, 0] * c0)
    D[0, 0] *= f
    dx[0] *= f
    for a in range(1, 3):
        side = D[a, 0]
        dx[a] -= side * c0 * dx[0]
        D[a, 0] = side - side * c0 * D[0, 0]
    _yield_two(line, r + 1, 1, D, dx)


@jit
def _yield_two(line: Floats2, r: int, at: int, D: Floats2, dx: Floats):
    """`yield_to` of rows ``at`` and ``at + 1`` of a block, whose compliances begin at ``r``."""
    c1, c2, to = line[r, COMPLIANCE], line[r + 1, COMPLIANCE], at + 1
    m11, m12 = 1.0 + D[at, at] * c1, D[at, to] * c2
    m21, m22 = D[to, at] * c1, 1.0 + D[to, to] * c2
    det = m11 * m22 - m12 * m21
    for b in range(3):
        p, q = D[at, b], D[to, b]
        D[at, b], D[to, b] = (m22 * p - m12 * q) / det, (m11 * q - m21 * p) / det
    p, q = dx[at], dx[to]
    dx[at], dx[to] = (m22 * p - m12 * q) / det, (m11 * q - m21 * p) / det


@jit
def add_block(p: Problem, k: int, D: Floats2, dx: Floats, local: Ints, at: Ints2, scratch: Scratch):
    """Add ``J^T D J`` and ``J^T dx`` of block ``k``"""
    J, height = p.jacobian, p.block[k, HEIGHT]
    a, b, row = scratch.matrix, scratch.step, scratch.row
    for t in range(p.block[k, FIRST], p.block[k, LAST]):
        j, right, width = p.segment[t, NODE], p.segment[t, VALUE], p.segment[t, WIDTH]
        to = p.segment[t, TO]
        if height == 3:
            _weigh(J[right:], width, D, dx, b[to:], row)
        elif height == 2:
            _weigh_two(J[right:], width, D, dx, b[to:], row)
        else:
            for q in range(width):
                b[to + q] += J[right + q] * dx[0]
                row[q] = D[0, 0] * J[right + q]
        for s in range(p.block[k, FIRST], p.block[k, LAST]):
            first, n = p.segment[s, VALUE], p.segment[s, WIDTH]
            place = at[local[p.segment[s, NODE]], local[j]]
            if n == 6 and width == 6 and height == 3:
                add_three(a[place:], 6, J[first:], row, 1.0)
            else:
                add_any(a[place:], width, J[first:], row, Product(n, width, height, False))


@jit
def add_coupling(p: Problem, k: int, D: Floats2, local: Ints, at: Ints2, a: Floats):
    """Add the change of torque ``k`` with the velocity of its contact's normal."""
    if not is_coupled(p, k, D):
        return
    J, contact = p.jacobian, p.block[k, PRESSER]
    for s in range(p.block[k, FIRST], p.block[k, LAST]):
        first, n = p.segment[s, VALUE], p.segment[s, WIDTH]
        for t in range(p.block[contact, FIRST], p.block[contact, LAST]):
            normal, width = p.segment[t, VALUE], p.segment[t, WIDTH]
            place = at[local[p.segment[s, NODE]], local[p.segment[t, NODE]]]
            for i in range(n):
                slope = D[0, 2] * J[first + i]
                if p.block[k, HEIGHT] == 2:
                    slope += D[1, 2] * J[first + n + i]
                for j in range(width):
                    a[place + i * width + j] += slope * J[normal + j]


@jit
def is_coupled(p: Problem, k: int, D: Floats2):
    """Whether a block is a torque at a bound that moves."""
    return p.block[k, MOVES] == 1 and (D[0, 2] != 0.0 or D[1, 2] != 0.0)


@jit
def is_active(D: Floats2):
    """Whether the impulses of a block change with its velocities: not where it is open."""
    return D[0, 0] != 0.0 or D[1, 1] != 0.0 or D[2, 2] != 0.0


@jit
def active_blocks(blocks: Ints, slopes: Floats3):
    """The blocks whose impulses change with their velocities."""
    out, count = np.empty(blocks.size, np.int64), 0
    for i in range(blocks.size):
        if is_active(slopes[i]):
            out[count] = blocks[i]
            count += 1
    return out[:count]


@jit
def _weigh(J: Floats, n: int, D: Floats2, dx: Floats, b: Floats, row: Floats):
    """Add ``J^T dx`` of three rows to ``b`` and put ``D J`` in ``row``."""
    x0, x1, x2 = dx[0], dx[1], dx[2]
    d00, d01, d02 = D[0, 0], D[0, 1], D[0, 2]
    d10, d11, d12 = D[1, 0], D[1, 1], D[1, 2]
    d20, d21, d22 = D[2, 0], D[2, 1], D[2, 2]
    for q in range(n):
        j0, j1, j2 = J[q], J[n + q], J[2 * n + q]
        b[q] = b[q] + j0 * x0 + j1 * x1 + j2 * x2
        row[q] = d00 * j0 + d01 * j1 + d02 * j2
        row[n + q] = d10 * j0 + d11 * j1 + d12 * j2
        row[2 * n + q] = d20 * j0 + d21 * j1 + d22 * j2


@jit
def _weigh_two(J: Floats, n: int, D: Floats2, dx: Floats, b: Floats, row: Floats):
    """`_weigh` of two rows."""
    for q in range(n):
        j0, j1 = J[q], J[n + q]
        b[q] += j0 * dx[0] + j1 * dx[1]
        row[q] = D[0, 0] * j0 + D[0, 1] * j1
        row[n + q] = D[1, 0] * j0 + D[1, 1] * j1


@jit
def start_matrix(p: Problem, nodes: Ints, at: Ints2, a: Floats, b: Floats):
    """Put the mass matrices in and clear the rest."""
    a[:] = 0.0
    for i in range(nodes.size):
        j = nodes[i]
        n, to, mass = p.node[j, SIZE], at[i, i], p.node[j, MASS]
        a[to : to + n * n] = p.mass[mass : mass + n * n]
        for e in range(p.node[j, DOF], p.node[j, DOF] + n):
            b[e] = 0.0


@jit
def scratch_of(structure: Elimination, x: Floats, v: Floats):
    """Memory for `newton`."""
    return Scratch(
        np.empty(structure.size), np.empty(v.size), np.empty(v.size, np.int64),
        np.empty(3 * v.size), x.copy(), x.copy(),
    )  # fmt: skip


@jit
def newton_step(island: Island, structure: Elimination, scratch: Scratch, prox: float):
    """One full step of the impulses ``x``; False if the matrix was singular."""
    p, blocks, x = island.p, island.blocks, island.x
    slopes, steps = np.zeros((blocks.size, 3, 3)), np.zeros((blocks.size, 3))
    u = np.empty(3)
    for i in range(blocks.size):
        k = blocks[i]
        if p.law[k, NORMAL] == 0.0:
            continue
        row_velocity(p, k, x, island.v, u)
        hold_block(island, k, x[p.block[k, ROW] :], u, prox, slopes[i], steps[i])
        yield_to(p.line, p.block[k, ROW], p.block[k, HEIGHT], slopes[i], steps[i])
    return take_step(island, structure, scratch, slopes, steps)


@jit
def hold_block(island: Island, k: int, x: Floats, u: Floats, prox: float, D: Floats2, dx: Floats):
    """Linearise block ``k`` at its impulses ``x`` and row velocities ``u``."""
    p, law = island.p, island.p.law[k]
    if p.block[k, MOVES] == 1:
        hold_torque(island, k, u, prox, D, dx)
    elif p.block[k, KIND] == DISK:
        hold_in_disk(x, u, disk_of(p, k, prox), 0, D, dx)
    else:
        hold_one(p.block[k, KIND], x[0], u[0], law, prox, D, dx)
    if p.block[k, KIND] == CONTACT:
        hold_friction(x, u, law, p.block[k, EDGES], prox, D, dx)


@jit
def take_step(
    island: Island, structure: Elimination, scratch: Scratch, slopes: Floats3, steps: Floats2
):
    """The step of blocks that were linearised; False if the matrix was singular."""
    blocks = island.blocks
    active = active_blocks(blocks, slopes)
    if active.size <= FEW_ACTIVE * blocks.size:
        structure = plan(island.p, active, island.nodes, island.local)
        matrix = np.empty(structure.size)
        scratch = Scratch(
            matrix, scratch.step, scratch.pivot, scratch.row, scratch.start, scratch.full
        )
    if not factor(island, structure, scratch, slopes, steps):
        return False
    add_step(island, structure, scratch, slopes, steps)
    return True


@jit
def factor(
    island: Island, structure: Elimination, scratch: Scratch, slopes: Floats3, steps: Floats2
):
    """Factor the matrix of blocks that were linearised; False if it is singular.

    ``scratch.step`` becomes the right side.
    """
    p, blocks, nodes = island.p, island.blocks, island.nodes
    a, b = scratch.matrix, scratch.step
    start_matrix(p, nodes, structure.at, a, b)
    for i in range(blocks.size):
        if is_active(slopes[i]):
            add_block(p, blocks[i], slopes[i], steps[i], island.local, structure.at, scratch)
        else:
            add_forces(p, blocks[i], steps[i], b)
        add_coupling(p, blocks[i], slopes[i], island.local, structure.at, a)
    return eliminate(p.node, nodes, structure, a, scratch.pivot)


@jit
def add_step(
    island: Island, structure: Elimination, scratch: Scratch, slopes: Floats3, steps: Floats2
):
    """Add to ``x`` the step that follows from the right side in ``scratch.step``."""
    p, blocks, nodes, x = island.p, island.blocks, island.nodes, island.x
    back(p.node, nodes, structure, scratch.matrix, scratch.pivot, scratch.step)
    change = np.empty(3)
    for i in range(blocks.size):
        k = blocks[i]
        r, height, dx = p.block[k, ROW], p.block[k, HEIGHT], steps[i]
        if is_active(slopes[i]):
            change[:] = 0.0
            add_rates(p, k, scratch.step, change)
            for a in range(height):
                for c in range(height):
                    dx[a] -= slopes[i, a, c] * change[c]
        if is_coupled(p, k, slopes[i]):
            contact = p.block[k, PRESSER]
            bias = p.line[p.block[contact, ROW], BIAS]
            rate = first_rate(p, contact, scratch.step) - bias
            for a in range(height):
                dx[a] -= slopes[i, a, 2] * rate
        for a in range(height):
            x[r + a] += dx[a]
