"""Balls and capsules on rough height maps over scalars, against the narrow phase and in steps."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.algorithms.stepping.touching import Shape, points
from polhode.collision import ShapeTable
from polhode.collision.ground import ground_in_reach
from polhode.contact import contacts
from polhode.model import Capsule, Heightmap, Model, Sphere
from polhode.spatial import Mat3, Transform, Vec3
from random_shapes import pose, rotation
from rough_ground import ground, rough
from stepping.touching_cases import matrix, transform

RADIUS = 0.2
CELLS = 0.1, 0.3, 1.0, 3.0, 10.0
"""Widths of cells in radii."""

EXACT = 1e-9
"""Of lengths of about one [m]."""


def rough_cells(cells: float, seed: int) -> Heightmap:
    """Ground that rises and falls by a third of a cell and more, up to the radius and more."""
    cell = cells * RADIUS
    tall = (0.3, 1.5)[seed] * min(cell, 2.0 * RADIUS)
    return rough(seed, cell, tall, count=25 if cells < 1.0 else 13)


@lru_cache
def ball_program(cells: float, seed: int) -> ph.Program:
    """Position, normal and gap of a ball by its centre."""
    ball, hills = Shape.of(Sphere(RADIUS)), Shape.of(rough_cells(cells, seed))

    def contact(model, centre):
        X = Transform(Mat3.identity(), Vec3.of(centre))
        return [[*x, *n, gap] for x, n, gap in points(ball, X, hills, Transform.identity())]

    return ph.compile(contact, Model("world"), shapes={"centre": (3,)})


def centres(cells: float, seed: int, size: int = 200) -> np.ndarray:
    """Places above, in and beside the ground."""
    heightmap, rng = rough_cells(cells, seed), np.random.default_rng(seed)
    wide, middle = 0.5 * heightmap.size[0] + 0.5 * RADIUS, 0.5 * np.max(heightmap.heights)
    low, high = middle - 0.3 * RADIUS, middle + 1.6 * RADIUS
    return rng.uniform((-wide, -wide, low), (wide, wide, high), (size, 3))


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("cells", CELLS)
def test_a_ball_touches_the_nearest_place_of_rough_ground(cells, seed):
    """The place is one of the ground, and none of the narrow phase is nearer.

    Where that has the same distance, it has the same normal.  Its searches in cells that are
    twisted may end early, and then the place here is nearer.
    """
    heightmap = rough_cells(cells, seed)
    data, (o,) = ShapeTable.of([heightmap]).arrays
    P = centres(cells, seed)
    same = 0
    for p, (*_, nx, ny, nz, gap) in zip(P, ball_program(cells, seed)(P)[:, 0], strict=True):
        distance, normal = ground_in_reach(data, o, Vec3(*p), 2.0 * RADIUS)
        if abs(distance) > 2.0 * RADIUS:
            continue
        n = np.array((nx, ny, nz))
        x, y, z = p - (gap + RADIUS) * n
        inside = 0.5 * heightmap.size[0] - 1e-12
        x, y = (np.clip(a, -inside, inside) for a in (x, y))
        assert z == pytest.approx(ground(heightmap, x, y), abs=EXACT)
        assert (gap + RADIUS < 0.0) == (distance < 0.0)
        assert abs(gap + RADIUS) <= abs(distance) + EXACT
        if abs(gap + RADIUS - distance) < EXACT:
            same += 1
            assert n == pytest.approx(np.array(list(normal)), abs=1e-8)
    assert same > 0.95 * len(P)


@pytest.mark.parametrize("cells", CELLS)
def test_a_ball_on_rough_ground_has_the_deepest_contact(cells):
    """Among all that the narrow phase finds above ground."""
    heightmap, P = rough_cells(cells, 0), centres(cells, 0)
    seen = 0
    for p, row in zip(P, ball_program(cells, 0)(P)[:, 0], strict=True):
        found = contacts(Sphere(RADIUS), pose(p), heightmap, None, margin=0.5 * RADIUS)
        if found:
            deepest = min(contact.gap for contact in found)
            assert row[6] <= deepest + EXACT
            seen += abs(row[6] - deepest) < EXACT
    assert seen > 50


@pytest.mark.parametrize("cells", CELLS)
def test_a_ball_on_rough_ground_has_its_bits_alone(cells):
    """In registers of any number of states."""
    P, program = centres(cells, 1, 24), ball_program(cells, 1)
    together = program(P)
    for width in (1, 4, 8):
        parts = [program(P[k : k + width]) for k in range(0, len(P), width)]
        assert (np.concatenate(parts) == together).all()
    assert (np.array([program(p) for p in P]) == together).all()


LENGTH = 0.8
"""Of the axis of a capsule [m]."""


@lru_cache
def capsule_program(cells: float, seed: int) -> ph.Program:
    """Position, normal and gap of both contacts of a capsule by its pose."""
    capsule, hills = Shape.of(Capsule(RADIUS, LENGTH)), Shape.of(rough_cells(cells, seed))

    def contact(model, A):
        found = points(capsule, transform(A), hills, Transform.identity())
        return [[*x, *n, gap] for x, n, gap in found]

    return ph.compile(contact, Model("world"), shapes={"A": (4, 3)})


def capsule_poses(cells: float, seed: int, size: int = 150) -> np.ndarray:
    """Turned at random, above and in the ground."""
    heightmap, rng = rough_cells(cells, seed), np.random.default_rng(seed)
    A = np.empty((size, 4, 3))
    for rows in A:
        rows[:3] = rotation(rng)
    wide, middle = 0.5 * heightmap.size[0], 0.5 * np.max(heightmap.heights)
    A[:, 3] = rng.uniform((-wide, -wide, middle), (wide, wide, middle + 2.5 * RADIUS), (size, 3))
    return A


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("cells", CELLS[1:])
def test_a_capsule_on_rough_ground_has_the_deepest_contact(cells, seed):
    """Of all that the narrow phase finds, unless the axis itself is below ground."""
    shape, heightmap, A = (
        Capsule(RADIUS, LENGTH),
        rough_cells(cells, seed),
        capsule_poses(cells, seed),
    )
    seen = 0
    for rows, both in zip(A, capsule_program(cells, seed)(A), strict=True):
        found = contacts(shape, matrix(rows), heightmap, None, margin=0.5 * RADIUS)
        row = min(both, key=lambda row: row[6])
        if found and row[6] > -RADIUS + EXACT:
            deepest = min(found, key=lambda contact: contact.gap)
            assert row[6] == pytest.approx(deepest.gap, abs=EXACT)
            assert row[3:6] == pytest.approx(np.array(deepest.normal), abs=1e-8)
            seen += 1
    assert seen > 40


@pytest.mark.parametrize("cells", CELLS[1:])
def test_a_capsule_on_rough_ground_has_its_bits_alone(cells):
    """In registers of any number of states."""
    A, program = capsule_poses(cells, 1, 24), capsule_program(cells, 1)
    together = program(A)
    for width in (4, 8):
        parts = [program(A[k : k + width]) for k in range(0, len(A), width)]
        assert (np.concatenate(parts) == together).all()
    assert (np.array([program(rows) for rows in A]) == together).all()


def test_derivatives_of_a_capsule_on_a_ridge_are_those_of_differences():
    """Of the place between its ends, its normal and gap, by the capsule's place."""
    A, program = capsule_poses(3.0, 0, 400), capsule_program(3.0, 0)
    step, seen = 1e-6, 0
    slopes, rows = program.jacobian("A")(A)[..., 3, :], program(A)
    for k in range(3):
        ahead, behind = A.copy(), A.copy()
        ahead[:, 3, k] += step
        behind[:, 3, k] -= step
        high, low = program(ahead), program(behind)
        smooth = np.abs(high + low - 2.0 * rows).max(axis=-1) < 1e-8
        near = (rows[..., 6] > -0.9 * RADIUS) & (rows[..., 6] < RADIUS)
        chosen = smooth & near
        expected = (high - low)[chosen] / (2.0 * step)
        assert np.allclose(slopes[..., k][chosen], expected, rtol=1e-4, atol=1e-4)
        seen += chosen.sum()
    assert seen > 300


def test_a_capsule_on_a_level_map_has_its_ends_alone():
    """The ground between its ends is looked at only if it may rise."""
    capsule, level = Shape.of(Capsule(RADIUS, LENGTH)), ((0.0,) * 5,) * 5

    def operations(heights) -> int:
        hills = Shape.of(Heightmap(heights, (4.0, 4.0)))

        def contact(model, A):
            found = points(capsule, transform(A), hills, Transform.identity())
            return [[*x, *n, gap] for x, n, gap in found]

        return ph.compile(contact, Model("world"), shapes={"A": (4, 3)}).ops

    gentle = tuple(tuple(0.002 * i * i for _ in range(5)) for i in range(5))
    bent = tuple(tuple(-0.05 * (i - 2) ** 2 for _ in range(5)) for i in range(5))
    assert operations(level) == operations(gentle) < 0.5 * operations(bent)


def deepest_of(shape, heightmap, q: np.ndarray) -> float:
    """The depth of a body by the narrow phase [m]."""
    rows = np.vstack((Rotation.from_quat(q[3:]).as_matrix().T, q[:3]))
    found = contacts(shape, matrix(rows), heightmap, None)
    return max((-contact.gap for contact in found), default=0.0)


def test_capsules_do_not_sink_into_rough_ground():
    """Dropped at random on peaks of a cell's width."""
    heightmap, rng, shape = (
        rough(3, 0.05, 0.03, count=25),
        np.random.default_rng(0),
        Capsule(0.03, 0.2),
    )
    scene = ph.Scene("drop").add_fixed("ground", heightmap).contact(mu_coulomb=0.6)
    scene = scene.add_body("capsule", shape, mass=1.0, position=(0.0, 0.0, 1.0))
    q = np.zeros((32, 7))
    q[:, :2], q[:, 2] = rng.uniform(-0.3, 0.3, (32, 2)), 0.19
    q[:, 3:] = rng.normal(size=(32, 4))
    q[:, 3:] /= np.linalg.norm(q[:, 3:], axis=1)[:, None]
    motion = ph.rollout(scene, q=q, steps=300, dt=2e-3, integrator="moreau", record_every=20)
    states = motion.q.reshape(-1, 7)
    over = states[(np.abs(states[:, :2]) < 0.4).all(axis=1)]
    assert len(over) > 300
    assert max(deepest_of(shape, heightmap, q) for q in over) < 0.1 * shape.radius


@pytest.mark.parametrize("radius", [0.02, 0.05, 0.1])
def test_balls_do_not_sink_into_rough_ground(radius):
    """Dropped on peaks of a cell's width, none is deeper than a few steps of its fall."""
    heightmap, rng, dt = rough(3, 0.05, 0.08, count=25), np.random.default_rng(0), 2e-3
    scene = ph.Scene("drop").add_fixed("ground", heightmap).contact(mu_coulomb=0.6)
    scene = scene.add_body("ball", Sphere(radius), mass=1.0, position=(0.0, 0.0, 1.0))
    q = np.zeros((32, 7))
    q[:, :2], q[:, 2], q[:, 6] = rng.uniform(-0.3, 0.3, (32, 2)), 0.1 + radius, 1.0
    motion = ph.rollout(scene, q=q, steps=300, dt=dt, integrator="moreau", record_every=10)
    data, (o,) = ShapeTable.of([heightmap]).arrays
    centre = motion.q[..., :3].reshape(-1, 3)
    over = centre[(np.abs(centre[:, :2]) < 0.5).all(axis=1)]
    depths = [radius - ground_in_reach(data, o, Vec3(*p), 2.0 * radius)[0] for p in over]
    assert len(over) > 500
    assert max(depths) < 2.0 * dt  # at a metre a second
