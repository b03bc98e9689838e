"""Three-vectors as tuples of floats, and rotations as nine, in compiled code."""

from __future__ import annotations

import math

from ...compiler.jit import Floats, Floats2, Floats3, jit

Vector = tuple[float, float, float]
Rotation = tuple[float, float, float, float, float, float, float, float, float]  # row by row


@jit
def dot(a: Vector, b: Vector):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@jit
def cross(a: Vector, b: Vector):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@jit
def sub(a: Vector, b: Vector):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@jit
def along(a: Vector, s: float, b: Vector):
    """``a + s b``."""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@jit
def scaled(s: float, a: Vector):
    return (s * a[0], s * a[1], s * a[2])


@jit
def unit(a: Vector):
    """``a`` at length one; z where it has no length."""
    length = math.sqrt(dot(a, a))
    if length > 1e-300:
        return (a[0] / length, a[1] / length, a[2] / length)
    return (0.0, 0.0, 1.0)


@jit
def turn(R: Rotation, a: Vector):
    """``R a``; a rotation is nine numbers, row by row."""
    return (
        R[0] * a[0] + R[1] * a[1] + R[2] * a[2],
        R[3] * a[0] + R[4] * a[1] + R[5] * a[2],
        R[6] * a[0] + R[7] * a[1] + R[8] * a[2],
    )


@jit
def turn_back(R: Rotation, a: Vector):
    """``R.T a``."""
    return (
        R[0] * a[0] + R[3] * a[1] + R[6] * a[2],
        R[1] * a[0] + R[4] * a[1] + R[7] * a[2],
        R[2] * a[0] + R[5] * a[1] + R[8] * a[2],
    )


@jit
def place(R: Rotation, p: Vector, a: Vector):
    """A point of a frame in the world."""
    return along(turn(R, a), 1.0, p)


@jit
def local(R: Rotation, p: Vector, a: Vector):
    """A point of the world in a frame."""
    return turn_back(R, sub(a, p))


@jit
def column(R: Rotation, k: int):
    if k == 0:
        return (R[0], R[3], R[6])
    if k == 1:
        return (R[1], R[4], R[7])
    return (R[2], R[5], R[8])


@jit
def pose(rotations: Floats3, positions: Floats2, g: int):
    """Rotation and place of shape ``g``, out of arrays."""
    R, p = rotations[g], positions[g]
    row = (R[0, 0], R[0, 1], R[0, 2], R[1, 0], R[1, 1], R[1, 2], R[2, 0], R[2, 1], R[2, 2])
    return row, (p[0], p[1], p[2])


@jit
def triple(data: Floats, k: int):
    """Three numbers of an array."""
    return (data[k], data[k + 1], data[k + 2])


@jit
def tangents(n: Vector):
    """Two unit vectors that make a right-handed frame with the unit vector ``n``."""
    if abs(n[0]) <= abs(n[1]) and abs(n[0]) <= abs(n[2]):
        e = (1.0, 0.0, 0.0)
    elif abs(n[1]) <= abs(n[2]):
        e = (0.0, 1.0, 0.0)
    else:
        e = (0.0, 0.0, 1.0)
    u = unit(cross(n, e))
    return u, cross(n, u)
