"""How much the ground of a height map may rise between two places, known when a step is made."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ....scalar import Scalar
from .ground import HeightGrid


def is_nearly_plane(ground: HeightGrid, length: Scalar, rise: Scalar) -> bool:
    """Whether ground nowhere rises more than that above a chord of a length over level.

    False if that is not known: heights or lengths are inputs of the program.
    """
    numbers = [*ground.heights, *ground.cell, length, rise]
    if not all(isinstance(x, (float, int)) for x in numbers):
        return False
    return _rise(ground, float(length)) <= float(rise)


def _rise(ground: HeightGrid, length: float) -> float:
    """A bound [m] of bends at lines of the grid, and of the twist of cells."""
    h, n = [float(height) for height in ground.heights], ground.columns
    rows = [h[k : k + n] for k in range(0, len(h), n)]
    dx, dy = (float(width) for width in ground.cell)
    along_x = max(map(_bend, zip(*rows, strict=True)))
    along_y = max(map(_bend, rows))
    bends = (1.0 + length / dx) * along_x / dx + (1.0 + length / dy) * along_y / dy
    twist = max(
        abs(a - b - c + d)
        for one, other in pairwise(rows)
        for (a, b), (c, d) in zip(pairwise(one), pairwise(other), strict=True)
    )
    return 0.25 * length * bends + 0.125 * length * length * twist / (dx * dy)


def _bend(heights: Sequence[float]) -> float:
    """The greatest drop of the slope from one cell to the next, times a cell's width."""
    steps = [b - a for a, b in pairwise(heights)]
    return max((a - b for a, b in pairwise(steps)), default=0.0)
