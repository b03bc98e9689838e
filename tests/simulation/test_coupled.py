"""Coupled joints in simulation: the motion of the same joints with a gear between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import polhode as ph
from coupled_trees import coupled_tree, pair_of
from polhode.model import Box, JointDynamics, Limits, Mimic, Model, Prismatic, Revolute, Sphere
from polhode.scene import ContactParameters
from polhode.spatial import Transform


def hand(offset: float = 0.0, gravity=(0.0, 0.0, 0.0)) -> Model:
    """A palm that turns, and two fingers; the right one follows the left."""
    model = (
        Model("hand", gravity=gravity)
        .add("palm", joint=Revolute.x(), mass=1.0, com=(0.02, 0.0, 0.05),
             inertia=(0.01, 0.01, 0.01))
        .add("left", parent="palm", joint=Revolute.x(), mass=0.2, com=(0.0, 0.0, 0.1),
             frame=Transform.translation(0.0, -0.1, 0.1), inertia=(0.002, 0.002, 0.001))
        .add("tip", parent="left", joint=Revolute.y(), mass=0.1, com=(0.0, 0.0, 0.05),
             frame=Transform.translation(0.0, 0.0, 0.2), inertia=(0.001, 0.001, 0.001))
        .add("right", parent="palm", joint=Revolute.x(), mass=0.3, com=(0.0, 0.0, 0.1),
             frame=Transform.translation(0.0, 0.1, 0.1), inertia=(0.002, 0.002, 0.001),
             armature=0.01)
    )  # fmt: skip
    right = replace(model.links[3], mimic=Mimic("left", -1.3, offset, coupled=True))
    return replace(model, links=(*model.links[:3], right))


def scenes(model: Model, q, qd, **more) -> tuple[ph.Scene, ph.Scene]:
    """The coupled model, and the independent one with a gear, each over a floor with a ball."""
    pair = pair_of(model)
    tips = [("tip", Sphere(0.03), Transform.translation(0.0, 0.0, 0.1)),
            ("right", Sphere(0.03), Transform.translation(0.0, 0.0, 0.25))]  # fmt: skip
    made = []
    for each, start, rate in (
        (pair.coupled, q, qd),
        (pair.independent, pair.q(np.array(q)), pair.v(np.array(qd))),
    ):
        scene = (
            ph.Scene("grip", gravity=(0.0, 0.0, -9.81), contacts=(ContactParameters(**more),))
            .add_fixed("floor", Box((2.0, 2.0, 0.1)), position=(0.0, 0.0, -0.35))
            .add_machine(each, "hand", q=start, qd=rate, geometries=tips)
            .add_body("ball", Sphere(0.08), mass=0.2, position=(0.0, 0.0, 0.45))
        )
        made.append(scene)
    coupled, independent = made
    return coupled, independent.add_gear("gear", ("hand", "right"), ("hand", "left"), -1.3)


def test_contact_moves_coupled_fingers_as_geared_ones():
    """A ball falls on two fingers, and both on a floor: the same motion, with friction."""
    start, rate = (0.2, 0.3, 0.1), (1.0, -0.5, 0.3)
    coupled, geared = scenes(hand(0.2), start, rate, restitution=0.0, mu_coulomb=0.6)
    ours, theirs = (ph.simulate(each, 0.4, dt=1e-4) for each in (coupled, geared))
    assert len(ours.contact_gap) == len(theirs.contact_gap) > 10
    pair = pair_of(hand(0.2))
    q, other = ours.of("hand")[0], theirs.of("hand")[0]
    np.testing.assert_allclose(pair.q(q), other, rtol=0, atol=1e-5)
    np.testing.assert_allclose(ours.of("ball")[0], theirs.of("ball")[0], rtol=0, atol=1e-5)


def test_elastic_contact_keeps_the_energy():
    """Of coupled fingers and a ball between them, as of geared ones."""
    for scene in scenes(hand(), (0.1, 0.2, 0.1), (0.0, 0.0, 0.0), restitution=1.0, mu_coulomb=0.0):
        run = ph.simulate(scene, 0.5, dt=2e-4)
        model = run.model
        total = np.array(
            [sum(ph.energy(model, q, qd)) for q, qd in zip(run.q, run.qd, strict=True)]
        )
        assert "1 rebound" in repr(run)
        assert np.ptp(total) < 1e-6 * abs(total).max()


@pytest.mark.parametrize("integrator", ["symplectic", "rk4", "event_driven", "RK45"])
def test_free_motion_keeps_the_energy(integrator):
    """Of fingers that swing with their palm, in every kind of integrator."""
    model = hand(0.3, (0.0, 0.0, -9.81))
    run = ph.simulate(model, 1.0, q0=(0.3, 0.2, 0.1), qd0=(1.0, 2.0, -1.0), integrator=integrator,
                      dt=5e-4)  # fmt: skip
    energy = ph.energy(model, run.q, run.qd)
    total = energy.kinetic + energy.potential
    assert np.ptp(total) < (1e-4 if integrator in ("symplectic", "event_driven") else 1e-6)


def test_dynamics_of_followers_act_on_their_leader():
    """Damping, dry friction, springs and limits: scaled, and added to the leader's own."""
    own = JointDynamics(damping=0.1, friction=0.2, armature=0.3, stiffness=4.0, rest=0.5)
    other = JointDynamics(damping=1.0, friction=2.0, armature=3.0, stiffness=8.0, rest=0.1)
    model = hand(0.7)
    links = list(model.links)
    links[1] = replace(links[1], dynamics=own, limits=Limits(-2.0, 2.0, 9.0, 5.0))
    links[3] = replace(links[3], dynamics=other, limits=Limits(-1.3, 1.6, 2.6, 1.0))
    model = replace(model, links=tuple(links))
    joint, m = model.joint("left"), -1.3
    assert joint.damping == pytest.approx(0.1 + m**2)
    assert joint.friction == pytest.approx(0.2 + abs(m) * 2.0)
    assert joint.armature == pytest.approx(0.3 + m**2 * 3.0)
    assert joint.stiffness == pytest.approx(4.0 + m**2 * 8.0)
    force = -4.0 * (0.2 - 0.5) - m * 8.0 * (m * 0.2 + 0.7 - 0.1)
    assert joint.stiffness * (joint.rest - 0.2) == pytest.approx(force)
    assert joint.limits is not None
    assert joint.limits.lower == pytest.approx((1.6 - 0.7) / m)
    assert joint.limits.upper == pytest.approx((-1.3 - 0.7) / m)
    assert (joint.limits.velocity, joint.limits.effort) == (pytest.approx(2.0), 5.0)
    assert model.joint("right").damping == 1.0
    assert model.limits.upper[1] == joint.limits.upper


def test_limits_of_followers_stop_their_leader():
    """The finger that follows ends at its own limit."""
    model = hand()
    right = replace(model.links[3], limits=Limits(-0.65, 1.0))
    model = replace(model, links=(*model.links[:3], right))
    run = ph.simulate(model, 1.0, qd0=(0.0, 2.0, 0.0), dt=1e-3)
    assert run.q[:, 1].max() == pytest.approx(0.5, abs=1e-6)


def test_actuators_and_tendons_act_on_followers():
    """A motor on a follower pushes its leader by the multiplier; a tendon measures its position."""
    model = hand(0.7).add_motor("motor", joint="right", gear=2.0)
    forces = ph.actuator_forces(model, (0.1, 0.2, 0.3), np.zeros(3), (1.5,))
    np.testing.assert_allclose(forces, (0.0, -1.3 * 3.0, 0.0))
    servo = hand(0.7).add_position_servo("servo", joint="right", kp=10.0)
    forces = ph.actuator_forces(servo, (0.1, 0.2, 0.3), np.zeros(3), (0.0,))
    np.testing.assert_allclose(forces[1], -1.3 * -10.0 * (-1.3 * 0.2 + 0.7))


def test_efforts_of_followers_bound_their_actuators():
    """Two motors share what the follower bears; the leader's own effort bounds the sum."""

    def force(own: float, leaders: float, *controls: float) -> float:
        model = hand(0.7)
        links = list(model.links)
        links[1] = replace(links[1], limits=Limits(effort=leaders))
        links[3] = replace(links[3], limits=Limits(effort=own))
        model = replace(model, links=tuple(links))
        for k, gear in enumerate((2.0, 1.0)):
            model = model.add_motor(f"motor{k}", joint="right", gear=gear)
        model = model.add_motor("other", joint="left")
        return float(ph.actuator_forces(model, (0.1, 0.2, 0.3), np.zeros(3), controls)[1])

    free = np.inf
    assert force(free, free, 1.5, 1.0, 0.5) == pytest.approx(-1.3 * 4.0 + 0.5)
    assert force(1.0, free, 1.5, 1.0, 0.5) == pytest.approx(-1.3 * 1.0 + 0.5)
    assert force(1.0, free, -1.5, 0.0, 0.5) == pytest.approx(1.3 * 1.0 + 0.5)
    assert force(1.0, free, 0.3, 0.1, 0.5) == pytest.approx(-1.3 * 0.7 + 0.5)
    assert force(1.0, 0.6, 1.5, 1.0, 0.5) == pytest.approx(-0.6)


def test_rollouts_are_those_of_simulation():
    """Many worlds in lanes move as each one by itself."""
    model = hand(0.2, (0.0, 0.0, -9.81))
    qd = np.random.default_rng(0).standard_normal((5, 3))
    many = ph.simulate(model, 0.2, qd0=qd, q0=np.zeros((5, 3)), integrator="rk4")
    for k in range(5):
        one = ph.simulate(model, 0.2, qd0=qd[k], q0=np.zeros(3), integrator="rk4")
        np.testing.assert_array_equal(many.q[:, k], one.q)


@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit"])
def test_rollouts_of_smooth_motion(integrator):
    """Worlds side by side in one program end where the equation of motion takes them."""
    model = hand(0.2, (0.0, 0.0, -9.81))
    qd = np.random.default_rng(1).standard_normal((7, 3))
    end = ph.rollout(model, q=np.zeros((7, 3)), qd=qd, steps=400, dt=5e-4, integrator=integrator)
    run = ph.simulate(model, 0.2, q0=np.zeros((7, 3)), qd0=qd, integrator="rk4", dt=5e-4)
    error = np.abs(end.q[-1] - run.q[-1]).max()
    assert error < (1e-12 if integrator == "rk4" else 1e-2)


def test_inverse_kinematics_moves_coupled_fingers():
    """The tip of a follower goes to where it can be; turns of a leader are not periods."""
    model = hand(0.2)
    want = ph.point_position(model, (0.2, 0.4, 0.1), "right", (0.0, 0.0, 0.2))
    targets = ph.kinematics.Targets(model).point("right", (0.0, 0.0, 0.2), want)
    found = ph.inverse_kinematics(model, targets, np.zeros(3))
    assert found.success
    reached = ph.point_position(model, found.q, "right", (0.0, 0.0, 0.2))
    np.testing.assert_allclose(reached, want, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_programs_are_the_algorithms(seed):
    """Compiled forward dynamics of random coupled trees, and its export."""
    pair = coupled_tree(seed)
    (q, qd, _), _, tau = pair.state(seed)
    ours = pair.G.T @ tau
    qdd = ph.forward_dynamics(pair.coupled, q, qd, ours)
    np.testing.assert_allclose(
        ph.inverse_dynamics(pair.coupled, q, qd, qdd), ours, rtol=0, atol=1e-9
    )
    assert "void" in ph.compile(ph.algorithms.forward_dynamics, pair.coupled).source("c")


def test_a_prismatic_gripper_closes_on_a_box():
    """Two jaws with one coordinate hold what one motor presses them on."""
    model = (
        Model("gripper")
        .add("left", joint=Prismatic.y(), mass=0.2, inertia=(1e-4, 1e-4, 1e-4))
        .add("right", joint=Prismatic.y(), mass=0.2, inertia=(1e-4, 1e-4, 1e-4))
    )
    right = replace(model.links[1], mimic=Mimic("left", -1.0, coupled=True))
    model = replace(model, links=(model.links[0], right)).add_motor("motor", joint="left")
    jaw = Box((0.04, 0.02, 0.04))
    scene = (
        ph.Scene("pick", contacts=(ContactParameters(mu_coulomb=0.8),))
        .add_machine(model, "gripper", q=(-0.08,), geometries=[("left", jaw), ("right", jaw)])
        .add_body("cube", Box((0.04, 0.04, 0.04)), mass=0.1)
        .add_fixed("floor", Box((1.0, 1.0, 0.1)), position=(0.0, 0.0, -0.0705))
    )
    run = ph.simulate(scene, 0.5, dt=1e-3, controls=(3.0,))
    assert run.of("gripper")[0][-1, 0] == pytest.approx(-0.03, abs=1e-4)
