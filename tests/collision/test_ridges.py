"""Bricks on rough height maps, against closed forms and a search for where they touch."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.contact import contacts
from polhode.model import Box, Heightmap, Polyhedron, TriangleMesh
from random_shapes import pose
from rough_ground import ground, rough

SIZE = np.array((0.3, 0.2, 0.15))
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * SIZE / 2


def _mesh() -> TriangleMesh:
    hull = ConvexHull(CORNERS)
    faces = []
    for face, plane in zip(hull.simplices, hull.equations, strict=True):
        a, b, c = CORNERS[face]
        is_outward = np.cross(b - a, c - a) @ plane[:3] > 0
        faces.append(tuple(map(int, face if is_outward else face[::-1])))
    return TriangleMesh(tuple(map(tuple, CORNERS)), tuple(faces))


BRICKS = {"box": Box(tuple(SIZE)), "polyhedron": Polyhedron(tuple(map(tuple, CORNERS))),
          "mesh": _mesh()}  # fmt: skip


@cache
def attitude(seed: int) -> np.ndarray:
    return Rotation.random(random_state=seed).as_matrix()


@cache
def touching_height(seed: int, cell: float, tall: float) -> float:
    """How high a brick's centre is, above (0, 0), where it first touches: by dense samples."""
    heightmap, R = rough(seed, cell, tall), attitude(seed)
    line = np.linspace(-0.2, 0.2, 401)
    lines = np.union1d(line, cell * np.arange(-np.floor(0.2 / cell), 0.2 / cell))
    x, y = np.meshgrid(lines, lines, indexing="ij")
    edges = [(a, b) for a in range(8) for b in range(8) if bin(a ^ b).count("1") == 1 and a < b]
    t = np.linspace(0.0, 1.0, 2001)[:, None]
    along = np.concatenate([CORNERS[a] + t * (CORNERS[b] - CORNERS[a]) for a, b in edges]) @ R.T
    x, y = np.append(x, along[:, 0]), np.append(y, along[:, 1])
    # The brick's lowest point over each place: where the upright line enters its three slabs.
    start, way = np.stack((x, y, 0 * x), axis=-1) @ R, R[2]
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.stack(((-SIZE / 2 - start) / way, (SIZE / 2 - start) / way))
    low, high = ends.min(axis=0).max(axis=-1), ends.max(axis=0).min(axis=-1)
    inside = low <= high + 1e-9
    return (ground(heightmap, x, y) - low)[inside].max()


@pytest.mark.parametrize("brick", list(BRICKS))
@pytest.mark.parametrize(("cell", "tall"), [(0.5, 0.3), (0.2, 0.2), (0.05, 0.1)])
def test_what_touches_is_found(brick, cell, tall):
    """Bricks in random attitudes, one millimetre lower than where a search says they touch."""
    for seed in range(6):
        heightmap = rough(seed, cell, tall)
        R, z = attitude(seed), touching_height(seed, cell, tall)
        found = contacts(BRICKS[brick], pose((0, 0, z - 1e-3), R), heightmap, None, margin=1e-3)
        deepest = min(found, key=lambda contact: contact.gap)
        assert deepest.gap == pytest.approx(-1e-3 * deepest.normal[2], rel=0.1)
        apart = contacts(BRICKS[brick], pose((0, 0, z + 1e-3), R), heightmap, None, margin=1e-3)
        nearest = min(apart, key=lambda contact: contact.gap)
        assert nearest.gap == pytest.approx(1e-3 * nearest.normal[2], rel=0.1)


@pytest.mark.parametrize("brick", list(BRICKS))
@pytest.mark.parametrize("lift", [0.01, -0.01, -0.03])
def test_an_edge_across_a_ridge(brick, lift):
    """Edge on edge, crossed: one contact upright between them, and the gap is their distance."""
    ridge = Heightmap(((0.0, 0.0), (1.0, 1.0), (0.0, 0.0)), (2.0, 2.0))  # along y, at x = 0
    R = Rotation.from_euler("x", 90, degrees=True) * Rotation.from_euler("z", 45, degrees=True)
    R = (Rotation.from_euler("z", 90, degrees=True) * R).as_matrix()
    low = (CORNERS @ R.T)[:, 2].min()
    place = pose((0.02, 0.3, 1.0 - low + lift), R)
    (found,) = contacts(BRICKS[brick], place, ridge, None, margin=0.02)
    assert found.gap == pytest.approx(lift, abs=1e-12)
    np.testing.assert_allclose(found.normal, (0, 0, 1), atol=1e-12)
    lowest = (CORNERS @ R.T)[np.argmin((CORNERS @ R.T)[:, 2])]
    np.testing.assert_allclose(found.point, (0, 0.3 + lowest[1], 1 + lift / 2), atol=1e-9)


@pytest.mark.parametrize("turn", [0.0, 0.5])
def test_a_box_rests_on_two_ridges(turn):
    """A box across two ridges, whose ends are far from it, lies on them: closed form."""
    profile = (0.0, 0.2, 0.0, 0.2, 0.0)
    ground = Heightmap(tuple((z, z) for z in profile), (0.4, 2.0))  # ridges at x = -0.1, 0.1
    half = 0.5 * turn
    scene = ph.Scene("ridges").add_fixed("ground", ground).contact(mu_coulomb=0.5)
    scene = scene.add_body(
        "box", Box((0.35, 0.15, 0.1)), mass=2.0, position=(0.01, 0.05, 0.26),
        quaternion=(np.cos(half), 0.0, 0.0, np.sin(half)),
    )  # fmt: skip
    recording = ph.simulate(scene, 1.0, progress=False)
    q, qd = recording.of("box")
    assert q[-1, 2] == pytest.approx(0.25, abs=1e-6)
    assert np.abs(qd[-1]).max() < 1e-6
    forces = [abs(contact.force[2]) for contact in recording.contacts(-1)]
    assert sum(forces) == pytest.approx(2.0 * 9.81, rel=1e-6)


@pytest.mark.parametrize("brick", list(BRICKS))
def test_bricks_do_not_sink_into_rough_ground(brick):
    """Dropped and tumbling, none is ever deeper than a millimetre: by points of the ground."""
    for seed in range(3):
        cell = (0.2, 0.05, 0.5)[seed]
        heightmap = rough(seed, cell, 0.15, count=21)
        scene = ph.Scene("drop").add_fixed("ground", heightmap).contact(mu_coulomb=0.6)
        scene = scene.add_body("brick", BRICKS[brick], mass=1.0, position=(0.02, 0.01, 0.45),
                               spin=(3.0, -4.0, 2.0))  # fmt: skip
        recording = ph.simulate(scene, 1.0, record=0.02, progress=False)
        line = np.linspace(-0.2, 0.2, 161)
        for q in recording.of("brick")[0]:
            x, y = np.meshgrid(q[0] + line, q[1] + line, indexing="ij")
            points = np.stack((x, y, ground(heightmap, x, y)), axis=-1) - q[:3]
            inside = SIZE / 2 - np.abs(points @ Rotation.from_quat(q[3:7]).as_matrix())
            assert inside.min(axis=-1).max() < 1e-3
