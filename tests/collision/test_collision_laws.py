"""What distances and contacts must obey, whatever the shapes."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest

from polhode.collision import bounding_box
from polhode.contact import contacts, distance
from polhode.model import Box, Cone, Cylinder, Plane, Polyhedron, Sphere, Torus, TriangleMesh
from random_shapes import ALL, CONVEX, CUBE, CUBE_FACES, MESH, TORUS, pose, random_pose

GROUNDS = ("plane", "hills")
PAIRS = [pair for pair in combinations_with_replacement(ALL, 2) if not set(pair) <= set(GROUNDS)]
CONVEX_PAIRS = list(combinations_with_replacement(CONVEX, 2))
POSES = 12
ROUND = 1e-8  # of a search that ends at a duality gap, for sizes near one
DEEP = 1e-6  # the same where curved shapes overlap


def poses(*names: str):
    rng = np.random.default_rng(sum(map(ord, "".join(names))))
    return [(random_pose(rng), random_pose(rng)) for _ in range(POSES)]


@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_swapping_the_shapes_turns_the_answer_round(one, two):
    """The gap stays, the normal turns, the points change places where they are unique."""
    a, b = ALL[one], ALL[two]
    for A, B in poses(one, two):
        there, back = distance(a, A, b, B), distance(b, B, a, A)
        if (one, two) == ("mesh", "mesh") and there.gap < 0.0:
            assert back.gap < 0.0  # how deep two meshes overlap is known by their points only
            continue
        assert there.gap == pytest.approx(back.gap, abs=DEEP)
        np.testing.assert_allclose(
            there.point_a - there.point_b, there.gap * there.normal, atol=1e-14
        )
        if one in CONVEX and two in CONVEX and there.gap > 0.01:
            np.testing.assert_allclose(there.normal, -back.normal, atol=1e-5)


@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_a_rigid_motion_of_both_moves_the_answer(one, two):
    """Gap, unit normal and distance of the witnesses do not depend on the frame."""
    a, b = ALL[one], ALL[two]
    motion = random_pose(np.random.default_rng(1), 3.0)
    for A, B in poses(one, two)[:6]:
        here, there = distance(a, A, b, B), distance(a, motion @ A, b, motion @ B)
        assert np.linalg.norm(here.normal) == pytest.approx(1.0, abs=1e-12)
        if not ("hills" in (one, two) and here.gap < -0.05):  # far down are many ways out
            assert there.gap == pytest.approx(here.gap, abs=DEEP)
        if here.gap > 0.01 and one in CONVEX and two in CONVEX:
            np.testing.assert_allclose(motion[:3, :3] @ here.normal, there.normal, atol=1e-5)


NARROW = tuple((0.4 * x, y, z) for x, y, z in CUBE)
ALIKE = {
    "boxes": (Box((1.0, 0.7, 0.5)), Box((0.3, 0.4, 2.0))),
    "cones": (Cone(0.5, 1.0), Cone(0.2, 0.7)),
    "cylinders": (Cylinder(0.5, 0.8), Cylinder(0.2, 1.5)),
    "hulls": (CONVEX["polyhedron"], Polyhedron(NARROW)),
    "meshes": (MESH, TriangleMesh(NARROW, CUBE_FACES)),
    "tori": (Torus(1.0, 0.25), Torus(0.5, 0.1)),
}


def overlapping(a, b, rng):
    """Poses of two shapes that overlap by up to a tenth."""
    A, B = random_pose(rng, 0.0), random_pose(rng, 0.0)
    A[:3, 3] = 3.0 * A[:3, 0]
    apart = distance(a, A, b, B)
    A[:3, 3] -= (apart.gap + rng.uniform(-0.005, 0.1)) * apart.normal
    return A, B


@pytest.mark.parametrize("kind", ALIKE)
def test_two_shapes_of_a_kind_have_the_same_contacts_in_either_order(kind):
    """To the last bit: which of them is taken first is in their sizes."""
    (a, b), rng, count = ALIKE[kind], np.random.default_rng(8), 0
    for _ in range(40):
        A, B = overlapping(a, b, rng)
        here, there = contacts(a, A, b, B, margin=0.01), contacts(b, B, a, A, margin=0.01)
        assert [x.feature for x in here] == [x.feature for x in there]
        for one, other in zip(here, there, strict=True):
            assert (one.point == other.point).all() and one.gap == other.gap
            assert (one.normal == -other.normal).all()
        count += len(here)
    assert count >= 40


def test_two_equal_meshes_have_the_same_contacts_in_either_order():
    """The deepest of all pairs of faces is the same, whichever mesh is the ground."""
    rng = np.random.default_rng(8)
    for _ in range(60):
        A, B = overlapping(MESH, MESH, rng)
        here = contacts(MESH, A, MESH, B, margin=0.01)
        there = contacts(MESH, B, MESH, A, margin=0.01)
        assert len(here) == len(there) > 0
        for one in here:
            other = min(there, key=lambda contact: np.linalg.norm(contact.point - one.point))
            assert np.allclose(one.point, other.point, atol=1e-12)
            assert one.gap == pytest.approx(other.gap, abs=1e-12)
            assert np.allclose(one.normal, -other.normal, atol=1e-12)


@pytest.mark.parametrize(("one", "two"), CONVEX_PAIRS)
def test_witnesses_lie_on_both_surfaces(one, two):
    """A point's own distance, found another way, is zero at the nearest points."""
    a, b = CONVEX[one], CONVEX[two]
    for A, B in poses(one, two):
        found = distance(a, A, b, B)
        for shape, at, point in ((a, A, found.point_a), (b, B, found.point_b)):
            own = distance(Sphere(0.0), pose(point), shape, at).gap
            assert own == pytest.approx(0.0, abs=ROUND if found.gap > 0.0 else 2e-5)


@pytest.mark.parametrize(("one", "two"), CONVEX_PAIRS)
def test_moving_by_the_gap_makes_the_shapes_touch(one, two):
    """The normal separates: along it the gap, or the overlap, goes to zero."""
    a, b = CONVEX[one], CONVEX[two]
    for A, B in poses(one, two):
        found = distance(a, A, b, B)
        to_touch = pose(-found.gap * found.normal) @ A
        assert distance(a, to_touch, b, B).gap == pytest.approx(0.0, abs=DEEP)


@pytest.mark.parametrize(("one", "two"), [*CONVEX_PAIRS, ("plane", "torus"), ("mesh", "sphere")])
def test_the_gap_changes_no_faster_than_the_shapes_move(one, two):
    """Along a motion through each other the signed distance has slope one at most."""
    a, b = ALL[one], ALL[two]
    rng = np.random.default_rng(3)
    A, B = random_pose(rng, 0.0), random_pose(rng, 0.0)
    way, step = np.array((1.0, 0.3, -0.2)), 0.02
    before = None
    for k in range(-75, 76):
        gap = distance(a, pose(k * step * way) @ A, b, B).gap
        if before is not None:
            assert abs(gap - before) <= step * np.linalg.norm(way) + DEEP
        before = gap


@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_contacts_are_few_sorted_near_and_the_same_twice(one, two):
    """At most eight, by feature, gaps below the margin, the deepest among them, same bits."""
    a, b = ALL[one], ALL[two]
    for A, B in poses(one, two):
        found = contacts(a, A, b, B, margin=0.05)
        assert len(found) <= 8
        features = [contact.feature for contact in found]
        assert features == sorted(set(features))
        assert all(contact.gap < 0.05 for contact in found)
        for one_of, other in zip(found, contacts(a, A, b, B, margin=0.05), strict=True):
            assert one_of.gap == other.gap and (one_of.point == other.point).all()
        nearest = distance(a, A, b, B).gap
        if one in CONVEX and two in CONVEX:
            assert bool(found) == (nearest < 0.05)
            if found:
                assert min(contact.gap for contact in found) == pytest.approx(nearest, abs=ROUND)


def around(shape, rng):
    """Places in and about a shape, up to 0.6 beyond its borders, in its own coordinates."""
    low, high = np.clip(bounding_box(shape), -3.0, 3.0)
    return rng.uniform(low - 0.6, high + 0.6, size=(POSES, 3))


@pytest.mark.parametrize(("one", "two"), CONVEX_PAIRS)
def test_each_contact_has_the_gap_of_its_own_place(one, two):
    """Both ends of a contact lie on or inside the shapes' surfaces, never beyond them."""
    a, b = CONVEX[one], CONVEX[two]
    for A, B in poses(one, two):
        for contact in contacts(a, A, b, B, margin=0.1):
            half = 0.5 * contact.gap * contact.normal
            for shape, at, end in ((a, A, contact.point + half), (b, B, contact.point - half)):
                assert distance(Sphere(0.0), pose(end), shape, at).gap < 2e-5


@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_no_contact_is_beside_the_shapes(one, two):
    """The same of all shapes, wherever about each the other is: at borders, too."""
    a, b = ALL[one], ALL[two]
    rng = np.random.default_rng(sum(map(ord, one + two)))
    near = [(A, A @ pose(place) @ random_pose(rng, 0.0))
            for A, _ in poses(one, two) for place in around(a, rng)]  # fmt: skip
    near += [(B @ pose(place) @ random_pose(rng, 0.0), B)
             for _, B in poses(one, two) for place in around(b, rng)]  # fmt: skip
    count = 0
    for A, B in near:
        for contact in contacts(a, A, b, B, margin=0.1):
            count += 1
            half = 0.5 * contact.gap * contact.normal
            # Where they overlap deeply the place is known to the root of the depth's rounding.
            round_off = 2e-5 if contact.gap > -0.1 else 1e-4
            for shape, at, end in ((a, A, contact.point + half), (b, B, contact.point - half)):
                assert distance(Sphere(0.0), pose(end), shape, at).gap < round_off
    assert count > 50


@pytest.mark.parametrize(("one", "two"), PAIRS)
@pytest.mark.parametrize("shift", [0.0, 1e-15, 1e-9])
def test_degenerate_places_give_numbers(one, two, shift):
    """Shapes at the same place, or nearly so, give finite answers."""
    for at in (pose(), pose((shift, 0.0, 0.0))):
        for contact in contacts(ALL[one], at, ALL[two], pose((0.0, 0.0, shift)), margin=0.1):
            assert np.isfinite((*contact.point, *contact.normal, contact.gap)).all()
            assert np.linalg.norm(contact.normal) == pytest.approx(1.0, abs=1e-9)


def test_a_torus_rolls_along_a_plane_at_its_closed_form_height():
    """Tilted by t its centre stands at R sin t + r above its lowest point."""
    for tilt in np.linspace(0.0, np.pi / 2, 19):
        c, s = np.cos(tilt), np.sin(tilt)
        R = np.array(((1, 0, 0), (0, c, -s), (0, s, c)))
        gap = distance(TORUS, pose((0.2, 0.1, 2.0), R), Plane(), None).gap
        assert gap == pytest.approx(2.0 - (s + 0.25), abs=1e-12)


@pytest.mark.parametrize("other", [*CONVEX, "mesh", "torus"])
def test_a_torus_touches_where_the_least_of_its_balls_does(other):
    """Contacts find the nearest of balls along the circle, and none where none is near."""
    ball, margin, angles = Sphere(0.25), 0.05, np.linspace(0.0, 2.0 * np.pi, 400, endpoint=False)
    half_arc = np.pi / len(angles)
    circle = np.stack((np.cos(angles), np.sin(angles), np.zeros_like(angles)), axis=1)
    rng = np.random.default_rng(11)
    for A, B in [(random_pose(rng), random_pose(rng)) for _ in range(POSES)]:
        centres = circle @ A[:3, :3].T + A[:3, 3]
        least = min(distance(ball, pose(p), ALL[other], B).gap for p in centres)
        gaps = [c.gap for c in contacts(TORUS, A, ALL[other], B, margin=margin)]
        if least > margin + half_arc:
            assert not gaps
        elif least < margin:
            assert least - half_arc <= min(gaps) <= least + ROUND
