"""Torsional, rolling and static friction: closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph
from polhode.errors import ModelError
from polhode.model import Box, Model, Plane, Prismatic, Sphere
from polhode.scene import Scene
from polhode.spatial import Transform

M, R, G = 2.0, 0.1, 9.81
METHODS = ("exact", "convex", "lcp")


def on_ground(slope: float = 0.0, **contact) -> Scene:
    """A scene with gravity that a slope about y has, seen from the slope."""
    gravity = (G * math.sin(slope), 0.0, -G * math.cos(slope))
    scene = Scene("floor", gravity=gravity).add_fixed("ground", Plane())
    return scene.contact(mu_coulomb=0.5, **contact)


def ball(scene: Scene, **state) -> Scene:
    return scene.add_body("ball", Sphere(R), mass=M, position=(0.0, 0.0, R), **state)


def run(scene: Scene, duration: float, dt: float = 1e-3, **options) -> ph.Recording:
    return ph.simulate(scene, duration, dt=dt, record=dt, progress=False, **options)


@pytest.mark.parametrize("dt", [1e-2, 1e-3])
@pytest.mark.parametrize("method", METHODS)
def test_a_spinning_ball_stops_after_the_known_angle(dt, method):
    friction, rate = 0.004, 10.0
    brake = friction * M * G / (0.4 * M * R * R)
    scene = ball(on_ground(mu_torsional=friction), spin=(0.0, 0.0, rate))
    motion = run(scene, 1.5 * rate / brake, dt, contact=method)
    spin = np.maximum(0.0, rate - brake * motion.times)
    np.testing.assert_allclose(motion.qd[:, 5], spin, atol=1.01 * brake * dt)
    turned = np.trapezoid(motion.qd[:, 5], motion.times)
    assert turned == pytest.approx(rate**2 / (2 * brake), rel=2 * dt)
    assert np.abs(motion.qd[-1, 3:]).max() < 1e-9
    assert motion.audit.energy_rise < (1e-9 if method != "convex" else 3e-3)


@pytest.mark.parametrize("dt", [1e-2, 1e-3])
@pytest.mark.parametrize("method", METHODS)
def test_a_rolling_ball_stops_after_the_known_way(dt, method):
    friction, speed = 0.002, 1.0
    brake = friction * G / (1.4 * R)
    state = {"velocity": (speed, 0.0, 0.0), "spin": (0.0, speed / R, 0.0)}
    motion = run(
        ball(on_ground(mu_rolling=friction), **state), 1.2 * speed / brake, dt, contact=method
    )
    assert motion.q[-1, 0] == pytest.approx(
        speed**2 / (2 * brake), rel=2e-4 if method != "convex" else 3e-3
    )
    assert np.abs(motion.qd[-1, [0, 1, 3, 4, 5]]).max() < 1e-9
    assert motion.report["unconverged"] == 0


@pytest.mark.parametrize(("share", "stays"), [(0.99, True), (1.01, False)])
def test_a_ball_rolls_from_a_slope_above_the_angle_of_rolling_friction(share, stays):
    friction = 0.01
    slope = math.atan(share * friction / R)
    motion = run(ball(on_ground(slope, mu_rolling=friction)), 1.0)
    if stays:
        assert np.abs(motion.q[-1, :3] - motion.q[0, :3]).max() < 1e-9
    else:
        pull = G * (math.sin(slope) - friction / R * math.cos(slope)) / 1.4
        assert motion.q[-1, 0] == pytest.approx(0.5 * pull, rel=1e-3)


def putt(slope: float, friction: float, duration: float) -> np.ndarray:
    """Where a ball gets to that rolls along x on a slope about x: Newton's law, integrated."""

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        brake = friction / R * G * math.cos(slope) / np.linalg.norm(y[2:])
        pull = np.array([0.0, -G * math.sin(slope)]) - brake * y[2:]
        return np.concatenate((y[2:], pull / 1.4))

    return solve_ivp(rates, (0.0, duration), [0, 0, 2, 0], rtol=1e-10, atol=1e-12).y[:2, -1]


@pytest.mark.parametrize(
    ("way", "error"),
    [({"contact": "exact"}, 1e-4), ({"contact": "lcp"}, 1e-4), ({"contact": "convex"}, 1e-3),
     ({"integrator": "moreau"}, 1e-3)],
)  # fmt: skip
@pytest.mark.parametrize("friction", [0.002, 0.02])
def test_a_ball_that_rolls_yields_to_a_side_slope(way, error, friction):
    """Rolling friction lies in a disk: what opposes rolling is not there to hold the ball."""
    slope = 0.05
    scene = Scene("green", gravity=(0.0, -G * math.sin(slope), -G * math.cos(slope)))
    scene = scene.add_fixed("ground", Plane()).contact(mu_coulomb=0.5, mu_rolling=friction)
    motion = run(ball(scene, velocity=(2.0, 0.0, 0.0), spin=(0.0, 2.0 / R, 0.0)), 0.6, **way)
    np.testing.assert_allclose(motion.q[-1, :2], putt(slope, friction, 0.6), atol=error)


@pytest.mark.parametrize("way", [{}, {"integrator": "moreau"}])
@pytest.mark.parametrize("heading", [0.0, 0.4, math.pi / 4])
def test_what_holds_a_ball_is_the_same_in_all_directions(way, heading):
    """A box of torques would hold it up to the square root of two as steep a slope."""
    friction = 0.01
    for share, stays in ((0.99, True), (1.01, False)):
        slope = math.atan(share * friction / R)
        down = G * math.sin(slope) * np.array([math.cos(heading), math.sin(heading)])
        scene = Scene("floor", gravity=(*down, -G * math.cos(slope))).add_fixed("ground", Plane())
        scene = scene.contact(mu_coulomb=0.5, mu_rolling=friction)
        motion = run(ball(scene), 0.5, **way)
        way_down = 0.125 * (G * math.sin(slope) - friction / R * G * math.cos(slope)) / 1.4
        moved = np.linalg.norm(motion.q[-1, :2] - motion.q[0, :2])
        assert moved == pytest.approx(0.0 if stays else way_down, rel=1e-2, abs=1e-9)


@pytest.mark.parametrize("way", [{}, {"integrator": "moreau"}])
def test_a_turntable_spins_a_ball_up(way):
    """Torsional friction opposes the spin over the surface, which turns itself."""
    rate, friction = 4.0, 0.004
    scene = Scene("table").add_fixed("table", Plane(), spin=(0.0, 0.0, rate))
    scene = ball(scene.contact(mu_coulomb=0.5, mu_torsional=friction))
    motion = run(scene, 0.6, **way)
    gain = friction * M * G / (0.4 * M * R * R)
    spin = np.minimum(rate, gain * motion.times)
    np.testing.assert_allclose(motion.qd[:, 5], spin, atol=1.01 * gain * 1e-3)


@pytest.mark.parametrize("way", [{}, {"integrator": "moreau"}])
def test_torsional_friction_needs_no_sliding_friction(way):
    friction, rate = 0.004, 10.0
    brake = friction * M * G / (0.4 * M * R * R)
    scene = on_ground().contact(mu_coulomb=0.0, mu_torsional=friction)
    motion = run(ball(scene, spin=(0.0, 0.0, rate)), 0.5, **way)
    assert motion.qd[-1, 5] == pytest.approx(rate - 0.5 * brake, abs=1.01e-3 * brake)


def test_a_ball_that_spins_and_rolls_obeys_both_laws():
    """Oblique: rolling friction opposes rolling whatever its direction."""
    friction, speed = 0.003, 0.8
    brake = friction * G / (1.4 * R)
    along = np.array([0.6, 0.8, 0.0])
    axis = np.cross([0.0, 0.0, 1.0], along)
    scene = ball(on_ground(mu_torsional=0.002, mu_rolling=friction),
                 velocity=tuple(speed * along), spin=(*(speed / R * axis)[:2], 5.0))  # fmt: skip
    motion = run(scene, 1.2 * speed / brake)
    np.testing.assert_allclose(motion.q[-1, :2], (speed**2 / (2 * brake) * along)[:2], rtol=1e-4)


def test_torques_of_contacts_are_recorded():
    """Those on the ball, rolling and spinning; none at the start."""
    torsional, rolling, speed = 0.004, 0.002, 1.0
    state = {"velocity": (speed, 0.0, 0.0), "spin": (0.0, speed / R, 8.0)}
    scene = ball(on_ground(mu_torsional=torsional, mu_rolling=rolling), **state)
    motion = run(scene, 0.1)
    assert not motion.contact_torque[: motion.contact_start[1]].any()
    for k in range(2, len(motion.times)):
        (contact,) = motion.contacts(k)
        sign = 1.0 if contact.a == "ball" else -1.0
        expected = (0.0, -rolling * M * G, -torsional * M * G)
        np.testing.assert_allclose(sign * contact.torque, expected, rtol=0, atol=1e-5 * M * G * R)


def test_sensors_of_torque_know_the_torques_of_contacts():
    """A free body gets nothing from a parent: torsional friction alone explains its motion."""
    scene = ball(on_ground(mu_torsional=0.004), spin=(0.0, 0.0, 8.0))
    motion = run(scene.add_sensor("from nowhere", "torque", ("ball", "ball")), 0.1)
    assert np.abs(motion.sensors["from nowhere"]).max() < 1e-6
    assert np.abs(motion.contact_torque[2:, 2]).min() > 0.07


def sledge(stiffness: float, **contact) -> Scene:
    """A sphere that slides along x and z, held by a spring along x, on a belt."""
    model = Model("sledge").add("car", joint=Prismatic.x(), mass=0.0, stiffness=stiffness)
    model = model.add("load", parent="car", joint=Prismatic.z(), mass=M)
    scene = Scene("belt").add_fixed("belt", Plane(), velocity=(0.1, 0.0, 0.0))
    scene = scene.add_machine(model, "sledge", q=[0.0, R], geometries=[
        ("load", Sphere(R), Transform.identity())])  # fmt: skip
    return scene.contact(**contact)


@pytest.mark.parametrize("method", METHODS)
def test_a_mass_on_a_belt_sticks_and_slips_with_the_known_period(method):
    static, kinetic, stiffness, speed = 0.6, 0.4, 200.0, 0.1
    scene = sledge(stiffness, mu_coulomb=kinetic, mu_static=static)
    motion = run(scene, 8.0, contact=method)
    x, rate = motion.q[:, 0], motion.qd[:, 0]
    reach = (static - kinetic) * M * G / stiffness
    omega = math.sqrt(stiffness / M)
    period = 2 * reach / speed + 2 * (math.pi - math.atan(reach * omega / speed)) / omega
    sticks = np.abs(rate - speed) < (1e-3 if method == "convex" else 1e-7)
    slips = motion.times[1:][sticks[:-1] & ~sticks[1:]]
    assert len(slips) >= 5
    assert np.diff(slips).mean() == pytest.approx(period, rel=2e-3)
    assert x.max() == pytest.approx(
        kinetic * M * G / stiffness + math.hypot(reach, speed / omega), rel=1e-3
    )


def test_a_box_sticks_up_to_the_angle_of_static_friction_and_slides_with_the_other():
    for slope, slides in ((math.atan(0.69), False), (math.atan(0.71), True)):
        scene = on_ground(slope, mu_static=0.7)
        scene = scene.add_body("box", Box((1.0, 1.0, 0.2)), mass=M, position=(0, 0, 0.1))
        motion = run(scene, 0.5)
        pull = G * (math.sin(slope) - 0.5 * math.cos(slope)) if slides else 0.0
        assert motion.q[-1, 0] == pytest.approx(0.125 * pull, rel=1e-3, abs=1e-9)


def test_a_smaller_coefficient_of_static_friction_changes_nothing():
    def end(**contact) -> np.ndarray:
        return run(ball(on_ground(**contact), velocity=(1.0, 0.2, 0.0)), 0.3).q[-1]

    assert (end(mu_static=0.3) == end()).all()


def test_static_friction_needs_a_true_cone():
    with pytest.raises(ModelError, match=r"true cone.*4 friction cone edges"):
        on_ground(mu_static=0.7, friction_cone_edges=4)


@pytest.mark.parametrize("count", [2, 8])
def test_a_tower_whose_boxes_resist_rolling_is_solved_or_nearly(count):
    """Redundant impulses that jumped from round to round never agreed with their torques."""
    scene = on_ground(mu_torsional=0.05, mu_rolling=0.01)
    for k in range(count):
        place = (0.05 * k, 0.03 * k, 0.101 + 0.2 * k)
        scene = scene.add_body(f"box {k}", Box((0.4, 0.3, 0.2)), density=500.0, position=place)
    simulator = ph.Simulator(scene, dt=5e-3)
    simulator.advance_to(1.0)
    report = simulator.report
    assert report["residual"] < 1e-3
    assert report["unconverged"] <= 6
