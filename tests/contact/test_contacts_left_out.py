"""Contacts that stay open have no rows, and take none of what those that close would do."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.model.shapes import Box, Plane, Sphere

STEP, SPEED = 1e-3, 1.0
GAP = 1e-4  # closed within a step by a ball that is hit, and ten times what free motion closes
ROUNDING = 1e-9  # of velocities [m/s] and of overlaps [m]


def row_of_balls(contact):
    """Three balls without gravity or rebound: the first will hit the second within a step."""
    scene = ph.Scene(gravity=(0.0, 0.0, 0.0)).contact(restitution=0.0, mu_coulomb=0.0)
    for name, x, speed in (("a", -1.0 - GAP, SPEED), ("b", 0.0, 0.0), ("c", 1.0 + GAP, 0.0)):
        scene = scene.add_body(
            name, Sphere(0.5), mass=1.0, position=(x, 0, 0), velocity=(speed, 0, 0)
        )  # fmt: skip
    return ph.Simulator(scene, dt=STEP, contact=contact)


@pytest.mark.parametrize("contact", ["exact", "lcp"])
def test_a_ball_that_is_hit_hits_the_next_within_the_step(contact):
    """Free motion does not close the second gap, impulses at the first do: neither overlaps."""
    simulator = row_of_balls(contact)
    simulator.advance(STEP, 1)
    x, v = np.transpose([(q[0], qd[0]) for q, qd in map(simulator.state_of, "abc")])
    assert np.all(np.diff(x) >= 1.0 - ROUNDING)
    assert v.sum() == pytest.approx(SPEED, abs=ROUNDING) and v[2] > 0.1 * SPEED
    assert simulator.report["solves"] == 1
    simulator.advance(STEP, 5)
    for name in "abc":
        assert simulator.state_of(name)[1][0] == pytest.approx(SPEED / 3.0, abs=ROUNDING)


def test_a_soft_ball_that_is_hit_hits_the_next_within_the_step():
    """The same of the convex method, whose contacts give a little."""
    simulator = row_of_balls("convex")
    simulator.advance(STEP, 1)
    v = [simulator.state_of(name)[1][0] for name in "abc"]
    assert sum(v) == pytest.approx(SPEED, abs=ROUNDING) and v[2] > 0.1 * SPEED
    assert simulator.report["solves"] == 1


@pytest.mark.parametrize("share", [0.2, 0.95, 1.05, 5.0])
def test_what_slides_lifts_before_it_meets(share):
    """A ball slides past a plane: the convex method lifts it where its gap is small.

    Its gap would have to open, from the middle of the step on, by mu times what it slips.
    """
    mu, slip = 0.5, 2.0
    gap = share * mu * slip * 0.5 * STEP
    scene = ph.Scene(gravity=(0.0, 0.0, 0.0)).contact(mu_coulomb=mu)
    scene = scene.add_fixed("ground", Plane()).add_body(
        "ball", Sphere(0.5), mass=1.0, position=(0.0, 0.0, 0.5 + gap), velocity=(slip, 0.0, 0.0)
    )
    simulator = ph.Simulator(scene, dt=STEP, contact="convex")
    simulator.advance(STEP, 1)
    velocity = simulator.state_of("ball")[1]
    assert simulator.report["contacts"] == 1
    if share > 1.0:
        np.testing.assert_array_equal(velocity, [slip, 0, 0, 0, 0, 0])
    else:
        assert velocity[2] > 0.1 * (1.0 - share) * mu * slip and velocity[0] < slip


def test_what_passes_by_does_not_change_a_bit():
    """A box slides beside another that stands: near, but never nearer."""

    def motion(names):
        scene = ph.Scene().add_fixed("ground", Plane()).contact(mu_coulomb=0.3)
        for name, y, speed in (("slides", 0.0, 1.5), ("stands", 1.0 + GAP, 0.0)):
            if name in names:
                scene = scene.add_body(
                    name, Box((1.0, 1.0, 1.0)), mass=2.0, position=(0.0, y, 0.5),
                    velocity=(speed, 0.0, 0.0),
                )  # fmt: skip
        simulator = ph.Simulator(scene, dt=STEP)
        simulator.advance(STEP, 400)
        return simulator

    both, alone = motion(("slides", "stands")), motion(("slides",))
    for together, single in zip(both.state_of("slides"), alone.state_of("slides"), strict=True):
        np.testing.assert_array_equal(together, single)
    assert both.report["contacts"] > 2 * alone.report["contacts"]


@pytest.mark.parametrize("common", [(4.0, 0.0, 0.0), (0.0, -3.0, 2.0)])
def test_only_speeds_relative_to_each_other_bring_bodies_near(common):
    """Boxes a centimetre apart that fly together at 4 m/s are not near each other."""
    scene = ph.Scene(gravity=(0.0, 0.0, 0.0)).contact(mu_coulomb=0.5)
    for name, x in (("a", 0.0), ("b", 1.01)):
        scene = scene.add_body(
            name, Box((1.0, 1.0, 1.0)), mass=1.0, position=(x, 0, 0), velocity=common
        )  # fmt: skip
    simulator = ph.Simulator(scene, dt=STEP)
    simulator.advance(STEP, 10)
    assert simulator.report["contacts"] == 0
    simulator.set_state("a", qd=(common[0] + 6.0, *common[1:], 0.0, 0.0, 0.0))
    simulator.advance(STEP, 10)
    assert simulator.report["contacts"] > 0
    for name in "ab":
        assert simulator.state_of(name)[1][:3] == pytest.approx(
            (common[0] + 3.0, *common[1:]), abs=1e-9
        )


@pytest.mark.parametrize("reach", [0.1, 2.0])
def test_the_end_of_a_turning_rod_is_seen_in_time(reach):
    """A fast rod hits a body beside it, small or large, though their origins hardly move."""
    scene = ph.Scene(gravity=(0.0, 0.0, 0.0)).contact(restitution=0.0, mu_coulomb=0.0)
    scene = scene.add_body("rod", Box((2.0, 0.02, 0.02)), mass=1.0, spin=(0.0, 0.0, 60.0))
    scene = scene.add_body("block", Box((reach, reach, reach)), mass=1.0,
                           position=(1.0 + 0.5 * reach - 0.05, 0.3 + 0.5 * reach, 0.0))  # fmt: skip
    simulator = ph.Simulator(scene, dt=STEP)
    simulator.advance(STEP, 40)
    assert simulator.report["penetration"] < 1e-6
    assert simulator.state_of("block")[1][1] > 1.0
