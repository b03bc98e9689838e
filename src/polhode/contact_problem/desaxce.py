"""The exact laws as a sequence of convex problems (De Saxce and Feng).

A contact that slides lifts in the convex relaxation, by mu times its slip.  Where just that much
is added to its gap velocity beforehand, it does not, and Coulomb's law holds: slip and answer
are sought in turn.  Springs about the impulses of the round before, rather than about zero,
let them reach any value without being soft.  Every round has one answer, and Newton's method
finds it: where that on the exact laws runs in circles, this goes on.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiler.jit import Floats, Floats2, Ints, jit
from .convex import MOST_STEPS, STILL, from_rest, newton, start
from .coordinate_descent import coordinate_descent
from .gauss_seidel import residual
from .problem import (
    BIAS,
    COMPLIANCE,
    DOF,
    EDGES,
    HEIGHT,
    KIND,
    LOWER,
    MU,
    ROW,
    SIZE,
    WIDENING,
    Island,
    Problem,
    copy_rows,
    velocity_of,
)
from .rows import CONTACT, DISK
from .settings import Report, SolverSettings
from .springs import SLIDES, Springs, relative, springs_of
from .thresholds import (
    CHOICE_ENOUGH,
    CHOICE_FALL,
    CHOICE_PROX,
    CREEP_PROX,
    NEAR,
    ROUND_ENOUGH,
    ROUND_PROX,
    ROUND_STEPS,
    ROUNDS,
)
from .thresholds import STILL as BEYOND


@jit
def is_expressed(p: Problem, blocks: Ints):
    """Whether all contacts have cones, and disks are round.

    So there are no polygons, no viscous friction, no least impulse.
    """
    for k in blocks:
        if p.block[k, KIND] == CONTACT:
            whole = p.block[k, EDGES] < 3 and p.law[k, WIDENING] == 0.0 and p.law[k, LOWER] == 0.0
            if not whole or p.law[k, MU] == math.inf:
                return False
        elif p.block[k, KIND] == DISK and p.block[k, EDGES] > 2:
            return False
    return True


@jit
def de_saxce_rounds(island: Island, settings: SolverSettings, report: Report):
    """Rounds from the impulses ``x``; returns the residual of the exact laws, or infinity.

    The problem is left as it was.
    """
    p, blocks, nodes = island.p, island.blocks, island.nodes
    x, v, local = island.x, island.v, island.local
    if not is_expressed(p, blocks):
        return math.inf
    bias, free = p.line.copy(), p.free.copy()
    s, u = springs_of(p, ROUND_PROX), np.empty(x.size)
    speed = from_rest(p, blocks, nodes, u)
    base = u.copy()
    changes = Island(p, blocks, nodes, local, x, v, speed)
    worst = math.inf
    start(changes, s)
    for made in range(ROUNDS):
        _anchor(changes, s, base, u, made > 0)
        found = newton(changes, s, u, settings.tolerance * speed, ROUND_STEPS, report)
        _release(changes, base)
        worst = residual(p, blocks, x, v, speed)
        if worst <= settings.tolerance or not found <= ROUND_ENOUGH * speed:
            break
    restore(island, bias, free)
    return worst


@jit
def chosen_impulses(island: Island, count: int, settings: SolverSettings, report: Report):
    """Impulses of the convex relaxation, of many those of least norm; returns the exact residual.

    ``x`` is a first guess, on which the answer does not depend; at most ``count`` sweeps improve
    it.  Infinite if the relaxation does not express the laws.  Springs about zero choose.  Where
    nothing slips under rigid ones the relaxation is exact: stiffer springs about the impulses of
    the round before then make them rigid.
    """
    p, blocks, nodes = island.p, island.blocks, island.nodes
    x, v, local = island.x, island.v, island.local
    if not is_expressed(p, blocks):
        return math.inf
    bias, free = p.line.copy(), p.free.copy()
    s, u = springs_of(p, CHOICE_PROX), np.empty(x.size)
    speed = from_rest(p, blocks, nodes, u)
    base = u.copy()
    changes = Island(p, blocks, nodes, local, x, v, speed)
    enough = CHOICE_ENOUGH * settings.tolerance * speed
    start(changes, s)
    report.sweeps += coordinate_descent(changes, s, u, count, STILL * speed)
    newton(changes, s, u, enough, MOST_STEPS, report)
    _release(changes, base)
    worst = residual(p, blocks, x, v, speed)
    if worst > settings.tolerance:
        if not _slides(p, blocks, s):
            worst = _stiffen(changes, s, base, worst, settings, report)
        elif worst <= NEAR:
            worst = _stop(changes, s, base, worst, settings, report)
    restore(island, bias, free)
    return worst


@jit
def _stiffen(
    island: Island,
    s: Springs,
    base: Floats,
    worst: float,
    settings: SolverSettings,
    report: Report,
):
    """Rounds with stiffer springs about the impulses so far, until contacts slide.

    ``worst`` is the residual of those impulses; returns that of the last.
    """
    s.stiff[:] = springs_of(island.p, ROUND_PROX).stiff
    for _ in range(ROUNDS - 1):
        last = worst
        worst = _round(island, s, base, settings, report)
        is_done = worst <= settings.tolerance or not worst < CHOICE_FALL * last
        if is_done or _slides(island.p, island.blocks, s):
            break
    return worst


@jit
def _stop(
    island: Island, s: Springs, base: Floats, first: float, settings: SolverSettings, report: Report
):
    """Rounds where contacts slide that rigid springs might stop; returns the residual.

    Where they do not, ``x`` is left as it was, of the residual ``first``.
    """
    p, blocks, x = island.p, island.blocks, island.x
    kept = x.copy()
    s.stiff[:] = springs_of(p, CREEP_PROX).stiff
    best = math.inf
    worst = first
    for _ in range(ROUNDS - 1):
        last = worst
        worst = _round(island, s, base, settings, report)
        if worst < best and worst <= settings.tolerance:
            best = worst
            copy_rows(p, blocks, x, kept)
        if best <= BEYOND * settings.tolerance or not worst < CHOICE_FALL * last:
            break
    copy_rows(p, blocks, kept, x)
    return min(best, first)


@jit
def _round(island: Island, s: Springs, base: Floats, settings: SolverSettings, report: Report):
    """Impulses of springs that are preloaded with those so far; returns the residual."""
    u = np.empty(island.x.size)
    _anchor(island, s, base, u, False)
    newton(island, s, u, CHOICE_ENOUGH * settings.tolerance * island.speed, MOST_STEPS, report)
    _release(island, base)
    return residual(island.p, island.blocks, island.x, island.v, island.speed)


@jit
def _slides(p: Problem, blocks: Ints, s: Springs):
    """Whether any contact slides, as of the last springs."""
    some = False
    for k in blocks:
        some = some or (p.block[k, KIND] == CONTACT and s.state[k] == SLIDES)
    return some


@jit
def _release(island: Island, base: Floats):
    """Undo `_anchor`; number the trees as they were before `newton`."""
    p = island.p
    for k in island.blocks:
        for r in range(p.block[k, ROW], p.block[k, ROW] + p.block[k, HEIGHT]):
            p.line[r, BIAS] = base[r]
    for j in range(island.nodes.size):
        island.local[island.nodes[j]] = j


@jit
def restore(island: Island, bias: Floats2, free: Floats):
    """Undo `from_rest`: ``v`` becomes the velocities under the impulses ``x``."""
    p, blocks, nodes = island.p, island.blocks, island.nodes
    for k in blocks:
        for r in range(p.block[k, ROW], p.block[k, ROW] + p.block[k, HEIGHT]):
            p.line[r, BIAS] = bias[r, BIAS]
    for j in nodes:
        for i in range(p.node[j, DOF], p.node[j, DOF] + p.node[j, SIZE]):
            p.free[i] = free[i]
    velocity_of(p, blocks, nodes, island.x, island.v)


@jit
def _anchor(island: Island, s: Springs, base: Floats, u: Floats, slips: bool):
    """Put the springs about ``x``, and the lift of contacts that slip at ``v`` in their bias."""
    p, blocks, x, v = island.p, island.blocks, island.x, island.v
    for k in blocks:
        if s.stiff[k] == 0.0:
            continue
        r, lift = p.block[k, ROW], 0.0
        if slips and p.block[k, KIND] == CONTACT:
            relative(p, k, v, 0.0, u)
            lift = s.mu[k] * math.hypot(u[r + 1] + base[r + 1], u[r + 2] + base[r + 2])
        for i in range(r, r + p.block[k, HEIGHT]):
            p.line[i, BIAS] = base[i] - (1.0 / s.stiff[k] - p.line[i, COMPLIANCE]) * x[i]
        p.line[r, BIAS] += lift
