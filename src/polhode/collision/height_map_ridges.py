"""Contacts with convex edges of a height map; of straight edges with them (edge against edge).

Between two points of the grid the ground has an edge.  Where this is convex, a straight edge of the
body may lie across it.  A face that lies on it has its own edges across it on both sides.  The
normal is perpendicular to both edges, and one that ground and body have there.
"""

from __future__ import annotations

import math

from ..compiler.jit import Floats, Floats2, jit
from ..spatial import Mat3, Vec3
from . import shape_layout as at
from .contact_list import add_contact
from .ground import body_extent, cell_size, grid_point, grid_range
from .height_map_lines import SMOOTH, Ridge, bends, is_far, is_ridge
from .height_map_rounds import is_round, on_ridge
from .placed import Placed
from .sample_points import n_sides, side_line
from .support import world_support
from .vectors import triple, unit

FIRST = 2.0**46  # name of the first
LEVEL = 0.02  # radians by which an edge may miss being the farthest one
_PARALLEL = 1e-4  # sine of the angle below which two edges have no common normal
_BENT = 1e-3  # slope by which ground beside a straight edge may rise
_ALIKE = 0.999  # cosine of the angle between normals at one edge


@jit
def ridge_contacts(
    ground: Placed,
    shape: Placed,
    level: float,
    margin: float,
    found: Floats2,
):
    """Contacts of a body with convex edges of the ground, normal out of the ground.

    ``level``: slope by which the ground beside an edge may rise to a round body.
    """
    rows, columns, dx, dy = cell_size(ground.data, ground.at)
    c, half = body_extent(shape, ground.R, ground.p)
    wide = min(margin, shape.number(at.REACH))
    i0, i1 = grid_range(c.x - half.x - wide, c.x + half.x + wide, ground.number(1), dx, rows)
    j0, j1 = grid_range(c.y - half.y - wide, c.y + half.y + wide, ground.number(2), dy, columns)
    low = c.z - half.z - margin
    for i in range(max(i0 - 1, 0), i1):
        for j in range(max(j0 - 1, 0), j1):
            if i + 1 < rows and j >= j0:
                _ridge(ground, shape, Ridge(i, j, 1, 0), low, level, margin, found)
            if j + 1 < columns and i >= i0:
                _ridge(ground, shape, Ridge(i, j, 0, 1), low, level, margin, found)


@jit
def _ridge(
    ground: Placed,
    shape: Placed,
    ridge: Ridge,
    low: float,
    level: float,
    margin: float,
    found: Floats2,
):
    """Contacts with the edge from one point of the grid to the next, if it comes up to ``low``."""
    i, j, di, dj = ridge.i, ridge.j, ridge.di, ridge.dj
    a, b = (
        grid_point(ground.data, ground.at, i, j),
        grid_point(ground.data, ground.at, i + di, j + dj),
    )
    if max(a.z, b.z) < low:
        return
    x, y = ground.to_world(a), ground.to_world(b)
    if is_far(shape.data, shape.at, shape.to_local(x), shape.to_local(y), margin) or not bends(
        ground.data, ground.at, ridge
    ):
        return
    if is_round(shape):
        on_ridge(ground, shape, ridge, level, margin, found)
        return
    columns, sides = int(ground.number(at.N_FACES)), n_sides(shape.data, shape.at)
    name = FIRST + sides * float(2 * (i * columns + j) + di)
    best, n = -math.inf, Vec3(0.0, 0.0, 0.0)
    for k in range(sides):
        gap, m, _ = _across(ground, shape, ridge, x, y, k, margin)
        if gap < margin and gap > best:
            best, n = gap, m
    if best == -math.inf:
        return
    for k in range(sides):
        gap, m, z = _across(ground, shape, ridge, x, y, k, margin)
        if gap < margin and m.dot(n) > _ALIKE:
            add_contact(found, name + k, z + 0.5 * gap * m, m, gap)


@jit
def _across(ground: Placed, shape: Placed, ridge: Ridge, x: Vec3, y: Vec3, k: int, margin: float):
    """Edge ``k`` of the body across the ground's edge x, y: (gap or inf, normal, point of x y)."""
    none = (math.inf, Vec3(0.0, 0.0, 1.0), x)
    side = Vec3(1.0, 0.0, 0.0)
    u, v = side_line(shape.data, shape.at, k, side)
    u, v = shape.to_world(u), shape.to_world(v)
    edge, crest = v - u, y - x
    n = edge.cross(crest)
    size = n.dot(n)
    if size <= _PARALLEL * _PARALLEL * edge.dot(edge) * crest.dot(crest):
        return none
    r = u - x
    s, t = crest.cross(r).dot(n) / size, edge.cross(r).dot(n) / size
    if not (0.0 <= s <= 1.0 and 0.0 <= t <= 1.0):
        return none
    n = unit(n)
    if n.dot(ground.R.T.z) < 0.0:
        n = -n
    gap = n.dot(r)
    if gap >= margin or not is_ridge(ground, ridge, t, n, _BENT):
        return none
    if not is_farthest(shape, k, u + s * edge, n):
        return none
    return gap, n, x + t * crest


@jit
def is_farthest(shape: Placed, k: int, z: Vec3, n: Vec3):
    """Whether no part of the body around edge ``k`` lies lower than the edge's point ``z``."""
    if shape.kind == at.MESH:
        return _is_edge(shape.data, shape.at, shape.R, k, n)
    v = z - world_support(shape, -n)
    return v.dot(n) <= LEVEL * math.sqrt(v.dot(v)) + 1e-12 * shape.number(at.REACH)


@jit
def _is_edge(data: Floats, o: int, R: Mat3, k: int, n: Vec3):
    """Whether edge ``k`` of a mesh, as one of its two faces has it, is sharp towards ``-n``."""
    face, e = k // 3, k % 3
    first = int(data[o + at.FACES]) + 3 * face
    i, j = int(data[first + e]), int(data[first + (e + 1) % 3])
    if i > j:
        return False  # the other face has it
    normals = int(data[o + at.NORMALS]) + at.NORMAL * face
    a = triple(data, normals)
    b = triple(data, normals + 3 * (1 + e)) - a  # the other face's: of edges it has the sums
    c = a.dot(b)
    v = int(data[o + at.VERTICES])
    tip = triple(data, v + 3 * int(data[first + (e + 2) % 3])) - triple(data, v + 3 * i)
    if 1.0 - c * c < SMOOTH or tip.dot(b) >= 0.0:
        return False
    a, b = R @ a, R @ b
    # -n as a sum of both faces' normals.
    alpha, beta = -n.dot(a) + c * n.dot(b), -n.dot(b) + c * n.dot(a)
    return alpha >= -LEVEL * (1.0 - c * c) and beta >= -LEVEL * (1.0 - c * c)
