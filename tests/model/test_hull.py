"""Convex hulls: whole faces, counter-clockwise from outside, that hold all points."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from polhode.model import Polyhedron
from polhode.model.hull import convex_hull, hull_of

GRID = np.array(list(product(range(4), repeat=3)), float)


def clouds():
    rng = np.random.default_rng(3)
    turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    angles = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    drum = np.vstack([np.insert(ring, 2, z, axis=1) for z in (0.0, 1.0)])
    yield from (rng.standard_normal((n, 3)) for n in (5, 30, 300))
    yield from (GRID, GRID @ turn, drum, drum @ turn)
    yield np.round(3.0 * rng.standard_normal((80, 3))) / 3.0


@pytest.mark.parametrize("points", list(clouds()))
def test_faces_hold_all_points(points):
    corners, faces = convex_hull(points)
    edges = []
    for face in faces:
        a, b, c = corners[face[:3]]
        normal = np.cross(b - a, c - a)
        normal /= np.linalg.norm(normal)
        heights = (points - a) @ normal
        assert heights.max() < 1e-9
        assert np.abs((corners[face] - a) @ normal).max() < 1e-9
        edges += zip(face, face[1:] + face[:1], strict=True)
    assert len(set(edges)) == len(edges)
    assert {(b, a) for a, b in edges} == set(edges)
    assert len(corners) - len(edges) // 2 + len(faces) == 2


def test_faces_of_a_grid_and_of_a_drum_are_whole():
    corners, faces = convex_hull(GRID)
    assert (len(corners), sorted(map(len, faces))) == (8, [4] * 6)
    _, faces = convex_hull(list(clouds())[6])
    assert sorted(map(len, faces)) == [4] * 24 + [24] * 2


def test_a_hull_is_found_once():
    """Meshes of robots have thousands of faces, and are looked at by several parts of a scene."""
    shape = Polyhedron(GRID)
    assert hull_of(shape) is hull_of(Polyhedron(GRID))
    with pytest.raises(ValueError, match="read-only"):
        hull_of(shape)[0][0, 0] = 1.0
