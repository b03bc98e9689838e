"""Closed forms of linkages, gears, limits and drag, beside independent integrations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph
from contact.stepping_scenes import four_bar
from polhode.model import Model
from polhode.model.joints import Prismatic, Revolute
from polhode.model.shapes import Box, Sphere
from polhode.scene import (
    Damping,
    DampingGains,
    JointSettings,
    Scene,
    StokesDrag,
)
from polhode.spatial import Transform, rotation_x
from reference.contact_cases import run
from reference.contact_scenes import G, spin_in_world

LENGTHS, MASSES = (1.0, 0.7), (1.5, 0.8)


def double_pendulum():
    """Two uniform rods that swing about y, from hanging."""
    model, above = Model("rods"), 0.0
    for name, parent, m, length in zip("ab", (None, "a"), MASSES, LENGTHS, strict=True):
        frame = Transform.translation(0, 0, -above)
        own = m * length**2 / 12.0
        model = model.add(
            name, parent=parent, frame=frame, joint=Revolute.y(), mass=m,
            com=(0, 0, -0.5 * length), inertia=(own, own, 1e-9),
        )  # fmt: skip
        above = length
    return model


def lagrange(_, y):
    """Accelerations of the two absolute angles, by hand from the Lagrangian."""
    (l1, l2), (m1, m2), (a, b, u, v) = LENGTHS, MASSES, y
    coupling = 0.5 * m2 * l1 * l2
    mass = np.array([
        [m1 * l1**2 / 3.0 + m2 * l1**2, coupling * math.cos(a - b)],
        [coupling * math.cos(a - b), m2 * l2**2 / 3.0],
    ])  # fmt: skip
    force = np.array([
        -coupling * math.sin(a - b) * v**2 - (0.5 * m1 + m2) * G * l1 * math.sin(a),
        coupling * math.sin(a - b) * u**2 - 0.5 * m2 * G * l2 * math.sin(b),
    ])  # fmt: skip
    return (u, v, *np.linalg.solve(mass, force))


def test_a_double_pendulum_keeps_its_energy_and_its_way():
    """Drift below 1e-6 over 10 s by a method of fourth order; 2 s beside an exact trajectory."""
    model = double_pendulum()
    long = ph.simulate(model, 10.0, q0=[2.0, 0.5], dt=1e-3, integrator="rk4", progress=False)
    assert long.audit.energy_drift < 1e-6 * long.audit.energy_scale
    exact = solve_ivp(lagrange, (0, 2), (2.0, 2.5, 0, 0), method="DOP853", rtol=1e-11, atol=1e-12)
    a, b = exact.y[:2, -1]
    assert long.q[200] == pytest.approx([a, b - a], abs=1e-8)
    scene = Scene("rods").add_machine(model, "rods", q=[2.0, 0.5])
    q = run(scene.with_settings(kind="simulator"), 2.0, dt=1e-4, record=100).of("rods")[0]
    assert q[-1] == pytest.approx([a, b - a], abs=1e-5)


def test_energy_at_a_limit_falls_by_e_squared():
    """A pendulum that hangs on its limit and swings out to one side only."""
    e = 0.8
    model = Model("bob").add("bob", joint=Revolute.y(), mass=2.0, com=(0, 0, -0.5))
    stop = [JointSettings("bob", lower=0.0, upper=3.0, restitution=e)]
    scene = Scene("limit").add_machine(model, "bob", q=[0.9], joint_settings=stop)
    recording = run(scene, 5.0)
    q, qd = recording.of("bob")
    assert q.min() > -1e-6
    # Energy by record, which changes at the limit only, and there by e^2.
    energy = 0.5 * 0.5 * qd[:, 0] ** 2 + G * (1.0 - np.cos(q[:, 0]))
    hits = np.flatnonzero((qd[:-1, 0] < 0.0) & (qd[1:, 0] > 0.0))
    assert len(hits) >= 4
    ratio = energy[hits + 3] / energy[hits - 3]
    assert ratio == pytest.approx(e**2, rel=2e-3)
    assert energy[hits[3] + 3] / energy[0] == pytest.approx(e**8, rel=5e-3)


@pytest.mark.parametrize("angle", [0.2, 0.9, 2.0])
def test_a_parallelogram_accelerates_as_its_one_freedom(angle):
    """q'' = -22.0725 sin q; the coupler stays level; redundant joints do no harm."""
    h = 1e-4
    scene = four_bar().with_start("bars", q=(angle, -angle, angle))
    recording = run(scene, 0.5, dt=h, record=1)
    q, qd = recording.of("bars")
    assert qd[1, 0] / h == pytest.approx(-22.0725 * math.sin(angle), rel=1e-5)
    assert np.abs(q[:, 0] + q[:, 1]).max() < 1e-7
    assert recording.audit.loop_error < 1e-8


def test_a_slider_crank_is_where_its_crank_puts_it():
    """x = r cos + sqrt(l^2 - r^2 sin^2) at every instant."""
    r, length, start = 0.5, 1.3, 0.4
    lean = math.asin(r / length * math.sin(start))
    model = Model("engine")
    arm = {"joint": Revolute.y(), "mass": 1.0, "inertia": (0.05, 0.05, 0.05)}
    model = model.add("crank", com=(0.5 * r, 0, 0), **arm)
    across = Transform.translation(r, 0, 0)
    model = model.add("rod", parent="crank", frame=across, com=(0.5 * length, 0, 0), **arm)
    model = model.add("slider", joint=Prismatic.x(), mass=0.7, inertia=(0.1, 0.1, 0.1))
    x = r * math.cos(start) + length * math.cos(lean)
    turn = Transform.rotation(rotation_x(-math.pi / 2))
    # A positive turn about y lowers the tip: crank down by `start`, rod up again by `lean`.
    scene = Scene("engine", gravity=(0, 0, 0)).add_machine(
        model, "engine", q=[start, -start - lean, x], qd=_engine_rates(r, length, start, 12.0)
    )
    scene = scene.add_loop(
        "pin", "revolute", ("engine", "rod"), ("engine", "slider"),
        frame_a=turn @ Transform.translation(length, 0, 0), frame_b=turn,
    )  # fmt: skip
    recording = run(scene, 2.0)
    q = recording.of("engine")[0]
    expected = r * np.cos(q[:, 0]) + np.sqrt(length**2 - (r * np.sin(q[:, 0])) ** 2)
    assert np.abs(q[:, 2] - expected).max() < 1e-8
    assert q[-1, 0] - q[0, 0] > 2.0 * math.pi
    assert recording.audit.loop_error < 1e-8


def _engine_rates(r, length, angle, rate):
    """Rates of crank, rod joint and slider that keep the loop closed."""
    lean = math.asin(r / length * math.sin(angle))
    leaning = r * math.cos(angle) * rate / (length * math.cos(lean))
    x = -r * math.sin(angle) * rate - length * math.sin(lean) * leaning
    return [rate, -rate - leaning, x]


def test_six_hinges_in_a_ring_move_although_none_should():
    """Bricard's ring: six equations too many for six hinges, and yet one freedom.

    Hinges at right angles, all links equal: cos a + cos b + cos a cos b = 0 for the angles
    of neighbouring hinges.
    """
    model = Model("ring")
    step = Transform.rotation(rotation_x(math.pi / 2)) @ Transform.translation(1.0, 0, 0)
    other = Transform.rotation(rotation_x(-math.pi / 2)) @ Transform.translation(1.0, 0, 0)
    parent = None
    for k in range(5):
        frame = Transform.identity() if k == 0 else (step if k % 2 else other)
        model = model.add(
            f"link{k}", parent=parent, frame=frame, joint=Revolute.z(), mass=1.0,
            com=(0.5, 0, 0), inertia=(0.02, 0.1, 0.1),
        )  # fmt: skip
        parent = f"link{k}"
    half = math.pi / 2
    scene = Scene("ring", gravity=(0, 0, 0)).add_machine(
        model, "ring", q=[half] * 5, qd=[1.0, -1.0, 1.0, -1.0, 1.0]
    )
    # The sixth hinge: behind the fifth link, and one link before the first.
    scene = scene.add_loop(
        "last", "revolute", ("ring", "link4"), None, frame_a=step,
        frame_b=other.inverse(),
    )  # fmt: skip
    recording = run(scene, 0.4)
    q = recording.of("ring")[0]
    a, b = np.cos(q[:, 0]), np.cos(q[:, 1])
    assert np.abs(a + b + a * b).max() < 1e-6
    assert np.abs(q[:, 2] - q[:, 0]).max() < 1e-6
    assert np.ptp(q[:, 0]) > 0.3
    assert recording.audit.loop_error < 1e-8


def wheels(ratio, inertias, **start):
    """Two wheels on parallel axes, geared: q_a = ratio q_b."""
    model = Model("gears")
    for name, own, x in zip("ab", inertias, (0.0, 1.0), strict=True):
        frame = Transform.translation(x, 0, 0)
        model = model.add(
            name, frame=frame, joint=Revolute.z(), mass=1.0, inertia=(own, own, own)
        )  # fmt: skip
    scene = Scene("gears", gravity=(0, 0, 0)).add_machine(model, "gears", **start)
    return scene.add_gear("gear", ("gears", "a"), ("gears", "b"), ratio)


def test_geared_wheels_share_their_inertia():
    """(I_b + r^2 I_a) q_b'' = tau_b + r tau_a."""
    r, (ia, ib), (ta, tb) = -2.5, (0.2, 0.7), (3.0, 1.0)
    recording = ph.simulate(
        wheels(r, (ia, ib)), 0.2, controller=lambda t, state: np.array([ta, tb]), progress=False
    )
    qd = recording.of("gears")[1]
    assert qd[-1, 1] / 0.2 == pytest.approx((tb + r * ta) / (ib + r * r * ia), rel=1e-9)
    assert qd[-1, 0] == pytest.approx(r * qd[-1, 1], rel=1e-12)


def test_gears_do_not_slip_in_ten_thousand_turns():
    """The relation of the angles holds to the end: positions, not only speeds."""
    rate, r = 2.0 * math.pi * 400.0, 0.37
    recording = run(wheels(r, (0.2, 0.7), qd=[r * rate, rate]), 25.0, record=100)
    q = recording.of("gears")[0]
    assert q[-1, 1] > 0.9999 * 2.0 * math.pi * 1e4
    assert np.abs(q[:, 0] - r * q[:, 1]).max() < 1e-6


def test_quadratic_drag():
    """v = k1 v0 E / (k1 + k2 v0 (1 - E)) with E = exp(-k1 t / m)."""
    k1, k2, m, v0 = 0.5, 0.2, 2.0, 3.0
    gains = (DampingGains("ball", linear=k1, linear_squared=k2),)
    scene = Scene("drag", gravity=(0, 0, 0)).add_body("ball", Sphere(0.5), mass=m)
    scene = scene.with_start("ball", qd=(v0, 0, 0, 0, 0, 0)).add_force(Damping("air", gains))
    recording = run(scene, 1.0)
    E = np.exp(-k1 * recording.times / m)
    expected = k1 * v0 * E / (k1 + k2 * v0 * (1.0 - E))
    assert expected[-1] == pytest.approx(1.8463176, rel=1e-7)
    assert recording.of("ball")[1][:, 0] == pytest.approx(expected, rel=1e-5)


def test_terminal_speed():
    """A ball falls at m g / b in the end."""
    scene = Scene("drag").add_force(StokesDrag("air", linear=4.0))
    recording = run(scene.add_body("ball", Sphere(0.5), mass=2.0), 12.0, record=100)
    assert recording.of("ball")[1][-1, 2] == pytest.approx(-2.0 * G / 4.0, rel=1e-9)


def test_free_flight_and_spin():
    """A parabola to rounding; a ball turns by its spin times the time."""
    spin = np.array([0.7, -1.1, 2.3])
    scene = Scene("throw").add_body(
        "ball", Sphere(0.1), mass=0.3, velocity=(3.0, -1.0, 4.0), spin=tuple(spin)
    )
    recording = run(scene, 1.0)
    q, qd = recording.of("ball")
    t = recording.times[:, None]
    assert q[:, :3] == pytest.approx(t * [3.0, -1.0, 4.0] - 0.5 * t**2 * [0, 0, G], abs=1e-12)
    assert spin_in_world(q, qd) == pytest.approx(np.tile(spin, (len(q), 1)), abs=1e-12)
    turned = 2.0 * np.arccos(np.clip(q[-1, 6], -1.0, 1.0))
    assert turned == pytest.approx(np.linalg.norm(spin), abs=1e-6)


def test_a_long_box_turns_as_euler_says():
    """Spin about the axis of greatest inertia, disturbed: small and bounded for 10 s."""
    scene = Scene("space", gravity=(0, 0, 0)).add_body(
        "box", Box((0.2, 0.4, 0.8)), mass=1.0, spin=(5.0, 0.01, 0.01)
    )
    recording = run(scene, 10.0, record=10)
    qd = recording.of("box")[1]
    assert np.abs(qd[:, 4:6]).max() < 0.05
    assert recording.audit.energy_drift < 1e-9
