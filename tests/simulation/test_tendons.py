"""Tendons in simulations: limits, dry friction and armature against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError, ModelWarning
from polhode.model import Anchor, Box, Prismatic, Pulley, Revolute, Sphere, Wrapping
from polhode.simulation import StartError

G = 9.81


def mass(size=2.0, name="mass"):
    """A mass on a vertical slider."""
    return ph.Model(name).add("m", joint=Prismatic.z(), joint_name="x", mass=size)


def ball(position, **more):
    """A free ball on a rope from the origin, at its length."""
    scene = ph.Scene("rope").add_body("ball", Sphere(0.1), mass=1.0, position=position, **more)
    path = [Anchor(None), Anchor("ball/ball")]
    return scene.add_tendon("rope", path, limits=(0.0, float(np.linalg.norm(position))))


def test_a_mass_stops_at_the_length_of_its_tendon():
    """It falls freely until then, and hangs from then on; the tendon carries its weight."""
    model = mass().add_tendon("rope", [Anchor(None), Anchor("m", (0, 0, -0.2))], limits=(0.0, 1.0))
    scene = ph.Scene.of(model).add_sensor("pull", "tendon_limit_force", "rope")
    run = ph.simulate(scene, 1.0, record=0.05)
    falls = run.times < np.sqrt(2 * 0.8 / G)
    expected = np.where(falls, -0.5 * G * run.times**2, -0.8)
    np.testing.assert_allclose(run.q[:, 0], expected, atol=1e-10)
    np.testing.assert_allclose(run.qd[~falls], 0.0, atol=1e-10)
    pull = run.sensors["pull"][:, 0]
    np.testing.assert_array_equal(pull[falls], 0.0)
    np.testing.assert_allclose(pull[np.flatnonzero(~falls)[1:]], 2.0 * G, rtol=1e-9)
    assert ph.simulate(model, 0.1).integrator == "event_driven"


def test_a_tendon_is_no_shorter_than_its_shortest_length():
    """A mass that is thrown up stops there, and falls again."""
    path = [Anchor(None), Anchor("m")]
    model = mass().add_tendon("rod", path, limits=(0.5, 9.0))
    run = ph.simulate(model, 1.0, q0=[-0.8], qd0=[3.0], record=1)
    up = 3.0 - np.sqrt(9.0 - 2 * G * 0.3)  # over g, the time at which it gets there
    top = run.q[:, 0].max()
    np.testing.assert_allclose(top, -0.5, atol=1e-10)
    after = run.times > up / G + 2e-3
    falling = -0.5 - 0.5 * G * (run.times[after] - up / G) ** 2
    np.testing.assert_allclose(run.q[after, 0], falling, atol=1.5e-3 * G)  # late by a step


def test_a_pendulum_on_a_rope_is_one_on_a_rod():
    """A rope that stays taut swings as a rod does, to second order, and keeps its energy."""
    rod = ph.Model("rod").add("rod", joint=Revolute.y(), mass=1.0, com=(1.0, 0.0, 0.0),
                              inertia=(0.004, 0.0, 0.004))  # fmt: skip
    exact = ph.simulate(rod, 1.5, integrator="DOP853", rtol=1e-12, atol=1e-12)
    at = np.array([np.cos(exact.q[-1, 0]), 0.0, -np.sin(exact.q[-1, 0])])
    errors, drifts = [], []
    for dt in (4e-3, 2e-3, 1e-3):
        run = ph.simulate(ball((1.0, 0.0, 0.0)), 1.5, dt=dt)
        errors.append(np.abs(run.q[-1, :3] - at).max())
        drifts.append(np.ptp(run.kinetic + run.potential))
    assert errors[2] < 1e-5 and drifts[2] < 1e-4 * G
    assert min(np.divide(errors[:-1], errors[1:])) > 3.0
    assert min(np.divide(drifts[:-1], drifts[1:])) > 3.0


def test_a_rope_that_was_slack():
    """It takes the velocity along itself away where it gets taut, and nothing else."""
    scene = ball((1.0, 0.0, 0.0))
    start = (0.6, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0), (1.0, 0.0, 0.5, 0.0, 0.0, 0.0)
    run = ph.simulate(scene.at(*start), 1.0, dt=5e-4, record=1)
    length = np.linalg.norm(run.q[:, :3], axis=1)
    taut = int(np.argmax(length > 1.0 - 1e-6))
    assert length.max() < 1.0 + 1e-6
    free = run.times[taut]
    way = run.q[taut, :3] / length[taut]
    before = np.array([1.0, 0.0, 0.5 - G * free])
    energy = run.kinetic + run.potential
    lost = energy[0] - energy[taut + 5]
    assert lost == pytest.approx(0.5 * (before @ way) ** 2, rel=1e-2)
    assert abs(energy[-1] - energy[taut + 5]) < 1e-3


def test_friction_that_sticks():
    """A tendon holds what pulls less than its friction, at rest, and with the force that pulls."""
    model = mass().add_tendon("brake", joints={"x": 2.0}, friction=10.0)
    run = ph.simulate(model, 0.5)
    np.testing.assert_array_equal(run.q[-1], 0.0)
    np.testing.assert_allclose(run.tau_constraint[-1], 2.0 * G, rtol=1e-12)


def test_friction_that_slides():
    """It brakes with a constant force, stops what moves when it should, and holds it."""
    path = [Anchor(None, (0.0, 0.0, 5.0)), Anchor("m")]
    model = mass().add_tendon("brake", path, friction=3.0 * G)
    run = ph.simulate(model, 1.0, qd0=[-2.0])
    t = np.minimum(run.times, 2.0 / (0.5 * G))
    np.testing.assert_allclose(run.q[:, 0], -2.0 * t + 0.25 * G * t**2, atol=1e-6)
    np.testing.assert_allclose(run.tau_constraint[-1], 2.0 * G, rtol=1e-9)
    slips = mass().add_tendon("brake", path, friction=G)
    np.testing.assert_allclose(ph.simulate(slips, 1.0).q[-1], -0.25 * G, rtol=1e-12)


def test_a_rope_over_pulleys_joins_models():
    """Two masses on a rope, and three on a sum of positions, move as one."""
    scene = (
        ph.Scene("two").add_machine(mass(1.0), "a", q=[-1.0]).add_machine(mass(3.0), "b", q=[-1.0])
    )
    over = [Anchor("a/m"), Anchor(None), Pulley(1.0), Anchor(None), Anchor("b/m")]
    run = ph.simulate(scene.add_tendon("rope", over, limits=(0.0, 2.0)), 0.5)
    np.testing.assert_allclose(run.q[-1], -1.0 + G / 2 * 0.125 * np.array([1, -1]), atol=1e-12)
    scene = ph.Scene("three")
    for name, size in (("a", 1.0), ("b", 1.0), ("c", 3.0)):
        scene = scene.add_machine(mass(size), name)
    joints = {"a/x": -1.0, "b/x": -1.0, "c/x": -1.0}
    run = ph.simulate(scene.add_tendon("rope", joints=joints, limits=(-9.0, 0.0)), 0.5)
    np.testing.assert_allclose(run.q[-1], 0.125 * G / 3.5 * np.array([1, 1, -2]), atol=1e-12)


def test_a_rope_winds_up_on_a_cylinder():
    """A tether ball gets nearer to its post, at the length of the rope, and keeps its energy."""
    post = Wrapping(None, 0.1, is_cylinder=True, side=Anchor(None, (0.0, 0.3, 0.0)))
    scene = ph.Scene("tether", gravity=(0.0, 0.0, 0.0))
    scene = scene.add_body("ball", Sphere(0.05), mass=1.0, position=(1.0, 0.3, 0.0),
                           velocity=(0.0, -1.0, 0.0))  # fmt: skip
    path = [Anchor(None, (-0.3, 0.0, 0.0)), post, Anchor("ball/ball")]
    start = ph.actuation.tendon_lengths(scene.add_tendon("t", path), scene.q0)[0]
    scene = scene.add_tendon("rope", path, limits=(0.0, float(start)))
    run = ph.simulate(scene, 1.0, dt=1e-3)
    length = ph.actuation.tendon_lengths(scene, run.q)[:, 0]
    assert length.max() < start + 1e-6
    assert length[-1] == pytest.approx(start, abs=1e-6)
    lost = run.kinetic[0] - run.kinetic
    taut = np.flatnonzero(length > start - 1e-6)
    assert abs(lost[-1] - lost[taut[5]]) < 1e-5


def test_armature():
    """A mass on a tendon with armature falls as if it were heavier; so does a free body."""
    path = [Anchor(None, (0.0, 0.0, 5.0)), Anchor("m")]
    model = mass().add_tendon("heavy", path, armature=1.0)
    for subject in (model, ph.Scene.of(model)):
        for integrator in ("event_driven", "symplectic", "rk4"):
            run = ph.simulate(subject, 0.5, integrator=integrator)
            np.testing.assert_allclose(run.q[-1], -0.125 * G * 2.0 / 3.0, rtol=1e-9)
            energy = run.kinetic + run.potential
            np.testing.assert_allclose(energy, energy[0], atol=1e-9)
    scene = ph.Scene("free").add_fixed("post", Sphere(0.1), position=(0.0, 0.0, 9.0))
    scene = scene.add_body("box", Box((0.2, 0.2, 0.2)), mass=2.0)
    path = [Anchor("post/post"), Anchor("box/box")]
    run = ph.simulate(scene.add_tendon("heavy", path, armature=1.0), 0.5)
    np.testing.assert_allclose(run.q[-1, 2], -0.125 * G * 2.0 / 3.0, rtol=1e-9)


def test_armature_between_models():
    """Smooth integrators have it; the event-driven one says that it has not."""
    scene = ph.Scene("two").add_machine(mass(1.0), "a").add_machine(mass(3.0), "b")
    scene = scene.add_tendon("heavy", joints={"a/x": 1.0, "b/x": 1.0}, armature=2.0)
    a = np.linalg.solve([[3.0, 2.0], [2.0, 5.0]], [-G, -3.0 * G])
    for integrator in ("symplectic", "rk4"):
        run = ph.simulate(scene, 0.5, integrator=integrator)
        np.testing.assert_allclose(run.q[-1], 0.125 * a, rtol=1e-9)
    with pytest.warns(ModelWarning, match="armature of tendon 'heavy' between models"):
        ph.simulate(scene, 0.01)


def test_smooth_integrators_stop_at_no_tendon():
    """They say so where a tendon passes its limit, and refuse dry friction."""
    path = [Anchor(None), Anchor("m", (0, 0, -0.2))]
    limited = mass().add_tendon("rope", path, limits=(0.0, 1.0))
    assert ph.simulate(limited, 0.3, integrator="rk4").q[-1] < -0.4
    with pytest.raises(ph.simulation.SimulationError, match="'rope' passes its limit 1 before"):
        ph.simulate(limited, 1.0, integrator="rk4")
    with pytest.raises(ModelError, match="limits of tendons are simulated by integrator 'event"):
        ph.simulate(ph.Scene.of(limited), 1.0, integrator="rk4")
    rubbing = mass().add_tendon("brake", path, friction=1.0)
    for subject in (rubbing, ph.Scene.of(rubbing)):
        with pytest.raises(ModelError, match="dry friction of tendon"):
            ph.simulate(subject, 1.0, integrator="rk4")
    with pytest.warns(ModelWarning, match="tendon 'rope' passed its limits"):
        ph.rollout(limited, steps=1000, dt=1e-3, integrator="rk4")
    ends = ph.rollout(limited, steps=1000, dt=1e-3)
    np.testing.assert_allclose(np.asarray(ends.q)[-1], -0.8, atol=1e-10)


def test_a_start_beyond_a_limit():
    """It is refused with the tendon's name, or the body is moved."""
    scene = ball((1.0, 0.0, 0.0)).with_start("ball", q=(1.2, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    with pytest.raises(StartError, match=r"tendon 'rope' starts at 1.2 m, outside its limits"):
        ph.simulate(scene, 0.1)
    with pytest.warns(ph.simulation.StartWarning, match="settled 'ball' by 0.2"):
        run = ph.simulate(scene, 0.1, start="settle")
    assert np.linalg.norm(run.q[-1, :3]) < 1.0 + 1e-6


def test_tendons_that_hold_nothing():
    """Between bodies that do not move, along one body, and of no length at the start."""
    scene = ball((1.0, 0.0, 0.0)).add_fixed("post", Sphere(0.1), position=(3.0, 0.0, 0.0))
    alone = ph.simulate(scene, 0.3)
    more = {"limits": (0.0, 9.0), "friction": 3.0}
    scene = scene.add_tendon("still", [Anchor(None), Anchor("post/post")], **more)
    body = [Anchor("ball/ball"), Anchor("ball/ball", (0.0, 0.0, 0.1))]
    scene = scene.add_tendon("own", body, **more)
    there = [Anchor(None, (1.0, 0.0, 0.0)), Anchor("ball/ball")]
    scene = scene.add_tendon("slack", there, limits=(0.0, 9.0))
    run = ph.simulate(scene, 0.3)
    np.testing.assert_allclose(run.q, alone.q, rtol=0, atol=1e-12)
    with_joint = ph.Scene("s").add_machine(mass(), "a").add_machine(mass(), "b")
    joints = {"a/x": 1.0, "b/x": 2.0}
    held = with_joint.add_tendon("sum", joints=joints, limits=(-1.0, 1.0))
    held = held.with_start("b", q=(0.25,), is_simulated=False)
    np.testing.assert_allclose(ph.simulate(held, 1.0).q[-1], (-1.5, 0.25), atol=1e-10)


def test_a_checkpoint_goes_on_with_the_same_bits():
    """Also where a taut rope turns."""
    one, two = (ph.Simulator(ball((1.0, 0.0, 0.0))) for _ in range(2))
    one.advance(1e-3, 300)
    two.restore(one.checkpoint())
    for each in (one, two):
        each.advance(1e-3, 300)
    np.testing.assert_array_equal(one.state[0], two.state[0])


def test_a_spring_in_a_tendon_is_a_spring_between_points():
    """Both lead to the same motion."""
    path = [Anchor(None, (0.0, 0.0, 1.0)), Anchor("m")]
    model = mass().add_tendon("spring", path, stiffness=50.0, rest=1.0)
    scene = ph.Scene("s").add_machine(mass(), "a")
    spring = scene.add_spring("s", None, ("a", "m"), stiffness=50.0, rest_length=1.0,
                              point_a=(0.0, 0.0, 1.0))  # fmt: skip
    a, b = ph.simulate(model, 0.5, integrator="event_driven"), ph.simulate(spring, 0.5)
    np.testing.assert_allclose(a.q, b.q, atol=1e-5)
