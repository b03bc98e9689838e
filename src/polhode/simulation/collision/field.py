"""Signed distance from a point to any shape."""

from __future__ import annotations

from ...compiler.jit import Floats, jit
from . import layout as at
from .ground import ground_distance
from .mesh import mesh_distance
from .solids import solid_distance
from .vectors import Vector


@jit
def field(data: Floats, o: int, p: Vector):
    """(distance, direction away) at ``p``, in the shape's coordinates; negative inside."""
    kind = int(data[o])
    if kind == at.MESH:
        return mesh_distance(data, o, p)
    if kind == at.HEIGHTMAP:
        return ground_distance(data, o, p)
    return solid_distance(data, o, p)
