"""What stands for arrays in signatures; their shapes are in the docstrings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray
Numbers: TypeAlias = Sequence[float] | np.ndarray
"""A few numbers in a row."""

if TYPE_CHECKING:
    from numpy.typing import ArrayLike as NumpyArrayLike

    from .compiler.graph import Value

    ArrayLike: TypeAlias = NumpyArrayLike | Sequence[Any] | Mapping[Any, Any] | Value
else:  # NumPy's union takes time to import
    ArrayLike = Any
