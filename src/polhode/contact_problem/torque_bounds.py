"""Bounds of torsional and rolling friction, which follow from the normal impulses of contacts.

Most methods solve with bounds that stay.  Where they move, each is an arm times the normal impulse
of the time, and Newton's method knows by how much it changes with velocities.  Methods that solve
in rounds relax the bounds after Aitken: bounds that swing to and fro meet, and few rounds do.
Kuettler and Wall, "Fixed-point fluid-structure interaction solvers with dynamic relaxation", 2008.
"""

from __future__ import annotations

from ..compiler.jit import Floats, Floats2, Ints, jit
from .problem import ARM, LOWER, MOVES, PRESSER, ROW, UPPER, Problem
from .rows import ConstraintRows

# Least and greatest share of the way to the bounds of its impulses that a round goes.
LEAST_SHARE, MOST_SHARE = 0.05, 1.5


@jit
def bound_rows(rows: ConstraintRows, x: Floats):
    """Bound the torques of ``rows`` by the impulses ``x``.

    Returns the greatest change of a bound, as a share of the greatest before and after.
    """
    change, most = 0.0, 0.0
    for k in range(rows.presser.size):
        contact = rows.presser[k]
        if contact >= 0:
            bound = rows.arm[k] * max(x[rows.row[contact]], 0.0)
            change, most = max(change, abs(bound - rows.upper[k])), max(most, bound, rows.upper[k])
            rows.lower[k], rows.upper[k] = -bound, bound
    return change / most if most > 0.0 else 0.0


@jit
def has_torques(p: Problem, blocks: Ints):
    """Whether normal impulses bound any of some blocks."""
    some = False
    for k in blocks:
        some = some or p.block[k, PRESSER] >= 0
    return some


@jit
def move_bounds(p: Problem, blocks: Ints, moves: int):
    """Let bounds move with impulses (1), or stay as they are (0)."""
    for k in blocks:
        p.block[k, MOVES] = moves if p.block[k, PRESSER] >= 0 else 0


@jit
def set_bound(p: Problem, k: int, x: Floats):
    """Bound block ``k`` by the normal impulse of its contact."""
    contact = p.block[k, PRESSER]
    p.law[k, UPPER] = p.law[k, ARM] * max(x[p.block[contact, ROW]], 0.0)
    p.law[k, LOWER] = -p.law[k, UPPER]


@jit
def set_bounds(p: Problem, blocks: Ints, x: Floats):
    """Bound all torques by the normal impulses ``x``."""
    for k in blocks:
        if p.block[k, PRESSER] >= 0:
            set_bound(p, k, x)


@jit
def change_of_bounds(p: Problem, blocks: Ints, law: Floats2):
    """The greatest change since bounds were those of ``law``, as a share of the greatest."""
    change, most = 0.0, 0.0
    for k in blocks:
        if p.block[k, PRESSER] >= 0:
            change = max(change, abs(p.law[k, UPPER] - law[k, UPPER]))
            most = max(most, p.law[k, UPPER], law[k, UPPER])
    return change / most if most > 0.0 else 0.0


@jit
def write_bounds(rows: ConstraintRows, p: Problem, blocks: Ints):
    """Write the bounds of torques where they were given."""
    for k in blocks:
        if p.block[k, PRESSER] >= 0:
            rows.lower[k], rows.upper[k] = p.law[k, LOWER], p.law[k, UPPER]


@jit
def missed_bounds(p: Problem, blocks: Ints, x: Floats, missed: Floats, share: float):
    """Put in ``missed`` how far bounds are from those of the impulses ``x``.

    Before, ``missed`` is of the round before, after which bounds went the ``share`` of the way.
    Returns the greatest as a share of the greatest bound, and the share of the way to go now.
    """
    greatest, most, along, square = 0.0, 0.0, 0.0, 0.0
    for k in blocks:
        if p.block[k, PRESSER] < 0:
            continue
        bound = p.law[k, ARM] * max(x[p.block[p.block[k, PRESSER], ROW]], 0.0)
        now = bound - p.law[k, UPPER]
        greatest, most = max(greatest, abs(now)), max(most, bound, p.law[k, UPPER])
        along += missed[k] * (missed[k] - now)
        square += (missed[k] - now) * (missed[k] - now)
        missed[k] = now
    if square > 0.0:
        share = min(max(share * along / square, LEAST_SHARE), MOST_SHARE)
    return greatest / most if most > 0.0 else 0.0, share


@jit
def relax_bounds(p: Problem, blocks: Ints, missed: Floats, share: float):
    """Move bounds the ``share`` of what they have ``missed``."""
    for k in blocks:
        if p.block[k, PRESSER] >= 0:
            p.law[k, UPPER] = max(p.law[k, UPPER] + share * missed[k], 0.0)
            p.law[k, LOWER] = -p.law[k, UPPER]
