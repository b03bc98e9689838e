"""Mass properties of shapes against quadrature, and the laws that all obey."""

from __future__ import annotations

import numpy as np
import pytest

from polhode import ModelError
from polhode.model import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Heightmap,
    Mesh,
    Plane,
    Polyhedron,
    Sphere,
    Torus,
    TriangleMesh,
)
from polhode.model.mass_properties import mass_properties, volume
from polhode.spatial import Transform
from random_shapes import CUBE, CUBE_FACES, rotation

NODES = 40


def integrate_round(inner, outer, low, high):
    """Moments of a body of revolution: radii by z, Gauss points in z, r and exact in angle."""
    x, w = np.polynomial.legendre.leggauss(NODES)
    moments = np.zeros(4)  # m, m z, m z^2, m r^2
    for z, wz in zip(
        0.5 * (high + low) + 0.5 * (high - low) * x, 0.5 * (high - low) * w, strict=True
    ):
        a, b = inner(z), outer(z)
        r, wr = 0.5 * (a + b) + 0.5 * (b - a) * x, 0.5 * (b - a) * w
        ring = 2 * np.pi * r * wr * wz
        moments += (ring.sum(), z * ring.sum(), z * z * ring.sum(), (r * r * ring).sum())
    m, mz, mzz, mrr = moments
    across = mzz - mz * mz / m + mrr / 2
    return m, mz / m, np.diag((across, across, mrr))


def arc(radius, centre=0.0):
    return lambda z: np.sqrt(max(radius**2 - (z - centre) ** 2, 0.0))


ROUND = {
    "sphere": (Sphere(0.7), [(None, arc(0.7), -0.7, 0.7)]),
    "cylinder": (Cylinder(0.4, 1.2), [(None, lambda z: 0.4, -0.6, 0.6)]),
    "cone": (Cone(0.6, 2.0), [(None, lambda z: 0.6 * (1.0 - z) / 2.0, -1.0, 1.0)]),
    "capsule": (
        Capsule(0.3, 1.0),
        [
            (None, arc(0.3, -0.5), -0.8, -0.5),
            (None, lambda z: 0.3, -0.5, 0.5),
            (None, arc(0.3, 0.5), 0.5, 0.8),
        ],
    ),
    "torus": (
        Torus(1.0, 0.25),
        [(lambda z: 1.0 - arc(0.25)(z), lambda z: 1.0 + arc(0.25)(z), -0.25, 0.25)],
    ),
}


@pytest.mark.parametrize("name", ROUND)
def test_bodies_of_revolution_against_quadrature(name):
    """Volume, centre and inertia as integrals, by Gauss points."""
    shape, parts = ROUND[name]
    mass, moment, pieces = 0.0, 0.0, []
    for inner, outer, low, high in parts:
        m, z, inertia = integrate_round(inner or (lambda z: 0.0), outer, low, high)
        pieces.append((m, z, inertia))
        mass, moment = mass + m, moment + m * z
    centre = moment / mass
    total = sum(
        inertia + m * (z - centre) ** 2 * np.diag((1.0, 1.0, 0.0)) for m, z, inertia in pieces
    )
    body = mass_properties(shape, density=1.0)
    # Square roots at the ends of arcs limit the quadrature.
    assert body.mass == pytest.approx(mass, rel=2e-5)
    np.testing.assert_allclose(body.com, (0.0, 0.0, centre), atol=2e-5)
    np.testing.assert_allclose(body.inertia, total, rtol=5e-5, atol=1e-12)


def test_a_box_its_hull_and_its_mesh_are_the_same_body():
    """Three ways to say it, one inertia; density 2.5."""
    size = np.array((1.0, 2.0, 0.5))
    corners = tuple(map(tuple, np.array(CUBE) * size))
    box = mass_properties(Box(tuple(size)), density=2.5)
    for other in (Polyhedron(corners), TriangleMesh(corners, CUBE_FACES)):
        body = mass_properties(other, density=2.5)
        assert body.mass == pytest.approx(2.5)
        np.testing.assert_allclose(body.com, box.com, atol=1e-15)
        np.testing.assert_allclose(body.inertia, box.inertia, rtol=1e-14, atol=1e-15)


def test_a_turned_and_shifted_mesh_follows_the_parallel_axis_law():
    """Inertia about the centre turns with the body and does not care where it is."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20, 3))
    body = mass_properties(Polyhedron(tuple(map(tuple, points))), mass=3.0)
    R, r = rotation(rng), np.array((5.0, -3.0, 2.0))
    moved = mass_properties(Polyhedron(tuple(map(tuple, points @ R.T + r))), mass=3.0)
    np.testing.assert_allclose(moved.com, R @ body.com + r, atol=1e-13)
    np.testing.assert_allclose(moved.inertia, R @ np.array(body.inertia) @ R.T, atol=1e-12)


@pytest.mark.parametrize("name", ROUND)
def test_scaling(name):
    """Twice as large: eight times the volume, thirty-two times the inertia."""
    shape, _ = ROUND[name]
    double = type(shape)(*(2.0 * x for x in shape.__dict__.values()))
    small, large = mass_properties(shape, density=1.0), mass_properties(double, density=1.0)
    assert large.mass == pytest.approx(8.0 * small.mass)
    np.testing.assert_allclose(large.inertia, 32.0 * np.array(small.inertia), rtol=1e-14)


def test_two_halves_make_a_whole():
    """The hulls of both halves of a box, joined, are the box."""
    halves = [
        mass_properties(Polyhedron(tuple((x + s, 2.0 * y, z) for x, y, z in CUBE)), density=1.0)
        for s in (-0.5, 0.5)
    ]
    whole = halves[0].joined(halves[1], Transform.identity())
    box = mass_properties(Box((2.0, 2.0, 1.0)), density=1.0)
    assert whole.mass == pytest.approx(box.mass)
    np.testing.assert_allclose(whole.inertia, box.inertia, atol=1e-14)


def test_a_tetrahedron_in_closed_form():
    """The corner of a cube: volume 1/6, centre at a quarter, inertia by hand."""
    body = mass_properties(Polyhedron(((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))), density=6.0)
    assert body.mass == pytest.approx(1.0)
    np.testing.assert_allclose(body.com, (0.25,) * 3)
    np.testing.assert_allclose(np.diag(body.inertia), (3 / 40,) * 3)
    np.testing.assert_allclose(body.inertia[0][1], 1 / 80)


def test_a_dented_mesh_is_not_its_hull():
    """convexify takes the hull, which is heavier."""
    vertices = (*CUBE, (0.0, 0.0, 0.25))
    top = [face for face in CUBE_FACES if not {1, 3, 5, 7} >= set(face)]
    dent = [(1, 5, 8), (5, 7, 8), (7, 3, 8), (3, 1, 8)]
    mesh = TriangleMesh(vertices, tuple(top + dent))
    assert volume(mesh) == pytest.approx(1.0 - 0.25 / 3)
    assert volume(mesh, convexify=True) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("shape", "given", "message"),
    [
        (Box((1, 1, 1)), {}, "either a mass or a density, got neither"),
        (Box((1, 1, 1)), {"mass": 1.0, "density": 1.0}, "got both"),
        (Box((1, 1, 1)), {"mass": -1.0}, "not negative, got -1.0"),
        (Plane(), {"mass": 1.0}, "a shape with a volume, got a Plane"),
        (Heightmap(((0, 0), (0, 0)), (1, 1)), {"mass": 1.0}, "got a Heightmap"),
        (Mesh("hand.stl"), {"mass": 1.0}, "read it first"),
        (TriangleMesh(CUBE, CUBE_FACES[1:]), {"mass": 1.0}, r"3 open .*convexify=True"),
        (
            TriangleMesh(CUBE, tuple((a, c, b) for a, b, c in CUBE_FACES)),
            {"mass": 1.0},
            "turn the faces round",
        ),
        (Polyhedron(((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0))), {"mass": 1.0}, "in a plane"),
        (Torus(0.2, 0.5), {"mass": 1.0}, "major radius of at least the minor"),
    ],
)
def test_what_has_no_mass_properties_says_why(shape, given, message):
    """Expected, got, and what to do."""
    with pytest.raises(ModelError, match=message):
        mass_properties(shape, **given)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Box((1, -1, 1)), "3 lengths, not negative"),
        (lambda: Sphere(float("nan")), "finite number as radius of a Sphere"),
        (lambda: Heightmap(((0.0,), (0.0,)), (1, 1)), "2 equal rows of 2 heights"),
        (lambda: Polyhedron(((0, 0, 0),)), "at least 4 vertices"),
        (lambda: TriangleMesh(CUBE, ((0, 1, 8),)), "from 0 to 7 as a face"),
        (lambda: TriangleMesh(CUBE, ()), "at least one face in faces"),
    ],
)
def test_shapes_that_cannot_be(make, message):
    """Records check themselves."""
    with pytest.raises(ModelError, match=message):
        make()
