"""Sensors in recordings: contacts, limits, noise and delay."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ArgumentError
from polhode.model import Box, Limits, Plane, Prismatic, Revolute, Sphere
from polhode.spatial import Transform

G = 9.81


def on_floor(friction=0.5, **body):
    """A box of 2 kg on the floor."""
    scene = ph.Scene("floor").add_fixed("floor", Plane()).contact(mu_coulomb=friction)
    options = {"mass": 2.0, "position": (0.0, 0.0, 0.1)} | body
    return scene.add_body("box", Box((0.4, 0.2, 0.2)), **options)


def test_a_box_that_rests():
    """It feels the floor, but for the record at the start, before any step."""
    scene = on_floor().add_sensor("imu", "accelerometer", ("box", "box"))
    scene = scene.add_sensor("touch", "touch", ("box", "box"))
    recording = ph.simulate(scene, 0.2, record=0.02)
    np.testing.assert_allclose(recording.sensors["imu"][1:], [(0.0, 0.0, G)] * 10, atol=1e-6)
    np.testing.assert_allclose(recording.sensors["touch"][1:], 2.0 * G, atol=1e-6)
    np.testing.assert_allclose(recording.sensors["touch"][0], 0.0)


def test_a_box_that_slides():
    """Friction brakes it; a touch sensor shows normal forces alone, whichever body it is on."""
    scene = on_floor(0.3, velocity=(2.0, 0.0, 0.0)).add_sensor(
        "imu", "accelerometer", ("box", "box")
    )
    scene = scene.add_sensor("touch", "touch", ("box", "box"))
    scene = scene.add_sensor("below", "touch", ("floor", "floor"))
    recording = ph.simulate(scene, 0.3, record=0.02)
    np.testing.assert_allclose(recording.sensors["imu"][1:, 0], -0.3 * G, atol=1e-6)
    for name in ("touch", "below"):
        np.testing.assert_allclose(recording.sensors[name][1:, 0], 2.0 * G, atol=1e-6)


def test_zones_of_touch():
    """Each half of the box bears half of its weight; a zone away from the floor bears none."""
    scene = on_floor()
    for name, x, z in (("left", -0.2, -0.1), ("right", 0.2, -0.1), ("top", 0.0, 0.1)):
        frame = Transform.translation(x, 0.0, z)
        scene = scene.add_sensor(name, "touch", ("box", "box"), frame=frame,
                                 zone=Box((0.1, 0.3, 0.02)))  # fmt: skip
    scene = scene.add_sensor("few", "touch", ("box", "box"), zone=Sphere(1.0), cutoff=5.0)
    found = ph.simulate(scene, 0.2, record=0.02).sensors
    np.testing.assert_allclose(found["left"][1:], G, atol=1e-6)
    np.testing.assert_allclose(found["right"][1:], G, atol=1e-6)
    np.testing.assert_allclose(found["top"], 0.0)
    np.testing.assert_allclose(found["few"][1:], 5.0)


def test_force_in_a_foot():
    """A foot that is fixed to a leg bears the leg, not its own weight; moments have their arm."""
    model = ph.Model("leg").add("shank", joint=Prismatic.z(), mass=3.0)
    model = model.add("foot", parent="shank", mass=1.0, frame=Transform.translation(0.2, 0.0, -0.5))
    scene = ph.Scene("stand").add_fixed("floor", Plane()).contact(mu_coulomb=0.5)
    scene = scene.add_machine(model, q=[0.6], geometries=[("foot", Sphere(0.1))])
    for kind in ("force", "torque"):
        scene = scene.add_sensor(kind, kind, ("leg", "foot"))
        scene = scene.add_sensor(f"{kind} above", kind, ("leg", "shank"))
    found = ph.simulate(scene, 0.2, record=0.02).sensors
    np.testing.assert_allclose(found["force"][1:], [(0.0, 0.0, -3.0 * G)] * 10, atol=1e-5)
    np.testing.assert_allclose(found["torque"][1:], 0.0, atol=1e-5)
    np.testing.assert_allclose(found["force above"][1:], 0.0, atol=1e-5)
    # About the shank, the floor pushes the foot up and gravity pulls it down.
    expected = -0.2 * (1.0 - 4.0) * G * np.array((0.0, 1.0, 0.0))
    np.testing.assert_allclose(found["torque above"][1:], [expected] * 10, atol=1e-5)


def test_force_of_a_limit():
    """A bar that leans on its limit is held by it; within its limits nothing holds it."""
    model = ph.Model("bar").add(
        "bar", joint=Revolute.y(), joint_name="hinge", mass=2.0, com=(0.5, 0.0, 0.0),
        limits=Limits(-1.0, 0.0),
    )  # fmt: skip
    scene = ph.Scene.of(model, q=[-1e-3])
    for kind in ("joint_limit_force", "joint_limit_position"):
        scene = scene.add_sensor(kind, kind, ("bar", "hinge"))
    recording = ph.simulate(scene, 0.3, record=0.02)
    held = recording.sensors["joint_limit_force"]
    np.testing.assert_allclose(held[0], 0.0)
    np.testing.assert_allclose(held[-1], 2.0 * G * 0.5, rtol=1e-6)
    assert np.abs(recording.sensors["joint_limit_position"]).max() < 1e-6


def test_what_needs_no_contacts():
    """Positions, velocities and the clock are those of the records."""
    scene = on_floor(position=(0.0, 0.0, 1.0)).add_sensor("at", "frame_position", ("box", "box"))
    scene = scene.add_sensor("fast", "velocimeter", ("box", "box")).add_sensor("t", "clock")
    recording = ph.simulate(scene, 0.2, record=0.02)
    np.testing.assert_allclose(recording.sensors["at"], recording.q[:, :3], atol=1e-15)
    np.testing.assert_allclose(recording.sensors["fast"], recording.qd[:, :3], atol=1e-15)
    np.testing.assert_array_equal(recording.sensors["t"][:, 0], recording.times)


def test_actuators_in_a_run():
    """Their values are those at the records; without joint forces they are not there."""
    model = ph.Model("bar").add(
        "bar", joint=Revolute.y(), joint_name="hinge", mass=2.0, com=(0.5, 0.0, 0.0),
    )  # fmt: skip
    scene = ph.Scene.of(model).add_tendon("sum", joints={"hinge": 2.0})
    scene = scene.add_position_servo("servo", tendon="sum", kp=40.0, time_constant=0.1)
    for kind, of in (("actuator_position", "servo"), ("actuator_force", "servo"),
                     ("tendon_velocity", "sum"), ("tendon_actuator_force", "sum"),
                     ("joint_actuator_force", ("bar", "hinge"))):  # fmt: skip
        scene = scene.add_sensor(kind, kind, of)
    run = ph.simulate(scene, 0.5, controls=lambda t, state: [t])
    found = {name: values[:, 0] for name, values in run.sensors.items()}
    np.testing.assert_array_equal(found["actuator_position"], 2.0 * run.q[:, 0])
    np.testing.assert_array_equal(found["tendon_velocity"], 2.0 * run.qd[:, 0])
    force = 40.0 * (run.activation[:, 0] - 2.0 * run.q[:, 0])
    for name in ("actuator_force", "tendon_actuator_force"):
        np.testing.assert_allclose(found[name], force, rtol=1e-13, atol=1e-13)
    np.testing.assert_array_equal(found["joint_actuator_force"], run.tau[:, 0])
    assert np.abs(force).max() > 1.0
    bare = ph.simulate(scene, 0.1, joint_forces="none").sensors
    assert bare.keys() == {"tendon_velocity", "tendon_actuator_force", "joint_actuator_force"}
    np.testing.assert_array_equal(bare["tendon_actuator_force"], 0.0)


def test_noise_and_delay():
    """Noise has its deviation and its seed; a delay shows what was; neither touches the exact."""
    scene = on_floor(position=(0.0, 0.0, 9.0))
    scene = scene.add_sensor("noisy", "frame_position", ("box", "box"), noise=0.2)
    scene = scene.add_sensor("late", "clock", delay=0.0135)
    recording = ph.simulate(scene, 1.0, record=0.001)
    first, again, other = (recording.measured(seed) for seed in (7, 7, 8))
    np.testing.assert_array_equal(first["noisy"], again["noisy"])
    assert (first["noisy"] != other["noisy"]).all()
    errors = first["noisy"] - recording.sensors["noisy"]
    assert np.std(errors) == pytest.approx(0.2, rel=0.05)
    assert abs(errors.mean()) < 0.02
    late = recording.times - first["late"][:, 0]
    np.testing.assert_allclose(late[20:], 0.014, atol=1e-12)  # at the record before
    np.testing.assert_array_equal(first["late"][:13, 0], 0.0)


def test_sensors_have_streams_of_their_own():
    """A sensor more does not change the noise of those before it."""
    scene = on_floor().add_sensor("a", "clock", noise=1.0)
    more = scene.add_sensor("b", "clock", noise=1.0)
    one, two = (ph.simulate(x, 0.1).measured(1) for x in (scene, more))
    np.testing.assert_array_equal(one["a"], two["a"])
    assert (two["a"] != two["b"]).all()


def test_without_a_scene():
    """A recording of a model has no sensors; one of a scene without any has none."""
    model = ph.Model("bar").add("bar", joint=Revolute.y(), mass=2.0, com=(0.5, 0.0, 0.0))
    with pytest.raises(ArgumentError, match="expected a recording with its scene"):
        _ = ph.simulate(model, 0.1).sensors
    assert ph.simulate(on_floor(), 0.1).sensors == {}
