"""Sums of what several axes of joints contribute to the same coordinate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...scalar import Scalar
from .sparsity import Matrix


def scatter_columns(part: Sequence[Sequence[Scalar]], origin: Sequence[int], nv: int) -> Matrix:
    """Columns that stand for the same coordinate, added up in each row."""
    total: Matrix = [[0.0] * nv for _ in part]
    for into, row in zip(total, part, strict=True):
        for k, x in zip(origin, row, strict=True):
            into[k] = into[k] + x
    return total


def scatter_matrix(part: Sequence[Sequence[Scalar]], origin: Sequence[int], nv: int) -> Matrix:
    """Rows and columns that stand for the same coordinate, added up."""
    rows: Matrix = [[0.0] * nv for _ in range(nv)]
    for i, row in zip(origin, scatter_columns(part, origin, nv), strict=True):
        rows[i] = [x + y for x, y in zip(rows[i], row, strict=True)]
    return rows


def scatter_row(row: Mapping[int, Scalar], origin: Sequence[int]) -> dict[int, Scalar]:
    """Entries of a row that stand for the same coordinate, added up."""
    total: dict[int, Scalar] = {}
    for k, x in row.items():
        add_columns(total, [origin[k]], [x])
    return total


def add_columns(
    columns: dict[int, Any], index: Sequence[int], more: Sequence[Any]
) -> dict[int, Any]:
    """Add columns to those of the same indices, in place."""
    for k, column in zip(index, more, strict=True):
        columns[k] = columns[k] + column if k in columns else column
    return columns
