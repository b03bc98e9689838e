"""Shapes as ``<geometry>`` of an SDF; those with corners become files beside it."""

from __future__ import annotations

import os
from pathlib import Path
from xml.sax.saxutils import escape

from ...files.writing import write_atomically
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
from ..mesh.obj import obj_text
from ..mjcf.tree import unused


class ShapeWriter:
    """Shapes to text, with the mesh files that they need.

    Parameters
    ----------
    stem : Path or None
        The file without its extension; None for a text without files.
    lost : Lost
    """

    def __init__(self, stem: Path | None, lost: Lost):
        self.stem: Path | None = stem
        self.lost: Lost = lost
        self.files: dict[str, str] = {}
        self._uris: dict[Shape, str] = {}

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
            case Mesh(path, scale):
                sides = " ".join(map(repr, scale))
                return f"<mesh><uri>{escape(self._beside(path))}</uri><scale>{sides}</scale></mesh>"
            case Polyhedron() | TriangleMesh() if self.stem is not None:
                if shape not in self._uris:
                    self._uris[shape] = self._file(shape, name)
                return f"<mesh><uri>{escape(self._uris[shape])}</uri></mesh>"
        return None

    def write_files(self) -> None:
        """Write the files beside the SDF."""
        for file, text in self.files.items():
            assert self.stem is not None
            write_atomically(self.stem.parent / file, text.encode("utf-8"))

    def _beside(self, path: str) -> str:
        """A path relative to the file, if the mesh is in its folder."""
        if self.stem is None:
            return path
        home, found = self.stem.parent.resolve(), Path(path).resolve()
        return os.fspath(found.relative_to(home)) if found.is_relative_to(home) else path

    def _file(self, shape: Polyhedron | TriangleMesh, name: str) -> str:
        assert self.stem is not None
        label = "".join(c if c.isalnum() or c in "-_." else "-" for c in name)
        file = unused(f"{self.stem.name}-{label}", {x.removesuffix(".obj") for x in self.files})
        if isinstance(shape, TriangleMesh):
            faces = shape.faces
        else:  # only the hull of the corners counts
            faces = tuple((0, k, k + 1) for k in range(1, len(shape.vertices) - 1))
        self.files[f"{file}.obj"] = obj_text(shape.vertices, faces)
        return f"{file}.obj"
