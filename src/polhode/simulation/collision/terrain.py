"""Height maps and triangle meshes against other shapes, by points of both.

Corners, rims and points along edges of the body in the ground's distance; corners of the
ground in the body's distance; and for a height map edges of the body across its ridges and on
its bulges.  A point counts where the normal found is one that the shape has there; so a flat
ground's own corners beside a body are no contacts.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiler.jit import Floats, Floats2, jit
from ...spatial import Mat3, Vec3
from . import layout as at
from .bulges import bulge_contacts
from .epa import deepest
from .features import side
from .field import field
from .found import GAP, ROOM, WITNESS, is_new, put
from .gjk import RESULT, gjk
from .ground import body_extent, cell_size, grid_point, grid_range, height
from .mesh import in_normal_cone, leaf, to_node
from .ridges import ridge_contacts
from .samples import n_samples, n_sides, sample, side_line
from .support import world_support
from .vectors import triple

LEVEL = 0.02  # radians by which a point may miss being the farthest one
BETWEEN = 3  # points along an edge over a mesh
LINES = float(1 << 26)  # names: samples, then points along lines, then corners of the ground
CORNERS = float(1 << 40)
_SAME = 1e5  # of 1e-8 of a body: how near contacts of edges are taken for one
NO_CORNER = np.int64(-1)


@jit
def terrain_contacts(
    data: Floats,
    og: int,
    Rg: Mat3,
    pg: Vec3,
    o: int,
    R: Mat3,
    p: Vec3,
    margin: float,
    work: Floats2,
    found: Floats2,
):
    """Contacts with a height map or mesh ``og``, normal out of the ground."""
    if int(data[og]) == at.HEIGHTMAP:
        ridge_contacts(data, og, Rg, pg, o, R, p, margin, found)
        bulge_contacts(data, og, Rg, pg, o, R, p, margin, found)
    _body_points(data, og, Rg, pg, o, R, p, True, margin, found)
    if int(data[og]) == at.HEIGHTMAP:
        _grid_corners(data, og, Rg, pg, o, R, p, margin, found)
        overlap = found[ROOM, 0] == 0.0
    else:
        _mesh_corners(data, og, Rg, pg, o, R, p, True, margin, found)
        overlap = _faces(data, og, Rg, pg, o, R, p, margin, work, found)
    if overlap and not _has_overlap(found):
        # No corner inside has the normal found there: they lie deep, or only edges cross.
        _body_points(data, og, Rg, pg, o, R, p, False, margin, found)
        if int(data[og]) == at.MESH:
            _mesh_corners(data, og, Rg, pg, o, R, p, False, margin, found)


@jit
def _has_overlap(found: Floats2):
    least = 0.0
    for k in range(int(found[ROOM, 0])):
        least = min(least, found[k, GAP])
    return least < 0.0


@jit
def _faces(
    data: Floats,
    og: int,
    Rg: Mat3,
    pg: Vec3,
    o: int,
    R: Mat3,
    p: Vec3,
    margin: float,
    work: Floats2,
    found: Floats2,
):
    """Nearest points of faces, where no corner is as near; whether faces cut into the body."""
    if int(data[o]) > at.SPHERE:
        return _nearest_face(data, og, Rg, pg, o, R, p, WITNESS, margin, work, found)
    overlap = False
    for k in range(int(data[o + at.N_FACES])):
        face = int(data[o + at.TRIANGLES]) + at.TRIANGLE * k
        cut = _nearest_face(data, og, Rg, pg, face, R, p, WITNESS + k, margin, work, found)
        overlap = overlap or cut
    return overlap


@jit
def _body_points(
    data: Floats,
    og: int,
    Rg: Mat3,
    pg: Vec3,
    o: int,
    R: Mat3,
    p: Vec3,
    strict: bool,
    margin: float,
    found: Floats2,
):
    """Corners and points of edges; ``strict``: only where the body has that normal."""
    c = R @ triple(data, o + at.CENTRE) + p
    _, n = field(data, og, Rg.T @ (c - pg))
    e = side(R.T @ -(Rg @ n))
    samples = n_samples(data, o)
    for k in range(samples):
        x = R @ sample(data, o, k, e) + p
        _point(data, og, Rg, pg, o, R, p, x, k, float(k), strict, margin, found)
    for k in range(n_sides(data, o)):
        if int(data[og]) == at.HEIGHTMAP:
            # Of an edge of a mesh it is not known here what normals it has.
            if int(data[o]) != at.MESH or not strict:
                _line_on_grid(data, og, Rg, pg, o, R, p, k, e, strict, margin, found)
        elif int(data[o]) != at.MESH:
            u, v = side_line(data, o, k, e)
            for i in range(1, BETWEEN + 1):
                x = R @ (u + i / (BETWEEN + 1.0) * (v - u)) + p
                name = LINES + BETWEEN * k + i
                _point(data, og, Rg, pg, o, R, p, x, NO_CORNER, name, strict, margin, found)


@jit
def _nearest_face(
    data: Floats,
    og: int,
    Rg: Mat3,
    pg: Vec3,
    o: int,
    R: Mat3,
    p: Vec3,
    name: float,
    margin: float,
    work: Floats2,
    found: Floats2,
):
    """The nearest or deepest points of mesh and body, if no contact so far is as near or deep.

    Returns whether a face cuts into the body.
    """
    tree, n_nodes = int(data[og + at.TREE]), int(data[og + at.N_NODES])
    c = Rg.T @ (R @ triple(data, o + at.CENTRE) + p - pg)
    radius, reach = data[o + at.ROUND], data[o + at.REACH]
    best = margin + radius
    x, n = c, c
    k = np.int64(0)
    while k < n_nodes:
        node = tree + at.NODE * k
        far = max(best, 0.0) + reach
        if to_node(data, node, c) >= far * far:
            k = int(data[node + 8])
            continue
        first, last, k = leaf(data, node, k)
        for f in range(first, last):
            face = int(data[og + at.TRIANGLES]) + at.TRIANGLE * f
            s = gjk(data, o, R, p, face, Rg, pg, max(best, 0.0), 1e-7 * reach, work)
            m = Vec3(work[RESULT, 6], work[RESULT, 7], work[RESULT, 8])
            if s < 0.0:
                s, m = deepest(data, o, R, p, face, Rg, pg, reach, work)
                s = min(s, 0.0)
            if s < best:
                best, n = s, m
                x = Vec3(work[RESULT, 3], work[RESULT, 4], work[RESULT, 5])
    gap = best - radius
    if best < margin + radius:
        for i in range(int(found[ROOM, 0])):
            if found[i, GAP] <= max(gap, 0.0) + 1e-9 * reach:
                return best <= 0.0
        put(found, name, x + 0.5 * gap * n, n, gap)
    return best <= 0.0


@jit
def _point(
    data: Floats,
    og: int,
    Rg: Mat3,
    pg: Vec3,
    o: int,
    R: Mat3,
    p: Vec3,
    x: Vec3,
    corner: int,
    name: float,
    strict: bool,
    margin: float,
    found: Floats2,
):
    """A contact of the body's point ``x`` (world), the centre of a ball if it is round."""
    radius = data[o + at.ROUND]
    y = Rg.T @ (x - pg)
    for i in range(3):
        far = abs(y[i] - data[og + at.CENTRE + i]) - data[og + at.HALF + i] - radius
        if far >= margin and (i < 2 or y.z > data[og + at.CENTRE + 2]):
            return
    d, n = field(data, og, y)
    if d - radius >= margin:
        return
    n = Rg @ n
    down = -n
    if int(data[o]) == at.MESH:
        if strict and corner >= 0 and not in_normal_cone(data, o, corner, R.T @ down):
            return
    else:
        v = x - world_support(data, o, R, p, down)
        if strict and v.dot(n) > LEVEL * math.sqrt(v.dot(v)) + 1e-12 * data[o + at.REACH]:
            return
    middle = x + -0.5 * (d + radius) * n
    if corner >= 0 or is_new(found, middle, _SAME * data[o + at.REACH]):
        put(found, name, middle, n, d - radius)


@jit
def _line_on_grid(
    data: Floats,
    og: int,
    Rg: Mat3,
    pg: Vec3,
    o: int,
    R: Mat3,
    p: Vec3,
    k: int,
    e: Vec3,
    strict: bool,
    margin: float,
    found: Floats2,
):
    """Points of line ``k`` of the body over the lines of the grid."""
    rows, columns, dx, dy = cell_size(data, og)
    u, v = side_line(data, o, k, e)
    u, v = Rg.T @ (R @ u + p - pg), Rg.T @ (R @ v + p - pg)
    radius = data[o + at.ROUND]
    for axis in range(2):
        step, last = (dx, rows - 1) if axis == 0 else (dy, columns - 1)
        a = (u[axis] + data[og + 1 + axis]) / step
        b = (v[axis] + data[og + 1 + axis]) / step
        if abs(b - a) < 1e-9:
            continue
        low, high = max(min(a, b), 0.0), min(max(a, b), float(last))
        for line in range(math.ceil(low), math.floor(high) + 1):
            x = u + (line - a) / (b - a) * (v - u)
            if x.z - height(data, og, x.x, x.y) - radius < 3.0 * margin:
                name = LINES * (1.0 + k) + 2 * line + axis
                world = Rg @ x + pg
                _point(data, og, Rg, pg, o, R, p, world, NO_CORNER, name, strict, margin, found)


@jit
def _ground_point(
    data: Floats, Rg: Mat3, pg: Vec3, y: Vec3, o: int, R: Mat3, p: Vec3, margin: float
):
    """A corner ``y`` of the ground in the body's distance: (distance, direction, world point)."""
    x = Rg @ y + pg
    z = R.T @ (x - p)
    for i in range(3):
        if abs(z[i] - data[o + at.CENTRE + i]) - data[o + at.HALF + i] >= margin:
            return math.inf, x, x
    d, n = field(data, o, z)
    return d, R @ n, x


@jit
def _grid_corners(
    data: Floats,
    og: int,
    Rg: Mat3,
    pg: Vec3,
    o: int,
    R: Mat3,
    p: Vec3,
    margin: float,
    found: Floats2,
):
    """Corners of the grid in the body's reach that stick out of the ground around them."""
    rows, columns, dx, dy = cell_size(data, og)
    c, half = body_extent(data, o, R, p, Rg, pg)
    wide = min(margin, data[o + at.REACH])
    i0, i1 = grid_range(c.x - half.x - wide, c.x + half.x + wide, data[og + 1], dx, rows)
    j0, j1 = grid_range(c.y - half.y - wide, c.y + half.y + wide, data[og + 2], dy, columns)
    for i in range(i0, i1):
        for j in range(j0, j1):
            y = grid_point(data, og, i, j)
            if y.z < c.z - half.z - margin:
                continue
            d, n, x = _ground_point(data, Rg, pg, y, o, R, p, margin)
            if d < margin and _sticks_out(data, og, i, j, y, Rg.T @ n):
                name = CORNERS + i * columns + j
                point, normal = x + -0.5 * d * n, -n
                put(found, name, point, normal, d)


@jit
def _sticks_out(data: Floats, og: int, i: int, j: int, y: Vec3, n: Vec3):
    """Whether the ground around a corner falls away from it, seen against ``n``.

    Along the lines of the grid: between them, ground with a twist only rises from farther on.
    """
    rows, columns, _, _ = cell_size(data, og)
    for k in range(4):
        a, b = i + (k == 0) - (k == 1), j + (k == 2) - (k == 3)
        if 0 <= a < rows and 0 <= b < columns:
            v = grid_point(data, og, a, b) - y
            if v.dot(n) < -1e-3 * math.sqrt(v.dot(v)):
                return False
    return True


@jit
def _mesh_corners(
    data: Floats,
    og: int,
    Rg: Mat3,
    pg: Vec3,
    o: int,
    R: Mat3,
    p: Vec3,
    strict: bool,
    margin: float,
    found: Floats2,
):
    """Corners of the mesh in the body's reach."""
    first = int(data[og + at.VERTICES])
    for k in range(int(data[og + at.N_VERTICES])):
        y = triple(data, first + 3 * k)
        d, n, x = _ground_point(data, Rg, pg, y, o, R, p, margin)
        if d >= margin:
            continue
        if not strict or in_normal_cone(data, og, k, Rg.T @ -n):
            point, normal = x + -0.5 * d * n, -n
            put(found, CORNERS + k, point, normal, d)
