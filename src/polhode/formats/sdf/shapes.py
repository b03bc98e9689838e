"""``<geometry>`` to a shape; collision meshes become the convex hull of their vertices."""

from __future__ import annotations

import math
import os

from ...errors import ModelError, ParseError
from ...model.shapes import (
    Box,
    Capsule,
    Cylinder,
    Mesh,
    Plane,
    Polyhedron,
    Shape,
    Sphere,
)
from ...spatial import Mat3, Transform, Vec3
from ..mesh import read_mesh
from ..names import near, shorten
from ..reading import Notes
from ..urdf.visual import MeshFolders
from ..xml import Element
from .values import child, describe, number, numbers, text, triple

SHAPES = ("box", "sphere", "cylinder", "capsule", "plane", "mesh")
IGNORED = ("empty", "image", "polyline", "ellipsoid", "heightmap")


def read_shape(
    owner: Element, folders: MeshFolders, notes: Notes, *, touches: bool
) -> tuple[Shape, Transform] | None:
    """The shape inside a ``<visual>`` or ``<collision>``, and its turn; None if it has none."""
    geometry = child(owner, "geometry")
    if geometry is None or not geometry.children:
        return None
    if len(geometry.children) > 1:
        count = len(geometry.children)
        raise geometry.error(f"{describe(owner)}: expected one shape in <geometry>, found {count}")
    element = geometry.children[0]
    try:
        return _shape(owner, element, folders, notes, touches)
    except ModelError as error:
        raise element.error(f"{describe(owner)}: {error}") from None


def _shape(owner: Element, element: Element, folders: MeshFolders, notes: Notes, touches: bool):
    straight = Transform.identity()
    match element.tag:
        case "box":
            return Box(triple(element, "size")), straight
        case "sphere":
            return Sphere(number(element, "radius")), straight
        case "cylinder":
            return Cylinder(number(element, "radius"), number(element, "length")), straight
        case "capsule":
            return Capsule(number(element, "radius"), number(element, "length")), straight
        case "plane":
            return Plane(), _towards(element)
        case "mesh":
            shape = _mesh(owner, element, folders, notes, touches)
            return None if shape is None else (shape, straight)
        case tag if tag in IGNORED:
            raise element.error(f"{describe(owner)}: <{tag}> is not read")
        case tag:
            raise element.error(
                f"unknown shape <{shorten(tag)}>{near(tag, SHAPES)} (known: {', '.join(SHAPES)})"
            )


def _towards(element: Element) -> Transform:
    """The turn of a plane whose normal is not z."""
    n = Vec3(*triple(element, "normal")) if child(element, "normal") else Vec3(0.0, 0.0, 1.0)
    length = math.hypot(*n)
    if length == 0.0:
        raise element.error("the normal of a plane is zero")
    z = n * (1.0 / length)
    if tuple(z) == (0.0, 0.0, 1.0):
        return Transform.identity()
    k = min(range(3), key=lambda i: abs(tuple(z)[i]))
    seed = Vec3(*(1.0 if i == k else 0.0 for i in range(3)))
    x = seed - z * seed.dot(z)
    x = x * (1.0 / math.hypot(*x))
    return Transform.rotation(Mat3(x, z.cross(x), z))


def _mesh(
    owner: Element, element: Element, folders: MeshFolders, notes: Notes, touches: bool
) -> Shape | None:
    name = text(element, "uri")
    scale = (1.0, 1.0, 1.0)
    if (found := child(element, "scale")) is not None:
        x, y, z = numbers(found, 3)
        scale = (x, y, z)
    if touches and folders.home is None and not folders.roots:
        raise element.error(f"{describe(owner)}: a text has no folder to find files in")
    path = folders.find(name)
    if path is None:
        message = f"{describe(owner)}: mesh '{shorten(name)}' lies outside the folders given"
        message += folders.allowing(name)
        if touches:
            raise element.error(message)
        notes.add("ignored", message, element.line)
        return None
    if not touches:
        if not os.path.isfile(path):
            notes.add("mesh", f"{describe(owner)}: no mesh file '{shorten(path)}'", element.line)
        return Mesh(path, scale)
    if not os.path.isfile(path):
        raise element.error(f"{describe(owner)}: there is no mesh file '{shorten(path)}'")
    try:
        return Polyhedron(read_mesh(path, scale).vertices)
    except (ModelError, ParseError) as error:
        raise element.error(f"{describe(owner)}: {error}") from None
