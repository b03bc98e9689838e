"""Contacts of faces and edges that are nearly beside each other, and of tips: no farther out."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from polhode.contact import contacts, distance
from polhode.model import Box, Capsule, Cone, Cylinder, Polyhedron, Sphere, TriangleMesh
from random_shapes import CUBE, about, height, pose, rotation


def _holds(a, A, b, B):
    """No contact is deeper than its normal allows, and both its ends are on or in the shapes."""
    found = contacts(a, A, b, B, margin=0.05)
    assert found
    for contact in found:
        n, half = contact.normal, 0.5 * contact.gap * contact.normal
        assert contact.gap >= -(height(a, A, -n) + height(b, B, n)) - 1e-7
        for shape, at, end in ((a, A, contact.point + half), (b, B, contact.point - half)):
            assert distance(Sphere(0.0), pose(end), shape, at).gap < 1e-6
    return found


@pytest.mark.parametrize("shape", [Box((1.0, 0.7, 0.5)), Cylinder(0.5, 0.8), Polyhedron(CUBE)])
@pytest.mark.parametrize("tilt", [1e-10, 5e-10, 2e-9])
def test_borders_that_are_flush_to_rounding_are_cut_within_both(shape, tilt):
    """An edge beside the border of a face, no nearer than the rounding that a cut allows."""
    box = Box((1.0, 0.7, 0.5))
    for shift in np.linspace(-3e-9, 3e-9, 41):
        for turn in ("x", "z"):
            A = pose((shift, 0.0, 0.5 + 1e-4), about(turn, tilt))
            _holds(box, A, shape, pose())


@pytest.mark.parametrize("tilt", [1e-10, 5e-10, 2e-9])
def test_borders_of_boxes_side_by_side(tilt):
    """The same where one lies on its side beside the other."""
    box = Box((1.0, 0.7, 0.5))
    for shift in np.linspace(-3e-9, 3e-9, 41):
        A = pose((1.0 + 1e-4, shift, 0.0), about("x", 0.5 * np.pi) @ about("z", tilt))
        _holds(box, A, box, pose())


def test_tips_of_cones_on_one_axis():
    """As deep as they overlap along it at most, however obtuse; found at the tips."""
    a, b = Cone(0.85, 0.93), Cone(1.46, 0.6)
    for depth in (1e-3, 1.5e-7, 1e-9):
        A = pose((0.0, 0.0, 0.765 - depth), about("x", np.pi))
        for contact in _holds(a, A, b, pose()):
            assert contact.gap >= -depth - 1e-12
            assert np.linalg.norm(contact.point - (0.0, 0.0, 0.3)) < 2 * depth


def test_a_small_base_on_a_long_side():
    """The deepest place of a cone's base is under it, not far along the side it stands on."""
    corners = ((x, y, z) for x in (-0.84, 0.84) for y in (-0.05, 0.05) for z in (0.0, 0.2))
    side = Polyhedron(tuple(corners))
    for turn in np.linspace(0.0, 3.0, 40):
        R = about("z", turn) @ about("x", 6.5e-4) @ about("y", 5.4e-4)
        _holds(Cone(0.053, 0.21), pose((0.3, 0.01, 0.305 - 2e-4), R), side, pose())


@pytest.mark.parametrize("size", [0.1, 1.0, 3.0, 40.0])
def test_a_sphere_deep_in_a_cylinder_is_pushed_to_the_nearest_side(size):
    """Whatever the unit of length: cylinders of metres had no normal there."""
    cylinder, centre = Cylinder(3.0 * size, 10.0 * size), np.eye(4)
    centre[:3, 3] = (0.2 * size, 0.0, 0.0)
    (found,) = contacts(Sphere(0.1 * size), centre, cylinder, np.eye(4))
    assert found.gap == pytest.approx(-2.9 * size, rel=1e-12)
    assert np.abs(found.normal) == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)


def _are_apart(a, A, b, B):
    """How many contacts there are; no two of one normal are nearer than 1e-5."""
    found = contacts(a, A, b, B, margin=0.01)
    for one, two in combinations(found, 2):
        if one.normal @ two.normal > 0.99995:
            assert np.linalg.norm(one.point - two.point) > 1e-5
    return len(found)


@pytest.mark.parametrize("one", [Cone(0.3, 0.6), Cylinder(0.2, 0.5), Capsule(0.15, 0.5)])
@pytest.mark.parametrize("two", [Cone(0.4, 0.5), Cylinder(0.25, 0.7), Polyhedron(CUBE)])
def test_round_sides_that_are_nearly_parallel_touch_no_place_twice(one, two):
    """The nearest points may lie at an end of a line, to the accuracy of the search."""
    rng, count = np.random.default_rng(5), 0
    for tilt in np.geomspace(1e-6, 0.04, 40):
        lies = about("x", 0.5 * np.pi) @ about("y", rng.uniform(0.0, 6.0))
        A = pose((0.02 * rng.normal(), 1.0, 0.02 * rng.normal()), about("z", tilt) @ lies)
        B = pose((0.0, 0.0, 0.0), about("z", 0.5 * np.pi * rng.integers(4)))
        gap = distance(one, A, two, B)
        A[:3, 3] -= (gap.gap + 1e-4) * gap.normal
        count += _are_apart(one, A, two, B)
    assert count >= 40


LYING = about("x", 0.5 * np.pi)  # axes along y
EDGED = {"box": Box((1.0, 2.0, 0.1)), "hull": Polyhedron(np.array(CUBE) @ np.diag((1.0, 2.0, 0.1)))}


@pytest.mark.parametrize(
    "side", [Cylinder(0.1, 0.3), Capsule(0.1, 0.3)], ids=["cylinder", "capsule"]
)
@pytest.mark.parametrize("body", EDGED)
@pytest.mark.parametrize("tilt", [0.0, 1e-9, 1e-7, 1e-5, 1e-3])
def test_a_side_along_an_edge_touches_at_both_its_ends(side, body, tilt):
    """Where an end is beyond the edge, the side there is as far from it as its curve falls back.

    Both ends have their own distance from the edge: that of a point, to the second order.
    """
    rng, edge = np.random.default_rng(11), np.array((0.5, 0.0, 0.05))
    for _ in range(40):
        angle, spin = rng.uniform(0.2, 1.3), rng.uniform(0.0, 6.0)
        out = np.array((np.sin(angle), 0.0, np.cos(angle)))
        turn = about("z", tilt * rng.normal()) @ about("x", tilt * rng.normal())
        A = pose(edge + (0.1 + rng.choice((0.0, 1e-6))) * out, turn @ LYING @ about("z", spin))
        found = contacts(side, A, EDGED[body], pose(), margin=1e-3)
        for end in (-0.15, 0.15):
            tip = A[:3, :3] @ (0.0, 0.0, end) + A[:3, 3]
            gap = np.linalg.norm((tip - edge)[[0, 2]]) - 0.1
            there = [contact for contact in found if abs(contact.point[1] - tip[1]) < 1e-3]
            assert min(contact.gap for contact in there) == pytest.approx(gap, abs=1e-8 + tilt**2)


def test_a_corner_of_a_mesh_on_a_large_box_touches_once():
    """Its distance is exact; that of its faces is found to a share of the box's size."""
    corners = 0.3 * np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    faces = ((0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2))
    mesh, floor = TriangleMesh(tuple(map(tuple, corners)), faces), Box((40.0, 40.0, 2.0))
    rng = np.random.default_rng(6)
    for _ in range(200):
        turn = rotation(rng)
        low = (corners @ turn.T)[:, 2].min()
        A = pose((*rng.uniform(-5.0, 5.0, 2), 1.0 - low + 2e-6 * rng.normal()), turn)
        assert _are_apart(mesh, A, floor, pose()) >= 1
