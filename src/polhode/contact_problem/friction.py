"""Coulomb's friction: the sets of its impulses, and the projection on them.

The set is a disk or polygon whose radius is mu times the normal impulse; without slip the plane.
"""

from __future__ import annotations

import math

from ..compiler.jit import jit

INSIDE = 0
CURVE = 1
EDGE = 2
CORNER = 3


@jit
def radius(mu: float, widening: float, normal: float):
    """Radius of the friction disk under the normal impulse ``normal``."""
    if mu == math.inf:
        return mu
    if normal <= 0.0:
        return widening
    if widening == 0.0:
        return mu * normal
    return math.sqrt(mu * mu * normal * normal + widening * widening)


@jit
def radius_slope(mu: float, normal: float, size: float):
    """Derivative of the radius ``size`` by the normal impulse."""
    if normal <= 0.0 or size <= 0.0:
        return mu if size <= 0.0 else 0.0
    return mu * (mu * normal / size)


@jit
def nearest(z1: float, z2: float, size: float, edges: int):
    """Coulomb's law, the projection of z on the set: (state, x1, x2, d1, d2).

    ``d`` is the outward direction that the point scales with, so that the point is
    ``size d`` (CURVE, CORNER) or has ``x . d = size |d|^2`` (EDGE).
    """
    if edges < 3:
        length = math.hypot(z1, z2)
        if length <= size:
            return INSIDE, z1, z2, 0.0, 0.0
        d1, d2 = z1 / length, z2 / length
        return CURVE, size * d1, size * d2, d1, d2
    if edges == 4:
        return nearest_in_square(z1, z2, size)
    return nearest_in_polygon(z1, z2, size, edges)


@jit
def nearest_in_square(z1: float, z2: float, size: float):
    """As `nearest`, in the square ``|x1| + |x2| <= size``."""
    a, b = abs(z1), abs(z2)
    if a + b <= size:
        return INSIDE, z1, z2, 0.0, 0.0
    sign1, sign2 = math.copysign(1.0, z1), math.copysign(1.0, z2)
    if abs(a - b) < size:
        x1, x2 = 0.5 * (size + a - b) * sign1, 0.5 * (size + b - a) * sign2
        return EDGE, x1, x2, 0.5 * sign1, 0.5 * sign2
    d1 = sign1 if a >= b else 0.0
    d2 = sign2 if b > a else 0.0
    return CORNER, size * d1, size * d2, d1, d2


@jit
def nearest_in_polygon(z1: float, z2: float, size: float, edges: int):
    """As `nearest`, in a regular polygon with a corner on the first axis."""
    wedge = 2.0 * math.pi / edges
    if math.hypot(z1, z2) <= size * math.cos(0.5 * wedge):
        return INSIDE, z1, z2, 0.0, 0.0
    middle = (math.floor(math.atan2(z2, z1) / wedge) + 0.5) * wedge
    c, s = math.cos(middle), math.sin(middle)
    depth, reach = size * math.cos(0.5 * wedge), size * math.sin(0.5 * wedge)
    out, along = c * z1 + s * z2, c * z2 - s * z1
    if out <= depth:
        return INSIDE, z1, z2, 0.0, 0.0
    if abs(along) < reach:
        apothem = math.cos(0.5 * wedge)
        return EDGE, depth * c - along * s, depth * s + along * c, apothem * c, apothem * s
    corner = middle + math.copysign(0.5 * wedge, along)
    d1, d2 = math.cos(corner), math.sin(corner)
    return CORNER, size * d1, size * d2, d1, d2
