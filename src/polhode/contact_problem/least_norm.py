"""Of the impulses under which contacts stick, slide and open in the same way, those of least norm.

They are the forces of springs about zero as these become rigid.  Where a contact sticks all its
rows are springs; where it slides only the normal is, and friction follows.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiler.jit import Floats, Floats2, Floats3, jit
from .block_lu import Elimination
from .contact_states import (
    AT_LOWER,
    AT_UPPER,
    D1,
    D2,
    HELD,
    SATURATED,
    SLIDING,
    SOME,
    TOO_MUCH,
    TURN,
    Behaviour,
    begin,
    changes,
    slide,
    slides,
)
from .convex import forces, from_rest
from .desaxce import is_expressed, restore
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
from .rows import CONTACT, DISK, NO_SLIP
from .settings import Report, SolverSettings
from .thresholds import (
    CREEPS,
    LEAST_NORM_PROX,
    LEAST_NORM_STEPS,
    SLIPS,
    STEPS_FROM_ZERO,
    STILL,
)


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
    those where they would slip; the others make the springs rigid.  Infinite where this fails, or
    contacts that slide might as well stick.
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
    for made in range(LEAST_NORM_STEPS):
        if starts_at_zero:
            if made >= STEPS_FROM_ZERO or not step_from_zero(island, structure, scratch, does):
                break
            report.newton_steps += 1
            velocity_of(p, blocks, nodes, x, v)
            found = changes(island, does)
            starts_at_zero = found == SOME
            if found == TOO_MUCH:
                break
        else:
            step_on(island, structure, scratch, does)
            velocity_of(p, blocks, nodes, x, v)
            last = worst
            worst = residual(p, blocks, x, v, island.speed)
            if worst <= enough or worst >= last:
                break
    restore(island, bias, free)
    return worst if slides_on(island, CREEPS) else math.inf


@jit
def goes_on(island: Island):
    """Whether `least_norm` may be tried at the ``x`` and ``v`` of a step: what slides goes on."""
    return has_least_norm(island) and slides_on(island, SLIPS)


@jit
def has_least_norm(island: Island):
    """Whether cones are round, and not those of no-slip contacts.

    These jam: what they did a step before leads away from what they do in this one.
    """
    p, blocks = island.p, island.blocks
    for k in blocks:
        if p.block[k, KIND] == CONTACT and p.law[k, MU] >= NO_SLIP:
            return False
    return is_expressed(p, blocks)


@jit
def step_from_zero(island: Island, structure: Elimination, scratch: Scratch, does: Behaviour):
    """Impulses of springs about zero, where blocks do what they did; False if singular."""
    p, x = island.p, island.x
    does.slopes[:] = 0.0
    steps = linearise(island, does, does.slopes)
    for i in range(island.blocks.size):
        k = island.blocks[i]
        r, D, dx = p.block[k, ROW], does.slopes[i], steps[i]
        if p.block[k, KIND] == DISK:
            if does.state[i] == HELD:
                dx[0] -= x[r]
                dx[1] -= x[r + 1]
        elif D[0, 0] > 0.0:
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
        if p.block[k, KIND] == DISK:
            linearise_disk(law, does.state[i], does.way[i], x, u, D, dx)
        elif does.state[i] == AT_LOWER:
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
        hold_both(law, u[1:], 1, D, dx)
    else:
        if state == SLIDING:
            slide(law, law[MU] * x[0], u[1:], way)
        turn_both(law[MU] * (x[0] + dx[0]), way, x[1:], u[1:], 1, D, dx)
        D[1, 0], D[2, 0] = law[MU] * way[D1] * D[0, 0], law[MU] * way[D2] * D[0, 0]


@jit
def linearise_disk(
    law: Floats, state: int, way: Floats, x: Floats, u: Floats, D: Floats2, dx: Floats
):
    """Linearise two impulses in a disk."""
    if state == HELD:
        hold_both(law, u, 0, D, dx)
    else:
        if state == SLIDING:
            slide(law, law[UPPER], u, way)
        turn_both(law[UPPER], way, x, u, 0, D, dx)


@jit
def hold_both(law: Floats, u: Floats, at: int, D: Floats2, dx: Floats):
    """Linearise two impulses that hold, in rows ``at`` and ``at + 1``."""
    stiff = 1.0 / (LEAST_NORM_PROX * law[TANGENT])
    D[at, at] = D[at + 1, at + 1] = stiff
    dx[at], dx[at + 1] = -stiff * u[0], -stiff * u[1]


@jit
def turn_both(size: float, way: Floats, x: Floats, u: Floats, at: int, D: Floats2, dx: Floats):
    """Linearise two impulses that become of a ``size``, and turn with their rows' velocities."""
    d1, d2, turn, to = way[D1], way[D2], way[TURN], at + 1
    along = turn * (d1 * u[1] - d2 * u[0])
    dx[at] = size * d1 - x[0] + along * d2
    dx[to] = size * d2 - x[1] - along * d1
    D[at, at], D[at, to] = turn * d2 * d2, -turn * d1 * d2
    D[to, at], D[to, to] = D[at, to], turn * d1 * d1


@jit
def slides_on(island: Island, least: float):
    """Whether contacts that slide would go on under twice the impulses that there are.

    Slip below the ``least`` share of what friction would make of its own is not looked at.
    """
    p, u, free = island.p, np.empty(3), np.empty(3)
    for k in island.blocks:
        if p.block[k, KIND] == CONTACT and island.x[p.block[k, ROW]] > 0.0:
            row_velocity(p, k, island.x, island.v, u)
            slip = math.hypot(u[1], u[2])
            if slip > least * p.law[k, TANGENT] * p.law[k, MU] * island.x[p.block[k, ROW]]:
                row_velocity(p, k, island.x, p.free, free)
                if slip <= math.hypot(u[1] - free[1], u[2] - free[2]):
                    return False
    return True
