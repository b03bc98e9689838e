"""Signed distances of convex shapes beside coal's, and contacts beside MuJoCo's.

Coal's depth of overlapping cylinders and cones is left out: in some of those poses it
answers with an overlap that a direction of separation refutes, or with no number.
"""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest

from polhode.contact import contacts, distance
from polhode.model import Box, Capsule, Cone, Cylinder, Plane, Polyhedron, Sphere
from random_shapes import CONVEX, about, random_pose

coal = pytest.importorskip("coal")
mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.oracle

EXACT_DEPTH = ("sphere", "capsule", "box", "polyhedron")


def coal_shape(shape):
    match shape:
        case Box(size):
            return coal.Box(*size)
        case Sphere(r):
            return coal.Sphere(r)
        case Cylinder(r, length):
            return coal.Cylinder(r, length)
        case Capsule(r, length):
            return coal.Capsule(r, length)
        case Cone(r, length):
            return coal.Cone(r, length)
        case Polyhedron(vertices):
            points = coal.StdVec_Vec3s()
            for vertex in vertices:
                points.append(np.array(vertex))
            return coal.Convex.convexHull(points, True, "Qt")
    raise AssertionError(shape)


def coal_distance(a, A, b, B):
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.gjk_tolerance = request.epa_tolerance = 1e-9
    request.gjk_max_iterations, request.epa_max_iterations = 500, 200
    place = [coal.Transform3s(M[:3, :3].copy(), M[:3, 3].copy()) for M in (A, B)]
    return coal.distance(coal_shape(a), place[0], coal_shape(b), place[1], request, result)


@pytest.mark.parametrize(("one", "two"), list(combinations_with_replacement(CONVEX, 2)))
def test_distances_are_those_of_coal(one, two):
    """A hundred random poses of each pair; apart always, overlapping where coal is exact."""
    a, b = CONVEX[one], CONVEX[two]
    rng = np.random.default_rng(7)
    compared = 0
    for _ in range(100):
        A, B = random_pose(rng, 0.6), random_pose(rng, 0.6)
        theirs = coal_distance(a, A, b, B)
        if theirs > 1e-6 or {one, two} <= set(EXACT_DEPTH):
            assert distance(a, A, b, B).gap == pytest.approx(theirs, abs=2e-7)
            compared += 1
    assert compared > 20


@pytest.mark.parametrize(
    ("name", "shape", "geom"),
    [
        ("box", Box((1.0, 0.8, 0.6)), 'type="box" size="0.5 0.4 0.3"'),
        ("capsule", Capsule(0.2, 1.0), 'type="capsule" size="0.2 0.5"'),
        ("sphere", Sphere(0.4), 'type="sphere" size="0.4"'),
    ],
)
def test_points_on_a_plane_are_those_of_mujoco(name, shape, geom):
    """Places and gaps of all points nearer than the margin, in tilted poses."""
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><worldbody><geom type="plane" size="9 9 1" margin="0.1"/>
        <body pos="0 0 1"><freejoint/><geom {geom} margin="0.0"/></body></worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    rng = np.random.default_rng(0)
    seen = 0
    for _ in range(50):
        R = about("x", 0.1 * rng.normal()) @ about("y", 0.1 * rng.normal())
        data.qpos[:3] = (0.0, 0.0, 0.3 + 0.2 * rng.random())
        mujoco.mju_mat2Quat(data.qpos[3:7], R.ravel())
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        theirs = sorted((c.dist, *c.pos) for c in data.contact[: data.ncon])
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = R, data.qpos[:3]
        found = contacts(shape, pose, Plane(), None, margin=0.1)
        if len(theirs) > 4 or len(found) > 4:
            continue  # theirs are at most four
        ours = sorted((c.gap, *c.point) for c in found)
        assert len(ours) == len(theirs)
        if ours:
            np.testing.assert_allclose(ours, theirs, atol=1e-6)
        seen += len(ours)
    assert seen > 20
