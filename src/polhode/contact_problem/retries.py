"""When an island that was not solved gets all stages again: at once, then after 1, 3, 7, 15 steps.

Heaps that no stage solves stay so for many steps, at a hundred times the price of sweeps.  In
between they have sweeps alone, which begin at the impulses of the step before.  An island is known
by its nodes: it pauses as long as any of them.  Small islands never pause.
"""

from __future__ import annotations

from ..compiler.jit import Ints, Ints2, jit
from .settings import SolverSettings

# columns of ConstraintRows.trials: how often in a row all stages failed, and for how many steps
# they are left out; then both as they are after this solution
FAILED, PAUSE, NEXT_FAILED, NEXT_PAUSE = 0, 1, 2, 3
MOST_DOUBLINGS = 4  # of a pause: it ends after 15 steps
LEAST_PAUSING = 100  # blocks of an island: all stages cost little in smaller ones
PAUSED_SWEEPS = 100


@jit
def most_of(trials: Ints2, nodes: Ints, column: int):
    """The greatest number of any node of an island; none are known where there are no rows."""
    most = 0
    if trials.shape[0] > 0:
        for j in nodes:
            most = max(most, trials[j, column])
    return most


@jit
def sweep_alone(settings: SolverSettings):
    """Leave out all stages."""
    settings.stages, settings.may_relax = 0, False
    settings.last_sweeps = PAUSED_SWEEPS


@jit
def note_trial(trials: Ints2, nodes: Ints, n_blocks: int, is_solved: bool):
    """Write for the nodes of an island what comes next."""
    if trials.shape[0] == 0:
        return
    failed, pause = most_of(trials, nodes, FAILED), most_of(trials, nodes, PAUSE)
    if is_solved or n_blocks < LEAST_PAUSING:
        failed = pause = 0
    elif pause > 0:
        pause -= 1
    else:
        failed += 1
        pause = (1 << min(failed - 1, MOST_DOUBLINGS)) - 1
    for j in nodes:
        trials[j, NEXT_FAILED], trials[j, NEXT_PAUSE] = failed, pause


@jit
def go_on(trials: Ints2):
    """Let the step count for which impulses were found; nodes without rows begin anew."""
    for j in range(trials.shape[0]):
        trials[j, FAILED], trials[j, PAUSE] = trials[j, NEXT_FAILED], trials[j, NEXT_PAUSE]
        trials[j, NEXT_FAILED] = trials[j, NEXT_PAUSE] = 0
