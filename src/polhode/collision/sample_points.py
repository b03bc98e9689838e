"""Sample points and lines of a shape: corners, points on rims, ends of segments, edges."""

from __future__ import annotations

from ..compiler.jit import Floats, jit
from ..spatial import Vec3
from . import shape_layout as at
from .support_features import box_corner, ring
from .vectors import triple


@jit
def n_samples(data: Floats, o: int):
    kind = int(data[o])
    if kind == at.BOX:
        return 8
    if kind == at.POLYHEDRON or kind == at.MESH:
        return int(data[o + at.N_VERTICES])
    if kind == at.CYLINDER:
        return 2 * at.RING
    if kind == at.CONE:
        return at.RING + 1
    return 2 if kind == at.CAPSULE else 1


@jit
def sample(data: Floats, o: int, k: int, e: Vec3):
    """Sample ``k`` of the core, in the shape's coordinates; rims begin in direction ``e``."""
    kind = int(data[o])
    a, b = data[o + 1], data[o + 2]
    if kind == at.BOX:
        return box_corner(data, o, k)
    if kind == at.POLYHEDRON or kind == at.MESH:
        return triple(data, int(data[o + at.VERTICES]) + 3 * k)
    if kind == at.CAPSULE:
        return Vec3(0.0, 0.0, b if k == 0 else -b)
    if kind == at.CYLINDER:
        return ring(a, b if k >= at.RING else -b, e, k)
    if kind == at.CONE:
        return ring(a, -b, e, k) if k < at.RING else Vec3(0.0, 0.0, b)
    return Vec3(0.0, 0.0, 0.0)


@jit
def n_sides(data: Floats, o: int):
    """How many straight lines `side_line` knows: edges, or the lines of round sides."""
    kind = int(data[o])
    if kind == at.BOX:
        return 12
    if kind == at.MESH:
        return 3 * int(data[o + at.N_FACES])
    if kind == at.POLYHEDRON:
        return int(data[o + at.N_SIDES])
    return 1 if kind in (at.CAPSULE, at.CYLINDER, at.CONE) else 0


@jit
def side_line(data: Floats, o: int, k: int, e: Vec3):
    """Both ends of line ``k``; of a round side the one in direction ``e``."""
    kind = int(data[o])
    if kind == at.BOX:
        axis, rest = k >> 2, k & 3
        low = ((rest & 1) << ((axis + 1) % 3)) | ((rest >> 1) << ((axis + 2) % 3))
        return box_corner(data, o, low), box_corner(data, o, low | 1 << axis)
    if kind == at.MESH or kind == at.POLYHEDRON:
        v = int(data[o + at.VERTICES])
        first = int(data[o + (at.FACES if kind == at.MESH else at.SIDES)])
        if kind == at.MESH:
            i, j = first + k, first + 3 * (k // 3) + (k + 1) % 3
        else:
            i, j = first + 2 * k, first + 2 * k + 1
        return triple(data, v + 3 * int(data[i])), triple(data, v + 3 * int(data[j]))
    a, b = data[o + 1], data[o + 2]
    if kind == at.CAPSULE:
        return Vec3(0.0, 0.0, -b), Vec3(0.0, 0.0, b)
    top = a if kind == at.CYLINDER else 0.0
    return Vec3(a * e.x, a * e.y, -b), Vec3(top * e.x, top * e.y, b)
