"""The exact solver: Gauss-Seidel, Newton, restarts of both, long Gauss-Seidel.

Newton's method is fast but need not converge; Gauss-Seidel nearly always makes progress.
So every attempt of Newton begins where all sweeps so far have led, never at what another
attempt left, with more sweeps and another damping each time.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiler.loops import loop
from .factor import plan
from .newton import newton_step
from .problem import HEIGHT, LOWER, ROW, row_velocity, velocity_of
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

# First and least prox of each Newton attempt, and whether steps that lead away are shortened.
# Small ones suit towers, large ones piles; the least is held once, and given time, for masses
# that differ by orders of magnitude.  Chosen on problems that all others had left unsolved.
FIRST_PROX = (1e-3, 1e-1, 1e-6, 1e-6, 1e-3)
LEAST_PROX = (1e-5, 1e-5, 1e-10, 1e-10, 1e-8)
IS_DAMPED = (True, True, True, False, True)
WAYS = 5  # after them all begin again, without the warm start
HELD, SLOW_PROX, GREATEST_PROX = 2, 1e-5, 0.1
NEAR = 1e-2
# Blocks gone over in one stage of sweeps, and in all attempts, above which large islands get
# fewer: bodies heaped into each other have more contacts than there is time for.
MOST_BLOCKS, FEWEST_SWEEPS = 100_000, 60
MOST_ATTEMPTED, FEWEST_ATTEMPTS = 1500, 2


@loop
def solve_island(p, blocks, nodes, local, x, v, settings, report):
    """The cascade for one island, from the impulses in ``x``; returns its residual."""
    speed = speed_of(p, blocks, nodes)
    enough = settings[TOLERANCE]
    velocity_of(p, blocks, nodes, x, v)
    worst = residual(p, blocks, x, v, speed)
    if worst <= enough:
        return worst
    if worst == math.inf:
        clear(p, blocks, x)
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
    attempts = min(int(settings[ATTEMPTS]), max(FEWEST_ATTEMPTS, MOST_ATTEMPTED // blocks.size))
    for attempt in range(attempts):
        report[STAGE] = max(report[STAGE], min(attempt + 1, 2))
        worst = steps(
            p, blocks, nodes, local, structure, x, v, speed, attempt % WAYS, settings, report
        )
        if worst <= enough:
            return worst
        if worst < least:
            least = worst
            best[:] = x
        x[:] = kept
        count = 60 << attempt % WAYS
        if attempt + 1 == WAYS:
            clear(p, blocks, x)
            count = int(settings[SWEEPS])
        if attempt + 1 == attempts:
            count = int(settings[LAST_SWEEPS])
            report[STAGE] = 3
        count = min(count, max(FEWEST_SWEEPS, MOST_BLOCKS // blocks.size))
        worst = sweep_on(p, blocks, nodes, x, v, speed, count, enough, report)
        if worst <= enough:
            return worst
        if worst < least:
            least = worst
            best[:] = x
        kept[:] = x
    x[:] = best
    velocity_of(p, blocks, nodes, x, v)
    calm(p, blocks, nodes, x, v)
    report[STAGE] = 4
    return least


@loop
def calm(p, blocks, nodes, x, v):
    """Shorten impulses that were not solved for until they do no work.

    Impulses that obey the laws take energy, but for those of a second phase, whose energy is
    looked after where both phases meet.
    """
    none, u = np.zeros(x.size), np.empty(3)
    linear, square = 0.0, 0.0
    for k in blocks:
        r = p.block[k, ROW]
        if p.law[k, LOWER] > 0.0:
            return
        row_velocity(p, k, none, p.free, u)
        for a in range(p.block[k, HEIGHT]):
            linear += x[r + a] * u[a]
            square -= 0.5 * x[r + a] * u[a]
        row_velocity(p, k, x, v, u)
        for a in range(p.block[k, HEIGHT]):
            square += 0.5 * x[r + a] * u[a]
    if linear + square <= 0.0:
        return
    share = max(-linear / square, 0.0) if square > 0.0 else 0.0
    for k in blocks:
        for r in range(p.block[k, ROW], p.block[k, ROW] + p.block[k, HEIGHT]):
            x[r] = share * x[r] if share > 0.0 else 0.0
    velocity_of(p, blocks, nodes, x, v)


@loop
def sweep_on(p, blocks, nodes, x, v, speed, count, enough, report):
    """At most ``count`` sweeps; returns the residual."""
    velocity_of(p, blocks, nodes, x, v)
    report[SWEEPS_MADE] += sweeps(p, blocks, x, v, count, 0.1 * enough * speed)
    velocity_of(p, blocks, nodes, x, v)
    return residual(p, blocks, x, v, speed)


@loop
def clear(p, blocks, x):
    """Set the impulses of ``blocks`` to nought."""
    for k in blocks:
        for a in range(p.block[k, HEIGHT]):
            x[p.block[k, ROW] + a] = 0.0


@loop
def shortened(p, blocks, nodes, start, full, x, v, speed, worst):
    """Put in ``x`` the best of a step and its shorter parts from ``start``."""
    full[:] = x
    share, best = 1.0, 1.0
    for _ in range(4):
        share *= 0.5
        blend(p, blocks, start, full, x, share)
        velocity_of(p, blocks, nodes, x, v)
        now = residual(p, blocks, x, v, speed)
        if now < worst:
            worst, best = now, share
    blend(p, blocks, start, full, x, best)
    velocity_of(p, blocks, nodes, x, v)
    return worst


@loop
def blend(p, blocks, start, full, x, share):
    """Set ``x`` of ``blocks`` to the point between two others."""
    for k in blocks:
        for r in range(p.block[k, ROW], p.block[k, ROW] + p.block[k, HEIGHT]):
            x[r] = start[r] + share * (full[r] - start[r])


@loop
def steps(p, blocks, nodes, local, structure, x, v, speed, way, settings, report):
    """Newton steps while they promise something; returns the last residual."""
    a, b = np.empty(structure[4]), np.empty(v.size)
    pivot = np.empty(v.size, np.int64)
    velocity_of(p, blocks, nodes, x, v)
    now = last = least = math.inf
    since = 0
    prox, floor = FIRST_PROX[way], LEAST_PROX[way]
    patience = 3 if prox < SLOW_PROX else 1
    start, full = x.copy(), x.copy()
    for _ in range(patience * int(settings[NEWTON])):
        for k in blocks:
            for r in range(p.block[k, ROW], p.block[k, ROW] + p.block[k, HEIGHT]):
                start[r] = x[r]
        if not newton_step(p, blocks, nodes, local, structure, a, pivot, b, x, v, prox):
            return math.inf
        report[NEWTON_STEPS] += 1
        velocity_of(p, blocks, nodes, x, v)
        now = residual(p, blocks, x, v, speed)
        if IS_DAMPED[way] and now > last:
            now = shortened(p, blocks, nodes, start, full, x, v, speed, now)
        if now <= settings[TOLERANCE] or now == math.inf:
            return now
        if way == HELD:
            prox = max(0.3 * prox, floor) if now < min(last, NEAR) else prox
        else:
            prox = max(0.3 * prox, floor) if now < last else min(3.0 * prox, GREATEST_PROX)
        last = now
        since += 1
        if now < least:
            least, since = now, 0
        elif since > 12 * patience:
            break
    return now
