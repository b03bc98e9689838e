"""How arrays meet a kernel: common batch axes, few launches, a stride for each array."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

from ..errors import ShapeError
from .dlpack import ArrayView


def leading_axes(name: str, core: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The axes of an array before those of a state.

    Raises
    ------
    ShapeError
        If the last axes are not those of a state.
    """
    n = len(shape) - len(core)
    if n < 0 or shape[n:] != core:
        raise ShapeError(
            f"expected {name} of shape ({', '.join(['...', *map(str, core)])}), got {shape}"
        )
    return shape[:n]


@dataclass
class Operand:
    """An array of a program: its name there, the shape of one state, its memory."""

    name: str
    core: tuple[int, ...]
    view: ArrayView

    @property
    def batch(self) -> tuple[int, ...]:
        """The leading axes."""
        return leading_axes(self.name, self.core, self.view.shape)

    def entry_stride(self) -> int:
        """The way from an entry of a state to the next.

        Raises
        ------
        ValueError
            If it is not the same everywhere.
        """
        n = len(self.core)
        lengths, strides = self.core, self.view.strides[len(self.view.shape) - n :]
        axes = [(k, s) for k, s in zip(lengths, strides, strict=True) if k != 1]
        for (_, outer), (length, inner) in pairwise(axes):
            if outer != length * inner:
                raise ValueError(
                    f"expected the entries of {self.name} evenly spaced in memory, got strides "
                    f"{strides} of shape {lengths}; pass a contiguous array"
                )
        return axes[-1][1] if axes else 1

    def batch_strides(self, batch: tuple[int, ...]) -> tuple[int, ...]:
        """Strides along common batch axes: zero along those that it lacks."""
        own, missing = self.batch, len(batch) - len(self.batch)
        steps = [0 if k == 1 else s for k, s in zip(own, self.view.strides, strict=False)]
        return (0,) * missing + tuple(steps)


def common_batch(operands: Sequence[Operand]) -> tuple[int, ...]:
    """The batch axes that all arrays broadcast to.

    Raises
    ------
    ShapeError
        If there are none.
    """
    try:
        return np.broadcast_shapes(*(x.batch for x in operands))
    except ValueError:
        shapes = ", ".join(f"{x.name} {x.view.shape}" for x in operands)
        raise ShapeError(f"expected leading axes that broadcast, got {shapes}") from None


@dataclass
class Launch:
    """One launch: the number of states, then of each array its address and its two strides."""

    n: int
    arrays: list[tuple[int, int, int]]

    def arguments(self) -> list[int]:
        """The kernel's parameters."""
        return [self.n, *(x for array in self.arrays for x in array)]


def launches(operands: Sequence[Operand], batch: tuple[int, ...]) -> Iterator[Launch]:
    """The launches that cover all states; one, unless several arrays share states crosswise."""
    entries = [x.entry_stride() for x in operands]
    axes = _merged(batch, [x.batch_strides(batch) for x in operands])
    if math.prod(batch) == 0:
        return
    inner = max(range(len(axes)), key=lambda k: axes[k][0])
    n, steps = axes.pop(inner)
    for index in product(*(range(length) for length, _ in axes)):
        arrays = []
        for k, x in enumerate(operands):
            offset = sum(i * strides[k] for i, (_, strides) in zip(index, axes, strict=True))
            place = x.view.address + x.view.dtype.itemsize * offset
            arrays.append((place, steps[k], entries[k]))
        yield Launch(n, arrays)


def _merged(
    batch: Sequence[int], strides: Sequence[Sequence[int]]
) -> list[tuple[int, tuple[int, ...]]]:
    """Axes as lengths and strides, those that continue one another as one; at least one."""
    axes: list[tuple[int, tuple[int, ...]]] = []
    for k in reversed(range(len(batch))):
        length, steps = batch[k], tuple(s[k] for s in strides)
        if length == 1:
            continue
        if axes and steps == tuple(axes[-1][0] * s for s in axes[-1][1]):
            axes[-1] = (length * axes[-1][0], axes[-1][1])
        else:
            axes.append((length, steps))
    return axes or [(1, (0,) * len(strides))]
