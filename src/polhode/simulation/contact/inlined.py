"""A decorator for parts of one loop that are written apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def inlined(function: Callable[..., Any]) -> Any:
    """Make ``function`` a part of every loop that calls it.

    A function that numba compiles by itself is optimised once alone and once more in each
    loop above it; this is for large parts with one caller, to be compiled with it only.
    """
    return numba.njit(error_model="numpy", inline="always")(function)
