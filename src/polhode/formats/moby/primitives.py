"""Primitives: a shape with its place, and the mass it gives a body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ...errors import ParseError
from ...model import RigidBody
from ...model.mass_properties import mass_properties
from ...model.shapes import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Plane,
    Shape,
    Sphere,
    Torus,
)
from ...spatial import Mat3, Transform
from ..reading import Notes
from ..urdf.visual import MeshFolders
from ..xml import Element
from .meshes import read_heightmap, read_polyhedron, read_triangle_mesh
from .objects import Objects
from .poses import Options, pose
from .values import boolean, conflict, describe, number
from .vocabulary import tag_of

# Moby's cylinders, cones, planes and heightmaps are about y, ours about z: this leads to a frame
# whose z axis is the old y axis.
Z_TO_Y = Transform.rotation(Mat3.of(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))))
ABOUT_Y = ("Cylinder", "Cone", "Capsule", "Plane", "Heightmap")
WEIGHTLESS = ("Plane", "Heightmap")


@dataclass(frozen=True)
class Primitive:
    """A shape, the transform from the owner's to the shape's coordinates, and the mass.

    ``body`` is in the coordinates of the primitive, ``place`` leads there from the owner's.
    """

    shape: Shape
    place: Transform
    frame: Transform
    body: RigidBody


@dataclass
class Primitives:
    """The primitives of a file, made when they are first asked for."""

    elements: Objects
    folders: MeshFolders
    options: Options
    notes: Notes
    _made: dict[str, Primitive] = field(default_factory=dict)

    def get(self, name: str, user: Element) -> Primitive:
        """The primitive of an id, which ``user`` names."""
        if name not in self._made:
            self._made[name] = self._make(self.elements.find(name, user))
        return self._made[name]

    def check_all(self) -> None:
        """Read also those that nothing uses, for the sake of their errors."""
        for name, element in self.elements.items():
            self.get(name, element)

    def _make(self, element: Element) -> Primitive:
        tag = tag_of(element)
        order = ("aangle", "rpy", "quat")
        if "position" in element.attributes:
            order = ("rpy", "quat", "aangle")
        place = pose(element, self.options, self.notes, order=order)
        try:
            shape = _SHAPES[tag](element, self)
            turn = Z_TO_Y if tag in ABOUT_Y else Transform.identity()
            body = RigidBody().joined(self._mass(element, tag, shape), turn)
        except ParseError:
            raise
        except (ValueError, OverflowError) as error:  # sizes whose powers are no numbers
            raise element.error(f"{describe(element)}: {error}") from None
        return Primitive(shape, place, turn @ place, body)

    def _mass(self, element: Element, tag: str, shape: Shape) -> RigidBody:
        mass = number(element, "mass", 0.0, least=0.0)
        density = number(element, "density", 0.0, least=0.0)
        if "mass" in element.attributes and "density" in element.attributes:
            if self.options.strict:
                raise element.error(conflict(element, "mass", "density"))
            text = f"{describe(element)}: 'mass' is not used beside 'density'"
            self.notes.add("doubtful", text, element.line)
        if tag in WEIGHTLESS:
            if mass or density:
                text = f"{describe(element)}: has no end, so no mass"
                self.notes.add("ignored", text, element.line)
            return RigidBody()
        if not (mass or density):
            return RigidBody()
        hull = tag == "TriangleMesh" and boolean(element, "convexify-inertia", False)
        given = {"density": density} if density else {"mass": mass}
        with np.errstate(all="ignore"):  # what is not finite is refused as that
            return mass_properties(shape, **given, convexify=hull)


def _box(element: Element, _: Primitives) -> Shape:
    x, y, z = (number(element, key, 0.0, least=0.0) for key in ("xlen", "ylen", "zlen"))
    return Box((x, y, z))


def _heightmap(element: Element, reader: Primitives) -> Shape:
    return read_heightmap(element, reader.folders)


def _polyhedron(element: Element, reader: Primitives) -> Shape:
    return read_polyhedron(element, reader.folders)


def _triangles(element: Element, reader: Primitives) -> Shape:
    return read_triangle_mesh(element, reader.folders)


def _radius(element: Element, key: str, default: float = 1.0) -> float:
    return number(element, key, default, least=0.0)


_SHAPES: dict[str, Callable[[Element, Primitives], Shape]] = {
    "Box": _box,
    "Sphere": lambda e, _: Sphere(_radius(e, "radius")),
    "Cylinder": lambda e, _: Cylinder(_radius(e, "radius"), _radius(e, "height")),
    "Cone": lambda e, _: Cone(_radius(e, "radius"), _radius(e, "height")),
    "Capsule": lambda e, _: Capsule(_radius(e, "radius"), _radius(e, "height")),
    "Torus": lambda e, _: Torus(_radius(e, "major-radius", 0.0), _radius(e, "minor-radius", 0.0)),
    "Plane": lambda e, _: Plane(),
    "Heightmap": _heightmap,
    "Polyhedron": _polyhedron,
    "TriangleMesh": _triangles,
}
