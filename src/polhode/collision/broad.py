"""Which shapes may touch: boxes along the world's axes, sorted and swept along x."""

from __future__ import annotations

import math

import numpy as np

from ..compiler.jit import Bytes2, Floats, Floats2, Ints, ShortInts2, jit
from . import shape_layout as at
from .placed import PlacedShapes
from .vectors import pose, triple


@jit
def shape_bounds(shapes: PlacedShapes, g: int, bounds: Floats):
    """Low and high corner, in the world, of a box around shape ``g``: six numbers."""
    data, o, R = shapes.data, shapes.offsets[g], shapes.rotations[g]
    turn, p = pose(shapes.rotations, shapes.positions, g)
    kind = int(data[o])
    centre = turn @ triple(data, o + at.CENTRE) + p
    for i in range(3):
        if kind == at.PLANE:
            # All below it; level ground ends at its surface.
            reach = math.inf
            bounds[i] = -math.inf
            bounds[3 + i] = p[i] if R[i, 2] >= 1.0 else math.inf
            if R[i, 2] <= -1.0:
                bounds[i] = p[i]
            continue
        if kind == at.SPHERE:
            reach = data[o + 1]
        elif kind == at.CAPSULE:
            reach = abs(R[i, 2]) * data[o + 2] + data[o + 1]
        elif kind == at.CYLINDER:
            across = math.sqrt(max(1.0 - R[i, 2] * R[i, 2], 0.0))
            reach = abs(R[i, 2]) * data[o + 2] + across * data[o + 1]
        elif kind == at.TORUS:
            across = math.sqrt(max(1.0 - R[i, 2] * R[i, 2], 0.0))
            reach = across * data[o + 1] + data[o + 2]
        else:
            reach = 0.0
            for k in range(3):
                reach += abs(R[i, k]) * data[o + at.HALF + k]
        bounds[i] = centre[i] - reach
        bounds[3 + i] = centre[i] + reach
    if kind == at.HEIGHTMAP:
        for i in range(3):
            # Solid far down: what has sunk below the surface is still found.
            depth = data[o + 1] + data[o + 2]
            if R[i, 2] > 0.0:
                bounds[i] -= R[i, 2] * depth
            else:
                bounds[3 + i] -= R[i, 2] * depth


@jit
def overlapping_pairs(
    shapes: PlacedShapes, allowed: Bytes2, margin: float, order: Ints, pairs: ShortInts2
):
    """Pairs of shapes whose boxes, grown by half the margin each, overlap.

    Parameters
    ----------
    allowed : ndarray of uint8, shape (G, G)
        One where two shapes may touch; symmetric.
    order : ndarray of int64, shape (G,)
        The shapes in the order of the last call, ``arange(G)`` at first: changed in place,
        and nearly sorted already when little has moved.
    pairs : ndarray of int32, shape (P, 2)
        Filled with rows i < j, sorted.

    Returns
    -------
    n : int
        How many pairs; or minus the number that ``pairs`` must have room for.
    """
    count = len(order)
    bounds = np.empty((count, 6))
    for g in range(count):
        shape_bounds(shapes, g, bounds[g])
        for i in range(3):
            bounds[g, i] -= 0.5 * margin
            bounds[g, 3 + i] += 0.5 * margin
    for i in range(1, count):
        g, j = order[i], i
        while j > 0 and bounds[order[j - 1], 0] > bounds[g, 0]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = g
    n = 0
    for i in range(count):
        a = order[i]
        for j in range(i + 1, count):
            b = order[j]
            if bounds[b, 0] > bounds[a, 3]:
                break
            if allowed[a, b] == 0 or _misses(bounds, a, b):
                continue
            if n < len(pairs):
                pairs[n, 0], pairs[n, 1] = min(a, b), max(a, b)
            n += 1
    if n > len(pairs):
        return -n
    _sort(pairs, n)
    return n


@jit
def _misses(bounds: Floats2, a: int, b: int):
    return (
        bounds[a, 1] > bounds[b, 4]
        or bounds[b, 1] > bounds[a, 4]
        or bounds[a, 2] > bounds[b, 5]
        or bounds[b, 2] > bounds[a, 5]
    )


@jit
def _sort(pairs: ShortInts2, n: int):
    """Rows in lexicographic order: shell sort, as they are few and nearly sorted."""
    gap = n // 2
    while gap > 0:
        for i in range(gap, n):
            a, b = pairs[i, 0], pairs[i, 1]
            j = i
            while j >= gap and (
                pairs[j - gap, 0] > a or (pairs[j - gap, 0] == a and pairs[j - gap, 1] > b)
            ):
                pairs[j, 0], pairs[j, 1] = pairs[j - gap, 0], pairs[j - gap, 1]
                j -= gap
            pairs[j, 0], pairs[j, 1] = a, b
        gap //= 2
