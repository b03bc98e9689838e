"""Farthest points of convex shapes, and the difference of two shapes in the world."""

from __future__ import annotations

import math

from ...compiler.jit import Floats, jit
from . import layout as at
from .vectors import Rotation, Vector, along, dot, place, scaled, triple, turn_back


@jit
def support(data: Floats, o: int, d: Vector):
    """The farthest point of a shape's core in the direction ``d``, in its coordinates.

    A point or a segment is the core of a sphere or a capsule; other shapes are their own.
    """
    kind = int(data[o])
    a, b, c = data[o + 1], data[o + 2], data[o + 3]
    if kind == at.BOX:
        return (math.copysign(a, d[0]), math.copysign(b, d[1]), math.copysign(c, d[2]))
    if kind == at.POLYHEDRON:
        first = int(data[o + at.VERTICES])
        best, far = -math.inf, first
        for k in range(first, first + 3 * int(data[o + at.N_VERTICES]), 3):
            height = dot(triple(data, k), d)
            if height > best:
                best, far = height, k
        return triple(data, far)
    if kind == at.SPHERE:
        return (0.0, 0.0, 0.0)
    z = math.copysign(b, d[2])
    rho = math.sqrt(d[0] * d[0] + d[1] * d[1])
    if kind == at.CAPSULE:
        return (0.0, 0.0, z)
    if kind == at.CONE:
        if d[2] * 2.0 * b >= rho * a:
            return (0.0, 0.0, b)
        z = -b
    if rho < 1e-300:
        return (a, 0.0, z)
    return (a * d[0] / rho, a * d[1] / rho, z)


@jit
def world_support(data: Floats, o: int, R: Rotation, p: Vector, d: Vector):
    """The farthest point of the core in the world."""
    return place(R, p, support(data, o, turn_back(R, d)))


@jit
def separation(
    data: Floats, oa: int, Ra: Rotation, pa: Vector, ob: int, Rb: Rotation, pb: Vector, n: Vector
):
    """How far shape a's core lies above b's along the unit vector ``n``; negative: overlap."""
    top = world_support(data, ob, Rb, pb, n)
    low = world_support(data, oa, Ra, pa, scaled(-1.0, n))
    return dot(n, along(low, -1.0, top))
