"""Block projected Gauss-Seidel, and the residual that judges every method."""

from __future__ import annotations

import math

import numpy as np

from ..compiler.jit import Floats, Floats2, Ints, jit
from .friction import INSIDE, nearest, radius
from .problem import (
    BIAS,
    DOF,
    EDGES,
    HEIGHT,
    KIND,
    LOWER,
    MOVES,
    MU,
    NORMAL,
    ROW,
    SIZE,
    TANGENT,
    UPPER,
    WIDENING,
    Problem,
    add_rates,
    first_rate,
    push_by,
    row_velocity,
)
from .rows import BILATERAL, CONTACT, DISK, UNILATERAL, ConstraintRows
from .thresholds import ROUNDING, SLOWEST
from .torque_bounds import set_bound


@jit
def clamp(kind: int, z: float, lower: float, upper: float):
    """Nearest impulse to ``z`` that a one-row block may have."""
    if kind == BILATERAL:
        return z
    if kind == UNILATERAL:
        return max(z, lower)
    return min(max(z, lower), upper)


@jit
def solve_contact(
    x: Floats, r: int, u: Floats, own: Floats2, law: Floats, edges: int, step: Floats
):
    """New impulses of one contact with its own rows alone: ``step`` becomes the change.

    The normal impulse comes first, then friction under it (`solve_disk`).  ``u`` becomes the
    velocities after the first.
    """
    normal = max(law[LOWER], x[r] - u[0] / law[NORMAL])
    step[0] = normal - x[r]
    u[1] += own[1, 0] * step[0]
    u[2] += own[2, 0] * step[0]
    size = radius(law[MU], law[WIDENING], normal)
    step[1], step[2] = solve_disk(x[r + 1 :], u[1:], own, 1, (size, law[TANGENT], edges))


@jit
def solve_disk(x: Floats, u: Floats, own: Floats2, a: int, disk: tuple[float, float, int]):
    """Change of two impulses within a disk by their rows alone, which are ``a`` and ``a + 1``.

    It stops the slip if its own 2 x 2 matrix is regular and the impulse lies in the disk.
    Otherwise one projected step, whose length is safe in every direction; sweeps repeat it until
    the contact slides as it must.  ``disk`` has its radius, the greatest velocity that a unit
    impulse makes, and edges.
    """
    size, h, edges = disk
    d, c, f = own[a, a], own[a, a + 1], own[a + 1, a + 1]
    det = d * f - c * c
    p, q, out = 0.0, 0.0, True
    if det > 1e-9 * h * h:
        p = x[0] - (f * u[0] - c * u[1]) / det
        q = x[1] - (d * u[1] - c * u[0]) / det
        out = nearest(p, q, size, edges)[0] != INSIDE
    if out:
        _, p, q, _, _ = nearest(x[0] - u[0] / h, x[1] - u[1] / h, size, edges)
    return p - x[0], q - x[1]


@jit
def stays_open(p: Problem, k: int, x: Floats, v: Floats):
    """Whether a block is a contact that has no impulse and does not close: its laws hold."""
    law, r = p.law[k], p.block[k, ROW]
    if p.block[k, KIND] != CONTACT or law[LOWER] != 0.0 or law[WIDENING] != 0.0:
        return False
    if x[r] != 0.0 or x[r + 1] != 0.0 or x[r + 2] != 0.0 or law[MU] == math.inf:
        return False
    return 0.0 <= first_rate(p, k, v) < math.inf


@jit
def sweeps(p: Problem, blocks: Ints, x: Floats, v: Floats, count: int, still: float):
    """Go over ``blocks`` in order, ``count`` times or until no velocity changes by ``still``."""
    u = np.empty(3)
    step = np.empty(3)
    for made in range(count):
        largest = 0.0
        for k in blocks:
            law = p.law[k]
            g = law[NORMAL]
            if not g > 0.0 or stays_open(p, k, x, v):
                continue
            row_velocity(p, k, x, v, u)
            r, height = p.block[k, ROW], p.block[k, HEIGHT]
            if p.block[k, KIND] == CONTACT:
                solve_contact(x, r, u, p.own[k], law, p.block[k, EDGES], step)
                change = law[TANGENT] * max(abs(step[1]), abs(step[2]))
                change = max(change, g * abs(step[0]))
            elif p.block[k, KIND] == DISK:
                disk = (law[UPPER], g, p.block[k, EDGES])
                step[0], step[1] = solve_disk(x[r:], u, p.own[k], 0, disk)
                change = g * max(abs(step[0]), abs(step[1]))
            else:
                z = clamp(p.block[k, KIND], x[r] - u[0] / g, law[LOWER], law[UPPER])
                step[0] = z - x[r]
                change = g * abs(step[0])
            if change == 0.0:
                continue
            largest = max(largest, change)
            for a in range(height):
                x[r + a] += step[a]
            push_by(p, k, step, v)
        if largest <= still:
            return made + 1
    return count


@jit
def speed_of(p: Problem, blocks: Ints, nodes: Ints):
    """The velocity that residuals of an island are measured by."""
    speed, u = SLOWEST, np.empty(3)
    for k in blocks:
        for a in range(p.block[k, HEIGHT]):
            u[a] = p.line[p.block[k, ROW] + a, BIAS]
        add_rates(p, k, p.free, u)
        for a in range(p.block[k, HEIGHT]):
            speed = max(speed, abs(u[a]))
    for j in nodes:
        for i in range(p.node[j, DOF], p.node[j, DOF] + p.node[j, SIZE]):
            speed = max(speed, ROUNDING * abs(p.free[i]))
    return speed


@jit
def least_speed(rows: ConstraintRows, nodes: Ints):
    """What the residual of an island is relative to at least."""
    speed = 0.0
    if len(rows.speed):
        for j in nodes:
            speed = max(speed, rows.speed[j])
    return speed


@jit
def residual(p: Problem, blocks: Ints, x: Floats, v: Floats, speed: float):
    """Worst ``g |x - P(x - u / g)|`` of ``blocks``, over ``speed``: 0 where all laws hold."""
    worst, _ = misfit(p, blocks, x, v, speed)
    return worst


@jit
def misfit(p: Problem, blocks: Ints, x: Floats, v: Floats, speed: float):
    """The `residual`, and the sum of the squares of all that it is the worst of."""
    u = np.empty(3)
    worst = squares = 0.0
    for k in blocks:
        law = p.law[k]
        if p.block[k, MOVES] == 1:
            set_bound(p, k, x)
        g, h = law[NORMAL], law[TANGENT]
        if g == 0.0 or stays_open(p, k, x, v):
            continue
        row_velocity(p, k, x, v, u)
        r = p.block[k, ROW]
        z = x[r] - u[0] / g
        scale = speed + ROUNDING * g * abs(x[r])
        # max() hides NaN: `sane` collects what must not be NaN.
        sane = abs(z)
        if p.block[k, KIND] == DISK:
            _, a, b, _, _ = nearest(z, x[r + 1] - u[1] / g, law[UPPER], p.block[k, EDGES])
            error = g * math.hypot(x[r] - a, x[r + 1] - b) / scale
            sane += error
        elif p.block[k, KIND] == CONTACT:
            size = radius(law[MU], law[WIDENING], x[r])
            a, b = x[r + 1] - u[1] / h, x[r + 2] - u[2] / h
            _, a, b, _, _ = nearest(a, b, size, p.block[k, EDGES])
            slip = h * math.hypot(x[r + 1] - a, x[r + 2] - b) / scale
            sane += slip
            error = g * abs(x[r] - max(law[LOWER], z)) / scale
            worst = max(worst, slip)
            squares += slip * slip
        else:
            error = g * abs(x[r] - clamp(p.block[k, KIND], z, law[LOWER], law[UPPER])) / scale
        if not sane < math.inf:
            return math.inf, math.inf
        worst = max(worst, error)
        squares += error * error
    return worst, squares
