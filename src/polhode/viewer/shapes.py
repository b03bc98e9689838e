"""What is drawn of a model: its visuals, or bones and ellipsoids where it has none."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..model import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Heightmap,
    Link,
    Mesh,
    Model,
    Plane,
    Polyhedron,
    Revolute,
    Shape,
    Sphere,
    Torus,
    TriangleMesh,
    Visual,
)
from ..spatial import Mat3, Transform, Vec3
from .bodies import coordinates, ellipsoid
from .meshes import MeshShelf, Triangles, heightmap_block, hull_triangles
from .rotations import quaternions

ShapeRow = dict[str, Any]


def shapes(model: Model) -> tuple[list[ShapeRow], list[str]]:
    """Rows for the page, each a shape on a body (0 is the base), and notes to show."""
    places = {link.name: model.body(link.name) for link in model.links}
    visuals = {link.name: list(link.visuals) for link in model.links}
    shelf = MeshShelf([v.shape for group in visuals.values() for v in group])
    size = _size(model)
    drawn = {
        name: [row for v in group if (row := _visual(v, places[name], name, shelf))]
        for name, group in visuals.items()
    }
    anything = any(drawn.values())
    rows: list[ShapeRow] = []
    for link in model.links:
        own = drawn[link.name]
        if own:
            rows += own
        elif link.visuals or not anything:
            body = places[link.name]
            rows += _fallback(model, link, body.moving, body.frame, size)
    return rows, shelf.notes()


def _pose(X: Transform) -> list[float]:
    rotation = np.array(X.E.T.rows(), float)
    return [*map(float, X.r), *quaternions(rotation).tolist()]


def _visual(visual: Visual, body: Any, link: str, shelf: MeshShelf) -> ShapeRow | None:
    geometry = geometry_of(visual.shape, shelf)
    if geometry is None:
        return None
    return {
        "body": body.moving,
        "pose": _pose(visual.frame @ body.frame),
        "color": list(visual.color) if visual.color is not None else None,
        "name": link,
        **geometry,
    }


def geometry_of(shape: Shape, shelf: MeshShelf) -> ShapeRow | None:
    """Kind and size of a shape, or its triangles; None for a mesh that cannot be read."""
    match shape:
        case Box(size):
            return {"kind": "box", "size": [float(x) for x in size]}
        case Sphere(radius):
            return {"kind": "sphere", "size": [float(radius)]}
        case Cylinder(radius, length):
            return {"kind": "cylinder", "size": [float(radius), float(length)]}
        case Capsule(radius, length):
            return {"kind": "capsule", "size": [float(radius), float(length)]}
        case Cone(radius, length):
            return {"kind": "cone", "size": [float(radius), float(length)]}
        case Torus(major, minor):
            return {"kind": "torus", "size": [float(major), float(minor)]}
        case Plane():
            return {"kind": "plane", "size": []}
        case Heightmap():
            return mesh_row(heightmap_block(shape), flat=True)
        case Polyhedron(vertices):
            return mesh_row(hull_triangles(vertices), flat=True)
        case TriangleMesh(vertices, faces):
            return mesh_row((np.array(vertices, float), np.array(faces)), flat=True)
        case Mesh():
            found = shelf.triangles(shape)
            return None if found is None else mesh_row(found)


def mesh_row(triangles: Triangles, flat: bool = False) -> ShapeRow:
    """Triangles as the page takes them."""
    points, faces = triangles
    return {"kind": "mesh", "points": points, "faces": faces, "flat": flat}


def _size(model: Model) -> float:
    """A length typical of the machine: the way from the base to its farthest link."""
    reach = dict[str | None, float]({None: 0.0})
    floating = {link.name for link in model.links if link.parent is None}
    for link in model.links:
        step = 0.0 if link.name in floating else math.hypot(*map(float, link.frame.r))
        reach[link.name] = reach[link.parent] + step
    com = max((math.hypot(*link.body.com) for link in model.links), default=0.0)
    return max(max(reach.values()), com, 0.0) or 1.0


def _fallback(model: Model, link: Link, body: int, X: Transform, size: float) -> Iterable[ShapeRow]:
    """Bones from a link's origin to its children's joints, and its inertia ellipsoid."""

    def row(kind: str, extent: list[float], frame: Transform, role: str = "body") -> ShapeRow:
        return {
            "body": body,
            "kind": kind,
            "size": extent,
            "pose": _pose(frame @ X),
            "color": None,
            "name": link.name,
            "role": role,
        }

    ends = [child.frame.r for child in model.links if child.parent == link.name]
    if not ends and any(link.body.com):
        reach = math.hypot(*link.body.com)
        ends = [Vec3.of(link.body.com) * min(2.0, 0.3 * size / reach)]
    if body == 0:
        ends = []
    for end in ends:
        length = math.hypot(*map(float, end))
        if length > 0.02 * size:
            radius = min(max(0.09 * length, 0.008 * size), 0.035 * size)
            yield row("capsule", [radius, length], Transform(_along(end), end * 0.5))
    if isinstance(link.joint, Revolute):
        axis = Transform(_along(Vec3.of(link.joint.axis)), Vec3.zero())
        yield row("cylinder", [0.026 * size, 0.062 * size], axis, "joint")
    elif link.joint.nv and link.parent is not None:
        yield row("sphere", [0.034 * size], Transform.identity(), "joint")
    found = ellipsoid(float(link.body.mass), np.array(link.body.inertia, float))
    if found and body:
        axes, E = _rounded(*found, largest=0.17 * size)
        yield row("ellipsoid", axes, Transform(E, Vec3.of(link.body.com)))


def _along(direction: Vec3) -> Mat3:
    """Coordinates of a frame whose z axis has the given direction."""
    z = np.array([float(x) for x in direction])
    z /= np.linalg.norm(z)
    x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
    x /= np.linalg.norm(x)
    return coordinates(np.array((x, np.cross(z, x), z)).T)


def _rounded(semi: np.ndarray, axes: np.ndarray, largest: float) -> tuple[list[float], Mat3]:
    """An ellipsoid that can be seen: not larger than the machine's parts, not a needle."""
    semi = np.minimum(semi, largest)
    return np.maximum(semi, 0.25 * semi.max()).tolist(), coordinates(axes)
