"""Lemke's method in the place of round cones: pyramids that turn with the slip.

A pyramid makes an island a linear complementarity problem, of which Lemke's method finds what is
open, sticks and slides together.  Newton's method begins there.  Where it fails, each polygon is
turned until one of its corners points against the slip found, and so on.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiler.jit import Floats, Ints, jit
from .block_lu import Elimination
from .friction import radius, radius_slope
from .gauss_seidel import residual
from .lcp import Polygons, extent, is_curved, polygons_of, pyramid
from .newton import Scratch
from .newton_iteration import full_step_newton, newton_options
from .problem import (
    EDGES,
    KIND,
    MU,
    ROW,
    TANGENT,
    UPPER,
    WIDENING,
    Island,
    Problem,
    copy_rows,
    row_velocity,
    velocity_of,
)
from .rows import BILATERAL, CONTACT, DISK
from .settings import Report, SolverSettings
from .thresholds import LEMKE_EDGES, MOST_PAIRS, NEWTON, SMALL_PROX, STEADY, TURNS


@jit
def newton_after_lemke(
    island: Island,
    structure: Elimination,
    scratch: Scratch,
    settings: SolverSettings,
    report: Report,
):
    """Newton's method from the ends of Lemke's paths; returns the residual.

    Infinite if there is no such path: it is for small islands with finite friction.
    """
    p, blocks, nodes = island.p, island.blocks, island.nodes
    x, v, speed = island.x, island.v, island.speed
    polygons = polygons_of(p, LEMKE_EDGES)
    if not has_finite_friction(p, blocks) or extent(p, blocks, polygons.edges)[1] > MOST_PAIRS:
        return math.inf
    count = TURNS if is_curved(p, blocks) and not has_loops(p, blocks) else 1
    worst, found = math.inf, x.copy()
    for made in range(count):
        if made > 0 and report.newton_steps >= report.last_step:
            break
        if not pyramid(p, blocks, nodes, x, v, speed, polygons):
            break
        velocity_of(p, blocks, nodes, x, v)
        worst = residual(p, blocks, x, v, speed)
        if worst <= settings.tolerance:
            break
        turn(island, polygons)
        copy_rows(p, blocks, x, found)
        now = newton_from(island, structure, scratch, found, settings, report)
        if now <= settings.tolerance:
            return now
        copy_rows(p, blocks, found, x)
    velocity_of(p, blocks, nodes, x, v)
    return worst


@jit
def newton_from(
    island: Island,
    structure: Elimination,
    scratch: Scratch,
    found: Floats,
    settings: SolverSettings,
    report: Report,
):
    """Newton's method, steady, with a small prox, each from ``found``; returns the residual."""
    worst = math.inf
    for stage in (NEWTON, STEADY, SMALL_PROX):
        copy_rows(island.p, island.blocks, found, island.x)
        options = newton_options(stage, settings.newton)
        worst = full_step_newton(island, structure, scratch, options, settings, report)
        if worst <= settings.tolerance:
            break
    return worst


@jit
def has_finite_friction(p: Problem, blocks: Ints):
    """Whether there are contacts, and each slips under enough of a load.

    No-slip contacts, too, have a finite coefficient of friction, unless their rows are relaxed.
    """
    some = False
    for k in blocks:
        if p.block[k, KIND] == CONTACT:
            some = True
            if not p.law[k, MU] < math.inf:
                return False
    return some


@jit
def has_loops(p: Problem, blocks: Ints):
    """Whether there are bilateral rows.  Where these jam, one path finds as much as many."""
    some = False
    for k in blocks:
        some = some or p.block[k, KIND] == BILATERAL
    return some


@jit
def turn(island: Island, polygons: Polygons):
    """Turn a corner of each round disk's polygon against the slip, and linearise radii."""
    p, u = island.p, np.empty(3)
    for k in island.blocks:
        law, x = p.law[k], island.x[p.block[k, ROW] :]
        if p.block[k, KIND] == DISK and p.block[k, EDGES] < 3:
            row_velocity(p, k, island.x, island.v, u)
            polygons.turn[k] = corner(x, u, law, law[UPPER], polygons.turn[k])
        if p.block[k, KIND] != CONTACT:
            continue
        row_velocity(p, k, island.x, island.v, u)
        size = radius(law[MU], law[WIDENING], x[0])
        polygons.slope[k] = radius_slope(law[MU], x[0], size)
        polygons.offset[k] = size - polygons.slope[k] * max(x[0], 0.0)
        if p.block[k, EDGES] > 2:
            continue
        polygons.turn[k] = corner(x[1:], u[1:], law, size, polygons.turn[k])


@jit
def corner(x: Floats, u: Floats, law: Floats, size: float, before: float):
    """Angle of the impulses, or where they are outside of a disk against the slip."""
    z1, z2 = x[0] - u[0] / law[TANGENT], x[1] - u[1] / law[TANGENT]
    if math.hypot(z1, z2) > size and math.hypot(u[0], u[1]) > 0.0:
        z1, z2 = -u[0], -u[1]
    return math.atan2(z2, z1) if math.hypot(z1, z2) > 0.0 else before
