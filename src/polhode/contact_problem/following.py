"""When impulses follow those of the step before, and are not chosen anew: where that is costly.

Where contacts creep, or joints with dry friction are about to move, a choice among many impulses
takes tens of Newton's steps in each step.  From the impulses of the step before one to four are
enough.  After a costly choice one step follows, after the next ones 3, 7 and 15.  A step that
cannot follow chooses, and as many follow as before.  An island is known by its nodes.
"""

from __future__ import annotations

import math

from ..compiler.jit import Ints, Ints2, jit
from .block_lu import plan
from .gauss_seidel import residual
from .newton import scratch_of
from .newton_iteration import NewtonOptions, full_step_newton
from .patches import has_many_patches, newton_on_patches
from .problem import Island, copy_rows, velocity_of
from .retries import MOST_DOUBLINGS, most_of
from .settings import Report, SolverSettings
from .thresholds import COSTLY_STEPS, FOLLOWING_PROXES, FOLLOWING_STEPS, PROX, PROX_SHARE
from .torque_bounds import move_bounds

# columns of ConstraintRows.choices: how often in a row a choice was costly, and how many steps
# follow; then both as they are after this solution (`retries.go_on`)
COSTLY, FOLLOW, NEXT_COSTLY, NEXT_FOLLOW = 0, 1, 2, 3


@jit
def follow(island: Island, settings: SolverSettings, report: Report):
    """Solve by a few of Newton's steps from the impulses ``x``; returns the residual.

    Bounds of torques move with the impulses, and stay where these are solved.
    """
    p, blocks, nodes, speed = island.p, island.blocks, island.nodes, island.speed
    structure = plan(p, blocks, nodes, island.local)
    scratch = scratch_of(structure, island.x, island.v)
    if has_many_patches(island):
        return newton_on_patches(island, structure, scratch, settings, report)
    given, law, worst = island.x.copy(), p.law.copy(), math.inf
    move_bounds(p, blocks, 1)
    for prox in FOLLOWING_PROXES:
        copy_rows(p, blocks, given, island.x)
        # Solved beyond the tolerance: what is at rest then keeps its impulses for many steps.
        options = NewtonOptions(prox, PROX, FOLLOWING_STEPS, True, PROX_SHARE, True)
        full_step_newton(island, structure, scratch, options, settings, report)
        velocity_of(p, blocks, nodes, island.x, island.v)
        worst = residual(p, blocks, island.x, island.v, speed)
        if worst <= settings.tolerance:
            break
    move_bounds(p, blocks, 0)
    if not worst <= settings.tolerance:
        p.law[:] = law
    return worst


@jit
def note_choice(choices: Ints2, nodes: Ints, newton_steps: int, is_solved: bool):
    """Write for the nodes of an island what comes next, after so many of Newton's steps.

    What was not solved is not followed.
    """
    if choices.shape[0] == 0:
        return
    costly, left = most_of(choices, nodes, COSTLY), most_of(choices, nodes, FOLLOW)
    was_costly = most_of(choices, nodes, NEXT_COSTLY) > costly  # in an earlier solution of the step
    is_costly = newton_steps > COSTLY_STEPS or was_costly
    if not is_solved:
        costly = left = 0
    elif is_costly:
        costly = min(costly + (1 if left == 0 else 0), MOST_DOUBLINGS)
        left = (1 << costly) - 1
    elif left > 0:
        left -= 1
    else:
        costly = 0
    for j in nodes:
        choices[j, NEXT_COSTLY], choices[j, NEXT_FOLLOW] = costly, left
