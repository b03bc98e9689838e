"""Proximal points, for problems that Newton's method alone fails on.

Rows of compliance ``alpha`` times their own velocity per impulse, about impulses ``c``, make a
problem that Newton's method solves.  Its solution is the next ``c``.  At the fixed point there is
no slack: the rows obey their laws.  Rockafellar, "Monotone operators and the proximal point
algorithm" (1976).
"""

from __future__ import annotations

from ..compiler.jit import Floats, Floats2, Ints, jit
from .block_lu import Elimination
from .gauss_seidel import residual
from .newton import Scratch
from .newton_iteration import NewtonOptions, safeguarded_newton
from .problem import (
    BIAS,
    COMPLIANCE,
    HEIGHT,
    NORMAL,
    ROW,
    TANGENT,
    Island,
    Problem,
    copy_rows,
    velocity_of,
)
from .settings import Report, SolverSettings
from .thresholds import (
    FIRST_ALPHA,
    GREATEST_ALPHA,
    LEAST_ALPHA,
    MOST_FAILED,
    POINT_STEPS,
    SHARE_OF_ALPHA,
)


@jit
def soften(p: Problem, blocks: Ints, line: Floats2, center: Floats, alpha: float):
    """Give rows the compliance ``alpha`` times their own velocity per impulse, about ``center``."""
    for k in blocks:
        r = p.block[k, ROW]
        for a in range(p.block[k, HEIGHT]):
            soft = alpha * (p.law[k, TANGENT] if a > 0 else p.law[k, NORMAL])
            p.line[r + a, COMPLIANCE] = line[r + a, COMPLIANCE] + soft
            p.line[r + a, BIAS] = line[r + a, BIAS] - soft * center[r + a]


@jit
def harden(p: Problem, blocks: Ints, line: Floats2):
    """Undo `soften`."""
    for k in blocks:
        for r in range(p.block[k, ROW], p.block[k, ROW] + p.block[k, HEIGHT]):
            p.line[r, COMPLIANCE], p.line[r, BIAS] = line[r, COMPLIANCE], line[r, BIAS]


@jit
def proximal(
    island: Island,
    structure: Elimination,
    scratch: Scratch,
    points: int,
    settings: SolverSettings,
    report: Report,
):
    """At most ``points`` proximal points from ``x``; returns the residual of the best."""
    p, blocks, nodes = island.p, island.blocks, island.nodes
    x, v, speed = island.x, island.v, island.speed
    line, center, best = p.line.copy(), x.copy(), x.copy()
    alpha, down, failed = FIRST_ALPHA, 0.1, 0
    velocity_of(p, blocks, nodes, x, v)
    least = last = residual(p, blocks, x, v, speed)
    while points > 0 and failed < MOST_FAILED and least > settings.tolerance:
        if report.newton_steps >= report.last_step:
            break
        points -= 1
        soften(p, blocks, line, center, alpha)
        enough = max(0.5 * settings.tolerance, min(1e-2, 0.03 * last))
        prox = SHARE_OF_ALPHA * alpha
        error = safeguarded_newton(
            island, structure, scratch, NewtonOptions(prox, prox, POINT_STEPS, True), enough, report
        )
        harden(p, blocks, line)
        velocity_of(p, blocks, nodes, x, v)
        now = residual(p, blocks, x, v, speed)
        if now < least:
            least = now
            copy_rows(p, blocks, x, best)
        if error <= enough:
            copy_rows(p, blocks, x, center)
            last, failed = now, 0
            alpha = max(down * alpha, LEAST_ALPHA)
        else:
            copy_rows(p, blocks, center, x)
            failed += 1
            alpha, down = min(10.0 * alpha, GREATEST_ALPHA), 0.5
    copy_rows(p, blocks, best, x)
    velocity_of(p, blocks, nodes, x, v)
    return least
