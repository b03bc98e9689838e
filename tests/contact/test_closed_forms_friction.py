"""Closed forms of resting, sliding, sticking, tipping and rolling bodies."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polhode as ph
from polhode.model import FloatingBase, TranslationXYZ
from polhode.model.shapes import Box, Cylinder, Plane, Sphere
from polhode.scene import Scene
from reference.contact_cases import UNIT, run
from reference.contact_scenes import (
    TILT,
    G,
    about_x,
    about_y,
    above,
    add_free,
    along,
    axis,
    ball,
    box,
    ground,
    slope,
    spin_in_world,
)

MU = 0.3
SPEED = 2.0
STOPS_AFTER = SPEED**2 / (2.0 * MU * G)


def test_a_ball_without_rebound_stays_where_it_falls():
    """It stops at the first touch and does not stir for 10 s."""
    recording = run(ball(0.0, 1.0), 10.0)
    q, qd = recording.of("ball")
    lies = recording.times > math.sqrt(2.0 / G) + 2e-3
    assert np.abs(qd[lies]).max() < 1e-9
    assert np.abs(q[lies, 2] - 0.5).max() < 1e-6


def stopping_distances(angles, **contact):
    """How far a box slides before it stops, by the direction of its push [rad]."""
    found = []
    for angle in angles:
        push = (SPEED * math.cos(angle), SPEED * math.sin(angle), 0, 0, 0, 0)
        recording = run(box(**contact).with_start("box", qd=push), 1.1)
        q, qd = recording.of("box")
        assert np.abs(q[:, 2] - 0.5).max() < 1e-6
        assert np.abs(qd[:, 3:]).max() < 1e-6
        assert np.abs(qd[-1]).max() < 1e-6
        found.append(np.linalg.norm(q[-1, :2]))
    return np.array(found)


def test_a_box_slides_as_far_in_every_direction():
    """v^2 / (2 mu g), spread over directions below a thousandth under the round cone."""
    way = stopping_distances(np.radians(np.arange(0.0, 91.0, 7.5)), mu_coulomb=MU)
    assert way == pytest.approx(STOPS_AFTER, rel=1e-3)
    assert np.ptp(way) < 1e-3 * STOPS_AFTER


@pytest.mark.parametrize("edges", [4, 8])
def test_a_polygon_turned_to_the_slip_stops_it_as_soon(edges):
    """Its first corner lies against the slip, so that a body slides neither further nor askew."""
    way = stopping_distances(np.pi / edges * np.array([0.0, 0.5, 1.0]), mu_coulomb=MU,
                             friction_cone_edges=edges)  # fmt: skip
    assert way == pytest.approx(STOPS_AFTER, rel=1e-3)
    assert np.ptp(way) < 1e-3 * STOPS_AFTER


def on_slope(mu, tilt=TILT, half=(0.5, 0.5), duration=2.0):
    """A box on a plane that falls along x; half its length along the slope, half its height."""
    scene = slope(tilt, mu_coulomb=mu)
    shape = Box((2.0 * half[0], 1.0, 2.0 * half[1]))
    place = {"position": above(half[1], tilt), "quaternion": about_y(tilt)}
    return run(scene.add_body("box", shape, mass=2.0, **place), duration).of("box")


@pytest.mark.parametrize("mu", [0.5, 1.001 * math.tan(TILT)])
def test_what_sticks_does_not_creep(mu):
    """Below the angle of friction nothing moves, not even by a hair's breadth a second."""
    q, qd = on_slope(mu)
    assert np.abs(qd).max() < 1e-6
    assert np.linalg.norm(q[-1, :3] - q[0, :3]) < 1e-6


@pytest.mark.parametrize("mu", [0.3, 0.999 * math.tan(TILT)])
def test_what_does_not_stick_slides(mu):
    """a = g (sin - mu cos), also where that is almost nothing."""
    q, qd = on_slope(mu)
    expected = G * (math.sin(TILT) - mu * math.cos(TILT))
    assert along(qd[-1, :3]) / 2.0 == pytest.approx(expected, rel=1e-6)
    assert along(q[-1, :3] - q[0, :3]) == pytest.approx(2.0 * expected, rel=1e-3)


@pytest.mark.parametrize(("more", "topples"), [(-0.2, False), (0.2, True)])
def test_a_tall_box_topples_beyond_its_angle(more, topples):
    """Half as wide as b, half as high as h: it topples if tan of the slope is above b/h."""
    tilt = math.atan(0.2 / 0.5) + math.radians(more)
    q, _ = on_slope(1e3, tilt, (0.2, 0.5), duration=2.0)
    turned = math.pi / 2 - np.arcsin(np.clip(axis(q, 2)[:, 2], -1.0, 1.0)) - tilt
    assert (np.abs(turned).max() > 0.5) == topples
    if not topples:
        assert np.abs(turned).max() < 1e-6


ROUND = {"sphere": 0.4, "cylinder": 0.5, "hoop": 1.0, "shell": 2.0 / 3.0}  # I / (m r^2)


def add_round(scene, beta, r, position, qd):
    """A body of mass 2 that rolls about y with inertia beta m r^2."""
    own = 2.0 * beta * r * r
    w, x, y, z = about_x(math.pi / 2)
    if beta in (0.5, 1.0):
        across = 0.5 * own + 2.0 / 12.0
        shape, inertia, turn = Cylinder(r, 1.0), (across, across, own), (x, y, z, w)
    else:
        shape, inertia, turn = Sphere(r), (own, own, own), UNIT
    return add_free(scene, "body", 2.0, inertia, [shape], (*position, *turn), qd)


@pytest.mark.parametrize("start", [0.0, -4.0, 9.0])
@pytest.mark.parametrize("kind", ROUND)
def test_sliding_becomes_rolling(kind, start):
    """v = (v0 + beta r w0) / (1 + beta), reached after |v0 - r w0| beta / ((1 + beta) mu g)."""
    beta, r, mu = ROUND[kind], 0.5, 0.2
    # The axis of a lying cylinder is its z, and points along -y of the world.
    turn = (0, 0, -start) if beta in (0.5, 1.0) else (0, start, 0)
    scene = add_round(ground(mu_coulomb=mu), beta, r, (0, 0, r), (SPEED, 0, 0, *turn))
    recording = run(scene, 1.2)
    q, qd = recording.of("body")
    spin = spin_in_world(q, qd)[:, 1]
    assert spin[0] == pytest.approx(start, abs=1e-12)
    expected = (SPEED + beta * r * start) / (1.0 + beta)
    assert qd[-1, 0] == pytest.approx(expected, rel=1e-3, abs=1e-6)
    assert spin[-1] * r == pytest.approx(qd[-1, 0], rel=1e-6, abs=1e-6)
    slips = np.abs(qd[:, 0] - r * spin) > 1e-6
    expected = abs(SPEED - r * start) * beta / ((1.0 + beta) * mu * G)
    assert recording.times[slips].max() == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize("kind", ROUND)
def test_rolling_down_from_its_least_friction_on(kind):
    """a = g sin / (1 + beta) from mu = tan beta / (1 + beta) on, and below g (sin - mu cos)."""
    beta, r = ROUND[kind], 0.5
    least = math.tan(TILT) * beta / (1.0 + beta)
    for mu, rolls in ((1.01 * least, True), (0.5 * least, False)):
        scene = add_round(slope(mu_coulomb=mu), beta, r, above(r), None)
        q, qd = run(scene, 1.0).of("body")
        a, alpha = along(qd[-1, :3]), spin_in_world(q, qd)[-1, 1]
        push = G * math.sin(TILT), mu * G * math.cos(TILT)
        assert a == pytest.approx(push[0] / (1 + beta) if rolls else push[0] - push[1], rel=1e-3)
        assert alpha == pytest.approx(a / r if rolls else push[1] / (beta * r), rel=1e-3)


@pytest.mark.parametrize("half_angle", [30.0, 45.0, 60.0])
def test_a_ball_rolls_down_a_groove(half_angle):
    """It turns about what of the radius stands across: g sin / (1 + beta (R / (R sin))^2)."""
    gamma, r, tilt = math.radians(half_angle), 0.25, TILT
    g = (G * math.sin(tilt), 0.0, -G * math.cos(tilt))
    scene = Scene("groove", gravity=g).contact(mu_coulomb=5.0)
    for name, turn in (("left", math.pi / 2 - gamma), ("right", gamma - math.pi / 2)):
        scene = scene.add_fixed(name, Plane(), quaternion=about_x(turn))
    place = (0.0, 0.0, r / math.sin(gamma))
    q, qd = run(scene.add_body("ball", Sphere(r), position=place, mass=1.0), 1.0).of("ball")
    beta = 0.4 / math.sin(gamma) ** 2
    assert q[-1, 0] == pytest.approx(0.5 * g[0] / (1.0 + beta), rel=1e-3)
    assert qd[-1, 0] == pytest.approx(g[0] / (1.0 + beta), rel=1e-6)


def test_a_belt_takes_a_box_along():
    """Slip lasts u / (mu g); the box stays u^2 / (2 mu g) behind and ends at the belt's speed."""
    u, mu = 1.5, 0.4
    scene = Scene("belt").add_fixed("belt", Plane(), velocity=(u, 0, 0)).contact(mu_coulomb=mu)
    scene = scene.add_body("box", Box((1.0, 1.0, 1.0)), position=(0, 0, 0.5), mass=2.0)
    recording = run(scene, 1.0)
    q, qd = recording.of("box")
    assert qd[-1, 0] == pytest.approx(u, rel=1e-9)
    slips = np.abs(qd[:, 0] - u) > 1e-6
    assert recording.times[slips].max() == pytest.approx(u / (mu * G), abs=2e-3)
    assert u * recording.times[-1] - q[-1, 0] == pytest.approx(u**2 / (2 * mu * G), rel=2e-3)
    assert np.abs(spin_in_world(q, qd)).max() < 1e-6


G = 9.81


def track(name: str, **more) -> Scene:
    """A box on the ground with a thin sole below it, whose surface may move."""
    scene = Scene(name).add_fixed("ground", Plane()).contact(mu_coulomb=0.5)
    model = ph.Model("car").add("hull", joint=FloatingBase(), mass=3.0, inertia=(0.3, 0.3, 0.4))
    scene = scene.add_machine(model, "car", q=[0, 0, 0.1, 0, 0, 0.6, 0.8])
    return scene.add_geometry("sole", ("car", "hull"), Box((1.0, 0.6, 0.2)), **more)


def test_a_track_drives_its_body():
    """It slides until its surface stands still on the ground, and goes on with its speed."""
    speed, mu = 0.8, 0.5
    scene = track("tank", surface_velocity=(0, 0, 0, -speed, 0, 0))
    motion = ph.simulate(scene, 1.0, dt=1e-3, record=1e-3, progress=False)
    along = np.array([1 - 2 * 0.6**2, 2 * 0.6 * 0.8, 0.0])  # the hull's x axis in the world
    expected = np.minimum(mu * G * motion.times, speed)
    np.testing.assert_allclose(motion.qd[:, :3] @ along, expected, atol=1.01e-3 * mu * G)
    assert motion.qd[-1, :3] @ along == pytest.approx(speed, rel=1e-9)
    assert np.abs(motion.qd[-1, 3:]).max() < 1e-9


def test_tracks_of_opposite_speeds_turn_a_body_on_the_spot():
    """Their soles roll on circles about the middle."""
    scene = track("tank", frame=ph.spatial.Transform.translation(0, 0, 0.5))
    for side in (-1.0, 1.0):
        place = ph.spatial.Transform.translation(0.0, 0.4 * side, 0.0)
        scene = scene.add_geometry(f"track{side:+.0f}", ("car", "hull"), Sphere(0.1), frame=place,
                                   surface_velocity=(0, 0, 0, 0.2 * side, 0, 0))  # fmt: skip
    for name, x in (("nose", 0.4), ("tail", -0.4)):
        place = ph.spatial.Transform.translation(x, 0.0, 0.0)
        scene = scene.add_geometry(name, ("car", "hull"), Sphere(0.1), frame=place)
        scene = scene.contact(name, "ground")
    motion = ph.simulate(scene, 1.0, dt=1e-3, progress=False)
    assert motion.qd[-1, 5] == pytest.approx(0.2 / 0.4, rel=1e-6)
    assert np.abs(motion.qd[-1, [0, 1, 2, 3, 4]]).max() < 1e-6


def test_a_wheel_that_turns_is_as_a_surface_that_turns():
    """A ball whose surface turns rolls away as one that turns itself, but keeps its pose."""
    scene = Scene("wheel").add_fixed("ground", Plane()).contact(mu_coulomb=0.5)
    model = ph.Model("slide").add("slide", joint=TranslationXYZ(), mass=1.0)
    scene = scene.add_machine(model, "slide", q=[0, 0, 0.25]).add_geometry(
        "wheel", ("slide", "slide"), Sphere(0.25), surface_velocity=(0, 4.0, 0, 0, 0, 0)
    )
    motion = ph.simulate(scene, 1.0, dt=1e-3, progress=False)
    assert motion.qd[-1, 0] == pytest.approx(1.0, rel=1e-9)
