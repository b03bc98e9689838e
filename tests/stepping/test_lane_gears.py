"""Gears in Moreau's step in lanes: closed forms, the other integrator, laws, bits and starts."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.model import Plane, Prismatic, Revolute, Sphere
from polhode.simulation.lanes.programs import step_programs
from polhode.simulation.lanes.refining import refined
from polhode.spatial import Transform
from stepping.lanes import rolled


def wheels(ratio, inertias):
    """Two wheels on parallel axes: q_a = ratio q_b."""
    model = ph.Model("wheels")
    for name, own, x in zip("ab", inertias, (0.0, 1.0), strict=True):
        frame = Transform.translation(x, 0, 0)
        model = model.add(name, frame=frame, joint=Revolute.z(), mass=1.0, inertia=(own,) * 3)
    scene = ph.Scene("wheels", gravity=(0, 0, 0)).add_machine(model, "wheels")
    return scene.add_gear("gear", ("wheels", "a"), ("wheels", "b"), ratio)


def leg():
    """A leg on a slide whose knee turns twice as far as its hip, over a floor with friction."""
    block = np.eye(3) * 0.01
    below = Transform.translation(0, 0, -0.4)
    model = (
        ph.Model("leg")
        .add("slide", joint=Prismatic.z(), mass=0.1, inertia=block)
        .add("trunk", parent="slide", joint=Prismatic.x(), mass=4.0, inertia=block)
        .add("thigh", parent="trunk", joint=Revolute.y(), mass=1.0, com=(0, 0, -0.2),
             inertia=block, damping=0.2, limits=(-1.5, 1.5))
        .add("shank", parent="thigh", frame=below, joint=Revolute.y(), mass=0.5,
             com=(0, 0, -0.2), inertia=block, friction=0.1)
    )  # fmt: skip
    return (
        ph.Scene("leg")
        .add_machine(model, q=[0.9, 0.0, 0.4, -0.8])
        .add_geometry("foot", ("leg", "shank"), Sphere(0.05), frame=below)
        .add_fixed("floor", Plane())
        .contact(mu_coulomb=0.7)
        .add_gear("knee", ("leg", "shank"), ("leg", "thigh"), -2.0)
    )


def random_starts(n, seed):
    """Positions and velocities of legs that keep the gear."""
    rng = np.random.default_rng(seed)
    q = np.array(leg().q0) + 0.2 * rng.normal(size=(n, 4)) * [0.5, 1, 1, 0]
    qd = rng.normal(size=(n, 4))
    q[:, 3], qd[:, 3] = -2.0 * q[:, 2], -2.0 * qd[:, 2]
    return q, qd


def test_geared_wheels_share_their_inertia():
    """(I_b + r^2 I_a) q_b'' = tau_b + r tau_a."""
    r, (ia, ib), (ta, tb) = -2.5, (0.2, 0.7), (3.0, 1.0)
    end = rolled(wheels(r, (ia, ib)), steps=200, dt=1e-3, tau=[ta, tb])
    qd, q = end.qd[-1], end.q[-1]
    assert qd[1] / 0.2 == pytest.approx((tb + r * ta) / (ib + r * r * ia), rel=1e-9)
    assert qd[0] == pytest.approx(r * qd[1], rel=1e-9)
    assert q[0] == pytest.approx(r * q[1], rel=1e-9)
    assert not end.refined.any()


def test_the_limit_of_short_steps_is_the_motion_of_the_other_integrator():
    """A geared leg that swings free of the floor: errors fall as the step does."""
    scene = leg()
    q, qd = np.add(scene.q0, [5.0, 0, 0, 0]), np.array([0.0, 0.5, 1.0, -2.0])
    exact = ph.rollout(scene, q=q, qd=qd, steps=4000, dt=1e-4, integrator="event_driven").q[-1]
    errors = [
        np.abs(rolled(scene, q=q, qd=qd, steps=round(0.4 / dt), dt=dt).q[-1] - exact).max()
        for dt in (4e-3, 2e-3, 1e-3)
    ]
    assert errors[0] < 0.05
    assert errors[1] < 0.6 * errors[0]
    assert errors[2] < 0.6 * errors[1]


def test_gears_hold_in_every_step_with_contact():
    """Velocities to the tolerance of the solver; positions even while deep overlaps leave."""
    q, qd = random_starts(100, 3)
    way = rolled(leg(), q=q, qd=qd, steps=1000, dt=1e-3, record_every=1, start="keep")
    assert not way.failed.any() and way.unsolved.sum() <= 1e-3 * 100 * 1000
    assert np.abs(way.q[..., 3] + 2.0 * way.q[..., 2]).max() < 1e-6
    overlap = 0.05 + 0.4 * np.cos(q[:, 2]) + 0.4 * np.cos(q[:, 2] + q[:, 3]) - q[:, 0]
    assert overlap.max() > 0.1
    speed = np.abs(way.qd).max()
    assert np.abs(way.qd[1:, ..., 3] + 2.0 * way.qd[1:, ..., 2]).max() < 1e-6 * speed
    assert way.q[-1, :, 0].min() < 0.8


def test_every_step_obeys_the_laws_by_the_other_solver():
    scene, (q, qd), dt = leg(), random_starts(200, 5), 2e-3
    programs = step_programs(scene)
    x, tau = np.zeros((200, programs.kept.n_kept)), np.zeros((200, 4))
    for _ in range(80):
        given = q, qd, x, tau
        q, qd, x, error, _ = programs.step(*given, dt)
        solved = error < 1e-6
        assert solved.mean() > 0.98
        rows = programs.kept.all_rows(x)
        found = refined(programs.problem(*given, dt), programs.kinds, rows, dt)
        assert found.error[solved].max() < 1e-6
    assert np.abs(found.x - rows)[solved].max() < 1e-4 * np.abs(rows).max()


def test_worlds_with_gears_have_the_bits_that_they_have_alone():
    q, qd = random_starts(17, 7)
    options = {"steps": 200, "dt": 2e-3, "start": "keep"}
    many = rolled(leg(), q=q, qd=qd, **options)
    for k in (0, 5, 16):
        alone = rolled(leg(), q=q[k], qd=qd[k], **options)
        assert alone.q.tobytes() == many.q[:, k].tobytes()


def test_starts_off_their_gears_are_refused_or_come_together_without_a_velocity():
    scene = wheels(2.0, (0.2, 0.7))
    with pytest.raises(ph.simulation.StartError, match=r"gear 'gear' is off by 0\.1"):
        rolled(scene, q=[0.1, 0.0], steps=1, dt=1e-3)
    end = rolled(scene, q=[0.1, 0.0], steps=10, dt=1e-3, start="keep")
    assert end.q[-1, 0] == pytest.approx(2.0 * end.q[-1, 1], abs=2e-7)
    assert np.abs(end.qd).max() == 0.0


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("size", [1, 3, 17])
def test_bits_depend_on_neither_the_size_of_a_batch_nor_threads(size, threads):
    q, qd = random_starts(1000, 11)
    options = {"steps": 100, "dt": 2e-3, "start": "keep"}
    before = ph.get_num_threads()
    try:
        ph.set_num_threads(3 - threads)
        many = rolled(leg(), q=q, qd=qd, **options)
        ph.set_num_threads(threads)
        few = rolled(leg(), q=q[:size], qd=qd[:size], **options)
    finally:
        ph.set_num_threads(before)
    assert few.q.tobytes() == many.q[:, :size].copy().tobytes()
    assert few.qd.tobytes() == many.qd[:, :size].copy().tobytes()
