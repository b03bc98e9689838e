"""Islands with torsional and rolling friction, whose bounds follow from normal impulses.

A choice among impulses needs bounds that stay.  Newton's method from impulses near by lets them
move.  So both take turns: first the bounds, then a choice under these, then what it changed.
"""

from __future__ import annotations

from ..compiler.jit import jit
from .following import follow
from .gauss_seidel import residual
from .least_norm import goes_on
from .problem import Island, copy_rows, velocity_of
from .settings import Report, SolverSettings
from .stages import has_patches, solve_island
from .thresholds import FOLLOWED, NEARLY, TORQUE_ROUNDS
from .torque_bounds import change_of_bounds, set_bounds


@jit
def solve_with_torques(island: Island, settings: SolverSettings, report: Report):
    """Solve one island with its bounds from the impulses in ``x``; returns its residual.

    Bounds are left as those under which the impulses were found: where rounds do not end, they are
    not those of the impulses.
    """
    p, blocks, nodes, x, v = island.p, island.blocks, island.nodes, island.x, island.v
    velocity_of(p, blocks, nodes, x, v)
    worst = residual(p, blocks, x, v, island.speed)
    if worst <= settings.tolerance or settings.stages == 0:
        return solve_island(island, settings, report)
    if worst < FOLLOWED and (settings.follows or not goes_on(island)):
        given = x.copy()
        worst = follow(island, settings, report)
        may_differ = settings.chooses and not settings.follows and has_patches(p, blocks)
        if worst <= settings.tolerance and not may_differ:
            return worst
        copy_rows(p, blocks, given, x)
    found_under = p.law.copy()
    for _ in range(TORQUE_ROUNDS):
        worst = solve_island(island, settings, report)
        if not worst <= settings.tolerance:
            return worst
        found_under[:] = p.law
        set_bounds(p, blocks, x)
        if change_of_bounds(p, blocks, found_under) <= settings.tolerance:
            return worst
        chosen, law = x.copy(), p.law.copy()
        now = follow(island, settings, report)
        if now <= settings.tolerance:
            worst = now
            found_under[:] = p.law
            if change_of_bounds(p, blocks, law) <= NEARLY:
                return worst
        else:
            copy_rows(p, blocks, chosen, x)
            velocity_of(p, blocks, nodes, x, v)
    p.law[:] = found_under
    return worst
