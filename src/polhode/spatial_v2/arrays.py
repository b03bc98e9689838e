"""Arguments as float arrays of the size a function wants."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..arrays import as_array
from ..errors import ModelError, ShapeError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike as NumpyArrayLike

    ArrayLike: TypeAlias = NumpyArrayLike | Sequence[Any]
else:
    ArrayLike = Any


def vector(values: ArrayLike, length: int, name: str, where: str = "") -> np.ndarray:
    """A vector of this length, out of a row, a column, a flat list, or a number.

    Raises
    ------
    ShapeError
        For any other size.
    """
    array = as_array(name, values, where)
    if array.size != length or sum(n != 1 for n in array.shape) > 1:
        raise ShapeError(f"expected {length} numbers in {name}, got shape {array.shape}{where}")
    return array.reshape(length)


def scalar(value: Any, name: str) -> float:
    """A number, also out of an array of one.

    Raises
    ------
    ShapeError
        For anything else.
    """
    return float(vector(value, 1, name)[0])


def whole(value: Any, name: str, least: int = 1) -> int:
    """A whole number of at least ``least``, which MATLAB keeps as a float.

    Raises
    ------
    ModelError
        For any other number.
    """
    x = scalar(value, name)
    if not (math.isfinite(x) and x == math.floor(x) and x >= least):
        raise ModelError(f"expected a whole {name} of at least {least}, got {x:g}")
    return int(x)


def matrix(values: ArrayLike, shape: tuple[int, int], name: str) -> np.ndarray:
    """A matrix of this shape.

    Raises
    ------
    ShapeError
        For any other shape.
    """
    array = as_array(name, values)
    if array.shape != shape:
        raise ShapeError(f"expected a {shape[0]}x{shape[1]} matrix {name}, got shape {array.shape}")
    return array


def is_planar(X: np.ndarray, name: str) -> bool:
    """Whether a 6x6 or 3x3 matrix, or a 6- or 3-vector, is planar: the smaller of the two.

    Raises
    ------
    ShapeError
        For any other size.
    """
    if X.shape[:1] not in ((3,), (6,)) or (X.ndim == 2 and X.shape[0] != X.shape[1]):
        sizes = "6x6 or 3x3" if X.ndim == 2 else "6 or 3 entries"
        raise ShapeError(f"expected {name} of {sizes}, got shape {X.shape}")
    return X.shape[0] == 3
