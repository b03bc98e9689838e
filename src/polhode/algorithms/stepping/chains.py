"""Blocks of rows in two chains: in each, a block is near only where those before it are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from ...scalar import Scalar, guard, when
from .blocks import RowBlock


class ChainPart(NamedTuple):
    """Blocks that are near together, how many rows they have, and the number of their chain."""

    is_near: Scalar
    blocks: list[int]
    n_rows: int
    chain: int


@dataclass(frozen=True)
class Chains:
    """The parts of both chains in order."""

    parts: Sequence[ChainPart]

    @classmethod
    def of(cls, blocks: Sequence[RowBlock], chains: Sequence[Sequence[int]]) -> Chains:
        """Those of some blocks, whose numbers both chains have; equal conditions together."""
        found: list[ChainPart] = []
        for chain, numbers in enumerate(chains):
            for n in numbers:
                near, rows, last = blocks[n].is_near, len(blocks[n].y), found[-1:]
                if last and last[0].chain == chain and last[0].is_near is near:
                    found[-1] = last[0]._replace(
                        blocks=[*last[0].blocks, n], n_rows=last[0].n_rows + rows
                    )
                else:
                    found.append(ChainPart(near, [n], rows, chain))
        return cls(found)

    def before(self, i: int) -> list[int]:
        """The parts before part ``i`` in its chain."""
        return [j for j in range(i) if self.parts[j].chain == self.parts[i].chain]

    def others(self, i: int) -> list[int]:
        """The parts of the chain before that of part ``i``."""
        return [j for j in range(i) if self.parts[j].chain != self.parts[i].chain]

    def of_others(
        self, i: int, f: Callable[[int, list[Scalar], list[Scalar]], Any],
        own: list[Scalar], others: Sequence[list[Scalar]],
    ) -> tuple[list[Scalar], list[list[Scalar]]]:  # fmt: skip
        """Numbers of part ``i`` and of its `others` after ``f(j, own, other)`` where both are near.

        Each of these changes is small, so they are skipped together where part ``i`` is not near.
        """

        def all_of(own, others):
            after = []
            for j, other in zip(self.others(i), others, strict=True):
                own, new = when(self.parts[j].is_near, partial(f, j), own, other)
                after.append(new)
            return own, after

        return when(self.parts[i].is_near, all_of, own, list(others)) if others else (own, [])

    def both_near(self, i: int, j: int) -> Scalar:
        """Whether both parts are near; skipped where ``i`` is near in no state."""
        a, b = self.parts[i].is_near, self.parts[j].is_near
        if a is True or b is True:
            return b if a is True else a
        return guard(a) & b
