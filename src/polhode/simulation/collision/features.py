"""What a convex shape touches with when it is approached from a direction.

A polygon, a segment or a point of its core, with numbers that stay the same while the
shape moves: of corners, or of places on a circle.
"""

from __future__ import annotations

import math

from ...compiler.jit import Floats, Floats2, jit
from . import layout as at
from .vectors import (
    Rotation,
    Vector,
    along,
    column,
    cross,
    dot,
    place,
    scaled,
    triple,
    turn,
    turn_back,
    unit,
)

UPRIGHT = 1e-7  # a direction this near the axis of a round shape has no side
MOST = 32  # corners of a polygon
ROUND_CAP = 0.7  # a cylinder tilted less than 45 degrees touches with its cap


@jit
def side(d: Vector):
    """The unit direction of ``d`` across z; x where it has none."""
    rho = math.sqrt(d[0] * d[0] + d[1] * d[1])
    if rho < UPRIGHT:
        return (1.0, 0.0, 0.0)
    return (d[0] / rho, d[1] / rho, 0.0)


@jit
def ring(radius: float, z: float, e: Vector, k: int):
    """Place ``k`` of a circle about z, counted from the direction ``e``."""
    angle = 2.0 * math.pi * k / at.RING
    c, s = radius * math.cos(angle), radius * math.sin(angle)
    return (c * e[0] - s * e[1], c * e[1] + s * e[0], z)


@jit
def _put(poly: Floats2, k: int, R: Rotation, p: Vector, point: Vector, name: int):
    x = place(R, p, point)
    poly[k, 0], poly[k, 1], poly[k, 2], poly[k, 3] = x[0], x[1], x[2], name


@jit
def feature(data: Floats, o: int, R: Rotation, p: Vector, direction: Vector, poly: Floats2):
    """Rows x, y, z, number of the corners facing ``direction`` (world); how many."""
    d = turn_back(R, direction)
    kind = int(data[o])
    a, b = data[o + 1], data[o + 2]
    if kind == at.BOX:
        return _box_face(data, o, R, p, d, poly)
    if kind == at.POLYHEDRON:
        return _face(data, o, R, p, d, poly)
    e = side(d)
    sign = math.copysign(1.0, d[2])
    if kind != at.CAPSULE and abs(d[2]) > ROUND_CAP and (kind == at.CYLINDER or sign < 0.0):
        for k in range(at.RING):
            _put(poly, k, R, p, ring(a, sign * b, e, k), k)
        return at.RING
    low = 0.0 if kind == at.CAPSULE else a
    high = a if kind == at.CYLINDER else 0.0
    for k in range(2):
        r, z = (high, b) if k == 0 else (low, -b)
        _put(poly, k, R, p, (r * e[0], r * e[1], z), at.RING + k)
    return 2


@jit
def _box_face(data: Floats, o: int, R: Rotation, p: Vector, d: Vector, poly: Floats2):
    """The face whose normal is nearest to ``d``, counter-clockwise from outside."""
    i = 0
    if abs(d[1]) > abs(d[i]):
        i = 1
    if abs(d[2]) > abs(d[i]):
        i = 2
    out = d[i] >= 0.0
    for k in range(4):
        u = k in (1, 2)
        v = k in (2, 3)
        if not out:
            u, v = v, u
        bits = (int(out) << i) | (int(u) << ((i + 1) % 3)) | (int(v) << ((i + 2) % 3))
        _put(poly, k, R, p, box_corner(data, o, bits), bits)
    return 4


@jit
def box_corner(data: Floats, o: int, bits: int):
    """Corner 0 to 7: bit k tells on which side along axis k."""
    x, y, z = data[o + 1], data[o + 2], data[o + 3]
    return (x if bits & 1 else -x, y if bits & 2 else -y, z if bits & 4 else -z)


@jit
def _face(data: Floats, o: int, R: Rotation, p: Vector, d: Vector, poly: Floats2):
    first = int(data[o + at.FACES])
    best, row = -math.inf, first
    for k in range(first, first + at.FACE * int(data[o + at.N_FACES]), at.FACE):
        height = dot(triple(data, k), d)
        if height > best:
            best, row = height, k
    count, loop = int(data[row + 4]), int(data[row + 5])
    vertices = int(data[o + at.VERTICES])
    kept = min(count, MOST)
    for k in range(kept):
        name = int(data[loop + k * count // kept])  # a face with very many corners: some of them
        _put(poly, k, R, p, triple(data, vertices + 3 * name), name)
    return kept


@jit
def snapped(data: Floats, o: int, R: Rotation, n: Vector):
    """``n``, or the direction of a face or of an upright side of the shape right beside it."""
    kind = int(data[o])
    if kind == at.POLYHEDRON:
        d = turn_back(R, n)
        first = int(data[o + at.FACES])
        best, row = -math.inf, first
        for k in range(first, first + at.FACE * int(data[o + at.N_FACES]), at.FACE):
            height = abs(dot(triple(data, k), d))
            if height > best:
                best, row = height, k
        face = turn(R, triple(data, row))
    elif kind == at.BOX:
        d = turn_back(R, n)
        i = 0
        if abs(d[1]) > abs(d[i]):
            i = 1
        if abs(d[2]) > abs(d[i]):
            i = 2
        face = column(R, i)
    else:
        face = (R[2], R[5], R[8])
        if abs(dot(face, n)) < 0.5:
            return unit(along(n, -dot(face, n), face))
    return face if dot(face, n) >= 0.0 else scaled(-1.0, face)


@jit
def common(Ra: Rotation, Rb: Rotation, i: int, j: int, n: Vector):
    """The direction beside ``n`` square to axis i of a and axis j of b."""
    x = unit(cross(column(Ra, i), column(Rb, j)))
    return x if dot(x, n) >= 0.0 else scaled(-1.0, x)
