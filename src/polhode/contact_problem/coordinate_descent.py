"""Block coordinate descent on the convex relaxation: each contact in turn, the others held.

It finds which contacts are open, stick and slide at a fraction of the cost of Newton's steps,
which then begin with the right set.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiler.jit import Floats, Floats2, Ints, jit
from .elimination_order import has_same_nodes
from .gauss_seidel import clamp
from .problem import (
    COMPLIANCE,
    HEIGHT,
    KIND,
    LOWER,
    NORMAL,
    ROW,
    TANGENT,
    UPPER,
    Island,
    Problem,
    first_rate,
    push_by,
)
from .rows import BOX, CONTACT, DISK
from .springs import EDGE, HOLDS, IDLE, SLIDES, Springs, on_cone, on_disk, relative

# Where pairs have so many contacts, and of so many but one slides, Newton's method needs no sweeps.
PATCH, STICKING = 3, 64
INNER = 4  # steps of one contact towards the least cost on the edge of its cone


class ContactCone(NamedTuple):
    """The friction cone of a contact, its softness, and a step length (`inverses`)."""

    reach: float
    mu: float
    soft: float


@jit
def inverses(p: Problem, blocks: Ints, s: Springs, inverse: Floats2, reach: Floats):
    """One over the own rows of each block, springs included, and over the greatest of these."""
    for k in blocks:
        if s.stiff[k] == 0.0:
            continue
        own, r, soft = p.own[k], p.block[k, ROW], 1.0 / s.stiff[k]
        a = own[0, 0] - p.line[r, COMPLIANCE] + soft
        if p.block[k, KIND] == DISK:
            reach[k] = 1.0 / (p.law[k, NORMAL] + soft)
            continue
        if p.block[k, KIND] != CONTACT:
            reach[k] = 1.0 / a
            continue
        d = own[1, 1] - p.line[r + 1, COMPLIANCE] + soft
        f = own[2, 2] - p.line[r + 2, COMPLIANCE] + soft
        b, c, e = own[0, 1], own[0, 2], own[1, 2]
        x, y, z = d * f - e * e, c * e - b * f, b * e - c * d
        det = 1.0 / (a * x + b * y + c * z)
        inv = inverse[k]
        inv[0], inv[1], inv[2] = det * x, det * y, det * z
        inv[3], inv[4], inv[5] = det * (a * f - c * c), det * (b * c - a * e), det * (a * d - b * b)
        inv[6], inv[7], inv[8], inv[9], inv[10], inv[11] = a, b, c, d, e, f
        reach[k] = 1.0 / math.sqrt(a * a + d * d + f * f + 2.0 * (b * b + c * c + e * e))


@jit
def coordinate_descent(island: Island, s: Springs, u: Floats, count: int, still: float):
    """Sweep ``count`` times, or until no velocity changes by ``still``; keeps ``v`` in step.

    Sweeps end, too, when what the springs do has stopped changing.
    """
    p, blocks, x, v = island.p, island.blocks, island.x, island.v
    if count == 0:
        return 0
    inverse, reach = np.empty((p.block.shape[0], 12)), np.empty(p.block.shape[0])
    inverses(p, blocks, s, inverse, reach)
    step, before = np.zeros(3), np.empty(p.block.shape[0], np.int64)
    for k in blocks:
        before[k] = state_of(p, k, s.mu[k], x)
    for made in range(count):
        largest, has_changed = 0.0, False
        for k in blocks:
            r, stiff = p.block[k, ROW], s.stiff[k]
            if stiff == 0.0:
                continue
            relative(p, k, v, 1.0, u)
            if p.block[k, KIND] == CONTACT:
                cone = ContactCone(float(reach[k]), float(s.mu[k]), float(1.0 / stiff))
                solve_on_cone(inverse[k], cone, u[r : r + 3], x[r : r + 3], step)
                size = p.law[k, TANGENT] * max(abs(step[1]), abs(step[2]))
                size = max(size, p.law[k, NORMAL] * abs(step[0]))
            elif p.block[k, KIND] == DISK:
                y = x[r] - (u[r] + x[r] / stiff) * reach[k]
                z = x[r + 1] - (u[r + 1] + x[r + 1] / stiff) * reach[k]
                _, y, z, _, _, _ = on_disk(y, z, p.law[k, UPPER])
                step[0], step[1] = y - x[r], z - x[r + 1]
                size = p.law[k, NORMAL] * max(abs(step[0]), abs(step[1]))
            else:
                y = x[r] - (u[r] + x[r] / stiff) * reach[k]
                y = clamp(p.block[k, KIND], y, p.law[k, LOWER], p.law[k, UPPER])
                step[0] = y - x[r]
                size = p.law[k, NORMAL] * abs(step[0])
            if size == 0.0:
                continue
            largest = max(largest, size)
            for a in range(p.block[k, HEIGHT]):
                x[r + a] += step[a]
            push_by(p, k, step, v)
            state = state_of(p, k, s.mu[k], x)
            has_changed = has_changed or state != before[k]
            before[k] = state
        if largest <= still or not has_changed:
            return made + 1
    return count


@jit
def mostly_sticks(island: Island, s: Springs):
    """Whether nearly all contacts stick under the impulses ``x``, and none that is open closes.

    So it is in towers, whose bodies touch at several points.  Sweeps would share a load among
    these slowly, and make symmetric impulses lopsided.
    """
    p, blocks, x, v = island.p, island.blocks, island.x, island.v
    sliding, pairs = 0, 0
    for b in range(blocks.size):
        k = blocks[b]
        if b == 0 or not has_same_nodes(p, k, blocks[b - 1]):
            pairs += 1
        state = state_of(p, k, s.mu[k], x)
        if state == SLIDES or (state == IDLE and p.block[k, KIND] == BOX):
            sliding += 1
            if STICKING * sliding > blocks.size:
                return False
        elif state == IDLE and s.stiff[k] > 0.0 and first_rate(p, k, v) < 0.0:
            return False
    return PATCH * pairs <= blocks.size


@jit
def state_of(p: Problem, k: int, mu: float, x: Floats):
    """What the impulses ``x`` say that the springs of block ``k`` do."""
    r = p.block[k, ROW]
    if p.block[k, KIND] == DISK:
        return HOLDS if math.hypot(x[r], x[r + 1]) < EDGE * p.law[k, UPPER] else SLIDES
    if p.block[k, KIND] != CONTACT:
        return HOLDS if p.law[k, LOWER] < x[r] < p.law[k, UPPER] else IDLE
    if not x[r] > 0.0:
        return IDLE
    most = EDGE * mu * x[r]
    return HOLDS if x[r + 1] * x[r + 1] + x[r + 2] * x[r + 2] < most * most else SLIDES


@jit
def solve_on_cone(block: Floats, cone: ContactCone, u: Floats, x: Floats, step: Floats):
    """Put in ``step`` the change of a contact's impulses that minimises the cost on its cone."""
    inv, reach, mu, soft = block, cone.reach, cone.mu, cone.soft
    x0, x1, x2 = x[0], x[1], x[2]
    u0, u1, u2 = u[0] + soft * x0, u[1] + soft * x1, u[2] + soft * x2
    s0 = -(inv[0] * u0 + inv[1] * u1 + inv[2] * u2)
    s1 = -(inv[1] * u0 + inv[3] * u1 + inv[4] * u2)
    s2 = -(inv[2] * u0 + inv[4] * u1 + inv[5] * u2)
    state, normal, d1, d2, _ = on_cone(x0 + s0, x1 + s1, x2 + s2, mu)
    if state != HOLDS:
        s0, s1, s2 = 0.0, 0.0, 0.0
        for _ in range(INNER):
            y0 = x0 + s0 - reach * (u0 + inv[6] * s0 + inv[7] * s1 + inv[8] * s2)
            y1 = x1 + s1 - reach * (u1 + inv[7] * s0 + inv[9] * s1 + inv[10] * s2)
            y2 = x2 + s2 - reach * (u2 + inv[8] * s0 + inv[10] * s1 + inv[11] * s2)
            state, normal, d1, d2, _ = on_cone(y0, y1, y2, mu)
            z0, z1, z2 = y0 - x0, y1 - x1, y2 - x2
            if state != HOLDS:
                z0, z1, z2 = normal - x0, mu * normal * d1 - x1, mu * normal * d2 - x2
            is_found = z0 == s0 and z1 == s1 and z2 == s2  # an open contact, at once
            s0, s1, s2 = z0, z1, z2
            if is_found:
                break
    step[0], step[1], step[2] = s0, s1, s2
