"""The greatest of many numbers."""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar, maximum


def greatest(values: Sequence[Scalar]) -> Scalar:
    """The greatest of some numbers, found pair by pair.

    One after the other, each comparison would wait for the one before it.
    """
    left = list(values)
    while len(left) > 1:
        pairs = [maximum(a, b) for a, b in zip(left[::2], left[1::2], strict=False)]
        left = pairs + left[2 * len(pairs) :]
    return left[0]
