"""Limits and friction of tendons and of loops in Moreau's step in lanes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polhode as ph
from polhode.model import Anchor, FloatingBase, Plane, Prismatic, Revolute, Sphere, Wrapping
from polhode.scene import JointSettings
from polhode.spatial import Transform
from stepping.lanes import rolled, rolled_as_alone, solved_again

ROD = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": (0.01, 0.1, 0.1)}
LAW = {"lower": -0.8, "upper": -0.3, "coulomb_friction": 0.4, "viscous_friction": 0.3}


def errors_of(scene, duration, steps=(4e-3, 2e-3, 1e-3), **options):
    """How far positions are from those of the other integrator in a short step."""
    count = round(duration / 1e-4)
    exact = ph.rollout(scene, steps=count, dt=1e-4, integrator="event_driven", **options).q[-1]
    found = []
    for dt in steps:
        end = rolled(scene, steps=round(duration / dt), dt=dt, **options)
        assert not end.unsolved.any()
        found.append(np.abs(end.q[-1] - exact).max())
    return found


def on_rope(limits=(0.0, 1.0), x=0.6):
    """A ball on a rope from the world's origin; it starts below it, with a slack rope."""
    ball = ph.Model("ball").add("ball", joint=FloatingBase(), mass=1.0, inertia=(4e-3,) * 3)
    scene = ph.Scene("rope").add_machine(ball, "ball", q=[x, 0, -0.5, 0, 0, 0, 1])
    path = [Anchor(None), Anchor("ball/ball", (0, 0, 0.1))]
    return scene.add_tendon("rope", path, limits=limits)


def arm(**more):
    """Two links, with a tendon around a cylinder at the elbow."""
    inertia = np.eye(3) * 0.02
    model = (
        ph.Model("arm")
        .add("upper", joint=Revolute.y(), mass=1.0, com=(0, 0, -0.25), inertia=inertia)
        .add("lower", parent="upper", frame=Transform.translation(0, 0, -0.5), joint=Revolute.y(),
             mass=0.5, com=(0, 0, -0.2), inertia=inertia)
    )  # fmt: skip
    round_x = Transform.rotation(ph.spatial.rotation_x(0.5 * math.pi))
    wrap = Wrapping("upper", 0.05, round_x @ Transform.translation(0, 0, -0.5), is_cylinder=True,
                    side=Anchor("upper", (0.2, 0, -0.5)))  # fmt: skip
    path = [Anchor("upper", (0.06, 0, -0.1)), wrap, Anchor("lower", (0.06, 0, -0.3))]
    return model.add_tendon("tendon", path, **more)


def pinned(floor=-5.0, **law):
    """A four-bar mechanism; the pin has limits, dry and viscous friction."""
    model = (
        ph.Model("bars")
        .add("crank", joint=Revolute.y(), **ROD)
        .add("coupler", parent="crank", frame=Transform.translation(1, 0, 0), joint=Revolute.y(),
             **ROD)
        .add("rocker", parent="coupler", frame=Transform.translation(1, 0, 0), joint=Revolute.y(),
             **ROD)
    )  # fmt: skip
    axis = Transform.rotation(ph.spatial.rotation_x(0.5 * math.pi))
    q = [0.5, -0.5, math.pi + 0.5]
    scene = ph.Scene("four-bar").add_machine(model, "bars", q=q)
    scene = scene.add_geometry("knob", ("bars", "coupler"), Sphere(0.1))
    scene = scene.add_fixed("floor", Plane(), position=(0, 0, floor)).contact(mu_coulomb=0.5)
    return scene.add_loop(
        "pin", "revolute", ("bars", "rocker"), None, settings=JointSettings("pin", **law),
        frame_a=axis @ Transform.translation(1, 0, 0),
        frame_b=Transform.rotation(ph.spatial.rotation_z(math.pi)) @ axis
        @ Transform.translation(1, 0, 0),
    )  # fmt: skip


def rail(**law):
    """A mass on a joint that leaves it one direction."""
    turn = Transform.rotation(ph.spatial.rotation_x(0.9))
    model = ph.Model("body").add("body", joint=FloatingBase(), mass=2.0, inertia=(0.02, 0.03, 0.04))
    scene = ph.Scene("rail").add_machine(model, "body")
    return scene.add_loop("rail", "prismatic", ("body", "body"), None, frame_a=turn, frame_b=turn,
                          settings=JointSettings("rail", **law))  # fmt: skip


def test_a_rope_stops_a_ball_where_it_is_taut():
    """The ball falls on a rope of one metre, hangs, and does not creep."""
    end = rolled(on_rope(x=0.0), steps=2000, dt=1e-3, record_every=1)
    length = np.abs(end.q[:, 2] + 0.1)
    assert end.q[-1, 2] == pytest.approx(-1.1, abs=1e-6)
    assert np.abs(end.qd[-1]).max() < 1e-8 and length.max() < 1.0 + 1e-2


def test_a_ball_on_a_rope_swings_as_by_the_other_integrator():
    """Most of the errors are the ball's angle: the rope gives it several turns a second."""
    errors = errors_of(on_rope(), 0.6)
    assert errors[0] < 0.3
    assert errors[1] < 0.6 * errors[0] and errors[2] < 0.6 * errors[1]


def test_dry_friction_of_a_tendon_stops_a_mass_after_its_energy():
    """From v0 it stops after m v0^2 / (2 F); a force below F does not move it."""
    model = ph.Model("mass").add("m", joint=Prismatic.x(), mass=2.0)
    model = model.add_tendon("t", [Anchor(None), Anchor("m", (5.0, 0, 0))], friction=3.0)
    options = {"qd": [1.5], "steps": 2000, "integrator": "moreau"}
    errors = [abs(ph.rollout(model, dt=dt, **options).q[-1, 0] - 2.0 * 1.5**2 / 6.0)
              for dt in (2e-3, 1e-3)]  # fmt: skip
    assert errors[1] < 0.6 * errors[0] < 5e-3
    still = ph.rollout(model, tau=[2.9], steps=1000, dt=1e-3, integrator="moreau")
    assert abs(still.q[-1, 0]) < 1e-12


@pytest.mark.parametrize("more", [{"limits": (0.6, 0.66)}, {"friction": 8.0}])
def test_tendons_around_shapes_act_as_by_the_other_integrator(more):
    scene = ph.Scene("arm").add_machine(arm(**more), "arm", q=[0.8, -0.5])
    errors = errors_of(scene, 0.5, start="keep")
    free = ph.rollout(ph.Scene("arm").add_machine(arm(), "arm", q=[0.8, -0.5]), steps=500, dt=1e-3)
    acts = rolled(scene, steps=500, dt=1e-3, start="keep").q[-1] - free.q[-1]
    assert np.abs(acts).max() > 0.05
    assert errors[0] < 0.05
    assert errors[1] < 0.7 * errors[0] and errors[2] < 0.7 * errors[1]


@pytest.mark.parametrize(
    "law",
    [{"viscous_friction": 2.0}, {"coulomb_friction": 3.0}, {"lower": -0.2, "upper": 0.7},
     {"lower": 0.3, "upper": 0.9, "coulomb_friction": 0.5, "viscous_friction": 0.3}],
)  # fmt: skip
def test_loops_are_held_as_by_the_other_integrator(law):
    scene = pinned(**law)
    errors = errors_of(scene, 0.6, start="keep")
    free = rolled(pinned(), steps=600, dt=1e-3, start="keep").q[-1]
    assert np.abs(rolled(scene, steps=600, dt=1e-3, start="keep").q[-1] - free).max() > 0.02
    assert errors[0] < 0.05
    assert errors[1] < 0.7 * errors[0] + 1e-9 and errors[2] < 0.7 * errors[1] + 1e-9


def test_a_mass_on_a_rail_rests_at_its_end():
    fall = rolled(rail(lower=-0.1, upper=0.1), steps=1500, dt=1e-3)
    way = math.hypot(*fall.q[-1, 1:3])
    assert way == pytest.approx(0.1, abs=1e-6)
    bounced = rolled(rail(lower=-0.1, upper=0.1, restitution=0.5), steps=300, dt=1e-3,
                     record_every=1)  # fmt: skip
    ways = np.hypot(*bounced.q[:, 1:3].T)
    hit = int(np.argmax(ways > 0.098))
    assert 0.06 < ways[hit + 10 :].min() < 0.08  # a quarter of the height


def test_worlds_have_the_bits_that_they_have_alone_and_obey_the_laws():
    scene = pinned(floor=-0.9, lower=0.1, upper=0.9, coulomb_friction=0.5, viscous_friction=0.2)
    rng, n, dt = np.random.default_rng(4), 40, 2e-3
    qd = rng.normal(size=(n, 1)) * [1.0, -1.0, 1.0]
    rolled_as_alone(scene, qd, steps=300, dt=dt)
    (last,) = solved_again(scene, qd, 150, dt, every=150)
    assert np.abs(last.exact - last.qd)[last.solved].max() < 1e-6


def test_starts_beyond_limits_are_refused_by_name():
    with pytest.raises(ph.simulation.StartError, match="tendon 'rope' is beyond its limits"):
        rolled(on_rope((0.0, 0.5)), steps=1, dt=1e-3)
    with pytest.raises(ph.simulation.StartError, match="loop 'pin' is beyond its limits"):
        rolled(pinned(lower=-0.2, upper=0.1), steps=1, dt=1e-3)


def test_one_world_moves_as_in_a_batch():
    scene = on_rope()
    run = ph.simulate(scene, 0.9, dt=1e-3, integrator="moreau", start="keep")
    assert run.q[-1] == pytest.approx(rolled(scene, steps=900, dt=1e-3).q[-1], abs=1e-12)
    assert np.abs(run.tau_constraint).max() > 5.0


@pytest.mark.parametrize("law", [{"lower": -4.0, "upper": 4.0}, {"lower": -0.5}])
def test_limits_of_loops_that_are_a_turn_apart_are_refused_by_name(law):
    with pytest.raises(ph.ModelError, match="limits of loop 'pin' that are a turn apart"):
        rolled(pinned(**law), steps=1, dt=1e-3)
