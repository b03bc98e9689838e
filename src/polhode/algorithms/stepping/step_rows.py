"""All rows of a step: which are solved together, and where their impulses are kept.

Impulses are kept from step to step for each joint row and for three axes of each candidate.  The
solver has them by chunks: rows of joints and slots of contacts that the same velocities see.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from ...scalar import Scalar, where
from .blocks import ContactRows, RowBlock, RowChunk
from .candidates import Candidate, Slots, by_member, by_slot
from .newton import Parts

TOGETHER = 2
"""Slots of a group in a chunk: the later ones are needed by fewer worlds."""


class ContactGroup(NamedTuple):
    """Points of contact that the same velocities move, and the rows of those in the slots."""

    slots: Slots
    rows: list[ContactRows]

    def sees(self, block: RowBlock) -> bool:
        """Whether all velocities that a block sees move the points, too."""
        return bool(self.rows) and set(block.y[0]) <= set(self.rows[0].y[0])


class StepRows:
    """The rows of joints, and of the candidates that are near."""

    def __init__(
        self, joints: list[RowBlock], candidates: list[Candidate], groups: list[ContactGroup]
    ):
        self.joints: list[RowBlock] = joints
        self.candidates: list[Candidate] = candidates
        self.groups: list[ContactGroup] = groups
        self._of_joints, self._of_slots, chunks = self._gathered()
        self.chunks: list[RowChunk] = chunks

    def _gathered(self) -> tuple[list[list[int]], list[tuple[int, range]], list[RowChunk]]:
        """For each chunk the numbers of its joint rows, and its group and slots; the chunks."""
        left = list(range(len(self.joints)))
        of_joints: list[list[int]] = []
        of_slots: list[tuple[int, range]] = []
        for g, group in enumerate(self.groups):
            own = [k for k in left if group.sees(self.joints[k])]
            left = [k for k in left if k not in own]
            n = len(group.rows)
            for first in range(0, n, TOGETHER):
                of_joints.append([] if first else own)
                of_slots.append((g, range(first, min(first + TOGETHER, n))))
        for k in left:
            of_joints.append([k])
            of_slots.append((-1, range(0)))
        chunks = []
        for own, (g, slots) in zip(of_joints, of_slots, strict=True):
            blocks: list[RowBlock] = [self.joints[k] for k in own]
            blocks += [self.groups[g].rows[s] for s in slots]
            chunks.append(RowChunk(reduce(or_, (block.is_near for block in blocks)), blocks))
        return of_joints, of_slots, chunks

    def parts(self, x: Sequence[Scalar]) -> Parts:
        """Impulses by chunk and block, out of those that are kept."""
        n = len(self.joints)
        by_group = []
        for group in self.groups:
            axes = [by_slot(x[n + k :: 3], group.slots) for k in range(3)]
            by_group.append([list(slot) for slot in zip(*axes, strict=True)])
        return [
            [*([x[k]] for k in own), *(by_group[g][s] for s in slots)]
            for own, (g, slots) in zip(self._of_joints, self._of_slots, strict=True)
        ]

    def kept(self, parts: Parts) -> list[Scalar]:
        """The impulses to keep; zero of points that are not near."""
        n = len(self.joints)
        found: list[Scalar] = [0.0] * (n + 3 * len(self.candidates))
        by_group: list[list[list[Scalar]]] = [[] for _ in self.groups]
        for own, (g, slots), part in zip(self._of_joints, self._of_slots, parts, strict=True):
            for k, (x,) in zip(own, part, strict=False):
                found[k] = x
            if slots:
                by_group[g] += part[len(own) :]
        for group, values in zip(self.groups, by_group, strict=True):
            for k in range(3):
                each = by_member(self.candidates, [value[k] for value in values], group.slots)
                for number, x in zip(group.slots.members, each, strict=True):
                    found[n + 3 * number + k] = x
        return found

    def __iter__(self) -> Iterator[RowBlock]:
        for chunk in self.chunks:
            yield from chunk.blocks

    def overflow(self, error: Scalar) -> Scalar:
        """``error``, infinite where more points are near than there are slots."""
        for group in self.groups:
            error = where(group.slots.count > float(len(group.rows)), math.inf, error)
        return error
