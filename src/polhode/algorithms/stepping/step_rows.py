"""All rows of a step: which are solved together, and where their impulses are kept.

Impulses are kept from step to step for each joint row and for three axes of each point of all
pairs.  The solver has them by chunks: each row of a joint, then each slot of a group.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...scalar import Scalar, where
from .blocks import ContactRows, RowBlock, RowChunk
from .near_points import Slots, of_member
from .newton import Parts


class ContactGroup(NamedTuple):
    """Points of contact that the same velocities move, and the rows of those in the slots."""

    slots: Slots
    rows: list[ContactRows]


class StepRows:
    """The rows of joints, and of the points that are near."""

    def __init__(self, joints: Sequence[RowBlock], groups: Sequence[ContactGroup], n_points: int):
        self.joints: Sequence[RowBlock] = joints
        self.groups: Sequence[ContactGroup] = groups
        self.n_points: int = n_points
        blocks = [*joints, *(block for group in groups for block in group.rows)]
        self.chunks: list[RowChunk] = [RowChunk(block.is_near, [block]) for block in blocks]

    def parts(self, x: Sequence[Scalar]) -> Parts:
        """Impulses by chunk and block, out of those that are kept."""
        of_joints: Parts = [[[impulse]] for impulse in x[: len(self.joints)]]
        return of_joints + [[list(p.x)] for group in self.groups for p in group.slots.points]

    def kept(self, parts: Parts) -> list[Scalar]:
        """The impulses to keep; zero of points that are not near."""
        n = len(self.joints)
        found: list[Scalar] = [x for ((x,),) in parts[:n]] + [0.0] * (3 * self.n_points)
        at = n
        for group in self.groups:
            own = [block for (block,) in parts[at : at + len(group.rows)]]
            at += len(group.rows)
            for number in group.slots.members:
                first = n + 3 * number
                found[first : first + 3] = of_member(own, group.slots, number)
        return found

    def __iter__(self) -> Iterator[RowBlock]:
        for chunk in self.chunks:
            yield from chunk.blocks

    def overflow(self, error: Scalar) -> Scalar:
        """``error``, infinite where more points are near than there are slots."""
        for group in self.groups:
            error = where(group.slots.count > float(len(group.rows)), math.inf, error)
        return error
