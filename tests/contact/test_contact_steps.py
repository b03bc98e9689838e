"""Halving the step never makes an answer with contact worse, over ten steps from coarse to fine."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph
from contact.test_rolling import (
    WAY,
    coin_energy_lost,
    energy_lost_inside,
    lean_of_a_sliding_top,
    off_turntable,
)  # fmt: skip
from polhode.model import FloatingBase, Model, Revolute
from polhode.model.mass_properties import mass_properties
from polhode.model.shapes import Box, Capsule, Cylinder, Heightmap, Plane, Sphere, Torus
from polhode.spatial import Transform
from reference.contact_scenes import G

STEPS = 8e-3 / 2.0 ** np.arange(10)
# Errors may rise by this share, and up to what rounding leaves.
SLACK, ROUNDING = 1.05, 1e-8
# And up to this where the error changes its sign on the way, or gaps of 1e-6 m count as closed.
FLOORS = {"ball in a tube": 1e-6, "top that slides": 1e-6, "ball that bounces": 2e-6}
ROD, LEAN, FALL = 0.5, 0.3, 0.44  # half a length [m], a start [rad], a duration [s]


def last(scene, name, duration, dt):
    """Position and velocity of a body at the end."""
    q, qd = ph.simulate(scene, duration, dt=dt, progress=False).of(name)
    return q[-1], qd[-1]


def on_ground(mu):
    return ph.Scene().add_fixed("ground", Plane()).contact(mu_coulomb=mu)


def box_that_slides(dt):
    """Its way until it stops [m]: v^2 / (2 mu g)."""
    scene = on_ground(0.5).add_body(
        "box", Box((1.0, 1.0, 1.0)), mass=2.0, position=(0, 0, 0.5), velocity=(2.4, 1.8, 0)
    )  # fmt: skip
    return np.linalg.norm(last(scene, "box", 0.8, dt)[0][:2]) - 9.0 / G


def box_that_spins(dt):
    """Its turn until it stops [rad]: its corners slide on a circle."""
    rate, mu, side = 4.0, 0.2, 1.0
    scene = on_ground(mu).add_body(
        "box", Box((side, side, side)), mass=2.0, position=(0, 0, 0.5), spin=(0, 0, rate)
    )  # fmt: skip
    q, _ = last(scene, "box", 0.7, dt)
    slows = mu * G * math.sqrt(0.5) * side / (side**2 / 6.0)
    return 2.0 * math.atan2(q[5], q[6]) - rate**2 / (2.0 * slows)


def ball_that_slides_then_rolls(dt):
    """Its way [m]: it rolls from 2 v / (7 mu g) on, at 5 / 7 of its speed."""
    v, mu, end = 5.0, 0.2, 1.0
    scene = on_ground(mu).add_body(
        "ball", Sphere(0.5), mass=2.0, position=(0, 0, 0.5), velocity=(v, 0, 0)
    )  # fmt: skip
    rolls = 2.0 * v / (7.0 * mu * G)
    known = 12.0 * v**2 / (49.0 * mu * G) + (end - rolls) * 5.0 * v / 7.0
    return last(scene, "ball", end, dt)[0][0] - known


def ball_that_bounces(dt):
    """The height of an elastic ball after two periods and a quarter [m]."""
    scene = ph.Scene().add_fixed("ground", Plane()).contact(restitution=1.0)
    scene = scene.add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, 1.1))
    period = 2.0 * math.sqrt(2.0 / G)
    q, _ = last(scene, "ball", 2.25 * period, dt)
    return q[2] - 0.1 - (1.0 - 0.5 * G * (0.25 * period) ** 2)


def rod_that_slides_down(dt):
    """How far it leans [rad] that falls with one end on smooth ground."""
    inertia = (1 / 12, 1 / 12, 1e-4)
    model = Model("rod").add("rod", joint=FloatingBase(), mass=1.0, inertia=inertia)
    start = (0, 0, ROD * math.cos(LEAN) + 1e-5, 0, math.sin(LEAN / 2), 0, math.cos(LEAN / 2))
    scene = on_ground(0.0).add_machine(
        model, "rod", q=start, geometries=[("rod", Capsule(1e-5, 2 * ROD))]
    )  # fmt: skip
    q, _ = last(scene, "rod", FALL, dt)
    return 2.0 * math.atan2(math.hypot(q[3], q[4]), math.hypot(q[5], q[6])) - known_lean()


def known_lean():
    def rates(_, y):
        s, c = math.sin(y[0]), math.cos(y[0])
        return y[1], (G * ROD * s - ROD**2 * s * c * y[1] ** 2) / (1 / 12 + (ROD * s) ** 2)

    return solve_ivp(rates, (0, FALL), (LEAN, 0), rtol=1e-12, atol=1e-12).y[0, -1]


ROUND = math.sqrt(G * math.tan(math.pi / 4) * WAY * math.sin(math.pi / 4))
SCENES: dict[str, Callable[[float], float]] = {
    "box that slides": box_that_slides,
    "box that spins": box_that_spins,
    "ball that slides, then rolls": ball_that_slides_then_rolls,
    "ball that bounces": ball_that_bounces,
    "rod that slides down": rod_that_slides_down,
    "box on a turntable": lambda dt: off_turntable(dt, 0.5),
    "coin that rolls": lambda dt: coin_energy_lost(dt, 0.2),
    "ball in a bowl": lambda dt: energy_lost_inside(True, 0.0, (0, ROUND, 0), dt, 0.1),
    "ball in a tube": lambda dt: energy_lost_inside(False, 10.0, (0, 0, 0), dt, 0.1),
    "top that slides": lean_of_a_sliding_top,
}


@pytest.mark.parametrize("scene", list(SCENES))
def test_a_shorter_step_is_no_worse(scene):
    """A coin stopped at 2 ms, a rod had a thousand times its error at 4 ms."""
    found = np.abs([SCENES[scene](dt) for dt in STEPS])
    least = FLOORS.get(scene, ROUNDING)
    assert (found[1:] <= SLACK * np.maximum(found[:-1], least)).all(), found
    assert found[-1] < max(found[0] * 1e-3, least)


def test_a_rod_slides_down_to_second_order():
    """From steps of 16 ms on: targets of its gap ended where it was open by 2e-7 m."""
    found = np.abs([rod_that_slides_down(dt) for dt in (1.6e-2, 8e-3, 4e-3, 2e-3, 1e-3)])
    assert (found[:-1] / found[1:] > 3.5).all(), found


ARM, SWING = 1.0, 0.6  # from a hinge to the middle of a tray [m], a start [rad]
RIDERS = {"two points": Capsule(0.05, 0.1), "a face": Box((0.1, 0.1, 0.1)),
          "a cap": Cylinder(0.05, 0.1)}  # fmt: skip


def tray_that_swings(rider, dt):
    """The angle after a second [rad] of a tray about a hinge, with what lies on it."""
    shape = RIDERS[rider]
    tray = Model("tray").add(
        "tray", joint=Revolute.y(), mass=2.0, com=(0, 0, -ARM), inertia=(0.05, 0.05, 0.05)
    )
    middle = Transform.translation(0, 0, -ARM)
    scene = ph.Scene().contact(mu_coulomb=1.0).add_machine(
        tray, q=[SWING], geometries=[("tray", Box((0.6, 0.4, 0.1)), middle)]
    )  # fmt: skip
    reach = ARM - 0.1
    half = 0.5 * (SWING + (math.pi / 2 if rider == "two points" else 0.0))
    scene = scene.add_body(
        "rider", shape, mass=1.0, position=(-reach * math.sin(SWING), 0, -reach * math.cos(SWING)),
        quaternion=(math.cos(half), 0, math.sin(half), 0),
    )  # fmt: skip
    end = ph.simulate(scene, 1.0, dt=dt, progress=False).of("tray")[0][-1, 0]
    own = float(mass_properties(shape, mass=1.0).inertia[1][1])
    inertia, weight = 2.0 * ARM**2 + 0.05 + reach**2 + own, G * (2.0 * ARM + reach)
    known = solve_ivp(
        lambda t, y: (y[1], -weight / inertia * math.sin(y[0])), (0, 1), (SWING, 0),
        rtol=1e-12, atol=1e-13,
    )  # fmt: skip
    return end - known.y[0, -1]


@pytest.mark.parametrize("rider", list(RIDERS))
def test_what_lies_on_a_tray_swings_with_it_to_second_order(rider):
    """On a face as on two points: the gaps of four corners had no targets, and first order."""
    found = np.abs([tray_that_swings(rider, dt) for dt in (4e-3, 2e-3, 1e-3, 5e-4)])
    assert (found[:-1] / found[1:] > 3.5).all(), found
    assert found[0] < 2e-5


LYING = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)  # axes along y


@pytest.mark.parametrize("dt", [4e-3, 1e-3, 2.5e-4])
@pytest.mark.parametrize("mu", [0.0, 0.6])
@pytest.mark.parametrize(
    ("dome", "body", "radius"),
    [(Sphere(1.0), Sphere(0.1), 0.1), (Cylinder(1.0, 1.0), Cylinder(0.1, 0.3), 0.1),
     (Capsule(1.0, 1.0), Capsule(0.1, 0.3), 0.1), (Sphere(1.0), Torus(0.3, 0.1), 0.4)],
    ids=["ball", "cylinder", "capsule", "torus"],
)  # fmt: skip
def test_what_leaves_a_dome_is_not_touched_again(dome, body, radius, mu, dt):
    """It slides or rolls down; once no force is left there is none later, and it falls freely.

    Without friction it leaves where the cosine of its angle is two thirds of the first one.
    """
    start, reach = 0.3, 1.0 + radius
    place = (reach * math.sin(start), 0.0, reach * math.cos(start))
    scene = (
        ph.Scene("dome")
        .add_fixed("dome", dome, quaternion=LYING)
        .add_body("body", body, mass=1.0, position=place, quaternion=LYING)
        .contact(mu_coulomb=mu)
    )
    run = ph.simulate(scene, 0.95, dt=dt, record=1)
    force = np.linalg.norm(run.contact_forces("body"), axis=1)
    left = 1 + int(np.argmax(force[1:] == 0.0))
    assert not force[left:].any()
    fall = run.qd[left:, 2] + G * run.times[left:]
    assert np.ptp(fall) < 1e-12 and len(fall) > 10
    if mu == 0.0:
        cosine = 2.0 / 3.0 * math.cos(start)
        fastest = math.sqrt(G * cosine / reach)  # of the angle, and so of its cosine [1/s]
        angle = math.atan2(run.q[left, 0], run.q[left, 2])
        assert math.cos(angle) == pytest.approx(cosine, abs=1.5 * dt * fastest)


@pytest.mark.parametrize("dt", [1e-2, 8e-3, 1e-3])
@pytest.mark.parametrize(
    "body", [Cylinder(0.1, 0.3), Capsule(0.1, 0.3)], ids=["cylinder", "capsule"]
)  # fmt: skip
def test_a_side_rolls_down_a_slope_to_second_order(body, dt):
    """At a sixth of a radian a step, too: rounding closed contacts there."""
    slope, lasts, solid = 0.3, 1.0, mass_properties(body, density=1.0)
    own = np.array(solid.inertia)[2, 2] / solid.mass / 0.1**2
    tilt = (math.cos(slope / 2), 0.0, math.sin(slope / 2), 0.0)
    lies = math.sqrt(0.5)
    scene = (
        ph.Scene("slope")
        .add_fixed("ground", Plane(), quaternion=tilt)
        .add_body("body", body, mass=1.0,
                  position=(0.1 * math.sin(slope), 0.0, 0.1 * math.cos(slope)),
                  quaternion=(lies * tilt[0], lies * tilt[0], lies * tilt[2], -lies * tilt[2]))
        .contact(mu_coulomb=0.6)
    )  # fmt: skip
    q, _ = last(scene, "body", lasts, dt)
    way = (q[0] - 0.1 * math.sin(slope)) / math.cos(slope)
    assert way == pytest.approx(0.5 * G * math.sin(slope) / (1.0 + own) * lasts**2, abs=1e-7)


@pytest.mark.parametrize("dt", [4e-3, 1e-3])
def test_a_box_slides_over_a_height_map_to_second_order(dt):
    """A plane of cells: where edges cross lines of the grid contacts begin, closed to rounding."""
    slope, mu, lasts = math.atan(0.3), 0.1, 0.7
    heights = tuple((-0.3 * x,) * 9 for x in np.linspace(-2.0, 2.0, 9))
    scene = (
        ph.Scene("slope")
        .add_fixed("ground", Heightmap(heights, (4.0, 4.0)))
        .add_body("box", Box((0.3, 0.3, 0.2)), mass=1.0,
                  position=(0.1 * math.sin(slope), 0.0, 0.1 * math.cos(slope)),
                  quaternion=(math.cos(slope / 2), 0.0, math.sin(slope / 2), 0.0))
        .contact(mu_coulomb=mu)
    )  # fmt: skip
    q, _ = last(scene, "box", lasts, dt)
    way = (q[0] - 0.1 * math.sin(slope)) / math.cos(slope)
    fall = G * (math.sin(slope) - mu * math.cos(slope))
    assert way == pytest.approx(0.5 * fall * lasts**2, abs=1e-5)
