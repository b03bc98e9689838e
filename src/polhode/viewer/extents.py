"""How far the drawn shapes of a body reach."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from .rotations import matrices
from .shapes import ShapeRow


def outlines(shapes: Iterable[ShapeRow]) -> dict[int, np.ndarray]:
    """By body the spheres (n, 4) that enclose its shapes; endless shapes have none."""
    found: dict[int, list[np.ndarray]] = {}
    for shape in shapes:
        if shape["kind"] != "plane":
            found.setdefault(shape["body"], []).append(outline(shape))
    return {body: np.concatenate(rows) for body, rows in found.items()}


def outline(shape: ShapeRow) -> np.ndarray:
    """Spheres (n, 4) whose hull encloses a shape, in its body's coordinates."""
    size = shape.get("size", [])
    match shape["kind"]:
        case "sphere":
            corners, radius = np.zeros((1, 3)), size[0]
        case "capsule":
            corners, radius = np.array([(0, 0, -0.5), (0, 0, 0.5)]) * size[1], size[0]
        case "bar":
            corners, radius = np.array([(0, 0, -0.5), (0, 0, 0.5)]) * size[2], size[:2]
        case "mesh" | "line":
            points = np.asarray(shape["points"], float)
            corners, radius = _corners(points.min(axis=0), points.max(axis=0)), 0.0
        case kind:
            half = np.array(_half_size(kind, size))
            corners, radius = _corners(-half, half), 0.0
    pose = np.array(shape["pose"], float)
    centres = corners @ matrices(pose[3:]).T + pose[:3]
    return np.column_stack((centres, np.full(len(centres), radius)))


def _half_size(kind: str, size: Sequence[float]) -> tuple[float, ...]:
    match kind:
        case "cylinder" | "cone":
            return size[0], size[0], 0.5 * size[1]
        case "torus":
            return size[0] + size[1], size[0] + size[1], size[1]
        case "ellipsoid":
            return tuple(size)
    return tuple(0.5 * x for x in size)


def _corners(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    pick = np.array([[k & 1, k >> 1 & 1, k >> 2] for k in range(8)], bool)
    return np.where(pick, high, low)
