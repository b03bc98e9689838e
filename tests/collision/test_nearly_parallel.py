"""Edges and axes parallel but for a tiny angle: contacts at both ends, each with its gap."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.algorithms.stepping.touching import Shape, points
from polhode.contact import contacts
from polhode.model import Box, Capsule, Polyhedron
from polhode.spatial import Mat3, Transform, Vec3
from random_shapes import CUBE, about, pose

SIZE, HALF = (0.1, 0.4, 0.1), 0.2
ON_EDGE, LYING = about("y", np.pi / 4), about("x", np.pi / 2)
HIGH = 0.1 * np.sqrt(0.5)  # of the edge above the middle
BARS = {"box": Box(SIZE), "hull": Polyhedron(tuple(tuple(np.array(x) * SIZE) for x in CUBE))}
SLACK = 1e-6  # of the size: by how much features miss each other that count as beside each other
TILTS = [0.0, 1e-12, 1e-10, 1e-8, -1e-8, 1e-7, 1e-6, 1e-5]
LOG = Capsule(0.05, 0.3)


def ends(found) -> list[tuple[float, float]]:
    """Where along y contacts are, the first and the last, and the least gap of each."""
    places = sorted({round(float(contact[0][1]), 4) for contact in found})
    return [
        (y, min(float(contact[2]) for contact in found if abs(contact[0][1] - y) < 1e-3))
        for y in (places[0], places[-1])
    ]


def of(found):
    """Position, normal and gap of contacts."""
    return [(contact.point, contact.normal, contact.gap) for contact in found]


@pytest.mark.parametrize("one", BARS)
@pytest.mark.parametrize("two", BARS)
@pytest.mark.parametrize("tilt", TILTS)
def test_an_edge_over_a_parallel_edge(one, two, tilt):
    """Level, and turned about the normal: then the edges cross, and both ends go apart alike."""
    a = pose((0.0, 0.0, 2 * HIGH + 1e-3), about("z", tilt) @ ON_EDGE)
    found = of(contacts(BARS[one], a, BARS[two], pose(R=ON_EDGE), margin=2e-3))
    for (y, gap), end in zip(ends(found), (-HALF, HALF), strict=True):
        assert y == pytest.approx(end, abs=1e-4)
        assert gap == pytest.approx(1e-3 + HALF * abs(tilt), abs=SLACK)
    np.testing.assert_allclose([n for _, n, _ in found], [(0, 0, 1)] * len(found), atol=1e-4)


@pytest.mark.parametrize("one", BARS)
@pytest.mark.parametrize("two", BARS)
@pytest.mark.parametrize("tilt", TILTS[:-2])
@pytest.mark.parametrize("gap", [0.0, -1e-9])
def test_an_edge_on_a_parallel_edge(one, two, tilt, gap):
    """Leaning along the edges: one end is deeper, the other higher, and neither is lost."""
    a = pose((0.0, 0.0, 2 * HIGH + gap), about("x", tilt) @ ON_EDGE)
    found = of(contacts(BARS[one], a, BARS[two], pose(R=ON_EDGE), margin=2e-3))
    for (y, least), end in zip(ends(found), (-HALF, HALF), strict=True):
        assert y == pytest.approx(end, abs=1e-4)
        upright = np.linalg.norm(found[0][1][[0, 2]] * (0, 1))  # the normal may be a face's
        assert least == pytest.approx((gap + end * tilt) * upright, abs=2e-9)


@pytest.mark.parametrize("axis", ["x", "z"])
@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize("length", [0.3, 0.2])
def test_a_log_on_a_log(axis, tilt, length):
    """Capsules beside each other, of one length or not, alone and in lanes: both ends."""
    other, half = Capsule(0.05, length), 0.5 * length
    R, up = about(axis, tilt) @ LYING, 0.1 + 1e-4
    alone = of(contacts(other, pose((0, 0, up), R), LOG, pose(R=LYING), margin=2e-3))
    lanes = points(Shape.of(other), _to(R, up), Shape.of(LOG), _to(LYING, 0.0))
    for found in (alone, [each for each in lanes if float(each[2]) < 2e-3]):
        for (y, gap), end in zip(ends(found), (-half, half), strict=True):
            assert y == pytest.approx(end, abs=1e-4)
            assert gap == pytest.approx(1e-4 + (axis == "x") * end * tilt, abs=1e-10)


def _to(R: np.ndarray, up: float) -> Transform:
    return Transform(Mat3(*(Vec3(*map(float, row)) for row in R.T)), Vec3(0.0, 0.0, float(up)))


@pytest.mark.parametrize("tilt", [0.0, 1e-8, -1e-8, 1e-7])
def test_an_edge_on_a_parallel_edge_in_lanes(tilt):
    """The end that is higher is not lost."""
    bar = Shape.of(Box(SIZE))
    lanes = points(bar, _to(about("x", tilt) @ ON_EDGE, 2 * HIGH), bar, _to(ON_EDGE, 0.0))
    found = [each for each in lanes if float(each[2]) < 2e-3]
    for (y, gap), end in zip(ends(found), (-HALF, HALF), strict=True):
        assert y == pytest.approx(end, abs=1e-4)
        assert gap == pytest.approx(end * tilt * np.sqrt(0.5), abs=1e-10)
