"""Of the impulses under which contacts stick, slide and open in the same way, those of least norm.

They are the forces of springs about zero as these become rigid.  Where a contact sticks all its
rows are springs; where it slides only the normal is, and friction follows.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiler.jit import Floats, Floats2, Floats3, jit
from .block_lu import Elimination
from .convex import forces, from_rest
from .desaxce import restore
from .gauss_seidel import residual
from .newton import Scratch, add_step, factor, yield_to
from .problem import (
    HEIGHT,
    KIND,
    LOWER,
    MU,
    NORMAL,
    ROW,
    TANGENT,
    UPPER,
    Island,
    row_velocity,
    velocity_of,
)
from .rows import BILATERAL, BOX, CONTACT
from .settings import Report, SolverSettings
from .thresholds import (
    CLEARLY,
    LEAST_NORM_PROX,
    LEAST_NORM_STEPS,
    STILL,
    TURNED,
)

# What a block does: it is open, or at its lower or upper bound; it holds; it slides; or springs
# about zero would slide there, but become rigid.
AT_LOWER, AT_UPPER, HELD, SLIDING, SATURATED = 0, 1, 2, 3, 4
FULL = 0.9998  # of the radius of the friction disk, from which on a contact may slide
SLIPS = 0.01  # of the velocity that friction would make of its own: a contact with more slides
# columns of `Behaviour.way`: direction of friction, and how much it turns per velocity across
D1, D2, TURN = 0, 1, 2


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
def least_norm(
    island: Island,
    structure: Elimination,
    scratch: Scratch,
    settings: SolverSettings,
    report: Report,
):
    """Impulses of least norm, where contacts do what they do under ``x``; returns the residual.

    Of ``x`` only that matters.  Steps from zero find the contacts that springs would press, and
    those where they would slip; the others make the springs rigid.
    """
    p, blocks, nodes = island.p, island.blocks, island.nodes
    x, v, count = island.x, island.v, island.blocks.size
    does = Behaviour(np.empty(count, np.int64), np.zeros((count, 3)), np.empty((count, 3, 3)))
    bias, free = p.line.copy(), p.free.copy()
    from_rest(p, blocks, nodes, np.empty(x.size))
    velocity_of(p, blocks, nodes, x, v)
    begin(island, does)
    starts_at_zero, worst = True, math.inf
    # Solved beyond the tolerance a heap at rest keeps its impulses; what slides changes them.
    enough = settings.tolerance * (1.0 if slides(does) else STILL)
    for _ in range(LEAST_NORM_STEPS):
        if starts_at_zero:
            if not step_from_zero(island, structure, scratch, does):
                break
            report.newton_steps += 1
            velocity_of(p, blocks, nodes, x, v)
            starts_at_zero = changes(island, does)
        else:
            step_on(island, structure, scratch, does)
            velocity_of(p, blocks, nodes, x, v)
            last = worst
            worst = residual(p, blocks, x, v, island.speed)
            if worst <= enough or worst >= last:
                break
    restore(island, bias, free)
    return worst


@jit
def slides(does: Behaviour):
    """Whether any contact slides."""
    some = False
    for state in does.state:
        some = some or state == SLIDING
    return some


@jit
def begin(island: Island, does: Behaviour):
    """What each block does, as the impulses ``x`` say."""
    p, u = island.p, np.empty(3)
    for i in range(island.blocks.size):
        k = island.blocks[i]
        x, law, kind = island.x[p.block[k, ROW] :], p.law[k], p.block[k, KIND]
        does.state[i] = HELD
        if kind != BILATERAL and x[0] <= law[LOWER]:
            does.state[i] = AT_LOWER
        elif kind == BOX and x[0] >= law[UPPER]:
            does.state[i] = AT_UPPER
        elif kind == CONTACT:
            friction, size = math.hypot(x[1], x[2]), law[MU] * x[0]
            if friction >= FULL * size:
                row_velocity(p, k, island.x, island.v, u)
                does.state[i] = slide(law, size, u, does.way[i])
                if does.state[i] == SATURATED and friction > 0.0:
                    does.way[i, D1], does.way[i, D2] = x[1] / friction, x[2] / friction
                    does.way[i, TURN] = 0.0


@jit
def slide(law: Floats, size: float, u: Floats, way: Floats):
    """Direct friction against the slip ``u``; returns the state."""
    slip = math.hypot(u[1], u[2])
    way[D1], way[D2] = (-u[1] / slip, -u[2] / slip) if slip > 0.0 else (1.0, 0.0)
    stiff = 1.0 / (LEAST_NORM_PROX * law[TANGENT])
    way[TURN] = min(size / slip, stiff) if slip > 0.0 else stiff
    return SLIDING if slip > SLIPS * law[TANGENT] * size else SATURATED


@jit
def changes(island: Island, does: Behaviour):
    """Whether any block does something else under springs about zero; it is done from now on."""
    p, u, way, some = island.p, np.empty(3), np.zeros(3), False
    for i in range(island.blocks.size):
        k = island.blocks[i]
        law, kind, before, after = p.law[k], p.block[k, KIND], does.state[i], HELD
        x = island.x[p.block[k, ROW] :]
        if kind == BILATERAL or law[NORMAL] == 0.0:
            continue
        row_velocity(p, k, island.x, island.v, u)
        if before in (AT_LOWER, AT_UPPER):
            if u[0] == 0.0 or (u[0] > 0.0) == (before == AT_LOWER):
                after = before
        elif x[0] < law[LOWER]:
            after = AT_LOWER
        elif kind == BOX and x[0] > law[UPPER]:
            after = AT_UPPER
        elif kind == CONTACT:
            size = law[MU] * x[0]
            if math.hypot(u[1], u[2]) > LEAST_NORM_PROX * law[TANGENT] * size:
                after = slide(law, size, u, way)
                turned = abs(way[D1] * does.way[i, D2] - way[D2] * does.way[i, D1])
                some = some or (before == SATURATED and turned > TURNED)
                does.way[i, :] = way
        some = some or after != before
        does.state[i] = after
    return some


@jit
def step_from_zero(island: Island, structure: Elimination, scratch: Scratch, does: Behaviour):
    """Impulses of springs about zero, where blocks do what they did; False if singular."""
    p, x = island.p, island.x
    does.slopes[:] = 0.0
    steps = linearise(island, does, does.slopes)
    for i in range(island.blocks.size):
        k = island.blocks[i]
        r, D, dx = p.block[k, ROW], does.slopes[i], steps[i]
        if D[0, 0] > 0.0:
            dx[0] -= x[r]
            if does.state[i] in (SLIDING, SATURATED):
                dx[1] -= D[1, 0] / D[0, 0] * x[r]
                dx[2] -= D[2, 0] / D[0, 0] * x[r]
            elif p.block[k, KIND] == CONTACT:
                dx[1] -= x[r + 1]
                dx[2] -= x[r + 2]
        yield_to(p.line, r, p.block[k, HEIGHT], D, dx)
    if not factor(island, structure, scratch, does.slopes, steps):
        return False
    add_step(island, structure, scratch, does.slopes, steps)
    return True


@jit
def step_on(island: Island, structure: Elimination, scratch: Scratch, does: Behaviour):
    """A step with springs about ``x``, and the matrix of the step from zero."""
    p = island.p
    z, slopes = np.empty(island.x.size), np.zeros((island.blocks.size, 3, 3))
    steps = linearise(island, does, slopes)
    for i in range(island.blocks.size):
        k = island.blocks[i]
        r, height = p.block[k, ROW], p.block[k, HEIGHT]
        yield_to(p.line, r, height, slopes[i], steps[i])
        for a in range(height):
            z[r + a] = steps[i, a]
    forces(p, island.blocks, island.nodes, z, scratch.step)
    add_step(island, structure, scratch, does.slopes, steps)


@jit
def linearise(island: Island, does: Behaviour, slopes: Floats3):
    """Linearise all blocks at what they do: ``slopes``, and the steps that are returned."""
    p = island.p
    steps, u = np.zeros((island.blocks.size, 3)), np.empty(3)
    for i in range(island.blocks.size):
        k = island.blocks[i]
        law, x, D, dx = p.law[k], island.x[p.block[k, ROW] :], slopes[i], steps[i]
        if law[NORMAL] == 0.0:
            continue
        row_velocity(p, k, island.x, island.v, u)
        if does.state[i] == AT_LOWER:
            dx[0] = law[LOWER] - x[0]
        elif does.state[i] == AT_UPPER:
            dx[0] = law[UPPER] - x[0]
        else:
            D[0, 0] = 1.0 / (LEAST_NORM_PROX * law[NORMAL])
            dx[0] = -D[0, 0] * u[0]
        if p.block[k, KIND] == CONTACT:
            linearise_friction(law, does.state[i], does.way[i], x, u, D, dx)
    return steps


@jit
def linearise_friction(
    law: Floats, state: int, way: Floats, x: Floats, u: Floats, D: Floats2, dx: Floats
):
    """Linearise the tangents of a contact whose normal stands in ``D`` and ``dx`` already."""
    if state == AT_LOWER:
        dx[1], dx[2] = -x[1], -x[2]
    elif state == HELD:
        stiff = 1.0 / (LEAST_NORM_PROX * law[TANGENT])
        D[1, 1] = D[2, 2] = stiff
        dx[1], dx[2] = -stiff * u[1], -stiff * u[2]
    else:
        if state == SLIDING:
            slide(law, law[MU] * x[0], u, way)
        d1, d2, turn = way[D1], way[D2], way[TURN]
        along, normal = turn * (d1 * u[2] - d2 * u[1]), law[MU] * (x[0] + dx[0])
        dx[1] = normal * d1 - x[1] + along * d2
        dx[2] = normal * d2 - x[2] - along * d1
        D[1, 0], D[2, 0] = law[MU] * d1 * D[0, 0], law[MU] * d2 * D[0, 0]
        D[1, 1], D[1, 2] = turn * d2 * d2, -turn * d1 * d2
        D[2, 1], D[2, 2] = D[1, 2], turn * d1 * d1


@jit
def slides_on(island: Island, tolerance: float):
    """Whether contacts that slide would go on under twice the impulses that there are."""
    p, u, free = island.p, np.empty(3), np.empty(3)
    margin = CLEARLY * tolerance * island.speed
    for k in island.blocks:
        if p.block[k, KIND] == CONTACT and island.x[p.block[k, ROW]] > 0.0:
            row_velocity(p, k, island.x, island.v, u)
            slip = math.hypot(u[1], u[2])
            if slip > margin:
                row_velocity(p, k, island.x, p.free, free)
                if slip <= math.hypot(u[1] - free[1], u[2] - free[2]):
                    return False
    return True
