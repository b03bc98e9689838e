"""The cross product of a few vectors."""

import numpy as np

_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])  # the axes after and before each


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """`numpy.cross` of vectors along the last axis, which takes seven times as long for a few."""
    return a.take(_NEXT, -1) * b.take(_LAST, -1) - a.take(_LAST, -1) * b.take(_NEXT, -1)
