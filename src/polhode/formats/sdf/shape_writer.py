"""Shapes as ``<geometry>`` of an SDF; those with corners become files beside it."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

from ...model import (
    Box,
    Capsule,
    Cylinder,
    Mesh,
    Plane,
    Polyhedron,
    Shape,
    Sphere,
    TriangleMesh,
)
from ..lost import Lost
from ..mesh_files import MeshFiles


class ShapeWriter:
    """Shapes to text, with the mesh files that they need.

    Parameters
    ----------
    stem : Path or None
        The file without its extension; None for a text without files.
    lost : Lost
    """

    def __init__(self, stem: Path | None, lost: Lost):
        self.lost: Lost = lost
        self.meshes: MeshFiles = MeshFiles(stem)

    def geometry(self, shape: Shape | None, name: str) -> str | None:
        """The element inside ``<geometry>``; None for a shape that the format does not have."""
        match shape:
            case Box(size):
                return f"<box><size>{' '.join(map(repr, size))}</size></box>"
            case Sphere(radius):
                return f"<sphere><radius>{radius!r}</radius></sphere>"
            case Cylinder(radius, length) | Capsule(radius, length):
                tag = "cylinder" if isinstance(shape, Cylinder) else "capsule"
                inside = f"<radius>{radius!r}</radius><length>{length!r}</length>"
                return f"<{tag}>{inside}</{tag}>"
            case Plane():
                return "<plane><normal>0 0 1</normal></plane>"
            case Mesh() | Polyhedron() | TriangleMesh():
                return self._mesh(shape, name)
        return None

    def _mesh(self, shape: Mesh | Polyhedron | TriangleMesh, name: str) -> str | None:
        file = self.meshes.name(shape, name)
        if file is None:
            return None
        inside = f"<uri>{escape(file)}</uri>"
        if isinstance(shape, Mesh):
            inside += f"<scale>{' '.join(map(repr, shape.scale))}</scale>"
        return f"<mesh>{inside}</mesh>"
