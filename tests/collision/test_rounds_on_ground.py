"""Cylinders, cones and capsules on rough height maps, against a search for where they touch."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.collision import ray_cast
from polhode.contact import contacts, distance
from polhode.model import Capsule, Cone, Cylinder, Heightmap, Sphere
from random_shapes import about, pose
from rough_ground import ground, rough

ROUNDS = {
    "cylinder": Cylinder(0.1, 0.25),
    "disc": Cylinder(0.15, 0.05),
    "cone": Cone(0.12, 0.25),
    "capsule": Capsule(0.07, 0.2),
}
WIDE = 0.2  # no point of the shapes is farther from their origin across


def rims(shape) -> np.ndarray:
    """Points of a shape that upright lines through a grid of places miss."""
    turn = np.linspace(0.0, 2.0 * np.pi, 4001)
    circle = np.stack((np.cos(turn), np.sin(turn), np.ones_like(turn)), axis=-1)
    match shape:
        case Cylinder(r, length):
            return np.concatenate([circle * (r, r, z) for z in (-length / 2, length / 2)])
        case Cone(r, length):
            return np.concatenate([circle * (r, r, -length / 2), [(0.0, 0.0, length / 2)]])
    return np.empty((0, 3))


def lift(shape, R, heightmap, places) -> np.ndarray:
    """How far above its own lowest point over each place (x, y) a shape must be held."""
    below = np.concatenate((places, np.full((len(places), 1), -1.0)), axis=-1)
    low = ray_cast(shape, pose(R=R), below, (0.0, 0.0, 1.0)) - 1.0
    high = ground(heightmap, *places.T) - low
    return np.where(np.isfinite(high), high, -np.inf)


@cache
def touching_height(name: str, seed: int, cell: float, tall: float) -> float:
    """How high a shape's centre is, above (0, 0), where it first touches: by finer and finer grids.

    The grids have the lines of the height map, too.
    """
    heightmap, R, shape = rough(seed, cell, tall), attitude(seed), ROUNDS[name]
    own = cell * np.arange(-np.ceil(WIDE / cell), np.ceil(WIDE / cell) + 1.0)

    def grid(x, y, wide, count):
        lines = np.linspace(-wide, wide, count)
        lines = [np.union1d(z + lines, own[abs(own - z) < wide]) for z in (x, y)]
        return np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, 2)

    edge = rims(shape) @ R.T
    best = (ground(heightmap, edge[:, 0], edge[:, 1]) - edge[:, 2]).max(initial=-np.inf)
    places = grid(0.0, 0.0, WIDE, 201)
    high = lift(shape, R, heightmap, places)
    for k in np.argsort(high)[-30:]:
        x, y = places[k]
        for wide in (4e-3, 4e-4):
            near = grid(x, y, wide, 21)
            found = lift(shape, R, heightmap, near)
            (x, y), best = near[found.argmax()], max(best, found.max())
    return best


@cache
def attitude(seed: int) -> np.ndarray:
    return Rotation.random(random_state=100 + seed).as_matrix()


@pytest.mark.parametrize("name", ROUNDS)
@pytest.mark.parametrize(("cell", "tall"), [(0.5, 0.3), (0.2, 0.2), (0.05, 0.1)])
def test_what_touches_is_found(name, cell, tall):
    """In random attitudes, a millimetre lower and higher than where a search says they touch.

    Lower, a second place may be deeper than the one that touches first, or the same on steep
    ground that bends: no less than the millimetre is found.
    """
    for seed in range(12):
        heightmap, R = rough(seed, cell, tall), attitude(seed)
        z = touching_height(name, seed, cell, tall)
        found = contacts(ROUNDS[name], pose((0, 0, z - 1e-3), R), heightmap, None, margin=1e-3)
        assert min(contact.gap / contact.normal[2] for contact in found) < -0.9e-3
        apart = contacts(ROUNDS[name], pose((0, 0, z + 1e-3), R), heightmap, None, margin=2e-3)
        nearest = min(apart, key=lambda contact: contact.gap)
        assert nearest.gap == pytest.approx(1e-3 * nearest.normal[2], rel=0.1)


@pytest.mark.parametrize("name", ROUNDS)
@pytest.mark.parametrize("depth", [0.003, 0.01, 0.02])
def test_what_is_deep_is_found(name, depth):
    """Lowered further into rough ground, no shape loses all of its contacts."""
    for seed in range(40):
        heightmap, R = rough(seed, 0.05, 0.1), attitude(seed)
        z = touching_height(name, seed, 0.05, 0.1)
        found = contacts(ROUNDS[name], pose((0, 0, z - depth), R), heightmap, None)
        assert min(contact.gap for contact in found) < -5e-4


@pytest.mark.parametrize(("shape", "radius"), [(Capsule(0.1, 0.3), 0.1), (Cylinder(0.1, 0.3), 0.1)])
def test_a_round_bar_in_a_groove_touches_both_walls(shape, radius):
    """Lying along a groove with walls of 45 degrees: both ends on both walls, a gap each."""
    groove = Heightmap(((1.0, 1.0), (0.0, 0.0), (1.0, 1.0)), (2.0, 2.0))  # along y, at x = 0
    height = radius * np.sqrt(2.0) + 1e-3
    found = contacts(shape, pose((1e-4, 0.1, height), about("x", np.pi / 2)), groove, None,
                     margin=5e-3)  # fmt: skip
    root = np.sqrt(0.5)
    for sign in (-1.0, 1.0):
        wall = [contact for contact in found if contact.normal[0] * sign > 0.7]
        assert sorted(round(contact.point[1], 9) for contact in wall) == [-0.05, 0.25]
        for contact in wall:
            np.testing.assert_allclose(contact.normal, (sign * root, 0, root), atol=1e-9)
            assert contact.gap == pytest.approx((1e-3 + sign * 1e-4) * root, abs=1e-9)


@pytest.mark.parametrize("tilt", [0.0, 1e-9, -1e-9, 1e-4, -1e-4])
@pytest.mark.parametrize("name", ["upright", "lying"])
def test_a_cylinder_on_a_ridge_touches_at_both_ends_of_what_they_share(name, tilt):
    """A cap across a ridge, or a side along it: closed form, and continuous in the tilt."""
    ridge = Heightmap(((0.0, 0.0), (1.0, 1.0), (0.0, 0.0)), (2.0, 2.0))  # along y, at x = 0
    R = about("x", tilt) @ (np.eye(3) if name == "upright" else about("x", np.pi / 2))
    high, half = (0.125, 0.1) if name == "upright" else (0.1, 0.125)
    found = contacts(Cylinder(0.1, 0.25), pose((0.0, 0.3, 1.0 + high + 1e-3), R), ridge, None,
                     margin=5e-3)  # fmt: skip
    ends = sorted((contact.point[1], contact.gap) for contact in found)
    assert len(ends) == 2
    for (y, gap), sign in zip(ends, (-1.0, 1.0), strict=True):
        assert y == pytest.approx(0.3 + sign * half, abs=2e-4 * (tilt != 0.0) + 1e-9)
        assert gap == pytest.approx(1e-3 + sign * half * tilt, abs=1e-8)


@pytest.mark.parametrize("name", ROUNDS)
def test_round_bodies_do_not_sink_into_rough_ground(name):
    """Dropped and tumbling, none is ever deeper than a millimetre: by points of the ground."""
    shape = ROUNDS[name]
    for seed, cell in enumerate((0.2, 0.05)):
        heightmap = rough(seed, cell, 0.15 if cell > 0.1 else 0.05, count=21)
        scene = ph.Scene("drop").add_fixed("ground", heightmap).contact(mu_coulomb=0.6)
        scene = scene.add_body("body", shape, mass=1.0, position=(0.02, 0.01, 0.4),
                               spin=(3.0, -4.0, 2.0))  # fmt: skip
        recording = ph.simulate(scene, 0.8, record=0.04, progress=False)
        line = np.linspace(-WIDE, WIDE, 81)
        for q in recording.of("body")[0]:
            x, y = np.meshgrid(q[0] + line, q[1] + line, indexing="ij")
            points = np.stack((x, y, ground(heightmap, x, y)), axis=-1).reshape(-1, 3)
            R = Rotation.from_quat(q[3:7]).as_matrix()
            z = ray_cast(shape, pose(q[:3], R), points - (0.0, 0.0, 1.0), (0.0, 0.0, 1.0)) - 1.0
            inside = points[z < 0.0]  # above the shape's lowest point over the same place
            gaps = [distance(Sphere(0.0), pose(x), shape, pose(q[:3], R)).gap for x in inside]
            assert min(gaps, default=0.0) > -1e-3
