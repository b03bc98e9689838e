"""Compliant contact and viscous friction in Moreau's step in lanes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polhode as ph
from polhode.model import Box, Plane, Prismatic, Revolute, Sphere
from polhode.spatial import Transform
from stepping.lanes import rolled, rolled_as_alone, solved_again

G = 9.81
LAWS = [
    {"mu_coulomb": 0.4, "compliance": 1e-4},
    {"mu_coulomb": 0.4, "penalty_kp": 2e3, "penalty_kv": 20.0},
    {"mu_coulomb": 0.2, "mu_viscous": 0.5},
    {"mu_coulomb": 0.2, "mu_viscous": 0.5, "penalty_kp": 3e3, "penalty_kv": 60.0},
]


def floored(**law):
    return ph.Scene("soft").add_fixed("floor", Plane()).contact(**law)


def ball(z=0.1, mass=1.0, **law):
    return floored(**law).add_body("ball", Sphere(0.1), mass=mass, position=(0, 0, z),
                                   is_compliant=True)  # fmt: skip


def box(velocity=(1.0, 0.4, 0), **law):
    return floored(**law).add_body("box", Box((0.2, 0.3, 0.1)), mass=1.0, position=(0, 0, 0.05),
                                   velocity=velocity, is_compliant=True)  # fmt: skip


def leg(**law):
    """A trunk on slides over a thigh with two balls on it, one of which is soft."""
    block = np.diag([0.02, 0.02, 0.02])
    model = (
        ph.Model("leg")
        .add("x", joint=Prismatic.x(), mass=0.5)
        .add("z", parent="x", joint=Prismatic.z(), mass=2.0, inertia=block)
        .add("thigh", parent="z", joint=Revolute.y(), mass=1.0, com=(0, 0, -0.2), inertia=block)
    )
    place = Transform.translation(0, 0, -0.4)
    return (
        ph.Scene("leg").add_fixed("floor", Plane())
        .add_machine(model, q=[0.0, 0.52, 0.3])
        .add_geometry("foot", ("leg", "thigh"), Sphere(0.1), frame=place, is_compliant=True)
        .add_geometry("knee", ("leg", "thigh"), Sphere(0.1),
                      frame=Transform.translation(0.2, 0, -0.3))
        .contact(mu_coulomb=0.5)
        .contact("foot", "floor", **law)
    )  # fmt: skip


@pytest.mark.parametrize("law", [{"compliance": 1e-4}, {"penalty_kp": 1e4, "penalty_kv": 30.0}])
def test_a_ball_rests_as_deep_as_its_spring_says(law):
    end = rolled(ball(mass=2.0, **law), steps=4000, dt=1e-3)
    assert end.q[-1, 2] == pytest.approx(0.1 - 2.0 * G / 1e4, abs=1e-6)
    assert np.abs(end.qd[-1]).max() < 1e-4


def test_a_ball_sinks_in_as_the_closed_form_says():
    """From its height it touches with v0, and goes on as an oscillator with a damper."""
    k, d, m, v0 = 1e3, 12.0, 1.0, 1.0
    scene = ball(mass=m, penalty_kp=k, penalty_kv=d)
    qd = [0, 0, -v0, 0, 0, 0]
    a, w, t = d / (2 * m), math.sqrt(k / m - (d / (2 * m)) ** 2), 0.03
    rest = -m * G / k
    c, s = -rest, (-v0 - a * rest) / w
    z = rest + math.exp(-a * t) * (c * math.cos(w * t) + s * math.sin(w * t))
    errors = [abs(rolled(scene, qd=qd, steps=round(t / dt), dt=dt).q[-1, 2] - 0.1 - z)
              for dt in (1e-3, 5e-4, 2.5e-4)]  # fmt: skip
    assert abs(z) > 0.01 and errors[0] < 0.02 * abs(z) + 1e-3
    assert errors[1] < 0.6 * errors[0] and errors[2] < 0.6 * errors[1]


def test_viscous_friction_alone_lets_a_box_slow_down_exponentially():
    """Four corners of 0.5 N s/m each: v = v0 exp(-2 t) for a kilogram."""
    errors = []
    for dt in (4e-3, 2e-3, 1e-3):
        end = rolled(box((1.0, 0, 0), mu_viscous=0.5), steps=round(0.5 / dt), dt=dt)
        errors.append(abs(end.qd[-1, 0] - math.exp(-1.0)))
    assert errors[0] < 5e-3
    assert errors[1] < 0.6 * errors[0] and errors[2] < 0.6 * errors[1]


def slider(**law):
    """A ball on two slides: one point, whose normal force is known."""
    model = (
        ph.Model("slider")
        .add("x", joint=Prismatic.x(), mass=0.5)
        .add("z", parent="x", joint=Prismatic.z(), mass=0.5)
    )
    scene = floored(**law).add_machine(model, q=[0.0, 0.1], qd=[1.0, 0.0])
    return scene.add_geometry("foot", ("slider", "z"), Sphere(0.1), is_compliant=True)


@pytest.mark.parametrize("law", LAWS)
def test_the_limit_of_short_steps_is_the_motion_of_the_other_integrator(law):
    """Viscous friction of a box would depend on how its corners share the weight."""
    scene = slider(**law) if "mu_viscous" in law else box(**law)
    exact = ph.rollout(scene, steps=6000, dt=5e-5, integrator="event_driven").q[-1]
    errors = []
    for dt in (2e-3, 1e-3, 5e-4):
        end = rolled(scene, steps=round(0.3 / dt), dt=dt)
        assert not end.unsolved.any()
        errors.append(np.abs(end.q[-1] - exact)[:3].max())
    assert errors[0] < 5e-3
    assert errors[1] < 0.7 * errors[0] + 1e-6 and errors[2] < 0.7 * errors[1] + 1e-6


@pytest.mark.parametrize("law", LAWS)
def test_worlds_have_the_bits_that_they_have_alone_and_obey_the_laws(law):
    """Points of one body, of which some are soft and some are not."""
    scene, rng, n, dt = leg(**law), np.random.default_rng(5), 40, 2e-3
    qd = 0.5 * rng.normal(size=(n, scene.model.nv))
    rolled_as_alone(scene, qd, steps=300, dt=dt, start="keep")
    for each in solved_again(scene, qd, 150, dt, every=10):
        assert np.abs(each.exact - each.qd)[each.solved].max() < 1e-5
    assert np.abs(each.x).max() > 0.0


def test_a_soft_start_may_overlap_and_a_rigid_one_may_not():
    rolled(ball(z=0.09, penalty_kp=1e3, penalty_kv=10.0), steps=1, dt=1e-3)
    with pytest.raises(ph.simulation.StartError, match="overlap"):
        rolled(ball(z=0.09), steps=1, dt=1e-3)


def test_springs_of_contacts_are_those_of_compliant_geometries_alone():
    """``penalty_kp`` says nothing of two rigid geometries."""
    plain = floored(penalty_kp=1e3).add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, 0.1))
    end = rolled(plain, steps=300, dt=1e-3)
    assert end.q[-1, 2] == pytest.approx(0.1, abs=1e-6)


def test_one_world_moves_as_in_a_batch():
    scene = box(**LAWS[3])
    run = ph.simulate(scene, 0.3, dt=1e-3, integrator="moreau")
    assert run.q[-1] == pytest.approx(rolled(scene, steps=300, dt=1e-3).q[-1], abs=1e-12)
