"""Newton's method: repeated `newton_step`, with full steps or safeguarded by a line search.

Full steps may raise the residual for a while, and often converge then. Safeguarded steps always
lower it, and are for problems with one solution nearby.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..compiler.jit import jit
from .block_lu import Elimination
from .gauss_seidel import misfit, residual
from .newton import Scratch, newton_step
from .problem import Island, blend, copy_rows, velocity_of
from .settings import Report, SolverSettings
from .thresholds import (
    CYCLE_RISE,
    FAR,
    HALVINGS,
    IDLE,
    LEAST_PROX,
    NEAR,
    PROX,
    PROX_FALL,
    PROX_RISE,
    PROX_SHARE,
    SAME,
    SHORTEST_STEP,
    SMALL_FIRST_PROX,
    SMALL_PROX,
    SMALL_PROX_STEPS,
    STEADY,
    STEADY_PROX,
    STEADY_SHARE,
    STEADY_STEPS,
    STIFFEST_PROX,
    STILL,
)


class NewtonOptions(NamedTuple):
    """Options of a run of Newton's method.

    ``prox`` is the proximal parameter (a share of each block's own diagonal) at first.  Its lower
    bound is ``least``, or ``share`` of the residual where that is less.  At most ``most`` steps are
    made, shortened if ``is_cut``.  ``starts_near``: at impulses that were chosen or followed, from
    which steps far away are mistakes, and the solution is to be exact beyond the tolerance.
    """

    prox: float
    least: float
    most: int
    is_cut: bool
    share: float = PROX_SHARE
    starts_near: bool = False


@jit
def newton_options(stage: int, most: int):
    """Options of a stage that is Newton's method, of ``most`` steps by itself."""
    if stage == STEADY:
        return NewtonOptions(STEADY_PROX, STEADY_PROX, STEADY_STEPS, False, STEADY_SHARE)
    if stage == SMALL_PROX:
        return NewtonOptions(SMALL_FIRST_PROX, LEAST_PROX, SMALL_PROX_STEPS * most, False)
    return NewtonOptions(PROX, PROX, most, True)


@jit
def full_step_newton(
    island: Island,
    structure: Elimination,
    scratch: Scratch,
    options: NewtonOptions,
    settings: SolverSettings,
    report: Report,
):
    """At most ``most`` steps, until they stop making progress; returns the last residual.

    ``prox`` falls while steps lead nearer or the residual is small, and rises elsewhere.  Rows that
    nearly depend on each other let errors fall by a constant factor only, unless ``prox`` falls
    with the residual.  A step that does not lead nearer is shortened if ``is_cut``, to the best of
    four fractions.

    Where it ``starts_near``, steps that lead far away are shortened, too.  Where contacts change to
    and fro, a much greater ``prox`` keeps them from changing at once.  The solution is exact
    beyond the tolerance, unless the step after the first within it leads away again.
    """
    p, blocks, nodes = island.p, island.blocks, island.nodes
    x, v, speed = island.x, island.v, island.speed
    prox, most = options.prox, options.most
    now = last = before = best = math.inf
    idle, enough = 0, settings.tolerance * (STILL if options.starts_near else 1.0)
    velocity_of(p, blocks, nodes, x, v)
    for _ in range(most):
        copy_rows(p, blocks, x, scratch.start)
        if not newton_step(island, structure, scratch, prox):
            return math.inf
        report.newton_steps += 1
        velocity_of(p, blocks, nodes, x, v)
        now = residual(p, blocks, x, v, speed)
        if last <= settings.tolerance:
            if now > last:
                copy_rows(p, blocks, scratch.start, x)
                velocity_of(p, blocks, nodes, x, v)
            return min(now, last)
        is_astray = options.starts_near and now > max(FAR * last, NEAR)
        if now > last and (options.is_cut or is_astray):
            now = shortened(island, scratch, now)
        if now <= enough or now == math.inf:
            return now
        prox = next_prox(prox, now, last, before, options)
        before, last = last, now
        idle += 1
        if now < best:
            best, idle = now, 0
        elif idle > IDLE * most:
            break
    return now


@jit
def next_prox(prox: float, now: float, last: float, before: float, options: NewtonOptions):
    """The proximal parameter after a step to the residual ``now``, from ``last`` and ``before``."""
    if now >= last and now >= NEAR:
        cycles = options.starts_near and abs(now - before) <= SAME * now
        return (CYCLE_RISE if cycles else PROX_RISE) * prox
    return max(PROX_FALL * prox, min(options.least, max(options.share * now, LEAST_PROX)))


@jit
def shortened(island: Island, scratch: Scratch, worst: float):
    """Put in ``x`` the best of a step and its shorter parts from ``start``."""
    p, blocks, nodes = island.p, island.blocks, island.nodes
    x, v, speed = island.x, island.v, island.speed
    start, full = scratch.start, scratch.full
    copy_rows(p, blocks, x, full)
    share, best = 1.0, 1.0
    for _ in range(HALVINGS):
        share *= 0.5
        blend(p, blocks, start, full, x, share)
        velocity_of(p, blocks, nodes, x, v)
        now = residual(p, blocks, x, v, speed)
        if now < worst:
            worst, best = now, share
    blend(p, blocks, start, full, x, best)
    velocity_of(p, blocks, nodes, x, v)
    return worst


@jit
def safeguarded_newton(
    island: Island,
    structure: Elimination,
    scratch: Scratch,
    options: NewtonOptions,
    enough: float,
    report: Report,
):
    """At most ``most`` steps, each short enough to lower the residual; returns it.

    ``prox`` falls to ``least`` while steps are good.
    """
    p, blocks, nodes = island.p, island.blocks, island.nodes
    x, v, speed = island.x, island.v, island.speed
    prox, least, most = options.prox, options.least, options.most
    start, full = scratch.start, scratch.full
    velocity_of(p, blocks, nodes, x, v)
    worst, squares = misfit(p, blocks, x, v, speed)
    while worst > enough and most > 0:
        most -= 1
        copy_rows(p, blocks, x, start)
        if not newton_step(island, structure, scratch, prox):
            return math.inf
        report.newton_steps += 1
        velocity_of(p, blocks, nodes, x, v)
        share, before = 1.0, squares
        worst, squares = misfit(p, blocks, x, v, speed)
        if not squares < 0.999 * before:
            copy_rows(p, blocks, x, full)
        while share > SHORTEST_STEP and not squares < (1.0 - 0.01 * share) * before:
            share *= 0.5
            blend(p, blocks, start, full, x, share)
            velocity_of(p, blocks, nodes, x, v)
            worst, squares = misfit(p, blocks, x, v, speed)
        if share > 0.3:
            prox = max(0.1 * prox, least)
        elif share < 0.1:
            prox = min(10.0 * prox, STIFFEST_PROX)
    return worst
