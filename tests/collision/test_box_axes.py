"""The separation of two boxes is the greatest along 15 axes, and most of these need not be made."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.collision import ShapeTable
from polhode.collision.boxes import box_axis
from polhode.collision.placed import Placed
from polhode.model import Box
from polhode.spatial import Mat3, Vec3
from random_shapes import rotation

SIZES = [(1.0, 1.0, 1.0), (0.4, 0.2, 0.2), (3.0, 0.1, 1.0)]
EXACT = 1e-12  # of sizes of a few metres
AS_GOOD = 1e-9  # of the size: faces go before edges that are better by less
PARALLEL = 1e-6  # sine of the angle below which edges have no common normal


def separations(halves, R, S, way):
    """Along all axes that have a direction: of faces, then products of edges."""
    axes = [*R.T, *S.T, *(np.cross(r, s) for r in R.T for s in S.T)]
    axes = np.array([x / np.linalg.norm(x) for x in axes if np.linalg.norm(x) >= PARALLEL])
    reach = np.abs(axes @ R) @ halves[0] + np.abs(axes @ S) @ halves[1]
    return np.abs(axes @ way) - reach


def turned(rng, angle):
    """A rotation by about an angle."""
    x, y, z = angle * rng.normal(size=3)
    u, _, v = np.linalg.svd(np.array([[1, -z, y], [z, 1, -x], [-y, x, 1]]))
    return u @ v


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-7, 1e-3, 1e-2, 0.1, 1.0])
def test_it_is_the_greatest_of_all(angle):
    """At all angles between the boxes, beside and in each other; their order does not matter."""
    rng = np.random.default_rng(7)
    data, at = ShapeTable.of([Box(size) for size in SIZES]).arrays
    for _ in range(300):
        one, two = rng.integers(0, len(SIZES), 2)
        R = rotation(rng)
        S, way = R @ turned(rng, angle), rng.uniform(-1.2, 1.2, 3)
        a, b = (
            Placed(data, int(at[k]), Mat3(*(Vec3.of(row.tolist()) for row in Q)), Vec3.of(p))
            for k, Q, p in ((one, R, way.tolist()), (two, S, [0.0, 0.0, 0.0]))
        )
        expected = separations(0.5 * np.array(SIZES)[[one, two]], R, S, way).max()
        gap, normal = box_axis(a, b, np.inf)
        size = np.linalg.norm(SIZES[one]) + np.linalg.norm(SIZES[two])
        assert expected - AS_GOOD * size <= gap <= expected + EXACT
        assert np.dot(list(normal), way) >= 0.0
        back, _ = box_axis(b, a, np.inf)
        assert back == pytest.approx(gap, abs=2 * AS_GOOD * size)
        limit = 0.5 * gap
        if gap > 0.0:
            assert box_axis(a, b, limit)[0] > limit
