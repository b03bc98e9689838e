"""Contacts of flat parts of a mesh with faces and round sides that lie along them.

The support feature of the body is clipped by each triangle near it.  Corners of the intersection
are contacts where they are corners of what the whole flat region and the body have in common.
Edges between triangles of one region have none of their own.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiler.jit import Floats, Floats2, jit
from ..spatial import Vec3
from . import shape_layout as at
from .contact_list import FLAT, REGION, ROOM, add_contact, has_name
from .gjk import RESULT
from .mesh import leaf, mesh_distance, region, to_node
from .patch import CUT, EDGE, MOST, THIRD, A, B, clipped, flatten, slope
from .placed import Placed
from .support import world_support
from .support_features import feature
from .vectors import tangents, triple

LEVEL = 0.05  # slope below which a face or a side lies along a triangle
FLUSH = 2.0**50  # names: corners of the body, of the region, and where their edges cross
FIELD = 2.0**25  # each of two numbers
WHOLE = -1
# The row `THIRD` of `work`: how many regions are known to be the way out, how many triangles were
# taken for none, and whether these are looked at again.  The rows after it: those regions.
KNOWN, REFUSED, AGAIN = 0, 1, 2
MOST_KNOWN = RESULT - THIRD - 1


class MeshTriangle(NamedTuple):
    """Face ``f`` of a mesh in the world: corner ``x``, normal ``n`` and two directions in it."""

    f: int
    x: Vec3
    n: Vec3
    u: Vec3
    v: Vec3


class ClippedRows(NamedTuple):
    """Rows of `work` as `clipped` makes them, from ``first`` on."""

    work: np.ndarray
    first: int
    count: int


class BodyOnMesh(NamedTuple):
    """What lies on a mesh: face ``f`` of ``shape`` if that is a mesh, otherwise all of it.

    ``core`` is the same as a convex shape.
    """

    shape: Placed
    f: int
    core: Placed


@jit
def face_contacts(ground: Placed, shape: Placed, margin: float, work: Floats2, found: Floats2):
    """Contacts of a convex shape or a mesh with the flat regions of a mesh, normal out of it."""
    state = work[THIRD]
    state[KNOWN], state[REFUSED], state[AGAIN] = 0.0, 0.0, 0.0
    _with_faces(ground, shape, margin, work, found)
    if state[KNOWN] > 0.0 and state[REFUSED] > 0.0:
        # Of a region that is the way out, a narrow part beside its border may have been refused.
        state[AGAIN] = 1.0
        found[ROOM, 0] = 0.0
        _with_faces(ground, shape, margin, work, found)
    found[ROOM, FLAT] = found[ROOM, 0]


@jit
def _with_faces(ground: Placed, shape: Placed, margin: float, work: Floats2, found: Floats2):
    if shape.kind != at.MESH:
        _under(ground, BodyOnMesh(shape, WHOLE, shape), margin, work, found)
        return
    for f in range(int(shape.number(at.N_FACES))):
        place = int(shape.number(at.TRIANGLES)) + at.TRIANGLE * f
        core = Placed(shape.data, place, shape.R, shape.p)
        _under(ground, BodyOnMesh(shape, f, core), margin, work, found)


@jit
def _under(ground: Placed, body: BodyOnMesh, margin: float, work: Floats2, found: Floats2):
    """Contacts with the triangles in the body's reach."""
    data, tree, n_nodes = ground.data, int(ground.number(at.TREE)), int(ground.number(at.N_NODES))
    core = body.core
    c = ground.to_local(core.to_world(triple(data, core.at + at.CENTRE)))
    reach = core.number(at.REACH) + margin
    k = np.int64(0)
    while k < n_nodes:
        node = tree + at.NODE * k
        if to_node(data, node, c) >= reach * reach:
            k = int(data[node + 8])
            continue
        first, last, k = leaf(data, node, k)
        for f in range(first, last):
            _over(ground, body, f, margin, work, found)


@jit
def _normal(mesh: Placed, f: int):
    return triple(mesh.data, int(mesh.number(at.NORMALS)) + at.NORMAL * f)


@jit
def _vertex(mesh: Placed, f: int, k: int):
    """Number of corner ``k`` of a face."""
    return int(mesh.data[int(mesh.number(at.FACES)) + 3 * f + k])


@jit
def _corner(mesh: Placed, f: int, k: int):
    return triple(mesh.data, int(mesh.number(at.VERTICES)) + 3 * _vertex(mesh, f, k))


@jit
def _faces(body: BodyOnMesh, n: Vec3):
    """Whether the outside of a body may look at a face with the normal ``n``."""
    if body.f == WHOLE:
        return True
    m = body.shape.R @ _normal(body.shape, body.f)
    return m.dot(n) < -1.0 / math.sqrt(1.0 + LEVEL * LEVEL)


@jit
def _over(ground: Placed, body: BodyOnMesh, f: int, margin: float, work: Floats2, found: Floats2):
    """Contacts of a body with one triangle."""
    radius = body.shape.number(at.ROUND)
    n = ground.R @ _normal(ground, f)
    if not _faces(body, n):
        return
    x = ground.to_world(_corner(ground, f, 0))
    low = n.dot(world_support(body.core, -n) - x) - radius
    if low >= margin or low <= -body.core.number(at.REACH):
        return
    u, v = tangents(n)
    face = MeshTriangle(f, x, n, u, v)
    count = _put_body(body, -n, work[A:])
    flatten(work[A:], count, face.x, u, v, n)
    steepness = _steepness(work[A:], count)
    if not steepness < LEVEL:  # nor of a face that is seen edge-on
        return
    _put_corners(ground, face.f, work[B:])
    flatten(work[B:], 3, face.x, u, v, n)
    slack = 1e-9 * (ground.number(at.REACH) + body.shape.number(at.REACH))
    row, rows = clipped(work[A : A + MOST], count, work[B : B + MOST], 3, work, slack)
    if rows == 0 or not _counts(ground, body, face, ClippedRows(work, row, rows), slack):
        return
    for k in range(row, row + rows):
        # A round end reaches down by its radius, a side that is cut between its ends upright.
        below = radius if work[k, 4] < CUT else radius * math.hypot(1.0, steepness)
        gap = work[k, 2] - work[k, 3] - below
        name = _name(ground, body, face.f, int(work[k, 4]))
        if gap < margin and name > 0.0 and not has_name(found, name):
            x = _place(face, work[k], 0.5 * (work[k, 2] - below + work[k, 3]))
            add_contact(found, name, x, n, gap)
            found[int(found[ROOM, 0]) - 1, REGION] = _regions(ground, body, f)


@jit
def _put_corners(mesh: Placed, f: int, poly: Floats2):
    for k in range(3):
        x = mesh.to_world(_corner(mesh, f, k))
        poly[k, 0], poly[k, 1], poly[k, 2], poly[k, 3] = x.x, x.y, x.z, k


@jit
def _put_body(body: BodyOnMesh, down: Vec3, poly: Floats2):
    """Rows x, y, z, number of what looks down; how many."""
    if body.f == WHOLE:
        return feature(body.shape, down, poly)
    _put_corners(body.shape, body.f, poly)
    return 3


@jit
def _steepness(poly: Floats2, count: int):
    """Slope of a flattened polygon or segment; infinite of one that is upright."""
    if count == 2:
        rise = abs(poly[1, 2] - poly[0, 2])
        run = math.hypot(poly[1, 0] - poly[0, 0], poly[1, 1] - poly[0, 1])
        return rise / run if run > LEVEL * rise else math.inf
    su, sv = slope(poly, count)
    return math.hypot(su, sv)


@jit
def _place(face: MeshTriangle, row: Floats, height: float):
    return face.x + row[0] * face.u + row[1] * face.v + height * face.n


@jit
def _regions(ground: Placed, body: BodyOnMesh, f: int):
    """One number for the flat regions of both."""
    number = float(region(ground, f)[0])
    if body.f != WHOLE:
        number += FIELD * region(body.shape, body.f)[0]
    return number


@jit
def _counts(ground: Placed, body: BodyOnMesh, face: MeshTriangle, rows: ClippedRows, slack: float):
    """Whether rows of a triangle are contacts: apart, or of a region that is the way out."""
    work, radius = rows.work, body.shape.number(at.ROUND)
    least = math.inf
    for k in range(rows.first, rows.first + rows.count):
        least = min(least, work[k, 2] - radius - work[k, 3])
    if least >= -slack:
        return True
    state, regions = work[THIRD], _regions(ground, body, face.f)
    for k in range(int(state[KNOWN])):
        if work[THIRD + 1 + k, 0] == regions:
            return True
    if state[AGAIN] == 1.0:
        return False
    if not _is_way_out(ground, body, face, rows, slack):
        state[REFUSED] += 1.0
        return False
    if state[KNOWN] < MOST_KNOWN:
        work[THIRD + 1 + int(state[KNOWN]), 0] = regions
        state[KNOWN] += 1.0
    return True


@jit
def _is_way_out(
    ground: Placed, body: BodyOnMesh, face: MeshTriangle, rows: ClippedRows, slack: float
):
    """Whether what overlaps is pushed out through the face, by the distance from its middle.

    The way to a side is at most twice that from the middle.  So the distance from the middle may
    be as short as half of the depth.
    """
    middle = Vec3(0.0, 0.0, 0.0)
    low, high = 0.0, 0.0
    share, radius = 1.0 / rows.count, body.shape.number(at.ROUND)
    for k in range(rows.first, rows.first + rows.count):
        row = rows.work[k]
        middle = middle + share * _place(face, row, 0.0)
        low += share * row[3]
        high += share * (row[2] - radius)
    if high >= low:
        return True
    most = 0.5 * (high - low) + slack
    if not _is_below(ground, middle + high * face.n, face.n, most):
        return False
    return body.f == WHOLE or _is_below(body.shape, middle + low * face.n, -face.n, most)


@jit
def _is_below(mesh: Placed, x: Vec3, n: Vec3, most: float):
    """Whether the distance is ``most`` at most, and not to what looks away from ``n``."""
    d, out = mesh_distance(mesh.data, mesh.at, mesh.to_local(x))
    return d <= most and (mesh.R @ out).dot(n) > -0.5


@jit
def _name(ground: Placed, body: BodyOnMesh, f: int, row: int):
    """The name of a row of `clipped`; 0 where it is no corner of the whole intersection."""
    number, own = region(ground, f)
    other = 63
    if body.f != WHOLE:
        _, other = region(body.shape, body.f)
    if row < CUT:
        if not other & 8 << row % 3:
            return 0.0
        corner = row if body.f == WHOLE else _vertex(body.shape, body.f, row)
        return FLUSH + FIELD * corner + number
    edge, rest = row // CUT - 1, row % CUT
    if rest >= EDGE:
        corner = 2 * (edge + rest - EDGE + 1) % 3  # between two edges: 0-1 and 1-2 meet in 1
        if not own & 8 << corner:
            return 0.0
        return 2.0 * FLUSH + FIELD * _vertex(ground, f, corner) + number
    if not (own & 1 << edge and other & 1 << rest % 3):
        return 0.0
    side = rest if body.f == WHOLE else 3 * body.f + rest
    return 3.0 * FLUSH + FIELD * side + (3 * f + edge)
