"""Coupled joints in Moreau's step in lanes: geared twins, the other integrator, laws, bits."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import polhode as ph
from coupled_trees import pair_of
from polhode.model import Box, Limits, Mimic, Model, Prismatic, Revolute, Sphere
from polhode.simulation.lanes.programs import step_programs
from polhode.simulation.lanes.refining import refined
from polhode.spatial import Transform
from stepping.lanes import rolled


def hand() -> Model:
    """A palm on a slide; the right finger follows the left, in whose frame a tip turns."""
    model = (
        Model("hand")
        .add("slide", joint=Prismatic.z(), mass=0.5, inertia=(0.01,) * 3)
        .add("palm", parent="slide", joint=Revolute.x(), mass=1.0, com=(0.02, 0.0, 0.05),
             inertia=(0.01, 0.01, 0.01), damping=0.1)
        .add("left", parent="palm", joint=Revolute.x(), mass=0.2, com=(0.0, 0.0, 0.1),
             frame=Transform.translation(0.0, -0.1, 0.1), inertia=(0.002, 0.002, 0.001),
             limits=(-0.8, 0.8), friction=0.02)
        .add("tip", parent="left", joint=Revolute.y(), mass=0.1, com=(0.0, 0.0, 0.05),
             frame=Transform.translation(0.0, 0.0, 0.2), inertia=(0.001, 0.001, 0.001),
             damping=0.02)
        .add("right", parent="palm", joint=Revolute.x(), mass=0.3, com=(0.0, 0.0, 0.1),
             frame=Transform.translation(0.0, 0.1, 0.1), inertia=(0.002, 0.002, 0.001),
             armature=0.01, damping=0.05)
    )  # fmt: skip
    right = replace(model.links[-1], mimic=Mimic("left", -1.3, 0.1, coupled=True))
    return replace(model, links=(*model.links[:-1], right))


@cache
def scenes() -> tuple[ph.Scene, ph.Scene]:
    """Coupled fingers, and geared ones, that may touch a floor, a ball, and each other."""
    pair = pair_of(hand())
    tips = [("palm", Sphere(0.05), Transform.translation(0.0, 0.0, 0.0)),
            ("tip", Sphere(0.03), Transform.translation(0.0, 0.0, 0.1)),
            ("right", Sphere(0.03), Transform.translation(0.0, 0.0, 0.25))]  # fmt: skip
    made = []
    for model in (pair.coupled, pair.independent):
        q = np.array([0.1, 0.1, 0.3, 0.1])
        scene = (
            ph.Scene("grip", gravity=(0.0, 0.0, -9.81))
            .add_fixed("floor", Box((2.0, 2.0, 0.1)), position=(0.0, 0.0, -0.05))
            .add_machine(model, "hand", q=q if model is pair.coupled else pair.q(q),
                         geometries=tips)
            .add_body("ball", Sphere(0.08), mass=0.2, position=(0.0, 0.0, 0.62))
            .contact(mu_coulomb=0.6)
        )  # fmt: skip
        made.append(scene)
    coupled, independent = made
    return coupled, independent.add_gear("gear", ("hand", "right"), ("hand", "left"), -1.3)


def starts(n, seed):
    """Positions and velocities of hands with a ball between their fingers."""
    rng = np.random.default_rng(seed)
    scene = scenes()[0]
    q = np.tile(scene.q0, (n, 1))
    q[:, :4] += 0.2 * rng.normal(size=(n, 4)) * [0.2, 2, 1, 1]
    return q, 0.5 * rng.normal(size=(n, scene.model.nv))


def of_twin(pair, q, qd):
    """The state of the scene with a gear: the hand's in independent coordinates, the ball's."""
    nq, nv = pair.coupled.nq, pair.coupled.nv
    return (
        np.concatenate([pair.q(q[..., :nq]), q[..., nq:]], axis=-1),
        np.concatenate([pair.v(qd[..., :nv]), qd[..., nv:]], axis=-1),
    )


def test_contact_moves_coupled_fingers_as_geared_ones():
    """With a ball and the ground, friction, limits of the leader, and damping of the follower."""
    (coupled, geared), pair = scenes(), pair_of(hand())
    q, qd = starts(16, 1)
    whole_q, whole_qd = of_twin(pair, q, qd)
    options = {"steps": 250, "dt": 1e-3, "start": "keep"}
    ours = rolled(coupled, q=q, qd=qd, **options)
    theirs = rolled(geared, q=whole_q, qd=whole_qd, **options)
    moved_q, moved_qd = of_twin(pair, ours.q[-1], ours.qd[-1])
    for other in ("ball", "floor"):
        free = rolled(coupled.disable("hand", other), q=q, qd=qd, **options)
        assert (np.abs(free.q[-1] - ours.q[-1]).max(axis=-1) > 1e-3).sum() > 4
    np.testing.assert_allclose(moved_q, theirs.q[-1], rtol=0, atol=1e-5)
    np.testing.assert_allclose(moved_qd, theirs.qd[-1], rtol=0, atol=1e-3)


def test_the_limit_of_short_steps_is_the_motion_of_the_other_integrator():
    """Fingers that swing free of the floor: errors fall as the step does."""
    scene = scenes()[0].disable("hand", "ball")
    q, qd = np.array(scene.q0), np.zeros(scene.model.nv)
    q[0], qd[:4] = 3.0, (0.3, 0.5, 1.0, -2.0)
    exact = ph.rollout(scene, q=q, qd=qd, steps=3000, dt=1e-4, integrator="event_driven").q[-1]
    errors = [
        np.abs(rolled(scene, q=q, qd=qd, steps=round(0.3 / dt), dt=dt).q[-1] - exact).max()
        for dt in (4e-3, 2e-3, 1e-3)
    ]
    assert errors[0] < 0.05
    assert errors[1] < 0.6 * errors[0]
    assert errors[2] < 0.6 * errors[1]


def test_every_step_obeys_the_laws_by_the_other_solver():
    """Points on two fingers of one coordinate, which it moves apart."""
    scene, (q, qd), dt = scenes()[0], starts(100, 5), 2e-3
    programs, n = step_programs(scene), scene.model.nv
    x, tau = np.zeros((100, programs.kept.n_kept)), np.zeros((100, n))
    touched = 0
    for _ in range(60):
        given = q, qd, x, tau
        q, qd, x, error, _ = programs.step(*given, dt)
        solved = error < 1e-6
        assert solved.mean() > 0.95
        rows = programs.kept.all_rows(x)
        found = refined(programs.problem(*given, dt), programs.kinds, rows, dt)
        assert found.error[solved].max() < 1e-6
        touched += int((np.abs(rows[solved]).max(axis=-1) > 1e-4).sum())
    assert touched > 1000


def test_worlds_have_the_bits_that_they_have_alone():
    q, qd = starts(17, 7)
    options = {"steps": 100, "dt": 2e-3, "start": "keep"}
    many = rolled(scenes()[0], q=q, qd=qd, **options)
    for k in (0, 5, 16):
        alone = rolled(scenes()[0], q=q[k], qd=qd[k], **options)
        assert alone.q.tobytes() == many.q[:, k].tobytes()
        assert alone.qd.tobytes() == many.qd[:, k].tobytes()


def test_one_world_has_the_bits_of_a_roll_out():
    """`simulate` steps it with the same program."""
    scene = scenes()[0]
    run = ph.simulate(scene, 0.1, dt=1e-3, integrator="moreau")
    end = rolled(scene, steps=100, dt=1e-3)
    assert run.q[-1].tobytes() == end.q[-1].tobytes()


def jaws(mass: float) -> ph.Scene:
    """Two jaws on slides towards each other, and a box between them."""
    model = (
        Model("gripper")
        .add("left", joint=Prismatic.y(), mass=0.3, limits=(0.0, 0.5))
        .add("right", joint=Prismatic.y(), mass=0.3)
    )
    right = replace(model.links[1], mimic=Mimic("left", -1.0, 0.0, coupled=True))
    model = replace(model, links=(model.links[0], right))
    sides = [(name, Box((0.1, 0.02, 0.1)), Transform.translation(0.0, y, 0.0))
             for name, y in (("left", -0.3), ("right", 0.3))]  # fmt: skip
    return (
        ph.Scene("jaws", gravity=(0.0, 0.0, -9.81))
        .add_machine(model, "gripper", geometries=sides)
        .add_body("load", Box((0.1, 0.1, 0.1)), mass=mass, position=(0.0, 0.0, 0.0))
        .contact(mu_coulomb=0.5)
    )


def test_jaws_hold_as_much_as_friction_of_one_force_on_both_sides():
    """The force along the coordinate presses both: each side has half of it, and its friction."""
    force = 10.0
    held, slipping = (
        rolled(
            jaws(mass), steps=400, dt=5e-4, tau=[force, *[0.0] * 6],
            q=[0.24, *jaws(mass).q0[1:]],
        )
        for mass in (0.9 * 0.5 * force / 9.81, 1.1 * 0.5 * force / 9.81)
    )  # fmt: skip
    assert np.abs(held.qd[-1]).max() < 1e-6
    fall = -slipping.qd[-1, 1:4].min()
    assert fall == pytest.approx(9.81 * (1.0 - 1.0 / 1.1) * 0.2, rel=1e-3)


def test_limits_of_followers_stop_their_leader():
    """The tighter limit is that of the follower, in its own position."""
    model = hand()
    links = list(model.links)
    links[-1] = replace(links[-1], limits=Limits(-0.25, 0.5))
    scene = ph.Scene("hand", gravity=(0.0, 0.0, 0.0)).add_machine(
        replace(model, links=tuple(links)), "hand"
    )
    tau = np.zeros((2, 4))
    tau[:, 2] = 1.0, -1.0
    end = rolled(scene, q=np.tile(scene.q0, (2, 1)), steps=1000, dt=1e-3, tau=tau)
    right = -1.3 * end.q[-1, :, 2] + 0.1
    np.testing.assert_allclose(right, [-0.25, 0.5], atol=1e-6)


def test_loops_between_coupled_fingers_are_closed():
    """A rod that joins the tips of a scissors leaves only its slide free."""
    model = (
        Model("scissors", gravity=(0.0, 0.0, 0.0))
        .add("slide", joint=Prismatic.z(), mass=0.5, inertia=(0.01,) * 3)
        .add("left", parent="slide", joint=Revolute.x(), mass=0.2, com=(0.0, 0.0, 0.1),
             inertia=(0.002,) * 3)
        .add("right", parent="slide", joint=Revolute.x(), mass=0.2, com=(0.0, 0.0, 0.1),
             inertia=(0.002,) * 3)
    )  # fmt: skip
    right = replace(model.links[-1], mimic=Mimic("left", -1.0, 0.0, coupled=True))
    model = replace(model, links=(*model.links[:-1], right))
    tip = Transform.translation(0.0, 0.0, 0.3)
    scene = (
        ph.Scene("scissors", gravity=(0.0, 0.0, -1.0))
        .add_machine(model, "hand")
        .add_loop("pin", "spherical", ("hand", "left"), ("hand", "right"), frame_a=tip, frame_b=tip)
    )
    end = rolled(scene, tau=[0.0, 1.0], steps=100, dt=1e-3)
    np.testing.assert_allclose(end.q[-1, 1], 0.0, atol=1e-9)
    assert end.qd[-1, 0] == pytest.approx(-0.1, abs=1e-9)
