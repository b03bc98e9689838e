"""Contacts continue those of the step before, whatever their features are called."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import polhode as ph
from polhode.model.shapes import Box, Plane
from polhode.scene import Scene

HALF = np.array([0.3, 0.2, 0.1])
CORNERS = [HALF * s for s in itertools.product((-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0))]


def sliding_block(name_of):
    """A block that slides and turns; ``name_of(corner, time)`` names its contacts."""

    def find(a, b, margin):
        box, sign = (a, 1.0) if b.name == "ground" else (b, -1.0)
        out = []
        for k, corner in enumerate(CORNERS):
            point = box.to_world(corner)
            if point[2] < margin:
                place = (point[0], point[1], 0.5 * point[2])
                out.append((place, (0.0, 0.0, sign), point[2], name_of(k, a.t)))
        return out

    scene = Scene("block").add_fixed("ground", Plane()).contact(mu_coulomb=0.4)
    scene = scene.add_body("block", Box(tuple(2.0 * HALF)), mass=1.0, position=(0, 0, HALF[2]),
                           velocity=(1.0, 0.3, 0.0), spin=(0.0, 0.0, 2.0))  # fmt: skip
    return scene.add_plugin("find", "collision", find)


def moved(name_of, dt=1e-3, **options):
    simulator = ph.Simulator(sliding_block(name_of), dt=dt, **options)
    simulator.advance(dt, 400)
    return simulator.state_of("block"), simulator.report["newton_steps"]


def step_of(t, dt=1e-3):
    return round(t / dt)


def test_new_names_in_the_same_order_change_no_bit():
    (q, qd), newton = moved(lambda k, t: k)
    (p, pd), renamed = moved(lambda k, t: k + 100 * (step_of(t) % 3))
    assert np.array_equal(q, p) and np.array_equal(qd, pd)
    assert newton == renamed


def test_new_names_in_another_order_change_the_motion_by_rounding():
    (q, qd), newton = moved(lambda k, t: k)
    (p, pd), renamed = moved(lambda k, t: k if step_of(t) % 2 else 50 - k)
    assert p == pytest.approx(q, abs=1e-9) and pd == pytest.approx(qd, abs=1e-9)
    assert renamed < 1.5 * newton


@pytest.mark.parametrize("contact", ["exact", "convex"])
def test_names_that_swap_change_the_motion_by_rounding(contact):
    """Each contact has, in each step, the name that another had in the step before."""
    rng = np.random.default_rng(0)
    names = [rng.permutation(len(CORNERS)) for _ in range(1000)]
    (q, qd), newton = moved(lambda k, t: k, contact=contact)
    (p, pd), renamed = moved(lambda k, t: int(names[step_of(t)][k]), contact=contact)
    assert p == pytest.approx(q, abs=1e-6) and pd == pytest.approx(qd, abs=1e-5)
    assert renamed < 1.5 * newton
