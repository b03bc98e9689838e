"""Height maps against a search over their whole surface."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.contact import contacts, distance
from polhode.model import Box, Heightmap, Sphere, Torus, TriangleMesh
from random_shapes import HILLS, pose, rotation

FINE = 400


def surface(heightmap: Heightmap, count: int = FINE):
    """Points of the bilinear ground on a fine grid."""
    heights = np.array(heightmap.heights)
    sx, sy = heightmap.size
    x, y = np.linspace(-sx / 2, sx / 2, count), np.linspace(-sy / 2, sy / 2, count)
    s, t = (x + sx / 2) / sx * (len(heights) - 1), (y + sy / 2) / sy * (heights.shape[1] - 1)
    i = np.minimum(s.astype(int), len(heights) - 2)[:, None]
    j = np.minimum(t.astype(int), heights.shape[1] - 2)[None, :]
    s, t = s[:, None] - i, t[None, :] - j
    z = (
        heights[i, j] * (1 - s) * (1 - t)
        + heights[i + 1, j] * s * (1 - t)
        + heights[i, j + 1] * (1 - s) * t
        + heights[i + 1, j + 1] * s * t
    )
    return np.stack((*np.meshgrid(x, y, indexing="ij"), z), axis=-1).reshape(-1, 3)


def test_a_ball_above_hills_is_as_far_as_the_nearest_ground():
    """Balls at random places over the map, against all points of the surface."""
    points = surface(HILLS)
    spacing = 4.0 / FINE
    rng = np.random.default_rng(0)
    for _ in range(40):
        centre = np.array((*rng.uniform(-1.5, 1.5, 2), rng.uniform(0.3, 0.8)))
        found = distance(Sphere(0.3), pose(centre), HILLS, None)
        nearest = np.linalg.norm(points - centre, axis=1).min() - 0.3
        assert nearest - spacing**2 / 0.3 - spacing * 0.1 <= found.gap <= nearest + 1e-12


@pytest.mark.parametrize("radius", [0.05, 0.5])
def test_a_ball_over_rough_ground_is_as_far_as_the_nearest_place(radius):
    """Ground that rises and falls by half a cell: many places are nearer than all around them."""
    rng, count = np.random.default_rng(6), 0
    for _ in range(20):
        rough = Heightmap(tuple(map(tuple, 0.15 * rng.normal(size=(6, 5)))), (2.0, 2.5))
        points = surface(rough)
        for centre in rng.uniform((-0.9, -1.1, 0.0), (0.9, 1.1, 1.0), (20, 3)):
            below = points[np.hypot(*(points[:, :2] - centre[:2]).T).argmin(), 2]
            if centre[2] < below + 0.01:
                continue
            nearest = np.linalg.norm(points - centre, axis=1).min() - radius
            found = distance(Sphere(radius), pose(centre), rough, None).gap
            assert found == pytest.approx(nearest, abs=8e-3)
            count += 1
    assert count > 200


def test_rows_run_along_x():
    """A map that rises with its row number rises along x, and only there."""
    slope = Heightmap(((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)), (2.0, 4.0))
    for x, y in ((-0.5, 1.0), (0.25, -1.5)):
        found = distance(Sphere(0.0), pose((x, y, (x + 1) / 2 + 0.1)), slope, None)
        assert found.gap == pytest.approx(0.1 * np.cos(np.arctan(0.5)), abs=1e-12)
        np.testing.assert_allclose(found.normal, np.array((-0.5, 0, 1)) / np.sqrt(1.25), atol=1e-12)


def test_a_map_and_a_mesh_of_the_same_slope_hold_a_box_alike():
    """Gaps of the box's corners against plane ground given both ways."""
    tilt = 0.3
    rows = tuple((np.tan(tilt) * x,) * 5 for x in np.linspace(-2, 2, 5))
    c, s = np.cos(tilt), np.sin(tilt)
    R = np.array(((c, 0, -s), (0, 1, 0), (s, 0, c)))
    place = pose(R @ (0.1, 0.2, 0.2 - 1e-3), R)
    rise = 2 * np.tan(tilt)
    mesh = TriangleMesh(
        ((-2, -2, -rise), (2, -2, rise), (2, 2, rise), (-2, 2, -rise)), ((0, 1, 2), (0, 2, 3))
    )
    for ground in (Heightmap(rows, (4.0, 4.0)), mesh):
        found = contacts(Box((0.6, 0.6, 0.4)), place, ground, None, margin=1e-2)
        assert len(found) >= 4
        for contact in found:
            assert contact.gap == pytest.approx(-1e-3, abs=1e-9)
            np.testing.assert_allclose(contact.normal, R[:, 2], atol=1e-9)


def test_beyond_the_border_is_no_ground():
    """A ball beside the map touches nothing below the border."""
    assert contacts(Sphere(0.2), pose((2.5, 0.0, 0.0)), HILLS, None, margin=0.01) == []


@pytest.mark.parametrize("cells", [10, 40, 80])
@pytest.mark.parametrize("tube", [0.02, 0.06])
def test_a_torus_over_rough_ground_is_as_near_as_the_nearest_place(tube, cells):
    """Also where the cells are smaller than the tube: the nearest bump is not straight below it.

    No place of the ground is nearer than the contacts say; those of a fine grid are not all.
    """
    torus, size, rng = Torus(0.25, tube), 1.6, np.random.default_rng(9)
    heights = 0.05 * rng.uniform(-1.0, 1.0, (cells + 1, cells + 1))
    rough = Heightmap(tuple(map(tuple, heights)), (size, size))
    points, count = surface(rough, 8 * cells + 1), 0
    for _ in range(30):
        A = pose((*rng.uniform(-0.4, 0.4, 2), 1.0), rotation(rng))
        for _ in range(4):  # down, until the ground is near
            A[2, 3] -= 0.9 * _to_torus(torus, A, points).min()
        nearest = _to_torus(torus, A, points).min()
        found = contacts(torus, A, rough, None, margin=0.02)
        if -tube < nearest < 0.015:
            assert min(contact.gap for contact in found) <= nearest + 1e-12
            count += 1
    assert count > 20


def _to_torus(torus, A, points):
    """Distances of points from a torus: closed form outside its circle."""
    x, y, z = A[:3, :3].T @ (points - A[:3, 3]).T
    return np.hypot(np.hypot(x, y) - torus.major_radius, z) - torus.minor_radius
