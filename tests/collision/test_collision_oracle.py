"""Signed distance of convex shapes as an optimum over directions, found without our code.

The signed distance is the largest value over all unit vectors n of the least height of
one shape along n less the greatest height of the other.
"""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest
from scipy.optimize import minimize

from polhode.contact import contacts, distance
from polhode.model import Box, Capsule, Cone, Cylinder, Polyhedron
from random_shapes import (
    CONVEX,
    CUBE,
    about,
    farthest,
    height,
    pose,
    random_pose,
    rotation,
)

STARTS = 400
AXES = np.vstack((np.eye(3), -np.eye(3)))
FLAT = {
    "cylinder": Cylinder(0.5, 1.0),
    "cone": Cone(0.5, 1.0),
    "box": Box((1.0, 1.0, 1.0)),
    "polyhedron": Polyhedron(CUBE),
}


def directions(count):
    k = np.arange(count) + 0.5
    z, turn = 1 - 2 * k / count, np.pi * (1 + np.sqrt(5)) * k
    rho = np.sqrt(1 - z * z)
    return np.column_stack((rho * np.cos(turn), rho * np.sin(turn), z))


def signed_distance(a, A, b, B):
    def overlap(n):
        n = n / np.linalg.norm(n, axis=-1, keepdims=True)
        return height(a, A, -n) + height(b, B, n)

    starts = directions(STARTS)
    best = starts[np.argsort(overlap(starts))[:6]]
    options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 2000, "maxfev": 4000}
    return -min(minimize(overlap, n, method="Nelder-Mead", options=options).fun for n in best)


@pytest.mark.parametrize(("one", "two"), list(combinations_with_replacement(CONVEX, 2)))
def test_distance_is_the_best_separation(one, two):
    """Apart and overlapping, for each pair of convex shapes."""
    a, b = CONVEX[one], CONVEX[two]
    rng = np.random.default_rng(sum(map(ord, one + two)))
    for _ in range(5):
        A, B = random_pose(rng, 0.5), random_pose(rng, 0.5)
        found, best = distance(a, A, b, B).gap, signed_distance(a, A, b, B)
        # A search from a few starts may miss the best direction, but never beats it.
        assert found >= best - 1e-7
        n = distance(a, A, b, B).normal
        assert found == pytest.approx(-(height(a, A, -n) + height(b, B, n)), abs=1e-8)
        assert found == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize("tilt", [0.0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 1e-2])
@pytest.mark.parametrize("one", ["cylinder", "cone", "box", "polyhedron"])
@pytest.mark.parametrize("two", ["cylinder", "box"])
def test_faces_that_nearly_meet_keep_their_patch(one, two, tilt):
    """Slightly tilted on a face, apart or overlapping: several points, the deepest exact."""
    top = FLAT[one]
    rng = np.random.default_rng(round(-np.log10(tilt + 1e-15)))
    for gap in (-1e-3, -1e-6, -1e-9, 0.0, 1e-9, 1e-6, 1e-3):
        R = about("z", rng.uniform(0, 6)) @ about("x", tilt * rng.normal())
        A = pose((*rng.uniform(-0.2, 0.2, 2), 1.0 + gap), R)
        found = contacts(top, A, FLAT[two], None, margin=0.03)
        assert len(found) >= 3
        deepest = min(found, key=lambda contact: contact.gap)
        n = deepest.normal
        best = -(height(top, A, -n) + height(FLAT[two], np.eye(4), n))
        assert deepest.gap == pytest.approx(best, abs=1e-8)


def _slender(rng, kind):
    """A shape of lengths between two centimetres and two metres."""
    a, b, c = np.exp(rng.uniform(np.log(0.02), np.log(2.0), 3))
    match kind:
        case "box":
            return Box((a, b, c))
        case "polyhedron":
            points = rng.normal(size=(rng.integers(4, 30), 3)) * (a, b, c)
            return Polyhedron(tuple(map(tuple, points)))
    return {"capsule": Capsule, "cylinder": Cylinder, "cone": Cone}[kind](a, b)


def _special(rng, shape):
    """A direction in which some of a shape's points are equally far, if it has straight sides."""
    x, y, z = rng.normal(size=3)
    if isinstance(shape, (Capsule, Cylinder)):
        z = 0.0
    elif isinstance(shape, Cone):
        z = np.hypot(x, y) * shape.radius / shape.length
    elif isinstance(shape, Box):
        x = 0.0
    return np.array((x, y, z)) / np.linalg.norm((x, y, z))


def _turn_onto(x, y):
    """The rotation that turns unit vector ``x`` onto ``y`` the short way."""
    v = np.cross(x, y)
    K = np.array(((0.0, -v[2], v[1]), (v[2], 0.0, -v[0]), (-v[1], v[0], 0.0)))
    return np.eye(3) + K + K @ K / (1.0 + x @ y)


@pytest.mark.parametrize(
    ("one", "two"),
    list(combinations_with_replacement(("box", "capsule", "cone", "cylinder", "polyhedron"), 2)),
)
def test_small_gaps_are_found_as_they_were_made(one, two):
    """Two shapes on either side of a slab that both touch at one line across it."""
    rng = np.random.default_rng(sum(map(ord, one + two)))
    for _ in range(400):
        a, b = _slender(rng, one), _slender(rng, two)
        n, R = rng.normal(size=3), rotation(rng)
        n /= np.linalg.norm(n)
        A = pose(R=_turn_onto(R @ _special(rng, a), n) @ R)
        R = rotation(rng)
        R = _turn_onto(R @ _special(rng, b), -n) @ R
        gap = rng.choice((0.0, 10.0 ** rng.uniform(-10, -1)))
        place = A[:3, :3] @ farthest(a, A[:3, :3].T @ n) + gap * n - R @ farthest(b, R.T @ -n)
        size = max(height(x, np.eye(4), AXES).max() for x in (a, b))
        assert abs(distance(a, A, b, pose(place, R)).gap - gap) < 2e-7 * size


@pytest.mark.parametrize("shape", [Cylinder(0.1, 0.3), Capsule(0.1, 0.3)])
@pytest.mark.parametrize("tilt", [0.0, 1e-12, 1e-9])
@pytest.mark.parametrize("solid", ["box", "polyhedron"])
def test_a_round_side_along_an_edge_touches_at_both_ends(solid, tilt, shape):
    """As a wheel at a step: with one end alone it would turn to the side."""
    for x in (-0.06, -0.0599, -0.061, -0.055):
        for spin in (0.0, 0.7):
            R = about("z", tilt) @ about("x", np.pi / 2) @ about("z", spin)
            place = pose((x - 0.5, 0.0, 0.58), R)
            found = contacts(shape, place, FLAT[solid], None, margin=5e-3)
            ends = sorted(contact.point[1] for contact in found)
            assert ends == pytest.approx([-0.15, 0.15], abs=1e-6)
            for contact in found:
                assert contact.gap == pytest.approx(np.hypot(x, 0.08) - 0.1, abs=1e-8)
