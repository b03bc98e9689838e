"""Programs as functions of other libraries, which are imported only when asked for.

`to_torch`, `to_jax` and `to_casadi` take a program of `polhode.compile`.  They return a function
that the library differentiates and composes like one of its own.  There is a file for each library,
and `derivatives` for what they share.  May import `compiler`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .casadi import to_casadi
    from .jax import to_jax
    from .torch import to_torch

_HOME = {"to_torch": "torch", "to_jax": "jax", "to_casadi": "casadi"}

__all__ = ["to_casadi", "to_jax", "to_torch"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'polhode.adapters' has no attribute '{name}'")
    library = _HOME[name]
    try:
        home = import_module(f".{library}", __name__)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != library:
            raise
        raise ImportError(
            f"polhode.adapters.{name} needs {library}, which is not installed: "
            f"python -m pip install {library}",
            name=library,
        ) from None
    return getattr(home, name)
