"""Which shapes may touch: boxes along the world's axes, sorted and swept along the widest."""

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
    shapes: PlacedShapes, allowed: Bytes2, margins: Floats, order: Ints, pairs: ShortInts2
):
    """Pairs of shapes whose boxes, each grown by its margin, overlap.

    Parameters
    ----------
    allowed : ndarray of uint8, shape (G, G)
        One where two shapes may touch; symmetric.
    margins : ndarray, shape (G,)
        [m].
    order : ndarray of int64, shape (G,)
        The shapes in the order of the last call, ``arange(G)`` at first: changed in place,
        and nearly sorted already when little has moved.  The pairs do not depend on it.
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
            bounds[g, i] -= margins[g]
            bounds[g, 3 + i] += margins[g]
    axis = widest(bounds)
    for i in range(1, count):
        g, j = order[i], i
        while j > 0 and bounds[order[j - 1], axis] > bounds[g, axis]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = g
    boxes = np.empty((count, 6))  # in order, as they are read
    for i in range(count):
        boxes[i] = bounds[order[i]]
    n = 0
    for i in range(count):
        a, end = order[i], boxes[i, 3 + axis]
        for j in range(i + 1, count):
            if boxes[j, axis] > end:
                break
            if _misses(boxes, i, j):
                continue
            b = order[j]
            if allowed[a, b] == 0:
                continue
            if n < len(pairs):
                pairs[n, 0], pairs[n, 1] = min(a, b), max(a, b)
            n += 1
    if n > len(pairs):
        return -n
    by_second = np.empty((n, 2), np.int32)
    _arrange(pairs, 1, count, by_second)
    _arrange(by_second, 0, count, pairs[:n])
    return n


@jit
def widest(bounds: Floats2):
    """The axis along which the middles of bounded boxes scatter most."""
    found, most = 0, 0.0
    for i in range(3):
        count, total, squares = 0.0, 0.0, 0.0
        for g in range(len(bounds)):
            middle = 0.5 * (bounds[g, i] + bounds[g, 3 + i])
            if abs(middle) < math.inf:
                count += 1.0
                total += middle
                squares += middle * middle
        scatter = squares - total * total / max(count, 1.0)
        if scatter > most:
            found, most = i, scatter
    return found


@jit
def _misses(boxes: Floats2, a: int, b: int):
    some = False
    for i in range(3):
        some = some or boxes[a, i] > boxes[b, 3 + i] or boxes[b, i] > boxes[a, 3 + i]
    return some


@jit
def _arrange(pairs: ShortInts2, column: int, most: int, out: ShortInts2):
    """Fill ``out`` with its number of pairs, by a column of numbers below ``most``.

    Pairs with the same number stay in order.
    """
    place = np.zeros(most + 1, np.int64)
    for k in range(len(out)):
        place[pairs[k, column] + 1] += 1
    for g in range(most):
        place[g + 1] += place[g]
    for k in range(len(out)):
        g = pairs[k, column]
        out[place[g], 0], out[place[g], 1] = pairs[k, 0], pairs[k, 1]
        place[g] += 1
