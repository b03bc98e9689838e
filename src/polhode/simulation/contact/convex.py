"""The convex relaxation: impulses are springs projected on their cones.

With compliances R > 0 the impulses ``x = P(-u / R)`` minimise
``1/2 |v - free|_M^2 + sum R (y.x - x.x / 2)``, ``y = -u / R``: smooth, strictly convex, solved
by Newton's method with a line search.  A sliding contact lifts by mu times its slip.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiler.loops import loop
from .factor import back, eliminate, plan
from .islands import islands_of
from .newton import add_block, start_matrix, widest
from .problem import (
    COMPLIANCE,
    DOF,
    HEIGHT,
    KIND,
    LOWER,
    MASS,
    MU,
    NORMAL,
    ROW,
    SIZE,
    TANGENT,
    UPPER,
    problem_of,
    row_velocity,
    velocity_of,
)
from .rows import CONTACT
from .settings import (
    ISLANDS,
    NEWTON_STEPS,
    ROWS,
    SOFTNESS,
    TOLERANCE,
    UNCONVERGED,
    WORST,
)
from .sweep import clamp, speed_of

STEEPEST = 100.0
ROUNDING = 1e-10


@loop
def on_cone(y, mu, x, P):
    """Nearest point ``x`` of the cone to ``y`` and its derivative ``P``."""
    P[:, :] = 0.0
    t = math.hypot(y[1], y[2])
    if t <= mu * y[0]:
        for a in range(3):
            x[a] = y[a]
            P[a, a] = 1.0
        return
    x[0] = x[1] = x[2] = 0.0
    if mu * t <= -y[0]:
        return
    d1, d2 = y[1] / t, y[2] / t
    f = 1.0 / (1.0 + mu * mu)
    x[0] = (y[0] + mu * t) * f
    x[1], x[2] = mu * x[0] * d1, mu * x[0] * d2
    turn = mu * x[0] / t
    P[0, 0] = f
    P[0, 1] = P[1, 0] = f * mu * d1
    P[0, 2] = P[2, 0] = f * mu * d2
    P[1, 1] = f * mu * mu * d1 * d1 + turn * d2 * d2
    P[2, 2] = f * mu * mu * d2 * d2 + turn * d1 * d1
    P[1, 2] = P[2, 1] = (f * mu * mu - turn) * d1 * d2


@loop
def spring(p, k, u, soft, x, P):
    """Impulse of block ``k`` at ``u``, its derivative, and its share of the cost."""
    if p.block[k, KIND] == CONTACT:
        for a in range(3):
            u[a] = -u[a] / soft
        on_cone(u, min(p.law[k, MU], STEEPEST), x, P)
        return 0.5 * soft * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2])
    y = -u[0] / soft
    x[0] = clamp(p.block[k, KIND], y, p.law[k, LOWER], p.law[k, UPPER])
    P[0, 0] = 1.0 if x[0] == y else 0.0
    return soft * (y * x[0] - 0.5 * x[0] * x[0])


@loop
def pull(p, nodes, v, b):
    """Put ``M (free - v)`` in ``b``; returns ``(v - free) M (v - free) / 2``."""
    energy = 0.0
    for j in nodes:
        dof, n, mass = p.node[j, DOF], p.node[j, SIZE], p.node[j, MASS]
        for a in range(n):
            s = 0.0
            for c in range(n):
                s += p.mass[mass + a * n + c] * (p.free[dof + c] - v[dof + c])
            b[dof + a] = s
            energy += 0.5 * s * (p.free[dof + a] - v[dof + a])
    return energy


@loop
def is_still(p, blocks, nodes, soft, x, v, kept, margin):
    """Whether springs at ``v`` give velocities within ``margin`` of ``v``; both are replaced."""
    kept[:] = v
    springs(p, blocks, soft, np.zeros(x.size), v, x)
    velocity_of(p, blocks, nodes, x, v)
    for j in nodes:
        for i in range(p.node[j, DOF], p.node[j, DOF] + p.node[j, SIZE]):
            if not abs(v[i] - kept[i]) <= margin:
                v[:] = kept
                return False
    return True


@loop
def springs(p, blocks, soft, none, v, x):
    """Impulses of all springs at ``v``; returns their share of the cost."""
    u, P, pushed = np.empty(3), np.empty((3, 3)), np.empty(3)
    total = 0.0
    for i in range(blocks.size):
        k = blocks[i]
        if soft[i] == 0.0:
            continue
        row_velocity(p, k, none, v, u)
        total += spring(p, k, u, soft[i], pushed, P)
        for c in range(p.block[k, HEIGHT]):
            x[p.block[k, ROW] + c] = pushed[c]
    return total


@loop
def convex_newton(p, blocks, nodes, local, structure, soft, x, v, steps, enough):
    """Minimise in ``v`` from where it is; puts the impulses in ``x``. Returns steps made."""
    a, b = np.empty(structure[4]), np.empty(v.size)
    pivot = np.empty(v.size, np.int64)
    none = np.zeros(x.size)
    u, P, pushed = np.empty(3), np.empty((3, 3)), np.empty(3)
    row = np.empty(3 * widest(p, nodes))
    slope_of, trial = v.copy(), v.copy()
    cost = pull(p, nodes, v, b) + springs(p, blocks, soft, none, v, x)
    made = 0
    while made < steps:
        made += 1
        start_matrix(p, nodes, structure[3], a, b)
        pull(p, nodes, v, b)
        for i in range(blocks.size):
            if soft[i] == 0.0:
                continue
            row_velocity(p, blocks[i], none, v, u)
            spring(p, blocks[i], u, soft[i], pushed, P)
            P /= soft[i]
            add_block(p, blocks[i], P, pushed, local, structure[3], a, b, row)
        slope_of[:] = b
        if not eliminate(p.node, nodes, structure, a, pivot):
            break
        back(p.node, nodes, structure, a, pivot, b)
        slope = 0.0
        for j in nodes:
            for i in range(p.node[j, DOF], p.node[j, DOF] + p.node[j, SIZE]):
                slope += slope_of[i] * b[i]
        # Where the gain is lost in the cost's rounding, Newton's step is taken as it is.
        certain = slope <= ROUNDING * abs(cost)
        step, new = 2.0, math.inf
        while not new <= cost - 1e-3 * step * slope and step > 1e-4:
            step *= 0.5
            for j in nodes:
                for i in range(p.node[j, DOF], p.node[j, DOF] + p.node[j, SIZE]):
                    trial[i] = v[i] + step * b[i]
            new = pull(p, nodes, trial, slope_of) + springs(p, blocks, soft, none, trial, x)
            if certain:
                break
        for j in nodes:
            for i in range(p.node[j, DOF], p.node[j, DOF] + p.node[j, SIZE]):
                v[i] = trial[i]
        cost = new
        if not slope > enough * abs(cost):
            break
    return made


@loop
def convex(rows, x, v, settings, report):
    """Impulses of the convex relaxation, island by island.

    The residual it reports is how far ``v`` is from what its own impulses make of ``free``.
    """
    report[:] = 0.0
    report[ROWS] = x.size
    p = problem_of(rows)
    v[:] = p.free
    order, first_block, all_nodes, first_node = islands_of(p)
    local = np.zeros(p.node.shape[0], np.int64)
    soft = np.empty(p.block.shape[0])
    primal = np.empty(v.size)
    report[ISLANDS] = first_block.size - 1
    for i in range(first_block.size - 1):
        blocks = order[first_block[i] : first_block[i + 1]]
        nodes = all_nodes[first_node[i] : first_node[i + 1]]
        for j in range(nodes.size):
            local[nodes[j]] = j
        for j in range(blocks.size):
            k = blocks[j]
            soft[j] = 0.0
            if p.law[k, NORMAL] > 0.0:
                soft[j] = settings[SOFTNESS] * max(p.law[k, NORMAL], p.law[k, TANGENT])
                soft[j] += p.line[p.block[k, ROW], COMPLIANCE]
        speed = speed_of(p, blocks, nodes)
        velocity_of(p, blocks, nodes, x, v)
        if is_still(p, blocks, nodes, soft, x, v, primal, 0.1 * settings[TOLERANCE] * speed):
            continue
        structure = plan(p, blocks, nodes, local)
        enough = 1e-2 * settings[TOLERANCE] * settings[TOLERANCE]
        report[NEWTON_STEPS] += convex_newton(
            p, blocks, nodes, local, structure, soft, x, v, 200, enough
        )
        for j in range(v.size):
            primal[j] = v[j]
        velocity_of(p, blocks, nodes, x, v)
        worst = 0.0
        for n in nodes:
            for j in range(p.node[n, DOF], p.node[n, DOF] + p.node[n, SIZE]):
                if not abs(v[j] - primal[j]) <= worst * speed:
                    worst = abs(v[j] - primal[j]) / speed
        report[WORST] = max(report[WORST], worst)
        if not worst <= settings[TOLERANCE]:
            report[UNCONVERGED] += 1
    return report[WORST]
