"""Derivatives of steps with laws beside rigid contact, moving surfaces, and activation."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.algorithms.stepping import moreau
from polhode.model import Box, Revolute, Sphere
from polhode.scene import Scene
from polhode.simulation.lanes import programs
from polhode.spatial import Transform
from stepping.test_lane_soft import LAWS, ball, box, leg
from stepping.test_step_derivatives import (
    STEP,
    WORLDS,
    G,
    after,
    check,
    differences,
    on_floor,
    random_speeds,
)
from stepping.test_step_gradients import STIFF, beside, weights
from stepping.test_step_laws import machine
from stepping.test_step_margins import sledge

EPS = 1e-6
SOFT = {"mu_coulomb": 0.4, "compliance": 1e-3}
VISCOUS = {"mu_coulomb": 0.3, "mu_viscous": 20.0}
BOTH = {**SOFT, **VISCOUS}


TORQUES = {"mu_coulomb": 0.4, "mu_torsional": 0.02, "mu_rolling": 0.01}
SOFT_TORQUES = {"mu_coulomb": 0.4, "mu_rolling": 0.01, "compliance": 1e-3}


@pytest.fixture(autouse=True)
def _steps_that_are_solved_well(monkeypatch):
    """Newton's method ends at a part of 1e-8 of the speeds, by an error whose square that is.

    With springs at points that changes with the state by up to 1e-4, and so do differences.
    """
    monkeypatch.setattr(moreau, "TOLERANCE", 1e-12)
    monkeypatch.setattr(programs, "program_key", lambda *_: None)  # stored code has other steps


def lawful(seed, **law):
    """A random machine over a floor under a law of contact."""
    return Scene.contact(machine(seed)[0], **law)


def is_reversed(step, q, qd, **given):
    """Whether weighted sums are those of the matrices."""
    A, B = step.derivatives(q, qd, **given)
    w = weights(step.scene)
    found = step.vjp(q, qd, **given, weight_q=w[0], weight_qd=w[1])
    whole = np.concatenate(w, axis=1)
    wanted = np.einsum("nij,ni->nj", A, whole)
    assert beside(np.hstack([found.q, found.qd]), wanted) < STIFF
    assert beside(found.controls, np.einsum("nij,ni->nj", B, whole)) < STIFF


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("law", [SOFT, VISCOUS, BOTH, TORQUES, SOFT_TORQUES])
def test_machines_of_all_joints(seed, law):
    scene = lawful(seed, **law)
    q, qd = after(scene, random_speeds(scene, seed), 120)
    check(differences(scene, q, qd))
    is_reversed(ph.compile_step(scene, dt=STEP), q, qd)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("make", [ball, leg])
def test_balls_and_legs(make, law):
    scene = make(**law)
    q, qd = after(scene, random_speeds(scene), 150)
    check(differences(scene, q, qd), touched=0.3, unpushed=0.0)
    is_reversed(ph.compile_step(scene, dt=STEP), q, qd)


@pytest.mark.parametrize("law", LAWS)
def test_boxes_that_slide(law):
    scene = box(**law)
    sliding = np.array([1.5, 0.4, 0, 0, 0, 0])
    q, qd = after(scene, random_speeds(scene) + sliding, 40)
    check(differences(scene, q, qd), unpushed=0.0)
    is_reversed(ph.compile_step(scene, dt=STEP), q, qd)


def test_a_ball_on_a_spring():
    """(m + d dt + k dt^2) v1 = m (v - g dt) - k dt gap where it overlaps."""
    k, d, m = 3e3, 60.0, 1.0
    scene = ball(z=0.099, mass=m, mu_coulomb=0.0, penalty_kp=k, penalty_kv=d)
    A, _ = ph.compile_step(scene, dt=STEP).derivatives(scene.q0, scene.qd0)
    whole = m + d * STEP + k * STEP**2
    assert abs(A[8, 8] - m / whole) < 1e-12
    assert abs(A[8, 2] + k * STEP / whole) < 1e-9
    assert abs(A[2, 2] - (1.0 - k * STEP**2 / whole)) < 1e-12


def test_a_spring_gives_the_margin_of_its_force():
    """A ball at rest on its spring opens when that gets longer by what bears it."""
    k, m = 1e5, 1.0
    scene = ball(z=0.1 - m * G / k, mass=m, mu_coulomb=0.0, penalty_kp=k)
    found = float(ph.compile_step(scene, dt=STEP).margin(scene.q0, scene.qd0))
    delassus = 1.0 / m + 1.0 / (k * STEP * STEP)
    assert abs(found - min(delassus * m * G * STEP, 1e-3 / STEP)) < 1e-8


def test_viscous_friction_brakes_by_the_slip():
    """v1 = v - dt sqrt((mu m g)^2 + (c v)^2) / m, where v is the slip without impulses."""
    mu, c, m, v = 0.2, 30.0, 2.0, 1.0
    scene = sledge().contact(mu_coulomb=mu, mu_viscous=c)
    step = ph.compile_step(scene, dt=STEP, parameters=["mu_coulomb"])
    own, qd = {"mu_coulomb": mu}, [v, 0.0]
    load, radius = m * G, np.hypot(mu * m * G, c * v)
    end = step(scene.q0, qd, parameters=own).qd[0]
    assert abs(float(end) - (v - STEP * radius / m)) < 1e-8
    A, _ = step.derivatives(scene.q0, qd, parameters=own)
    assert abs(A[2, 2] - (1.0 - STEP * c * c * v / radius / m)) < 1e-8
    by = step.parameter_derivatives(scene.q0, qd, parameters=own)["mu_coulomb"]
    assert abs(by[2] + STEP * mu * load * load / radius / m) < 1e-8


def test_viscous_friction_begins_where_a_gap_would_close_without_impulses():
    """One foot holds another, which falls by g dt^2 without it, above the floor."""
    q = np.zeros(2)
    gaps = G * STEP**2 + np.array([-1e-6, -1e-8, 1e-8, 1e-6])
    for gap in gaps:
        high = Transform.translation(0.5, 0, gap)
        scene = sledge().add_geometry("high", ("sledge", "z"), Sphere(0.1), frame=high)
        scene = scene.contact(mu_coulomb=0.1, mu_viscous=20.0)
        step = ph.compile_step(scene, dt=STEP)
        margin, end = step.margin(q, [1.0, 0.0]), step(q, [1.0, 0.0])
        assert abs(float(margin) - abs(gap / STEP - G * STEP)) < 1e-9
        A, _ = step.derivatives(q, [1.0, 0.0])
        both = gap < G * STEP**2
        radius = np.hypot(0.1 * 2.0 * G, 20.0)
        braked = STEP / 2.0 * (radius + (20.0 if both else 0.0))
        assert abs(float(end.qd[0]) - (1.0 - braked)) < 1e-8
        slope = STEP / 2.0 * (400.0 / radius + (20.0 if both else 0.0))
        assert abs(A[2, 2] - (1.0 - slope)) < 1e-8


def test_a_ball_that_spins_is_braked_by_its_weight():
    """w1 = w - dt a m g / I about the normal, with I = 2/5 m r^2."""
    arm, r = 0.01, 0.1
    scene = on_floor(Sphere(r), r).contact(mu_coulomb=0.4, mu_torsional=arm)
    step = ph.compile_step(scene, dt=STEP, parameters=["gravity"])
    own, qd = {"gravity": [0.0, 0.0, -G]}, 5.0 * np.eye(6)[5]
    end = step(scene.q0, qd, parameters=own).qd[5]
    assert abs(float(end) - (5.0 - STEP * arm * G / (0.4 * r * r))) < 1e-8
    A, _ = step.derivatives(scene.q0, qd, parameters=own)
    assert abs(A[11, 11] - 1.0) < 1e-9
    by = step.parameter_derivatives(scene.q0, qd, parameters=own)["gravity"]
    assert abs(by[11, 2] - STEP * arm / (0.4 * r * r)) < 1e-9


def test_the_margin_goes_to_zero_where_a_ball_begins_to_roll():
    """Pushed at its centre, it rests up to a force a m g / r; then it rolls on with 5/7."""
    arm, r, m = 0.01, 0.1, 2.0
    scene = on_floor(Sphere(r), r).contact(mu_coulomb=0.4, mu_rolling=arm)
    step, off = ph.compile_step(scene, dt=STEP), np.array([-1.0, -1e-2, -1e-4, 1e-4, 1e-2])
    tau = (arm * m * G / r + off)[:, None] * np.eye(6)[0]
    margin = step.margin(scene.q0, scene.qd0, tau=tau)
    inertia, whole = 0.4 * m * r * r, 1.4 * m * r * r
    wanted = np.abs(off) * r * STEP / np.where(off < 0.0, inertia, whole)
    np.testing.assert_allclose(margin[1:], wanted[1:], rtol=1e-3, atol=1e-9)
    A, _ = step.derivatives(scene.q0, scene.qd0, tau=tau)
    np.testing.assert_allclose(A[:, 6, 6], [0, 0, 0, 5 / 7, 5 / 7], atol=1e-8)


def test_surfaces_that_move():
    """A box on a belt, and a ball whose surface turns."""
    belt = ph.Scene("belt").contact(mu_coulomb=0.4)
    belt = belt.add_fixed("floor", Box((4.0, 4.0, 0.2)), velocity=(0.5, 0.2, 0))
    belt = belt.add_body("box", Box((0.4, 0.4, 0.1)), mass=1.0, position=(0, 0, 0.151))
    track = on_floor(Sphere(0.1), 0.1)
    track = track.add_geometry(
        "track", ("body", "body"), Box((0.4, 0.2, 0.1)), surface_velocity=(0, 0, 0, 1, 0, 0)
    )
    for scene in (belt, track):
        q, qd = after(scene, random_speeds(scene), 60)
        check(differences(scene, q, qd), unpushed=0.0)
        is_reversed(ph.compile_step(scene, dt=STEP), q, qd)


def muscled():
    """Two links with a muscle and a filtered motor, over a floor."""
    model = ph.Model("arm").add("arm", joint=Revolute.y(), mass=1.0, com=(0, 0, -0.2),
                                inertia=np.diag([0.02, 0.02, 0.01]))  # fmt: skip
    model = model.add_muscle("muscle", joint="arm", force=50.0, length_range=(0.1, 1.0))
    scene = ph.Scene("arm").add_fixed("floor", Box((4, 4, 0.2)), position=(0, 0, -0.45))
    return scene.contact(mu_coulomb=0.4).add_machine(model, geometries=[("arm", Sphere(0.3))])


def test_activation_of_actuators():
    """Beside central differences of positions, velocities and activation."""
    scene = muscled()
    rng, model = np.random.default_rng(3), scene.model
    q, qd = rng.uniform(-0.5, 0.5, (WORLDS, 1)), rng.uniform(-1.0, 1.0, (WORLDS, 1))
    a, u = rng.uniform(0.1, 0.9, (2, WORLDS, 1))
    step = ph.compile_step(scene, dt=STEP)
    A, B = step.derivatives(q, qd, u, activation=a)
    assert A.shape == (WORLDS, 3, 3) and B.shape == (WORLDS, 3, 1)

    def ended(d):
        end = step(q + d[0], qd + d[1], u + d[3], activation=a + d[2])
        return np.hstack([end.q, end.qd, end.activation])

    whole = np.concatenate([A, B], axis=2)
    for k, way in enumerate(np.eye(4)):
        mean = (ended(EPS * way) - ended(-EPS * way)) / (2.0 * EPS)
        assert np.abs(whole[:, :, k] - mean).max() < 1e-5 * max(1.0, np.abs(mean).max())
    assert (np.abs(A[:, 1, 2]) > 1e-4).any() and (A[:, 2, 2] < 1.0).all()
    w = rng.standard_normal((3, WORLDS, 1))
    found = step.vjp(q, qd, u, activation=a, weight_q=w[0], weight_qd=w[1], weight_activation=w[2])
    wanted = np.einsum("nij,ni->nj", whole, w[..., 0].T)
    ours = np.hstack([found.q, found.qd, found.activation, found.controls])
    assert beside(ours, wanted) < STIFF
    by = ph.compile_step(scene, dt=STEP, parameters=["mass"])
    own = {"mass": ph.identification.parameters_of(model, ["mass"])["mass"]}
    masses = by.parameter_derivatives(q, qd, u, activation=a, parameters=own)["mass"]
    assert masses.shape == (WORLDS, 3, model.n_bodies) and (masses[:, 2] == 0.0).all()


@pytest.mark.parametrize("law", [BOTH, SOFT_TORQUES])
def test_worlds_have_the_derivatives_that_they_have_alone(law):
    scene = lawful(3, **law)
    step = ph.compile_step(scene, dt=STEP)
    q, qd = after(scene, random_speeds(scene), 120)
    (A, _), w = step.derivatives(q, qd), weights(scene)
    found = step.vjp(q, qd, weight_q=w[0], weight_qd=w[1])
    for k in (0, 7, 15):
        alone, _ = step.derivatives(q[k], qd[k])
        assert alone.tobytes() == A[k].tobytes()
        one = step.vjp(q[k], qd[k], weight_q=w[0, k], weight_qd=w[1, k])
        assert one.q.tobytes() == found.q[k].tobytes()
