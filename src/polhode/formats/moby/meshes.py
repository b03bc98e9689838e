"""Primitives that lie in files of their own: meshes and heights."""

from __future__ import annotations

import os

from ...errors import ModelError, ParseError
from ...model.shapes import Heightmap, Polyhedron, Shape, TriangleMesh
from ..mesh import read_mesh
from ..names import shorten
from ..source import read_bytes
from ..urdf.visual import MeshFolders
from ..xml import Element
from .values import boolean, describe, number, required

MOST_TRIANGLES = 1_000_000  # of all mesh files of a scene
MOST_HEIGHTS = 1_000_000


def mesh_file(element: Element, key: str, folders: MeshFolders) -> str:
    """The path of a file that an attribute names.

    Raises
    ------
    ParseError
        If it lies outside the folders given, or is not there.
    """
    name = required(element, key)
    if folders.home is None and not folders.roots:
        raise element.error(f"{describe(element)}: a text has no folder to find files in")
    path = folders.find(name)
    if path is None:
        raise element.error(
            f"{describe(element)}: '{shorten(name)}' lies outside the scene's folder; "
            "package_roots allows others"
        )
    if not os.path.isfile(path):
        raise element.error(f"{describe(element)}: there is no file '{shorten(path)}'")
    return path


def read_polyhedron(element: Element, folders: MeshFolders) -> Shape:
    """The convex hull of a mesh's vertices."""
    return Polyhedron(_triangles(element, folders).vertices)


def read_triangle_mesh(element: Element, folders: MeshFolders) -> Shape:
    """A mesh as it is, or centred."""
    mesh = _triangles(element, folders)
    if boolean(element, "center", False):
        count = len(mesh.vertices)
        middle = [sum(v[k] for v in mesh.vertices) / count for k in range(3)]
        moved = tuple(tuple(v[k] - middle[k] for k in range(3)) for v in mesh.vertices)
        mesh = TriangleMesh(moved, mesh.faces)  # type: ignore[arg-type]
    return mesh


def _triangles(element: Element, folders: MeshFolders) -> TriangleMesh:
    path = mesh_file(element, "filename", folders)
    if path not in folders.meshes:
        try:
            folders.meshes[path] = read_mesh(path)
        except (ModelError, ParseError) as error:
            raise element.error(f"{describe(element)}: {error}") from None
        if sum(len(mesh.faces) for mesh in folders.meshes.values()) > MOST_TRIANGLES:
            raise element.error(f"expected at most {MOST_TRIANGLES} triangles in all meshes")
    return folders.meshes[path]


def read_heightmap(element: Element, folders: MeshFolders) -> Shape:
    """Heights from a text file: numbers of rows and columns, then the heights row by row.

    Rows go along x, columns along z, heights along y; turned about x so that heights go along z,
    the columns run backwards along y.
    """
    width = number(element, "width", 1.0, least=0.0)
    depth = number(element, "depth", 1.0, least=0.0)
    path = mesh_file(element, "filename", folders)
    first, second, *rest = [*read_bytes(path).split(None, 2), b"", b""]
    try:
        rows, columns = int(first), int(second)
        if rows * columns > MOST_HEIGHTS or min(rows, columns) < 0:
            raise ParseError(f"expected at most {MOST_HEIGHTS} heights, found more", path)
        words = rest[0].split(None, rows * columns)  # one more than there are to be is the rest
        heights = [float(word) for word in words[: rows * columns]]
    except (ValueError, OverflowError) as error:
        if isinstance(error, ParseError):
            raise
        raise ParseError(f"expected rows, columns and heights: {error}", path) from None
    if rows < 2 or columns < 2 or len(words) != rows * columns:
        found = f"{len(words)} or more" if len(words) > rows * columns else len(words)
        raise ParseError(
            f"expected {rows} x {columns} heights, at least 2 x 2, found {found}", path
        )
    lines = [heights[i * columns : (i + 1) * columns] for i in range(rows)]
    return Heightmap(tuple(tuple(reversed(line)) for line in lines), (width, depth))
