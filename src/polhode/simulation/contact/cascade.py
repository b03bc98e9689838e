"""The exact solver: Gauss-Seidel, Newton, restarts of both, long Gauss-Seidel.

Newton's method is fast but need not converge; Gauss-Seidel nearly always makes progress.
So every attempt of Newton begins where all sweeps so far have led, never at what another
attempt left, with more sweeps and another damping each time.
"""

from __future__ import annotations

import math

import numpy as np

from ..jit import jit
from .factor import plan
from .inlined import inlined
from .newton import newton_step
from .problem import HEIGHT, ROW, velocity_of
from .settings import (
    ATTEMPTS,
    LAST_SWEEPS,
    NEWTON,
    NEWTON_STEPS,
    STAGE,
    SWEEPS,
    SWEEPS_MADE,
    TOLERANCE,
)
from .sweep import residual, speed_of, sweeps

# First prox of each Newton attempt: small ones suit towers, large ones piles; the least is
# held, and given time, for masses that differ by orders of magnitude.
FIRST_PROX = (1e-3, 1e-1, 1e-6, 1e-2)
LEAST_PROX, HELD_PROX, GREATEST_PROX = 1e-10, 1e-5, 0.1
NEAR = 1e-2


@inlined
def solve_island(p, blocks, nodes, local, x, v, settings, report):
    """The cascade for one island, from the impulses in ``x``; returns its residual."""
    speed = speed_of(p, blocks, nodes)
    enough = settings[TOLERANCE]
    velocity_of(p, blocks, nodes, x, v)
    worst = residual(p, blocks, x, v, speed)
    if worst <= enough:
        return worst
    if worst == math.inf:
        for k in blocks:
            for a in range(p.block[k, HEIGHT]):
                x[p.block[k, ROW] + a] = 0.0
        velocity_of(p, blocks, nodes, x, v)
        if residual(p, blocks, x, v, speed) == math.inf:
            report[STAGE] = 4
            return math.inf
    count = int(settings[SWEEPS])
    if worst < NEAR:
        count //= 4
    least = sweep_on(p, blocks, nodes, x, v, speed, count, enough, report)
    if least <= enough:
        return least
    structure = plan(p, blocks, nodes, local)
    kept, best = x.copy(), x.copy()
    attempts = int(settings[ATTEMPTS])
    for attempt in range(attempts):
        report[STAGE] = max(report[STAGE], min(attempt + 1, 2))
        prox = FIRST_PROX[attempt % 4]
        worst = steps(p, blocks, nodes, local, structure, x, v, speed, prox, settings, report)
        if worst <= enough:
            return worst
        if worst < least:
            least = worst
            best[:] = x
        x[:] = kept
        count = 60 << attempt
        if attempt + 1 == attempts:
            count = int(settings[LAST_SWEEPS])
            report[STAGE] = 3
        worst = sweep_on(p, blocks, nodes, x, v, speed, count, enough, report)
        if worst <= enough:
            return worst
        if worst < least:
            least = worst
            best[:] = x
        kept[:] = x
    x[:] = best
    velocity_of(p, blocks, nodes, x, v)
    report[STAGE] = 4
    return least


@jit
def sweep_on(p, blocks, nodes, x, v, speed, count, enough, report):
    """At most ``count`` sweeps; returns the residual."""
    velocity_of(p, blocks, nodes, x, v)
    report[SWEEPS_MADE] += sweeps(p, blocks, x, v, count, 0.1 * enough * speed)
    velocity_of(p, blocks, nodes, x, v)
    return residual(p, blocks, x, v, speed)


@inlined
def steps(p, blocks, nodes, local, structure, x, v, speed, prox, settings, report):
    """Newton steps while they promise something; returns the last residual."""
    a, b = np.empty(structure[4]), np.empty(v.size)
    pivot = np.empty(v.size, np.int64)
    velocity_of(p, blocks, nodes, x, v)
    now = last = least = math.inf
    since = 0
    patience = 3 if prox < HELD_PROX else 1
    for _ in range(patience * int(settings[NEWTON])):
        if not newton_step(p, blocks, nodes, local, structure, a, pivot, b, x, v, prox):
            return math.inf
        report[NEWTON_STEPS] += 1
        velocity_of(p, blocks, nodes, x, v)
        now = residual(p, blocks, x, v, speed)
        if now <= settings[TOLERANCE] or now == math.inf:
            return now
        if patience == 3:
            prox = max(0.3 * prox, LEAST_PROX) if now < min(last, NEAR) else prox
        else:
            prox = max(0.3 * prox, HELD_PROX) if now < last else min(3.0 * prox, GREATEST_PROX)
        last = now
        since += 1
        if now < least:
            least, since = now, 0
        elif since > 12 * patience:
            break
    return now
