"""Values of sensors: closed forms, batches, ways of running, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError, ShapeError
from polhode.model import Anchor, Limits, Revolute, SensorKind, Spherical
from polhode.spatial import Transform

RNG = np.random.default_rng(3)
G = 9.81


def arm():
    """Two links on hinges, with a tool that is fixed to the second."""
    model = ph.Model("arm").add(
        "upper", joint=Revolute.y(), joint_name="shoulder", mass=2.0, com=(0.5, 0.0, 0.0),
        inertia=(0.1, 0.2, 0.3), limits=Limits(-1.0, 1.0),
    )  # fmt: skip
    model = model.add(
        "lower", parent="upper", joint=Revolute.z(), joint_name="elbow",
        frame=Transform.translation(1.0, 0.0, 0.0), mass=1.0, com=(0.2, 0.1, 0.0),
        inertia=(0.1, 0.1, 0.1), stiffness=3.0, rest=0.2,
    )  # fmt: skip
    return model.add("tool", parent="lower", frame=Transform.translation(0.4, 0.0, 0.1), mass=0.5)


def everything(model=None):
    """A scene with every kind of sensor that a state decides."""
    scene = ph.Scene.of(model or arm())
    for kind in SensorKind:
        if kind.subject == "body":
            scene = scene.add_sensor(kind, kind, ("arm", "tool"))
        elif kind.subject == "joint":
            scene = scene.add_sensor(kind, kind, ("arm", "elbow"))
        elif not kind.subject:
            scene = scene.add_sensor(kind, kind)
    return scene


def values_of(scene, name, *state, **more):
    return ph.sensors(scene, *state, **more)[..., scene.sensor_slices[name]]


def test_at_rest():
    """A body that is held feels gravity upwards, and its parent carries its weight."""
    scene, q, rest = everything(), [0.3, -0.4], [0.0, 0.0]
    R = ph.body_pose(scene.model, q, "arm/tool")[:3, :3]
    felt = values_of(scene, "accelerometer", q, rest, qdd=rest)
    np.testing.assert_allclose(R @ felt, (0, 0, G), atol=1e-14)
    carried = values_of(scene, "force", q, rest, qdd=rest)
    np.testing.assert_allclose(R @ carried, (0, 0, 0.5 * G), atol=1e-14)


def test_free_fall_is_not_felt():
    """In free fall an accelerometer shows nothing, and nothing is carried."""
    ball = ph.Scene().add_body("ball", ph.model.Sphere(0.1), mass=2.0)
    of = ("ball", "ball")
    scene = ball.add_sensor("felt", "accelerometer", of).add_sensor("force", "force", of)
    q, qd = scene.q0, scene.qd0
    np.testing.assert_allclose(ph.sensors(scene, q, qd), np.zeros(6), atol=1e-13)


def test_force_and_torque_of_a_joint():
    """About the axis of a joint, the torque is its joint force; external forces count."""
    model = arm()
    scene = ph.Scene.of(model).add_sensor("torque", "torque", ("arm", "lower"))
    q, qd, qdd = RNG.standard_normal((3, 5, 2))
    f_ext = RNG.standard_normal((5, 2, 6))
    found = ph.sensors(scene, q, qd, qdd, f_ext=f_ext)
    tau = ph.inverse_dynamics(model, q, qd, qdd, f_ext)
    np.testing.assert_allclose(found[:, 2], tau[:, 1], atol=1e-12)


def test_accelerations_are_those_of_forward_dynamics():
    """Without accelerations, springs, forces in joints and external forces move the scene."""
    scene = everything()
    q, qd, tau = RNG.standard_normal((3, 4, 2))
    f_ext = RNG.standard_normal((4, 2, 6))
    model = scene.model
    forces = tau + ph.passive_forces(model, q, qd)
    qdd = ph.forward_dynamics(model, q, qd, forces, f_ext)
    expected = ph.sensors(scene, q, qd, qdd, tau=tau, f_ext=f_ext)
    np.testing.assert_array_equal(ph.sensors(scene, q, qd, tau=tau, f_ext=f_ext), expected)


def test_velocities_are_rates():
    """Velocities are the rates of positions, accelerations those of velocities."""
    scene, h = everything(), 1e-6
    q, qd, qdd = RNG.standard_normal((3, 2))
    pairs = [("frame_linear_velocity", "frame_position"), ("joint_velocity", "joint_position"),
             ("subtree_linear_velocity", "subtree_com")]  # fmt: skip
    low, high = (ph.sensors(scene, q + s * h * qd, qd + s * h * qdd, qdd) for s in (-1, 1))
    now = ph.sensors(scene, q, qd, qdd)
    rate = (high - low) / (2 * h)
    for name, of in pairs:
        found, expected = now[scene.sensor_slices[name]], rate[scene.sensor_slices[of]]
        np.testing.assert_allclose(found, expected, atol=1e-8)
    felt = now[scene.sensor_slices["frame_linear_acceleration"]] - (0, 0, G)
    expected = rate[scene.sensor_slices["frame_linear_velocity"]]
    np.testing.assert_allclose(felt, expected, atol=1e-8)


def test_energies():
    """Energies are those of the whole, with springs."""
    scene, q, qd = everything(), [0.3, -0.4], [0.5, 0.7]
    kinetic, potential = ph.energy(scene.model, q, qd)
    np.testing.assert_allclose(values_of(scene, "kinetic_energy", q, qd)[0], kinetic, rtol=1e-14)
    expected = potential + 0.5 * 3.0 * 0.6**2
    np.testing.assert_allclose(values_of(scene, "potential_energy", q, qd)[0], expected, rtol=1e-13)


def test_against_a_moving_frame():
    """What rides on the reference stands still against it."""
    scene = ph.Scene.of(arm())
    for kind in ("frame_linear_velocity", "frame_angular_velocity", "frame_position"):
        frame = Transform.translation(0.1, 0.2, 0.3)
        scene = scene.add_sensor(kind, kind, ("arm", "tool"), reference=("arm", "lower"),
                                 reference_frame=frame)  # fmt: skip
    found = ph.sensors(scene, [0.3, -0.4], [0.5, 0.7])
    np.testing.assert_allclose(found, [0] * 6 + [0.3, -0.2, -0.2], atol=1e-15)


def test_limits():
    """The model's limits are those of the sensors; they show by how much they are passed."""
    scene = ph.Scene.of(arm())
    for kind in ("joint_limit_position", "joint_limit_velocity"):
        scene = scene.add_sensor(kind, kind, ("arm", "shoulder"))
    rows = [ph.sensors(scene, [q, 0.0], [2.0, 0.0]) for q in (-1.5, -0.5, 0.9, 1.2)]
    np.testing.assert_allclose(rows, [(-0.5, 2), (0, 0), (0, 0), (-0.2, -2)], atol=1e-15)


def test_cutoff():
    """A cutoff clamps both signs, and leaves directions alone."""
    scene = ph.Scene.of(arm())
    for kind in ("gyro", "frame_x_axis"):
        scene = scene.add_sensor(kind, kind, ("arm", "upper"), cutoff=0.5)
    found = ph.sensors(scene, [0.0, 0.0], [[-3.0, 0.0], [0.2, 0.0], [3.0, 0.0]])
    np.testing.assert_allclose(found[:, 1], (-0.5, 0.2, 0.5))
    np.testing.assert_allclose(found[:, 3], 1.0)


def test_batches_and_out():
    """A batch has the bits of its states one by one, also in an array that is given."""
    scene = everything()
    q, qd = RNG.standard_normal((2, 3, 7, 2))
    time = RNG.uniform(size=(3, 1))
    found = ph.sensors(scene, q, qd, time=time)
    assert found.shape == (3, 7, sum(sensor.kind.size for sensor in scene.sensors))
    for i, j in ((0, 0), (2, 5)):
        one = ph.sensors(scene, q[i, j], qd[i, j], time=time[i, 0])
        np.testing.assert_array_equal(found[i, j], one)
    out = np.empty_like(found)
    assert ph.sensors(scene, q, qd, time=time, out=out) is out
    np.testing.assert_array_equal(out, found)


def test_in_a_compiled_function():
    """Sensors may be part of a function that is compiled."""
    scene, q, qd = everything(), [0.3, -0.4], [0.5, 0.7]
    kept = tuple(x for x in scene.sensors if x.kind is not SensorKind.RANGEFINDER)
    scene = replace(scene, sensors=kept)
    program = ph.compile(lambda model, q, qd: ph.sensors(scene, q, qd), scene.model)
    np.testing.assert_allclose(program(q, qd), ph.sensors(scene, q, qd), atol=1e-13)


def test_a_spherical_joint():
    """Its quaternion has w first, its rate is in the axes of the body."""
    model = ph.Model("arm").add("ball", joint=Spherical(), joint_name="j", mass=1.0,
                                inertia=(1.0, 1.0, 1.0))  # fmt: skip
    scene = ph.Scene.of(model)
    for kind in ("joint_quaternion", "joint_angular_velocity"):
        scene = scene.add_sensor(kind, kind, ("arm", "j"))
    found = ph.sensors(scene, [0.0, 0.6, 0.0, 0.8], [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(found, [0.8, 0.0, 0.6, 0.0, 1.0, 2.0, 3.0])


DRIVING = ("actuator_position", "actuator_velocity", "actuator_force", "tendon_position",
           "tendon_velocity", "tendon_actuator_force")  # fmt: skip


def driven():
    """The arm with a tendon and three actuators, two of them on the tendon, all measured."""
    path = [Anchor(None, (0.0, 0.0, 1.0)), Anchor("lower", (0.2, 0.0, 0.1))]
    model = arm().add_tendon("line", path, limits=(1.0, 1.3))
    model = model.add_motor("pull", tendon="line", gear=2.0).add_motor("turn", joint="elbow")
    model = model.add_position_servo("slow", tendon="line", kp=5.0, time_constant=0.1)
    scene = ph.Scene.of(model)
    for kind in DRIVING:
        scene = scene.add_sensor(kind, kind, "pull" if kind.startswith("a") else "line")
    return scene.add_sensor("slow", "actuator_force", "arm/slow")


def test_actuators_and_tendons():
    """Their values are those of the functions of actuators and tendons."""
    scene = driven()
    q, qd = RNG.standard_normal((2, 4, 2))
    controls, a = RNG.standard_normal((4, 3)), RNG.uniform(size=(4, 1))
    found = ph.sensors(scene, q, qd, controls=controls, activation=a)
    length, velocity, force = ph.actuation.actuator_values(scene, q, qd, controls, a)
    J = ph.actuation.tendon_jacobian(scene, q)[:, 0]
    expected = [length[:, 0], velocity[:, 0], force[:, 0],
                ph.actuation.tendon_lengths(scene, q)[:, 0], np.sum(J * qd, axis=-1),
                force[:, 0] + force[:, 2], force[:, 2]]  # fmt: skip
    np.testing.assert_allclose(found, np.transpose(expected), rtol=1e-13, atol=1e-13)


def test_actuators_drive_what_sensors_feel():
    """Joint forces of actuators are measured beside given ones, and accelerate the scene."""
    scene = driven().add_sensor("joint", "joint_actuator_force", ("arm", "elbow"))
    scene = scene.add_sensor("imu", "accelerometer", ("arm", "tool"))
    q, qd, tau = RNG.standard_normal((3, 2))
    driving = {"controls": [0.3, -0.2, 0.5], "activation": [0.4]}
    applied = tau + ph.actuator_forces(scene, q, qd, *driving.values())
    qdd = ph.forward_dynamics(
        scene.model, q, qd, applied + ph.passive_forces(scene, q, qd)
    )  # fmt: skip
    found = ph.sensors(scene, q, qd, tau=tau, **driving)
    np.testing.assert_array_equal(found, ph.sensors(scene, q, qd, qdd, tau=tau, **driving))
    assert found[scene.sensor_slices["joint"]] == applied[1]
    held = {"controls": np.zeros(3), "activation": np.zeros(1)}
    np.testing.assert_array_equal(ph.sensors(scene, q, qd), ph.sensors(scene, q, qd, **held))
    program = ph.compile(lambda model, q, qd: ph.sensors(scene, q, qd, **held), scene.model)
    np.testing.assert_allclose(program(q, qd), ph.sensors(scene, q, qd), rtol=1e-12, atol=1e-12)


def test_a_tendon_carries_its_part_of_a_weight():
    """A slide bears the rest; of two links that are fixed to each other, the joint between."""
    block = ph.Model("block").add("block", joint=ph.model.Prismatic.x(), mass=1.0)
    block = block.add("eye", parent="block", frame=Transform.translation(0.0, 0.0, 0.5), mass=0.5)
    path = [Anchor(None, (0.0, 0.0, 2.0)), Anchor("block/eye", (0.0, 0.0, 0.0))]
    scene = ph.Scene.of(block).add_tendon("rope", path, stiffness=4.0, rest=1.0)
    for link in ("block", "eye"):
        scene = scene.add_sensor(link, "force", ("block", link))
    scene = scene.add_sensor("energy", "potential_energy")
    values = ph.sensors(scene, [0.0], [0.0], qdd=[0.0])
    pull, height = 4.0 * (1.5 - 1.0), 0.5
    expected = [0.0, 0.0, 1.5 * G - pull, 0.0, 0.0, 0.5 * G - pull, 0.5 * G * height + 0.5]
    np.testing.assert_allclose(values, expected, atol=1e-12)


def test_limits_of_tendons():
    """They show by how much a tendon is too short or too long."""
    scene = ph.Scene.of(arm().add_tendon("sum", joints={"elbow": 2.0}, limits=(-1.0, 1.0)))
    for kind in ("tendon_limit_position", "tendon_limit_velocity", "tendon_limit_force"):
        scene = scene.add_sensor(kind, kind, "sum")
    rows = [ph.sensors(scene, [0.0, q], [0.0, 2.0]) for q in (-0.7, -0.4, 0.4, 0.6)]
    expected = [(-0.4, 4, 0), (0, 0, 0), (0, 0, 0), (-0.2, -4, 0)]
    np.testing.assert_allclose(rows, expected, atol=1e-15)


def test_nothing_that_moves():
    """A scene that does not move has sensors, too, and one without sensors has no values."""
    scene = ph.Scene().add_fixed("post", ph.model.Box((1.0, 1.0, 1.0)), position=(1.0, 2.0, 3.0))
    scene = scene.add_sensor("place", "frame_position", ("post", "post")).add_sensor("t", "clock")
    np.testing.assert_array_equal(ph.sensors(scene, [], [], time=4.0), (1.0, 2.0, 3.0, 4.0))
    assert ph.sensors(ph.Scene.of(arm()), np.zeros((4, 2)), np.zeros(2)).shape == (4, 0)


def test_what_is_refused():
    """Names that are not there, kinds that do not fit, and sensors without functions."""
    scene = ph.Scene.of(arm())
    with pytest.raises(ModelError, match=r"no body of model 'arm' 'tol'.*'tool'"):
        scene.add_sensor("s", "gyro", ("arm", "tol"))
    with pytest.raises(ModelError, match="no joint of model 'arm' 'tool'"):
        scene.add_sensor("s", "joint_position", ("arm", "tool"))
    with pytest.raises(ModelError, match="expected a spherical joint"):
        scene.add_sensor("s", "joint_quaternion", ("arm", "elbow"))
    with pytest.raises(ModelError, match=r"expected a kind out of .*'accelerometer'"):
        scene.add_sensor("s", "acelerometer", ("arm", "tool"))
    with pytest.raises(ModelError, match="gyro has no reference"):
        scene.add_sensor("s", "gyro", ("arm", "tool"), reference=("arm", "upper"))
    with pytest.raises(ModelError, match="is of the whole scene"):
        scene.add_sensor("s", "clock", ("arm", "tool"))
    with pytest.raises(ModelError, match="a zone is for touch"):
        scene.add_sensor("s", "gyro", ("arm", "tool"), zone=ph.model.Sphere(0.1))
    with pytest.raises(ModelError, match="new name for each sensor, got 's' again"):
        scene.add_sensor("s", "clock").add_sensor("s", "clock")
    with pytest.raises(ModelError, match=r"no actuator 'moto'.*\(sensor 'm', scene 'arm'\)"):
        scene.add_motor("motor", joint="elbow").add_sensor("m", "actuator_force", "moto")
    with pytest.raises(ModelError, match="no tendon 'line'"):
        scene.add_sensor("m", "tendon_position", "line")
    with pytest.raises(ModelError, match="expected a Scene"):
        ph.sensors(arm(), [0, 0], [0, 0])  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="expected nq = 2"):
        ph.sensors(everything(), [0.0], [0.0, 0.0])
    with pytest.raises(ShapeError, match="f_ext"):
        ph.sensors(everything(), [0.0, 0.0], [0.0, 0.0], f_ext=np.zeros((3, 6)))


def test_controls_are_looked_at_even_where_no_sensor_needs_them():
    """Another number of them is refused, and any where there are no actuators."""
    arm = ph.Model("arm").add("link", joint=Revolute.y(), mass=1.0, com=(0.5, 0.0, 0.0))
    scene = ph.Scene.of(arm).add_sensor("rate", "gyro", ("arm", "link"))
    with pytest.raises(ph.ShapeError, match="expected n_controls = 0 on the last axis of controls"):
        ph.sensors(scene, [0.0], [0.0], controls=[1.0])
    driven = ph.Scene.of(arm.add_motor("motor", joint="link")).add_sensor("t", "clock", None)
    with pytest.raises(ph.ShapeError, match="expected n_controls = 1 on the last axis of controls"):
        ph.sensors(driven, [0.0], [0.0], controls=[1.0, 2.0])
    assert ph.sensors(driven, [0.0], [0.0], controls=[[1.0]] * 3).shape[-1] == 1
