"""Dense solvers of ``H x = f + G^T l, G x = b`` for any rank of ``G``, one state or many.

They also serve rows that no program was made of.  Redundant rows share their force with the
least sum of squares, and contradictory rows are met in the least-squares sense.
"""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

import numpy as np

from ..arrays import Array, as_array
from ..errors import ShapeError


def solve_direct(H: Array, f: Array, G: Array, b: Array) -> tuple[Array, Array]:
    """By the whole matrix ``[[H, Y^T], [Y, 0]]``, with an orthonormal basis ``Y`` of the rows."""
    return _solve(compiled().direct_states, H, f, G, b)


def solve_null_space(H: Array, f: Array, G: Array, b: Array) -> tuple[Array, Array]:
    """By an orthogonal basis of the motions that the rows leave free."""
    return _solve(compiled().null_space_states, H, f, G, b)


def _solve(method: Any, H: Array, f: Array, G: Array, b: Array) -> tuple[Array, Array]:
    H, f, G, b = (as_array(name, x) for name, x in (("H", H), ("f", f), ("G", G), ("b", b)))
    n, m = H.shape[-1] if H.ndim else 0, G.shape[-2] if G.ndim > 1 else 0
    _check_cores({"H": (H, (n, n)), "f": (f, (n,)), "G": (G, (m, n)), "b": (b, (m,))})
    batches = H.shape[:-2], f.shape[:-1], G.shape[:-2], b.shape[:-1]
    batch = np.broadcast_shapes(*batches) if any(batches) else ()
    x, multipliers = np.empty((*batch, n)), np.empty((*batch, m))
    cores = (n, n), (n,), (m, n), (m,), (n,), (m,)
    arrays = (H, f, G, b, x, multipliers)
    method(*(states(a, batch, core) for a, core in zip(arrays, cores, strict=True)))
    return x, multipliers


def _check_cores(arrays: dict[str, tuple[Array, tuple[int, ...]]]) -> None:
    """A ShapeError unless last axes are as they must be: compiled code does not look."""
    for name, (array, core) in arrays.items():
        if array.shape[max(array.ndim - len(core), 0) :] != core:
            raise ShapeError(f"expected {core} on the last axes of {name}, got shape {array.shape}")


def states(array: Array, batch: tuple[int, ...], core: tuple[int, ...]) -> Array:
    """An array over one axis of states, C-contiguous."""
    if array.shape != batch + core:
        array = np.broadcast_to(array, batch + core)
    array = np.ascontiguousarray(array, dtype=float)
    return array.reshape(prod(batch), *core) if batch else array[None]


@cache
def compiled() -> Any:
    """The compiled functions of one state after the other; importing polhode does not load them."""
    from . import constraints_dense

    return constraints_dense
