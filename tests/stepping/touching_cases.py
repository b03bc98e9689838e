"""Pairs of shapes with a fixed number of contacts, at random poses."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

import polhode as ph
from polhode.algorithms.stepping.touching import Shape, points
from polhode.model import Model, Plane
from polhode.model import Shape as Geometry
from polhode.scalar import Scalar
from polhode.spatial import Mat3, Transform, Vec3
from random_shapes import CONVEX, HILLS, TORUS, rotation

ALL: dict[str, Geometry] = {**CONVEX, "torus": TORUS, "plane": Plane(), "hills": HILLS}
PAIRS = [
    *((name, "plane") for name in (*CONVEX, "torus")),
    *(("sphere", name) for name in ("sphere", "capsule", "box", "cylinder", "cone", "torus")),
    ("capsule", "capsule"),
    ("capsule", "box"),
    ("capsule", "cylinder"),
    ("box", "box"),
]
"""Names of two shapes each."""

ON_HILLS = [(name, "hills") for name in CONVEX]
"""Pairs whose contacts the narrow phase seeks along edges and on ridges too."""


def transform(rows) -> Transform:
    """A pose of twelve scalars: rows of the rotation from the world, then the origin."""
    return Transform(Mat3(*(Vec3.of(row) for row in rows[:3])), Vec3.of(rows[3]))


def random_rows(rng: np.random.Generator, count: int, spread: float) -> np.ndarray:
    """So many poses, as `transform` takes them: shape (count, 4, 3)."""
    rows = np.empty((count, 4, 3))
    for row in rows:
        row[:3] = rotation(rng)
    rows[:, 3] = spread * rng.normal(size=(count, 3))
    return rows


def matrix(rows: np.ndarray) -> np.ndarray:
    """The pose as `polhode.contact` takes it: from the shape's coordinates to the world's."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rows[:3].T, rows[3]
    return pose


def found(one: str, two: str, A, B, margin: float | None = None) -> list[list[Scalar]]:
    """Position, normal and gap of all points, of poses of twelve scalars or arrays each."""
    a, b = Shape.of(ALL[one]), Shape.of(ALL[two])
    there = points(a, transform(A), b, transform(B), margin=margin)
    return [[*x, *n, gap] for x, n, gap in there]


def in_arrays(
    one: str, two: str, A: np.ndarray, B: np.ndarray, margin: float | None = None
) -> np.ndarray:
    """The same of many poses at once, in NumPy: shape (count, points, 7)."""
    rows = found(one, two, np.moveaxis(A, 0, -1), np.moveaxis(B, 0, -1), margin)
    return np.moveaxis(np.array([np.broadcast_arrays(*row, A[:, 0, 0])[:7] for row in rows]), -1, 0)


@lru_cache
def program(
    one: str, two: str, *, is_level: bool = False, margin: float | None = None
) -> ph.Program:
    """The same compiled; the second shape may be fixed at the world's frame."""
    level = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]

    def contacts(model, A, B=level):
        return found(one, two, A, B, margin)

    shapes: dict = {"A": (4, 3)} if is_level else {"A": (4, 3), "B": (4, 3)}
    return ph.compile(contacts, Model("world"), shapes=shapes)


def sized_program(one: str, two: str) -> ph.Program:
    """The same with the sizes of both shapes as inputs, before the poses."""
    a, b = Shape.of(ALL[one]), Shape.of(ALL[two])

    def contacts(model, A, B, size_a=a.size, size_b=b.size):
        first, second = replace(a, size=size_a), replace(b, size=size_b)
        there = points(first, transform(A), second, transform(B), margin=10.0)
        return [[*x, *n, gap] for x, n, gap in there]

    sizes = {"size_a": a.size, "size_b": b.size}
    shapes: dict = {name: (len(size),) for name, size in sizes.items() if size}
    return ph.compile(contacts, Model("world"), shapes={"A": (4, 3), "B": (4, 3)} | shapes)
