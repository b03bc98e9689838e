"""Torsional and rolling friction in Moreau's step in lanes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polhode as ph
from polhode.contact_problem import CONTACT, DISK
from polhode.contact_problem.torque_bounds import bound_rows
from polhode.model import Box, Plane, Prismatic, Revolute, Sphere
from polhode.simulation.lanes.refining import (
    IN_REACH,
    near_blocks,
    rows_of,
    torques_of,
)
from polhode.spatial import Transform
from stepping.lanes import dense_jacobian, rolled, rolled_as_alone, solved_again

G = 9.81
LAWS = [
    {"mu_coulomb": 0.5, "mu_rolling": 0.004},
    {"mu_coulomb": 0.5, "mu_torsional": 0.02},
    {"mu_coulomb": 0.3, "mu_torsional": 0.02, "mu_rolling": 0.004},
    {"mu_coulomb": 0.3, "mu_torsional": 0.02, "mu_rolling": 0.004, "penalty_kp": 1e4,
     "penalty_kv": 200.0, "mu_viscous": 0.2},
]  # fmt: skip


def ball(velocity=(1.0, 0, 0), spin=(0, 10.0, 0), **law):
    """A ball of 2 kg and radius 0.1 on a floor."""
    return (
        ph.Scene("ball").add_fixed("floor", Plane()).contact(**law)
        .add_body("ball", Sphere(0.1), mass=2.0, position=(0, 0, 0.1), velocity=velocity,
                  spin=spin, is_compliant=True)
    )  # fmt: skip


def biped(**law):
    """Two legs with round feet of different friction, and a box that rolls on neither."""
    block = np.diag([0.02, 0.02, 0.02])
    own = {"joint": Revolute.y(), "mass": 1.0, "com": (0, 0, -0.2), "inertia": block}
    model = ph.Model("biped").add("x", joint=Prismatic.x(), mass=0.5)
    model = model.add("z", parent="x", joint=Prismatic.z(), mass=2.0, inertia=block)
    for name, way in (("left", -0.15), ("right", 0.15)):
        model = model.add(name, parent="z", frame=Transform.translation(0, way, 0), **own)
    place = Transform.translation(0, 0, -0.4)
    scene = ph.Scene("biped").add_fixed("floor", Plane()).add_machine(model, q=[0, 0.51, 0.3, -0.3])
    for name in ("left", "right"):
        scene = scene.add_geometry(name, ("biped", name), Sphere(0.1), frame=place,
                                   is_compliant=True)  # fmt: skip
    return scene.contact(mu_coulomb=0.6).contact("left", "floor", **law)


def test_rolling_friction_stops_a_ball_after_its_energy():
    """The torque l m g slows a ball by l g / (1.4 r): way v^2 1.4 r / (2 l g)."""
    way = 1.4 * 0.1 / (2 * 0.02 * G)
    errors = []
    for dt in (4e-3, 2e-3, 1e-3):
        end = rolled(ball(mu_coulomb=0.5, mu_rolling=0.02), steps=round(1.2 / dt), dt=dt)
        assert np.abs(end.qd[-1]).max() < 1e-9
        errors.append(abs(end.q[-1, 0] - way))
    assert errors[0] < 5e-3
    assert errors[1] < 0.6 * errors[0] and errors[2] < 0.6 * errors[1]


def test_torsional_friction_stops_a_ball_that_turns_about_the_normal():
    """The torque l m g stops 0.4 m r^2 w: after 0.4 r^2 w / (l g)."""
    scene = ball((0, 0, 0), (0, 0, 20.0), mu_coulomb=0.5, mu_torsional=0.01)
    time = 0.4 * 0.01 * 20.0 / (0.01 * G)
    for dt in (2e-3, 1e-3):
        end = rolled(scene, steps=round(0.5 * time / dt), dt=dt)
        assert abs(end.qd[-1, 5] - 10.0) < 20.0 * dt / time
        assert np.abs(rolled(scene, steps=round(1.1 * time / dt), dt=dt).qd[-1]).max() < 1e-9


@pytest.mark.parametrize("law", [{"mu_rolling": 0.05}, {"mu_torsional": 0.05}])
def test_a_ball_holds_still_up_to_the_greatest_torque(law):
    """On a slope a ball rolls from the angle of which the tangent is mu_rolling / r on."""
    for share, moves in ((0.9, False), (1.1, True)):
        slope = math.atan(share * law.get("mu_rolling", 0.0) / 0.1)
        c, s = math.cos(slope / 2), math.sin(slope / 2)
        scene = (
            ph.Scene("slope").add_fixed("floor", Plane(), quaternion=(c, 0, s, 0))
            .contact(mu_coulomb=0.8, **law)
            .add_body("ball", Sphere(0.1), mass=2.0,
                      position=(0.1 * math.sin(slope), 0, 0.1 * math.cos(slope)))
        )  # fmt: skip
        end = rolled(scene, steps=1000, dt=1e-3)
        way = np.abs(end.q[-1, :3] - end.q[0, :3]).max()
        assert way > 0.1 if moves and "mu_rolling" in law else way < 1e-9


@pytest.mark.parametrize("law", LAWS)
def test_the_limit_of_short_steps_is_the_motion_of_the_other_integrator(law):
    """A ball that slides, rolls and turns about the normal at once."""
    scene = ball((1.0, 0.3, 0), (4.0, 2.0, 15.0), **law)
    exact = ph.rollout(scene, steps=4000, dt=1e-4, integrator="event_driven").qd[-1]
    errors = []
    for dt in (4e-3, 2e-3, 1e-3):
        end = rolled(scene, steps=round(0.4 / dt), dt=dt)
        assert not end.unsolved.any()
        errors.append(np.abs(end.qd[-1] - exact).max())
    assert errors[0] < 0.5
    assert errors[1] < 0.7 * errors[0] + 1e-6 and errors[2] < 0.7 * errors[1] + 1e-6


def off_laws(problem, kinds, x, w, k, dt):
    """How far impulses that make ``w`` are from the exact solver's laws, as a velocity.

    Torques are what points and joints leave of ``w``.
    """
    problem = type(problem)(*map(np.ascontiguousarray, problem))
    near = near_blocks(problem, k, IN_REACH)
    rows, _, known = rows_of(problem, kinds, x, near, k, dt)
    J = dense_jacobian(rows, kinds)
    torques, count = torques_of(problem, kinds, near, k), len(rows.kind)
    first = rows.row[count - len(torques.arm)]
    rest = w - J[:first].T @ known[:first]
    known[first:] = np.linalg.lstsq(J[first:].T, rest, rcond=None)[0] if len(J) > first else 0.0
    worst = np.abs(J.T @ known - w).max(initial=0.0)
    bound_rows(rows, known)
    u, g = rows.bias + J @ w + rows.compliance * known, (J * J).sum(axis=1) + rows.compliance
    g = np.maximum(g, 1e-12)  # nothing moves across a plane
    for b in range(count):
        r = rows.row[b]
        if rows.kind[b] == DISK:
            s, size = slice(r, r + 2), g[r : r + 2].max()
            z = known[s] - u[s] / size
            z *= min(1.0, rows.upper[b] / max(np.hypot(*z), 1e-300))
            worst = max(worst, size * np.abs(z - known[s]).max())
            continue
        if rows.kind[b] != CONTACT:
            z = np.clip(known[r] - u[r] / g[r], rows.lower[b], rows.upper[b])
            worst = max(worst, g[r] * abs(known[r] - z))
            continue
        n, s, size = max(known[r] - u[r] / g[r], 0.0), slice(r + 1, r + 3), g[r + 1 : r + 3].max()
        z, most = known[s] - u[s] / size, math.hypot(rows.mu[b] * n, rows.widening[b])
        z *= min(1.0, most / max(np.hypot(*z), 1e-300))
        worst = max(worst, g[r] * abs(n - known[r]), size * np.abs(z - known[s]).max())
    return worst


@pytest.mark.parametrize("law", LAWS)
def test_worlds_have_the_bits_that_they_have_alone_and_obey_the_laws(law):
    """Points of a robot, of which some have torques and some do not."""
    scene, rng, n, dt = biped(**law), np.random.default_rng(6), 40, 2e-3
    qd = 0.5 * rng.normal(size=(n, scene.model.nv))
    many = rolled_as_alone(scene, qd, steps=300, dt=dt, start="keep")
    assert many.refined.sum() < 0.01 * n * 300
    for each in solved_again(scene, qd, 150, dt, every=10):
        same = np.abs(each.exact - each.qd).max(axis=1) < 1e-5
        assert same[each.solved].mean() > 0.9  # the laws may have several solutions
        for k in np.flatnonzero(each.solved).tolist():
            of_w = np.linalg.inv(each.problem.unit[k])
            w = each.found.w[k] + of_w @ (each.qd[k] - each.exact[k])
            assert off_laws(each.problem, each.programs.kinds, each.x[k], w, k, dt) < 1e-6


def test_friction_and_restitution_may_differ_from_world_to_world():
    """Soft points do not rebound."""
    scene, mu, e = ball(**LAWS[3]), np.array([0.0, 0.3, 0.5]), np.array([0.0, 0.0, 0.5])
    options = {"steps": 300, "dt": 2e-3}
    many = rolled(scene, parameters={"mu_coulomb": mu, "restitution": e}, **options)
    assert not many.unsolved.any()
    for k in range(3):
        own = {"mu_coulomb": mu[k], "restitution": e[k]}
        alone = rolled(scene, parameters=own, **options)
        assert alone.q.tobytes() == many.q[:, k].copy().tobytes()
    assert many.q[-1, 1] == pytest.approx(rolled(scene, **options).q[-1], abs=1e-12)
    assert many.q[-1, 2, 2] == pytest.approx(many.q[-1, 1, 2], abs=1e-6)


def test_a_box_spins_down_with_the_other_integrator():
    """Its four corners have torsional friction, beside the sliding one of each."""
    scene = (
        ph.Scene("box").add_fixed("floor", Plane()).contact(mu_coulomb=0.2, mu_torsional=0.03)
        .add_body("box", Box((0.2, 0.2, 0.1)), mass=1.0, position=(0, 0, 0.05), spin=(0, 0, 8.0))
    )  # fmt: skip
    exact = ph.rollout(scene, steps=500, dt=1e-4, integrator="event_driven").qd[-1, 5]
    errors = [abs(rolled(scene, steps=round(0.05 / dt), dt=dt).qd[-1, 5] - exact)
              for dt in (5e-3, 1e-3)]  # fmt: skip
    assert exact > 0.5 and errors[0] < 0.1 and errors[1] < 0.5 * errors[0] + 1e-4


def test_one_world_moves_as_in_a_batch_and_tells_its_torques():
    scene = ball(**LAWS[2])
    run = ph.simulate(scene, 0.3, dt=1e-3, integrator="moreau")
    assert run.q[-1] == pytest.approx(rolled(scene, steps=300, dt=1e-3).q[-1], abs=1e-12)
    torque = run.tau_constraint[-1, 4]
    other = ph.simulate(scene, 0.3, dt=1e-3).tau_constraint[-1, 4]
    assert torque == pytest.approx(other, rel=0.05) and abs(torque) > 0.01


def test_torques_of_bodies_that_rebound_do_no_work():
    rng = np.random.default_rng(8)
    scene = ball((0, 0, 0), (0, 0, 0), restitution=0.6, **LAWS[2])
    q = np.tile(scene.q0, (30, 1))
    q[:, 2] = 0.4
    way = rolled(scene, q=q, qd=rng.normal(size=(30, 6)) * [1, 1, 1, 20, 20, 20], steps=1000,
                 dt=1e-3, record_every=1)  # fmt: skip
    energy = ph.energy(scene.model, way.q, way.qd).total
    assert not way.failed.any() and not way.unsolved.any()
    assert np.diff(energy, axis=0).max() < 0.02 * np.ptp(energy, axis=0).max()
