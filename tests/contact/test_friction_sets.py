"""Projections on sets of friction impulses, by what defines them."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.contact_problem.friction import EDGE, INSIDE, nearest, nearest_in_polygon

ROUND = 1e-12


def corners(edges: int, size: float) -> np.ndarray:
    """Those of a polygon, or many points of a circle."""
    n = edges if edges >= 3 else 5000
    angle = 2.0 * np.pi * np.arange(n) / n
    return size * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def points(n: int) -> np.ndarray:
    """Impulses inside, outside, on the axes and on their bisectors."""
    z = 2.0 * np.random.default_rng(0).normal(size=(n, 2))
    z[::7, 0] = 0.0
    z[::11, 1] = 0.0
    z[::13, 1] = -z[::13, 0]
    return z


@pytest.mark.parametrize("edges", [0, 3, 4, 5, 7, 8])
def test_no_point_of_the_set_is_nearer(edges):
    """The way from the projection to the point leads away from each corner."""
    for size in (0.0, 0.3, 1.0, 2.0):
        for z in points(300):
            state, x1, x2, d1, d2 = nearest(*z, size, edges)
            x, d, ends = np.array([x1, x2]), np.array([d1, d2]), corners(edges, size)
            assert ((ends - x) @ (z - x)).max() < ROUND
            if state == INSIDE:
                assert x.tolist() == z.tolist()
            elif state == EDGE:
                assert x @ d == pytest.approx(size * d @ d, abs=ROUND)
            elif size:
                assert np.abs(x - size * d).max() < ROUND
                assert d @ d == pytest.approx(1.0)


def test_four_edges_are_those_of_a_polygon():
    """The square has formulas of its own, without angles."""
    z = points(2000)
    found, other = (np.array([f(*x, 0.8, 4) for x in z]) for f in (nearest, nearest_in_polygon))
    assert np.abs(found - other)[:, 1:3].max() < ROUND
    same = found[:, 0] == other[:, 0]  # but for points between two states
    assert same.mean() > 0.99
    assert np.abs(found - other)[same, 3:].max() < ROUND
