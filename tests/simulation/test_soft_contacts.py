"""Compliant contact and viscous friction of event-driven steps."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polhode as ph
from polhode.model import Box, Plane, Sphere

STIFFNESS, DAMPING, MASS, SPEED, GAP = 100.0, 50.0, 1.0, 0.01, 1e-3


def approach(dt: float) -> ph.Recording:
    """A ball without gravity that meets a soft plane after 0.1 s."""
    scene = ph.Scene("soft", gravity=(0, 0, 0)).add_fixed("ground", Plane())
    scene = scene.contact(penalty_kp=STIFFNESS, penalty_kv=DAMPING).add_body(
        "ball", Sphere(0.1), mass=MASS, position=(0, 0, 0.1 + GAP), velocity=(0, 0, -SPEED),
        is_compliant=True,
    )  # fmt: skip
    return ph.simulate(scene, 0.2, dt=dt, record=1)


def deepest() -> float:
    """The least gap of the overdamped oscillator that the ball is from its touch on [m]."""
    rate = DAMPING / (2 * MASS)
    spread = math.sqrt(rate**2 - STIFFNESS / MASS)
    t = math.atanh(spread / rate) / spread
    return -SPEED / spread * math.exp(-rate * t) * math.sinh(spread * t)


@pytest.mark.parametrize("dt", [1e-2, 1e-3, 1e-4])
def test_a_damped_contact_pushes_only_what_touches_it(dt):
    run = approach(dt)
    pushes = run.contact_forces("ball")[:, 2] > 0.0
    assert pushes.any()
    assert (run.q[pushes, 2] <= 0.1 + 1e-12).all()
    before = run.times < GAP / SPEED - dt
    assert run.qd[before, 2] == pytest.approx(-SPEED, abs=1e-12)


def test_a_ball_sinks_in_as_a_damped_oscillator_to_the_first_order_of_the_step():
    steps = np.array([1e-2, 1e-3, 1e-4])
    errors = np.array([abs((approach(dt).q[:, 2] - 0.1).min() - deepest()) for dt in steps])
    assert (errors <= 3.0 * SPEED * steps).all()
    assert errors[2] <= 0.05 * errors[0]


@pytest.mark.parametrize("size", [(0.2, 0.2, 0.2), (0.2, 0.2, 0.02)])
@pytest.mark.parametrize("dt", [1e-2, 1e-3, 1e-4])
def test_viscous_friction_acts_at_every_corner_of_a_box_in_every_step(size, dt):
    """Four corners of 1.5 N s/m each: m v' = -4 c v, whatever their gaps are to rounding."""
    mass, c = 2.0, 1.5
    scene = ph.Scene("box").add_fixed("ground", Plane()).contact(mu_viscous=c)
    scene = scene.add_body("box", Box(size), mass=mass, position=(0, 0, size[2] / 2),
                           velocity=(1, 0, 0))  # fmt: skip
    speed = ph.simulate(scene, 0.2, dt=dt, record=1).qd[:, 0]
    factor = 1.0 - 4.0 * c * dt / mass  # of a step whose friction is that of its first speed
    assert speed[1:] / speed[:-1] == pytest.approx(factor, rel=1e-6)
