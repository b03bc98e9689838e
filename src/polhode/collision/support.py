"""Farthest points of convex shapes, and the difference of two shapes in the world."""

from __future__ import annotations

import math

from ..compiler.jit import Floats, jit
from ..spatial import Vec3
from . import shape_layout as at
from .direction_cells import farthest, highest
from .placed import Placed
from .vectors import triple


@jit
def farthest_corner(data: Floats, o: int, d: Vec3):
    """The number of the farthest corner of a polyhedron."""
    cells = int(data[o + at.CORNER_CELLS])
    if cells > 0:
        return farthest(data, cells, d)[0]
    return highest(data, int(data[o + at.VERTICES]), 3, int(data[o + at.N_VERTICES]), d)[0]


@jit
def farthest_face(data: Floats, o: int, d: Vec3):
    """(place, cosine) of the face whose normal is nearest to the unit vector ``d``."""
    cells, first = int(data[o + at.FACE_CELLS]), int(data[o + at.FACES])
    if cells > 0:
        face, cosine = farthest(data, cells, d)
    else:
        face, cosine = highest(data, first, at.FACE, int(data[o + at.N_FACES]), d)
    return first + at.FACE * face, cosine


@jit
def support(data: Floats, o: int, d: Vec3):
    """The farthest point of a shape's core in the direction ``d``, in its coordinates.

    A point or a segment is the core of a sphere or a capsule; other shapes are their own.
    """
    kind = int(data[o])
    a, b, c = data[o + 1], data[o + 2], data[o + 3]
    if kind == at.BOX:
        return Vec3(math.copysign(a, d.x), math.copysign(b, d.y), math.copysign(c, d.z))
    if kind == at.POLYHEDRON:
        return triple(data, int(data[o + at.VERTICES]) + 3 * farthest_corner(data, o, d))
    if kind == at.SPHERE:
        return Vec3(0.0, 0.0, 0.0)
    z = math.copysign(b, d.z)
    rho = math.sqrt(d.x * d.x + d.y * d.y)
    if kind == at.CAPSULE:
        return Vec3(0.0, 0.0, z)
    if kind == at.CONE:
        if d.z * 2.0 * b >= rho * a:
            return Vec3(0.0, 0.0, b)
        z = -b
    if rho < 1e-300:
        return Vec3(a, 0.0, z)
    return Vec3(a * d.x / rho, a * d.y / rho, z)


@jit
def world_support(shape: Placed, d: Vec3):
    """The farthest point of the core in the world."""
    return shape.R @ support(shape.data, shape.at, shape.R.T @ d) + shape.p


@jit
def separation(a: Placed, b: Placed, n: Vec3):
    """How far shape a's core lies above b's along the unit vector ``n``; negative: overlap."""
    top = world_support(b, n)
    low = world_support(a, -n)
    return n.dot(low - top)
