"""Adhesion: actuators that press together what touches."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelWarning
from polhode.formats import mjcf
from polhode.model import Actuator, AdhesionTransmission, Box, Plane, Prismatic, Sphere

G = 9.81


def floor(friction=0.5):
    return ph.Scene("floor").add_fixed("floor", Plane()).contact(mu_coulomb=friction)


def sticky(scene, name="box"):
    return scene.add_actuator(Actuator("feet", AdhesionTransmission(f"{name}/{name}")))


def box(scene, **more):
    return scene.add_body("box", Box((0.2, 0.2, 0.2)), mass=2.0, **more)


def test_a_box_hangs_under_a_ceiling():
    """It stays as long as the force is above its weight."""
    scene = ph.Scene("ceiling").add_fixed("ceiling", Box((9.0, 9.0, 1.0)), position=(0, 0, 0.6))
    scene = sticky(box(scene.contact(mu_coulomb=0.5)))
    held = ph.simulate(scene, 0.5, controls=[2.1 * G])
    np.testing.assert_allclose(held.q[:, 2], 0.0, atol=1e-6)
    lets_go = ph.simulate(scene, 1.0, controls=lambda t, state: [2.1 * G if t < 0.5 else 1.9 * G])
    fallen = lets_go.q[:, 2][lets_go.times > 0.55]
    assert (fallen < -0.01).all()
    assert lets_go.q[-1, 2] == pytest.approx(-0.125 * G, rel=2e-2)  # no force once it is away


@pytest.mark.parametrize("force", [0.0, 10.0])
def test_friction_rises_by_it(force):
    """A box that slides is braked by the friction of its weight and the adhesion."""
    scene = sticky(box(floor(0.3), position=(0, 0, 0.1), velocity=(2.0, 0.0, 0.0)))
    run = ph.simulate(scene.add_sensor("n", "touch", ("box", "box")), 0.2, controls=[force])
    braking = 0.3 * (2.0 * G + force) / 2.0
    np.testing.assert_allclose(run.qd[-1, 0], 2.0 - 0.2 * braking, rtol=2e-3)
    np.testing.assert_allclose(run.sensors["n"][-1], 2.0 * G + force, rtol=1e-6)


def test_it_acts_on_both_bodies():
    """A box on another presses it, and the floor feels nothing of that."""
    scene = box(floor(), position=(0, 0, 0.1)).add_body(
        "top", Box((0.2, 0.2, 0.2)), mass=1.0, position=(0, 0, 0.3)
    )
    scene = sticky(scene, "top").add_sensor("top", "touch", ("top", "top"))
    scene = scene.add_sensor("floor", "touch", ("floor", "floor"))
    found = ph.simulate(scene, 0.3, controls=[30.0]).sensors
    np.testing.assert_allclose(found["top"][-1], G + 30.0, rtol=1e-5)
    np.testing.assert_allclose(found["floor"][-1], 3.0 * G, rtol=1e-5)


def test_sensors_feel_it():
    """A body that adhesion holds at rest feels gravity alone."""
    scene = sticky(box(floor(), position=(0, 0, 0.1)))
    scene = scene.add_sensor("imu", "accelerometer", ("box", "box"))
    found = ph.simulate(scene, 0.2, controls=[25.0]).sensors["imu"]
    np.testing.assert_allclose(found[1:], [(0.0, 0.0, G)] * (len(found) - 1), atol=1e-5)


def test_of_a_link_and_from_a_file():
    """MJCF's element acts, on the links of models, too: a leg keeps its foot on a wall."""
    text = """<mujoco><option gravity="0 0 0"/><worldbody><geom type="plane" size="1 1 1"/>
      <body name="leg" pos="0 0 0.1"><joint name="slide" type="slide" axis="0 0 1"/>
      <geom name="foot" type="sphere" size="0.1" mass="1"/></body></worldbody>
      <actuator><adhesion body="leg" ctrlrange="0 1" gain="5"/>
      <motor joint="slide"/></actuator></mujoco>"""
    scene = mjcf.parse(text).model
    held = ph.simulate(scene, 0.3, controls=[1.0, 4.9])
    np.testing.assert_allclose(held.q[-1], 0.0, atol=1e-6)
    torn = ph.simulate(scene, 0.3, controls=[1.0, 5.1])
    assert torn.q[-1, 0] > 0.1


def test_without_contact_it_says_so():
    """Runs without contact have no adhesion."""
    model = ph.Model("m").add("m", joint=Prismatic.z(), mass=1.0)
    model = model.add_actuator(Actuator("feet", AdhesionTransmission("m")))
    with pytest.warns(ModelWarning, match="adhesion of actuator 'feet' does not act without"):
        ph.simulate(model, 0.01, controls=[1.0])
    ball = ph.Scene("ball").add_body("ball", Sphere(0.1), mass=1.0)
    far = ph.simulate(sticky(ball, "ball"), 0.1, controls=[9.0])
    np.testing.assert_allclose(far.q[-1, 2], -0.005 * G, rtol=1e-9)
