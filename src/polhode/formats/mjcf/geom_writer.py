"""Shapes as geoms of an MJCF file; meshes and heights as assets, large meshes as files beside."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...errors import ModelError, ParseError
from ...files.writing import write_atomically
from ...model import (
    Box,
    Capsule,
    Cylinder,
    Heightmap,
    Mesh,
    Plane,
    Polyhedron,
    Shape,
    Sphere,
    TriangleMesh,
    Visual,
)
from ...scene import Geometry
from ...spatial import Quaternion, Transform
from ..lost import Lost
from ..markup import MarkupElement, is_straight, numbers
from ..mesh import read_mesh
from ..mesh.obj import obj_text
from .tree import unused

LEAST_CORNERS = 4  # of a mesh
BELOW = 0.1  # how far the ground under the lowest point of a height field is solid [m]
Attributes = dict[str, str]


def posed(frame: Transform) -> Attributes:
    """Position and orientation, without what says nothing."""
    found = {}
    if any(frame.r):
        found["pos"] = numbers(frame.r)
    if not is_straight(frame):
        q = Quaternion.from_matrix(frame.E)
        found["quat"] = numbers((q.w, q.x, q.y, q.z))
    return found


@dataclass
class GeomWriter:
    """Writes shapes; ``stem`` is the path of the file without its suffix, None for a text alone.

    What is not to be written is told as ``lost``.
    """

    stem: Path | None
    lost: Lost
    assets: list[MarkupElement] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    """Names of geometries."""
    _names: dict[Shape, str | None] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)

    def geoms(
        self, link: str, visuals: Sequence[Visual], geometries: Sequence[Geometry]
    ) -> Iterable[MarkupElement]:
        """The geoms of a link; a shape that is drawn and touches is one geom."""
        drawn = list(visuals)
        for geometry in geometries:
            shape, frame = geometry.shape, geometry.frame
            alike = [each for each in drawn if each.frame == frame and _draws(each.shape, shape)]
            own = self._shape(geometry.name, alike[0].shape if alike else shape, frame)
            if own is None:
                continue
            if isinstance(shape, (TriangleMesh, Mesh)):
                self.lost.add("concave parts of meshes in contact", geometry.name)
            if geometry.is_compliant:
                self.lost.add("compliance of geometries", geometry.name)
            if any(geometry.surface_velocity):
                self.lost.add("surface velocities", geometry.name)
            self.written.add(geometry.name)
            values = {"name": geometry.name}
            if alike:
                drawn.remove(alike[0])
                own |= _color(alike[0])
            elif visuals:
                values["class"] = "collision"
            yield MarkupElement("geom", values | own)
        for visual in drawn:
            own = self._shape(visual.name or link, visual.shape, visual.frame)
            if own is not None:
                yield MarkupElement("geom", {"class": "visual"} | own | _color(visual))

    def write_files(self) -> None:
        """Write the meshes beside the file."""
        for file, text in self.files.items():
            assert self.stem is not None
            write_atomically(self.stem.parent / file, text.encode("utf-8"))

    def _shape(self, name: str, shape: Shape | None, frame: Transform) -> Attributes | None:
        """Type, size and place of a geom."""
        found = primitive_values(shape)
        if found is None and isinstance(shape, (Polyhedron, TriangleMesh, Mesh)):
            mesh = self._named(shape)
            found = None if mesh is None else {"type": "mesh", "mesh": mesh}
        if isinstance(shape, Heightmap):
            found = {"type": "hfield", "hfield": self._named(shape) or ""}
            frame = Transform.translation(0.0, 0.0, min(map(min, shape.heights))) @ frame
        if found is None:
            self.lost.add(_called(shape), name)
            return None
        return found | posed(frame)

    # -- assets --

    def _named(self, shape: Polyhedron | TriangleMesh | Mesh | Heightmap) -> str | None:
        """The name of a shape's asset; None for a mesh that cannot be read."""
        if shape not in self._names:
            self._names[shape] = self._asset(shape)
        return self._names[shape]

    def _asset(self, shape: Polyhedron | TriangleMesh | Mesh | Heightmap) -> str | None:
        stem = Path(shape.path).stem if isinstance(shape, Mesh) else type(shape).__name__.lower()
        match shape:
            case Heightmap():
                return self._add("hfield", stem, _heights(shape))
            case Polyhedron(vertices):
                return self._add("mesh", stem, {"vertex": _flat(vertices)})
            case TriangleMesh():
                return self._mesh(stem, shape)
        if not os.path.isfile(shape.path):
            return None
        try:
            triangles = read_mesh(shape.path)
        except (ModelError, ParseError, OSError):
            return None
        return self._mesh(stem, triangles, shape.scale)

    def _mesh(
        self, stem: str, mesh: TriangleMesh, scale: Sequence[float] = (1.0, 1.0, 1.0)
    ) -> str | None:
        if len(mesh.vertices) < LEAST_CORNERS:
            return None
        values = {} if tuple(scale) == (1.0, 1.0, 1.0) else {"scale": numbers(scale)}
        if self.stem is None:
            corners = " ".join(str(corner) for face in mesh.faces for corner in face)
            return self._add(
                "mesh", stem, {"vertex": _flat(mesh.vertices), "face": corners, **values}
            )
        name = unused(stem, self._taken)
        file = f"{self.stem.name}-{name}.obj"
        self.files[file] = obj_text(mesh.vertices, mesh.faces)
        self.assets.append(MarkupElement("mesh", {"name": name, "file": file, **values}))
        return name

    def _add(self, tag: str, stem: str, values: Attributes) -> str:
        name = unused(stem, self._taken)
        self.assets.append(MarkupElement(tag, {"name": name, **values}))
        return name


def primitive_values(shape: Shape | None) -> Attributes | None:
    """Type and size of a shape that needs no asset, if none of its sizes is zero."""
    match shape:
        case Plane():
            return {"type": "plane", "size": "0 0 1"}
        case Sphere(radius):
            tag, size = "sphere", (radius,)
        case Capsule(radius, 0.0):
            tag, size = "sphere", (radius,)
        case Capsule(radius, length):
            tag, size = "capsule", (radius, length / 2.0)
        case Cylinder(radius, length):
            tag, size = "cylinder", (radius, length / 2.0)
        case Box((x, y, z)):
            tag, size = "box", (x / 2.0, y / 2.0, z / 2.0)
        case _:
            return None
    return {"type": tag, "size": numbers(size)} if min(size) > 0.0 else None


def _draws(drawn: Shape, touching: Shape | None) -> bool:
    """Whether a geom that is drawn as one shape touches as the other: meshes do by their hull."""
    if isinstance(drawn, TriangleMesh) and isinstance(touching, Polyhedron):
        return drawn.vertices == touching.vertices
    return drawn == touching


def _called(shape: Shape | None) -> str:
    """What a shape that cannot be written is called."""
    match shape:
        case None:
            return "shapes that a plug-in finds contacts of"
        case Mesh():
            return "meshes that cannot be read"
    return f"shapes of kind {type(shape).__name__}"


def _color(visual: Visual) -> Attributes:
    return {} if visual.color is None else {"rgba": numbers(visual.color)}


def _flat(vertices: Iterable[Sequence[float]]) -> str:
    return "  ".join(numbers(vertex) for vertex in vertices)


def _heights(shape: Heightmap) -> Attributes:
    """Heights above the lowest; columns go along x, rows backwards along y."""
    values = np.array(shape.heights).T
    low, high = float(values.min()), float(values.max())
    rows, columns = values.shape
    x, y = shape.size
    elevation = "  ".join(numbers(row) for row in (values[::-1] - low).tolist())
    size = (x / 2.0, y / 2.0, high - low if high > low else 1.0, BELOW)
    return {"nrow": str(rows), "ncol": str(columns), "size": numbers(size), "elevation": elevation}
