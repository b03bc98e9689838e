"""Signed distance from a point to the simple shapes, and the direction away from them.

Negative inside.  Exact, inside too: there it is the way to the nearest surface.
"""

from __future__ import annotations

import math

from ...compiler.jit import Floats, jit
from . import layout as at
from .vectors import Vector, along, cross, dot, scaled, sub, triple, unit


@jit
def solid_distance(data: Floats, o: int, p: Vector):
    """(distance, outward normal) at ``p``, in the shape's coordinates."""
    kind = int(data[o])
    a, b, c = data[o + 1], data[o + 2], data[o + 3]
    if kind == at.PLANE:
        return p[2], (0.0, 0.0, 1.0)
    if kind == at.BOX:
        return _box(a, b, c, p)
    if kind == at.POLYHEDRON:
        return _polyhedron(data, o, p)
    if kind == at.SPHERE:
        return math.sqrt(dot(p, p)) - a, unit(p)
    if kind == at.CAPSULE:
        z = p[2] - min(max(p[2], -b), b)
        if z == 0.0 and p[0] == 0.0 and p[1] == 0.0:
            return -a, (1.0, 0.0, 0.0)
        return math.sqrt(p[0] * p[0] + p[1] * p[1] + z * z) - a, unit((p[0], p[1], z))
    rho = math.sqrt(p[0] * p[0] + p[1] * p[1])
    ex, ey = 1.0, 0.0
    if rho > 0.0:
        ex, ey = p[0] / rho, p[1] / rho
    if kind == at.TORUS:
        n = unit((rho - a, 0.0, p[2]))
        d = math.hypot(rho - a, p[2]) - b
    elif kind == at.CYLINDER:
        d, n = _box(a, 1.0, b, (rho, 0.0, p[2]))
    else:
        d, n = _cone(a, b, rho, p[2])
    return d, (n[0] * ex, n[0] * ey, n[2])


@jit
def _box(a: float, b: float, c: float, p: Vector):
    x, y, z = abs(p[0]) - a, abs(p[1]) - b, abs(p[2]) - c
    sx, sy, sz = math.copysign(1.0, p[0]), math.copysign(1.0, p[1]), math.copysign(1.0, p[2])
    if x > 0.0 or y > 0.0 or z > 0.0:
        v = (sx * max(x, 0.0), sy * max(y, 0.0), sz * max(z, 0.0))
        return math.sqrt(dot(v, v)), unit(v)
    if x >= y and x >= z:
        return x, (sx, 0.0, 0.0)
    if y >= z:
        return y, (0.0, sy, 0.0)
    return z, (0.0, 0.0, sz)


@jit
def _cone(r: float, h: float, rho: float, z: float):
    """In the half-plane through the axis: a triangle with its base at ``-h``."""
    length = math.hypot(r, 2.0 * h)
    nr, nz = 2.0 * h / length, r / length
    base = -h - z
    side = (rho - r) * nr + (z + h) * nz
    if base <= 0.0 and side <= 0.0:
        if base >= side:
            return base, (0.0, 0.0, -1.0)
        return side, (nr, 0.0, nz)
    # The nearest point is on the base or on the side.
    br, bz = rho - min(rho, r), z + h
    t = min(max(((r - rho) * r + (z + h) * 2.0 * h) / (length * length), 0.0), 1.0)
    sr, sz = rho - (r - t * r), z - (-h + t * 2.0 * h)
    if side <= 0.0 or (base > 0.0 and br * br + bz * bz <= sr * sr + sz * sz):
        sr, sz = br, bz
    d = math.hypot(sr, sz)
    if d < 1e-14 * h:
        return d, (nr, 0.0, nz)
    return d, (sr / d, 0.0, sz / d)


@jit
def _polyhedron(data: Floats, o: int, p: Vector):
    first, count = int(data[o + at.FACES]), int(data[o + at.N_FACES])
    deepest, n = -math.inf, (0.0, 0.0, 1.0)
    for f in range(count):
        k = first + at.FACE * f
        d = dot(triple(data, k), p) - data[k + 3]
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
        d = dot(normal, p) - data[k + 3]
        if d > 0.0 and d * d < best:
            v = _to_polygon(data, vertices, int(data[k + 5]), int(data[k + 4]), normal, d, p)
            if dot(v, v) < best:
                best, away = dot(v, v), v
    if best < 1e-28:
        return math.sqrt(best), n
    return math.sqrt(best), unit(away)


@jit
def _to_polygon(
    data: Floats, vertices: int, loop: int, count: int, normal: Vector, d: float, p: Vector
):
    """From the nearest point of a face to ``p``, which is ``d`` above the face's plane."""
    best, away, inside = math.inf, scaled(d, normal), True
    a = triple(data, vertices + 3 * int(data[loop + count - 1]))
    for k in range(count):
        b = triple(data, vertices + 3 * int(data[loop + k]))
        side, rel = sub(b, a), sub(p, a)
        if dot(cross(normal, side), rel) < 0.0:
            inside = False
            t = min(max(dot(side, rel) / dot(side, side), 0.0), 1.0)
            v = along(rel, -t, side)
            if dot(v, v) < best:
                best, away = dot(v, v), v
        a = b
    return scaled(d, normal) if inside else away
