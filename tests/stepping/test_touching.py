"""Contacts over scalars against the compiled narrow phase, which must branch."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from polhode.algorithms.stepping.touching import FAR, Kind, Shape, count, points
from polhode.collision import ShapeTable
from polhode.collision.ground import ground_in_reach
from polhode.collision.signed_distance import signed_distance
from polhode.contact import contacts, distance
from polhode.errors import ModelError
from polhode.model import Box, Plane, Polyhedron, Sphere, TriangleMesh
from polhode.spatial import Transform, Vec3
from random_shapes import CUBE, CUBE_FACES, about, height, pose
from stepping import touching_ops
from stepping.touching_cases import (
    ALL,
    ON_HILLS,
    PAIRS,
    found,
    in_arrays,
    matrix,
    program,
    random_rows,
    sized_program,
)

EXACT = 1e-12  # of lengths of about one
ROWS = 1e-9  # of places and normals
SEARCHED = 5e-8, 1e-3
"""The same of the narrow phase where it searches: in 64 steps, on round sides.

A gap is the greatest of all directions, so that its error is the square of that of the direction.
"""
POSES = 2000
POINT, CUBOID = Sphere(0.0), Box((1.0, 1.0, 1.0))
SAME = [
    *(("capsule", "plane"), ("box", "plane")),
    *(("sphere", name) for name in ("sphere", "capsule", "box", "cylinder", "cone", "torus")),
]
pairs = pytest.mark.parametrize(("one", "two"), PAIRS)
every = pytest.mark.parametrize(("one", "two"), PAIRS + ON_HILLS[:3])


def cases(one, two, poses=POSES, spread=0.7):
    """Poses of both, and what is found there in arrays."""
    rng = np.random.default_rng(sum(map(ord, one + two)))
    A, B = random_rows(rng, poses, spread), random_rows(rng, poses, spread)
    return A, B, in_arrays(one, two, A, B)


@pairs
def test_deepest_contact_is_that_of_the_narrow_phase(one, two):
    """Gap, normal and place, near, apart and overlapping."""
    exact, row_exact = SEARCHED if (one, two) == ("capsule", "cylinder") else (EXACT, ROWS)
    for A, B, rows in zip(*cases(one, two), strict=True):
        expected = contacts(ALL[one], matrix(A), ALL[two], matrix(B), margin=np.inf)
        best = min(expected, key=lambda contact: contact.gap)
        *row, gap = rows[rows[:, 6].argmin()]
        if one == two == "box" and best.gap > 0.0:
            continue  # tested below
        assert gap == pytest.approx(best.gap, abs=exact)
        others = [c.gap for c in expected if c is not best]
        if min(others, default=np.inf) > best.gap + 1e-6:
            assert row == pytest.approx([*best.point, *best.normal], abs=row_exact)


@pytest.mark.parametrize("spread", [0.1, 0.3, 0.7])
def test_capsule_and_cylinder_are_as_far_apart_as_along_the_normal(spread):
    """A place of both cannot be nearer than a direction parts them, nor be farther if nearest."""
    capsule, cylinder = ALL["capsule"], ALL["cylinder"]
    for A, B, rows in zip(*cases("capsule", "cylinder", 1000, spread), strict=True):
        *_, x, y, z, gap = rows[rows[:, 6].argmin()]
        n = np.array((x, y, z))
        apart = -height(capsule, matrix(A), -n) - height(cylinder, matrix(B), n)
        assert gap == pytest.approx(apart, abs=EXACT)


@pairs
def test_points_belong_to_both_shapes(one, two):
    """Half a gap from the place along the normal, also of those that are not the deepest."""
    for A, B, rows in zip(*cases(one, two, 100, 0.4), strict=True):
        there = rows[rows[:, 6] < FAR]
        assert len(there)
        if one == two == "box" and there[:, 6].min() > 0.0:
            continue  # a separation is less than the distance of any two places
        for row in there:
            x, n, gap = row[:3], row[3:6], row[6]
            assert n @ n == pytest.approx(1.0, abs=EXACT)
            for name, at, side in ((one, A, 0.5), (two, B, -0.5)):
                surface = np.eye(4)
                surface[:3, 3] = x + side * gap * n
                assert distance(ALL[name], matrix(at), POINT, surface).gap < 1e-10


@pytest.mark.parametrize(("one", "two"), SAME)
def test_all_contacts_are_those_of_the_narrow_phase(one, two):
    """Where it has as many for the pair."""
    for A, B, rows in zip(*cases(one, two, 200), strict=True):
        expected = contacts(ALL[one], matrix(A), ALL[two], matrix(B), margin=np.inf)
        expected = [[*c.point, *c.normal, c.gap] for c in expected]
        assert np.allclose(sorted(rows.tolist()), sorted(expected), rtol=0.0, atol=1e-9)


def in_line(rng, count):
    """Poses by quarter turns, some of them off by a little, at places that lie in line."""
    rows = np.empty((count, 4, 3))
    for row in rows:
        turn = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], (3, 1))
        turn[2] *= np.linalg.det(turn)
        x, y, z = rng.choice([0.0, 1.0]) * 10.0 ** rng.uniform(-17.0, -3.0) * rng.normal(size=3)
        row[:3] = turn @ np.array([[1.0, -z, y], [z, 1.0, -x], [-y, x, 1.0]])
    rows[:, 3] = rng.choice([0.0, 0.1, -0.1, 0.2, 0.3, 0.5, -0.5, 1.0, 1e-17], (count, 3))
    return rows


@every
def test_places_are_near_the_shapes_also_of_points_that_do_not_exist(one, two):
    """The speed of a far one would be that of its place: it counted as near, and was a contact."""
    rng = np.random.default_rng(sum(map(ord, one + two)))
    A, B = in_line(rng, 1000), in_line(rng, 1000)
    if two == "hills":
        B[:] = [*np.eye(3), np.zeros(3)]
    rows = in_arrays(one, two, A, B)
    assert np.abs(rows[..., :3]).max() < 5.0
    assert np.linalg.norm(rows[..., 3:6], axis=-1) == pytest.approx(1.0, abs=2e-3)


def test_boxes_apart_have_the_greatest_separation():
    """Along the 15 axes: less than the distance where two corners or edges are nearest."""
    box = ALL["box"]
    for A, B, rows in zip(*cases("box", "box", 500), strict=True):
        nearest = distance(box, matrix(A), box, matrix(B))
        axes = [*A[:3], *B[:3], *(np.cross(x, y) for x in A[:3] for y in B[:3])]
        unit = np.array([n / np.linalg.norm(n) for n in axes])
        gaps = [-height(box, matrix(A), n) - height(box, matrix(B), -n) for n in (-unit, unit)]
        assert rows[:, 6].min() == pytest.approx(np.max(gaps), abs=2e-9)
        assert rows[:, 6].min() < nearest.gap + EXACT


@pytest.mark.parametrize("tilt", [0.0, 1e-15, 1e-12, 1e-9, 1e-5, 1e-3])
@pytest.mark.parametrize("gap", [-1e-3, -1e-6, 0.0, 1e-9, 1e-3])
@pytest.mark.parametrize(
    ("one", "two", "turns"),
    [
        ("cube", "cube", (0.0, 1e-12, 1e-3, 0.3, np.pi / 4, np.pi / 2)),
        ("lying", "cube", (0.0, 1e-12, 1e-3, 0.3, np.pi / 4, np.pi / 2)),
        ("lying", "lying", (0.0, np.pi)),
        ("lying", "log", (0.0, np.pi)),
    ],
)
def test_shapes_at_rest_are_supported_as_far(one, two, turns, gap, tilt):
    """On faces and along lines, nearly level: all contacts reach as far in each direction."""
    lying = about("x", np.pi / 2)
    geometry = {
        "cube": (CUBOID, np.eye(3), 0.5),
        "lying": (ALL["capsule"], lying, 0.3),
        "log": (ALL["cylinder"], lying, 0.5),
    }
    (a, R_a, low), (b, R_b, high) = geometry[one], geometry[two]
    rng = np.random.default_rng(2)
    ways = np.column_stack([*directions_around(16), np.zeros(16)])
    for turn in turns:
        aside = (0.0, rng.uniform(-0.3, 0.3)) if two != "cube" else rng.uniform(-0.3, 0.3, 2)
        R = about("z", turn) @ about("x", tilt * rng.normal()) @ about("y", tilt * rng.normal())
        A, B = pose((*aside, low + high + gap), R @ R_a), pose(R=R_b)
        expected = contacts(a, A, b, B, margin=0.03)
        X_a, X_b = Transform.from_pose(A), Transform.from_pose(B)
        there = [p for p in points(Shape.of(a), X_a, Shape.of(b), X_b) if p.gap < 0.03]
        assert min(p.gap for p in there) == pytest.approx(min(c.gap for c in expected), abs=1e-8)
        reach = (np.array([tuple(p.position) for p in there]) @ ways.T).max(axis=0)
        assert reach == pytest.approx((np.array([c.point for c in expected]) @ ways.T).max(axis=0))


@pytest.mark.parametrize("tilt", [0.0, 1e-15, 1e-12, 1e-9, 1e-5])
@pytest.mark.parametrize("gap", [-0.29, -1e-3, 0.0, 1e-3])
@pytest.mark.parametrize("aside", [0.0, 0.3, 0.49])
def test_a_lying_capsule_is_supported_on_a_whole_cap(aside, gap, tilt):
    """From rim to rim, or up to its ends, whichever way it lies and is tilted."""
    capsule, cylinder = Shape.of(ALL["capsule"]), Shape.of(ALL["cylinder"])
    half_length, radius, height = 0.5, 0.5, 0.4
    for turn, along, slope in product((0.0, 0.4, np.pi / 2), (0.0, 0.35), (tilt, -tilt)):
        Z = about("z", turn)
        place = Z @ (aside, along, height + 0.3 + gap)
        A = pose(place, Z @ about("x", np.pi / 2 + slope))
        found = points(capsule, Transform.from_pose(A), cylinder, Transform.identity())
        chord = np.sqrt(radius**2 - aside**2)
        ends = [max(-chord, along - half_length), min(chord, along + half_length)]
        back = np.array([tuple(p.position) for p in found]) @ Z
        assert back[:, 0] == pytest.approx(aside, abs=1e-4)
        assert sorted(back[:, 1]) == pytest.approx(ends, abs=1e-4)
        assert [p.gap for p in found] == pytest.approx([gap, gap], abs=1e-9 + tilt)


def directions_around(count):
    angles = 0.1 + np.arange(count) * 2.0 * np.pi / count
    return np.cos(angles), np.sin(angles)


@every
def test_floats_and_arrays_have_the_same_bits(one, two):
    """A pose alone and in a batch."""
    A, B, rows = cases(one, two, 50)
    for k, row in enumerate(rows):
        alone = np.array(found(one, two, A[k].tolist(), B[k].tolist()), float)
        assert (alone == row).all()


@every
def test_compiled_code_agrees(one, two):
    """With arrays to rounding; the same bits in every batch, and with a fixed second shape."""
    A, B, rows = cases(one, two, 43)
    compiled = program(one, two)
    batch = compiled(A, B)
    assert np.allclose(batch, rows, rtol=0.0, atol=1e-12 + 1e-15 * FAR)
    for size in (1, 2, 4, 7, 8, 9):
        assert (compiled(A[:size], B[:size]) == batch[:size]).all()
    assert all((compiled(A[k], B[k]) == batch[k]).all() for k in range(len(A)))
    level = np.vstack((np.eye(3), np.zeros(3)))
    fixed = program(one, two, is_level=True)(A)
    assert np.allclose(fixed, compiled(A, level), rtol=0.0, atol=1e-12)


@every
def test_sizes_may_be_inputs(one, two):
    """With batch axes of their own: twice as large and as far away, all is twice as large."""
    A, B, expected = cases(one, two, 20)
    keeps_size = two == "hills" or one == "polyhedron"  # by heights and corners
    factors = np.array([1.0, 1.0 if keeps_size else 2.0])
    places = [np.stack([x * [[1], [1], [1], [f]] for f in factors]) for x in (A, B)]
    sizes = [np.array(size) for size in (Shape.of(ALL[one]).size, Shape.of(ALL[two]).size) if size]
    found_at = sized_program(one, two)(*places, *(factors[:, None, None] * x for x in sizes))
    is_there = expected[..., 6] < FAR
    for factor, rows in zip(factors, found_at, strict=True):
        assert ((rows[..., 6] < FAR) == is_there).all()
        assert rows[..., 3:6][is_there] == pytest.approx(expected[..., 3:6][is_there])
        lengths = [0, 1, 2, 6]
        there = factor * expected[..., lengths][is_there]
        assert np.allclose(rows[..., lengths][is_there], there, rtol=0.0, atol=EXACT)


@every
def test_single_precision(one, two):
    """Is finite, and as near to double precision as it can be."""
    A, B, rows = cases(one, two, 200, 0.5)
    single = program(one, two)(A.astype(np.float32), B.astype(np.float32))
    assert single.dtype == np.float32
    assert np.isfinite(single).all()
    gap, expected = single[..., 6].min(axis=1), rows[..., 6].min(axis=1)
    assert np.isclose(gap, expected, rtol=0.0, atol=2e-5).mean() > 0.99


@every
def test_order_of_shapes_turns_the_normal(one, two):
    """The other order has the same points."""
    rng = np.random.default_rng(3)
    A, B = random_rows(rng, 20, 0.7), random_rows(rng, 20, 0.7)
    if one != two:
        assert count(Shape.of(ALL[one]), Shape.of(ALL[two])) == len(in_arrays(one, two, A, B)[0])
        there, back = in_arrays(one, two, A, B), in_arrays(two, one, B, A)
        assert (there * [1, 1, 1, -1, -1, -1, 1] == back).all()


@every
def test_derivatives_are_slopes(one, two):
    """Of gaps, by the place of the first shape, where no point jumps."""
    A, B, rows = cases(one, two, 60)
    slopes = program(one, two).jacobian("A")(A, B)[:, :, 6, 3]
    step = 1e-6
    for k in range(3):
        ahead, behind = A.copy(), A.copy()
        ahead[:, 3, k] += step
        behind[:, 3, k] -= step
        high, low = in_arrays(one, two, ahead, B)[..., 6], in_arrays(one, two, behind, B)[..., 6]
        expected = (high - low) / (2.0 * step)
        smooth = np.abs(high + low - 2.0 * rows[..., 6]) < 1e-9
        assert smooth.mean() > 0.9
        assert np.allclose(slopes[..., k][smooth], expected[smooth], atol=1e-5)


@every
def test_reverse_derivatives_are_those_forward(one, two):
    """Of the sum of all that is found."""
    A, B, rows = cases(one, two, 10)
    forward = program(one, two).jacobian("B")(A, B).sum(axis=(1, 2))
    reverse = program(one, two).vjp()(A, B, np.ones_like(rows))[1]
    scale = 1.0 + np.abs(forward).max()
    assert np.allclose(reverse, forward, rtol=0.0, atol=1e-8 * scale)


@every
def test_nothing_is_undefined(one, two):
    """Centres and axes that coincide, and turns by right angles."""
    compiled = program(one, two)
    slopes = compiled.jacobian("A")
    quarter = np.eye(3)[[1, 2, 0]]
    for turn in (np.eye(3), quarter, quarter.T, np.diag([1.0, -1.0, -1.0])):
        for place in ((0.0, 0.0, 0.0), (0.0, 0.0, 0.5), (0.5, 0.0, 0.0), (0.0, 1e-200, 0.0)):
            A, B = np.vstack((turn, place)), np.vstack((np.eye(3), np.zeros(3)))
            alone = np.array(found(one, two, A.tolist(), B.tolist()), float)
            assert np.isfinite(alone).all()
            normals = alone[:, 3:6]
            assert np.allclose((normals * normals).sum(axis=1), 1.0, rtol=0.0, atol=EXACT)
            assert np.isfinite(compiled(A, B)).all()
            assert np.isfinite(slopes(A, B)).all()


@pytest.mark.parametrize(("one", "two"), ON_HILLS)
def test_points_on_a_height_map_have_its_distance(one, two):
    """Each is one of the shape: balls have that of the nearest place, others of the way down."""
    shape, (data, (o,)) = ALL[one], ShapeTable.of([ALL[two]]).arrays
    radius = shape.radius if one in ("sphere", "capsule") else 0.0
    for A, rows in zip(*poses_on_hills(one, 200), strict=True):
        for *row, gap in rows:
            x, n = np.array(row[:3]), np.array(row[3:])
            place = pose(x + (0.5 * gap + radius) * n)
            assert distance(shape, matrix(A), POINT, place).gap < -radius + 1e-10
            if abs(gap) < 0.1:
                if radius:
                    expected, normal = ground_in_reach(data, o, Vec3(*place[:3, 3]), 2.0 * radius)
                else:
                    expected, normal = signed_distance(data, o, Vec3(*place[:3, 3]))
                assert gap == pytest.approx(expected - radius, abs=EXACT)
                assert n == pytest.approx(list(normal), abs=1e-8)


def test_a_sphere_on_a_height_map_touches_as_in_the_narrow_phase():
    """Where it lies on one place of the ground."""
    ball, hills = ALL["sphere"], ALL["hills"]
    seen = 0
    for A, rows in zip(*poses_on_hills("sphere", 500), strict=True):
        expected = contacts(ball, matrix(A), hills, None, margin=0.1)
        if len(expected) == 1 and rows[0, 6] < 0.1:
            (contact,) = expected
            assert rows[0] == pytest.approx([*contact.point, *contact.normal, contact.gap])
            seen += 1
    assert seen > 50


@pairs
def test_shapes_at_right_angles(one, two):
    """Faces, edges and axes that are parallel or in one plane, at places of a grid."""
    turns = [
        signs * np.eye(3)[list(order)]
        for order in permutations(range(3))
        for signs in (np.array(signs)[:, None] for signs in product((1.0, -1.0), repeat=3))
    ]
    turns = [turn for turn in turns if np.linalg.det(turn) > 0.0]
    places = product(0.25 * np.arange(-3, 4), repeat=3)
    A = np.array([np.vstack((turn, place)) for turn, place in product(turns, places)])
    B = np.broadcast_to(np.vstack((np.eye(3), np.zeros(3))), A.shape)
    with np.errstate(all="raise", under="ignore"):
        rows = in_arrays(one, two, A, B)
    squares = (rows[..., 3:6] ** 2).sum(axis=-1)
    assert np.allclose(squares, 1.0, rtol=0.0, atol=EXACT)
    for k in range(0, len(A), 29):
        expected = contacts(ALL[one], matrix(A[k]), ALL[two], matrix(B[k]), margin=np.inf)
        deepest, gap = min(c.gap for c in expected), rows[k, :, 6].min()
        if not (one == two == "box" and deepest > 0.0):
            assert gap == pytest.approx(deepest, abs=1e-9)


def poses_on_hills(one, size):
    """Poses of a shape at the height of the hills, and what is found there in arrays."""
    rng = np.random.default_rng(sum(map(ord, one)))
    A = random_rows(rng, size, 0.0)
    A[:, 3] = rng.uniform((-1.5, -1.5, 0.2), (1.5, 1.5, 0.8), (size, 3))
    level = np.broadcast_to(np.vstack((np.eye(3), np.zeros(3))), A.shape)
    return A, in_arrays(one, "hills", A, level)


@pytest.mark.parametrize(("one", "two"), PAIRS + ON_HILLS)
def test_points_within_a_margin_are_the_same(one, two):
    """None is left out that is nearer; shapes far apart have none where that saves operations."""
    rng = np.random.default_rng(4)
    spread = 0.7 if one == two == "box" else 1.5
    A, B = random_rows(rng, 300, spread), random_rows(rng, 300, 0.2)
    all_points, some = in_arrays(one, two, A, B), in_arrays(one, two, A, B, 0.1)
    touches = all_points[..., 6].min(axis=1) < (0.0 if one == two == "box" else 0.1)
    assert touches.sum() > 5
    assert (some[touches] == all_points[touches]).all()
    compiled = program(one, two, margin=0.1)
    assert np.allclose(compiled(A, B), some, rtol=0.0, atol=1e-12 + 1e-15 * FAR)
    alone = [compiled(x, y) for x, y in zip(A[:40], B[:40], strict=True)]
    assert (np.array(alone) == compiled(A[:40], B[:40])).all()
    if program(one, two).ops > 100:
        assert (some[..., 6] == FAR).all(axis=1).any()


@pytest.mark.parametrize("sides", [12, 24, 60])
def test_a_hull_of_many_corners_stands_on_few(sides):
    """A prism on its end: at most eight contacts, and those below support it all around."""
    angles = (np.arange(sides) + 0.3) * 2.0 * np.pi / sides
    rim = np.column_stack([np.cos(angles), np.sin(angles)])
    corners = [(*xy, z) for xy in rim.tolist() for z in (-0.5, 0.5)]
    prism, plane = Shape.of(Polyhedron(tuple(corners))), Shape.of(Plane())
    assert count(prism, plane) == count(plane, prism) == 8
    X = Transform.translation(0.0, 0.0, 0.5)
    below = [p.position for p in points(prism, X, plane, Transform.identity()) if p.gap < 0.1]
    assert len(below) == 4
    ways = np.column_stack(directions_around(64))
    reach = (np.array([(x.x, x.y) for x in below]) @ ways.T).max(axis=0)
    assert reach.min() > 0.6


@pytest.mark.parametrize("place", [(0.0, 0.0, 1.7), (0.3, -0.2, 0.4)])
def test_ellipsoid_on_a_plane(place):
    """The lowest of many points of its surface, and none is lower."""
    rng = np.random.default_rng(8)
    (rows,) = random_rows(rng, 1, 0.0)
    rows[3] = place
    axes = np.array((0.3, 0.7, 1.1))
    X = Transform.from_pose(matrix(rows))
    ((x, n, gap),) = points(
        Shape(Kind.ELLIPSOID, tuple(axes)), X, Shape.of(Plane()), Transform.identity()
    )
    directions = rng.normal(size=(200_000, 3))
    surface = directions / np.linalg.norm(directions, axis=1)[:, None] * axes @ rows[:3] + place
    assert tuple(n) == (0.0, 0.0, 1.0)
    assert -1e-9 < surface[:, 2].min() - gap < 1e-3
    lowest = rows[:3] @ (np.array([x.x, x.y, x.z + 0.5 * gap]) - place) / axes
    assert lowest @ lowest == pytest.approx(1.0, abs=EXACT)


def test_pairs_without_a_fixed_number_are_refused():
    """Both are named; so is a shape that has none with any other."""
    plane, X = Shape.of(Plane()), Transform.identity()
    for call in (lambda: points(plane, X, plane, X), lambda: count(plane, plane)):
        with pytest.raises(ModelError, match="a plane and a plane"):
            call()
    with pytest.raises(ModelError, match="TriangleMesh"):
        Shape.of(TriangleMesh(CUBE, CUBE_FACES))


def test_operations_do_not_rise():
    """No pair costs more than was committed; if it is meant: `tests/stepping/touching_ops.py`."""
    before, now = touching_ops.committed(), touching_ops.counts()
    assert before.keys() == now.keys()
    rose = {pair: now[pair] for pair in now for k, n in now[pair].items() if n > before[pair][k]}
    assert not rose
