"""The springs that the convex relaxation puts in place of contacts, limits and the rest.

The impulses of a block are ``x = P(y)``, ``y = -u / R``: the nearest that its law allows.  With
the derivative of ``P`` as a sum of squares, ``J^T P J`` is made of one to three rows a block.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiler.jit import Floats, Ints, jit
from .gauss_seidel import clamp
from .problem import (
    BIAS,
    COMPLIANCE,
    HEIGHT,
    KIND,
    LOWER,
    MU,
    NORMAL,
    ROW,
    TANGENT,
    UPPER,
    Problem,
    add_rates,
)
from .rows import BILATERAL, CONTACT, DISK

STEEPEST = 100.0
# What a spring does: all rows yield, none does, or a contact slides, or a disk's impulses turn.
HOLDS, IDLE, SLIDES = 0, 1, 2
# columns of Springs.slope: direction of the slip, how the impulse turns with it
D1, D2, TURN = 0, 1, 2
EDGE = 1.0 - 1e-9  # of the radius of its cone, from which on a contact slides


class Springs(NamedTuple):
    """The springs of all blocks, and their states.

    Attributes
    ----------
    stiff, mu : shape (K,)
        One over ``R``, 0 for a block that no impulse can move; Coulomb's coefficient.
    state, slope : shape (K,), (K, 3)
        As of the last `spring_impulses` or `recall`; columns as named above.
    """

    stiff: np.ndarray
    mu: np.ndarray
    state: np.ndarray
    slope: np.ndarray


@jit
def springs_of(p: Problem, softness: float):
    """The springs of a problem: softer than its rows by ``softness`` of their own diagonal."""
    count = p.block.shape[0]
    stiff, mu = np.zeros(count), np.empty(count)
    for k in range(count):
        mu[k] = min(p.law[k, MU], STEEPEST)
        if p.law[k, NORMAL] > 0.0:
            soft = softness * max(p.law[k, NORMAL], p.law[k, TANGENT])
            stiff[k] = 1.0 / (soft + p.line[p.block[k, ROW], COMPLIANCE])
    return Springs(stiff, mu, np.empty(count, np.int64), np.empty((count, 3)))


@jit
def on_cone(y0: float, y1: float, y2: float, mu: float):
    """The nearest point of the cone: (state, normal part, direction of the rest, turn)."""
    square, most = y1 * y1 + y2 * y2, mu * y0
    if y0 >= 0.0 and square <= most * most:
        return HOLDS, y0, 0.0, 0.0, 0.0
    if y0 <= 0.0 and mu * mu * square <= y0 * y0:
        return IDLE, 0.0, 0.0, 0.0, 0.0
    t = math.sqrt(square)
    normal, over = (y0 + mu * t) / (1.0 + mu * mu), 1.0 / t
    return SLIDES, normal, over * y1, over * y2, over * (mu * normal)


@jit
def on_disk(y1: float, y2: float, size: float):
    """The nearest point of a disk: (state, its two parts, direction, turn)."""
    t = math.sqrt(y1 * y1 + y2 * y2)
    if t <= size:
        return HOLDS, y1, y2, 0.0, 0.0, 0.0
    d1, d2 = y1 / t, y2 / t
    return SLIDES, size * d1, size * d2, d1, d2, size / t


@jit
def relative(p: Problem, k: int, v: Floats, share: float, u: Floats):
    """Put the row velocities of block ``k``, and ``share`` of their bias, in ``u``."""
    r = p.block[k, ROW]
    for a in range(r, r + p.block[k, HEIGHT]):
        u[a] = share * p.line[a, BIAS]
    add_rates(p, k, v, u[r:])


@jit
def spring_impulses(p: Problem, blocks: Ints, s: Springs, u: Floats, x: Floats):
    """Impulses ``x`` of the springs at the row velocities ``u``; whether their states changed."""
    has_changed = False
    for k in blocks:
        r, stiff = p.block[k, ROW], s.stiff[k]
        if p.block[k, KIND] == CONTACT:
            state, mu = IDLE, s.mu[k]
            normal = d1 = d2 = turn = 0.0
            y1, y2 = -stiff * u[r + 1], -stiff * u[r + 2]
            if stiff > 0.0:
                state, normal, d1, d2, turn = on_cone(-stiff * u[r], y1, y2, mu)
            x[r], x[r + 1], x[r + 2] = normal, mu * normal * d1, mu * normal * d2
            if state == HOLDS:
                x[r + 1], x[r + 2] = y1, y2
            has_changed = has_changed or state != s.state[k]
            s.state[k] = state
            s.slope[k, D1], s.slope[k, D2], s.slope[k, TURN] = d1, d2, turn
        elif p.block[k, KIND] == DISK:
            size = p.law[k, UPPER]
            state, x1, x2, d1, d2, turn = on_disk(-stiff * u[r], -stiff * u[r + 1], size)
            x[r], x[r + 1] = x1, x2
            state = state if stiff > 0.0 else IDLE
            has_changed = has_changed or state != s.state[k]
            s.state[k] = state
            s.slope[k, D1], s.slope[k, D2], s.slope[k, TURN] = d1, d2, turn
        else:
            y = -stiff * u[r]
            x[r] = clamp(p.block[k, KIND], y, p.law[k, LOWER], p.law[k, UPPER])
            if stiff == 0.0:
                x[r] = 0.0
            state = HOLDS if x[r] == y and stiff > 0.0 else IDLE
            has_changed = has_changed or state != s.state[k]
            s.state[k] = state
    return has_changed


@jit
def recall(p: Problem, blocks: Ints, s: Springs, u: Floats, x: Floats, z: Floats):
    """Store the states of the springs under the impulses ``x``; ``z`` becomes the imbalance.

    To first order ``x + z - P' du / R`` are the impulses at ``u + du``.  They follow from
    ``x`` far better than from ``u``, whose errors the springs multiply by their stiffness.
    Returns whether any spring is active.
    """
    some = False
    for k in blocks:
        r, stiff = p.block[k, ROW], s.stiff[k]
        state = HOLDS if stiff > 0.0 else IDLE
        if p.block[k, KIND] == CONTACT:
            if not x[r] > 0.0:
                state = IDLE
            elif math.sqrt(x[r + 1] * x[r + 1] + x[r + 2] * x[r + 2]) >= EDGE * s.mu[k] * x[r]:
                state = SLIDES
        elif p.block[k, KIND] == DISK:
            if math.hypot(x[r], x[r + 1]) >= EDGE * p.law[k, UPPER]:
                state = SLIDES if stiff > 0.0 and p.law[k, UPPER] > 0.0 else IDLE
        elif p.block[k, KIND] != BILATERAL and not p.law[k, LOWER] < x[r] < p.law[k, UPPER]:
            state = IDLE
        s.state[k] = state
        if state == SLIDES and p.block[k, KIND] == DISK:
            _turn(s, k, p.law[k, UPPER], u[r:], x[r:], z[r:])
        elif state == SLIDES:
            _slide(s, k, r, u, x, z)
        else:
            for a in range(r, r + p.block[k, HEIGHT]):
                z[a] = -stiff * u[a] - x[a] if state == HOLDS else 0.0
        some = some or state != IDLE
    return some


@jit
def _slide(s: Springs, k: int, r: int, u: Floats, x: Floats, z: Floats):
    """`recall` of a contact at the edge of its cone, as far out as ``u`` says."""
    stiff, mu = s.stiff[k], s.mu[k]
    t = math.sqrt(x[r + 1] * x[r + 1] + x[r + 2] * x[r + 2])
    d1, d2 = (x[r + 1] / t, x[r + 2] / t) if t > 0.0 else (1.0, 0.0)
    y0, y1, y2 = -stiff * u[r], -stiff * u[r + 1], -stiff * u[r + 2]
    ahead, across = d1 * y1 + d2 * y2, d1 * y2 - d2 * y1
    part = 1.0 / (1.0 + mu * mu)
    out = max(0.0, part * (ahead - t - mu * (y0 - x[r])))
    turn = t / (t + out) if t > 0.0 else 0.0
    s.slope[k, D1], s.slope[k, D2], s.slope[k, TURN] = d1, d2, turn
    normal = part * (y0 + mu * ahead)
    z[r] = normal - x[r]
    z[r + 1] = mu * normal * d1 - turn * across * d2 - x[r + 1]
    z[r + 2] = mu * normal * d2 + turn * across * d1 - x[r + 2]


@jit
def _turn(s: Springs, k: int, size: float, u: Floats, x: Floats, z: Floats):
    """`recall` of a disk whose impulses lie on its edge, as far out as ``u`` says."""
    t = math.hypot(x[0], x[1])
    d1, d2 = x[0] / t, x[1] / t
    y1, y2 = -s.stiff[k] * u[0], -s.stiff[k] * u[1]
    turn = size / max(size, d1 * y1 + d2 * y2)
    across = turn * (d1 * y2 - d2 * y1)
    s.slope[k, D1], s.slope[k, D2], s.slope[k, TURN] = d1, d2, turn
    z[0] = size * d1 - across * d2 - x[0]
    z[1] = size * d2 + across * d1 - x[1]


@jit
def curvature(p: Problem, blocks: Ints, s: Springs, du: Floats):
    """Second derivative of the cost of all springs along ``du``, in the states they are in."""
    total = 0.0
    for k in blocks:
        state, r = s.state[k], p.block[k, ROW]
        if state == IDLE:
            continue
        stiff, e0 = s.stiff[k], du[r]
        if p.block[k, KIND] == CONTACT:
            e1, e2, mu = du[r + 1], du[r + 2], s.mu[k]
            if state == HOLDS:
                total += stiff * (e0 * e0 + e1 * e1 + e2 * e2)
            else:
                d1, d2, turn = s.slope[k, D1], s.slope[k, D2], s.slope[k, TURN]
                w, across = e0 + mu * (d1 * e1 + d2 * e2), d1 * e2 - d2 * e1
                total += stiff * (w * w / (1.0 + mu * mu) + turn * across * across)
        elif p.block[k, KIND] == DISK:
            e1 = du[r + 1]
            across = s.slope[k, D1] * e1 - s.slope[k, D2] * e0
            whole, turned = e0 * e0 + e1 * e1, s.slope[k, TURN] * across * across
            total += stiff * (whole if state == HOLDS else turned)
        else:
            total += stiff * e0 * e0
    return total
