"""``<collision>`` to shapes; meshes become the convex hull of their vertices."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...errors import ModelError, ParseError
from ...model.shapes import Mesh, Polyhedron, Shape
from ...spatial import Transform
from ..mesh import read_mesh
from ..reading import Note, Notes
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
    shapes = _Shapes(MeshFolders.of(path, package_roots), snap_angles, as_hulls)
    robot = read_robot(path, package_roots, trusted=trusted)
    return tuple(shapes.read(link, element) for link, element in _elements(robot))


def doubts_of_collisions(
    path: str | os.PathLike[str],
    *,
    package_roots: Sequence[str | os.PathLike[str]] = (),
    trusted: bool = False,
) -> list[Note]:
    """A note on each collision shape of a URDF that cannot be read; options as of `load`."""
    shapes = _Shapes(MeshFolders.of(path, package_roots), True, True)
    found = []
    for link, element in _elements(read_robot(path, package_roots, trusted=trusted)):
        try:
            shapes.read(link, element)
        except ParseError as error:
            text = f"collision shape cannot be read: {error.message}"
            found.append(Note("doubtful", text, error.line))
    return found


def _elements(robot: Element) -> Iterator[tuple[Element, Element]]:
    """Each ``<collision>`` with its link."""
    return ((link, element) for link in robot.all("link") for element in link.all("collision"))


def _mesh_name(geometry: Element) -> str:
    return attribute(required_child(geometry, "mesh"), "filename")


@dataclass
class _Shapes:
    """Reads the collision shapes of one file, and each mesh once."""

    folders: MeshFolders
    snap: bool | str
    as_hulls: bool
    notes: Notes = field(default_factory=Notes)
    hulls: dict[Mesh, Shape] = field(default_factory=dict)

    def read(self, link: Element, element: Element) -> Touching:
        geometry = required_child(element, "geometry")
        shape = read_shape(link, geometry, self.folders, self.notes)
        if shape is None:
            raise element.error(
                f"{describe(link)}: its mesh lies outside the folders given"
                f"{self.folders.allowing(_mesh_name(geometry))}"
            )
        if self.as_hulls and isinstance(shape, Mesh):
            shape = _hull(link, shape, geometry, self.hulls)
        frame = read_frame(element, self.snap, self.notes)
        return attribute(link, "name"), shape, frame


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
