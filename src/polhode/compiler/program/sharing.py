"""Large batches shared among threads.

Where NumPy makes one loop of a batch, a thread pool shares that loop.  Where it makes
several, each thread calls the same ufunc on a slice of one batch axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..codegen.machine import wide_lanes
from . import pool, threads
from .native import Shapes

_WORTH_SLICES = 300e-6  # seconds of work that are worth slices, each a call of its own
_WORTH_POOL = 80e-6  # seconds of one loop that are worth threads which stand by

Batch = tuple[int, ...]


def call_shared(
    ufunc: np.ufunc, arrays: Sequence[Any], out: Any, shapes: Shapes, seconds: float
) -> Any:
    """The result of ``ufunc``, computed by several threads; None if that is not worth it.

    Parameters
    ----------
    ufunc : numpy.ufunc
    arrays : sequence of array_like
    out : None, ndarray or tuple
        As a ufunc takes it.
    shapes : Shapes
        Core shapes.
    seconds : float
        Estimated work for one state.

    Notes
    -----
    None also stands for calls that NumPy computes in one loop, which a thread pool shares without
    our help.  It stands for everything unusual, too, which the ufunc computes or refuses.  States
    do not depend on each other, so the results do not depend on the slices.
    """
    most = 1  # states, if no two arrays shared a batch axis
    for x, core in zip(arrays, shapes.inputs, strict=True):
        most *= max(1, np.size(x) // max(1, math.prod(core)))
    n_threads = threads.get_num_threads()
    if most * seconds >= _WORTH_POOL:
        pool.rouse(n_threads)
    if most * seconds < _WORTH_SLICES:
        return None
    arrays = tuple(np.asanyarray(x) for x in arrays)
    batches = [x.shape[: x.ndim - len(c)] for x, c in zip(arrays, shapes.inputs, strict=True)]
    try:
        batch = np.broadcast_shapes(*batches)
    except ValueError:
        return None
    work = math.prod(batch) * seconds
    if work < _WORTH_SLICES or _is_one_loop(arrays, batches, batch, shapes):
        return None
    results = _results(arrays, batch, out, shapes)
    if results is None:
        return None
    axis = max(range(len(batch)), key=batch.__getitem__)
    n_tasks = min(n_threads, int(2 * work / _WORTH_SLICES))
    slices = _slices(batch[axis], n_tasks)
    from_end = len(batch) - axis

    def task(piece: slice) -> Callable[[], object]:
        inputs = [_part(x, b, from_end, piece) for x, b in zip(arrays, batches, strict=True)]
        outputs = tuple(_part(x, batch, from_end, piece) for x in results)
        return lambda: ufunc(*inputs, out=outputs)

    threads.run_together([task(piece) for piece in slices])
    return results[0] if len(results) == 1 else tuple(results)


def states_worth_sharing(seconds: float) -> int:
    """States of one loop from which the pool shares it."""
    return max(64, int(_WORTH_POOL / seconds))


def _is_one_loop(
    arrays: tuple[np.ndarray, ...], batches: Sequence[Batch], batch: Batch, shapes: Shapes
) -> bool:
    """Whether NumPy makes one loop of all batch axes, which the pool then shares."""
    if sum(n > 1 for n in batch) <= 1:
        return True
    return all(b == batch or math.prod(b) <= 1 for b in batches) and all(
        x.flags.c_contiguous for x, b in zip(arrays, batches, strict=True) if b == batch
    )


def _results(
    arrays: tuple[np.ndarray, ...], batch: Batch, out: Any, shapes: Shapes
) -> list[np.ndarray] | None:
    """The arrays to write; None if an input or ``out`` is one that only the ufunc may judge."""
    for x, core in zip(arrays, shapes.inputs, strict=True):
        if x.ndim < len(core) or x.dtype.kind not in "fiub":
            return None
    given = out if isinstance(out, tuple) else (out,) * len(shapes.outputs)
    if len(given) != len(shapes.outputs):
        return None
    dtype = np.float32 if all(x.dtype == np.float32 for x in arrays) else np.float64
    results = []
    for array, core in zip(given, shapes.outputs, strict=True):
        if array is None:
            results.append(np.empty(batch + core, dtype))
            continue
        if not isinstance(array, np.ndarray) or array.shape != batch + core:
            return None
        if any(np.may_share_memory(array, x) for x in arrays):
            return None
        results.append(array)
    return results


def _slices(length: int, n: int) -> list[slice]:
    """At most ``n`` slices of an axis, each of whole vectors but for the last."""
    block = wide_lanes("f32")
    size = -(-length // (n * block)) * block
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


def _part(array: np.ndarray, batch: Batch, from_end: int, piece: slice) -> np.ndarray:
    """A slice of one batch axis, counted from the last; the whole array if it broadcasts there."""
    axis = len(batch) - from_end
    if axis < 0 or batch[axis] == 1:
        return array
    return array[(slice(None),) * axis + (piece,)]
