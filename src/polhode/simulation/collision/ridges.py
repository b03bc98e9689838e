"""Ridges of a height map across the edges of another shape.

Between two points of the grid the ground has an edge.  Where it is a ridge, a straight edge of
the body may lie across it; a face that lies on a ridge has its own edges across it on both
sides.  The normal is square to both edges, and one that both ground and body have there.
"""

from __future__ import annotations

import math

from ...compiler.jit import Floats, Floats2, jit
from . import layout as at
from .found import put
from .ground import body_extent, cell_size, grid_point, grid_range
from .samples import n_sides, side_line
from .support import world_support
from .vectors import (
    Rotation,
    Vector,
    along,
    cross,
    dot,
    local,
    place,
    scaled,
    sub,
    triple,
    turn,
    unit,
)

FIRST = 2.0**46  # name of the first
LEVEL = 0.02  # radians by which an edge may miss being the farthest one
_SMOOTH = 1e-6  # slope by which the ground has to bend at a ridge
_PARALLEL = 1e-4  # sine of the angle below which two edges have no common normal
_ALIKE = 0.999  # cosine of the angle between normals at one ridge


@jit
def ridge_contacts(
    data: Floats,
    og: int,
    Rg: Rotation,
    pg: Vector,
    o: int,
    R: Rotation,
    p: Vector,
    margin: float,
    found: Floats2,
):
    """Contacts of edges of a body with ridges, normal out of the ground."""
    kind = int(data[o])
    if kind != at.BOX and kind != at.POLYHEDRON and kind != at.MESH and kind != at.CAPSULE:
        return
    rows, columns, dx, dy = cell_size(data, og)
    c, half = body_extent(data, o, R, p, Rg, pg)
    wide = min(margin, data[o + at.REACH])
    i0, i1 = grid_range(c[0] - half[0] - wide, c[0] + half[0] + wide, data[og + 1], dx, rows)
    j0, j1 = grid_range(c[1] - half[1] - wide, c[1] + half[1] + wide, data[og + 2], dy, columns)
    low = c[2] - half[2] - margin
    for i in range(max(i0 - 1, 0), i1):
        for j in range(max(j0 - 1, 0), j1):
            if i + 1 < rows and j >= j0:
                _ridge(data, og, Rg, pg, i, j, 1, 0, low, o, R, p, margin, found)
            if j + 1 < columns and i >= i0:
                _ridge(data, og, Rg, pg, i, j, 0, 1, low, o, R, p, margin, found)


@jit
def _ridge(
    data: Floats,
    og: int,
    Rg: Rotation,
    pg: Vector,
    i: int,
    j: int,
    di: int,
    dj: int,
    low: float,
    o: int,
    R: Rotation,
    p: Vector,
    margin: float,
    found: Floats2,
):
    """Contacts with the ridge from one point of the grid to the next, if it comes up to ``low``."""
    a, b = grid_point(data, og, i, j), grid_point(data, og, i + di, j + dj)
    if max(a[2], b[2]) < low:
        return
    x, y = place(Rg, pg, a), place(Rg, pg, b)
    if _is_far(data, o, local(R, p, x), local(R, p, y), margin) or not (
        _bends(data, og, i, j, dj, di) or _bends(data, og, i + di, j + dj, dj, di)
    ):
        return
    columns, sides = int(data[og + at.N_FACES]), n_sides(data, o)
    name = FIRST + sides * float(2 * (i * columns + j) + di)
    best, n = -math.inf, (0.0, 0.0, 0.0)
    for k in range(sides):
        gap, m, _ = _across(data, og, Rg, i, j, di, dj, x, y, o, R, p, k, margin)
        if gap < margin and gap > best:
            best, n = gap, m
    if best == -math.inf:
        return
    for k in range(sides):
        gap, m, z = _across(data, og, Rg, i, j, di, dj, x, y, o, R, p, k, margin)
        if gap < margin and dot(m, n) > _ALIKE:
            put(found, name + k, along(z, 0.5 * gap, m), m, gap)


@jit
def _is_far(data: Floats, o: int, x: Vector, y: Vector, margin: float):
    """Whether the line from x to y, in the body's coordinates, passes by its box."""
    for i in range(3):
        c, half = data[o + at.CENTRE + i], data[o + at.HALF + i] + margin
        if min(x[i], y[i]) - c >= half or c - max(x[i], y[i]) >= half:
            return True
    return False


@jit
def _beside(data: Floats, og: int, i: int, j: int, di: int, dj: int):
    """Whether the grid has a point there."""
    rows, columns = int(data[og + at.N_VERTICES]), int(data[og + at.N_FACES])
    return 0 <= i + di < rows and 0 <= j + dj < columns


@jit
def _bends(data: Floats, og: int, i: int, j: int, di: int, dj: int):
    """Whether the ground bends down at a point of the grid on the way ``di, dj`` over it."""
    if not (_beside(data, og, i, j, di, dj) and _beside(data, og, i, j, -di, -dj)):
        return True
    a = grid_point(data, og, i, j)
    b, c = grid_point(data, og, i + di, j + dj), grid_point(data, og, i - di, j - dj)
    width = max(abs(b[0] - a[0]), abs(b[1] - a[1]))
    return b[2] + c[2] - 2.0 * a[2] < -_SMOOTH * width


@jit
def _across(
    data: Floats,
    og: int,
    Rg: Rotation,
    i: int,
    j: int,
    di: int,
    dj: int,
    x: Vector,
    y: Vector,
    o: int,
    R: Rotation,
    p: Vector,
    k: int,
    margin: float,
):
    """Edge ``k`` of the body across the ridge x, y: (gap or inf, normal, point of the ridge)."""
    none = (math.inf, (0.0, 0.0, 1.0), x)
    side = (1.0, 0.0, 0.0)
    u, v = side_line(data, o, k, side)
    u, v = place(R, p, u), place(R, p, v)
    edge, ridge = sub(v, u), sub(y, x)
    n = cross(edge, ridge)
    size = dot(n, n)
    if size <= _PARALLEL * _PARALLEL * dot(edge, edge) * dot(ridge, ridge):
        return none
    r = sub(u, x)
    s, t = dot(cross(ridge, r), n) / size, dot(cross(edge, r), n) / size
    if not (0.0 <= s <= 1.0 and 0.0 <= t <= 1.0):
        return none
    n = unit(n)
    if n[0] * Rg[2] + n[1] * Rg[5] + n[2] * Rg[8] < 0.0:
        n = scaled(-1.0, n)
    gap = dot(n, r) - data[o + at.ROUND]
    if gap >= margin or not _is_ridge(data, og, Rg, i, j, di, dj, t, n):
        return none
    if not is_farthest(data, o, R, p, k, along(u, s, edge), n):
        return none
    return gap, n, along(x, t, ridge)


@jit
def _is_ridge(
    data: Floats, og: int, Rg: Rotation, i: int, j: int, di: int, dj: int, t: float, n: Vector
):
    """Whether at ``t`` on a ridge the ground on both sides falls away from ``n``."""
    for sign in range(-1, 2, 2):
        ei, ej = sign * dj, sign * di
        if not _beside(data, og, i, j, ei, ej):
            continue
        a = sub(grid_point(data, og, i + ei, j + ej), grid_point(data, og, i, j))
        b = grid_point(data, og, i + di + ei, j + dj + ej)
        b = sub(b, grid_point(data, og, i + di, j + dj))
        way = turn(Rg, along(a, t, sub(b, a)))
        if dot(way, n) > 1e-3 * math.sqrt(dot(way, way)):
            return False
    return True


@jit
def is_farthest(data: Floats, o: int, R: Rotation, p: Vector, k: int, z: Vector, n: Vector):
    """Whether no part of the body around edge ``k`` lies lower than the edge's point ``z``."""
    if int(data[o]) == at.MESH:
        return _is_edge(data, o, R, k, n)
    v = sub(z, world_support(data, o, R, p, scaled(-1.0, n)))
    return dot(v, n) <= LEVEL * math.sqrt(dot(v, v)) + 1e-12 * data[o + at.REACH]


@jit
def _is_edge(data: Floats, o: int, R: Rotation, k: int, n: Vector):
    """Whether edge ``k`` of a mesh, as one of its two faces has it, is sharp towards ``-n``."""
    face, e = k // 3, k % 3
    first = int(data[o + at.FACES]) + 3 * face
    i, j = int(data[first + e]), int(data[first + (e + 1) % 3])
    if i > j:
        return False  # the other face has it
    normals = int(data[o + at.NORMALS]) + at.NORMAL * face
    a = triple(data, normals)
    b = sub(triple(data, normals + 3 * (1 + e)), a)  # the other face's: of edges it has the sums
    c = dot(a, b)
    v = int(data[o + at.VERTICES])
    tip = sub(triple(data, v + 3 * int(data[first + (e + 2) % 3])), triple(data, v + 3 * i))
    if 1.0 - c * c < _SMOOTH or dot(tip, b) >= 0.0:
        return False
    a, b = turn(R, a), turn(R, b)
    # -n as a sum of both faces' normals.
    alpha, beta = -dot(n, a) + c * dot(n, b), -dot(n, b) + c * dot(n, a)
    return alpha >= -LEVEL * (1.0 - c * c) and beta >= -LEVEL * (1.0 - c * c)
