"""Surfaces that move against their bodies: belts and turntables."""

from __future__ import annotations

from ...compiler.jit import jit
from ...spatial import Mat3, Vec3
from .contacts import vector
from .system import System


@jit
def belt_velocity(s: System, g: int, f: int, point: Vec3):
    """The part of moving surfaces in the velocity of surface g over f at a point."""
    v = Vec3(0.0, 0.0, 0.0)
    if s.has_belt[g]:
        v = _surface_velocity(s, g, point)
    if s.has_belt[f]:
        v = v - _surface_velocity(s, f, point)
    return v


@jit
def belt_spin(s: System, g: int, f: int):
    """The part of moving surfaces in the angular velocity of surface g over f."""
    w = Vec3(0.0, 0.0, 0.0)
    if s.has_belt[g]:
        w = _surface_spin(s, g)
    if s.has_belt[f]:
        w = w - _surface_spin(s, f)
    return w


@jit
def _surface_velocity(s: System, g: int, point: Vec3):
    """Velocity of the surface of a geometry against its body, in world axes."""
    v = vector(s.belt[g], 3)
    if s.surface_body[g] < 0:
        return v + _surface_spin(s, g).cross(point)
    return _rotation(s, g) @ v + _surface_spin(s, g).cross(point - vector(s.origin[g], 0))


@jit
def _surface_spin(s: System, g: int):
    """Angular velocity of the surface of a geometry against its body, in world axes."""
    w = vector(s.belt[g], 0)
    if s.surface_body[g] < 0:
        return w
    return _rotation(s, g) @ w


@jit
def _rotation(s: System, g: int):
    place = s.rotation[g]
    return Mat3(vector(place[0], 0), vector(place[1], 0), vector(place[2], 0))
