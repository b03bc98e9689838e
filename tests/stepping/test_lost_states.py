"""Worlds whose state is not finite any more are told, and have no derivatives."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import polhode as ph
from polhode.model import Plane, Revolute, Sphere

DT = 1e-2
LOST = np.array([False, True, False])


def pendulum() -> ph.Scene:
    """Without contact, so nothing is solved."""
    model = ph.Model("p").add("b", joint=Revolute.y(), mass=1.0, com=(0.0, 0.0, -1.0),
                              inertia=(1.0, 1.0, 1.0), damping=0.1)  # fmt: skip
    return ph.Scene("pendulum").add_machine(model, "p")


def ball() -> ph.Scene:
    """That rolls on a floor."""
    scene = ph.Scene("ball").add_fixed("floor", Plane())
    return scene.add_body("ball", Sphere(0.1), mass=1.0, position=(0.0, 0.0, 0.1))


def states(scene: ph.Scene, where: str, value: float) -> tuple[np.ndarray, np.ndarray]:
    """Three worlds, of which the second has one bad number."""
    q, qd = (np.tile(x, (3, 1)) for x in (scene.q0, scene.qd0))
    (q if where == "q" else qd)[1, 0] = value
    return q, qd


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("where", ["q", "qd"])
@pytest.mark.parametrize("scene", [pendulum(), ball()], ids=["pendulum", "ball"])
def test_steps_of_lost_states(scene, where, value):
    """Are unsolved, and no entry of their derivatives is a number; others are as alone."""
    step = ph.compile_step(scene, dt=DT)
    q, qd = states(scene, where, value)
    after = step(q, qd)
    np.testing.assert_array_equal(after.is_unsolved, LOST)
    weights = np.ones(scene.model.nv)
    gradient = step.vjp(q, qd, weight_q=weights, weight_qd=weights)
    alone = step.vjp(q[0], qd[0], weight_q=weights, weight_qd=weights)
    for found, expected in ((gradient.q, alone.q), (gradient.qd, alone.qd)):
        assert np.isnan(found[1]).all()
        np.testing.assert_array_equal(found[[0, 2]], [expected, expected])
    derivatives = step.derivatives(q, qd)
    assert np.isnan(derivatives.by_state[1]).all()
    np.testing.assert_array_equal(derivatives.by_state[2], step.derivatives(q[2], qd[2]).by_state)


def test_lost_states_of_both_signs_warn_of_nothing():
    """As NumPy does where it adds infinities up."""
    step = ph.compile_step(ball(), dt=DT)
    qd = np.zeros((2, step.scene.model.nv))
    qd[:, 0] = np.inf, -np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert step(np.tile(step.scene.q0, (2, 1)), qd).is_unsolved.all()


def test_derivatives_by_parameters_of_lost_states():
    """Are none, as well."""
    step = ph.compile_step(pendulum(), dt=DT, parameters=["mass"])
    q, qd = states(pendulum(), "qd", np.nan)
    mass = {"mass": np.ones((3, 1))}
    found = step.parameter_derivatives(q, qd, parameters=mass)["mass"]
    np.testing.assert_array_equal(np.isnan(found).all((1, 2)), LOST)
    gradient = step.vjp(q, qd, parameters=mass, weight_qd=[1.0], by=["mass"])
    np.testing.assert_array_equal(np.isnan(gradient.parameters["mass"]).all(1), LOST)


@pytest.mark.parametrize("scene", [pendulum(), ball()], ids=["pendulum", "ball"])
def test_rollouts_count_the_steps_of_lost_worlds(scene):
    """From the step that lost them, however many worlds there are."""
    steps, first = 5, 2
    forces = np.zeros((3, steps, scene.model.nv))
    forces[1, first] = np.nan
    end = ph.rollout(scene, controls=forces, dt=DT, steps=steps)
    np.testing.assert_array_equal(end.failed, LOST)
    np.testing.assert_array_equal(end.unsolved, (steps - first) * LOST)
