"""Which shapes may touch: boxes along the world's axes, sorted and swept along the widest.

Along both other axes space is cut into cells.  Each is swept alone, so that boxes are compared only
with those beside them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiler.jit import Bytes2, Floats, Floats2, Ints, Ints2, ShortInts2, jit
from . import shape_layout as at
from .placed import PlacedShapes
from .vectors import pose, triple

_CELL = 1.5  # widths of the mean box in a cell
_FEW = 8  # boxes to a cell: it is not worth its time for fewer
_MOST_PLACES = 8  # cells of a box, in the mean


class BoxCells(NamedTuple):
    """Which boxes lie in which cells.

    Attributes
    ----------
    first, members : shape (C + 1,), (P,)
        Where the boxes of each cell begin in `members`, and their numbers.
    u, v : shape (G, 2)
        The first and the last cell of each box along both axes that are cut.
    along_v : int
        Cells along the second of these.
    """

    first: np.ndarray
    members: np.ndarray
    u: np.ndarray
    v: np.ndarray
    along_v: int


class Groups(NamedTuple):
    """Collision groups: shapes of one differ in nothing as to which others they may touch.

    Attributes
    ----------
    of : shape (G,)
        The group of each shape.
    allowed : shape (K, K)
        One where two shapes of these groups may touch; symmetric.
    """

    of: np.ndarray
    allowed: np.ndarray


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
def bounding_spheres(shapes: PlacedShapes):
    """Centres of spheres around all shapes, in the world, and their radii: rows of four numbers."""
    data, out = shapes.data, np.empty((len(shapes.offsets), 4))
    for g in range(len(out)):
        o = shapes.offsets[g]
        turn, p = pose(shapes.rotations, shapes.positions, g)
        centre = turn @ triple(data, o + at.CENTRE) + p
        out[g, 0], out[g, 1], out[g, 2] = centre.x, centre.y, centre.z
        out[g, 3] = data[o + at.REACH]
    return out


@jit
def are_apart(spheres: Floats2, a: int, b: int, margin: float):
    """Whether two of `bounding_spheres` are farther apart than ``margin``."""
    x, y = spheres[a, 0] - spheres[b, 0], spheres[a, 1] - spheres[b, 1]
    z, reach = spheres[a, 2] - spheres[b, 2], spheres[a, 3] + spheres[b, 3] + margin
    return x * x + y * y + z * z > reach * reach


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
    own = Groups(np.arange(len(order)), allowed)
    return overlapping_in_groups(shapes, own, margins, order, pairs)


@jit
def overlapping_in_groups(
    shapes: PlacedShapes, groups: Groups, margins: Floats, order: Ints, pairs: ShortInts2
):
    """`overlapping_pairs` of shapes in groups: the table of many shapes does not fit a cache."""
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
    cells = _cells_of(bounds, axis, order)
    n = 0
    for c in range(len(cells.first) - 1):
        n = _sweep(cells, c, axis, groups, bounds, pairs, n)
    if n > len(pairs):
        return -n
    by_second = np.empty((n, 2), np.int32)
    _arrange(pairs, 1, count, by_second)
    _arrange(by_second, 0, count, pairs[:n])
    return n


@jit
def _cells_of(bounds: Floats2, axis: int, order: Ints):
    """The cells of all boxes, and the boxes of each in ``order``; the axes but ``axis`` are cut."""
    count = len(order)
    u, v = np.empty((count, 2), np.int64), np.empty((count, 2), np.int64)
    along_u = _put_spans(bounds, (axis + 1) % 3, u)
    along_v = _put_spans(bounds, (axis + 2) % 3, v)
    total = 0
    for g in range(count):
        total += (u[g, 1] - u[g, 0] + 1) * (v[g, 1] - v[g, 0] + 1)
    if total > _MOST_PLACES * count:
        u[:], v[:], total, along_u, along_v = 0, 0, count, 1, 1
    first, members = np.zeros(along_u * along_v + 1, np.int64), np.empty(total, np.int64)
    for g in range(count):
        for i in range(u[g, 0], u[g, 1] + 1):
            for j in range(v[g, 0], v[g, 1] + 1):
                first[i * along_v + j + 1] += 1
    for c in range(along_u * along_v):
        first[c + 1] += first[c]
    filled = first.copy()
    for g in order:
        for i in range(u[g, 0], u[g, 1] + 1):
            for j in range(v[g, 0], v[g, 1] + 1):
                c = i * along_v + j
                members[filled[c]] = g
                filled[c] += 1
    return BoxCells(first, members, u, v, along_v)


@jit
def _put_spans(bounds: Floats2, axis: int, spans: Ints2):
    """Put the first and the last cell of each box along an axis in ``spans``; how many there are.

    They are somewhat wider than a box that is not infinite.
    """
    count, low, high, size, finite = len(bounds), math.inf, -math.inf, 0.0, 0.0
    for g in range(count):
        width = bounds[g, 3 + axis] - bounds[g, axis]
        if width < math.inf:
            low, high = min(low, bounds[g, axis]), max(high, bounds[g, 3 + axis])
            size, finite = size + width, finite + 1.0
    wide, cells = _CELL * size / max(finite, 1.0), max(1, int(math.sqrt(count / _FEW)))
    if wide > 0.0 and high - low < cells * wide:
        cells = 1 + int((high - low) / wide)
    per_cell = cells / (high - low) if high - low > 0.0 else 0.0
    for g in range(count):
        for side in range(2):
            x = (bounds[g, axis + 3 * side] - low) * per_cell
            # Of what is infinite or NaN: from the first to the last.
            outside = (cells - 1) * side
            spans[g, side] = min(int(x), cells - 1) if 0.0 <= x < math.inf else outside
    return cells


@jit
def _sweep(
    cells: BoxCells, c: int, axis: int, groups: Groups, bounds: Floats2, pairs: ShortInts2, n: int
):
    """Add the pairs of one cell to the ``n`` found so far; how many there are then.

    Boxes that share several cells are a pair in the first of these alone.
    """
    begin, count = cells.first[c], cells.first[c + 1] - cells.first[c]
    row, column = c // cells.along_v, c % cells.along_v
    boxes = np.empty((count, 6))  # in order, as they are read: both ends along each axis
    begins, hits = np.empty(count, np.int64), np.empty(count, np.int64)
    for i in range(count):
        g = cells.members[begin + i]
        for k in range(3):
            along = (axis + k) % 3
            boxes[i, 2 * k], boxes[i, 2 * k + 1] = bounds[g, along], bounds[g, 3 + along]
        begins[i] = int(cells.u[g, 0] == row) + 2 * int(cells.v[g, 0] == column)
    for i in range(count):
        a, end, own, found = cells.members[begin + i], boxes[i, 1], begins[i], 0
        low, high, left, right = boxes[i, 2], boxes[i, 3], boxes[i, 4], boxes[i, 5]
        for j in range(i + 1, count):
            if boxes[j, 0] > end:
                break
            # Every box is written, and kept by a count: nobody can foretell such a branch.
            hits[found] = cells.members[begin + j]
            misses = (boxes[j, 2] > high) | (boxes[j, 3] < low)
            misses = misses | (boxes[j, 4] > right) | (boxes[j, 5] < left)
            found += int((own | begins[j]) == 3) & (1 - int(misses))
        for k in range(found):
            b = hits[k]
            if groups.allowed[groups.of[a], groups.of[b]] != 0:
                if n < len(pairs):
                    pairs[n, 0], pairs[n, 1] = min(a, b), max(a, b)
                n += 1
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
