"""Signed distance from a point to the simple shapes, and the direction away from them.

Negative inside.  Exact, inside too: there it is the way to the nearest surface.
"""

from __future__ import annotations

import math

from ..compiler.jit import Floats, jit
from ..spatial import Vec3
from . import shape_layout as at
from .vectors import triple, unit


@jit
def solid_distance(data: Floats, o: int, p: Vec3):
    """(distance, outward normal) at ``p``, in the shape's coordinates."""
    kind = int(data[o])
    a, b, c = data[o + 1], data[o + 2], data[o + 3]
    if kind == at.PLANE:
        return p.z, Vec3(0.0, 0.0, 1.0)
    if kind == at.BOX:
        return _box(a, b, c, p)
    if kind == at.POLYHEDRON:
        return _polyhedron(data, o, p)
    if kind == at.SPHERE:
        return math.sqrt(p.dot(p)) - a, unit(p)
    if kind == at.CAPSULE:
        z = p.z - min(max(p.z, -b), b)
        if z == 0.0 and p.x == 0.0 and p.y == 0.0:
            return -a, Vec3(1.0, 0.0, 0.0)
        return math.sqrt(p.x * p.x + p.y * p.y + z * z) - a, unit(Vec3(p.x, p.y, z))
    rho = math.sqrt(p.x * p.x + p.y * p.y)
    ex, ey = 1.0, 0.0
    if rho > 0.0:
        ex, ey = p.x / rho, p.y / rho
    if kind == at.TORUS:
        n = unit(Vec3(rho - a, 0.0, p.z))
        d = math.hypot(rho - a, p.z) - b
    elif kind == at.CYLINDER:
        d, n = _box(a, math.inf, b, Vec3(rho, 0.0, p.z))
    else:
        d, n = _cone(a, b, rho, p.z)
    return d, Vec3(n.x * ex, n.x * ey, n.z)


@jit
def _box(a: float, b: float, c: float, p: Vec3):
    x, y, z = abs(p.x) - a, abs(p.y) - b, abs(p.z) - c
    sx, sy, sz = math.copysign(1.0, p.x), math.copysign(1.0, p.y), math.copysign(1.0, p.z)
    if x > 0.0 or y > 0.0 or z > 0.0:
        v = Vec3(sx * max(x, 0.0), sy * max(y, 0.0), sz * max(z, 0.0))
        return math.sqrt(v.dot(v)), unit(v)
    if x >= y and x >= z:
        return x, Vec3(sx, 0.0, 0.0)
    if y >= z:
        return y, Vec3(0.0, sy, 0.0)
    return z, Vec3(0.0, 0.0, sz)


@jit
def _cone(r: float, h: float, rho: float, z: float):
    """In the half-plane through the axis: a triangle with its base at ``-h``."""
    length = math.hypot(r, 2.0 * h)
    nr, nz = 2.0 * h / length, r / length
    base = -h - z
    side = (rho - r) * nr + (z + h) * nz
    if base <= 0.0 and side <= 0.0:
        if base >= side:
            return base, Vec3(0.0, 0.0, -1.0)
        return side, Vec3(nr, 0.0, nz)
    # The nearest point is on the base or on the side.
    br, bz = rho - min(rho, r), z + h
    t = min(max(((r - rho) * r + (z + h) * 2.0 * h) / (length * length), 0.0), 1.0)
    sr, sz = rho - (r - t * r), z - (-h + t * 2.0 * h)
    if side <= 0.0 or (base > 0.0 and br * br + bz * bz <= sr * sr + sz * sz):
        sr, sz = br, bz
    d = math.hypot(sr, sz)
    if d < 1e-14 * h:
        return d, Vec3(nr, 0.0, nz)
    return d, Vec3(sr / d, 0.0, sz / d)


@jit
def _polyhedron(data: Floats, o: int, p: Vec3):
    first, count = int(data[o + at.FACES]), int(data[o + at.N_FACES])
    deepest, n = -math.inf, Vec3(0.0, 0.0, 1.0)
    for f in range(count):
        k = first + at.FACE * f
        d = triple(data, k).dot(p) - data[k + 3]
        if d > deepest:
            deepest, n = d, triple(data, k)
    if deepest <= 0.0:
        return deepest, n
    vertices = int(data[o + at.VERTICES])
    best = math.inf
    away = n
    for f in range(count):
        k = first + at.FACE * f
        normal = triple(data, k)
        d = normal.dot(p) - data[k + 3]
        if d > 0.0 and d * d < best:
            v = _to_polygon(data, vertices, int(data[k + 5]), int(data[k + 4]), normal, d, p)
            if v.dot(v) < best:
                best, away = v.dot(v), v
    if best < 1e-28:
        return math.sqrt(best), n
    return math.sqrt(best), unit(away)


@jit
def _to_polygon(
    data: Floats, vertices: int, loop: int, count: int, normal: Vec3, d: float, p: Vec3
):
    """From the nearest point of a face to ``p``, which is ``d`` above the face's plane."""
    best, away, inside = math.inf, d * normal, True
    a = triple(data, vertices + 3 * int(data[loop + count - 1]))
    for k in range(count):
        b = triple(data, vertices + 3 * int(data[loop + k]))
        side, rel = b - a, p - a
        if normal.cross(side).dot(rel) < 0.0:
            inside = False
            t = min(max(side.dot(rel) / side.dot(side), 0.0), 1.0)
            v = rel - t * side
            if v.dot(v) < best:
                best, away = v.dot(v), v
        a = b
    return d * normal if inside else away
