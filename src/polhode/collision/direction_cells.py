"""The farthest of many points along a direction, sought among those that can be it.

Directions lie in cells of a grid on the faces of a cube.  Each cell has a list of the points that
are the farthest along some direction in it: five or ten of thousands.  What is found is what a look
at all points would find, to the bit.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiler.jit import Floats, jit
from ..spatial import Vec3
from .vectors import triple

ENTRY = 4  # numbers of a point in a list
ROUNDING = 1e-12  # of the size: points that rounding may make the farthest stay in a list
_FINENESS = 0.25  # cells along an edge of the cube, over the root of the number of points
_MOST = 8  # of these
_AT_ONCE = 1 << 17  # numbers in one array


@jit
def farthest(data: Floats, cells: int, d: Vec3):
    """(number, height) of the farthest point along ``d``.

    ``cells`` is where the numbers that `cells_of` made begin.
    """
    begin = cells + 1 + _cell(d, data[cells])
    best, height = cells, -math.inf
    for k in range(cells + int(data[begin]), cells + int(data[begin + 1]), ENTRY):
        reached = triple(data, k).dot(d)
        best = k if reached > height else best
        height = max(height, reached)
    return int(data[best + 3]), height


@jit
def highest(data: Floats, first: int, stride: int, count: int, d: Vec3):
    """The same of a few points, by looking at all of them; they begin at ``first``."""
    best, height = 0, -math.inf
    for k in range(count):
        reached = triple(data, first + stride * k).dot(d)
        if reached > height:
            best, height = k, reached
    return best, height


@jit
def _cell(d: Vec3, count: float):
    """The number of a direction's cell: of the cube's face, then along two axes on it."""
    x, y, z = abs(d.x), abs(d.y), abs(d.z)
    is_y = y > x
    out, face = d.y if is_y else d.x, 2 if is_y else 0
    u, v = d.z if is_y else d.y, d.x if is_y else d.z
    is_z = z > max(x, y)
    out, face = d.z if is_z else out, 4 if is_z else face
    u, v = d.x if is_z else u, d.y if is_z else v
    half = 0.5 * count
    scale, top = half / abs(out), count - 1.0
    # In this order NaN becomes a number.
    i = math.floor(min(top, max(0.0, half + u * scale)))
    j = math.floor(min(top, max(0.0, half + v * scale)))
    return ((face + int(out < 0.0)) * int(count) + i) * int(count) + j


def cells_of(points: np.ndarray) -> list[float]:
    """Numbers for `farthest`: cells along an edge, where the list of each begins, the lists.

    A list has of each point its coordinates and its number.
    """
    count = min(math.ceil(_FINENESS * math.sqrt(len(points))), _MOST)
    directions = _directions(count)
    some = max(_AT_ONCE // (9 * len(points)), 1)
    parts = [
        np.add(_possible(points, directions[k : k + some]), [[k], [0]])
        for k in range(0, len(directions), some)
    ]
    cells, numbers = np.concatenate(parts, axis=1)
    begins = np.searchsorted(cells, np.arange(6 * count * count + 1))
    entries = np.concatenate([points[numbers], numbers[:, None]], axis=1)
    return np.concatenate(
        [[count], 2 + 6 * count * count + ENTRY * begins, entries.ravel()]
    ).tolist()


def _directions(count: int) -> np.ndarray:
    """Nine directions of each cell, from corner to corner: (cells, 9, 3)."""
    edges = np.linspace(-1.0, 1.0, 2 * count + 1)
    low = 2 * np.stack(np.meshgrid(*[np.arange(count)] * 2, indexing="ij"), axis=-1)
    places = low.reshape(-1, 1, 2) + np.stack(np.divmod(np.arange(9), 3), axis=-1)
    out = np.ones((len(places), 9, 1))
    faces = [np.concatenate([sign * out, edges[places]], axis=2) for sign in (1.0, -1.0)]
    return np.concatenate([np.roll(face, axis, axis=2) for axis in range(3) for face in faces])


def _possible(points: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Numbers of cells, and of points that may be the farthest in them, sorted: (2, n).

    A point cannot be if another one is farther along all four corners of the cell, for then it is
    along all directions between them.
    """
    best = np.argmax(directions @ points.T, axis=2)
    corners = directions[:, [0, 2, 6, 8]]
    slack, heights = ROUNDING * np.abs(points).max(), corners @ points.T
    least = np.take_along_axis(heights, best[:, None], axis=2) - slack  # of these nine points
    cells, numbers = np.nonzero((heights >= least[:, :, 4:5]).any(axis=1))
    own = heights[cells, :, numbers]
    for k in (0, 2, 6, 8, 1, 3, 5, 7):
        is_left = (own >= least[cells, :, k]).any(axis=1)
        cells, numbers, own = cells[is_left], numbers[is_left], own[is_left]
    return np.array([cells, numbers])
