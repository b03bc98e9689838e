"""Bodies that start deep in each other come apart without being flung."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.model import Box, Sphere
from polhode.scene import Scene

pytestmark = pytest.mark.filterwarnings("ignore::polhode.simulation.StartWarning")
DEPTH = 0.1


def pair(shape, restitution, speed, spin):
    """Two equal bodies, a tenth of a metre in each other, that meet with ``speed``."""
    scene = Scene("pair", gravity=(0, 0, 0)).contact(restitution=restitution, mu_coulomb=1.0)
    for name, side in (("a", -1.0), ("b", 1.0)):
        scene = scene.add_body(
            name, shape, mass=2.0, position=(side * (0.5 - 0.5 * DEPTH), 0, 0),
            velocity=(-side * speed, 0, 0), spin=(0, 0, spin),
        )  # fmt: skip
    return ph.TimeSteppingSimulator(scene, dt=1e-3, start="keep")


@pytest.mark.parametrize("shape", [Sphere(0.5), Box((1.0, 1.0, 1.0))], ids=["balls", "boxes"])
@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_they_stop_each_other_and_part(shape, restitution):
    """No rebound of a blow that never was; pushed apart in place, without speed."""
    simulator = pair(shape, restitution, 1.0, 0.0)
    simulator.advance(1e-3, 300)
    (qa, va), (qb, vb) = simulator.state_of("a"), simulator.state_of("b")
    assert np.abs(va).max() < 1e-9 and np.abs(vb).max() < 1e-9
    assert qb[0] - qa[0] == pytest.approx(1.0, abs=1e-6)
    assert qa[0] + qb[0] == pytest.approx(0.0, abs=1e-9)


def test_what_is_deep_has_no_friction():
    """Balls that turn alike slip on each other: they do not where they only touch."""
    simulator = pair(Sphere(0.5), 0.0, 1.0, 3.0)
    simulator.step(1e-3)
    assert simulator.state_of("a")[1][3:] == pytest.approx([0, 0, 3.0], abs=1e-12)
    simulator.set_state("a", q=[-0.5, 0, 0, 0, 0, 0, 1], qd=[1.0, 0, 0, 0, 0, 3.0])
    simulator.set_state("b", q=[0.5, 0, 0, 0, 0, 0, 1], qd=[-1.0, 0, 0, 0, 0, 3.0])
    simulator.step(1e-3)
    assert simulator.state_of("a")[1][5] < 2.9
