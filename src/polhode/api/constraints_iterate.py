"""Repeat a compiled step on a batch until each of its members has converged."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Iterated(NamedTuple):
    """Where each member came to rest: position, error norm, last step's norm, number of steps."""

    q: np.ndarray
    error: np.ndarray
    step: np.ndarray
    iterations: np.ndarray


def iterate(
    step: Callable[..., tuple[np.ndarray, np.ndarray, np.ndarray]],
    q: np.ndarray,
    others: tuple[np.ndarray, ...],
    *,
    tolerance: float,
    step_tolerance: float,
    max_iterations: int,
    settled: float = np.inf,
    keeps_best: bool = False,
) -> Iterated:
    """Call ``step(q, *others) -> (q after, error before, length of step)`` until it is enough.

    A member stops when its error is below ``tolerance`` or a step of it shorter than
    ``step_tolerance``.  Those that have stopped are left out of the following calls.  One whose
    last step is longer than ``settled`` goes on although its error is small.  With ``keeps_best`` a
    member ends at the position of its smallest error, else at the last.
    """
    batch = np.broadcast_shapes(q.shape[:-1], *(x.shape[:-1] for x in others))
    n = int(np.prod(batch))
    flat = [np.broadcast_to(x, (*batch, x.shape[-1])).reshape(n, x.shape[-1]) for x in (q, *others)]
    q, others = np.array(flat[0], dtype=float), tuple(flat[1:])
    error, size = np.full(n, np.nan), np.full(n, np.inf)
    iterations = np.zeros(n, dtype=int)
    active = np.arange(n)
    best, least = q.copy(), np.full(n, np.inf)
    for _ in range(max_iterations):
        whole = len(active) == n
        at = q if whole else q[active]
        given = others if whole else tuple(x[active] for x in others)
        after, before, length = step(at, *given)
        error[active] = before
        if keeps_best:
            fell = before < least[active]
            best[active[fell]], least[active[fell]] = at[fell], before[fell]
        is_settled = (iterations[active] == 0) | (size[active] < settled)
        moves = ((before >= tolerance) | ~is_settled) & np.isfinite(length)
        moving = active[moves]
        q[moving], size[moving] = after[moves], length[moves]
        iterations[moving] += 1
        active = active[moves & (length >= step_tolerance)]
        if not len(active):
            break
    moved = np.flatnonzero(iterations)
    if len(moved):
        error[moved] = step(q[moved], *(x[moved] for x in others))[1]
    if keeps_best:
        worse = np.isfinite(least) & ~(error <= least)
        q[worse], error[worse] = best[worse], least[worse]
    shapes = (*batch, q.shape[-1]), batch, batch, batch
    parts = (q, error, size, iterations)
    return Iterated(*(x.reshape(shape) for x, shape in zip(parts, shapes, strict=True)))
