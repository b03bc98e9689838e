"""Blocks of a few columns between rows in memory and one register per column.

Rows are read and written a few numbers at a time. The rest uses instructions that processors
execute fast: exchanging quarters of registers, and interleaving within them.
"""

from __future__ import annotations

from collections.abc import Sequence

from .emitter import IR
from .machine import Format


def block_columns(form: Format) -> int:
    """Columns of a block; a divisor of the lanes."""
    return min(form.lanes, 4)


def load_columns(rows: Sequence[IR], form: Format) -> list[IR]:
    """The first columns of as many rows as there are lanes, given where each row begins."""
    n = block_columns(form)
    type = f"<{n} x {form.scalar}>"
    loaded = [row.load(type, form.itemsize) for row in rows]
    if n == 2:
        return _interleaved(_joined(loaded[0::2]), _joined(loaded[1::2]), 2)
    if form.dtype == "f64":
        pairs = [_separated(loaded[k::2]) for k in range(2)]  # of even and of odd rows
        columns = []
        for even, odd in zip(*pairs, strict=True):
            columns += _interleaved(even, odd, 2)
        return columns
    return _turned([_joined(loaded[k::4]) for k in range(4)])


def store_columns(columns: Sequence[IR], rows: Sequence[IR], form: Format) -> None:
    """The inverse of `load_columns`."""
    n = block_columns(form)
    if n == 2:
        pieces = [_pieces(x, 2) for x in _interleaved(columns[0], columns[1], 2)]
    elif form.dtype == "f64":
        left, right = (_interleaved(columns[k], columns[k + 1], 2) for k in (0, 2))
        pieces = [_woven(a, b) for a, b in zip(left, right, strict=True)]
    else:
        pieces = [_pieces(x, 4) for x in _turned(columns)]
    for k, of_these in enumerate(pieces):
        for row, x in zip(rows[k :: len(pieces)], of_these, strict=True):
            row.store(x, form.itemsize)


def _shuffled(a: IR, b: IR, mask: Sequence[int]) -> IR:
    type = f"<{len(mask)} x {a.element}>"
    lanes = ", ".join(f"i32 {m}" for m in mask)
    return a.e(type, f"shufflevector {a}, {b}, <{len(mask)} x i32> <{lanes}>")


def _joined(parts: Sequence[IR]) -> IR:
    """Vectors one after the other; their number is a power of two."""
    while len(parts) > 1:
        parts = [
            _shuffled(a, b, range(2 * a.lanes))
            for a, b in zip(parts[::2], parts[1::2], strict=True)
        ]
    return parts[0]


def _pieces(x: IR, n: int) -> list[IR]:
    return [_shuffled(x, x, range(k, k + n)) for k in range(0, x.lanes, n)]


def _interleaved(a: IR, b: IR, group: int) -> list[IR]:
    """Lower and upper halves of groups of lanes, in turn from ``a`` and ``b``."""
    n, half = a.lanes, group // 2
    masks = []
    for start in (0, half):
        lanes = [g + start + k for g in range(0, n, group) for k in range(half)]
        masks.append([lane + n * of_b for lane in lanes for of_b in (0, 1)])
    return [_shuffled(a, b, mask) for mask in masks]


def _separated(rows: Sequence[IR]) -> list[IR]:
    """Of rows of four: the first two columns of all, and the last two."""
    half = len(rows) // 2
    a, b = _joined(rows[:half]), _joined(rows[half:])
    groups = range(0, 2 * a.lanes, 4)
    return [_shuffled(a, b, [g + k + i for g in groups for i in (0, 1)]) for k in (0, 2)]


def _woven(a: IR, b: IR) -> list[IR]:
    """The inverse of `_separated`."""
    n = a.lanes
    return [_shuffled(a, b, (k, k + 1, n + k, n + k + 1)) for k in range(0, n, 2)]


def _turned(rows: Sequence[IR]) -> list[IR]:
    """Squares of four by four lanes, transposed."""
    a, b, c, d = rows
    low, high = zip(_interleaved(a, c, 4), _interleaved(b, d, 4), strict=True)
    return _interleaved(*low, 4) + _interleaved(*high, 4)
