"""Steps that begin again: those of heaps, from the impulses that the last attempt reached.

Heaps are left so often that this pays.  Worlds that are left fill registers of their own, where
Newton's method may take more steps, for which all others would have to wait.  Of one robot, a
register would begin again for one world.
"""

from __future__ import annotations

from ...model import Model
from ...scalar import Scalar, gather, where
from .tree_elimination import trees_of

SMALL = 16
"""Velocities of a model up to which one attempt has all rounds of the solver."""

AGAIN = 3
"""How often a step begins again at most before the exact solver makes it."""

SOLVED = 1e-6
"""Error of the laws, relative to the velocities of a step, from which on it is not solved."""

FIRST, LATER = 8, 20
"""Newton steps of the first attempt, and of each later one."""

FIRST_PROX = 1e-4
"""A part of each row's own compliance, with which Newton's method begins."""

RISE = 10.0
"""Of `FIRST_PROX` from a later attempt to the next, which most often helps out of a cycle."""


def begins_again(model: Model) -> bool:
    """Whether steps of a model begin again, and keep how often in a row they were not solved."""
    return model.nv > SMALL and len(trees_of(model)) > 1


def newton_steps(failed: Scalar) -> Scalar:
    """Those of the attempt after so many that failed."""
    return where(failed > 0.0, float(LATER), float(FIRST))


def first_prox(failed: Scalar) -> Scalar:
    """The first proximal parameter of the attempt after so many that failed."""
    later = [FIRST_PROX * RISE**k for k in range(AGAIN)]
    return gather([FIRST_PROX, *later], failed)


def failures(failed: Scalar, error: Scalar) -> Scalar:
    """How many attempts in a row have failed after another one."""
    return where(error < SOLVED, 0.0, failed + 1.0)
