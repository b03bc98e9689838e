"""What contacts do, as impulses say: open, stick, slide, or slip only under springs about zero."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiler.jit import Floats, jit
from .problem import KIND, LOWER, MU, NORMAL, ROW, TANGENT, UPPER, Island, row_velocity
from .rows import BILATERAL, BOX, CONTACT, DISK
from .thresholds import ASTRAY, FULL, LEAST_NORM_PROX, SLIPS, TURNED

# What a block does: it is open, or at its lower or upper bound; it holds; it slides; or springs
# about zero would slide there, but become rigid.
AT_LOWER, AT_UPPER, HELD, SLIDING, SATURATED = 0, 1, 2, 3, 4
# columns of `Behaviour.way`: direction of friction, and how much it turns per velocity across
D1, D2, TURN = 0, 1, 2
NOTHING, SOME, TOO_MUCH = 0, 1, 2


class Behaviour(NamedTuple):
    """What each block of an island does.

    Attributes
    ----------
    state : shape (k,)
        As named above.
    way : shape (k, 3)
        Of contacts that slide or are saturated; columns as named above.
    slopes : shape (k, 3, 3)
        Change of its impulses per velocity, with a minus.
    """

    state: np.ndarray
    way: np.ndarray
    slopes: np.ndarray


@jit
def begin(island: Island, does: Behaviour):
    """What each block does, as the impulses ``x`` say."""
    p, u = island.p, np.empty(3)
    for i in range(island.blocks.size):
        k = island.blocks[i]
        x, law, kind = island.x[p.block[k, ROW] :], p.law[k], p.block[k, KIND]
        does.state[i] = HELD
        if kind == DISK:
            row_velocity(p, k, island.x, island.v, u)
            does.state[i] = first_friction(law, law[UPPER], x, u, does.way[i])
        elif kind != BILATERAL and x[0] <= law[LOWER]:
            does.state[i] = AT_LOWER
        elif kind == BOX and x[0] >= law[UPPER]:
            does.state[i] = AT_UPPER
        elif kind == CONTACT:
            row_velocity(p, k, island.x, island.v, u)
            does.state[i] = first_friction(law, law[MU] * x[0], x[1:], u[1:], does.way[i])


@jit
def first_friction(law: Floats, size: float, x: Floats, u: Floats, way: Floats):
    """What impulses ``x`` in a disk do, as these and their row velocities say."""
    friction, h = math.hypot(x[0], x[1]), law[TANGENT]
    is_outside = math.hypot(x[0] - u[0] / h, x[1] - u[1] / h) > size
    if is_outside and slide(law, size, u, way) == SLIDING:
        return SLIDING
    if friction < FULL * size or friction == 0.0:
        return HELD
    way[D1], way[D2] = x[0] / friction, x[1] / friction
    way[TURN] = 1.0 / (LEAST_NORM_PROX * h)
    return SATURATED


@jit
def slide(law: Floats, size: float, u: Floats, way: Floats):
    """Direct friction against the slip ``u``; returns the state."""
    slip = math.hypot(u[0], u[1])
    way[D1], way[D2] = (-u[0] / slip, -u[1] / slip) if slip > 0.0 else (1.0, 0.0)
    stiff = 1.0 / (LEAST_NORM_PROX * law[TANGENT])
    way[TURN] = min(size / slip, stiff) if slip > 0.0 else stiff
    return SLIDING if slip > SLIPS * law[TANGENT] * size else SATURATED


@jit
def slides(does: Behaviour):
    """Whether any contact slides."""
    some = False
    for state in does.state:
        some = some or state == SLIDING
    return some


@jit
def changes(island: Island, does: Behaviour):
    """What changes under springs about zero: `NOTHING`, `SOME` blocks, or `TOO_MUCH`.

    Blocks do that from now on.  Contacts that begin to slide are too much: they might stick.
    """
    p, u, way, found = island.p, np.empty(3), np.zeros(3), NOTHING
    for i in range(island.blocks.size):
        k = island.blocks[i]
        law, before = p.law[k], does.state[i]
        if p.block[k, KIND] == BILATERAL or law[NORMAL] == 0.0:
            continue
        row_velocity(p, k, island.x, island.v, u)
        after = under_springs(p.block[k, KIND], law, before, island.x[p.block[k, ROW] :], u, way)
        if after in (SLIDING, SATURATED):
            turned = abs(way[D1] * does.way[i, D2] - way[D2] * does.way[i, D1])
            if before == SATURATED and (after == SLIDING or turned > ASTRAY):
                return TOO_MUCH
            if before == SATURATED and turned > TURNED:
                found = SOME
            does.way[i, :] = way
        if after != before:
            found = SOME
        does.state[i] = after
    return found


@jit
def under_springs(kind: int, law: Floats, state: int, x: Floats, u: Floats, way: Floats):
    """What a block of a ``state`` does at the impulses and row velocities of springs about zero.

    If it slides, ``way`` is where.
    """
    if kind == DISK:
        if state == HELD and math.hypot(x[0], x[1]) <= law[UPPER]:
            return HELD
        if math.hypot(u[0], u[1]) > LEAST_NORM_PROX * law[TANGENT] * law[UPPER]:
            return slide(law, law[UPPER], u, way)
        return HELD
    if state in (AT_LOWER, AT_UPPER):
        if u[0] == 0.0 or (u[0] > 0.0) == (state == AT_LOWER):
            return state
    elif x[0] < law[LOWER]:
        return AT_LOWER
    elif kind == BOX and x[0] > law[UPPER]:
        return AT_UPPER
    if kind == CONTACT:
        pressure = x[0] if state != AT_LOWER else -u[0] / (LEAST_NORM_PROX * law[NORMAL])
        size = law[MU] * pressure
        if math.hypot(u[1], u[2]) > LEAST_NORM_PROX * law[TANGENT] * size:
            return slide(law, size, u[1:], way)
    return HELD
