"""Height maps and triangle meshes against other shapes, by sample points of both.

Corners, rims and points along edges of the body, by the ground's distance function; corners of the
ground, by the body's.  For a height map also edges of the body across its convex edges and inside
its cells.  A point is a contact where the normal is one that the shape has there.  So the corners
of flat ground beside a body are no contacts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiler.jit import Floats2, jit
from ..spatial import Mat3, Vec3
from . import shape_layout as at
from .contact_list import (
    FLAT,
    GAP,
    NORMAL,
    POINT,
    REGION,
    ROOM,
    SAME_NORMAL,
    SAME_POINT,
    WITNESS,
    add_contact,
    is_new,
)
from .epa import deepest
from .gjk import RESULT, gjk
from .ground import body_extent, cell_size, grid_point, grid_range, height
from .height_map_cells import cell_contacts
from .height_map_ridges import ridge_contacts
from .height_map_rounds import ANY, is_round, round_contacts
from .mesh import in_normal_cone, is_corner, leaf, nearest_on_mesh, region, to_node
from .mesh_faces import FIELD, face_contacts
from .placed import Placed
from .sample_points import n_samples, n_sides, sample, side_line
from .signed_distance import signed_distance
from .support import world_support
from .support_features import side
from .vectors import triple

TOUCH = 1e-7  # of the reach: how near the nearest points of faces are found
LEVEL = 0.02  # radians by which a point may miss being the farthest one
BENT = 1e-3  # slope by which the ground around a corner may rise to a body that is not round
BETWEEN = 3  # points along an edge over a mesh
LINES = float(1 << 26)  # names: samples, then points along lines, then corners of the ground
CORNERS = float(1 << 40)
NEARLY = 0.99875  # cosine of the angle between a face and a normal that is nearly the face's
_SAME = 1e5  # of 1e-8 of a body: how near contacts of edges are taken for one
NO_CORNER, NO_REGION = -1, -1


@jit
def terrain_contacts(
    ground: Placed,
    shape: Placed,
    margin: float,
    work: Floats2,
    found: Floats2,
):
    """Contacts with a height map or mesh, or of a mesh with a plane; normal out of the ground."""
    if ground.kind == at.PLANE:
        _body_points(ground, shape, True, margin, found)
        return
    if ground.kind == at.MESH:
        face_contacts(ground, shape, margin, work, found)
        _body_points(ground, shape, True, margin, found)
        _mesh_corners(ground, shape, margin, found)
        _faces(ground, shape, margin, work, found)
        return
    ridge_contacts(ground, shape, LEVEL, margin, found)
    cell_contacts(ground, shape, margin, found)
    if is_round(shape):
        round_contacts(ground, shape, margin, found)
    _body_points(ground, shape, True, margin, found)
    _grid_corners(ground, shape, LEVEL if is_round(shape) else BENT, margin, found)
    if is_round(shape) and not _has_overlap(found):
        # The ground's normals may turn over so much of a deep contact that none is left.
        ridge_contacts(ground, shape, ANY, 0.0, found)
        _grid_corners(ground, shape, ANY, 0.0, found)
    if found[ROOM, 0] == 0.0:
        # No corner inside has the normal found there: they lie deep, or only edges cross.
        _body_points(ground, shape, False, margin, found)


@jit
def _has_overlap(found: Floats2):
    least = 0.0
    for k in range(int(found[ROOM, 0])):
        least = min(least, found[k, GAP])
    return least < 0.0


@jit
def _faces(
    ground: Placed,
    shape: Placed,
    margin: float,
    work: Floats2,
    found: Floats2,
):
    """The nearest or deepest points of faces, if no contact so far is as near or overlaps.

    Of two meshes that is the least of all pairs of faces, whichever of them is the ground.
    """
    radius, near = shape.number(at.ROUND), TOUCH * shape.number(at.REACH)
    limit = margin
    for i in range(int(found[ROOM, 0])):
        limit = min(limit, found[i, GAP] - near)
    if limit <= 0.0:
        return
    best, x, n, name = limit + radius, shape.p, shape.p, WITNESS
    if shape.kind > at.SPHERE:
        best, x, n = _nearest_face(ground, shape, best, work)
    else:
        for k in range(int(shape.number(at.N_FACES))):
            face = int(shape.number(at.TRIANGLES)) + at.TRIANGLE * k
            one = Placed(shape.data, face, shape.R, shape.p)
            s, y, m = _nearest_face(ground, one, best, work)
            if s < best:
                best, x, n, name = s, y, m, WITNESS + k
    if best < limit + radius:
        gap = best - radius
        add_contact(found, name, x + 0.5 * gap * n, n, gap)


@jit
def _body_points(
    ground: Placed,
    shape: Placed,
    strict: bool,
    margin: float,
    found: Floats2,
):
    """Corners and points of edges; ``strict``: only where the body has that normal."""
    c = shape.to_world(triple(shape.data, shape.at + at.CENTRE))
    _, n = signed_distance(ground.data, ground.at, ground.to_local(c))
    e = side(shape.R.T @ -(ground.R @ n))
    samples = n_samples(shape.data, shape.at)
    for k in range(samples):
        if shape.kind == at.MESH and not is_corner(shape, k):
            continue
        x = shape.to_world(sample(shape.data, shape.at, k, e))
        _point(ground, shape, Sample(x, k, float(k)), strict, margin, found)
    for k in range(n_sides(shape.data, shape.at)):
        if ground.kind == at.HEIGHTMAP:
            # Of an edge of a mesh it is not known here what normals it has.
            if not strict or not (shape.kind == at.MESH or is_round(shape)):
                _line_on_grid(ground, shape, k, e, strict, margin, found)
        elif shape.kind != at.MESH:
            u, v = side_line(shape.data, shape.at, k, e)
            for i in range(1, BETWEEN + 1):
                x = shape.to_world(u + i / (BETWEEN + 1.0) * (v - u))
                name = LINES + BETWEEN * k + i
                _point(ground, shape, Sample(x, NO_CORNER, name), strict, margin, found)


@jit
def _nearest_face(ground: Placed, shape: Placed, best: float, work: Floats2):
    """(separation, point of the face, normal) of the nearest or deepest face below ``best``.

    Of the core of a body that is round.
    """
    tree, n_nodes = int(ground.number(at.TREE)), int(ground.number(at.N_NODES))
    c = ground.R.T @ (shape.to_world(triple(shape.data, shape.at + at.CENTRE)) - ground.p)
    reach = shape.number(at.REACH)
    x, n = c, c
    k = np.int64(0)
    while k < n_nodes:
        node = tree + at.NODE * k
        far = max(best, 0.0) + reach
        if to_node(shape.data, node, c) >= far * far:
            k = int(shape.data[node + 8])
            continue
        first, last, k = leaf(shape.data, node, k)
        for f in range(first, last):
            face = int(ground.number(at.TRIANGLES)) + at.TRIANGLE * f
            one = Placed(shape.data, face, ground.R, ground.p)
            s = gjk(shape, one, max(best, 0.0), TOUCH * reach, work)
            m = Vec3(work[RESULT, 6], work[RESULT, 7], work[RESULT, 8])
            if s < 0.0:
                s, m = deepest(shape, one, reach, work)
                s = min(s, 0.0)
            if s < best:
                best, n = s, m
                x = Vec3(work[RESULT, 3], work[RESULT, 4], work[RESULT, 5])
    return best, x, n


class Sample(NamedTuple):
    """A point ``x`` of a body (world), the number of its corner or `NO_CORNER`, and its name."""

    x: Vec3
    corner: int
    name: float


@jit
def _point(
    ground: Placed, shape: Placed, sample: Sample, strict: bool, margin: float, found: Floats2
):
    """A contact of a point of the body, the centre of a sphere if the body is round."""
    x, corner, name = sample.x, sample.corner, sample.name
    radius = shape.number(at.ROUND)
    y = ground.to_local(x)
    for i in range(3):
        far = abs(y[i] - ground.number(at.CENTRE + i)) - ground.number(at.HALF + i) - radius
        if far >= margin and (i < 2 or y.z > ground.number(at.CENTRE + 2)):
            return
    d, n, border = _distance(ground, y)
    n = ground.R @ n
    if d - radius >= margin or _is_beside(found, border, 1.0, n):
        return
    down = -n
    if shape.kind == at.MESH:
        if (
            strict
            and corner >= 0
            and not in_normal_cone(shape.data, shape.at, corner, shape.R.T @ down)
        ):
            return
    else:
        v = x - world_support(shape, down)
        if strict and v.dot(n) > LEVEL * math.sqrt(v.dot(v)) + 1e-12 * shape.number(at.REACH):
            return
    middle = x + -0.5 * (d + radius) * n
    size = shape.number(at.REACH)
    # Only corners may touch beside what a flat region and the body have in common.
    near = SAME_POINT * size if corner >= 0 and not is_round(shape) else math.inf
    if ground.kind == at.MESH and _is_flat(found, middle, n, near):
        return
    if corner >= 0 or is_new(found, middle, _SAME * size):
        add_contact(found, name, middle, n, d - radius)


@jit
def _distance(shape: Placed, p: Vec3):
    """(distance, direction away, flat region of a mesh on whose border is the nearest point).

    Elsewhere the last is `NO_REGION`.
    """
    if shape.kind != at.MESH:
        d, n = signed_distance(shape.data, shape.at, p)
        return d, n, NO_REGION
    d, n, face, feature = nearest_on_mesh(shape.data, shape.at, p)
    return d, n, NO_REGION if feature == 0 else region(shape, face)[0]


@jit
def _is_beside(found: Floats2, number: int, field: float, n: Vec3):
    """Whether a point is beside contacts of a flat region, on whose border its nearest point is.

    So are points in a hollow between two regions, and those that have slipped over an edge.
    ``field``: 1 for regions of the ground, `FIELD` for those of the body.
    """
    for k in range(int(found[ROOM, FLAT]) if number != NO_REGION else 0):
        if int(found[k, REGION] / field) % int(FIELD) == number:
            return True
        if triple(found[k], NORMAL).dot(n) > NEARLY:
            return True
    return False


@jit
def _is_flat(found: Floats2, x: Vec3, n: Vec3, near: float):
    """Whether a flat region has a contact with the normal ``n`` that is nearer to ``x``."""
    for k in range(int(found[ROOM, FLAT])):
        m, v = triple(found[k], NORMAL), triple(found[k], POINT) - x
        if m.dot(n) > SAME_NORMAL and v.dot(v) < near * near:
            return True
    return False


@jit
def _line_on_grid(
    ground: Placed,
    shape: Placed,
    k: int,
    e: Vec3,
    strict: bool,
    margin: float,
    found: Floats2,
):
    """Points of line ``k`` of the body over the lines of the grid."""
    rows, columns, dx, dy = cell_size(ground.data, ground.at)
    u, v = side_line(shape.data, shape.at, k, e)
    u, v = (
        ground.to_local(shape.to_world(u)),
        ground.to_local(shape.to_world(v)),
    )
    radius = shape.number(at.ROUND)
    for axis in range(2):
        step, last = (dx, rows - 1) if axis == 0 else (dy, columns - 1)
        a = (u[axis] + ground.number(1 + axis)) / step
        b = (v[axis] + ground.number(1 + axis)) / step
        if abs(b - a) < 1e-9:
            continue
        low, high = max(min(a, b), 0.0), min(max(a, b), float(last))
        for line in range(math.ceil(low), math.floor(high) + 1):
            x = u + (line - a) / (b - a) * (v - u)
            if x.z - height(ground.data, ground.at, x.x, x.y) - radius < 3.0 * margin:
                name = LINES * (1.0 + k) + 2 * line + axis
                world = ground.to_world(x)
                _point(ground, shape, Sample(world, NO_CORNER, name), strict, margin, found)


@jit
def _ground_point(Rg: Mat3, pg: Vec3, y: Vec3, shape: Placed, margin: float):
    """(distance, direction, world point, border) of a corner ``y`` of the ground from the body."""
    x = Rg @ y + pg
    z = shape.to_local(x)
    for i in range(3):
        if abs(z[i] - shape.number(at.CENTRE + i)) - shape.number(at.HALF + i) >= margin:
            return math.inf, x, x, NO_REGION
    d, n, border = _distance(shape, z)
    return d, shape.R @ n, x, border


@jit
def _grid_corners(
    ground: Placed,
    shape: Placed,
    level: float,
    margin: float,
    found: Floats2,
):
    """Corners of the grid in the body's reach that stick out of the ground around them."""
    rows, columns, dx, dy = cell_size(ground.data, ground.at)
    c, half = body_extent(shape, ground.R, ground.p)
    wide = min(margin, shape.number(at.REACH))
    i0, i1 = grid_range(c.x - half.x - wide, c.x + half.x + wide, ground.number(1), dx, rows)
    j0, j1 = grid_range(c.y - half.y - wide, c.y + half.y + wide, ground.number(2), dy, columns)
    for i in range(i0, i1):
        for j in range(j0, j1):
            y = grid_point(ground.data, ground.at, i, j)
            if y.z < c.z - half.z - margin:
                continue
            d, n, x, _ = _ground_point(ground.R, ground.p, y, shape, margin)
            if d < margin and _sticks_out(ground, i, j, y, ground.R.T @ n, level):
                name = CORNERS + i * columns + j
                point, normal = x + -0.5 * d * n, -n
                add_contact(found, name, point, normal, d)


@jit
def _sticks_out(ground: Placed, i: int, j: int, y: Vec3, n: Vec3, level: float):
    """Whether the ground around a corner falls away from it, seen against ``n``.

    It may rise by the slope ``level``.

    Along the lines of the grid: between them, ground with a twist only rises from farther on.
    """
    data, og = ground.data, ground.at
    rows, columns, _, _ = cell_size(data, og)
    for k in range(4):
        a, b = i + (k == 0) - (k == 1), j + (k == 2) - (k == 3)
        if 0 <= a < rows and 0 <= b < columns:
            v = grid_point(data, og, a, b) - y
            if v.dot(n) < -level * math.sqrt(v.dot(v)):
                return False
    return True


@jit
def _mesh_corners(
    ground: Placed,
    shape: Placed,
    margin: float,
    found: Floats2,
):
    """Corners of the mesh in the body's reach."""
    first = int(ground.number(at.VERTICES))
    for k in range(int(ground.number(at.N_VERTICES))):
        if not is_corner(ground, k):
            continue
        y = triple(shape.data, first + 3 * k)
        d, n, x, border = _ground_point(ground.R, ground.p, y, shape, margin)
        if d >= margin or _is_beside(found, border, FIELD, -n):
            continue
        point, normal = x + -0.5 * d * n, -n
        if _is_flat(found, point, normal, SAME_POINT * shape.number(at.REACH)):
            continue
        if in_normal_cone(ground.data, ground.at, k, ground.R.T @ normal):
            add_contact(found, CORNERS + k, point, normal, d)
