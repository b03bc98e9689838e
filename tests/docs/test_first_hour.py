"""Twelve tasks of the first hour, as somebody does them who has read the how-to pages."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.algorithms import mass_matrix
from polhode.examples import path
from polhode.kinematics import Targets
from polhode.model import Box, Prismatic, Revolute, Sphere
from polhode.spatial import Transform

Q = np.array([0.3, 0.2, 0.5, 0.1, 0.4, 0.2])


@pytest.fixture(scope="module")
def arm() -> ph.Model:
    return ph.load(path("arm.urdf"))


def test_print_the_pose_of_an_end_effector(arm):
    """Of a fixed link, by name."""
    pose = ph.body_pose(arm, Q, "gripper")
    assert np.allclose(pose[:3, 3], ph.point_position(arm, Q, "gripper", (0.0, 0.0, 0.0)))


def test_drop_a_ball():
    """It hits the ground after the time that its height takes."""
    scene = (
        ph.Scene("drop")
        .add_fixed("ground", Box((4.0, 4.0, 1.0)), position=(0.0, 0.0, -0.5))
        .add_body("ball", Sphere(0.1), mass=1.0, position=(0.0, 0.0, 1.1))
        .contact(restitution=0.5, mu_coulomb=0.3)
    )
    run = ph.simulate(scene, 1.0)
    first = np.flatnonzero(np.diff(run.of("ball")[1][:, 2]) > 0.0)[0]
    assert abs(run.times[first] - np.sqrt(2.0 / 9.81)) < 0.02
    assert run.of("ball")[0][:, 2].min() > 0.1 - 1e-4


def test_grip_a_box():
    """Two fingers hold it by friction while the hand is pulled up."""
    hand = (
        ph.Model("hand")
        .add("palm", joint=Prismatic.z(), mass=1.0)
        .add("left", parent="palm", joint=Prismatic.x(), mass=0.1)
        .add("right", parent="palm", joint=Prismatic.x(), mass=0.1)
    )
    fingers = [(name, Box((0.02, 0.06, 0.06))) for name in ("left", "right")]
    scene = (
        ph.Scene("grip")
        .add_fixed("table", Box((1.0, 1.0, 0.1)), position=(0.0, 0.0, -0.05))
        .add_machine(hand, q=[0.05, -0.061, 0.061], geometries=fingers)
        .add_body("box", Box((0.1, 0.1, 0.1)), mass=0.2, position=(0.0, 0.0, 0.0501))
        .contact(mu_coulomb=0.8)
    )

    def grip(t, state):
        goal = 0.05 + 0.1 * max(t - 0.3, 0.0)
        lift = 1.4 * 9.81 + 200.0 * (goal - state.q[0]) - 40.0 * state.qd[0]
        return [lift, 20.0, -20.0]

    run = ph.simulate(scene, 1.0, controllers={"hand": grip})
    box, palm = run.of("box")[0][-1, 2], run.of("hand")[0][-1, 0]
    assert box > 0.1 and abs(box - palm) < 0.01


def test_a_hinge_with_a_limit():
    """It stops there."""
    door = ph.Model("door").add(
        "door", joint=Revolute.y(), mass=1.0, com=(0.0, 0.0, -0.5), inertia=(0.1, 0.1, 0.1),
        limits=(-0.5, 0.5), damping=0.1,
    )  # fmt: skip
    run = ph.simulate(door, 2.0, q0=[0.4], qd0=[3.0])
    assert 0.49 < np.abs(run.q).max() < 0.5 + 1e-6


def test_inverse_kinematics(arm):
    """Of a pose that is in reach."""
    pose = ph.body_pose(arm, Q, "gripper")
    found = ph.inverse_kinematics(arm, Targets(arm).pose("gripper", pose), ph.neutral(arm))
    assert found.success
    assert np.abs(ph.body_pose(arm, found.q, "gripper") - pose).max() < 1e-6


def test_many_mass_matrices(arm):
    """In one call, as one by one."""
    many = ph.random_configuration(arm, np.random.default_rng(0), size=10_000)
    H = ph.mass_matrix(arm, many)
    assert H.shape == (10_000, 6, 6) and np.array_equal(H[17], ph.mass_matrix(arm, many[17]))


def test_a_derivative(arm):
    """Of the forces by the positions, beside a difference."""
    d_q, _, _ = ph.inverse_dynamics_derivatives(arm, Q, 0 * Q, 0 * Q)
    step = 1e-6 * np.eye(6)[2]
    ahead, behind = (ph.inverse_dynamics(arm, Q + s, 0 * Q, 0 * Q) for s in (step, -step))
    assert np.allclose(d_q[:, 2], (ahead - behind) / 2e-6, atol=1e-7)


def test_identify_a_mass(arm):
    """From motion and forces that fit it."""
    rng = np.random.default_rng(0)
    q = ph.random_configuration(arm, rng, size=200)
    qd, qdd = rng.standard_normal((2, 200, arm.nv))
    tau = ph.inverse_dynamics(arm, q, qd, qdd)
    found = ph.identification.identify(arm, q, qd, qdd, tau)
    assert found.noise.max() < 1e-9 * np.abs(tau).max()
    heavier = ph.identification.with_inertial_parameters(arm, found.parameters)
    assert np.allclose(ph.inverse_dynamics(heavier, q, qd, qdd), tau, atol=1e-8)


def test_a_closed_loop():
    """A four-bar linkage that stays closed."""
    rod = {"mass": 1.0, "com": (0.5, 0.0, 0.0), "inertia": (1e-3, 1 / 12, 1 / 12)}
    along = Transform.translation(1.0, 0.0, 0.0)
    chain = ph.Model("four-bar").add("crank", joint=Revolute.y(), **rod)
    chain = chain.append("coupler", joint=Revolute.y(), frame=along, **rod)
    chain = chain.append("rocker", joint=Revolute.y(), frame=along, **rod)
    loops = ph.constraints.ConstraintSet(chain).loop(
        "ROOT", "rocker", along, along, axis=[[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 1]]
    )
    start = ph.assemble(chain, loops, np.array([-1.2, 1.3, 1.4]), np.zeros(3))
    run = ph.simulate(chain, 0.5, q0=start.q, qd0=start.qd, constraints=loops)
    errors = ph.constraints.constraint_errors(chain, loops, run.q[-1], run.qd[-1])
    assert np.abs(errors.position).max() < 1e-9


def test_the_ground_reaction_force_of_a_leg():
    """It carries the weight once the leg stands still."""
    leg = ph.Model("leg").add("foot", joint=Prismatic.z(), mass=5.0)
    scene = (
        ph.Scene("stand")
        .add_fixed("ground", Box((2.0, 2.0, 1.0)), position=(0.0, 0.0, -0.5))
        .add_machine(leg, q=[0.06], geometries=[("foot", Box((0.2, 0.1, 0.1)))])
        .contact(mu_coulomb=0.5)
    )
    run = ph.simulate(scene, 0.5)
    assert np.isclose(run.contact_forces("foot")[-1, 2], 5.0 * 9.81, rtol=1e-9)


def test_export_c(arm, tmp_path):
    """A source and its header."""
    program = ph.compile(mass_matrix, arm)
    for name, language in (("arm.c", "c"), ("arm.h", "h")):
        (tmp_path / name).write_text(program.source(language))
    assert "mass_matrix" in (tmp_path / "arm.h").read_text()


def test_a_live_view(arm):
    """A page that runs while somebody looks."""
    pytest.importorskip("websockets")
    view = ph.show(arm, live=True, block=False, open_browser=False)
    try:
        assert view.is_open and view.url.startswith("http://127.0.0.1:")
    finally:
        view.close()
