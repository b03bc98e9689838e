"""The support feature of a convex shape in a direction: a polygon, a segment or a point.

Its corners have numbers that stay the same while the shape moves: of corners of the shape's
core, or of places on a circle.
"""

from __future__ import annotations

import math

from ..compiler.jit import Floats, Floats2, jit
from ..spatial import Mat3, Vec3
from . import shape_layout as at
from .placed import Placed
from .support import farthest_face
from .vectors import column, triple, unit

UPRIGHT = 1e-7  # a direction this near the axis of a round shape has no side
MOST = 32  # corners of a polygon
ROUND_CAP = 0.7  # a cylinder tilted less than 45 degrees touches with its cap


@jit
def side(d: Vec3):
    """The unit direction of ``d`` across z; x where it has none."""
    rho = math.sqrt(d.x * d.x + d.y * d.y)
    if rho < UPRIGHT:
        return Vec3(1.0, 0.0, 0.0)
    return Vec3(d.x / rho, d.y / rho, 0.0)


@jit
def ring(radius: float, z: float, e: Vec3, k: int):
    """Place ``k`` of a circle about z, counted from the direction ``e``."""
    angle = 2.0 * math.pi * k / at.RING
    c, s = radius * math.cos(angle), radius * math.sin(angle)
    return Vec3(c * e.x - s * e.y, c * e.y + s * e.x, z)


@jit
def _put(poly: Floats2, k: int, R: Mat3, p: Vec3, point: Vec3, name: int):
    x = R @ point + p
    poly[k, 0], poly[k, 1], poly[k, 2], poly[k, 3] = x.x, x.y, x.z, name


@jit
def feature(shape: Placed, direction: Vec3, poly: Floats2):
    """Rows x, y, z, number of the corners facing ``direction`` (world); how many."""
    d = shape.R.T @ direction
    kind = shape.kind
    a, b = shape.number(1), shape.number(2)
    if kind == at.BOX:
        return _box_face(shape, d, poly)
    if kind == at.POLYHEDRON:
        return _face(shape, d, poly)
    e = side(d)
    sign = math.copysign(1.0, d.z)
    if kind != at.CAPSULE and abs(d.z) > ROUND_CAP and (kind == at.CYLINDER or sign < 0.0):
        for k in range(at.RING):
            _put(poly, k, shape.R, shape.p, ring(a, sign * b, e, k), k)
        return at.RING
    low = 0.0 if kind == at.CAPSULE else a
    high = a if kind == at.CYLINDER else 0.0
    for k in range(2):
        r, z = (high, b) if k == 0 else (low, -b)
        _put(poly, k, shape.R, shape.p, Vec3(r * e.x, r * e.y, z), at.RING + k)
    return 2


@jit
def _box_face(shape: Placed, d: Vec3, poly: Floats2):
    """The face whose normal is nearest to ``d``, counter-clockwise from outside."""
    i = 0
    if abs(d.y) > abs(d[i]):
        i = 1
    if abs(d.z) > abs(d[i]):
        i = 2
    out = d[i] >= 0.0
    for k in range(4):
        u = k in (1, 2)
        v = k in (2, 3)
        if not out:
            u, v = v, u
        bits = (int(out) << i) | (int(u) << ((i + 1) % 3)) | (int(v) << ((i + 2) % 3))
        _put(poly, k, shape.R, shape.p, box_corner(shape.data, shape.at, bits), bits)
    return 4


@jit
def box_corner(data: Floats, o: int, bits: int):
    """Corner 0 to 7: bit k tells on which side along axis k."""
    x, y, z = data[o + 1], data[o + 2], data[o + 3]
    return Vec3(x if bits & 1 else -x, y if bits & 2 else -y, z if bits & 4 else -z)


@jit
def _face(shape: Placed, d: Vec3, poly: Floats2):
    row, _ = farthest_face(shape.data, shape.at, d)
    count, loop = int(shape.data[row + 4]), int(shape.data[row + 5])
    vertices = int(shape.number(at.VERTICES))
    kept = min(count, MOST)
    for k in range(kept):
        name = int(
            shape.data[loop + k * count // kept]
        )  # a face with very many corners: some of them
        _put(poly, k, shape.R, shape.p, triple(shape.data, vertices + 3 * name), name)
    return kept


@jit
def face_towards(shape: Placed, direction: Vec3):
    """The normal of the face of a box or polyhedron that is nearest to a direction (world)."""
    d = shape.R.T @ direction
    if shape.kind == at.POLYHEDRON:
        return shape.R @ triple(shape.data, farthest_face(shape.data, shape.at, unit(d))[0])
    i = 0
    if abs(d.y) > abs(d[i]):
        i = 1
    if abs(d.z) > abs(d[i]):
        i = 2
    face = column(shape.R, i)
    return face if d[i] >= 0.0 else -face


@jit
def snapped(data: Floats, o: int, R: Mat3, n: Vec3):
    """``n``, or the direction of a face or of an upright side of the shape right beside it."""
    kind = int(data[o])
    if kind == at.POLYHEDRON:
        d = R.T @ n
        beside, cosine = farthest_face(data, o, d)
        behind, other = farthest_face(data, o, -d)
        face = R @ triple(data, behind if other > cosine else beside)
    elif kind == at.BOX:
        d = R.T @ n
        i = 0
        if abs(d.y) > abs(d[i]):
            i = 1
        if abs(d.z) > abs(d[i]):
            i = 2
        face = column(R, i)
    else:
        face = R.T.z
        if abs(face.dot(n)) < 0.5:
            return unit(n - face.dot(n) * face)
    return face if face.dot(n) >= 0.0 else -face


@jit
def common(Ra: Mat3, Rb: Mat3, i: int, j: int, n: Vec3):
    """The direction beside ``n`` square to axis i of a and axis j of b."""
    x = unit(column(Ra, i).cross(column(Rb, j)))
    return x if x.dot(n) >= 0.0 else -x
