"""The nearest points of two convex cores that are apart (Gilbert, Johnson, Keerthi 1988)."""

from __future__ import annotations

import math

import numpy as np

from ..compiler.jit import Floats2, jit
from ..spatial import Vec3
from .placed import Placed
from .support import world_support

STEPS = 64
SOLVED = 2  # times that the weights of a simplex are solved for, the second time for the rest
EXACT = 1e-14  # duality gap, relative to the squared distance
CORNERS = 72  # rows of `work` for corners of a - b; row: difference, point of a, point of b
FACES = 160
EDGES = CORNERS + FACES
RESULT = EDGES + FACES  # row: nearest points of a and of b, unit normal from b to a
ROWS = RESULT + 1


@jit
def corner(work: Floats2, k: int):
    """Difference of row ``k`` of the simplex."""
    return Vec3(work[k, 0], work[k, 1], work[k, 2])


@jit
def put_support(
    shape_a: Placed,
    shape_b: Placed,
    d: Vec3,
    work: Floats2,
    k: int,
):
    """Row ``k``: the farthest difference a - b in the direction ``d``, and both its points."""
    a = world_support(shape_a, d)
    b = world_support(shape_b, -d)
    for i in range(3):
        work[k, i] = a[i] - b[i]
        work[k, 3 + i] = a[i]
        work[k, 6 + i] = b[i]
    return Vec3(work[k, 0], work[k, 1], work[k, 2])


@jit
def _weights(work: Floats2, mask: int):
    """Weights of the rows in ``mask`` at the point of their span nearest to the origin.

    Row 4 of the work array takes them.  False if one is not positive.
    """
    rows = work[4]
    count = 0
    index = 0
    for k in range(4):
        rows[k] = 0.0
        if mask >> k & 1:
            index = index * 4 + k
            count += 1
    i0 = index & 3
    i1, i2, i3 = index >> 2 & 3, index >> 4 & 3, index >> 6 & 3
    o = corner(work, i0)
    if count == 1:
        rows[i0] = 1.0
        return True
    e1 = corner(work, i1) - o
    s, t = 0.0, 0.0
    if count == 2:
        for _ in range(SOLVED):
            t -= (o + t * e1).dot(e1) / e1.dot(e1)
        rows[i0], rows[i1] = 1.0 - t, t
        return t > 0.0 and t < 1.0
    e2 = corner(work, i2) - o
    n = e1.cross(e2)
    if count == 3:
        for _ in range(SOLVED):
            x = o + s * e1 + t * e2
            s += e2.cross(x).dot(n) / n.dot(n)
            t += x.cross(e1).dot(n) / n.dot(n)
        rows[i0], rows[i1], rows[i2] = 1.0 - s - t, s, t
        return s > 0.0 and t > 0.0 and s + t < 1.0
    e3 = corner(work, i3) - o
    volume = n.dot(e3)
    s = -o.dot(e2.cross(e3)) / volume
    t = -o.dot(e3.cross(e1)) / volume
    u = -o.dot(n) / volume
    rows[i0], rows[i1], rows[i2], rows[i3] = 1.0 - s - t - u, s, t, u
    return s > 0.0 and t > 0.0 and u > 0.0 and s + t + u < 1.0


@jit
def _nearest(work: Floats2, count: int):
    """The point of a simplex nearest to the origin; row 5 gets its weights.

    The newest corner, the last, is always part of it.
    """
    newest = 1 << (count - 1)
    best, v = math.inf, Vec3(0.0, 0.0, 0.0)
    for mask in range(newest, 2 * newest):
        if _weights(work, mask):
            x = Vec3(0.0, 0.0, 0.0)
            for k in range(count):
                x = x + work[4, k] * corner(work, k)
            if x.dot(x) < best:
                best, v = x.dot(x), x
                for k in range(4):
                    work[5, k] = work[4, k]
    return v


@jit
def _keep(work: Floats2, count: int):
    """Drop the corners without weight; how many stay."""
    kept = 0
    for k in range(count):
        if work[5, k] > 0.0:
            if k != kept:
                for i in range(9):
                    work[kept, i] = work[k, i]
                work[5, kept] = work[5, k]
            kept += 1
    return kept


@jit
def gjk(
    shape_a: Placed,
    shape_b: Placed,
    limit: float,
    touch: float,
    work: Floats2,
):
    """Distance of two cores; the row `RESULT` gets the nearest points and the normal.

    Returns a distance of at least ``limit`` as infinity, and one below ``touch`` as -1.
    """
    v = shape_a.p - shape_b.p
    if v.dot(v) == 0.0:
        v = Vec3(1.0, 0.0, 0.0)
    count = np.int64(0)
    v = put_support(shape_a, shape_b, -v, work, count)
    work[5, 0] = 1.0
    count += 1
    for _ in range(STEPS):
        square = v.dot(v)
        if square <= touch * touch:
            return -1.0
        w = put_support(shape_a, shape_b, -v, work, count)
        reach = v.dot(w)
        if reach > 0.0 and reach * reach > limit * limit * square:
            return math.inf
        if square - reach <= EXACT * square:
            break
        for k in range(4):
            work[7, k] = work[5, k]
        new = _nearest(work, count + 1)
        if new.dot(new) >= square:
            for k in range(4):
                work[5, k] = work[7, k]
            break
        v = new
        count = _keep(work, count + 1)
        if count == 4:
            return -1.0
    length = math.sqrt(v.dot(v))
    row = work[RESULT]
    for i in range(3):
        a = b = 0.0
        for k in range(count):
            a += work[5, k] * work[k, 3 + i]
            b += work[5, k] * work[k, 6 + i]
        row[i], row[3 + i], row[6 + i] = a, b, v[i] / length
    return length
