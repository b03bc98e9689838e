"""All rows of a step: which are solved together, and where their impulses are kept.

Impulses are kept from step to step for each joint row and for three axes of each point of all
pairs.  The solver has them by blocks: each row of a joint, then each slot of a group.
Torques of torsional and rolling friction are sought anew in each step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ...scalar import Scalar, where
from .blocks import ContactRows, Impulses, RowBlock
from .near_points import Slots, of_member


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
        self.blocks: list[RowBlock] = [*joints, *(row for group in groups for row in group.rows)]

    def parts(self, x: Sequence[Scalar]) -> Impulses:
        """Impulses by block, out of those that are kept."""
        of_joints = [[impulse] for impulse in x[: len(self.joints)]]
        return of_joints + [
            [*p.x, *[0.0] * (len(row.y) - len(p.x))]
            for group in self.groups
            for p, row in zip(group.slots.points, group.rows, strict=True)
        ]

    def kept(self, parts: Impulses) -> list[Scalar]:
        """The impulses to keep; zero of points that are not near."""
        n = len(self.joints)
        found: list[Scalar] = [x for (x,) in parts[:n]] + [0.0] * (3 * self.n_points)
        at = n
        for group in self.groups:
            own = [part[:3] for part in parts[at : at + len(group.rows)]]
            at += len(group.rows)
            for number in group.slots.members:
                first = n + 3 * number
                found[first : first + 3] = of_member(own, group.slots, number)
        return found

    def overflow(self, error: Scalar) -> Scalar:
        """``error``, infinite where more points are near than there are slots."""
        for group in self.groups:
            error = where(group.slots.count > float(len(group.rows)), math.inf, error)
        return error
