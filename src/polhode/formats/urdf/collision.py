"""``<collision>`` to shapes; meshes become the convex hull of their vertices."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ...errors import ModelError, ParseError
from ...model.shapes import Mesh, Polyhedron, Shape
from ...spatial import Transform
from ..mesh import read_mesh
from ..reading import Notes
from ..xml import Element
from .joint import read_frame
from .reader import read_robot
from .values import attribute, describe, required_child
from .visual import MeshFolders, read_shape

Touching = tuple[str, Shape, Transform]


def read_collisions(
    path: str | os.PathLike[str],
    *,
    package_roots: Sequence[str | os.PathLike[str]] = (),
    snap_angles: bool | str = True,
    trusted: bool = False,
    as_hulls: bool = True,
) -> tuple[Touching, ...]:
    """Collision geometries of a URDF: the shapes of its ``<collision>`` elements.

    Parameters
    ----------
    path : path
        Of a URDF or xacro file.
    package_roots, snap_angles, trusted
        As in `polhode.load`.
    as_hulls : bool
        Whether meshes become the convex hull of their vertices; otherwise they stay names of files.

    Returns
    -------
    touching : tuple of (link, shape, frame)
        What ``scene.add_machine(model, geometries=touching)`` takes; frames lead from the link's
        to the shape's coordinates.

    Raises
    ------
    ParseError
        For an error in the file, and for a missing mesh.
    """
    robot = read_robot(path, package_roots, trusted=trusted)
    folders = MeshFolders.of(path, package_roots)
    notes = Notes()
    hulls: dict[Mesh, Shape] = {}
    found = []
    for link in robot.all("link"):
        for element in link.all("collision"):
            geometry = required_child(element, "geometry")
            shape = read_shape(link, geometry, folders, notes)
            if shape is None:
                raise element.error(f"{describe(link)}: its mesh lies outside the folders given")
            if as_hulls and isinstance(shape, Mesh):
                shape = _hull(link, shape, geometry, hulls)
            frame = read_frame(element, snap_angles, notes)
            found.append((attribute(link, "name"), shape, frame))
    return tuple(found)


def _hull(link: Element, mesh: Mesh, element: Element, known: dict[Mesh, Shape]) -> Shape:
    """The vertices of a mesh, read once for all links that have it."""
    if mesh in known:
        return known[mesh]
    if not os.path.isfile(mesh.path):
        raise element.error(f"{describe(link)}: there is no mesh file '{mesh.path}'")
    try:
        known[mesh] = Polyhedron(read_mesh(mesh.path, mesh.scale).vertices)
    except (ModelError, ParseError) as error:
        raise element.error(f"{describe(link)}: {error}") from None
    return known[mesh]
