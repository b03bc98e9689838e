"""The list of contacts of one pair, rows of an array, and its reduction to a few.

The row after the last, `ROOM`, holds their number, and how many are of flat regions of meshes.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiler.jit import Floats2, jit
from ..spatial import Vec3
from .shape_layout import MAX_PER_PAIR

ROOM = 128  # rows
FLAT = 1  # column of the row `ROOM`: how many of the contacts are of flat regions
NAME, POINT, NORMAL, GAP = 0, 1, 4, 7
REGION = 8  # of contacts of flat regions: which ones
WITNESS = 2.0**45  # name of nearest points that are no corners
SAME_POINT = 1e-4  # of the smaller shape: contacts nearer to each other are one,
SAME_NORMAL = 0.9999  # if the cosine of the angle between their normals is above this


@jit
def add_contact(found: Floats2, name: float, point: Vec3, normal: Vec3, gap: float):
    """Add a contact; a list that is full is reduced first."""
    if found[ROOM, 0] == ROOM:
        _thin(found)
    row = found[int(found[ROOM, 0])]
    row[NAME] = name
    for i in range(3):
        row[POINT + i] = point[i]
        row[NORMAL + i] = normal[i]
    row[GAP] = gap
    found[ROOM, 0] += 1


@jit
def is_new(found: Floats2, point: Vec3, size: float):
    """Whether no contact found before lies at this point."""
    for k in range(int(found[ROOM, 0])):
        x, y, z = found[k, 1] - point.x, found[k, 2] - point.y, found[k, 3] - point.z
        if x * x + y * y + z * z < 1e-16 * size * size:
            return False
    return True


@jit
def has_name(found: Floats2, name: float):
    """Whether a contact found before has this name."""
    k, count = np.int64(0), int(found[ROOM, 0])
    while k < count and found[k, NAME] != name:
        k += 1
    return k < count


@jit
def _swap(found: Floats2, i: int, j: int):
    for k in range(REGION + 1):
        found[i, k], found[j, k] = found[j, k], found[i, k]


@jit
def _thin(found: Floats2):
    """Reduce to the deepest contact, then repeatedly the one farthest from those chosen."""
    n = int(found[ROOM, 0])
    found[ROOM, FLAT] = 0.0
    kept = 0
    while kept < min(n, MAX_PER_PAIR):
        best, chosen = -math.inf, kept
        for i in range(kept, n):
            worth = -found[i, GAP]
            if kept > 0:
                worth = math.inf
                for j in range(kept):
                    x, y, z = found[i, 1] - found[j, 1], found[i, 2] - found[j, 2], found[i, 3]
                    z -= found[j, 3]
                    worth = min(worth, x * x + y * y + z * z)
            if worth > best or (worth == best and found[i, NAME] < found[chosen, NAME]):
                best, chosen = worth, i
        _swap(found, kept, chosen)
        kept += 1
    found[ROOM, 0] = kept


@jit
def settle(found: Floats2, size: float):
    """At most `MAX_PER_PAIR` contacts, sorted by name, without doubles; how many.

    ``size`` is that of the smaller shape.
    """
    if found[ROOM, 0] > MAX_PER_PAIR:
        _thin(found)
    n = int(found[ROOM, 0])
    for i in range(1, n):
        j = i
        while j > 0 and found[j, NAME] < found[j - 1, NAME]:
            _swap(found, j, j - 1)
            j -= 1
    kept = min(n, 1)
    for i in range(1, n):
        if not _is_double(found, i, kept, SAME_POINT * size):
            _swap(found, i, kept)
            kept += 1
    return kept


@jit
def _is_double(found: Floats2, i: int, kept: int, near: float):
    """Whether contact ``i`` has the name of one of the first ``kept``, or is at its place.

    The deeper one stays, under the lower name.  Two at a place would hold it twice.  Where
    the body turns their velocities differ a little, and only forces far above the weight stop both.
    """
    for k in range(kept):
        if found[i, NAME] == found[k, NAME] or _is_at(found, i, k, near):
            if found[i, GAP] < found[k, GAP]:
                for j in range(POINT, GAP + 1):
                    found[k, j] = found[i, j]
            return True
    return False


@jit
def _is_at(found: Floats2, i: int, k: int, near: float):
    """Whether two contacts are at one place, with one normal."""
    x, y, z = found[i, 1] - found[k, 1], found[i, 2] - found[k, 2], found[i, 3] - found[k, 3]
    if x * x + y * y + z * z >= near * near:
        return False
    along = 0.0
    for j in range(NORMAL, NORMAL + 3):
        along += found[i, j] * found[k, j]
    return along > SAME_NORMAL
