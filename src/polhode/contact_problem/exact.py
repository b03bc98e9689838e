"""The exact solver over all islands: compression, and Poisson's restitution."""

from __future__ import annotations

import math

import numpy as np

from ..compiler.jit import Floats, jit
from .following import FOLLOW, note_choice
from .gauss_seidel import least_speed, speed_of
from .islands import islands_of
from .problem import (
    BIAS,
    COMPLIANCE,
    FIRST,
    HEIGHT,
    KIND,
    LAST,
    LOWER,
    ROW,
    TO,
    UPPER,
    VALUE,
    WIDTH,
    Island,
    problem_of,
)
from .retries import PAUSE, most_of, note_trial, sweep_alone
from .rows import BOX, CONTACT, DISK, UNILATERAL, ConstraintRows
from .settings import Report, SolverSettings
from .stages import solve_island
from .torque_bounds import has_torques, write_bounds
from .torques import solve_with_torques


@jit
def exact(
    rows: ConstraintRows,
    restitution: Floats,
    x: Floats,
    v: Floats,
    settings: SolverSettings,
    report: Report,
):
    """Impulses ``x`` and velocities ``v`` of a step, or of an impact after Poisson.

    A step has the first phase alone, compression, which obeys every law of ``rows``.  In an impact
    each normal then gives back ``restitution`` times its impulse.  That is the least it may have in
    a second phase, under the same laws, friction included.  Where both together would do positive
    work, the second is cut short where the work is zero.  ``x`` is taken as a warm start.  Returns
    the worst residual of any island and phase.
    """
    report.clear()
    report.rows = x.size
    p = problem_of(rows)
    v[:] = p.free
    order, first_block, all_nodes, first_node = islands_of(p)
    local = np.zeros(p.node.shape[0], np.int64)
    report.islands = first_block.size - 1
    before, compressed = np.zeros(x.size), np.empty(v.size)
    paused, following = settings.copy(), settings.copy()
    sweep_alone(paused)
    following.follows = True
    for i in range(first_block.size - 1):
        blocks = order[first_block[i] : first_block[i + 1]]
        nodes = all_nodes[first_node[i] : first_node[i + 1]]
        for j in range(nodes.size):
            local[nodes[j]] = j
        is_paused = most_of(rows.trials, nodes, PAUSE) > 0
        goes_after = most_of(rows.choices, nodes, FOLLOW) > 0
        worst, phase, made = 0.0, 0, report.newton_steps
        while phase < 2:
            speed = max(speed_of(p, blocks, nodes), least_speed(rows, nodes))
            island = Island(p, blocks, nodes, local, x, v, speed)
            own = settings
            if is_paused:
                own = paused
            elif goes_after:
                own = following
            if phase == 0 and has_torques(p, blocks):
                now = solve_with_torques(island, own, report)
                write_bounds(rows, p, blocks)
            else:
                now = solve_island(island, own, report)
            worst = max(worst, now)
            if phase == 1:
                end(island, rows, before, compressed, report)
            phase += 1
            if phase == 1 and not release(island, restitution, before, compressed):
                phase = 2
        report.worst = max(report.worst, worst)
        is_solved = worst <= settings.tolerance
        note_trial(rows.trials, nodes, blocks.size, is_solved)
        if settings.chooses:
            note_choice(rows.choices, nodes, report.newton_steps - made, is_solved)
        if not is_solved:
            report.unconverged += 1
    return report.worst


@jit
def release(island: Island, restitution: Floats, before: Floats, compressed: Floats):
    """Turn the problem into that of the second phase; False if nothing is given back.

    Its unknown is the impulse of the second phase alone, which begins at ``v``.
    """
    p, blocks, nodes = island.p, island.blocks, island.nodes
    x, v = island.x, island.v
    some = False
    for k in blocks:
        pushes = p.block[k, KIND] == CONTACT or p.block[k, KIND] == UNILATERAL
        some = some or (pushes and restitution[k] * x[p.block[k, ROW]] > 0.0)
    if not some:
        return False
    for j in nodes:
        for i in range(p.node[j, 0], p.node[j, 0] + p.node[j, 1]):
            p.free[i] = compressed[i] = v[i]
    for k in blocks:
        r, kind = p.block[k, ROW], p.block[k, KIND]
        for a in range(p.block[k, HEIGHT]):
            before[r + a] = x[r + a]
            p.line[r + a, BIAS] += p.line[r + a, COMPLIANCE] * x[r + a]
            x[r + a] *= restitution[k]
        if kind in (CONTACT, UNILATERAL):
            p.law[k, LOWER] = x[r] = max(x[r], 0.0)
        else:
            x[r] = 0.0
        if kind == BOX:
            p.law[k, LOWER] -= before[r]
            p.law[k, UPPER] -= before[r]
        elif kind == DISK:  # what is left in any direction
            x[r + 1] = 0.0
            used = math.hypot(before[r], before[r + 1])
            p.law[k, UPPER] = max(p.law[k, UPPER] - used, 0.0)
    return True


@jit
def end(island: Island, rows: ConstraintRows, before: Floats, compressed: Floats, report: Report):
    """Add the phases up; shorten the second one if both together did positive work."""
    p, blocks, nodes = island.p, island.blocks, island.nodes
    x, v = island.x, island.v
    first, linear, square = 0.0, 0.0, 0.0
    for k in blocks:
        r = p.block[k, ROW]
        for a in range(p.block[k, HEIGHT]):
            u0 = u1 = rows.bias[r + a]
            u2 = u1
            for s in range(p.block[k, FIRST], p.block[k, LAST]):
                to, n = p.segment[s, TO], p.segment[s, WIDTH]
                for i in range(n):
                    f = p.jacobian[p.segment[s, VALUE] + a * n + i]
                    u0 += f * rows.free[to + i]
                    u1 += f * compressed[to + i]
                    u2 += f * v[to + i]
            first += 0.5 * before[r + a] * (u0 + u1)
            linear += x[r + a] * u1
            square += 0.5 * x[r + a] * (u2 - u1)
    share = 1.0
    if first + linear + square > 0.0 and square > 0.0:
        first = min(first, 0.0)
        share = (math.sqrt(linear * linear - 4.0 * square * first) - linear) / (2.0 * square)
        share = min(max(share, 0.0), 1.0)
        report.energy_clipped += float(first + linear + square)
    for k in blocks:
        for r in range(p.block[k, ROW], p.block[k, ROW] + p.block[k, HEIGHT]):
            x[r] = before[r] + share * x[r]
    for j in nodes:
        for i in range(p.node[j, 0], p.node[j, 0] + p.node[j, 1]):
            v[i] = compressed[i] + share * (v[i] - compressed[i])
