"""Rows of matrices without the entries that are zero by structure, and products of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...scalar import Scalar

Row = dict[int, Scalar]
"""The entries of a row that are not zero by structure, by their column."""


def dense(row: Mapping[int, Scalar], n: int) -> list[Scalar]:
    """A row with all its entries."""
    return [row.get(k, 0.0) for k in range(n)]


def row_times(row: Mapping[int, Scalar], vector: Sequence[Scalar]) -> Scalar:
    """A row times a vector."""
    total: Scalar = 0.0
    for k, x in row.items():
        total = total + x * vector[k]
    return total


def row_product(a: Mapping[int, Scalar], b: Mapping[int, Scalar]) -> Scalar:
    """The dot product of two rows."""
    total: Scalar = 0.0
    for k, x in a.items():
        if k in b:
            total = total + x * b[k]
    return total


def added(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    """The sum of two vectors."""
    return [x + y for x, y in zip(a, b, strict=True)]
