"""Triangles for the page: of mesh files, hulls and height fields, few enough to send."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import ModelError, one_line
from ..model import Heightmap, Mesh

Triangles = tuple[np.ndarray, np.ndarray]
Part = tuple[Triangles, tuple[float, ...] | None]

MOST_TRIANGLES = 24_000
"""Of all meshes of a page together; larger ones are simplified."""

_SKIRT = 0.02  # of a height field's width: how far it goes on below its lowest point
_FEWEST = 200  # of one mesh, however many there are


class MeshShelf:
    """The mesh files of a model, each read once and simplified to its share of the limit."""

    def __init__(self, shapes: Iterable[Any]):
        self._read: dict[Mesh, list[Part]] = {}
        self._missing: list[str] = []
        self._was = self._is = 0
        meshes = {shape for shape in shapes if isinstance(shape, Mesh)}
        found = {}
        for mesh in sorted(meshes, key=lambda m: (m.path, m.scale)):
            if (read := self._load(mesh)) is not None:
                found[mesh] = read
        self._simplify(found)

    def parts(self, mesh: Mesh) -> list[Part]:
        """Points, faces and colour of each part; none if the file cannot be read."""
        return self._read.get(mesh, [])

    def notes(self) -> list[str]:
        """What the reader of the page should know."""
        notes = []
        if self._missing:
            some = ", ".join(self._missing[:2]) + (", ..." if len(self._missing) > 2 else "")
            count = len(self._missing)
            files = f"{count} mesh files are" if count > 1 else "1 mesh file is"
            notes.append(f"{files} not drawn, simple shapes stand in: {some}")
        if self._is < self._was:
            notes.append(f"meshes are drawn with {self._is} of {self._was} triangles")
        return notes

    def _load(self, mesh: Mesh) -> Any:
        from ..formats.mesh import read_triangles

        try:
            return read_triangles(mesh.path)
        except (ModelError, ValueError, OSError, ImportError) as error:
            name = one_line(mesh.path.rpartition("/")[2], 80)
            self._missing.append(f"{name} ({_first_line(error)})")
            return None

    def _simplify(self, found: dict[Mesh, Any]) -> None:
        self._was = sum(len(read.faces) for read in found.values())
        share = min(MOST_TRIANGLES / max(self._was, 1), 1.0)
        for mesh, read in found.items():
            points, faces = read.vertices * np.array(mesh.scale, float), read.faces
            if math.prod(mesh.scale) < 0.0:  # mirrored: outside stays outside
                faces = faces[:, ::-1]
            most = max(int(share * len(faces)), _FEWEST) if share < 1.0 else len(faces)
            points, faces, kept = simplified((points, faces), most)
            materials = None if read.materials is None else read.materials[kept]
            less = replace(read, vertices=points, faces=faces, materials=materials)
            self._read[mesh] = [(_used(points, part), color) for part, color in less.parts()]
            self._is += len(faces)


def _used(points: np.ndarray, faces: np.ndarray) -> Triangles:
    """The faces with their points alone."""
    used, faces = np.unique(faces, return_inverse=True)
    return points[used], faces.reshape(-1, 3)


def _first_line(error: Exception) -> str:
    return one_line(str(error).partition("\n")[0].rpartition(": ")[2], 80)


def simplified(triangles: Triangles, most: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """About at most ``most`` triangles, and which: vertices in one cell of a grid become one.

    The grid is as fine as the limit lets it be.
    """
    points, faces = triangles
    if len(faces) <= most:
        return points, faces, np.arange(len(faces))
    extent = float(np.ptp(points, axis=0).max()) or 1.0
    low, high = 2, 2048  # cells along the longest side
    best = _clustered(points, faces, extent / low)
    while high - low > 1:
        cells = (low + high) // 2
        tried = _clustered(points, faces, extent / cells)
        if len(tried[1]) <= most:
            low, best = cells, tried
        else:
            high = cells
    return best


def _clustered(
    points: np.ndarray, faces: np.ndarray, cell: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x, y, z = np.floor((points - points.min(axis=0)) / cell + 1e-9).astype(np.int64).T
    keys = (x << 42) | (y << 21) | z
    _, group, counts = np.unique(keys, return_inverse=True, return_counts=True)
    centres = np.stack(
        [np.bincount(group, points[:, k]) / counts for k in range(3)], axis=-1
    )  # fmt: skip
    corners = group[faces]
    a, b, c = corners.T
    proper = np.flatnonzero((a != b) & (b != c) & (c != a))
    # The same triangle may come from several; its first turn counts.
    a, b, c = np.sort(corners[proper], axis=1).T
    _, first = np.unique((a << 42) | (b << 21) | c, return_index=True)
    kept = proper[np.sort(first)]
    return *_used(centres, corners[kept]), kept


def hull_triangles(vertices: Sequence[Sequence[float]]) -> Triangles:
    """The triangles of a convex hull, seen from outside counter-clockwise."""
    from scipy.spatial import ConvexHull  # on need: it costs every start a little

    points = np.array(vertices, float)
    hull = ConvexHull(points)
    faces = hull.simplices.copy()
    a, b, c = (points[faces[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    faces[inward] = faces[inward, ::-1]
    used, faces = np.unique(faces, return_inverse=True)
    return points[used], faces.reshape(-1, 3)


def heightmap_triangles(field: Heightmap) -> Triangles:
    """The surface of a height field, two triangles to a cell."""
    heights = np.array(field.heights, float)
    rows, columns = heights.shape
    x = np.linspace(-0.5, 0.5, rows) * field.size[0]
    y = np.linspace(-0.5, 0.5, columns) * field.size[1]
    grid = np.stack((*np.meshgrid(x, y, indexing="ij"), heights), axis=-1).reshape(-1, 3)
    corner = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]
    faces = np.stack((a, b, c, a, c, d), axis=-1).reshape(-1, 3)
    return grid, faces


def heightmap_block(field: Heightmap) -> Triangles:
    """A height field as a solid: its surface, and walls down to a little below its lowest point."""
    grid, faces = heightmap_triangles(field)
    rows, columns = np.array(field.heights).shape
    corner = np.arange(rows * columns).reshape(rows, columns)
    # Once around, counter-clockwise seen from above.
    rim = np.concatenate((corner[:, 0], corner[-1, 1:], corner[-2::-1, -1], corner[0, -2:0:-1]))
    foot = grid[rim].copy()
    foot[:, 2] = grid[:, 2].min() - _SKIRT * max(field.size)
    low = len(grid) + np.arange(len(rim))
    following, below = np.roll(rim, -1), np.roll(low, -1)
    walls = np.concatenate((np.stack((rim, low, below), -1), np.stack((rim, below, following), -1)))
    return np.concatenate((grid, foot)), np.concatenate((faces, walls))
