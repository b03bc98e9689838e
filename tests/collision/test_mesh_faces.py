"""Flat parts of meshes under faces and sides: contacts as of the same body as a box or a hull."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.contact import contacts, distance
from polhode.model import Box, Capsule, Cone, Cylinder, Plane, Polyhedron, TriangleMesh
from random_shapes import CUBE, CUBE_FACES, about, pose

SIZE = (1.0, 0.8, 0.5)
MARGIN = 2e-3
TILTS = [0.0, 1e-9, 1e-7, 1e-5, 1e-3, 1e-2]
GAPS = [-1e-3, -1e-5, -1e-9, 0.0, 1e-9, 1e-5, 1e-3]
DIRECTIONS = np.stack([f(np.linspace(0.0, 2 * np.pi, 64)) for f in (np.cos, np.sin)])
OCTAGON = 1.0 - np.cos(np.pi / 8)  # of the radius: how far a circle is from the octagon in it


def mesh_box(size) -> TriangleMesh:
    return TriangleMesh(tuple(tuple(np.array(x) * size) for x in CUBE), CUBE_FACES)


def table(size, n: int, m: int) -> TriangleMesh:
    """A box whose top is cut into 2 n m triangles, with corners within its borders."""
    x, y, z = (0.5 * s for s in size)
    top = [(a, b, z) for a in np.linspace(-x, x, n + 1) for b in np.linspace(-y, y, m + 1)]
    at = np.arange(len(top)).reshape(n + 1, m + 1)
    faces = [
        face
        for i in range(n)
        for j in range(m)
        for face in (
            (at[i, j], at[i + 1, j], at[i + 1, j + 1]),
            (at[i, j], at[i + 1, j + 1], at[i, j + 1]),
        )
    ]
    border = [*at[:, 0], *at[-1, 1:], *at[-2::-1, -1], *at[0, -2:0:-1]]  # from above, to the left
    below = [len(top) + k for k in range(len(border))]
    corners = [*top, *((*top[k][:2], -z) for k in border), (0.0, 0.0, -z)]
    for k in range(len(border)):
        j = (k + 1) % len(border)
        faces += [(border[k], below[k], below[j]), (border[k], below[j], border[j])]
        faces.append((len(corners) - 1, below[j], below[k]))
    return TriangleMesh(tuple(map(tuple, corners)), tuple(tuple(map(int, f)) for f in faces))


BOX, MESH = Box(SIZE), mesh_box(SIZE)
HULL = Polyhedron(MESH.vertices)
TABLE = table(SIZE, 5, 3)
ALIKE = {"box": BOX, "hull": HULL, "mesh": MESH, "table": TABLE}
PAIRS = [(a, b) for a in ALIKE for b in ALIKE if {a, b} & {"mesh", "table"}]


def extent(found) -> np.ndarray:
    """The extent of the places of contacts in many directions across z."""
    return (np.array([contact.point[:2] for contact in found]) @ DIRECTIONS).max(axis=0)


def lowered(top, tilts, yaw, place, gap: float, below=BOX) -> np.ndarray:
    """A pose of ``top`` at that distance over the middle of ``below``."""
    A = pose((*place, 0.55), about("x", tilts[0]) @ about("y", tilts[1]) @ about("z", yaw))
    for _ in range(3):
        A[2, 3] += gap - distance(top, A, below, None).gap
    return A


def random_poses(rng, tilt: float, count: int):
    for _ in range(count):
        place = rng.choice((0.0, 1e-9, 1e-3, 0.15)) * rng.normal(size=2)
        yaw = rng.choice((0.0, 0.0, 1e-9, 0.3, 0.5 * np.pi, 2.0))
        yield lowered(BOX, tilt * rng.normal(size=2), yaw, place, rng.choice(GAPS))


@pytest.mark.parametrize(("one", "two"), PAIRS)
@pytest.mark.parametrize("tilt", TILTS)
def test_faces_of_meshes_touch_as_faces_of_boxes(one, two, tilt):
    """The same extent, the same least gap, normals of either face, in both orders."""
    rng = np.random.default_rng(17)
    for A in random_poses(rng, tilt, 40):
        truth = contacts(BOX, A, BOX, None, margin=MARGIN)
        found = contacts(ALIKE[one], A, ALIKE[two], None, margin=MARGIN)
        back = contacts(ALIKE[two], None, ALIKE[one], A, margin=MARGIN)
        slope = np.linalg.norm(A[:2, 2])
        for each, sign in ((found, 1.0), (back, -1.0)):
            assert 0 < len(each) <= 8
            # Where the gap reaches the margin is known as well as the gap by the slope.
            np.testing.assert_allclose(extent(each), extent(truth), atol=3e-3)
            least = min(contact.gap for contact in truth)
            assert min(contact.gap for contact in each) == pytest.approx(
                least, abs=1e-9 + slope * slope
            )
            for contact in each:
                assert np.linalg.norm(contact.normal[:2]) <= 2.1 * slope + 2e-9
                assert sign * contact.normal[2] > 0.0


@pytest.mark.parametrize("ground", [MESH, TABLE], ids=["mesh", "table"])
@pytest.mark.parametrize("shape", [Cylinder(0.3, 0.5), Cone(0.3, 0.5)], ids=["cylinder", "cone"])
@pytest.mark.parametrize("tilt", TILTS)
def test_caps_on_flat_meshes(shape, ground, tilt):
    """As on a box, but for the place where the octagon of the cap begins."""
    rng = np.random.default_rng(3)
    for _ in range(30):
        place = rng.uniform(-1.0, 1.0, 2) * (0.5, 0.4)
        A = lowered(
            shape, tilt * rng.normal(size=2), rng.uniform(0.0, 6.0), place, rng.choice(GAPS)
        )
        truth = contacts(shape, A, BOX, None, margin=1.0)
        found = contacts(shape, A, ground, None, margin=0.02)
        assert 3 <= len(found) <= 8
        np.testing.assert_allclose(extent(found), extent(truth), atol=2 * OCTAGON * 0.3)
        least = min(contact.gap for contact in truth)
        near = 1e-8 + np.linalg.norm(A[:2, 2]) * OCTAGON * 0.3
        assert min(contact.gap for contact in found) == pytest.approx(least, abs=near)
        for contact in found:
            assert np.linalg.norm(contact.normal[:2]) <= 1.1 * np.linalg.norm(A[:2, 2]) + 1e-9


@pytest.mark.parametrize("ground", [MESH, TABLE], ids=["mesh", "table"])
@pytest.mark.parametrize("side", [Cylinder(0.1, 0.5), Capsule(0.1, 0.5)])
@pytest.mark.parametrize("tilt", TILTS)
def test_round_sides_on_flat_meshes(side, ground, tilt):
    """A log touches with both ends of the part of its side that lies over the mesh."""
    rng = np.random.default_rng(4)
    for _ in range(30):
        place, yaw = rng.uniform(-1.0, 1.0, 2) * (0.45, 0.35), rng.uniform(0.0, 6.0)
        lean = np.clip(tilt * rng.normal(), -0.02, 0.02)
        gap = rng.choice(GAPS)
        R = about("z", yaw) @ about("x", 0.5 * np.pi + lean)
        A = pose((*place, 0.25 + 0.1 + gap + 0.25 * abs(np.sin(lean))), R)
        truth = contacts(side, A, BOX, None, margin=0.02)
        found = contacts(side, A, ground, None, margin=0.02)
        # Where the lower end is beyond an edge, what is nearest to that is another place.
        assert len(found) == 2 or (len(found) == 3 and lean != 0.0)
        np.testing.assert_allclose(extent(found), extent(truth), atol=1e-4 + 0.2 * abs(lean))
        least = min(contact.gap for contact in truth)
        near = 4e-8 + 4.0 * lean**2 * MARGIN  # nearest points count if 1e-7 of the size nearer
        assert min(contact.gap for contact in found) == pytest.approx(least, abs=near)
        for contact in found:  # of the face, or square to the axis and an edge
            upright = np.linalg.norm(contact.normal[:2]) < 1e-9
            assert upright or abs(contact.normal @ A[:3, 2]) < 1e-6


def test_bars_across_each_other_touch_at_four_places():
    """No corner of either is over the other."""
    long, wide = mesh_box((1.0, 0.1, 0.1)), mesh_box((0.1, 1.0, 0.1))
    for gap in GAPS:
        found = contacts(long, pose((0.02, 0.03, 0.1 + gap)), wide, None, margin=MARGIN)
        places = sorted(tuple(np.round(contact.point[:2], 9)) for contact in found)
        assert places == [(-0.05, -0.02), (-0.05, 0.08), (0.05, -0.02), (0.05, 0.08)]
        for contact in found:
            assert contact.gap == pytest.approx(gap, abs=1e-15)
            np.testing.assert_allclose(contact.normal, (0.0, 0.0, 1.0), atol=1e-12)


def test_a_box_in_a_corner_touches_floor_and_wall():
    """A mesh that is not convex: each of two faces has its own contacts, at one place too."""
    outline = ((-1.0, -1.0), (1.0, -1.0), (1.0, 0.0), (0.0, 0.0), (0.0, 1.0), (-1.0, 1.0))
    corners = [(x, y, z) for y in (-0.5, 0.5) for x, z in outline]
    caps = ((0, 1, 2), (0, 2, 3), (0, 3, 5), (3, 4, 5))
    faces = [*caps, *((c + 6, b + 6, a + 6) for a, b, c in caps)]
    for k in range(6):
        j = (k + 1) % 6
        faces += [(j, k, k + 6), (j, k + 6, j + 6)]
    step = TriangleMesh(tuple(corners), tuple(faces))
    for shape in (Box((0.4, 0.4, 0.4)), mesh_box((0.4, 0.4, 0.4))):
        for gap in (-1e-4, -1e-9, 0.0, 1e-4):
            found = contacts(shape, pose((0.2 + gap, 0.1, 0.2 + gap)), step, None, margin=MARGIN)
            for normal in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)):
                of = [x for x in found if x.normal @ normal > 1.0 - 1e-12]
                assert len(of) == 4
                assert all(x.gap == pytest.approx(gap, abs=1e-12) for x in of)
            assert len(found) == 8


def test_names_stay_while_a_mesh_trembles():
    """Contacts of a mesh box on an equal one, and on a table, keep their features."""
    rng = np.random.default_rng(2)
    for ground in (BOX, MESH, TABLE):
        names = set()
        for _ in range(20):
            A = pose(
                np.array((0.11, 0.07, 0.5 - 1e-4)) + 1e-6 * rng.normal(size=3),
                about("x", 1e-6 * rng.normal()) @ about("z", 1e-6 * rng.normal()),
            )
            names.add(tuple(x.feature for x in contacts(MESH, A, ground, None, margin=1e-3)))
        assert len(names) == 1


def at_rest(scene, names, start):
    """How far bodies are from where they started, and how far turned, after a second."""
    motion = ph.simulate(scene, 1.0, dt=1e-3)
    end = [motion.of(name)[0][-1] for name in names]
    moved = max(np.linalg.norm(q[:3] - place) for q, place in zip(end, start, strict=True))
    return moved, max(np.linalg.norm(q[3:6]) for q in end)


@pytest.mark.parametrize("ground", ["mesh", "table", "box"])
@pytest.mark.parametrize("offset", [0.0, 1e-3, 0.07])
def test_a_stack_of_mesh_boxes_stays(ground, offset):
    """Boxes of one size, flush or shifted, neither creep nor turn."""
    scene = ph.Scene().add_fixed("ground", ALIKE[ground]).contact(mu_coulomb=0.5)
    start = [np.array((offset * k, -0.5 * offset * k, 0.5 * k)) for k in (1, 2, 3)]
    names = [f"box {k}" for k in (1, 2, 3)]
    for name, place in zip(names, start, strict=True):
        scene = scene.add_body(name, MESH, mass=1.0, position=tuple(place))
    moved, turned = at_rest(scene, names, start)
    assert moved < 1e-6
    assert turned < 1e-6


@pytest.mark.parametrize("shape", [MESH, BOX], ids=["mesh", "box"])
def test_a_box_slides_over_the_seams_of_a_mesh(shape):
    """Over edges within a flat top, without friction, at its speed."""
    speed, place = np.array((1.0, 0.13, 0.0)), np.array((-0.91, 0.02, 0.5))
    scene = ph.Scene().contact(mu_coulomb=0.0).add_fixed("table", table((4.0, 2.0, 0.5), 7, 3))
    scene = scene.add_body("box", shape, mass=1.0, position=tuple(place), velocity=tuple(speed))
    motion = ph.simulate(scene, 1.5, dt=1e-3)
    q, qd = motion.of("box")
    np.testing.assert_allclose(qd[-1], (*speed, 0.0, 0.0, 0.0), atol=1e-8)
    np.testing.assert_allclose(q[-1, :3], place + 1.5 * speed, atol=1e-8)


@pytest.mark.parametrize("tilt", [*TILTS[:-1], 0.3])
def test_a_mesh_touches_a_plane_as_its_hull_does(tilt):
    """At its lowest corners, in either order."""
    R = about("x", tilt) @ about("y", 0.3 * tilt)
    low = distance(MESH, pose(R=R), Plane(), None).gap
    at = pose((0.0, 0.0, 1e-5 - low), R)
    mesh, hull = (contacts(shape, at, Plane(), None, margin=0.02) for shape in (MESH, HULL))
    assert len(mesh) == (1 if tilt > 0.1 else 4)
    assert sorted(c.gap for c in mesh) == pytest.approx(sorted(c.gap for c in hull), abs=1e-12)
    assert all(c.normal == pytest.approx((0.0, 0.0, 1.0), abs=1e-12) for c in mesh)
    other = contacts(Plane(), None, MESH, at, margin=0.02)
    assert [c.gap for c in other] == [c.gap for c in mesh]


@pytest.mark.parametrize("away", [0.0, 1.0, 1e4])
@pytest.mark.parametrize("shape", [MESH, HULL, TABLE], ids=["mesh", "hull", "table"])
def test_corners_near_a_plane_are_contacts(shape, away):
    """Of those below the margin the lowest is one, and no others are, wherever both are."""
    rng = np.random.default_rng(7)
    corners, counts = np.array(shape.vertices), []
    for k in range(40):
        tilt = rng.uniform(-3, 3) if k % 2 else 1e-4
        turn, ground = (about("x", x) @ about("y", rng.uniform(-3, 3)) for x in (tilt, 2.0 * tilt))
        R, origin = ground @ (about("z", k) if k % 3 else turn), away * rng.normal(size=3)
        level = rng.uniform(-1e-3, 3e-3) - (corners @ (ground.T @ R).T)[:, 2].min()
        place = origin + ground @ (*rng.normal(size=2), level)
        found = contacts(shape, pose(place, R), Plane(), pose(origin, ground), margin=MARGIN)
        heights = (corners @ R.T + (place - origin)) @ ground[:, 2]
        near, gaps = heights[heights < MARGIN], np.array([contact.gap for contact in found])
        assert (len(gaps) == 0) == (len(near) == 0)
        if len(gaps) > 0:
            rounding = 1e-15 * (1.0 + 10.0 * away)
            assert abs(gaps.min() - near.min()) < rounding
            assert np.abs(gaps[:, None] - near).min(axis=1).max() < rounding
        counts.append(len(gaps))
    assert min(counts) == 0 and 1 in counts and max(counts) > 3
