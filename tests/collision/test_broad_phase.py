"""Boxes around shapes hold them, and the sweep finds what all pairs by themselves find."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.collision import (
    Groups,
    PlacedShapes,
    ShapeTable,
    bounding_box,
    collide,
    contact_buffer,
    overlapping_in_groups,
    overlapping_pairs,
)
from polhode.contact import distance
from polhode.model import Box, Plane
from polhode.simulation.stepping.constants import collision_groups
from random_shapes import ALL, CONVEX, HILLS, about, pose, random_pose, rotation

FAR = 50.0


def scene(rng, count=40):
    """Convex shapes thrown together, and a plane."""
    shapes = [list(CONVEX.values())[k % len(CONVEX)] for k in range(count)] + [Plane()]
    rotations = np.stack([rotation(rng) for _ in shapes])
    positions = rng.uniform(-1.5, 1.5, (len(shapes), 3))
    rotations[-1], positions[-1] = np.eye(3), 0.0
    return shapes, rotations, positions


def sweep(shapes, rotations, positions, allowed, margin):
    table = ShapeTable.of(shapes)
    pairs = np.zeros((len(shapes) ** 2, 2), np.int32)
    order = np.arange(len(shapes))
    margins = np.full(len(shapes), 0.5 * margin)
    placed = PlacedShapes(*table.arrays, rotations, positions)
    n = overlapping_pairs(placed, allowed, margins, order, pairs)
    groups, same, order = (
        Groups(*collision_groups(allowed)),
        pairs[:n].copy(),
        np.arange(len(shapes)),
    )
    assert overlapping_in_groups(placed, groups, margins, order, pairs) == n
    assert np.array_equal(pairs[:n], same)
    return same, order


@pytest.mark.parametrize("name", [name for name in ALL if name not in ("plane", "hills")])
def test_the_box_of_a_shape_touches_it_on_all_six_sides(name):
    """Planes at the faces of the box, turned towards the shape, are at distance zero."""
    rng = np.random.default_rng(4)
    for _ in range(3):
        at = random_pose(rng)
        low, high = bounding_box(ALL[name], at)
        for axis in range(3):
            towards = {0: about("y", np.pi / 2), 1: about("x", -np.pi / 2), 2: np.eye(3)}[axis]
            for face, R in ((low, towards), (high, towards @ about("x", np.pi))):
                gap = distance(ALL[name], at, Plane(), pose(face, R)).gap
                if name in ("cone", "polyhedron", "mesh"):  # boxes of their own boxes
                    assert gap >= -1e-9
                else:
                    assert gap == pytest.approx(0.0, abs=1e-9)


def test_grounds_reach_down():
    """A plane's box is the half-space; a height map's ends at its highest corner."""
    low, high = bounding_box(Plane(), pose((1, 2, 3)))
    assert high[2] == 3.0 and low[2] == -np.inf and high[0] == np.inf
    low, high = bounding_box(HILLS)
    assert high[2] == pytest.approx(max(map(max, HILLS.heights)))
    assert low[2] < -4.0


@pytest.mark.parametrize("stretch", [(1, 1, 1), (9, 1, 1), (1, 9, 1), (1, 1, 9), (0, 0, 0)])
def test_the_sweep_finds_all_pairs_of_overlapping_boxes(stretch):
    """Against every pair of boxes; sorted, allowed ones only, along whichever axis they lie."""
    rng = np.random.default_rng(0)
    for margin in (0.0, 0.3):
        shapes, rotations, positions = scene(rng)
        positions *= stretch
        count = len(shapes)
        allowed = rng.integers(0, 2, (count, count)).astype(np.uint8)
        allowed = np.triu(allowed, 1) + np.triu(allowed, 1).T
        boxes = np.array(
            [
                bounding_box(s, pose(p, R))
                for s, R, p in zip(shapes, rotations, positions, strict=True)
            ]
        )
        expected = [
            (i, j)
            for i in range(count)
            for j in range(i + 1, count)
            if allowed[i, j]
            and (boxes[i, 0] <= boxes[j, 1] + margin).all()
            and (boxes[j, 0] <= boxes[i, 1] + margin).all()
        ]
        pairs, _ = sweep(shapes, rotations, positions, allowed, margin)
        assert [tuple(pair) for pair in pairs.tolist()] == expected


def test_collision_groups_say_which_pairs_may_touch():
    """Of shapes of four kinds, some pairs exceptions; balls are one group, and walls another."""
    rng = np.random.default_rng(5)
    for count in (0, 1, 2, 9, 30):
        kind, table = rng.integers(0, 4, count), rng.integers(0, 2, (4, 4))
        allowed = (table | table.T)[np.ix_(kind, kind)].astype(np.uint8)
        for i, j in rng.integers(0, max(count, 1), (count // 8, 2)):
            allowed[i, j] = allowed[j, i] = rng.integers(0, 2)
        np.fill_diagonal(allowed, 0)
        group, may_touch = collision_groups(allowed)
        same = may_touch[np.ix_(group, group)]
        np.fill_diagonal(same, 0)
        assert np.array_equal(same, allowed)
    balls = 1 - np.eye(20, dtype=np.uint8)
    balls[:3, :3] = 0
    group, may_touch = collision_groups(balls)
    assert group.tolist() == [0] * 3 + [1] * 17 and may_touch.tolist() == [[0, 1], [1, 1]]


@pytest.mark.parametrize("stretch", [(4, 4, 1), (0, 5, 5), (3, 0, 9)])
def test_cells_lose_no_pair_and_find_none_twice(stretch):
    """Many shapes of sizes from 0.02 to 1 in many cells, beside walls and planes across all."""
    rng = np.random.default_rng(3)
    shapes = [Box(tuple(0.02 * 50.0 ** rng.random(3))) for _ in range(240)]
    shapes += [Plane(), Plane(), Box((0.1, 9.0, 9.0)), Box((9.0, 0.1, 9.0))]
    rotations = np.stack([rotation(rng) for _ in shapes])
    positions = rng.uniform(-1.0, 1.0, (len(shapes), 3)) * stretch
    rotations[-4], rotations[-2:] = np.eye(3), np.eye(3)
    count = len(shapes)
    boxes = [
        bounding_box(s, pose(p, R)) for s, R, p in zip(shapes, rotations, positions, strict=True)
    ]
    low, high = np.array(boxes).transpose(1, 0, 2)
    meets = (low[:, None] <= high[None]).all(2) & (low[None] <= high[:, None]).all(2)
    pairs, _ = sweep(shapes, rotations, positions, np.ones((count, count), np.uint8), 0.0)
    assert np.array_equal(pairs, np.argwhere(np.triu(meets, 1)))


def test_too_little_room_is_told():
    """Minus the number needed, from the sweep and from collide."""
    shapes, rotations, positions = scene(np.random.default_rng(1))
    table = ShapeTable.of(shapes)
    allowed = np.ones((len(shapes),) * 2, np.uint8)
    order = np.arange(len(shapes))
    few, none = np.zeros((3, 2), np.int32), np.zeros(len(shapes))
    placed = PlacedShapes(*table.arrays, rotations, positions)
    n = overlapping_pairs(placed, allowed, none, order, few)
    pairs = np.zeros((-n, 2), np.int32)
    assert overlapping_pairs(placed, allowed, none, order, pairs) == -n
    margins = np.full(-n, 0.01)
    k = collide(placed, pairs, margins, contact_buffer(2))
    assert k < -2
    assert collide(placed, pairs, margins, contact_buffer(-k)) == -k


def test_contacts_of_a_scene_do_not_depend_on_the_order_of_its_shapes():
    """The same gaps and points, whatever the shapes' numbers."""
    rng = np.random.default_rng(2)
    shapes, rotations, positions = scene(rng)
    count = len(shapes)
    found = []
    for order in (np.arange(count), rng.permutation(count)):
        R, p = rotations[order].copy(), positions[order].copy()
        table = ShapeTable.of([shapes[k] for k in order])
        pairs, _ = sweep(table.shapes, R, p, np.ones((count, count), np.uint8), 0.02)
        out = contact_buffer(8 * len(pairs))
        n = collide(PlacedShapes(*table.arrays, R, p), pairs, np.full(len(pairs), 0.02), out)
        deepest = {}
        for row, g in zip(out.pair[:n], out.gap[:n], strict=True):
            key = tuple(sorted(order[pairs[row]].tolist()))
            deepest[key] = min(g, deepest.get(key, np.inf))
        found.append(deepest)
    assert found[0].keys() == found[1].keys()
    for key, gap in found[0].items():
        assert found[1][key] == pytest.approx(gap, abs=1e-6)


def test_what_is_far_apart_is_not_tried():
    """No contacts, and no pairs in the sweep."""
    shapes = [Box((1.0, 1.0, 1.0))] * 2
    R, p = np.stack([np.eye(3)] * 2), np.array(((0.0, 0, 0), (FAR, 0, 0)))
    pairs, _ = sweep(shapes, R, p, np.ones((2, 2), np.uint8), 0.1)
    assert len(pairs) == 0
    table = ShapeTable.of(shapes)
    placed = PlacedShapes(*table.arrays, R, p)
    one = np.array([[0, 1]], np.int32)
    assert collide(placed, one, np.full(1, 0.1), contact_buffer(8)) == 0
