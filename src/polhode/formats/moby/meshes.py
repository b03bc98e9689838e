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

MOST_HEIGHTS = 4_000_000


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
    try:
        return read_mesh(path)
    except (ModelError, ParseError) as error:
        raise element.error(f"{describe(element)}: {error}") from None


def read_heightmap(element: Element, folders: MeshFolders) -> Shape:
    """Heights from a text file: numbers of rows and columns, then the heights row by row.

    Rows go along x, columns along z, heights along y; turned about x so that heights go along z,
    the columns run backwards along y.
    """
    width = number(element, "width", 1.0, least=0.0)
    depth = number(element, "depth", 1.0, least=0.0)
    path = mesh_file(element, "filename", folders)
    words = read_bytes(path).split()
    try:
        rows, columns = (int(word) for word in words[:2])
        if rows * columns > MOST_HEIGHTS:
            raise ParseError(f"expected at most {MOST_HEIGHTS} heights, found more", path)
        heights = [float(word) for word in words[2:]]
    except ValueError as error:
        raise ParseError(f"expected rows, columns and heights: {error}", path) from None
    if rows < 2 or columns < 2 or len(heights) != rows * columns:
        raise ParseError(
            f"expected {rows} x {columns} heights, at least 2 x 2, found {len(heights)}", path
        )
    lines = [heights[i * columns : (i + 1) * columns] for i in range(rows)]
    return Heightmap(tuple(tuple(reversed(line)) for line in lines), (width, depth))
