"""Contacts that turn: what sticks or rolls on them keeps its path and energy to second order."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph
from polhode.model import Cylinder, FloatingBase, Model
from polhode.model.shapes import Box, Plane, Sphere
from polhode.spatial import Transform
from reference.contact_scenes import G


def observed_order(steps, errors):
    """The least order between one step size and the next."""
    return np.min(np.diff(np.log(errors)) / np.diff(np.log(steps)))


def off_turntable(dt, duration):
    """How far a box ends from its place on a turntable, near the radius where it would slip."""
    rate, mu = 2.0, 0.5
    radius = 0.9 * mu * G / rate**2
    scene = ph.Scene().add_fixed("table", Plane(), spin=(0, 0, rate)).contact(mu_coulomb=mu)
    scene = scene.add_body(
        "box", Box((0.02, 0.02, 0.01)), mass=0.1, position=(radius, 0, 0.005),
        velocity=(0, rate * radius, 0), spin=(0, 0, rate),
    )  # fmt: skip
    end = ph.simulate(scene, duration, dt=dt, progress=False).of("box")[0][-1]
    turned = rate * duration
    return math.dist(end[:2], (radius * math.cos(turned), radius * math.sin(turned)))


def test_a_box_rides_on_a_turntable():
    """In the middle of a step it must lag behind the table, or it spirals outwards."""
    steps = np.array([2e-2, 2e-3, 2e-4])
    errors = [off_turntable(dt, 2.0) for dt in steps]
    assert observed_order(steps, errors) > 1.9
    assert off_turntable(1e-3, 10.0) < 1e-4


def coin_energy_lost(dt, duration):
    """Share of its energy that a coin loses which rolls steadily, ten degrees above the ground."""
    radius, mass, lean = 0.04, 0.4, math.radians(10)
    round_about = math.sqrt(4 * G / (radius * math.sin(lean)))
    spin = np.array([round_about * math.sin(lean), 0.0, 0.0])  # along its lowest diameter
    own = mass * radius**2 / 4
    model = Model("coin").add(
        "coin", joint=FloatingBase(), mass=mass, inertia=(own, own, 2 * own)
    )  # fmt: skip
    scene = ph.Scene().add_fixed("ground", Plane()).contact(mu_coulomb=50.0)
    scene = scene.add_machine(
        model, "coin", qd=(0, 0, 0, *-spin),
        q=(0, 0, radius * math.sin(lean), 0, math.sin(lean / 2), 0, math.cos(lean / 2)),
        geometries=[("coin", Cylinder(radius, 1e-7), Transform.identity())],
    )  # fmt: skip
    recording = ph.simulate(scene, duration, dt=dt, progress=False)
    energy = recording.kinetic + recording.potential
    return 1.0 - energy[-1] / energy[0]


def test_a_coin_goes_on_rolling():
    """Euler's disk, without what lets it come to rest: it lost all within a second."""
    steps = np.array([1e-3, 1e-4, 1e-5])
    lost = np.array([coin_energy_lost(dt, 0.3) for dt in steps])
    assert (lost > 0.0).all()
    assert observed_order(steps, lost) > 1.8
    assert coin_energy_lost(1e-3, 1.0) < 1e-2


RADIUS, BALL = 1.0, 0.02
WAY = RADIUS - BALL


def inside(is_bowl):
    """A plug-in: a ball in a bowl, or in a tube along y."""

    def touch(a, b, margin):
        ball = a if a.name == "ball" else b
        centre = np.asarray(ball.origin)
        place = centre * (1.0, is_bowl, 1.0)
        away = np.linalg.norm(place)
        normal = -place / away
        point = centre - BALL * normal
        return [(point, normal if ball is a else -normal, WAY - away)]

    return touch


def energy_lost_inside(is_bowl, mu, velocity, dt, duration, restitution=0.0):
    """What a ball loses that starts at 45 degrees [J]."""
    lean = math.pi / 4
    scene = ph.Scene().add_fixed("wall", Sphere(RADIUS))
    scene = scene.contact(mu_coulomb=mu, restitution=restitution)
    scene = scene.add_plugin("inside", "collision", inside(is_bowl)).add_body(
        "ball", Sphere(BALL), mass=1.0, velocity=velocity,
        position=(WAY * math.sin(lean), 0, -WAY * math.cos(lean)),
    )  # fmt: skip
    recording = ph.simulate(scene, duration, dt=dt, progress=False)
    energy = recording.kinetic + recording.potential
    return energy[0] - energy[-1]


def test_a_ball_circles_in_a_bowl():
    """Without friction, level: halving the step divides the loss by four, however short it is."""
    lean = math.pi / 4
    speed = math.sqrt(G * math.tan(lean) * WAY * math.sin(lean))
    steps = np.array([4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4])
    lost = [energy_lost_inside(True, 0.0, (0, speed, 0), dt, 1.0) for dt in steps]
    assert observed_order(steps, lost) > 1.7
    assert lost[2] < 1e-4


@pytest.mark.parametrize("restitution", [0.5, 1.0])
@pytest.mark.parametrize(
    ("is_bowl", "mu"), [(True, 0.0), (False, 10.0)], ids=["slides in a bowl", "rolls in a tube"]
)
def test_what_stays_on_curved_ground_does_not_feel_restitution(is_bowl, mu, restitution):
    """As without: its gap had no target then, and it lost energy to first order in the step."""
    for dt in (8e-3, 4e-3, 2e-3):
        without, lost = (
            energy_lost_inside(is_bowl, mu, (0, 0, 0), dt, 0.5, e) for e in (0.0, restitution)
        )
        assert lost == pytest.approx(without, rel=1e-6, abs=1e-9)
    assert abs(lost) < 1e-5


@pytest.mark.parametrize("dt", [1e-3, 5e-4])
def test_a_ball_swings_in_a_tube(dt):
    """It rolls to and fro; at a millisecond a quarter of its swing was lost in ten seconds."""
    height = WAY * (1.0 - math.cos(math.pi / 4))
    assert abs(energy_lost_inside(False, 10.0, (0, 0, 0), dt, 4.0)) < 1e-4 * G * height


LONG, SHORT = 1.0, 0.6  # half axes of the ellipse on which a ball's centre moves


def nearest_on_the_ellipse(x, y):
    """The point ``(LONG cos t, SHORT sin t)`` that is nearest, by Newton's method: cos t, sin t."""
    t = math.atan2(y / SHORT, x / LONG)
    for _ in range(20):
        c, s = math.cos(t), math.sin(t)
        along = (x - LONG * c) * LONG * s - (y - SHORT * s) * SHORT * c
        slope = (LONG * s) ** 2 + (SHORT * c) ** 2
        t -= along / (slope + (x - LONG * c) * LONG * c + (y - SHORT * s) * SHORT * s)
    return math.cos(t), math.sin(t)


def inside_an_ellipse(a, b, margin):
    """A plug-in: a ball within a wall."""
    ball = a if a.name == "ball" else b
    x, y, _ = ball.origin
    c, s = nearest_on_the_ellipse(x, y)
    normal = np.array([-SHORT * c, -LONG * s, 0.0]) / math.hypot(SHORT * c, LONG * s)
    gap = normal @ (x - LONG * c, y - SHORT * s, 0.0)
    point = np.asarray(ball.origin) - BALL * normal
    return [(point, normal if ball is a else -normal, float(gap))]


def slide_round(dt, duration, restitution):
    """A ball that starts at the end of the long axis at 1 m/s, without friction or forces."""
    scene = ph.Scene(gravity=(0, 0, 0)).add_fixed("wall", Sphere(LONG))
    scene = scene.contact(mu_coulomb=0.0, restitution=restitution)
    scene = scene.add_plugin("wall", "collision", inside_an_ellipse).add_body(
        "ball", Sphere(BALL), mass=1.0, velocity=(0, 1, 0), position=(LONG, 0, 0)
    )  # fmt: skip
    return ph.simulate(scene, duration, dt=dt, progress=False, record=1)


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_a_ball_slides_round_in_an_ellipse(restitution):
    """At constant speed, as far as the length of the arc: no targets of its gap add energy.

    The acceleration of its gap changes all the time, so that targets are never exact.
    """
    duration = 3.0
    arc = solve_ivp(
        lambda _, t: 1.0 / np.hypot(LONG * np.sin(t), SHORT * np.cos(t)), (0, duration), [0.0],
        rtol=1e-11, atol=1e-11,
    ).y[0, -1]  # fmt: skip
    steps, errors = np.array([8e-3, 4e-3, 2e-3]), []
    for dt in steps:
        run = slide_round(dt, duration, restitution)
        assert run.audit.energy_rise < 1e-12 * run.kinetic[0]
        assert run.report["impacts"] == 0
        assert run.report["mini_steps"] <= run.report["steps"] + 1
        errors.append(math.dist(run.q[-1, :2], (LONG * math.cos(arc), SHORT * math.sin(arc))))
    assert max(errors / steps**2) < 15.0


SLIDING = 0.008, 0.1, 200.0, 0.5, 0.1  # low, mu, spin, lean and duration of a top that slides
TOP = {"radius": 0.025, "mass": 0.05, "inertia": np.array([1.25e-5, 1.25e-5, 1.28e-5])}


def top(low, mu, spin, lean, duration, dt):
    """A ball whose centre of mass lies ``low`` below its centre, spun about its leaning axis."""
    model = Model("top").add(
        "top", joint=FloatingBase(), mass=TOP["mass"], com=(0.0, 0.0, -low),
        inertia=np.diag(TOP["inertia"]),
    )  # fmt: skip
    scene = ph.Scene().add_fixed("ground", Plane()).contact(mu_coulomb=mu)
    scene = scene.add_machine(
        model, "top", qd=(0, 0, 0, 0, 0, spin),
        q=(0, 0, TOP["radius"], 0, math.sin(lean / 2), 0, math.cos(lean / 2)),
        geometries=[("top", Sphere(TOP["radius"]), Transform.identity())],
    )  # fmt: skip
    run = ph.simulate(scene, duration, dt=dt, progress=False)
    return ph.body_poses(run.model, run.q)[:, -1, :3, :3], run.qd[:, 3:6]


def sliding_top(t, y, low, mu):
    """Rates of the rotation matrix, angular velocity and centre's velocity while it slides."""
    R, w, v = y[:9].reshape(3, 3), y[9:12], y[12:]
    up, axis = np.array([0.0, 0.0, 1.0]), R[:, 2]
    slip = v - np.cross(w, TOP["radius"] * up)
    force = up - mu * slip / np.linalg.norm(slip)  # for each newton of the normal force
    arm = low * axis - TOP["radius"] * up  # from the centre of mass to the contact
    inertia = R @ np.diag(TOP["inertia"]) @ R.T
    free_spin, forced_spin = np.linalg.solve(
        inertia, np.transpose([-np.cross(w, inertia @ w), np.cross(arm, force)])
    ).T
    free = -G * up + low * (np.cross(free_spin, axis) + np.cross(w, np.cross(w, axis)))
    forced = force / TOP["mass"] + low * np.cross(forced_spin, axis)
    normal = -free[2] / forced[2]  # the centre keeps its height
    turn = np.cross(w, R, axisb=0, axisc=0)
    return np.concatenate((turn.ravel(), free_spin + normal * forced_spin, free + normal * forced))


@cache
def known_lean_of_a_sliding_top():
    low, mu, spin, lean, duration = SLIDING
    R = top(low, mu, spin, lean, 1e-3, 1e-3)[0][0]
    start = np.concatenate((R.ravel(), spin * R[:, 2], np.zeros(3)))
    exact = solve_ivp(sliding_top, (0, duration), start, "DOP853", rtol=1e-11, args=(low, mu))
    return exact.y[8, -1]


def lean_of_a_sliding_top(dt):
    """By how much the cosine of the angle by which its axis leans is wrong."""
    low, mu, spin, lean, duration = SLIDING
    return top(low, mu, spin, lean, duration, dt)[0][-1, 2, 2] - known_lean_of_a_sliding_top()


def test_a_top_slides_as_its_equations_say():
    """How far its axis leans, beside the equations of a ball that slides, to second order."""
    steps = np.array([5e-4, 2.5e-4, 1.25e-4])
    errors = np.abs([lean_of_a_sliding_top(dt) for dt in steps])
    assert errors[-1] < 1e-7
    assert observed_order(steps, errors) > 1.8


def test_a_top_keeps_jelletts_constant():
    """Angular momentum along the arm to the contact, whether it slides or rolls."""
    low = 0.004
    worst = []
    for dt in (1e-3, 5e-4):
        R, spin = top(low, 0.05, 200.0, 0.3, 4.0, dt)
        momentum = np.einsum("tij,j,tj->ti", R, TOP["inertia"], spin)
        constant = low * (momentum * R[:, :, 2]).sum(1) - TOP["radius"] * momentum[:, 2]
        worst.append(np.abs(constant / constant[0] - 1.0).max())
    assert worst[0] < 1e-8
    assert worst[1] < 0.35 * worst[0]
