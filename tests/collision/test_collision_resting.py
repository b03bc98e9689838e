"""Shapes that lie on each other touch where one expects, with names that stay."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.contact import contacts
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
from random_shapes import CUBE, CUBE_FACES, LEVEL, about, pose

BOX, CYLINDER, CONE = Box((1.0, 1.0, 1.0)), Cylinder(0.5, 1.0), Cone(0.5, 1.0)
CAPSULE, TORUS, POLYHEDRON = Capsule(0.2, 1.0), Torus(1.0, 0.2), Polyhedron(CUBE)
FLOOR = TriangleMesh(
    tuple((x, y, 0.0) for x in (-2.0, 0.3, 2.0) for y in (-2.0, 0.1, 2.0)),
    tuple(face for i in (0, 1, 3, 4) for face in ((i, i + 3, i + 4), (i, i + 4, i + 1))),
)
LIES = about("x", np.pi / 2)
DEPTH = 1e-4

# shape, height of its centre on level ground, rotation, contacts
RESTING = {
    "box": (BOX, 0.5, None, 4),
    "box on an edge": (BOX, np.sqrt(0.5), about("x", np.pi / 4), 2),
    "sphere": (Sphere(0.5), 0.5, None, 1),
    "upright cylinder": (CYLINDER, 0.5, None, 8),
    "lying cylinder": (CYLINDER, 0.5, LIES, 2),
    "upright cone": (CONE, 0.5, None, 8),
    "cone on its tip": (CONE, 0.5, about("x", np.pi), 1),
    "lying capsule": (CAPSULE, 0.2, LIES, 2),
    "flat torus": (TORUS, 0.2, None, 8),
    "standing torus": (TORUS, 1.2, LIES, 1),
    "polyhedron": (POLYHEDRON, 0.5, None, 4),
    "mesh": (TriangleMesh(CUBE, CUBE_FACES), 0.5, None, 4),
}


@pytest.mark.parametrize("name", RESTING)
def test_on_a_plane(name):
    """So many points, all with the same gap, normals straight up."""
    shape, height, R, count = RESTING[name]
    found = contacts(shape, pose((0.1, 0.2, height - DEPTH), R), Plane(), None, margin=1e-3)
    assert len(found) == count
    for contact in found:
        assert contact.gap == pytest.approx(-DEPTH, abs=1e-12)
        np.testing.assert_allclose(contact.normal, (0, 0, 1), atol=1e-12)
        assert contact.point[2] == pytest.approx(-DEPTH / 2, abs=1e-12)


@pytest.mark.parametrize("ground", [LEVEL, FLOOR], ids=["height map", "mesh"])
@pytest.mark.parametrize("name", RESTING)
def test_on_level_ground_of_cells_or_triangles(name, ground):
    """As on the plane: the same normals and gaps, and no fewer points."""
    shape, height, R, count = RESTING[name]
    found = contacts(shape, pose((0.11, 0.21, height - DEPTH), R), ground, None, margin=1e-3)
    assert count <= len(found) <= 8
    for contact in found:
        assert contact.gap == pytest.approx(-DEPTH, abs=1e-9)
        np.testing.assert_allclose(contact.normal, (0, 0, 1), atol=1e-6)


@pytest.mark.parametrize("apart", [-DEPTH, DEPTH])
@pytest.mark.parametrize(
    ("top", "bottom", "height", "R", "count"),
    [
        (BOX, BOX, 1.0, None, 4),
        (BOX, BOX, 1.0, about("z", np.pi / 4), 8),
        (POLYHEDRON, POLYHEDRON, 1.0, None, 4),
        (POLYHEDRON, BOX, 1.0, about("z", np.pi / 4), 8),
        (CYLINDER, BOX, 1.0, None, 8),
        (CYLINDER, BOX, 1.0, LIES, 2),
        (CYLINDER, CYLINDER, 1.0, None, 8),
        (CONE, BOX, 1.0, None, 8),
        (CONE, BOX, 1.0, about("x", np.pi), 1),
        (CAPSULE, BOX, 0.7, LIES, 2),
        (CAPSULE, BOX, 1.2, None, 1),
        (Sphere(0.5), BOX, 1.0, None, 1),
        (TORUS, Box((4.0, 4.0, 1.0)), 0.7, None, 8),
        (TORUS, TORUS, 0.4, None, 8),
    ],
)
def test_on_another_body(top, bottom, height, R, count, apart):
    """Face contacts have their corners, whether just apart or just overlapping."""
    found = contacts(top, pose((0.0, 0.0, height + apart), R), bottom, None, margin=1e-3)
    assert len(found) == count
    for contact in found:
        assert contact.gap == pytest.approx(apart, abs=1e-9)
        np.testing.assert_allclose(contact.normal, (0, 0, 1), atol=1e-6)


def test_crossed_edges_touch_in_one_point():
    """Two cubes edge on edge, square to each other."""
    top = pose((0, 0, np.sqrt(2) - DEPTH), about("x", np.pi / 4))
    bottom = pose((0, 0, 0), about("y", np.pi / 4))
    (contact,) = contacts(BOX, top, BOX, bottom, margin=1e-3)
    assert contact.gap == pytest.approx(-DEPTH, abs=1e-12)
    np.testing.assert_allclose(contact.point, (0, 0, np.sqrt(0.5) - DEPTH / 2), atol=1e-12)


def test_each_corner_of_a_tilted_box_has_its_own_gap():
    """A box tilted by a milliradian on another: corner gaps as far apart as its height says."""
    tilt = 1e-3
    top = pose((0, 0, 1.0), about("y", tilt))
    found = contacts(BOX, top, Box((3.0, 3.0, 1.0)), None, margin=0.01)
    gaps = sorted(contact.gap for contact in found)
    half = 0.5 * np.sin(tilt)
    low = 0.5 - 0.5 * np.cos(tilt)
    np.testing.assert_allclose(gaps, [low - half] * 2 + [low + half] * 2, atol=1e-9)


@pytest.mark.parametrize("name", RESTING)
def test_features_persist_under_small_motions(name):
    """What rests keeps its contacts' names while it trembles."""
    shape, height, R, _ = RESTING[name]
    rng = np.random.default_rng(2)
    if name in ("sphere", "upright cylinder", "upright cone", "flat torus", "standing torus"):
        turn = 0.0  # round shapes begin counting at their lowest place
    else:
        turn = 1e-6
    ground = Box((5.0, 5.0, 1.0)) if name != "mesh" else Plane()
    level = 0.5 if name != "mesh" else 0.0
    names = set()
    for _ in range(10):
        tremble = about("x", turn * rng.normal()) @ about("z", turn * rng.normal())
        place = np.array((0.1, 0.2, level + height - DEPTH)) + 1e-6 * rng.normal(size=3)
        at = pose(place, tremble if R is None else tremble @ R)
        names.add(tuple(c.feature for c in contacts(shape, at, ground, None, margin=1e-3)))
    assert len(names) == 1


def test_a_ball_in_a_valley_touches_both_sides():
    """Between two slopes of 45 degrees: two contacts, normals square to the slopes."""
    valley = Heightmap(((1.0,) * 3, (0.0,) * 3, (1.0,) * 3), (2.0, 2.0))
    slopes = TriangleMesh(
        ((-1, -1, 1), (-1, 1, 1), (0, -1, 0), (0, 1, 0), (1, -1, 1), (1, 1, 1)),
        ((0, 2, 3), (0, 3, 1), (2, 4, 5), (2, 5, 3)),
    )
    height = 0.3 * np.sqrt(2)
    for ground in (valley, slopes):
        found = contacts(Sphere(0.3), pose((0, 0.1, height)), ground, None, margin=1e-3)
        normals = sorted(tuple(np.round(contact.normal, 6)) for contact in found)
        half = round(np.sqrt(0.5), 6)
        assert normals == [(-half, 0.0, half), (half, 0.0, half)]
        for contact in found:
            assert contact.gap == pytest.approx(0.0, abs=1e-9)


def test_a_ridge_under_a_face_is_felt():
    """A box whose corners are all in the air lies on a ridge between them."""
    ridge = Heightmap(((-1.0,) * 4, (0.0,) * 4, (-1.0,) * 4), (4.0, 4.0))
    found = contacts(BOX, pose((0.0, 0.1, 0.5 - DEPTH)), ridge, None, margin=1e-3)
    assert len(found) >= 2
    for contact in found:
        assert contact.gap == pytest.approx(-DEPTH, abs=1e-4)
