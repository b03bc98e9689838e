"""Newton's method: steps of `newton_step` in a row, boldly or with care.

Bold steps may lead away for a while, and often get somewhere then; careful ones never do, and
are for problems with one solution nearby.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.jit import Floats, Ints, jit
from .factor import Elimination
from .newton import newton_step
from .problem import Problem, blend, copy_rows, velocity_of
from .settings import Report, Settings
from .sweep import misfit, residual

GREATEST_PROX, STIFFEST_PROX = 0.1, 1.0
IDLE = 0.5  # of all steps: so many without a new best are the last


class Scratch(NamedTuple):
    """Work arrays of Newton's method: matrix, right side, pivots, and two sets of impulses."""

    matrix: np.ndarray
    step: np.ndarray
    pivot: np.ndarray
    start: np.ndarray
    full: np.ndarray


@jit
def scratch_of(structure: Elimination, x: Floats, v: Floats):
    """Memory for `newton`."""
    return Scratch(
        np.empty(structure.size), np.empty(v.size), np.empty(v.size, np.int64), x.copy(), x.copy()
    )


@jit
def bold(
    p: Problem, blocks: Ints, nodes: Ints, local: Ints, structure: Elimination, x: Floats, v: Floats, speed: float, prox: float, least: float, is_cut: bool, most: int, settings: Settings, report: Report,
    scratch: Scratch,
):  # fmt: skip
    """At most ``most`` steps while they promise something; returns the last residual.

    ``prox`` falls to ``least`` while steps lead nearer, and rises where they do not; those
    are shortened if ``is_cut``, to the best of what is tried.
    """
    start, full = scratch.start, scratch.full
    now = last = best = math.inf
    idle = 0
    velocity_of(p, blocks, nodes, x, v)
    for _ in range(most):
        copy_rows(p, blocks, x, start)
        if not newton_step(
            p,
            blocks,
            nodes,
            local,
            structure,
            scratch.matrix,
            scratch.pivot,
            scratch.step,
            x,
            v,
            prox,
        ):
            return math.inf
        report.newton_steps += 1
        velocity_of(p, blocks, nodes, x, v)
        now = residual(p, blocks, x, v, speed)
        if is_cut and now > last:
            now = shortened(p, blocks, nodes, start, full, x, v, speed, now)
        if now <= settings.tolerance or now == math.inf:
            return now
        prox = max(0.3 * prox, least) if now < last else min(3.0 * prox, GREATEST_PROX)
        last = now
        idle += 1
        if now < best:
            best, idle = now, 0
        elif idle > IDLE * most:
            break
    return now


@jit
def shortened(
    p: Problem,
    blocks: Ints,
    nodes: Ints,
    start: Floats,
    full: Floats,
    x: Floats,
    v: Floats,
    speed: float,
    worst: float,
):
    """Put in ``x`` the best of a step and its shorter parts from ``start``."""
    copy_rows(p, blocks, x, full)
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


@jit
def careful(
    p: Problem,
    blocks: Ints,
    nodes: Ints,
    local: Ints,
    structure: Elimination,
    x: Floats,
    v: Floats,
    speed: float,
    prox: float,
    least: float,
    enough: float,
    most: int,
    report: Report,
    scratch: Scratch,
):
    """At most ``most`` steps, each short enough to lead nearer; returns the residual.

    ``prox`` falls to ``least`` while steps are good.
    """
    start, full = scratch.start, scratch.full
    velocity_of(p, blocks, nodes, x, v)
    worst, squares = misfit(p, blocks, x, v, speed)
    while worst > enough and most > 0:
        most -= 1
        copy_rows(p, blocks, x, start)
        if not newton_step(
            p,
            blocks,
            nodes,
            local,
            structure,
            scratch.matrix,
            scratch.pivot,
            scratch.step,
            x,
            v,
            prox,
        ):
            return math.inf
        report.newton_steps += 1
        velocity_of(p, blocks, nodes, x, v)
        share, before = 1.0, squares
        worst, squares = misfit(p, blocks, x, v, speed)
        if not squares < 0.999 * before:
            copy_rows(p, blocks, x, full)
        while share > 0.01 and not squares < (1.0 - 0.01 * share) * before:
            share *= 0.5
            blend(p, blocks, start, full, x, share)
            velocity_of(p, blocks, nodes, x, v)
            worst, squares = misfit(p, blocks, x, v, speed)
        if share > 0.3:
            prox = max(0.1 * prox, least)
        elif share < 0.1:
            prox = min(10.0 * prox, STIFFEST_PROX)
    return worst
