"""Shapes of a scene as primitives of a Moby file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import ModelError
from ...files.writing import write_atomically
from ...model.shapes import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Heightmap,
    Plane,
    Polyhedron,
    Shape,
    Sphere,
    Torus,
    TriangleMesh,
)
from ...spatial import Transform
from ..mesh.obj import obj_text
from .primitives import Z_TO_Y


@dataclass
class PrimitiveWriter:
    """Gives each different shape an id; meshes and heights become files beside the XML.

    ``stem`` is the path of the XML file without its suffix, or None for a text alone.
    """

    stem: Path | None
    ids: dict[Shape, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    def id_of(self, shape: Shape) -> str:
        """The id of a shape's primitive."""
        if shape not in self.ids:
            name = type(shape).__name__.lower()
            count = sum(type(other) is type(shape) for other in self.ids)
            self.ids[shape] = f"{name}-{count + 1}"
        return self.ids[shape]

    def elements(self) -> Iterable[tuple[str, dict[str, str]]]:
        """Tag and attributes of each primitive."""
        for shape, name in self.ids.items():
            tag, attributes = self._element(shape, name)
            yield tag, {"id": name, **attributes}

    def _element(self, shape: Shape, name: str) -> tuple[str, dict[str, str]]:
        match shape:
            case Box((x, y, z)):
                return "Box", {"xlen": repr(x), "ylen": repr(y), "zlen": repr(z)}
            case Sphere(radius):
                return "Sphere", {"radius": repr(radius)}
            case Cylinder(radius, length) | Cone(radius, length) | Capsule(radius, length):
                tag = type(shape).__name__
                return tag, {"radius": repr(radius), "height": repr(length)}
            case Torus(major, minor):
                return "Torus", {"major-radius": repr(major), "minor-radius": repr(minor)}
            case Plane():
                return "Plane", {}
            case Polyhedron(vertices):
                return "Polyhedron", {
                    "filename": self._file(name, "obj", obj_text(vertices, _fan(vertices)))
                }
            case TriangleMesh(vertices, faces):
                return "TriangleMesh", {
                    "filename": self._file(name, "obj", obj_text(vertices, faces))
                }
            case Heightmap(heights, (x, y)):
                file = self._file(name, "txt", _heights(heights))
                return "Heightmap", {"filename": file, "width": repr(x), "depth": repr(y)}
        raise ModelError(f"a Moby file has no primitive for a {type(shape).__name__}")

    def _file(self, name: str, suffix: str, text: str) -> str:
        if self.stem is None:
            raise ModelError(
                "meshes and height fields are written to files beside the scene: use polhode.save"
            )
        file = f"{self.stem.name}-{name}.{suffix}"
        self.files[file] = text
        return file

    def write_files(self) -> None:
        """Write the files beside the XML file."""
        for file, text in self.files.items():
            assert self.stem is not None
            write_atomically(self.stem.parent / file, text.encode("utf-8"))


def turned(shape: Shape, frame: Transform) -> Transform:
    """A shape's frame as Moby has it: cylinders and planes about y."""
    if isinstance(shape, (Cylinder, Cone, Capsule, Plane, Heightmap)):
        return Z_TO_Y.inverse() @ frame
    return frame


def _fan(vertices: tuple) -> Iterable[tuple[int, int, int]]:
    """Faces with which no vertex is left out; only the convex hull of the vertices counts."""
    return ((0, k, k + 1) for k in range(1, len(vertices) - 1))


def _heights(heights: tuple[tuple[float, ...], ...]) -> str:
    lines = [f"{len(heights)} {len(heights[0])}"]
    lines += [" ".join(map(repr, reversed(row))) for row in heights]
    return "\n".join([*lines, ""])
