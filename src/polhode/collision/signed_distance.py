"""Signed distance from a point to any shape."""

from __future__ import annotations

from ..compiler.jit import Floats, jit
from ..spatial import Vec3
from . import shape_layout as at
from .ground import ground_distance
from .mesh import mesh_distance
from .solids import solid_distance


@jit
def signed_distance(data: Floats, o: int, p: Vec3):
    """(distance, direction away) at ``p``, in the shape's coordinates; negative inside."""
    kind = int(data[o])
    if kind == at.MESH:
        return mesh_distance(data, o, p)
    if kind == at.HEIGHTMAP:
        return ground_distance(data, o, p)
    return solid_distance(data, o, p)
