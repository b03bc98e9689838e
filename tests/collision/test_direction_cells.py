"""The farthest corner, and the face most turned to a direction, as a look at all finds them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from polhode.collision import shape_layout as at
from polhode.collision.direction_cells import ROUNDING, cells_of, farthest, highest
from polhode.collision.support import farthest_corner, farthest_face
from polhode.collision.table import FEW, ShapeTable
from polhode.compiler.jit import Floats, Floats2, jit
from polhode.model import Polyhedron
from polhode.spatial import Vec3


def clouds():
    rng = np.random.default_rng(3)
    for count in (30, 300, 1500):
        points = rng.normal(size=(count, 3))
        yield (0.7, 0.5, 0.2) * points / np.linalg.norm(points, axis=1)[:, None]
    turns = np.linspace(0.0, 2.0 * np.pi, 90, endpoint=False)
    rim = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    yield np.concatenate([np.column_stack([rim, np.full(90, z)]) for z in (-1.0, 1.0)])  # a can
    yield np.concatenate([np.column_stack([rim, np.full(90, z)]) for z in (0.0, 1e-4)])  # a coin
    places = rng.integers(-4, 5, (400, 3)).astype(float)
    yield 5.0 + places[np.linalg.norm(places, axis=1) < 5.0]  # corners on a grid, not about zero
    small = rng.normal(size=(200, 3))
    yield 1e-6 * small / np.abs(small).max(axis=1)[:, None]  # on the faces of a small cube


def directions(rng: np.random.Generator) -> np.ndarray:
    """At random; between corners, edges and middles of cells, where points are equally far."""
    steps = np.stack(np.meshgrid(*[np.arange(-8.0, 9.0)] * 3), axis=-1).reshape(-1, 3)
    found = np.concatenate([rng.normal(size=(4000, 3)), steps[np.any(steps != 0.0, axis=1)]])
    return found / np.linalg.norm(found, axis=1)[:, None]


@jit
def _is_found(data: Floats, o: int, d: Vec3):
    corners, faces = int(data[o + at.VERTICES]), int(data[o + at.FACES])
    corner, _ = highest(data, corners, 3, int(data[o + at.N_VERTICES]), d)
    face, cosine = highest(data, faces, at.FACE, int(data[o + at.N_FACES]), d)
    place, found = farthest_face(data, o, d)
    return farthest_corner(data, o, d) == corner and place == faces + at.FACE * face and (
        found == cosine
    )  # fmt: skip


@jit
def not_found(data: Floats, o: int, ways: Floats2):
    """How many directions have another answer than a look at all gives."""
    count = 0
    for k in range(len(ways)):
        count += 0 if _is_found(data, o, Vec3(ways[k, 0], ways[k, 1], ways[k, 2])) else 1
    return count


@pytest.mark.parametrize("points", [*clouds()])
def test_what_is_found_is_what_a_look_at_all_finds(points):
    data, offsets = ShapeTable.of([Polyhedron(points.tolist())]).arrays
    o = int(offsets[0])
    assert data[o + at.N_VERTICES] > FEW
    assert data[o + at.CORNER_CELLS] > 0.0
    assert not_found(data, o, directions(np.random.default_rng(1))) == 0


@pytest.mark.parametrize("points", [*clouds()])
def test_a_cell_lists_few_points(points):
    """A tenth or so of many: what makes the search quick."""
    numbers = cells_of(points)
    cells = 6 * int(numbers[0]) ** 2
    lengths = np.diff(numbers[1 : 2 + cells]) / 4
    assert lengths.min() >= 1.0
    assert lengths.mean() <= max(0.12 * len(points), 12.0)


@pytest.mark.parametrize("d", [(np.nan, 1.0, 0.0), (np.nan,) * 3, (0.0,) * 3, (np.inf, 1.0, 0.0)])
def test_directions_that_are_none_find_some_point(d):
    points = np.random.default_rng(2).normal(size=(50, 3))
    data = np.array(cells_of(points))
    assert 0 <= farthest(data, 0, Vec3(*d))[0] < len(points)


def test_points_that_rounding_may_make_the_farthest_are_listed():
    """Two corners as far as each other but for rounding are both in the list of their cell."""
    points = np.random.default_rng(4).normal(size=(60, 3))
    points[7] = (0.0, 0.0, 9.0)
    points[41] = points[7] - (0.0, 0.0, 0.1 * ROUNDING)
    numbers = np.array(cells_of(points))
    cells = 6 * int(numbers[0]) ** 2
    begins = numbers[1 : 2 + cells].astype(int)
    lists = [set(numbers[a:b].reshape(-1, 4)[:, 3].astype(int)) for a, b in pairwise(begins)]
    with_first = [one for one in lists if 7 in one]
    assert with_first
    assert all(41 in one for one in with_first)
