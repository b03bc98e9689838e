"""Steps with contact in reverse: beside matrices of derivatives, differences, bits and errors."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.model import Box, Sphere
from stepping.test_lane_gears import leg as geared_leg
from stepping.test_lane_lengths import on_rope
from stepping.test_lane_springs import legs
from stepping.test_step_derivatives import (
    NAMES,
    SERVOS,
    STEP,
    WORLDS,
    G,
    after,
    on_floor,
    random_speeds,
)
from stepping.test_step_laws import machine

STIFF = 1e-7
"""Rounding errors of both sides, beside the greatest of a world: what holds is 1e6 times stiffer
than what moves."""


def weights(scene, seed=0):
    """Weights of positions and of velocities of all worlds."""
    return np.random.default_rng(seed).standard_normal((2, WORLDS, scene.model.nv))


def beside(ours, wanted):
    """The greatest error beside the greatest number, of all worlds."""
    assert ours.shape == wanted.shape
    return np.abs(ours - wanted).max(initial=0.0) / max(1.0, np.abs(wanted).max(initial=0.0))


@pytest.mark.parametrize(
    "make",
    [lambda: machine(3)[0], lambda: machine(5)[0], geared_leg, legs, lambda: on_rope(x=0.9)],
)
def test_weighted_sums_are_those_of_the_matrices(make):
    scene = make()
    q, qd = after(scene, random_speeds(scene), 150, start="keep")
    step = ph.compile_step(scene, dt=STEP, parameters=NAMES)
    own = dict(ph.identification.parameters_of(scene.model, NAMES[:-1]), mu_coulomb=0.5)
    A, _ = step.derivatives(q, qd, parameters=own)
    by = step.parameter_derivatives(q, qd, parameters=own)
    w = weights(scene)
    found = step.vjp(q, qd, parameters=own, weight_q=w[0], weight_qd=w[1], by=NAMES)
    whole = np.concatenate(w, axis=1)
    wanted = np.einsum("nij,ni->nj", A, whole)
    assert beside(np.hstack([found.q, found.qd]), wanted) < STIFF
    assert found.controls.shape == found.activation.shape == (WORLDS, 0)
    assert list(found.parameters) == list(NAMES)
    for name, gradient in found.parameters.items():
        total = np.einsum("ni,ni...->n...", whole, by[name])
        assert beside(gradient, total) < STIFF


def test_controls_of_servos_and_motors(tmp_path):
    (tmp_path / "servos.xml").write_text(SERVOS)
    scene = ph.load(tmp_path / "servos.xml")
    u = np.random.default_rng(1).uniform(-1.3, 1.3, (WORLDS, 2))
    q, qd = after(scene, random_speeds(scene), 100, controls=np.repeat(u[:, None], 100, 1))
    step = ph.compile_step(scene, dt=STEP)
    (_, B), w = step.derivatives(q, qd, u), weights(scene)
    found = step.vjp(q, qd, u, weight_q=w[0], weight_qd=w[1])
    assert beside(found.controls, np.einsum("nij,ni->nj", B, np.concatenate(w, axis=1))) < STIFF


def test_an_overlap_that_is_pushed_out():
    """z1 = z + 0.8 overlap: a fifth of a change of height is left."""
    scene = on_floor(Sphere(0.1), 0.1)
    q = np.array(scene.q0)
    q[2] -= 1e-5
    found = ph.compile_step(scene, dt=STEP).vjp(q, scene.qd0, weight_q=np.eye(6)[2])
    assert abs(found.q[2] - 0.2) < 1e-9


def test_the_gradient_of_a_motion_step_by_step_backward():
    """s = v^2 / (2 mu g), by speed and friction; and as roll-outs of two frictions say."""
    scene, steps, mu = on_floor(Box((0.4, 0.4, 0.1)), 0.05), 200, 0.4
    step = ph.compile_step(scene, dt=STEP, parameters=["mu_coulomb"])
    own = {"mu_coulomb": mu}
    run = ph.rollout(scene, qd=[1.0, 0, 0, 0, 0, 0], steps=steps, dt=STEP, parameters=own,
                     record_every=1)  # fmt: skip
    of_q, of_qd, by_friction = np.eye(6)[0], np.zeros(6), 0.0
    for q, qd in zip(run.q[-2::-1], run.qd[-2::-1], strict=True):
        found = step.vjp(q, qd, parameters=own, weight_q=of_q, weight_qd=of_qd, by=["mu_coulomb"])
        of_q, of_qd = found.q, found.qd
        by_friction += float(found.parameters["mu_coulomb"])
    assert abs(of_qd[0] - 1.0 / (mu * G)) < 2.0 * STEP
    assert abs(of_q[0] - 1.0) < 1e-9
    others = {"mu_coulomb": [mu + 1e-6, mu - 1e-6]}
    more, less = ph.rollout(scene, qd=[[1.0, 0, 0, 0, 0, 0]] * 2, steps=steps, dt=STEP,
                            parameters=others).q[-1, :, 0]  # fmt: skip
    assert abs(by_friction - (more - less) / 2e-6) < 1e-5


def test_worlds_have_the_gradients_that_they_have_alone():
    scene, _ = machine(3)
    step = ph.compile_step(scene, dt=STEP)
    q, qd = after(scene, random_speeds(scene), 120)
    w = weights(scene)
    found = step.vjp(q, qd, weight_q=w[0], weight_qd=w[1])
    for k in (0, 7, 15):
        alone = step.vjp(q[k], qd[k], weight_q=w[0, k], weight_qd=w[1, k])
        assert alone.q.tobytes() == found.q[k].tobytes()
        assert alone.qd.tobytes() == found.qd[k].tobytes()
    spread = step.vjp(q[:, None], qd[:, None], weight_q=w[0, :3])  # three sums of each world
    assert spread.q.shape == (WORLDS, 3, scene.model.nv)
    none = step.vjp(q[:0], qd[:0], weight_q=w[0, :0])
    assert none.q.shape == (0, scene.model.nv)


def test_wrong_arguments():
    scene = on_floor(Sphere(0.1), 0.1)
    step = ph.compile_step(scene, dt=STEP, parameters=["mass", "frame"])
    own = {"mass": [0.0, 2.0], "frame": np.zeros((2, 4, 3))}
    with pytest.raises(ph.ModelError, match="expected by among parameters mass, frame, got 'mas'"):
        step.vjp(scene.q0, scene.qd0, parameters=own, by=["mas"])
    with pytest.raises(ph.ShapeError, match="weight_q"):
        ph.compile_step(scene, dt=STEP).vjp(scene.q0, scene.qd0, weight_q=np.zeros(5))


@pytest.mark.parametrize("viscous", [0.0, 5.0])
def test_a_world_without_mass_is_lost_alone(viscous):
    """Its derivatives are not numbers; those beside it are the bits that they are alone."""
    scene = on_floor(Sphere(0.1), 0.1).contact(mu_coulomb=0.4, mu_viscous=viscous)
    step = ph.compile_step(scene, dt=STEP, parameters=["mass", "inertia"])
    own = ph.identification.parameters_of(scene.model, ["mass", "inertia"])
    share = np.array([1.0, 0.0, 1.0])
    given = {name: np.multiply.outer(share, x) for name, x in own.items()}
    qd, ones = np.array([0.5, 0.1, 0, 0, 0, 0]), np.ones(6)

    def of(parameters):
        gradient = step.vjp(scene.q0, qd, parameters=parameters, weight_qd=ones)
        matrices = step.derivatives(scene.q0, qd, parameters=parameters)
        return gradient.qd, matrices.by_state, step.margin(scene.q0, qd, parameters=parameters)

    for found, alone in zip(of(given), of(own), strict=True):
        assert np.isnan(found[1]).any()
        np.testing.assert_array_equal(found[[0, 2]], [alone, alone])
