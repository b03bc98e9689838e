"""Shapes as one array of numbers, made once, for compiled loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np

from ..errors import ModelError
from ..model import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Heightmap,
    Plane,
    Polyhedron,
    Shape,
    Sphere,
    Torus,
    TriangleMesh,
)
from ..model.hull import hull_of
from . import shape_layout as at
from .direction_cells import cells_of
from .mesh_table import mesh_numbers

FEW = 24  # corners or faces that are quicker looked at one after the other


@dataclass(frozen=True)
class ShapeTable:
    """The shapes that may collide, in the order given.

    Attributes
    ----------
    shapes : tuple
        The records it was made of.
    arrays : tuple of ndarray
        The numbers and each shape's place among them, as `collide` takes them.
    """

    shapes: tuple[Shape, ...]
    arrays: tuple[np.ndarray, np.ndarray]

    @classmethod
    def of(cls, shapes: Sequence[Shape]) -> ShapeTable:
        """The table of some shapes; equal ones share their numbers.

        Raises
        ------
        ModelError
            If a shape is a mesh file that has not been read, or has no extent.
        """
        numbers: list[float] = []
        places: dict[Shape, int] = {}
        for shape in shapes:
            if shape not in places:
                places[shape] = _append(shape, numbers)
        ranked = sorted(places, key=lambda shape: (numbers[places[shape]], _sizes(shape)))
        for rank, shape in enumerate(ranked):
            numbers[places[shape] + at.ORDER] = rank
        offsets = np.array([places[shape] for shape in shapes], np.int64)
        return cls(tuple(shapes), (np.array(numbers, float), offsets))


def _sizes(shape: Shape) -> tuple:
    """What two shapes of a kind are told apart by."""
    return tuple(getattr(shape, field.name) for field in fields(shape))


def _append(shape: Shape, numbers: list[float]) -> int:
    """Put a shape's record and arrays after the others; its place."""
    place = len(numbers)
    numbers += _record(shape)
    match shape:
        case Polyhedron():
            corners, faces = hull_of(shape)
            _bounds(numbers, place, corners.min(axis=0), corners.max(axis=0), corners)
            _polyhedron(numbers, place, corners, faces)
            _put_cells(numbers, place, shape)
        case TriangleMesh(vertices, _):
            points = np.array(vertices)
            _bounds(numbers, place, points.min(axis=0), points.max(axis=0), points)
            mesh_numbers(shape, numbers, place)
        case Heightmap(heights, _):
            numbers[place + at.N_VERTICES] = len(heights)
            numbers[place + at.N_FACES] = len(heights[0])
            numbers[place + at.VERTICES] = len(numbers)
            numbers += [x for row in heights for x in row]
    return place


def _record(shape: Shape) -> list[float]:
    """The header of a shape, with its bounds where they follow from its sizes."""
    match shape:
        case Plane():
            return _header(at.PLANE, (0.0, 0.0, 0.0), 0.0, (np.inf, np.inf, np.inf))
        case Heightmap(heights, (x, y)):
            low, high = min(map(min, heights)), max(map(max, heights))
            header = _header(
                at.HEIGHTMAP, (x / 2, y / 2, 0.0), 0.0, (x / 2, y / 2, (high - low) / 2)
            )
            header[at.CENTRE + 2] = (low + high) / 2
            return header
        case TriangleMesh():
            return _header(at.MESH, (0.0, 0.0, 0.0), 0.0, (0.0, 0.0, 0.0))
        case Torus(R, r):
            _positive(shape, R, r)
            return _header(at.TORUS, (R, r, 0.0), r, (R + r, R + r, r), R + r)
        case Sphere(r):
            return _header(at.SPHERE, (r, 0.0, 0.0), r, (r, r, r), r)
        case Capsule(r, length):
            half = length / 2
            return _header(at.CAPSULE, (r, half, 0.0), r, (r, r, half + r), half + r)
        case Cylinder(r, length):
            _positive(shape, r, length)
            return _header(at.CYLINDER, (r, length / 2, 0.0), 0.0, (r, r, length / 2))
        case Cone(r, length):
            _positive(shape, r, length)
            return _header(at.CONE, (r, length / 2, 0.0), 0.0, (r, r, length / 2))
        case Box((x, y, z)):
            _positive(shape, x, y, z)
            return _header(at.BOX, (x / 2, y / 2, z / 2), 0.0, (x / 2, y / 2, z / 2))
        case Polyhedron():
            return _header(at.POLYHEDRON, (0.0, 0.0, 0.0), 0.0, (0.0, 0.0, 0.0))
    raise ModelError(
        f"expected a shape that can collide, got a {type(shape).__name__}"
        " (read a mesh file first: polhode.formats.mesh.read_mesh)"
    )


def _header(
    kind: int,
    size: Sequence[float],
    radius: float,
    half: Sequence[float],
    reach: float | None = None,
) -> list[float]:
    header = [0.0] * at.HEADER
    header[at.KIND] = kind
    header[at.SIZE : at.SIZE + 3] = size
    header[at.ROUND] = radius
    header[at.HALF : at.HALF + 3] = half
    header[at.REACH] = float(np.linalg.norm(half)) if reach is None else reach
    return header


def _positive(shape: Shape, *lengths: float) -> None:
    if min(lengths) <= 0.0:
        raise ModelError(f"expected positive lengths of a shape that collides, got {shape}")


def _bounds(
    numbers: list[float], place: int, low: np.ndarray, high: np.ndarray, points: np.ndarray
) -> None:
    centre = (low + high) / 2
    numbers[place + at.CENTRE : place + at.CENTRE + 3] = centre.tolist()
    numbers[place + at.HALF : place + at.HALF + 3] = ((high - low) / 2).tolist()
    numbers[place + at.REACH] = float(np.linalg.norm(points - centre, axis=1).max())


def _polyhedron(
    numbers: list[float], place: int, corners: np.ndarray, faces: list[list[int]]
) -> None:
    numbers[place + at.N_VERTICES] = len(corners)
    numbers[place + at.VERTICES] = len(numbers)
    numbers += corners.ravel().tolist()
    numbers[place + at.N_FACES] = len(faces)
    numbers[place + at.FACES] = len(numbers)
    loops = len(numbers) + at.FACE * len(faces)
    for face, (normal, height) in zip(faces, _planes(corners, faces), strict=True):
        numbers += [*normal, height, len(face), loops]
        loops += len(face)
    for face in faces:
        numbers += face
    pairs = {(a, b) for face in faces for a, b in zip(face, face[1:] + face[:1], strict=True)}
    sides = sorted(pair for pair in pairs if pair[0] < pair[1])
    numbers[place + at.N_SIDES] = len(sides)
    numbers[place + at.SIDES] = len(numbers)
    numbers += [k for pair in sides for k in pair]


def _put_cells(numbers: list[float], place: int, shape: Polyhedron) -> None:
    """Put the cells of corners and of faces after the others, unless these are few."""
    for name, cells in zip((at.CORNER_CELLS, at.FACE_CELLS), _cells(shape), strict=True):
        if cells:
            numbers[place + name] = len(numbers)
            numbers += cells


@lru_cache(maxsize=256)
def _cells(shape: Polyhedron) -> tuple[list[float], list[float]]:
    corners, faces = hull_of(shape)
    normals = np.array([normal for normal, _ in _planes(corners, faces)])
    of_corners, of_faces = (cells_of(x) if len(x) > FEW else [] for x in (corners, normals))
    return of_corners, of_faces


def _planes(corners: np.ndarray, faces: list[list[int]]) -> list[tuple[list[float], float]]:
    """The outward normal of each face, and how far it is from the origin; many at once."""
    found: dict[int, tuple[list[float], float]] = {}
    of_length: dict[int, list[int]] = {}
    for k, face in enumerate(faces):
        of_length.setdefault(len(face), []).append(k)
    for members in of_length.values():
        points = corners[np.array([faces[k] for k in members])]
        arms = points - points[:, :1]
        normals = np.cross(arms, np.roll(arms, -1, axis=1)).sum(axis=1)
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        heights = (points * normals[:, None]).sum(axis=2).max(axis=1)
        found |= zip(members, zip(normals.tolist(), heights.tolist(), strict=True), strict=True)
    return [found[k] for k in range(len(faces))]
