"""All rows of a step: which are solved together, and where their impulses are kept.

The solver has impulses by blocks: each row of a joint, then each slot of a group.
Torques of torsional and rolling friction are sought anew in each step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ...model import Model
from ...scalar import Scalar, where
from .blocks import ContactRows, Impulses, OneSidedRow, RowBlock
from .impulse_space import ImpulseSpace
from .limit_slots import TOGETHER, LimitSlots, limit_slots
from .near_points import Slots
from .tree_elimination import trees_of
from .velocity_space import VelocitySpace


class ContactGroup(NamedTuple):
    """Points of contact that the same velocities move, and the rows of those in the slots."""

    slots: Slots
    rows: list[ContactRows]


class StepRows:
    """The rows of joints, and of the points that are near.

    With ``most_limits`` only so many ends of ranges are solved for, and impulses themselves are
    the unknowns.
    """

    def __init__(
        self, joints: Sequence[RowBlock], groups: Sequence[ContactGroup], x: Sequence[Scalar],
        most_limits: int | None = None,
    ):  # fmt: skip
        self.joints: Sequence[RowBlock] = joints
        self.groups: Sequence[ContactGroup] = groups
        self.limits: LimitSlots | None = None
        self._ends: list[int] = []
        if most_limits is not None:
            ends = {n: row for n, row in enumerate(joints) if isinstance(row, OneSidedRow)}
            self._ends = list(ends)
            self.limits = limit_slots(list(ends.values()), [x[n] for n in ends], most_limits)
        self._others: list[int] = [n for n in range(len(joints)) if n not in set(self._ends)]
        slots = self.limits.slots if self.limits else []
        points = [row for group in groups for row in group.rows]
        first, later = slots[:TOGETHER], slots[TOGETHER:]
        self.blocks: list[RowBlock] = [*(joints[n] for n in self._others), *first, *points, *later]
        self._n_first, self._n_later = len(first), len(later)
        self.start: Impulses = self._parts(x)

    def space(self, model: Model) -> ImpulseSpace | VelocitySpace:
        """What the solver seeks impulses in."""
        if self.limits is None:
            return VelocitySpace(self.blocks, trees_of(model))
        n = len(self.blocks) - self._n_later
        return ImpulseSpace(self.blocks, [range(n), range(n, len(self.blocks))], model.nv)

    def _parts(self, x: Sequence[Scalar]) -> Impulses:
        """Impulses by block, out of those that are kept."""
        of_points = [
            [*p.x, *[0.0] * (len(row.y) - len(p.x))]
            for group in self.groups
            for p, row in zip(group.slots.points, group.rows, strict=True)
        ]
        of_slots = [[impulse] for impulse in self.limits.x] if self.limits else []
        k = self._n_first
        return [*([x[n]] for n in self._others), *of_slots[:k], *of_points, *of_slots[k:]]

    def kept(self, parts: Impulses) -> list[Scalar]:
        """The impulses to keep (`kept_impulses`)."""
        found: list[Scalar] = [0.0] * len(self.joints)
        for at, (impulse,) in zip(self._others, parts, strict=False):
            found[at] = impulse
        at = len(self._others) + self._n_first
        of_slots = parts[len(self._others) : at]
        for group in self.groups:
            for number in group.slots.chosen:
                found += [number, *parts[at][:3]]
                at += 1
        if self.limits:
            kept = self.limits.kept([impulse for (impulse,) in [*of_slots, *parts[at:]]])
            for end, impulse in zip(self._ends, kept, strict=True):
                found[end] = impulse
        return found

    def overflow(self, error: Scalar) -> Scalar:
        """``error``, infinite where more is near than there are slots."""
        for group in self.groups:
            error = where(group.slots.count > float(len(group.rows)), math.inf, error)
        if self.limits:
            error = where(self.limits.count > float(len(self.limits.slots)), math.inf, error)
        return error
