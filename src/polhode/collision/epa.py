"""How deep two convex cores overlap: a polytope grown to the nearest face of a - b.

After van den Bergen (2001), with signed distances: the origin may also lie slightly outside, so
that contact without overlap is no special case.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiler.jit import Floats2, jit
from ..spatial import Vec3
from .gjk import CORNERS, EDGES, FACES, RESULT, corner, gjk, put_support
from .placed import Placed
from .support import separation, world_support
from .vectors import tangents, unit

EXACT = 1e-10  # of the size
# How far apart cores are moved to look at their nearest points, of the size, and how often.
APART, ROUNDS = 1e-3, 8


@jit
def _face(work: Floats2, faces: int, a: int, b: int, c: int, inside: Vec3):
    """Put the face a, b, c after the others, turned outwards; the new count."""
    row = CORNERS + faces
    n = (corner(work, b) - corner(work, a)).cross(corner(work, c) - corner(work, a))
    length = math.sqrt(n.dot(n))
    if length < 1e-300:
        return faces
    n = Vec3(n.x / length, n.y / length, n.z / length)
    d = n.dot(corner(work, a))
    if n.dot(inside) > d:
        n, d = Vec3(-n.x, -n.y, -n.z), -d
        b, c = c, b
    work[row, 0], work[row, 1], work[row, 2] = a, b, c
    work[row, 3], work[row, 4], work[row, 5], work[row, 6] = n.x, n.y, n.z, d
    return faces + 1


@jit
def _toggle(work: Floats2, edges: int, a: float, b: float):
    """Add the edge a-b of the hole, or take it away when it comes the other way round."""
    for k in range(EDGES, EDGES + edges):
        if work[k, 0] == b and work[k, 1] == a:
            work[k, 0], work[k, 1] = work[EDGES + edges - 1, 0], work[EDGES + edges - 1, 1]
            return edges - 1
    work[EDGES + edges, 0], work[EDGES + edges, 1] = a, b
    return edges + 1


@jit
def _grow(work: Floats2, faces: int, k: int, inside: Vec3, tolerance: float):
    """Replace the faces that corner ``k`` sees by a cone to it; the new count, or -1: full."""
    w = corner(work, k)
    edges, f = np.int64(0), 0
    while f < faces:
        row = work[CORNERS + f]
        if Vec3(row[3], row[4], row[5]).dot(w) - row[6] > tolerance:
            edges = _toggle(work, edges, row[0], row[1])
            edges = _toggle(work, edges, row[1], row[2])
            edges = _toggle(work, edges, row[2], row[0])
            faces -= 1
            for i in range(7):
                row[i] = work[CORNERS + faces, i]
        else:
            f += 1
        if edges >= FACES - 3:
            return -1
    if faces + edges > FACES:
        return -1
    for e in range(EDGES, EDGES + edges):
        faces = _face(work, faces, int(work[e, 0]), int(work[e, 1]), k, inside)
    return faces


@jit
def _start(
    a: Placed,
    b: Placed,
    work: Floats2,
):
    """Corners 0 to 3: a tetrahedron, as both cores together span a volume."""
    n = Vec3(1.0, 0.0, 0.0)
    u = n
    for k in range(4):
        if k == 0:
            put_support(a, b, Vec3(-1.0, 0.0, 0.0), work, k)
            continue
        zero = work[0, 0] * n.x + work[0, 1] * n.y + work[0, 2] * n.z
        up = put_support(a, b, n, work, k).dot(n) - zero
        back = -n
        if k == 1 or put_support(a, b, back, work, k).dot(back) + zero < up:
            put_support(a, b, n, work, k)
        v = Vec3(work[k, 0] - work[0, 0], work[k, 1] - work[0, 1], work[k, 2] - work[0, 2])
        if k == 1:
            u = v
            n, _ = tangents(unit(u))
        else:
            n = unit(u.cross(v))


@jit
def deepest(
    a: Placed,
    b: Placed,
    size: float,
    work: Floats2,
):
    """(separation, unit normal from b to a) of cores that overlap; nearest points in `RESULT`."""
    n = _polytope(a, b, size, work)
    low = world_support(a, -n)
    top = world_support(b, n)
    row = work[RESULT]
    for i in range(3):
        row[i], row[3 + i] = low[i], top[i]
    return refined(a, b, n, size, work)


@jit
def refined(
    a: Placed,
    b: Placed,
    n: Vec3,
    size: float,
    work: Floats2,
):
    """(separation, unit normal) of cores that overlap or nearly touch, from a normal close to it.

    The cores are moved apart along the normal.  Their nearest points then give a direction along
    which they overlap less.  That matters where round sides were cut too coarsely, or where the
    distance was too small to give a direction.
    """
    s = separation(a, b, n)
    row = work[RESULT]
    for _ in range(ROUNDS):
        lift = APART * size - s
        moved = Placed(a.data, a.at, a.R, a.p + lift * n)
        if not (lift > 0.0 and gjk(moved, b, math.inf, 0.0, work) > 0.0):
            break
        for i in range(3):
            row[i] -= lift * n[i]
        m = Vec3(row[6], row[7], row[8])
        better = separation(a, b, m)
        if better <= s + EXACT * size:
            break
        s, n = better, m
    return s, n


@jit
def _polytope(
    a: Placed,
    b: Placed,
    size: float,
    work: Floats2,
):
    """The direction from b to a in which the cores overlap least, as a polytope has it."""
    _start(a, b, work)
    inside = Vec3(0.0, 0.0, 0.0)
    for i in range(4):
        inside = inside + 0.25 * corner(work, i)
    faces = np.int64(0)
    for k in range(4):
        faces = _face(work, faces, k, (k + 1) % 4, (k + 2) % 4, inside)
    best, n = math.inf, Vec3(0.0, 0.0, 1.0)
    for k in range(4, CORNERS):
        near, row = math.inf, np.int64(CORNERS)
        for f in range(CORNERS, CORNERS + faces):
            if work[f, 6] < near:
                near, row = work[f, 6], f
        d = Vec3(work[row, 3], work[row, 4], work[row, 5])
        height = put_support(a, b, d, work, k).dot(d)
        if height < best:
            best, n = height, d
        if best - near <= EXACT * size:
            break
        faces = _grow(work, faces, k, inside, 1e-13 * size)
        if faces < 4:
            break
    if not abs(n.dot(n) - 1.0) < 1e-6:  # flat: a face beside a face
        n = unit(b.p - a.p)
    return -n
