"""Rotors, springs, damping and dry friction of a model's joints, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError
from polhode.model import FloatingBase, Revolute, Spherical, TranslationXYZ
from polhode.scene import JointSettings

INERTIA, ROTOR, STIFFNESS, DAMPING, REST = 0.5, 0.3, 4.0, 0.6, 0.2


def door(**dynamics):
    """A body that turns about its principal axis, without weight."""
    return ph.Model("door", gravity=(0.0, 0.0, 0.0)).add(
        "leaf", joint=Revolute.z(), mass=1.0, inertia=(INERTIA, INERTIA, INERTIA), **dynamics
    )


GEARED = door(armature=ROTOR, stiffness=STIFFNESS, damping=DAMPING, rest=REST)


def swing(t, x, v):
    """A damped oscillator that starts at ``x`` from its rest with velocity ``v``."""
    inertia = INERTIA + ROTOR
    decay = DAMPING / (2.0 * inertia)
    frequency = np.sqrt(STIFFNESS / inertia - decay**2)
    across = (v + decay * x) / frequency
    return np.exp(-decay * t) * (x * np.cos(frequency * t) + across * np.sin(frequency * t))


@pytest.mark.parametrize(
    ("integrator", "tolerance"),
    [("symplectic", 1e-6), ("rk4", 1e-11), ("event_driven", 2e-6), ("RK45", 1e-7), ("Radau", 1e-7)],
)
def test_a_damped_sprung_geared_joint(integrator, tolerance):
    """Against its closed form; and the energy that is lost is the work of the damper."""
    run = ph.simulate(GEARED, 2.0, q0=[1.0], qd0=[0.3], integrator=integrator)
    expected = REST + swing(run.times, 1.0 - REST, 0.3)
    np.testing.assert_allclose(run.q[:, 0], expected, atol=tolerance)
    stored = 0.5 * STIFFNESS * (run.q[:, 0] - REST) ** 2
    total = run.kinetic + stored
    loss = np.concatenate([[0.0], np.cumsum(_simpson(run, DAMPING * run.qd[:, 0] ** 2))])
    np.testing.assert_allclose(total[0] - total[::2], loss, atol=max(20 * tolerance, 1e-8))


def _simpson(run, power):
    """Integrals over pairs of the records, which are 1e-2 s apart: to 3e-9."""
    h = run.times[1] - run.times[0]
    return h / 3.0 * (power[:-2:2] + 4.0 * power[1:-1:2] + power[2::2])


def test_the_same_in_a_roll_out_and_in_a_scene():
    """Many at once, by one program; and a scene whose joint settings say the same."""
    starts = np.linspace(-1.0, 1.0, 5)[:, None]
    ends = ph.rollout(GEARED, q=starts, steps=2000, dt=1e-3)
    expected = REST + swing(2.0, starts[:, 0] - REST, 0.0)
    np.testing.assert_allclose(ends.q[-1, :, 0], expected, atol=1e-11)
    free = ph.rollout(GEARED, q=[1.0], qd=[0.3], steps=100, dt=1e-2, joint_forces="none")
    np.testing.assert_allclose(free.q[-1], [1.3], atol=1e-12)
    settings = JointSettings("leaf", stiffness=STIFFNESS, viscous_friction=DAMPING, rest=REST)
    scene = ph.Scene().add_machine(
        door(armature=ROTOR), "door", q=(1.0,), qd=(0.3,), joint_settings=(settings,)
    )
    assert scene.model.joint("door/leaf").stiffness == STIFFNESS
    run = ph.simulate(scene, 2.0, integrator="rk4")
    np.testing.assert_allclose(run.q[-1, 0], REST + swing(2.0, 1.0 - REST, 0.3), atol=1e-11)


def test_without_joint_forces_the_rotor_stays():
    """``joint_forces="none"`` switches forces off, not inertia."""
    push = 2.0
    run = ph.simulate(GEARED, 1.0, controller=lambda t, state: [push], joint_forces="none")
    np.testing.assert_allclose(run.q[-1], [0.5 * push / (INERTIA + ROTOR)], rtol=1e-9)


@pytest.mark.parametrize("integrator", ["symplectic", "event_driven"])
def test_a_free_body_with_armature(integrator):
    """It resists a push along each axis as its mass and the armature of that axis."""
    body = ph.Model(gravity=(0.0, 0.0, 0.0)).add(
        "body", joint=FloatingBase(), mass=2.0, inertia=(0.2, 0.2, 0.3),
        armature=(1.0, 2.0, 0.0, 0.0, 0.0, 0.0),
    )  # fmt: skip
    run = ph.simulate(
        body, 1.0, controller=lambda t, state: [1.0, 1.0, 1.0, 0.0, 0.0, 0.0], integrator=integrator
    )
    np.testing.assert_allclose(run.q[-1, :3], [0.5 / 3.0, 0.5 / 4.0, 0.5 / 2.0], rtol=1e-9)


def test_dry_friction_stops_at_the_computed_time_and_sticks():
    """A geared wheel loses ``friction / (inertia + rotor)`` of its speed in each second."""
    friction, speed = 0.4, 0.5
    run = ph.simulate(door(armature=ROTOR, friction=friction), 2.0, qd0=[speed], dt=1e-3)
    slowing = friction / (INERTIA + ROTOR)
    stop = speed / slowing
    moving = run.times < stop
    np.testing.assert_allclose(run.qd[moving, 0], speed - slowing * run.times[moving], atol=1e-9)
    assert np.abs(run.qd[run.times > stop + 2e-3]).max() < 1e-12
    np.testing.assert_allclose(run.q[-1, 0], 0.5 * speed * stop, atol=1e-6)
    held = run.q[run.times > stop + 2e-3, 0]
    assert np.ptp(held) < 1e-12


def test_springs_of_several_axes():
    """Each entry of a translation has its own, under all integrators."""
    model = ph.Model(gravity=(0.0, 0.0, 0.0)).add(
        "load", joint=TranslationXYZ(), mass=2.0, inertia=(0.1, 0.1, 0.1),
        stiffness=(8.0, 18.0, 0.0), rest=(0.0, 0.5, 0.0),
    )  # fmt: skip
    for integrator in ("rk4", "event_driven"):
        run = ph.simulate(model, 1.0, q0=[1.0, 0.0, 3.0], integrator=integrator)
        expected = [np.cos(2.0), 0.5 - 0.5 * np.cos(3.0), 3.0]
        np.testing.assert_allclose(run.q[-1], expected, atol=1e-5)


def test_a_ball_joint_turns_back_to_its_rest():
    """About a fixed axis it is a torsional spring."""
    ball = ph.Model(gravity=(0.0, 0.0, 0.0)).add(
        "ball", joint=Spherical(), mass=1.0, inertia=(0.5, 0.5, 0.5), stiffness=2.0
    )
    turn = np.array([0.3, -0.4, 0.5])
    q = ph.integrate(ball, ph.neutral(ball), turn)
    np.testing.assert_allclose(ph.passive_forces(ball, q, np.zeros(3)), -2.0 * turn, atol=1e-14)
    for integrator, exact in (("rk4", 1e-9), ("event_driven", 1e-6)):
        run = ph.simulate(ball, 1.0, q0=q, dt=1e-3, integrator=integrator)
        angle = ph.difference(ball, ph.neutral(ball), run.q[-1])
        np.testing.assert_allclose(angle, turn * np.cos(2.0), atol=exact)


def test_a_loop_has_one_number():
    """Its one free coordinate needs no tuple, and says so."""
    settings = JointSettings("pin", viscous_friction=(0.1, 0.2))
    scene = ph.Scene.of(GEARED)
    with pytest.raises(ModelError, match="expected one number as viscous_friction of a loop"):
        scene.add_loop("pin", "revolute", ("door", "leaf"), None, settings=settings)
