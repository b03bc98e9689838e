"""Volume or surface, and inertia, of geoms: solid, or shells whose mass lies on the surface.

MuJoCo approximates ellipsoid shells: their area by Thomsen's formula, their inertia as that of a
layer of constant thickness.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...errors import ModelError
from ...model import RigidBody
from ...model.hull import convex_hull

_THOMSEN = 1.6075
INERTIA_MODES = ("convex", "exact", "legacy", "shell")


class Solid(NamedTuple):
    """Volume [m^3] or area [m^2], centre, and inertia about it for a mass of one."""

    measure: float
    inertia: np.ndarray
    com: tuple[float, ...] = (0.0, 0.0, 0.0)

    def body(self, mass: float) -> RigidBody:
        """Of a mass."""
        with np.errstate(all="ignore"):  # what is not finite is refused as that
            inertia = (mass * self.inertia).tolist()
        return RigidBody(mass, self.com, inertia)  # type: ignore[arg-type]


def primitive(kind: str, size: tuple[float, ...], *, shell: bool) -> Solid:
    """Of a geom's type and its half sizes."""
    return (_SHELLS if shell else _SOLIDS)[kind](*size)


def mesh_solid(vertices: np.ndarray, faces: np.ndarray, mode: str) -> Solid:
    """Of triangles, in one of MuJoCo's ways.

    Raises
    ------
    ModelError
        If the mesh has no volume.
    """
    if mode == "convex":
        vertices, polygons = convex_hull(vertices)
        fans = [(face[0], b, c) for face in polygons for b, c in pairwise(face[1:])]
        faces = np.array(fans)
    triangles = vertices[faces]
    areas = _areas(triangles)
    if mode == "shell":
        return _moments(triangles, areas, areas @ triangles.mean(axis=1) / areas.sum(), 12.0)
    middle = areas @ triangles.mean(axis=1) / areas.sum()
    volumes = _pyramids(triangles, middle, mode)
    if not volumes.sum() > 1e-14:
        raise ModelError(f"expected a mesh with a volume, got one of {volumes.sum():.3g} m^3")
    com = volumes @ ((triangles.sum(axis=1) + middle) / 4.0) / volumes.sum()
    return _moments(triangles, _pyramids(triangles, com, mode), com, 20.0)


def _pyramids(triangles: np.ndarray, apex: np.ndarray, mode: str) -> np.ndarray:
    """Volumes between triangles and an apex; all of them positive in the legacy way."""
    volumes = np.linalg.det(triangles - apex) / 6.0
    return np.abs(volumes) if mode == "legacy" else volumes


def _areas(triangles: np.ndarray) -> np.ndarray:
    a, b, c = np.moveaxis(triangles, 1, 0)
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2.0


def _moments(triangles: np.ndarray, measures: np.ndarray, com: np.ndarray, share: float) -> Solid:
    """About ``com``: of triangles (a share of 12) or pyramids between them and ``com`` (20)."""
    corners = triangles - com
    sums = corners.sum(axis=1)
    second = np.einsum("t,tki,tkj->ij", measures, corners, corners)
    second = (second + np.einsum("t,ti,tj->ij", measures, sums, sums)) / share
    total = float(measures.sum())
    return Solid(total, (np.trace(second) * np.eye(3) - second) / total, tuple(com.tolist()))


def _diagonal(measure: float, x: float, y: float, z: float) -> Solid:
    return Solid(measure, np.diag((x, y, z)))


def _round(measure: float, across: float, about: float) -> Solid:
    return _diagonal(measure, across, across, about)


def _box(a: float, b: float, c: float) -> Solid:
    xx, yy, zz = a * a / 3.0, b * b / 3.0, c * c / 3.0
    return _diagonal(8.0 * a * b * c, yy + zz, xx + zz, xx + yy)


def _box_shell(a: float, b: float, c: float) -> Solid:
    faces = (8.0 * b * c, 8.0 * a * c, 8.0 * a * b)  # areas of both faces across x, y, z
    total = sum(faces)
    mean = [side * side * (total + 2.0 * area) / (3.0 * total)
            for side, area in zip((a, b, c), faces, strict=True)]  # fmt: skip
    xx, yy, zz = mean
    return _diagonal(total, yy + zz, xx + zz, xx + yy)


def _sphere(r: float) -> Solid:
    return _round(4.0 / 3.0 * math.pi * r**3, 0.4 * r * r, 0.4 * r * r)


def _sphere_shell(r: float) -> Solid:
    return _round(4.0 * math.pi * r * r, r * r / 1.5, r * r / 1.5)


def _cylinder(r: float, h: float) -> Solid:
    return _round(2.0 * math.pi * r * r * h, r * r / 4.0 + h * h / 3.0, r * r / 2.0)


def _cylinder_shell(r: float, h: float) -> Solid:
    side, ends = 4.0 * math.pi * r * h, 2.0 * math.pi * r * r
    across = side * (r * r / 2.0 + h * h / 3.0) + ends * (r * r / 4.0 + h * h)
    about = side * r * r + ends * r * r / 2.0
    return _round(side + ends, across / (side + ends), about / (side + ends))


def _capsule(r: float, h: float) -> Solid:
    """A cylinder and two halves of a ball, whose centres lie 3/8 r beyond its ends."""
    side, ball = 2.0 * math.pi * r * r * h, 4.0 / 3.0 * math.pi * r**3
    across = side * (r * r / 4.0 + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r)
    about = side * r * r / 2.0 + ball * 0.4 * r * r
    return _round(side + ball, across / (side + ball), about / (side + ball))


def _capsule_shell(r: float, h: float) -> Solid:
    side, ball = 4.0 * math.pi * r * h, 4.0 * math.pi * r * r
    across = side * (r * r / 2.0 + h * h / 3.0) + ball * (r * r / 1.5 + h * h + h * r)
    about = side * r * r + ball * r * r / 1.5
    return _round(side + ball, across / (side + ball), about / (side + ball))


def _ellipsoid(a: float, b: float, c: float) -> Solid:
    xx, yy, zz = a * a / 5.0, b * b / 5.0, c * c / 5.0
    return _diagonal(4.0 / 3.0 * math.pi * a * b * c, yy + zz, xx + zz, xx + yy)


def _ellipsoid_shell(a: float, b: float, c: float) -> Solid:
    p = _THOMSEN
    mean = ((a * b) ** p + (a * c) ** p + (b * c) ** p) / 3.0
    thin = 2.0 / (1.0 / a + 1.0 / b + 1.0 / c)
    xx, yy, zz = (side * (side + thin) / 5.0 for side in (a, b, c))
    return _diagonal(4.0 * math.pi * mean ** (1.0 / p), yy + zz, xx + zz, xx + yy)


_SOLIDS = {"box": _box, "sphere": _sphere, "cylinder": _cylinder, "capsule": _capsule,
           "ellipsoid": _ellipsoid}  # fmt: skip
_SHELLS = {"box": _box_shell, "sphere": _sphere_shell, "cylinder": _cylinder_shell,
           "capsule": _capsule_shell, "ellipsoid": _ellipsoid_shell}  # fmt: skip
