"""Servos in steps of any length: their gains act at the end of a step, to second order."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import polhode as ph
from polhode.api.actuation import actuator_gains
from polhode.model import (
    Actuator,
    Affine,
    DCMotor,
    Filter,
    ForceLaw,
    JointTransmission,
    LuGre,
    MuscleCurves,
    Revolute,
)
from polhode.scene import Scene

INERTIA = 1e-3
TURN = ph.Model("turn", gravity=(0, 0, 0)).add(
    "disk", joint=Revolute.z(), mass=1.0, inertia=(INERTIA, INERTIA, INERTIA)
)
STEPPED = ("event_driven", "moreau")
MUSCLE = MuscleCurves((0.2, 2.0), 5.0)
LAWS = {
    "motor": (ForceLaw(), 1),
    "servo": (ForceLaw(Affine(30.0), Affine(0.0, -30.0, -2.0)), 1),
    "by control": (ForceLaw(Affine(3.0, -1.0, -2.0)), 1),
    "filtered": (ForceLaw(Affine(9.0, 0.0, -3.0), Affine(1.0, -2.0), Filter(0.3)), 1),
    "muscle": (ForceLaw(MUSCLE, MUSCLE), 1),
    "voltage": (DCMotor(0.4, 2.0, max_torque=0.6), 1),
    "controlled": (DCMotor(0.4, 2.0, ("pos", "vel"), 3.0, 0.7, max_voltage=5.0), 2),
    "lagging": (DCMotor(0.4, 2.0, time_constant=0.01), 1),
}


def servo(kp: float, kv: float, **more) -> ph.Model:
    return TURN.add_position_servo("servo", joint="disk", kp=kp, kv=kv, **more)


def reach(kp: float, kv: float, t: float) -> float:
    """Where a servo that begins at 0 with the control 1 is at a time."""
    own, middle = np.emath.sqrt(kv * kv - 4.0 * kp * INERTIA), kv
    a, b = ((-middle + sign * own) / (2.0 * INERTIA) for sign in (1.0, -1.0))
    return float(np.real(1.0 - (a * np.exp(b * t) - b * np.exp(a * t)) / (a - b)))


def slopes(model: ph.Model, q: float, qd: float, controls, activation) -> list[float]:
    """How much less the force is by position and velocity, by differences."""

    def force(q: float, qd: float) -> float:
        return float(ph.actuator_forces(model, [q], [qd], controls, activation)[0])

    e = 1e-6
    return [(force(q - e, qd) - force(q + e, qd)) / (2.0 * e),
            (force(q, qd - e) - force(q, qd + e)) / (2.0 * e)]  # fmt: skip


@pytest.mark.parametrize("name", LAWS)
def test_gains_are_slopes_of_forces(name):
    """That by length of an active muscle, which may rise, is left out; none is negative."""
    law, n = LAWS[name]
    actuator = Actuator("a", JointTransmission("disk"), law, gear=1.5, force_range=(-20.0, 25.0))
    model = TURN.add_actuator(actuator)
    rng, some = np.random.default_rng(4), 0
    for _ in range(30):
        q, qd = rng.uniform(0.3, 1.0), rng.uniform(-1.5, 1.5)
        controls = rng.uniform(-2.0, 2.0, n) if name != "muscle" else rng.uniform(0.0, 1.0, n)
        activation = rng.uniform(0.0, 1.0, model.n_activations)
        stiffness, damping = actuator_gains(model, [q], [qd], controls, activation)
        expected = slopes(model, q, qd, controls, activation)
        if name == "muscle":
            still = slopes(model, q, qd, [0.0], activation)
            expected[0] = still[0]
        found = [stiffness[0], damping[0]]
        assert np.allclose(found, np.maximum(expected, 0.0), rtol=1e-6, atol=1e-6)
        some += max(found) > 0.0
    assert some > 5 or name in ("motor", "lagging")


def test_bristles_damp():
    """Their deflection is a state; its rate changes with the velocity."""
    motor = DCMotor(0.4, time_constant=0.01, friction=LuGre(100.0, 1.0, 0.5, 0.8, 0.1))
    model = TURN.add_actuator(Actuator("a", JointTransmission("disk"), motor))
    stiffness, damping = actuator_gains(model, [0.1], [0.2], [1.0], [0.0, 0.0])
    assert (stiffness[0], damping[0]) == (0.0, 1.0)


def test_clamped_forces_have_no_gains():
    clamped = servo(100.0, 3.0, force_range=(-1.0, 1.0))
    for q, kp in ((0.999, 100.0), (0.5, 0.0)):
        stiffness, damping = actuator_gains(clamped, [q], [0.0], [1.0])
        assert (stiffness[0], damping[0]) == (kp, 0.03 * kp)
    weak = ph.Model("weak").add(
        "disk", joint=Revolute.z(), mass=1.0, inertia=(1.0, 1.0, 1.0),
        limits=ph.model.Limits(effort=5.0),
    )  # fmt: skip
    weak = weak.add_position_servo("servo", joint="disk", kp=10.0)
    found = [actuator_gains(weak, [0.0], [0.0], [u])[0][0] for u in (0.4, 0.6, -0.6)]
    assert found == [10.0, 0.0, 0.0]
    pulled = TURN.add_tendon("t", joints={"disk": 1.0})
    pulled = replace(pulled, tendons=(replace(pulled.tendons[0], force_range=(-5.0, 5.0)),))
    for name in "ab":  # what the tendon bears is of both together, without their gears
        pulled = pulled.add_position_servo(name, tendon="t", kp=10.0, gear=2.0)
    found = [actuator_gains(pulled, [0.0], [0.0], [u, u])[0][0] for u in (0.2, 0.3)]
    assert found == [80.0, 0.0]


@pytest.mark.filterwarnings("ignore:joint 'disk' ran away")  # it swings within a step
@pytest.mark.parametrize("integrator", STEPPED)
@pytest.mark.parametrize("kp", [10.0, 1e3, 1e6])
@pytest.mark.parametrize("kv", [0.0, 0.1, 4.0, 1e3])
def test_no_gain_is_too_large_for_a_step(kp, kv, integrator):
    """MuJoCo's robots have gains that stop a light hand within a twentieth of a step."""
    for dt in (1e-2, 2e-3):
        run = ph.simulate(servo(kp, kv), 200 * dt, dt=dt, controls=[1.0], integrator=integrator)
        assert np.abs(run.q).max() < 4.0
        slow = kv * kv / (4.0 * kp * INERTIA) > 4.0
        if slow and kp > 10.0:  # over-damped, it creeps up
            assert abs(run.q[-1, 0] - reach(kp, kv, 200 * dt)) < 0.02


def test_worlds_side_by_side_are_stable_too():
    gains = np.linspace(0.0, 1.0, 16)[:, None]
    many = ph.rollout(Scene.of(servo(500.0, 40.0)), q=gains, controls=np.ones((16, 300, 1)),
                      steps=300, dt=2e-3)  # fmt: skip
    ends = [1.0 - (1.0 - x) * (1.0 - reach(500.0, 40.0, 0.6)) for x in gains[:, 0]]
    assert np.allclose(many.q[-1, :, 0], ends, atol=1e-3)


@pytest.mark.parametrize(("kp", "kv"), [(50.0, 0.1), (50.0, 0.45), (50.0, 2.0), (200.0, 8.0)])
def test_steps_are_of_second_order(kp, kv):
    """Beside the closed form; gains as they are at the start of a step would be of first order."""
    errors = []
    for dt in (5e-4, 2.5e-4, 1.25e-4):
        run = ph.simulate(servo(kp, kv), 0.02, dt=dt, controls=[1.0], integrator="event_driven")
        errors.append(abs(run.q[-1, 0] - reach(kp, kv, 0.02)))
    assert 3.4 < errors[0] / errors[1] < 4.6
    assert 3.4 < errors[1] / errors[2] < 4.6


@pytest.mark.parametrize("integrator", [*STEPPED, "symplectic"])
def test_work_is_what_energy_changes_by(integrator):
    run = ph.simulate(servo(50.0, 0.4), 0.1, dt=5e-4, controls=[1.0], integrator=integrator)
    energy = run.kinetic + run.potential
    scale = np.abs(run.work).max()
    most = 1e-12 if integrator in STEPPED else 1e-2
    assert np.abs(energy - energy[0] - run.work).max() < most * scale


def test_recorded_forces_are_those_of_the_step():
    """The mean over the step, which changes the velocity."""
    for integrator in STEPPED:
        run = ph.simulate(servo(500.0, 40.0), 0.02, dt=2e-3, controls=[1.0], record=1,
                          integrator=integrator)  # fmt: skip
        change = INERTIA * np.diff(run.qd[:, 0]) / 2e-3
        assert np.allclose(run.tau[1:, 0], change, rtol=1e-9, atol=1e-12)


def test_controls_of_functions_move_as_constant_ones():
    given = [ph.simulate(servo(500.0, 40.0), 0.1, dt=2e-3, controls=controls,
                         integrator="event_driven")
             for controls in ([1.0], lambda t, state: [1.0])]  # fmt: skip
    assert np.array_equal(given[0].q, given[1].q)


def test_smooth_motion_takes_strong_damping():
    for kv in (1.0, 4.0, 40.0):
        run = ph.simulate(servo(500.0, kv), 0.1, dt=2e-3, controls=[1.0], integrator="symplectic")
        assert abs(run.q[-1, 0] - reach(500.0, kv, 0.1)) < 2e-3


def test_tendons_pull_with_gains_of_any_size():
    """Of one on two joints, which the matrix of a step joins."""
    arm = TURN.add("hand", parent="disk", joint=Revolute.y(), mass=0.1, com=(0, 0, 0.1),
                   inertia=(1e-4, 1e-4, 1e-4))  # fmt: skip
    arm = arm.add_tendon("both", joints={"disk": 1.0, "hand": -2.0})
    arm = arm.add_position_servo("servo", tendon="both", kp=300.0, kv=30.0)
    for integrator in STEPPED:
        run = ph.simulate(arm, 1.0, dt=2e-3, controls=[0.5], integrator=integrator)
        length = run.q[:, 0] - 2.0 * run.q[:, 1]
        assert np.abs(run.qd).max() < 50.0
        assert math.isclose(length[-1], 0.5, abs_tol=1e-3)


@pytest.mark.parametrize("integrator", STEPPED)
def test_springs_in_tendons_are_stable_too(integrator):
    """Stiffer, and with more damping, than a step of 2 ms follows."""
    for stiffness, damping in ((500.0, 4.0), (500.0, 40.0), (1e5, 40.0)):
        pulled = TURN.add_tendon("t", joints={"disk": 1.0}, rest=(1.0, 1.0), stiffness=stiffness,
                                 damping=damping)  # fmt: skip
        run = ph.simulate(pulled, 0.1, dt=2e-3, integrator=integrator)
        assert abs(run.q[-1, 0] - reach(stiffness, damping, 0.1)) < 4e-3


@pytest.mark.filterwarnings("ignore:joint 'disk' ran away")
@pytest.mark.parametrize("integrator", STEPPED)
@pytest.mark.parametrize("stiffness", [10.0, 1e3, 1e5, 1e7])
def test_springs_in_joints_are_stable_too(stiffness, integrator):
    made = ph.Model("turn", gravity=(0, 0, 0)).add(
        "disk", joint=Revolute.z(), mass=1.0, inertia=(INERTIA,) * 3, stiffness=stiffness, rest=1.0
    )
    run = ph.simulate(made, 2.0, dt=2e-3, integrator=integrator)
    assert np.abs(run.q - 1.0).max() < 1.6
    if stiffness > 1e3 and integrator == "moreau":
        assert abs(run.q[-1, 0] - 1.0) < 1e-3  # what is too fast for the step dies out


def test_swings_that_steps_follow_go_on():
    """A servo without damping that turns by 0.3 in a step keeps its amplitude for 20 turns."""
    dt = 2e-3
    made = servo(INERTIA * (0.3 / dt) ** 2, 0.0)
    run = ph.simulate(made, 400 * dt, dt=dt, controls=[1.0], integrator="moreau", record=1)
    assert 0.99 < np.abs(run.q[-40:, 0] - 1.0).max() < 1.01
