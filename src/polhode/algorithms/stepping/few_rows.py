"""Robots of which few rows are near at once, beside how many velocities they have.

Their steps have impulses as unknowns (`impulse_space`), and slots for points of the whole robot and
for ends of ranges.  What has more near than slots is left to the exact solver.
"""

from __future__ import annotations

from typing import NamedTuple

from ..constrained.closures import ROWS
from .contact_model import ContactModel
from .limit_slots import TOGETHER
from .near_points import SLOTS
from .touching import count
from .tree_elimination import trees_of

USUAL_POINTS = 4
"""Points of contact of a robot in most steps, and of a flat shape on ground."""

USUAL_LIMITS = 6
"""Ends of ranges that are near at once in most steps."""

MOST_POINTS = 12
"""Slots of points at most: unused ones take time, too."""


class FewRows(NamedTuple):
    """Slots of points, and of ends of ranges."""

    points: int
    limits: int


def few_rows(whole: ContactModel) -> FewRows | None:
    """The slots of a model whose steps have impulses as unknowns; None for any other."""
    model = whole.model
    is_one_tree = len(trees_of(model)) == 1
    ranges = [each.range for each in (*whole.tendons, *whole.hinges)]
    limits = len(whole.limits) + sum(each.is_limited for each in ranges)
    always = len(whole.frictions) + len(whole.gears)
    always += sum(len(ROWS[each.kind]) for each in whole.closures)
    rows = 3 * USUAL_POINTS + always + min(limits, USUAL_LIMITS)
    points = min(max(SLOTS, model.nv // 2), MOST_POINTS)
    if any(each.friction for each in ranges):  # a row that is now and then near, in no chain
        return None
    fits = USUAL_POINTS * (1 + _flat_shapes(whole)) <= points
    if not (whole.pairs and is_one_tree and rows < model.nv and fits):
        return None
    half = -(-limits // (2 * TOGETHER)) * TOGETHER  # a limp robot lies on many
    return FewRows(points, min(limits, max(USUAL_LIMITS, half)))


def _flat_shapes(whole: ContactModel) -> int:
    """Pairs with the world that may touch at more than two points."""
    return sum(
        0 in (pair.a.body, pair.b.body) and count(pair.a.shape, pair.b.shape) > 2
        for pair in whole.pairs
    )
