"""Shapes of bodies: for drawing, collision and mass properties.

All are centred on their frame's origin, with their axis or upward normal along z.
Sizes may be zero, as a drawing may have them; what cannot work with that says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from ..errors import ModelError, one_line, shown, suggests_fields
from .checks import entries, number

Triple = tuple[float, float, float]
Face = tuple[int, int, int]


@suggests_fields
@dataclass(frozen=True)
class Box:
    """A box of edge lengths ``size`` [m]."""

    size: Triple

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", _lengths(self, "size", self.size, 3))


@suggests_fields
@dataclass(frozen=True)
class Sphere:
    """A sphere of the given radius [m]."""

    radius: float

    def __post_init__(self) -> None:
        _set_lengths(self, "radius")


@suggests_fields
@dataclass(frozen=True)
class Cylinder:
    """A cylinder along z; radius and length [m]."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        _set_lengths(self, "radius", "length")


@suggests_fields
@dataclass(frozen=True)
class Capsule:
    """A capsule along z; ``length`` [m] between the centres of its caps."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        _set_lengths(self, "radius", "length")


@suggests_fields
@dataclass(frozen=True)
class Cone:
    """A cone along z: its base lies at ``-length/2``, its tip at ``+length/2`` [m]."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        _set_lengths(self, "radius", "length")


@suggests_fields
@dataclass(frozen=True)
class Torus:
    """A ring about z: a tube of ``minor_radius`` around a circle of ``major_radius`` [m]."""

    major_radius: float
    minor_radius: float

    def __post_init__(self) -> None:
        _set_lengths(self, "major_radius", "minor_radius")


@dataclass(frozen=True)
class Plane:
    """The half-space ``z <= 0``: all below the plane is solid."""


@suggests_fields
@dataclass(frozen=True)
class Heightmap:
    """Ground with heights [m] on a regular grid, bilinear between them, solid below.

    ``heights[i][j]`` stands at ``x = -size[0]/2 + i size[0]/(rows - 1)``,
    ``y = -size[1]/2 + j size[1]/(columns - 1)``.
    """

    heights: tuple[tuple[float, ...], ...]
    size: tuple[float, float]

    def __post_init__(self) -> None:
        rows = tuple(
            tuple(
                number(x, "entry of heights of a Heightmap")
                for x in entries(row, "rows of heights")
            )
            for row in entries(self.heights, "rows of heights of a Heightmap")
        )
        if len(rows) < 2 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
            sizes = f"{len(rows)} rows of {sorted({len(row) for row in rows})}"
            raise ModelError(f"expected at least 2 equal rows of 2 heights or more, got {sizes}")
        object.__setattr__(self, "heights", rows)
        size = _lengths(self, "size", self.size, 2)
        if min(size) == 0.0:
            raise ModelError(f"expected a positive size of a Heightmap, got {size}")
        object.__setattr__(self, "size", size)


@suggests_fields
@dataclass(frozen=True)
class Polyhedron:
    """The convex hull of some points [m]."""

    vertices: tuple[Triple, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "vertices", _vertices(self, self.vertices, 4))


@suggests_fields
@dataclass(frozen=True)
class TriangleMesh:
    """Triangles between vertices [m]; outside is where a face runs counter-clockwise."""

    vertices: tuple[Triple, ...]
    faces: tuple[Face, ...]

    def __post_init__(self) -> None:
        vertices = _vertices(self, self.vertices, 3)
        faces = _faces(self.faces, len(vertices))
        if not faces:
            raise ModelError("expected at least one face in faces of a TriangleMesh, got none")
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)

    def __repr__(self) -> str:
        return f"TriangleMesh({len(self.vertices)} vertices, {len(self.faces)} faces)"


@suggests_fields
@dataclass(frozen=True)
class Mesh:
    """A mesh file, scaled; it is read only where its triangles are needed."""

    path: str
    scale: Triple = (1.0, 1.0, 1.0)


Shape = (
    Box
    | Sphere
    | Cylinder
    | Capsule
    | Cone
    | Torus
    | Plane
    | Heightmap
    | Polyhedron
    | TriangleMesh
    | Mesh
)


def _set_lengths(shape: object, *names: str) -> None:
    for name in names:
        (value,) = _lengths(shape, name, (getattr(shape, name),), 1)
        object.__setattr__(shape, name, value)


def _lengths(shape: object, what: str, values: Any, count: int) -> tuple[float, ...]:
    many = "a length" if count == 1 else f"{count} lengths"
    of = f"{what} of a {type(shape).__name__}"
    if hasattr(values, "__next__"):
        raise ModelError(f"expected {many}, not negative, as {of}, got {shown(values)}")
    found = entries(values, f"{many}, not negative, as {of}")
    lengths = tuple(number(x, of) for x in found)
    if len(lengths) != count or min(lengths) < 0.0:
        got = lengths[0] if count == 1 else lengths
        raise ModelError(f"expected {many}, not negative, as {of}, got {got}")
    return lengths


def _vertices(shape: object, vertices: Any, least: int) -> tuple[Triple, ...]:
    if isinstance(vertices, np.ndarray) and _are_points(vertices, least):
        return tuple(zip(*vertices.T.tolist(), strict=True))
    of = f"a {type(shape).__name__}"
    points = tuple(
        tuple(
            number(x, f"entry of vertices of {of}")
            for x in entries(point, f"points as vertices of {of}")
        )
        for point in entries(vertices, f"points as vertices of {of}")
    )
    if len(points) < least or any(len(point) != 3 for point in points):
        raise ModelError(
            f"expected at least {least} vertices of three coordinates of {of}, "
            f"got {len(points)} of {sorted({len(point) for point in points})}"
        )
    return points  # type: ignore[return-value]


def _are_points(vertices: np.ndarray, least: int) -> bool:
    return (
        vertices.dtype == float
        and vertices.ndim == 2
        and vertices.shape[1] == 3
        and len(vertices) >= least
        and bool(np.isfinite(vertices).all())
    )


def _are_faces(faces: np.ndarray, count: int) -> bool:
    if faces.dtype.kind != "i" or faces.ndim != 2 or faces.shape[1] != 3 or not faces.size:
        return False
    return 0 <= int(faces.min()) <= int(faces.max()) < count


def _faces(faces: Any, count: int) -> tuple[Face, ...]:
    if isinstance(faces, np.ndarray) and _are_faces(faces, count):
        return tuple(zip(*faces.T.tolist(), strict=True))
    return tuple(_face(face, count) for face in entries(faces, "faces of a TriangleMesh"))


def _face(face: Any, count: int) -> Face:
    corners = entries(face, "three numbers of vertices as each of the faces")
    if len(corners) != 3 or not all(
        isinstance(k, Integral) and 0 <= int(k) < count for k in corners
    ):
        raise ModelError(
            f"expected three numbers of vertices from 0 to {count - 1} as a face, "
            f"got {one_line(repr(corners), 80)} in faces"
        )
    return tuple(map(int, corners))  # type: ignore[return-value]
