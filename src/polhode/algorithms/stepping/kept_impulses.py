"""Impulses that a step leaves to the next one, which begins with them.

Of each row of a joint one, then of each slot of points four numbers: which point was in it, and its
three impulses.  Of points that were in no slot there is nothing to keep.  Last, where steps begin
again (`attempts`), how often in a row this one was not solved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...scalar import Scalar, where

IN_SLOT = 4
"""Numbers of a slot."""


class KeptPoint(NamedTuple):
    """The number of the point that was in a slot, and its impulses."""

    number: Scalar
    x: Sequence[Scalar]


def kept_points(x: Sequence[Scalar]) -> list[KeptPoint]:
    """Those of all slots; ``x`` has no rows of joints."""
    return [KeptPoint(x[k], x[k + 1 : k + IN_SLOT]) for k in range(0, len(x), IN_SLOT)]


def impulses_of(number: Scalar, kept: Sequence[KeptPoint]) -> list[Scalar]:
    """The kept impulses of a point; zeros of one that was in no slot."""
    found: list[Scalar] = [0.0, 0.0, 0.0]
    for point in kept:
        here = point.number == number
        found = [where(here, new, old) for new, old in zip(point.x, found, strict=True)]
    return found
