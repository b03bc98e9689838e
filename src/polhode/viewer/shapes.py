"""What is drawn of a model: its visuals, or bars and joints where it has none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..model import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Heightmap,
    Mesh,
    Model,
    Plane,
    Polyhedron,
    Shape,
    Sphere,
    Torus,
    TriangleMesh,
    Visual,
)
from ..scene import Scene
from .meshes import MeshShelf, Triangles, heightmap_block, hull_triangles
from .skeleton import ShapeRow, Skeleton, pose_of


def shapes(model: Model, collisions: Sequence[ShapeRow] = ()) -> tuple[list[ShapeRow], list[str]]:
    """Rows for the page, each a shape on a body (0 is the base), and notes to show.

    Collision shapes stand in for visuals that cannot be read.
    """
    places = {link.name: model.body(link.name) for link in model.links}
    visuals = {link.name: list(link.visuals) for link in model.links}
    shelf = MeshShelf([v.shape for group in visuals.values() for v in group])
    skeleton = Skeleton(model)
    drawn = {
        name: [row for v in group for row in _visual(v, places[name], name, shelf)]
        for name, group in visuals.items()
    }
    anything = any(drawn.values())
    rows: list[ShapeRow] = []
    for link in model.links:
        own = drawn[link.name] or [row for row in collisions if row["name"] == link.name]
        if own:
            rows += own
        elif link.visuals or not anything:
            body = places[link.name]
            rows += skeleton.rows(link, body.moving, body.frame)
    return rows, shelf.notes()


def collision_shapes(scene: Scene) -> list[ShapeRow]:
    """Rows of the shapes that touch, where something else is drawn."""
    model = scene.model
    looks = {
        (machine.name, link.name): [(visual.shape, visual.frame) for visual in link.visuals]
        for machine in scene.machines
        for link in machine.model.links
        if link.visuals
    }
    touching = [
        (f"{each.machine}/{each.body}", Visual(each.shape, each.frame))
        for each in scene.geometries
        if each.shape is not None
        and (look := looks.get((each.machine, each.body)))
        and (each.shape, each.frame) not in look
    ]
    shelf = MeshShelf([visual.shape for _, visual in touching])
    rows = [row for link, visual in touching
            for row in _visual(visual, model.body(link), link, shelf)]  # fmt: skip
    return [row for row in rows if row["kind"] != "plane"]


def _visual(visual: Visual, body: Any, link: str, shelf: MeshShelf) -> list[ShapeRow]:
    """A row for each colour of a mesh file, unless the visual has one; else a single row."""
    if isinstance(visual.shape, Mesh):
        looks = [(mesh_row(triangles), color) for triangles, color in shelf.parts(visual.shape)]
    else:
        looks = [(geometry_of(visual.shape), None)]
    place = {"body": body.moving, "pose": pose_of(visual.frame @ body.frame)}
    return [{**place, "color": _listed(visual.color or color), "name": link, **geometry}
            for geometry, color in looks]  # fmt: skip


def _listed(color: Sequence[float] | None) -> list[float] | None:
    return None if color is None else list(color)


def geometry_of(shape: Shape) -> ShapeRow:
    """Kind and size of a shape, or its triangles."""
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
        case _:
            raise TypeError(f"expected a shape with a size, got {type(shape).__name__}")


def mesh_row(triangles: Triangles, flat: bool = False) -> ShapeRow:
    """Triangles as the page takes them."""
    points, faces = triangles
    return {"kind": "mesh", "points": points, "faces": faces, "flat": flat}
