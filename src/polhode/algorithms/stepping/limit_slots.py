"""The few ends of ranges that are near, in slots: other ends are skipped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...scalar import Scalar, when, where
from .blocks import OneSidedRow

TOGETHER = 3
"""Slots that are skipped together.  The first are not: some end is near in most registers."""


class LimitSlots(NamedTuple):
    """Near ends of ranges in order.

    Attributes
    ----------
    rows : list of OneSidedRow
        All ends.
    chosen : list of scalars
        The number of the end in each slot, -1 if there is none.
    slots : list of OneSidedRow
    x : list of scalars
        The impulse of each slot in the last step.
    count : scalar
        How many ends are near, which may be more than there are slots.
    """

    rows: Sequence[OneSidedRow]
    chosen: list[Scalar]
    slots: list[OneSidedRow]
    x: list[Scalar]
    count: Scalar

    def kept(self, x: Sequence[Scalar]) -> list[Scalar]:
        """Impulses of all ends, out of those of the slots; zero of ends that are not near."""
        found = []
        for n, row in enumerate(self.rows):

            def of_slot(impulse, n=n):
                for of, value in zip(self.chosen, x, strict=True):
                    impulse = where(of == float(n), value, impulse)
                return impulse

            found.append(when(row.is_near, of_slot, 0.0))
        return found


def limit_slots(rows: Sequence[OneSidedRow], x: Sequence[Scalar], most: int) -> LimitSlots:
    """The near ones of some rows, whose last impulses are ``x``."""
    most = min(most, len(rows))
    at = sorted({k for row in rows for k in row.y[0]})
    total: Scalar = 0.0
    chosen: list[Scalar] = [-1.0] * most
    nothing = [0.0] * len(at) + [0.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    table = [list(nothing) for _ in range(most)]
    for n, (row, impulse) in enumerate(zip(rows, x, strict=True)):
        y = row.y[0]
        record = [y.get(k, 0.0) for k in at] + [
            row.free[0], row.ease[0], row.delassus[0], row.push, row.restitution, impulse,
        ]  # fmt: skip

        def take(total, chosen, table, n=n, record=record):
            here = [total == float(s) for s in range(most)]
            chosen = [where(h, float(n), c) for h, c in zip(here, chosen, strict=True)]
            table = [[where(h, new, old) for new, old in zip(record, line, strict=True)]
                     for h, line in zip(here, table, strict=True)]  # fmt: skip
            return total + 1.0, chosen, table

        total, chosen, table = when(row.is_near, take, total, chosen, table)
    slots = []
    for s, line in enumerate(table):
        if s % TOGETHER == 0:
            is_near = s == 0 or total > float(s)
        y = dict(zip(at, line[: len(at)], strict=True))
        free, ease, delassus, push, restitution, _ = line[len(at) :]
        slots.append(OneSidedRow(is_near, (y,), (free,), (ease,), (delassus,), push, restitution))
    return LimitSlots(rows, chosen, slots, [line[-1] for line in table], total)
