"""The sphere among MuJoCo's built-in meshes: an icosahedron whose triangles are cut into four.

In single precision, so that its corners are those of MuJoCo.
"""

from __future__ import annotations

import math

import numpy as np

from ...model.hull import convex_hull

MOST = 4  # subdivisions: 5120 triangles


def icosphere(subdivisions: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices on the unit sphere, and the triangles between them."""
    golden = (1.0 + math.sqrt(5.0)) / 2.0
    corners = np.array([(0.0, x, y * golden) for x in (-1.0, 1.0) for y in (-1.0, 1.0)])
    points = np.vstack([np.roll(corners, k, axis=1) for k in range(3)])
    vertices, polygons = convex_hull(points / np.linalg.norm(points[0]))
    vertices, faces = vertices.astype(np.float32), np.array(polygons)
    for _ in range(subdivisions):
        vertices, faces = _cut(vertices, faces)
    return vertices.astype(float), faces


def _cut(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each triangle in four, with the middles of its sides moved out to the sphere."""
    sides = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    edges, number = np.unique(sides, axis=0, return_inverse=True)
    middles = vertices[edges].sum(axis=1)
    middles /= np.sqrt((middles * middles).sum(axis=1))[:, None]
    a, b, c = faces.T
    ab, bc, ca = (number.reshape(-1, 3) + len(vertices)).T
    rows = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    return np.vstack([vertices, middles]), np.vstack([np.column_stack(row) for row in rows])
