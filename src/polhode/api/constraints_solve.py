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
    return solved("direct", *_checked(H, f, G, b))


def solve_null_space(H: Array, f: Array, G: Array, b: Array) -> tuple[Array, Array]:
    """By an orthogonal basis of the motions that the rows leave free."""
    return solved("null_space", *_checked(H, f, G, b))


def solved(method: str, H: Array, f: Array, G: Array, b: Array) -> tuple[Array, Array]:
    """The same for arrays that are known to fit: compiled code does not look at lengths."""
    dense = _compiled()
    function = dense.direct_states if method == "direct" else dense.null_space_states
    n, m = H.shape[-1], G.shape[-2]
    batches = H.shape[:-2], f.shape[:-1], G.shape[:-2], b.shape[:-1]
    batch = np.broadcast_shapes(*batches) if any(batches) else ()
    x, multipliers = np.empty((*batch, n)), np.empty((*batch, m))
    function(
        states(H, batch, (n, n)), states(f, batch, (n,)), states(G, batch, (m, n)),
        states(b, batch, (m,)), states(x, batch, (n,)), states(multipliers, batch, (m,)),
    )  # fmt: skip
    return x, multipliers


def _checked(H: Array, f: Array, G: Array, b: Array) -> list[Array]:
    """Arrays of float64, or a ShapeError where last axes do not fit each other."""
    arrays = [as_array(name, x) for name, x in (("H", H), ("f", f), ("G", G), ("b", b))]
    n = arrays[0].shape[-1] if arrays[0].ndim else 0
    m = arrays[2].shape[-2] if arrays[2].ndim > 1 else 0
    cores = {"H": (n, n), "f": (n,), "G": (m, n), "b": (m,)}
    for (name, core), array in zip(cores.items(), arrays, strict=True):
        if array.shape[max(array.ndim - len(core), 0) :] != core:
            raise ShapeError(f"expected {core} on the last axes of {name}, got shape {array.shape}")
    return arrays


def states(array: Array, batch: tuple[int, ...], core: tuple[int, ...]) -> Array:
    """An array over one axis of states, C-contiguous."""
    if not batch and array.shape == core and array.flags.c_contiguous and array.dtype == float:
        return array[None]
    if array.shape != batch + core:
        array = np.broadcast_to(array, batch + core)
    array = np.ascontiguousarray(array, dtype=float)
    return array.reshape(prod(batch), *core) if batch else array[None]


@cache
def _compiled() -> Any:
    """The compiled functions of one state after the other; importing polhode does not load them."""
    from . import constraints_dense

    return constraints_dense
