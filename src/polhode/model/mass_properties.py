"""Mass, centre of mass and inertia of solid shapes of uniform density.

Exact for every shape; polyhedra and meshes by the divergence theorem over their faces.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..errors import ModelError
from .hull import convex_hull
from .records import RigidBody
from .shapes import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Heightmap,
    Mesh,
    Plane,
    Polyhedron,
    Shape,
    Sphere,
    Torus,
    TriangleMesh,
    Triple,
)


class _Solid(NamedTuple):
    """Volume, centre and inertia about the centre for a mass of one."""

    volume: float
    com: Triple
    inertia: np.ndarray


def mass_properties(
    shape: Shape,
    *,
    mass: float | None = None,
    density: float | None = None,
    convexify: bool = False,
) -> RigidBody:
    """Compute mass, centre of mass and inertia of a solid shape.

    Parameters
    ----------
    shape : Shape
        Any but a plane, a height map or a mesh file, which must be read first.
    mass, density : float
        One of both [kg, kg/m^3].
    convexify : bool
        Take the convex hull of a triangle mesh; it may then be open.

    Returns
    -------
    RigidBody
        In the shape's coordinates; the inertia is about the centre of mass.

    Raises
    ------
    ModelError
        If the shape has no volume, a mesh is open or inside out, or not exactly one of
        mass and density is given.

    Examples
    --------
    >>> from polhode.model import Sphere
    >>> mass_properties(Sphere(0.5), mass=2.0).inertia[0][0]
    0.2
    """
    if (mass is None) == (density is None):
        given = "neither" if mass is None else "both"
        raise ModelError(f"expected either a mass or a density, got {given}")
    solid = _solid(shape, convexify)
    if density is not None:
        mass = _positive(density, "density") * solid.volume
    mass = _positive(mass, "mass")
    return RigidBody(mass, solid.com, (mass * solid.inertia).tolist())


def volume(shape: Shape, *, convexify: bool = False) -> float:
    """Compute the volume [m^3] of a solid shape.

    Raises
    ------
    ModelError
        As `mass_properties`.
    """
    return _solid(shape, convexify).volume


def _positive(value: float | None, what: str) -> float:
    number = float(value if value is not None else math.nan)
    if not (math.isfinite(number) and number >= 0.0):
        raise ModelError(f"expected a {what} that is finite and not negative, got {value}")
    return number


def _solid(shape: Shape, convexify: bool) -> _Solid:
    match shape:
        case Box((a, b, c)):
            xx, yy, zz = a * a / 12, b * b / 12, c * c / 12
            return _centred(a * b * c, yy + zz, xx + zz, xx + yy)
        case Sphere(r):
            return _centred(4 / 3 * math.pi * r**3, *[2 / 5 * r * r] * 3)
        case Cylinder(r, h):
            return _round(math.pi * r * r * h, r * r / 4 + h * h / 12, r * r / 2)
        case Capsule(r, h):
            return _capsule(r, h)
        case Cone(r, h):
            solid = _round(math.pi / 3 * r * r * h, 3 / 20 * r * r + 3 / 80 * h * h, 3 / 10 * r * r)
            return solid._replace(com=(0.0, 0.0, -h / 4))
        case Torus(R, r):
            if r > R:
                raise ModelError(f"expected a major radius of at least the minor, got {shape}")
            side = R * R / 2 + 5 / 8 * r * r
            return _round(2 * math.pi**2 * R * r * r, side, R * R + 3 / 4 * r * r)
        case Polyhedron(vertices):
            return _hull(np.array(vertices))
        case TriangleMesh(vertices, faces):
            if convexify:
                return _hull(np.array(vertices))
            _check_closed(faces)
            return _divergence(np.array(vertices)[np.array(faces)])
        case Plane() | Heightmap():
            raise ModelError(f"expected a shape with a volume, got a {type(shape).__name__}")
        case Mesh(path, _):
            raise ModelError(
                f"expected a shape whose triangles are known, got the mesh file '{path}'"
                " (read it first: polhode.formats.mesh.read_mesh)"
            )


def _centred(volume: float, xx: float, yy: float, zz: float) -> _Solid:
    return _Solid(volume, (0.0, 0.0, 0.0), np.diag((xx, yy, zz)))


def _round(volume: float, across: float, about: float) -> _Solid:
    return _centred(volume, across, across, about)


def _capsule(r: float, h: float) -> _Solid:
    """A cylinder and two halves of a ball, each 3/8 r beyond its end."""
    cylinder, ball = math.pi * r * r * h, 4 / 3 * math.pi * r**3
    total = cylinder + ball
    share = cylinder / total if total > 0.0 else 1.0
    across = share * (r * r / 4 + h * h / 12)
    across += (1 - share) * (2 / 5 * r * r + h * h / 4 + 3 / 8 * h * r)
    about = share * r * r / 2 + (1 - share) * 2 / 5 * r * r
    return _round(total, across, about)


def _hull(vertices: np.ndarray) -> _Solid:
    corners, faces = convex_hull(vertices)
    fans = [(face[0], b, c) for face in faces for b, c in pairwise(face[1:])]
    return _divergence(corners[np.array(fans)])


def _check_closed(faces: tuple[tuple[int, int, int], ...]) -> None:
    """Each edge must be run through once in either direction."""
    seen: dict[tuple[int, int], int] = {}
    for face in faces:
        for edge in zip(face, (*face[1:], face[0]), strict=True):
            seen[edge] = seen.get(edge, 0) + 1
    twice = sum(count > 1 for count in seen.values())
    alone = sum((b, a) not in seen for a, b in seen)
    if twice or alone:
        raise ModelError(
            f"expected a closed mesh with all faces turned outwards, got one with {alone} open "
            f"and {twice} doubled edges (convexify=True takes the hull instead)"
        )


def _divergence(triangles: np.ndarray) -> _Solid:
    """Moments of the tetrahedra between the triangles and a point in their middle."""
    middle = triangles.reshape(-1, 3).mean(axis=0)
    corners = triangles - middle
    volumes = np.linalg.det(corners) / 6
    total = float(volumes.sum())
    size = float(np.abs(corners).max())
    if total <= 1e-12 * size**3:
        kind = "inside out (turn the faces round)" if total < 0.0 else "flat"
        raise ModelError(f"expected a mesh with a volume, got one of {total:.6g} m^3: {kind}")
    sums = corners.sum(axis=1)
    com = volumes @ sums / (4 * total)
    second = np.einsum("t,tki,tkj->ij", volumes, corners, corners)
    second = (second + np.einsum("t,ti,tj->ij", volumes, sums, sums)) / (20 * total)
    second -= np.outer(com, com)
    inertia = np.trace(second) * np.eye(3) - second
    return _Solid(total, tuple((middle + com).tolist()), 0.5 * (inertia + inertia.T))
