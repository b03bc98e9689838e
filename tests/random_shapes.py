"""Shapes of every kind and random poses, for tests of collision."""

from __future__ import annotations

import numpy as np

from polhode.model import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Heightmap,
    Plane,
    Polyhedron,
    Sphere,
    Torus,
    TriangleMesh,
)

CUBE = tuple((x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5))
CUBE_FACES = (
    *((0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1)),
    *((2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)),
)


def _hull() -> Polyhedron:
    points = np.random.default_rng(5).normal(size=(12, 3))
    return Polyhedron(tuple(map(tuple, 0.6 * points)))


CONVEX = {
    "sphere": Sphere(0.4),
    "capsule": Capsule(0.3, 1.0),
    "cylinder": Cylinder(0.5, 0.8),
    "cone": Cone(0.5, 1.0),
    "box": Box((1.0, 0.7, 0.5)),
    "polyhedron": _hull(),
}
LEVEL = Heightmap(((0.0,) * 9,) * 9, (4.0, 4.0))
TORUS = Torus(1.0, 0.25)
MESH = TriangleMesh(CUBE, CUBE_FACES)
HILLS = Heightmap(
    tuple(tuple(0.15 * np.sin(1.3 * i + 0.7 * j) for j in range(7)) for i in range(8)), (4.0, 4.0)
)
ALL = {**CONVEX, "torus": TORUS, "mesh": MESH, "plane": Plane(), "hills": HILLS}


def rotation(rng: np.random.Generator) -> np.ndarray:
    w, x, y, z = q = rng.normal(size=4)
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
            (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
            (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
        )
    )


def pose(position=(0.0, 0.0, 0.0), R: np.ndarray | None = None) -> np.ndarray:
    """Shape to world."""
    matrix = np.eye(4)
    matrix[:3, 3] = position
    if R is not None:
        matrix[:3, :3] = R
    return matrix


def random_pose(rng: np.random.Generator, spread: float = 0.7) -> np.ndarray:
    return pose(spread * rng.normal(size=3), rotation(rng))


def about(axis: str, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    R = np.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def height(shape, pose, n):
    """Greatest height of a shape along unit vectors ``n`` (..., 3)."""
    d, centre = n @ pose[:3, :3], n @ pose[:3, 3]
    rho, z = np.hypot(d[..., 0], d[..., 1]), d[..., 2]
    match shape:
        case Sphere(r):
            top = r + 0 * z
        case Capsule(r, length):
            top = r + length / 2 * abs(z)
        case Cylinder(r, length):
            top = r * rho + length / 2 * abs(z)
        case Cone(r, length):
            top = np.maximum(r * rho - length / 2 * z, length / 2 * z)
        case Box(size):
            top = abs(d) @ (np.array(size) / 2)
        case Polyhedron(vertices):
            top = (d @ np.array(vertices).T).max(axis=-1)
        case _:
            raise AssertionError(shape)
    return centre + top


def farthest(shape, d):
    """A point of a shape that is farthest along ``d``, in the shape's coordinates."""
    rho = np.hypot(d[0], d[1])
    side = np.array((d[0], d[1], 0.0)) / rho if rho > 0.0 else np.array((1.0, 0.0, 0.0))
    z = np.array((0.0, 0.0, 0.5))
    match shape:
        case Sphere(r):
            return r * d
        case Capsule(r, length):
            return r * d + np.sign(d[2]) * length * z
        case Cylinder(r, length):
            return r * side + np.sign(d[2]) * length * z
        case Cone(r, length):
            return max(r * side - length * z, length * z, key=lambda x: x @ d)
        case Box(size):
            return 0.5 * np.sign(d) * size
        case Polyhedron(vertices):
            return max(np.array(vertices), key=lambda x: x @ d)
    raise AssertionError(shape)
