"""How near steps with contact are to switches: closed forms, and derivatives beyond a switch."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.model import Box, Plane, Prismatic, Sphere
from polhode.spatial import Transform
from stepping.test_step_derivatives import STEP, G, after, on_floor, random_speeds
from stepping.test_step_laws import machine

MASS, MU, FAR = 2.0, 0.4, 1e-3 / STEP


def sledge(**dynamics):
    """A mass that moves along x and z without turning, with a foot on a floor."""
    model = ph.Model("sledge").add("x", joint=Prismatic.x(), **dynamics)
    model = model.add("z", parent="x", joint=Prismatic.z(), mass=MASS,
                      frame=Transform.translation(0, 0, 0.1))  # fmt: skip
    scene = ph.Scene("sledge").add_fixed("floor", Plane()).contact(mu_coulomb=MU)
    return scene.add_machine(model, "sledge", geometries=[("z", Sphere(0.1))])


def test_a_ball_above_the_floor_is_as_far_as_it_misses_it_by():
    scene = on_floor(Sphere(0.1), 0.1)
    step, heights = ph.compile_step(scene, dt=STEP), np.array([1e-6, 1e-4, 3e-4, 0.1])
    q = np.tile(scene.q0, (4, 1))
    q[:, 2] += heights
    wanted = np.minimum(np.abs(heights / STEP - G * STEP), FAR)
    np.testing.assert_allclose(step.margin(q, scene.qd0), wanted, atol=1e-8)


def test_weight_opens_at_what_it_falls_in_a_step():
    scene = sledge()
    step = ph.compile_step(scene, dt=STEP)
    lifted = np.array([[0.0, 0.0], [0.0, 5.0], [0.0, MASS * G + 1.0]])
    found = step.margin(scene.q0, scene.qd0, tau=lifted)
    pressing = G * STEP * MU  # friction gives way before the foot opens
    wanted = [pressing, (G - 5.0 / MASS) * STEP * MU, STEP / MASS]
    np.testing.assert_allclose(found, wanted, atol=1e-8)


@pytest.mark.parametrize("slip", [0.0, 0.3])
def test_the_margin_goes_to_zero_where_a_point_begins_to_slide(slip):
    """Pushed by a force, it sticks up to mu m g; there the derivatives are others."""
    scene = sledge()
    step = ph.compile_step(scene, dt=STEP)
    qd = np.array([slip, 0.0])
    least = MU * MASS * G - slip * MASS / STEP  # the force that keeps it from sticking
    off = np.array([-1.0, -1e-2, -1e-4, 1e-4, 1e-2, 1.0])
    tau = np.stack([least + off, np.zeros(6)], axis=1)
    margin = step.margin(scene.q0, qd, tau=tau)
    np.testing.assert_allclose(margin, np.abs(off) * STEP / MASS, atol=1e-8)
    A, _ = step.derivatives(scene.q0, np.tile(qd, (6, 1)), tau=tau)
    np.testing.assert_allclose(A[:, 2, 2], [0, 0, 0, 1, 1, 1], atol=1e-9)


def test_dry_friction_of_a_joint():
    model = ph.Model("slide").add("slide", joint=Prismatic.x(), mass=MASS, friction=3.0)
    scene = ph.Scene("slide").add_machine(model, "slide")
    step, off = ph.compile_step(scene, dt=STEP), np.array([-1.0, -1e-3, 1e-3, 1.0])
    tau = (3.0 + off)[:, None]
    found = step.margin(scene.q0, scene.qd0, tau=tau)
    np.testing.assert_allclose(found, np.abs(off) * STEP / MASS, atol=1e-9)
    A, _ = step.derivatives(scene.q0, scene.qd0, tau=tau)
    np.testing.assert_allclose(A[:, 1, 1], [0, 0, 1, 1], atol=1e-9)


def test_worlds_have_the_margins_that_they_have_alone():
    scene, _ = machine(3)
    step = ph.compile_step(scene, dt=STEP)
    q, qd = after(scene, random_speeds(scene), 120)
    found = step.margin(q.reshape(4, 4, -1), qd.reshape(4, 4, -1))
    assert found.shape == (4, 4) and (found >= 0.0).all() and (found <= FAR).all()
    for k in (0, 7, 15):
        assert float(step.margin(q[k], qd[k])) == found.reshape(16)[k]


@pytest.mark.parametrize("lost", [np.nan, np.inf])
def test_states_that_are_no_numbers_have_no_margin(lost):
    """Not that of a state far from all switches, and worlds beside them keep theirs."""
    scene = on_floor(Box((0.4, 0.4, 0.1)), 0.05)
    step = ph.compile_step(scene, dt=STEP)
    q, qd = np.tile(scene.q0, (3, 1)), np.tile([0.5, 0, 0, 0, 0, 0], (3, 1))
    alone = step.margin(q[2], qd[2])
    q[0, 0], qd[1, 1] = lost, lost
    np.testing.assert_array_equal(step.margin(q, qd), [np.nan, np.nan, alone])


def test_derivatives_are_those_of_one_piece_within_the_margin():
    """Changes of velocities that move no row by more than the margin leave the matrices of a block
    that slides, whose momentum is linear then, as they are but for the turn of its slip."""
    scene = on_floor(Box((0.4, 0.4, 0.1)), 0.05)
    step = ph.compile_step(scene, dt=STEP)
    qd = np.array([0.5, 0, 0, 0, 0, 0])
    margin = float(step.margin(scene.q0, qd))
    assert 0.0 < margin <= 0.5
    A, _ = step.derivatives(scene.q0, qd)
    for change in (-0.5, 0.5):
        moved, _ = step.derivatives(scene.q0, qd + change * margin * np.eye(6)[0])
        np.testing.assert_allclose(moved[6, 6:], A[6, 6:], atol=1e-9)
