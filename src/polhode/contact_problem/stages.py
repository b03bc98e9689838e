"""The exact solver: a choice among many impulses, sweeps, and fallback stages between them.

Where impulses need not be unique, those near the convex relaxation are chosen, whatever the warm
start.  All else is tried from there, and from the warm start only where there is no such choice.
Newton's method is fast but need not converge; rounds of convex problems and proximal points
converge more often and take longer.  Sweeps nearly always make progress: every stage begins at the
result of all sweeps so far, never at the result of another stage.
"""

from __future__ import annotations

import math

from ..compiler.jit import Floats, Ints, jit
from .bilateral import is_bilateral, solve_bilateral
from .block_lu import Elimination, plan
from .convex import most_sweeps
from .desaxce import chosen_impulses, de_saxce_rounds
from .dissipation import clamp_work
from .elimination_order import has_same_nodes
from .following import follow
from .gauss_seidel import residual, sweeps
from .interior import is_rigid, newton_after_interior
from .least_norm import goes_on, has_least_norm, least_norm
from .newton import Scratch, scratch_of
from .newton_iteration import NewtonOptions, full_step_newton, newton_options
from .patches import has_many_patches, newton_on_patches
from .problem import (
    COMPLIANCE,
    HEIGHT,
    KIND,
    MU,
    ROW,
    STUCK,
    WIDENING,
    Island,
    Problem,
    clear,
    copy_rows,
    velocity_of,
)
from .proximal import harden, proximal
from .rows import CONTACT
from .settings import Report, SolverSettings
from .thresholds import (
    CHOICE_LEAST_PROX,
    CHOICE_PROX,
    CHOICE_STEPS,
    COMPLIANCES,
    DE_SAXCE,
    DIGITS,
    FEW_STEPS,
    FEWEST_STEPS,
    FOLLOWED,
    LEMKE,
    MANY_BLOCKS,
    MOST_BETWEEN,
    MOST_SLACK,
    MOST_SWEPT,
    MOST_WORK,
    NEAR,
    NEWTON,
    POINTS,
    PROX_SHARE,
    PROXIMAL,
    SLOWEST,
    STAGES,
    STILL,
    SWEEPS_BETWEEN,
)
from .turned_pyramids import newton_after_lemke

SWEPT, UNSOLVED = len(STAGES) + 1, len(STAGES) + 2


@jit
def solve_island(island: Island, settings: SolverSettings, report: Report):
    """Solve one island, stage by stage, from the impulses in ``x``; returns its residual."""
    p, blocks, nodes = island.p, island.blocks, island.nodes
    x, v, speed = island.x, island.v, island.speed
    enough = settings.tolerance
    if is_bilateral(p, blocks):
        given = x.copy()
        worst = solve_bilateral(island, enough)
        if worst <= enough:
            return worst
        copy_rows(p, blocks, given, x)
    velocity_of(p, blocks, nodes, x, v)
    worst = residual(p, blocks, x, v, speed)
    if worst <= enough:
        return worst
    if worst == math.inf:
        clear(p, blocks, x)
        velocity_of(p, blocks, nodes, x, v)
        if residual(p, blocks, x, v, speed) == math.inf:
            report.stage = UNSOLVED
            return math.inf
    if settings.stages > 0 and settings.chooses and has_patches(p, blocks):
        given, stage = x.copy(), report.stage
        is_near, by_patches = worst < NEAR, has_many_patches(island)
        if is_near or (settings.follows and by_patches):
            if settings.follows and (worst < FOLLOWED or by_patches):
                worst = follow(island, settings, report)
            else:
                worst = carry_on(island, settings, report)
            if worst <= enough:
                return worst
            copy_rows(p, blocks, given, x)
        count = 0 if is_near else most_sweeps(nodes, settings)
        worst = choose(island, count, by_patches, settings, report)
        if worst == math.inf:
            report.stage = stage
            copy_rows(p, blocks, given, x)
            velocity_of(p, blocks, nodes, x, v)
            worst = residual(p, blocks, x, v, speed)
            worst = sweeps_and_stages(island, worst, settings, report)
    else:
        worst = sweeps_and_stages(island, worst, settings, report)
    if worst > enough and settings.may_relax and not is_large_and_rigid(p, blocks):
        structure = plan(p, blocks, nodes, island.local)
        worst = relaxed_stages(island, structure, worst, settings, report)
    if worst <= enough:
        return worst
    report.stage = UNSOLVED
    clamp_work(p, blocks, nodes, x, v)
    return residual(p, blocks, x, v, speed)


@jit
def is_large_and_rigid(p: Problem, blocks: Ints):
    """Whether an island is a large heap of contacts with slip: compliant rows do not help it."""
    return blocks.size >= MANY_BLOCKS and is_rigid(p, blocks)


@jit
def carry_on(island: Island, settings: SolverSettings, report: Report):
    """Solve by impulses of least norm while contacts stick, slide and open as under ``x``.

    Returns the residual, infinite where contacts change, or where those that slide might stick.
    """
    if not goes_on(island):
        return math.inf
    structure = plan(island.p, island.blocks, island.nodes, island.local)
    scratch = scratch_of(structure, island.x, island.v)
    return least_norm(island, structure, scratch, settings, report)


@jit
def has_patches(p: Problem, blocks: Ints):
    """Whether bodies touch at several points, which share the impulse along their line.

    Single points may be redundant together, in a heap of balls; but to choose among impulses
    costs several times what it costs to find some.
    """
    before = -1
    for k in blocks:
        if p.block[k, KIND] == CONTACT:
            if before >= 0 and has_same_nodes(p, k, before):
                return True
            before = k
    return False


@jit
def choose(island: Island, count: int, by_patches: bool, settings: SolverSettings, report: Report):
    """Solve from the impulses that are chosen of many, not from ``x``; returns the residual.

    ``count`` sweeps help to choose.  From there Newton's method comes first: sweeps treat one
    contact after the other, which makes symmetric impulses lopsided.  Where it may be on patches,
    that is tried before, at last from ``x``.  Infinite if there is no choice.
    """
    p, blocks, nodes = island.p, island.blocks, island.nodes
    x, v, given = island.x, island.v, island.x.copy()
    worst = chosen_impulses(island, count, settings, report)
    if worst <= STILL * settings.tolerance or worst == math.inf:
        return worst
    chosen = x.copy()
    structure = plan(p, blocks, nodes, island.local)
    scratch = scratch_of(structure, x, v)
    if has_least_norm(island) and not by_patches:
        now = least_norm(island, structure, scratch, settings, report)
        if now <= settings.tolerance:
            return now
        copy_rows(p, blocks, chosen, x)
    if by_patches:
        round_off(p, blocks, x)
        now = newton_on_patches(island, structure, scratch, settings, report)
        if now > settings.tolerance and not settings.follows:
            copy_rows(p, blocks, given, x)
            now = newton_on_patches(island, structure, scratch, settings, report)
        if now <= settings.tolerance:
            return spread_evenly(island, structure, scratch, settings, report)
        copy_rows(p, blocks, chosen, x)
    most = min(settings.newton, FEW_STEPS)
    if not is_large_and_rigid(p, blocks):
        most = CHOICE_STEPS * settings.newton
    # Solved beyond the tolerance: a heap at rest then keeps its impulses for many steps.
    options = NewtonOptions(CHOICE_PROX, CHOICE_LEAST_PROX, most, False, PROX_SHARE, True)
    full_step_newton(island, structure, scratch, options, settings, report)
    now = residual(p, blocks, x, v, island.speed)
    if worst <= min(now, settings.tolerance):
        copy_rows(p, blocks, chosen, x)
        velocity_of(p, blocks, nodes, x, v)
        return worst
    if now > settings.tolerance:
        now = newton_after_interior(island, structure, scratch, settings, report)
    if now <= settings.tolerance:
        return spread_evenly(island, structure, scratch, settings, report)
    copy_rows(p, blocks, chosen, x)
    return sweeps_and_stages(island, worst, settings, report)


@jit
def round_off(p: Problem, blocks: Ints, x: Floats):
    """Round impulses to `DIGITS` of the greatest, by a power of two.

    The last digits of those that are chosen depend on the warm start.  They would decide how the
    contacts of a face share what it bears.
    """
    greatest, unit = 0.0, 1.0
    for k in blocks:
        for r in range(p.block[k, ROW], p.block[k, ROW] + p.block[k, HEIGHT]):
            greatest = max(greatest, abs(x[r]))
    if not 0.0 < greatest < math.inf:
        return
    while unit > DIGITS * greatest:
        unit *= 0.5
    while unit < 0.5 * DIGITS * greatest:
        unit *= 2.0
    for k in blocks:
        for r in range(p.block[k, ROW], p.block[k, ROW] + p.block[k, HEIGHT]):
            x[r] = math.floor(x[r] / unit + 0.5) * unit


@jit
def spread_evenly(
    island: Island,
    structure: Elimination,
    scratch: Scratch,
    settings: SolverSettings,
    report: Report,
):
    """Replace impulses that obey the laws by those of least norm, where these do, too.

    Returns the residual.
    """
    p, blocks, nodes = island.p, island.blocks, island.nodes
    solved = island.x.copy()
    if goes_on(island):
        worst = least_norm(island, structure, scratch, settings, report)
        if worst <= settings.tolerance:
            return worst
        copy_rows(p, blocks, solved, island.x)
    velocity_of(p, blocks, nodes, island.x, island.v)
    return residual(p, blocks, island.x, island.v, island.speed)


@jit
def sweeps_and_stages(island: Island, worst: float, settings: SolverSettings, report: Report):
    """Sweeps, then the stages, from impulses ``x`` of the residual ``worst``; returns the last."""
    p, blocks, nodes = island.p, island.blocks, island.nodes
    count = settings.sweeps
    if worst < NEAR:
        count //= 4
    worst = sweep_island(island, count, settings.tolerance, report)
    if worst <= settings.tolerance:
        return worst
    structure = plan(p, blocks, nodes, island.local)
    return try_stages(island, structure, worst, settings, report)


@jit
def relaxed_stages(
    island: Island, structure: Elimination, least: float, settings: SolverSettings, report: Report
):
    """Repeat the stages with compliant rows; a solution with much slack does not count.

    The second try begins at the impulses of the first, with stiffer rows and so with less slack.
    Returns the residual, infinite if not solved: then ``x`` has the best impulses that were
    tried, ``least`` the residual of those before.
    """
    p, blocks, nodes = island.p, island.blocks, island.nodes
    x, v, speed = island.x, island.v, island.speed
    enough = settings.tolerance
    best, line = x.copy(), p.line.copy()
    for compliance in COMPLIANCES:
        relax_rows(p, blocks, compliance)
        worst = try_stages(island, structure, math.inf, settings, report)
        harden(p, blocks, line)
        stick(p, blocks, math.inf, STUCK)
        slack = slack_velocity(p, blocks, x, compliance)
        if worst > enough:
            break
        if slack <= max(MOST_SLACK * speed, SLOWEST):
            report.relaxed += 1
            report.slack = max(report.slack, slack)
            return worst
        if least > -math.inf:  # of solutions with too much slack the softest does least harm
            copy_rows(p, blocks, x, best)
            least = -math.inf
    if not residual(p, blocks, x, v, speed) < least:
        copy_rows(p, blocks, best, x)
        velocity_of(p, blocks, nodes, x, v)
    return math.inf


@jit
def relax_rows(p: Problem, blocks: Ints, compliance: float):
    """Make rows compliant, and hold no-slip contacts in place whatever their normal impulse.

    Constraints that contradict each other by some nanometres a second are rigid only under
    forces that nothing would bear.  The no-slip law has an unbounded cone, and no method may
    find its solution; contacts held in place are a convex problem, which has one.
    """
    stick(p, blocks, STUCK, math.inf)
    for k in blocks:
        for a in range(p.block[k, HEIGHT]):
            p.line[p.block[k, ROW] + a, COMPLIANCE] += compliance * p.own[k, a, a]


@jit
def slack_velocity(p: Problem, blocks: Ints, x: Floats, compliance: float):
    """The greatest velocity of a compliant row under the impulses ``x``."""
    slack = 0.0
    for k in blocks:
        for a in range(p.block[k, HEIGHT]):
            slack = max(slack, compliance * p.own[k, a, a] * abs(x[p.block[k, ROW] + a]))
    return slack


@jit
def stick(p: Problem, blocks: Ints, before: float, after: float):
    """Replace the coefficient of friction of no-slip contacts."""
    for k in blocks:
        if p.law[k, MU] == before:
            p.law[k, MU] = after


@jit
def try_stages(
    island: Island, structure: Elimination, least: float, settings: SolverSettings, report: Report
):
    """Try the stages until one succeeds; returns the residual of the best."""
    p, blocks, nodes = island.p, island.blocks, island.nodes
    x, v = island.x, island.v
    enough, best, kept = settings.tolerance, x.copy(), x.copy()
    scratch = scratch_of(structure, x, v)
    report.last_step = report.newton_steps + max(FEWEST_STEPS, MOST_WORK // blocks.size)
    for i in range(min(settings.stages, len(STAGES))):
        report.stage = max(report.stage, i + 1)
        worst = try_stage(STAGES[i], island, structure, scratch, settings, report)
        if worst <= enough:
            return worst
        if worst < least:
            least = worst
            copy_rows(p, blocks, x, best)
        copy_rows(p, blocks, kept, x)
        count = min(SWEEPS_BETWEEN << i, MOST_BETWEEN, MOST_SWEPT // blocks.size)
        worst = sweep_island(island, count, enough, report)
        if worst <= enough:
            return worst
        copy_rows(p, blocks, x, kept)
        if worst < least:
            least = worst
            copy_rows(p, blocks, x, best)
    report.stage = max(report.stage, SWEPT)
    count = min(settings.last_sweeps, MOST_SWEPT // blocks.size)
    worst = sweep_island(island, count, enough, report)
    if worst <= least:
        return worst
    copy_rows(p, blocks, best, x)
    velocity_of(p, blocks, nodes, x, v)
    return least


@jit
def try_stage(
    stage: int,
    island: Island,
    structure: Elimination,
    scratch: Scratch,
    settings: SolverSettings,
    report: Report,
):
    """One stage from the impulses ``x``; returns the residual."""
    if stage == DE_SAXCE:
        return rounds_of_cones(island, structure, scratch, settings, report)
    if stage == PROXIMAL:
        return proximal_points(island, structure, scratch, settings, report)
    if stage == LEMKE:
        return newton_after_lemke(island, structure, scratch, settings, report)
    options = newton_options(stage, settings.newton)
    return full_step_newton(island, structure, scratch, options, settings, report)


@jit
def proximal_points(
    island: Island,
    structure: Elimination,
    scratch: Scratch,
    settings: SolverSettings,
    report: Report,
):
    """Proximal points from the impulses ``x``, then from none; returns the residual.

    Impulses of the step before, where a chain jams, lead away from those of this one.
    """
    worst = proximal(island, structure, scratch, POINTS, settings, report)
    if worst <= settings.tolerance:
        return worst
    clear(island.p, island.blocks, island.x)
    return proximal(island, structure, scratch, POINTS, settings, report)


@jit
def rounds_of_cones(
    island: Island,
    structure: Elimination,
    scratch: Scratch,
    settings: SolverSettings,
    report: Report,
):
    """Rounds of convex problems from the impulses ``x``; returns the residual.

    Viscous friction has no cones.  The laws without it are solved first, and Newton's method with
    it begins there.
    """
    p, blocks = island.p, island.blocks
    if not is_viscous(p, blocks):
        return de_saxce_rounds(island, settings, report)
    law = p.law.copy()
    for k in blocks:
        p.law[k, WIDENING] = 0.0
    worst = newton_after_interior(island, structure, scratch, settings, report)
    if worst > settings.tolerance:
        worst = min(worst, de_saxce_rounds(island, settings, report))
    for k in blocks:
        p.law[k, WIDENING] = law[k, WIDENING]
    if worst == math.inf:
        return worst
    options = newton_options(NEWTON, settings.newton)
    return full_step_newton(island, structure, scratch, options, settings, report)


@jit
def is_viscous(p: Problem, blocks: Ints):
    """Whether any contact has viscous friction."""
    some = False
    for k in blocks:
        some = some or (p.block[k, KIND] == CONTACT and p.law[k, WIDENING] > 0.0)
    return some


@jit
def sweep_island(island: Island, count: int, enough: float, report: Report):
    """At most ``count`` sweeps; returns the residual."""
    p, blocks, nodes = island.p, island.blocks, island.nodes
    x, v, speed = island.x, island.v, island.speed
    velocity_of(p, blocks, nodes, x, v)
    report.sweeps += sweeps(p, blocks, x, v, count, STILL * enough * speed)
    velocity_of(p, blocks, nodes, x, v)
    return residual(p, blocks, x, v, speed)
