"""Rays against every shape: sampled along the ray, closed forms, and wrong arguments."""

from __future__ import annotations

import math

import numpy as np
import pytest

from polhode.collision import ShapeTable
from polhode.collision.ground import height
from polhode.collision.signed_distance import signed_distance
from polhode.contact import ray_cast
from polhode.errors import ArgumentError, ShapeError
from polhode.model import Box, Capsule, Heightmap, Plane, Sphere, TriangleMesh
from polhode.spatial import Transform, Vec3
from random_shapes import ALL, CUBE, CUBE_FACES, HILLS, pose, random_pose

TOLERANCE = 1e-9
SAMPLES = 150
RAYS = 60
FAR = 8.0


def distances(shape, matrix, origin, direction, along):
    """Signed distances from the surface at places along a ray."""
    data, (o,) = ShapeTable.of([shape]).arrays
    R, p = matrix[:3, :3], matrix[:3, 3]
    points = (origin + np.multiply.outer(along, direction) - p) @ R
    if isinstance(shape, Heightmap):
        return np.array([z - height(data, o, x, y) for x, y, z in points])
    return np.array([signed_distance(data, o, Vec3(*point))[0] for point in points])


@pytest.mark.parametrize("name", [name for name in ALL if name not in ("plane", "hills")])
def test_the_first_place_where_the_surface_is_crossed(name):
    """Up to there all places are on one side, and there the distance from the surface is zero."""
    rng, shape, hits = np.random.default_rng(1), ALL[name], 0
    for k in range(RAYS):
        matrix = random_pose(rng, 0.3)
        origin = rng.normal(size=3) * (0.2 if k % 3 == 0 else 1.5)  # some from inside
        direction = 0.4 * rng.normal(size=3) - origin
        direction /= np.linalg.norm(direction)
        found = float(ray_cast(shape, matrix, origin, direction))
        end = min(found, FAR)
        sides = distances(shape, matrix, origin, direction, np.linspace(0, end, SAMPLES)[1:-1])
        assert (sides > -TOLERANCE).all() or (sides < TOLERANCE).all()
        if found < math.inf:
            hits += 1
            (gap,) = distances(shape, matrix, origin, direction, np.array([found]))
            assert abs(gap) < TOLERANCE
    assert hits > RAYS // 5


def test_hills():
    """Over the map, the first place where the ray passes through the bilinear ground."""
    rng, hits = np.random.default_rng(2), 0
    for _ in range(RAYS):
        origin = np.array([*rng.uniform(-1.9, 1.9, 2), rng.uniform(-0.4, 0.6)])
        direction = np.array([*rng.normal(size=2), 0.4 * rng.normal()])
        direction /= np.linalg.norm(direction)
        found = float(ray_cast(HILLS, None, origin, direction))
        edge = min(
            (math.copysign(2.0, d) - x) / d for x, d in zip(origin, direction[:2], strict=False)
        )
        sides = distances(HILLS, np.eye(4), origin, direction,
                          np.linspace(0.0, min(found, edge), SAMPLES)[1:-1])  # fmt: skip
        assert (sides > -TOLERANCE).all() or (sides < TOLERANCE).all()
        if found < math.inf:
            hits += 1
            (gap,) = distances(HILLS, np.eye(4), origin, direction, np.array([found]))
            assert abs(gap) < TOLERANCE
    assert hits > RAYS // 5


def test_along_the_lines_of_a_grid():
    """Rays straight down, and along grid lines and diagonals, meet the ground."""
    step = Heightmap(((0.0, 0.0, 1.0), (0.0, 0.0, 1.0), (0.0, 0.0, 1.0)), (2.0, 2.0))
    for x in (-1.0, -0.5, 0.0, 1.0):
        assert ray_cast(step, None, (x, 0.0, 3.0), (0.0, 0.0, -1.0)) == 3.0
        assert ray_cast(step, None, (x, -2.0, 0.5), (0.0, 1.0, 0.0)) == 2.5
        assert ray_cast(step, None, (x, 2.0, 0.5), (0.0, -1.0, 0.0)) == 1.5
    assert ray_cast(step, None, (-2.0, -2.0, 0.5), (1.0, 1.0, 0.0)) == pytest.approx(2.5 * 2**0.5)
    assert ray_cast(step, None, (-2.0, 0.0, 0.5), (1.0, 0.0, 0.0)) == math.inf


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_vertical_rays_away_from_hills_meet_nothing(side):
    """From above upwards and from below downwards; the other way they meet the hills."""
    rng = np.random.default_rng(7)
    origin = np.column_stack((rng.uniform(-1.9, 1.9, (50, 2)), np.full(50, 0.4 * side)))
    assert np.isinf(ray_cast(HILLS, None, origin, (0.0, 0.0, side))).all()
    found = ray_cast(HILLS, None, origin, (0.0, 0.0, -side))
    assert (found > 0.2).all() and (found < 0.6).all()


def test_between_triangles():
    """A ray through an edge or a corner of a mesh does not slip through."""
    mesh, box = TriangleMesh(CUBE, CUBE_FACES), Box((1.0, 1.0, 1.0))
    rng = np.random.default_rng(4)
    for _ in range(200):
        target = rng.choice(np.linspace(-0.5, 0.5, 5), 3)
        origin = target + 2.0 * rng.normal(size=3)
        expected = ray_cast(box, None, origin, target - origin)
        if 0.1 < expected < math.inf and np.abs(origin).max() > 0.5:
            inner = ray_cast(mesh, None, origin, target - origin)
            assert inner == pytest.approx(expected, abs=1e-9)


def test_a_plane_is_met_from_above():
    """Along its normal, obliquely, from below and beside it."""
    assert ray_cast(Plane(), None, (1.0, 2.0, 3.0), (0.0, 0.0, -2.0)) == 3.0
    oblique = ray_cast(Plane(), None, (1.0, 2.0, 3.0), (4.0, 0.0, -3.0))
    assert oblique == pytest.approx(5.0, rel=1e-15)
    assert ray_cast(Plane(), None, (1.0, 2.0, -3.0), (0.0, 0.0, 1.0)) == math.inf
    assert ray_cast(Plane(), None, (1.0, 2.0, 3.0), (1.0, 0.0, 0.0)) == math.inf


def test_batches():
    """Rays side by side are rays one by one; origins and directions broadcast."""
    rng = np.random.default_rng(5)
    shape, place = Capsule(0.5, 1.0), Transform.from_rpy(0.3, 0.2, 0.1, (0.5, 0.0, 0.2))
    directions = rng.normal(size=(3, 4, 3))
    found = ray_cast(shape, place, (2.0, 0.0, 0.0), directions)
    assert found.shape == (3, 4)
    for k in np.ndindex(3, 4):
        assert found[k] == ray_cast(shape, place, (2.0, 0.0, 0.0), directions[k])


def test_wrong_arguments():
    """Directions of no length, points that are none, and shapes that are none."""
    with pytest.raises(ArgumentError, match="not zero as direction"):
        ray_cast(Sphere(1.0), None, (2.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    with pytest.raises(ShapeError, match="3 on the last axis of origin"):
        ray_cast(Sphere(1.0), None, (2.0, 0.0), (0.0, 0.0, 1.0))
    with pytest.raises(ArgumentError, match="expected a shape as shape"):
        ray_cast("ball", None, (2.0, 0.0, 0.0), (0.0, 0.0, 1.0))  # type: ignore[arg-type]
    assert ray_cast(Sphere(1.0), pose((3.0, 0.0, 0.0)), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)) == 2.0
