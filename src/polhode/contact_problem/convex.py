"""The convex relaxation: impulses are springs projected on their cones.

With compliances R > 0 the impulses ``x = P(-u / R)`` minimise
``1/2 |v - free|_M^2 + sum R (y.x - x.x / 2)``, ``y = -u / R``: smooth, strictly convex, solved
by Newton's method with a line search.  A sliding contact lifts by mu times its slip.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiler.jit import Floats, Ints, jit
from .block_cholesky import back_upper, eliminate_upper, plan_upper
from .block_products import along_six, apart, minus_free_product, minus_product
from .hessian import assemble, hessian_of
from .problem import (
    BIAS,
    DOF,
    HEIGHT,
    IS_FREE,
    KIND,
    MASS,
    ROW,
    SIZE,
    Island,
    Problem,
    add_forces,
    velocity_of,
)
from .rows import CONTACT
from .settings import Report, SolverSettings
from .springs import (
    Springs,
    curvature,
    recall,
    relative,
    spring_impulses,
)
from .thresholds import ROUNDING as SLIGHT
from .thresholds import SLOWEST
from .torque_bounds import has_torques, missed_bounds, relax_bounds

MOST_STEPS = 200
STILL = 1e-6  # change of a sweep, relative to the speed of the island, that ends them
MARGIN = 0.1  # of the tolerance, to which Newton's method goes on
# Share of the slope of the cost that a line search leaves: more of a step with new factors, whose
# errors fall with their square, than of one with those of the step before.
LOOSE, TIGHT = 0.3, 1e-2
# Share of what bounds missed before, above which a relaxed round was none the better, and a plain
# one follows.
LITTLE_LESS = 0.75
BOUND_ROUNDS = 100  # most rounds of bounds of torques and impulses; two to four are usual
STALLED = 1e-9  # of the speed of the island: steps that do not halve such a distance are the last
ROUNDING = 1e-11  # of the masses' part of the slope, below which it is rounding


class Iterate(NamedTuple):
    """Where Newton's method is at the velocities ``v``, and its next step.

    Attributes
    ----------
    u, x : shape (m,)
        Row velocities, and the impulses of the springs there.
    w : shape (nv,)
        The velocities under these impulses, which are ``v`` at the answer.
    b, du : shape (nv,), (m,)
        The step, and by how much it changes row velocities.
    """

    u: np.ndarray
    x: np.ndarray
    w: np.ndarray
    b: np.ndarray
    du: np.ndarray


class SearchLine(NamedTuple):
    """The cost along a step, at its begin: its slope, slope and curvature of the masses' part."""

    slope: float
    linear: float
    square: float


@jit
def at_rest(island: Island, s: Springs, now: Iterate):
    """The distance of ``v`` from the velocities under its springs; sets all but the step."""
    p, blocks, v = island.p, island.blocks, island.v
    for k in blocks:
        relative(p, k, v, 1.0, now.u)
    spring_impulses(p, blocks, s, now.u, now.x)
    return distance(island, now.x, now.w)


@jit
def distance(island: Island, x: Floats, w: Floats):
    """The distance of ``v`` from the velocities under the impulses ``x``, which become ``w``."""
    p, nodes, v = island.p, island.nodes, island.v
    velocity_of(p, island.blocks, nodes, x, w)
    worst, total = 0.0, 0.0
    for j in nodes:
        most, change = apart(w[p.node[j, DOF] :], v[p.node[j, DOF] :], p.node[j, SIZE])
        worst, total = max(worst, most), total + change
    return worst if abs(total) < math.inf else math.inf


@jit
def unbalanced(island: Island, now: Iterate):
    """Put ``M (w - v)`` in ``b``."""
    p, v, change = island.p, island.v, np.empty(island.v.size)
    for j in island.nodes:
        dof, n, mass = p.node[j, DOF], p.node[j, SIZE], p.node[j, MASS]
        if p.node[j, IS_FREE] == 1:
            minus_free_product(p.mass[mass:], v[dof:], now.w[dof:], now.b[dof:])
            continue
        for i in range(dof, dof + n):
            change[i] = v[i] - now.w[i]
        minus_product(p.mass[mass:], n, change[dof:], now.b[dof:])


@jit
def forces(p: Problem, blocks: Ints, nodes: Ints, z: Floats, b: Floats):
    """Put ``J^T z`` in ``b``."""
    for j in nodes:
        for i in range(p.node[j, DOF], p.node[j, DOF] + p.node[j, SIZE]):
            b[i] = 0.0
    for k in blocks:
        add_forces(p, k, z[p.block[k, ROW] :], b)


@jit
def slopes(island: Island, now: Iterate):
    """Derivatives of the cost along a step."""
    p, v, w, b = island.p, island.v, now.w, now.b
    slope, linear, square, less, still = 0.0, 0.0, 0.0, np.empty(v.size), np.zeros(6)
    for j in island.nodes:
        dof, n, mass = p.node[j, DOF], p.node[j, SIZE], p.node[j, MASS]
        if p.node[j, IS_FREE] == 1:
            minus_free_product(p.mass[mass:], b[dof:], still, less[dof:])
            slope -= along_six(less[dof:], v[dof:], w[dof:])
            linear -= along_six(less[dof:], v[dof:], p.free[dof:])
            square -= along_six(less[dof:], b[dof:], still)
            continue
        minus_product(p.mass[mass:], n, b[dof:], less[dof:])
        for i in range(dof, dof + n):
            slope -= less[i] * (v[i] - w[i])
            linear -= less[i] * (v[i] - p.free[i])
            square -= less[i] * b[i]
    return SearchLine(slope, linear, square)


@jit
def move_rows(island: Island, s: Springs, now: Iterate, t: float):
    """Go the part ``t`` of a step with row velocities and impulses.

    Returns the slope of the cost of the springs, and whether any of them changed its state.
    """
    p, blocks, slope, u, x, du = island.p, island.blocks, 0.0, now.u, now.x, now.du
    for k in blocks:
        for r in range(p.block[k, ROW], p.block[k, ROW] + p.block[k, HEIGHT]):
            u[r] += t * du[r]
    has_changed = spring_impulses(p, blocks, s, u, x)
    for k in blocks:
        for r in range(p.block[k, ROW], p.block[k, ROW] + p.block[k, HEIGHT]):
            slope -= x[r] * du[r]
    return slope, has_changed


@jit
def line_search(
    island: Island, s: Springs, now: Iterate, line: SearchLine, rate: float, enough: float
):
    """Go back from the end of a step to where along it the cost is least.

    There the cost of the springs has the slope ``rate``; ``enough`` is the slope of the cost that
    may be left.  Returns the part of the step, and whether any spring changed its state.
    """
    low, high, t, some = 0.0, math.inf, 1.0, False
    for _ in range(20):
        first = rate + line.linear + t * line.square
        if abs(first) <= enough:
            return t, some
        if first < 0.0:
            low = t
        else:
            high = t
        then = t - first / (curvature(island.p, island.blocks, s, now.du) + line.square)
        if not low < then < high:
            then = 0.5 * (low + high) if high < math.inf else 2.0 * low
        rate, has_changed = move_rows(island, s, now, then - t)
        t, some = then, some or has_changed
    if low > 0.0:
        _, has_changed = move_rows(island, s, now, low - t)
        t, some = low, some or has_changed
    return t, some


@jit
def step_along(island: Island, s: Springs, now: Iterate, tight: float):
    """Make the step, or the part or multiple of it for which the cost is least.

    ``tight`` is the share of its slope that may be left.  Returns the distance of ``v`` from
    ``w``, and whether any spring changed its state.  Then come the part, and whether the slope of
    the cost is lost in rounding.
    """
    p, v = island.p, island.v
    for k in island.blocks:
        relative(p, k, now.b, 0.0, now.du)
    line = slopes(island, now)
    is_rounding = abs(line.slope) <= ROUNDING * abs(line.linear)
    t, has_changed = 0.0, False
    if is_rounding or line.slope < 0.0:
        t, enough = 1.0, tight * -line.slope
        rate, has_changed = move_rows(island, s, now, t)
        if not is_rounding and abs(rate + line.linear + line.square) > enough:
            t, differs = line_search(island, s, now, line, rate, enough)
            has_changed = has_changed or differs
    for j in island.nodes:
        for i in range(p.node[j, DOF], p.node[j, DOF] + p.node[j, SIZE]):
            v[i] += t * now.b[i]
    return distance(island, now.x, now.w), has_changed, t, is_rounding


@jit
def accept(island: Island, now: Iterate):
    """Accept the impulses and velocities of an island."""
    p, x, v = island.p, island.x, island.v
    for k in island.blocks:
        for r in range(p.block[k, ROW], p.block[k, ROW] + p.block[k, HEIGHT]):
            x[r] = now.x[r]
    for j in island.nodes:
        for i in range(p.node[j, DOF], p.node[j, DOF] + p.node[j, SIZE]):
            v[i] = now.w[i]


@jit
def newton(island: Island, s: Springs, u: Floats, enough: float, most: int, report: Report):
    """Minimise from the impulses ``x`` that make ``v``; returns how far it is from rest.

    In at most ``most`` steps, or until that is not more than ``enough``.
    """
    p, blocks, x, v = island.p, island.blocks, island.x, island.v
    z, du, pressed = np.empty(x.size), np.empty(x.size), np.empty(x.size)
    now = Iterate(u, pressed, np.empty(v.size), np.empty(v.size), du)
    worst = at_rest(island, s, now)
    if enough < worst < math.inf:
        # At first the springs are taken as they were under x, then as the velocities press them.
        if recall(p, blocks, s, u, x, z):
            forces(p, blocks, island.nodes, z, now.b)
        else:
            spring_impulses(p, blocks, s, u, now.x)
            unbalanced(island, now)
        m = plan_upper(p, blocks, island.nodes, island.local)
        H = hessian_of(m, blocks, 3 * v.size)
        is_factored = False
        for made in range(most):
            if not is_factored:
                assemble(island, s, m, H)
                if not eliminate_upper(p, m, H.is_new, H.a):
                    break
            back_upper(p, m, H.a, now.b)
            report.newton_steps += 1
            last = worst
            worst, has_changed, t, is_rounding = step_along(
                island, s, now, TIGHT if is_factored else LOOSE
            )
            if t == 0.0 and made > 0:
                break
            if not enough < worst < math.inf or (is_rounding and made > 0 and worst > 0.5 * last):
                break
            if worst > 0.5 * last and worst <= STALLED * island.speed:
                break
            # Errors fall with their square; with the same factors by what they fell before.
            before = 0.5 * last if is_factored else 0.25 * last
            is_factored = worst * worst <= enough * before and not has_changed
            unbalanced(island, now)
    accept(island, now)
    return worst


@jit
def newton_and_bounds(
    island: Island, s: Springs, u: Floats, settings: SolverSettings, report: Report
):
    """`newton`, in rounds until the bounds of torques are those of the impulses.

    Returns how far velocities are from rest, relative to the speed of the island, or bounds from
    those of the impulses, relative to the greatest.
    """
    p, blocks, x = island.p, island.blocks, island.x
    enough = MARGIN * settings.tolerance * island.speed
    worst = newton(island, s, u, enough, settings.convex_steps, report) / island.speed
    if not has_torques(p, blocks):
        return worst
    missed, share, away, last = np.empty(s.stiff.size), 0.0, 0.0, 0.0
    for k in blocks:
        missed[k] = 0.0
    for _ in range(BOUND_ROUNDS):
        away, relaxed = missed_bounds(p, blocks, x, missed, share)
        if not worst <= settings.tolerance or away <= settings.tolerance:
            return worst
        share = relaxed if share == 1.0 or away <= LITTLE_LESS * last else 1.0
        relax_bounds(p, blocks, missed, share)
        last = away
        worst = newton(island, s, u, enough, settings.convex_steps, report) / island.speed
    return max(worst, away)


@jit
def start(island: Island, s: Springs):
    """Set ``v`` to the velocities under the impulses ``x``, which are reset if not finite.

    Contacts that are not pressed have none.
    """
    p, blocks, nodes = island.p, island.blocks, island.nodes
    x, v = island.x, island.v
    for k in blocks:
        r = p.block[k, ROW]
        if p.block[k, KIND] == CONTACT and x[r] <= 0.0:
            x[r] = x[r + 1] = x[r + 2] = 0.0
    velocity_of(p, blocks, nodes, x, v)
    total = 0.0
    for j in nodes:
        _, change = apart(v[p.node[j, DOF] :], p.free[p.node[j, DOF] :], p.node[j, SIZE])
        total += change
    is_sane = abs(total) < math.inf
    for k in blocks:
        if s.stiff[k] == 0.0 or not is_sane:
            for r in range(p.block[k, ROW], p.block[k, ROW] + p.block[k, HEIGHT]):
                x[r] = 0.0
    if not is_sane:
        velocity_of(p, blocks, nodes, x, v)


@jit
def from_rest(p: Problem, blocks: Ints, nodes: Ints, u: Floats):
    """Make changes of the free velocities the unknowns; returns the speed of the island.

    Bodies that move fast together then lose nothing to rounding, which springs would multiply.
    """
    speed = SLOWEST
    for k in blocks:
        relative(p, k, p.free, 1.0, u)
        for r in range(p.block[k, ROW], p.block[k, ROW] + p.block[k, HEIGHT]):
            p.line[r, BIAS] = u[r]
            speed = max(speed, abs(u[r]))
    for j in nodes:
        for i in range(p.node[j, DOF], p.node[j, DOF] + p.node[j, SIZE]):
            speed = max(speed, SLIGHT * abs(p.free[i]))
            p.free[i] = 0.0
    return speed


@jit
def most_sweeps(nodes: Ints, settings: SolverSettings):
    """How many sweeps of coordinate descent are worth their time before Newton's method."""
    return min(settings.sweeps, 2 + nodes.size // 6 if nodes.size > 1 else 0)
