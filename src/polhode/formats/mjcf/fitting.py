"""Primitives fitted to a mesh: to the box of its inertia, or to its bounding box.

Both boxes have the principal axes of the mesh, the largest moment of inertia about x.
"""

from __future__ import annotations

import numpy as np

from ...spatial import Transform, Vec3
from .assets import MeshAsset

PRIMITIVES = ("sphere", "capsule", "cylinder", "ellipsoid", "box")


def fitted(mesh: MeshAsset, kind: str, *, is_bounding: bool) -> tuple[Transform, tuple[float, ...]]:
    """The frame of a primitive, from the mesh's coordinates, and its sizes."""
    E, middle = np.array(mesh.frame.E.rows()), np.array(mesh.solid.com)
    if is_bounding:
        corners = (mesh.triangles[0] - middle) @ E.T
        low, high = corners.min(axis=0), corners.max(axis=0)
        middle, half = middle + (low + high) / 2.0 @ E, (high - low) / 2.0
    else:
        moments = np.einsum("ij,jk,ik->i", E, mesh.solid.inertia, E)
        squares = 1.5 * (moments.sum() - 2.0 * moments)
        half = np.sqrt(np.maximum(squares, 0.0))
    sizes = _bounding_sizes(kind, *half) if is_bounding else _like_sizes(kind, *half)
    return Transform(mesh.frame.E, Vec3(*middle.tolist())), tuple(map(float, sizes))


def _like_sizes(kind: str, a: float, b: float, c: float) -> tuple[float, ...]:
    """Of about the size of a box."""
    radius = (a + b) / 2.0
    match kind:
        case "sphere":
            return ((a + b + c) / 3.0,)
        case "capsule":
            return radius, max(c - radius / 2.0, 0.0)
        case "cylinder":
            return radius, c
    return a, b, c


def _bounding_sizes(kind: str, a: float, b: float, c: float) -> tuple[float, ...]:
    """With that box as their own bounding box, or a larger one."""
    radius = max(a, b)
    match kind:
        case "sphere":
            return (max(a, b, c),)
        case "capsule":
            return radius, max(c - radius, 0.0)
        case "cylinder":
            return radius, c
    return a, b, c
