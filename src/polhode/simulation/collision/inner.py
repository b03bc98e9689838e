"""The decorator of compiled functions that only other compiled functions call.

They have no door from Python and no file in the cache: the functions that call them
hold their code.  That halves the time of the first compilation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

_Function = TypeVar("_Function", bound=Callable[..., Any])


def inner(function: _Function) -> _Function:
    """Compile ``function`` into those that call it."""
    options: dict[str, Any] = dict(no_cpython_wrapper=True, no_cfunc_wrapper=True)
    return numba.njit(error_model="numpy", **options)(function)  # type: ignore[return-value]
