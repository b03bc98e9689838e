"""Triangles of what is drawn of a model, in the coordinates of its bodies."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from polhode import Model
from polhode.viewer.meshes import Triangles, hull_triangles
from polhode.viewer.rotations import matrices
from polhode.viewer.shapes import shapes

_PALETTE = (
    (0.357, 0.498, 0.710), (0.878, 0.600, 0.369), (0.416, 0.659, 0.537), (0.776, 0.420, 0.420),
    (0.561, 0.498, 0.749), (0.710, 0.604, 0.416), (0.816, 0.561, 0.690), (0.373, 0.663, 0.722),
)  # fmt: skip
_JOINT = (0.25, 0.28, 0.32)
_ROUND = 32  # corners of a circle


def drawn(model: Model) -> list[dict[str, Any]]:
    """For each shape its body (0 is the base), color, and corners of its triangles."""
    rows, _ = shapes(model)
    return [_row(row) for row in rows if row["kind"] != "plane"]


def _row(row: dict[str, Any]) -> dict[str, Any]:
    points, faces = _triangles(row)
    place, turn = np.array(row["pose"][:3]), matrices(np.array(row["pose"][3:]))
    corners = (points @ turn.T + place)[faces].astype("<f4")
    own = _JOINT if row.get("role") == "joint" else _PALETTE[row["body"] % len(_PALETTE)]
    return {
        "body": row["body"],
        "color": [float(x) for x in (row["color"] or own)[:3]],
        "corners": base64.b64encode(corners.tobytes()).decode("ascii"),
    }


def _triangles(row: dict[str, Any]) -> Triangles:
    """A mesh as it is; of any other shape, which is convex, the hull of points on it."""
    if row["kind"] == "mesh":
        return np.asarray(row["points"], float), np.asarray(row["faces"])
    return hull_triangles(_points(row["kind"], row["size"]).tolist())


def _points(kind: str, size: list[float]) -> np.ndarray:
    match kind, size:
        case "box", [x, y, z]:
            return _corners() * (0.5 * x, 0.5 * y, 0.5 * z)
        case "sphere", [r]:
            return r * _ball()
        case "ellipsoid", [a, b, c]:
            return _ball() * (a, b, c)
        case "cylinder", [r, length]:
            return np.concatenate([_ring(r, -0.5 * length), _ring(r, 0.5 * length)])
        case "cone", [r, length]:
            return np.concatenate([_ring(r, -0.5 * length), [(0.0, 0.0, 0.5 * length)]])
        case "capsule", [r, length]:
            return _points("bar", [r, r, length])
        case "bar", [low, high, length]:
            end = (0.0, 0.0, 0.5 * length)
            return np.concatenate([low * _ball() - end, high * _ball() + end])
    raise ValueError(f"expected a convex shape or a mesh, got {kind!r}")


def _corners() -> np.ndarray:
    return np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)


def _ring(radius: float, z: float) -> np.ndarray:
    angle = 2.0 * np.pi * np.arange(_ROUND) / _ROUND
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(_ROUND, z)], axis=-1)


def _ball() -> np.ndarray:
    heights = np.linspace(-0.5 * np.pi, 0.5 * np.pi, _ROUND // 2 + 1)[1:-1]
    rings = [_ring(np.cos(angle), np.sin(angle)) for angle in heights]
    return np.concatenate([*rings, [(0.0, 0.0, -1.0), (0.0, 0.0, 1.0)]])
