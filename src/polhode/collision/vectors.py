"""Vectors and rotations that collision needs beside the algebra of `polhode.spatial`."""

from __future__ import annotations

import math

from ..compiler.jit import Floats, Floats2, Floats3, jit
from ..spatial import Mat3, Vec3


@jit
def unit(a: Vec3):
    """``a`` at length one; z where it has no length."""
    length = math.sqrt(a.dot(a))
    if length > 1e-300:
        return Vec3(a.x / length, a.y / length, a.z / length)
    return Vec3(0.0, 0.0, 1.0)


@jit
def column(R: Mat3, k: int):
    """Column ``k`` of a matrix."""
    if k == 0:
        return R.T.x
    if k == 1:
        return R.T.y
    return R.T.z


@jit
def pose(rotations: Floats3, positions: Floats2, g: int):
    """Rotation and position of shape ``g``, out of arrays."""
    R, p = rotations[g], positions[g]
    rows = Mat3(
        Vec3(R[0, 0], R[0, 1], R[0, 2]),
        Vec3(R[1, 0], R[1, 1], R[1, 2]),
        Vec3(R[2, 0], R[2, 1], R[2, 2]),
    )
    return rows, Vec3(p[0], p[1], p[2])


@jit
def triple(data: Floats, k: int):
    """The vector of three numbers of an array, from ``k`` on."""
    return Vec3(data[k], data[k + 1], data[k + 2])


@jit
def tangents(n: Vec3):
    """Two unit vectors that make a right-handed frame with the unit vector ``n``."""
    if abs(n.x) <= abs(n.y) and abs(n.x) <= abs(n.z):
        e = Vec3(1.0, 0.0, 0.0)
    elif abs(n.y) <= abs(n.z):
        e = Vec3(0.0, 1.0, 0.0)
    else:
        e = Vec3(0.0, 0.0, 1.0)
    u = unit(n.cross(e))
    return u, n.cross(u)
