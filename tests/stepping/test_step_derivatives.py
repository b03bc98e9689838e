"""Derivatives of steps with contact: central differences, closed forms, bits and errors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import polhode as ph
from polhode.model import (
    Box,
    Capsule,
    Cylinder,
    Heightmap,
    Plane,
    Polyhedron,
    Sphere,
    Torus,
)
from stepping.test_lane_coupled import scenes, starts
from stepping.test_lane_gears import leg as geared_leg
from stepping.test_lane_lengths import arm, on_rope, pinned
from stepping.test_lane_loops import four_bar
from stepping.test_lane_springs import hung, legs
from stepping.test_step_laws import machine

WORLDS, STEP, EPS, G = 16, 2e-3, 1e-6, 9.81


class Differences(NamedTuple):
    """Errors of derivatives beside central differences, by column and world; NaN at a switch.

    Those of positions are NaN, too, where overlaps are pushed out: they are of first order in them.
    ``touched`` says in which worlds contact or a row of a joint had an impulse.
    """

    positions: np.ndarray
    velocities: np.ndarray
    touched: np.ndarray


def differences(scene, q, qd, controls=None, directions=None, dt=STEP):
    """Compare the derivatives of a step with how the step changes.

    ``directions`` are rows of changes of positions; those along each velocity by default.  Long
    differences miss by curvature, short ones by what the solver leaves: the better counts.
    """
    step, model, n = ph.compile_step(scene, dt=dt), scene.model, len(qd)
    u = np.zeros((n, model.n_controls)) if controls is None else controls
    A, B = step.derivatives(q, qd, u)
    there, nv = step(q, qd, u), model.nv

    def change(d_q, d_qd, d_u):
        moved = step(ph.integrate(model, q, d_q), qd + d_qd, u + d_u)
        return np.hstack([ph.difference(model, there.q, moved.q), moved.qd - there.qd])

    ways = [np.eye(nv) if directions is None else directions, np.eye(nv), np.eye(u.shape[1])]
    whole, missed = np.concatenate([A, B], axis=2), []
    for group, rows in enumerate(ways):
        for row in rows:
            by = [np.zeros(len(w.T)) for w in (np.eye(nv), *ways[1:])]
            by[group] = row
            ours, errors = whole @ np.concatenate(by), []
            for eps in (EPS, 10.0 * EPS):
                up = change(*(eps * x for x in by)) / eps
                down = -change(*(-eps * x for x in by)) / eps
                mean = 0.5 * (up + down)
                scale = np.maximum(1.0, np.abs(mean).max(axis=1))[:, None]
                is_smooth = (np.abs(up - down) < 1e-4 * scale).all(axis=1)[:, None]
                errors.append(np.where(is_smooth, np.abs(ours - mean) / scale, np.nan))
            missed.append(np.fmin(*errors))
    missed = np.array(missed)
    moved = ph.difference(model, ph.integrate(model, q, there.qd, dt), there.q)
    missed[:, (np.abs(moved) > 1e-12).any(axis=1), :nv] = np.nan
    return Differences(missed[..., :nv], missed[..., nv:], pressed(step, q, qd, u))


def pressed(step, q, qd, u):
    """In which worlds there is an impulse after a step."""
    if "x" not in step.program.inputs:
        return np.zeros(len(q), bool)
    model, (n_x,) = step.scene.model, step.program.inputs["x"]
    given = {"q": q, "qd": qd, "x": np.zeros(n_x), "tau": np.zeros(model.nv), "controls": u,
             "dt": step.dt}  # fmt: skip
    x = step.program(*(given[name] for name in step.program.inputs))[2]
    return (np.abs(x) > 0.0).any(axis=1)


def check(found, touched=0.5, unpushed=0.2):
    """Impulses act in many worlds, most columns are smooth, and all derivatives are right."""
    assert found.touched.mean() >= touched
    assert np.isfinite(found.velocities).mean() >= 0.75
    assert np.isfinite(found.positions).mean() >= unpushed
    for errors in (found.positions, found.velocities):
        if np.isfinite(errors).any():
            assert np.nanmax(errors) < 2e-5
            assert np.nanquantile(errors, 0.9) < 1e-6


def after(scene, qd, steps, dt=STEP, **options):
    """Where worlds are after some steps."""
    end = ph.rollout(scene, qd=qd, steps=steps, dt=dt, **options)
    return end.q[-1], end.qd[-1]


def random_speeds(scene, seed=0, scale=0.5):
    return scale * np.random.default_rng(seed).standard_normal((WORLDS, scene.model.nv))


@pytest.mark.parametrize("seed", range(8))
def test_machines_of_all_joints_on_a_floor(seed):
    scene, _ = machine(seed)
    check(differences(scene, *after(scene, random_speeds(scene, seed), 120)))


def test_loops_along_positions_at_which_they_are_closed():
    for scene in (four_bar(), pinned(lower=0.0, upper=0.7, coulomb_friction=0.4)):
        q, qd = after(scene, np.zeros((WORLDS, 3)) + random_speeds(scene)[:, :1] * [1, -1, 1], 60)
        check(differences(scene, q, qd, directions=np.array([[1.0, -1.0, 1.0]])))


def test_gears_limits_and_dry_friction():
    scene, along = geared_leg(), np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, -2.0]])
    qd = random_speeds(scene)
    qd[:, 3] = -2.0 * qd[:, 2]
    check(differences(scene, *after(scene, qd, 200), directions=along))


def test_followers():
    scene = scenes()[0]
    q, qd = starts(WORLDS, 1)
    check(differences(scene, *after(scene, qd, 120, q=q, start="keep")))


def test_ropes_and_tendons():
    scene = on_rope(x=0.9)  # taut: what it is too long by is taken out in each step
    check(differences(scene, *after(scene, random_speeds(scene), 200)), unpushed=0.0)
    scene = ph.Scene("arm").add_machine(arm(limits=(0.0, 0.72), friction=0.2), "arm")
    check(differences(scene, *after(scene, random_speeds(scene, scale=2.0), 100)))


def test_springs_between_bodies():
    for kind in ("bushing", "table"):
        scene = hung(kind)
        check(differences(scene, *after(scene, random_speeds(scene), 50)), touched=0.0)
    scene = legs()
    check(differences(scene, *after(scene, random_speeds(scene), 200)))


HILLS = Heightmap(((0.0, 0.1, 0.0), (0.1, 0.2, 0.0), (0.0, 0.1, 0.1)), (2.0, 2.0))


def steps_of_points(shape, other, **place):
    """A body above another shape that stays, and states after it has come down."""
    scene = ph.Scene("pair").contact(mu_coulomb=0.4).add_fixed("other", other)
    scene = scene.add_body("body", shape, mass=1.0, **place)
    return differences(scene, *after(scene, random_speeds(scene, scale=1.0), 60))


@pytest.mark.parametrize(
    ("shape", "other"),
    [
        (Sphere(0.1), HILLS),
        (Sphere(0.1), Box((1.0, 1.0, 0.2))),
        (Sphere(0.1), Capsule(0.2, 0.2)),
        (Sphere(0.1), Cylinder(0.3, 0.4)),
        (Sphere(0.1), Torus(0.3, 0.1)),
        (Capsule(0.05, 0.1), Capsule(0.2, 0.15)),
        (Capsule(0.1, 0.3), Box((1.0, 1.0, 0.2))),
        (Box((0.2, 0.2, 0.1)), Box((1.0, 1.0, 0.2))),
        (Cylinder(0.1, 0.2), Plane()),
        (Torus(0.2, 0.05), Plane()),
    ],
)
def test_bodies_on_shapes(shape, other):
    check(steps_of_points(shape, other, position=(0.05, 0.08, 0.42)))


def test_boxes_whose_points_are_cut_off():
    """Points at crossing edges: their gaps change as they slide along an edge, too.

    Without friction, for which four points of a face may share their load in many ways.
    """
    scene = on_floor(Box((0.4, 0.4, 0.1)), 0.06).contact(mu_coulomb=0.0)
    scene = scene.add_body("top", Box((0.3, 0.2, 0.1)), mass=1.0, position=(0.1, 0.1, 0.2))
    qd = 2.0 * random_speeds(scene, seed=2)
    found = differences(scene, *after(scene, qd, 80))
    check(found)


def test_a_hull_on_a_plane():
    corners = ((-0.1, -0.1, -0.1), (0.1, -0.1, -0.1), (0.0, 0.1, -0.1), (0.0, 0.0, 0.15))
    check(steps_of_points(Polyhedron(corners), Plane(), position=(0, 0, 0.12)))


SERVOS = """<mujoco><compiler angle="radian"/><worldbody><geom type="plane" size="9 9 .1"/>
<body pos="0 0 .3"><joint name="x" axis="1 0 0" type="slide"/>
<joint name="z" axis="0 0 1" type="slide"/>
<geom type="sphere" size=".1"/><body><joint name="hip" axis="0 1 0" range="-1 1" damping=".1"/>
<geom type="capsule" size=".03" fromto="0 0 0 .2 0 -.2"/></body></body></worldbody>
<actuator><position joint="hip" kp="20" kv="2"/><motor joint="x" gear="30" ctrlrange="-1 1"/>
</actuator></mujoco>"""


def test_servos_and_motors(tmp_path):
    (tmp_path / "servos.xml").write_text(SERVOS)
    scene = ph.load(tmp_path / "servos.xml")
    u = np.random.default_rng(1).uniform(-1.3, 1.3, (WORLDS, 2))
    q, qd = after(scene, random_speeds(scene), 100, controls=np.repeat(u[:, None], 100, 1))
    found = differences(scene, q, qd, controls=u)
    check(found)
    _, B = ph.compile_step(scene, dt=STEP).derivatives(q, qd, u)
    assert (B[np.abs(u[:, 1]) > 1.0, :, 1] == 0.0).all()  # where the control is clipped
    assert (np.abs(B[np.abs(u[:, 1]) < 1.0, 3:, 1]).max(axis=1) > 1e-3).mean() > 0.5


def on_floor(shape, height, **place):
    scene = ph.Scene("floor").add_fixed("floor", Plane()).contact(mu_coulomb=0.4)
    return scene.add_body("body", shape, mass=2.0, position=(0, 0, height), **place)


def test_a_block_that_slides_loses_speed_along_its_way():
    """v1 = v (1 - mu g dt / |v|): nothing of a change along the way, and that share across it."""
    scene = on_floor(Box((0.4, 0.4, 0.1)), 0.05)
    qd = np.array([1.2, 0.5, 0, 0, 0, 0])
    A, _ = ph.compile_step(scene, dt=STEP).derivatives(scene.q0, qd)
    speed = float(np.hypot(1.2, 0.5))
    way, across = np.array([1.2, 0.5]) / speed, np.array([-0.5, 1.2]) / speed
    share = 1.0 - 0.4 * G * STEP / speed
    wanted = np.outer(way, way) + share * np.outer(across, across)
    np.testing.assert_allclose(A[6:8, 6:8], wanted, atol=1e-9)
    np.testing.assert_allclose(A[:2, 6:8], STEP * wanted, atol=1e-9)
    assert abs(A[8, 8]) < 1e-9  # what falls on the floor stays there


def test_a_ball_that_sticks_rolls_on_with_five_sevenths():
    scene = on_floor(Sphere(0.1), 0.1)
    A, _ = ph.compile_step(scene, dt=STEP).derivatives(scene.q0, scene.qd0)
    assert abs(A[6, 6] - 5.0 / 7.0) < 1e-9
    assert abs(A[10, 6] - 5.0 / 7.0 / 0.1) < 1e-7  # about y


def test_an_overlap_is_pushed_out_by_four_fifths():
    scene = on_floor(Sphere(0.1), 0.1)
    q = np.array(scene.q0)
    q[2] -= 1e-5
    A, _ = ph.compile_step(scene, dt=STEP).derivatives(q, scene.qd0)
    assert abs(A[2, 2] - 0.2) < 1e-9


def test_how_far_a_block_slides_by_the_chain_rule():
    """s = v^2 / (2 mu g), so ds/dv = v / (mu g); and as a whole roll-out of two speeds says."""
    scene, steps = on_floor(Box((0.4, 0.4, 0.1)), 0.05), 200
    step, speed = ph.compile_step(scene, dt=STEP), 1.0
    state = np.array(scene.q0), np.array([speed, 0, 0, 0, 0, 0.0])
    change = np.zeros(12)
    change[6] = 1.0
    for _ in range(steps):
        A, _ = step.derivatives(*state)
        change = A @ change
        state = step(*state)[:2]
    assert np.abs(state[1]).max() < 1e-9
    assert abs(change[0] - speed / (0.4 * G)) < 2.0 * STEP
    speeds = np.array([speed - 1e-5, speed + 1e-5])[:, None] * np.eye(6)[0]
    ends = ph.rollout(scene, qd=speeds, steps=steps, dt=STEP).q[-1]
    assert abs(change[0] - (ends[1, 0] - ends[0, 0]) / 2e-5) < 1e-6


def test_worlds_have_the_derivatives_that_they_have_alone():
    scene, _ = machine(3)
    step = ph.compile_step(scene, dt=STEP)
    q, qd = after(scene, random_speeds(scene), 120)
    A, B = step.derivatives(q.reshape(4, 4, -1), qd.reshape(4, 4, -1))
    assert A.shape == (4, 4, 2 * scene.model.nv, 2 * scene.model.nv) and B.shape[-1] == 0
    for k in (0, 7, 15):
        alone, _ = step.derivatives(q[k], qd[k])
        assert alone.tobytes() == A.reshape(16, *alone.shape)[k].tobytes()
    none, _ = step.derivatives(q[:0], qd[:0])
    assert none.shape == (0, *A.shape[2:])


def test_parameters_of_worlds():
    scene = on_floor(Box((0.4, 0.4, 0.1)), 0.05)
    step = ph.compile_step(scene, dt=STEP, parameters=["mu_coulomb", "mass"])
    qd, mu = np.array([1.0, 0, 0, 0, 0, 0]), np.array([0.2, 0.4, 0.6])
    own = {"mu_coulomb": mu, "mass": np.array([0.0, 3.0])}
    assert np.allclose(step(scene.q0, qd, parameters=own).qd[:, 0], 1.0 - mu * G * STEP)
    A, _ = step.derivatives(scene.q0, qd, parameters=own)
    np.testing.assert_allclose(A[:, 7, 7], 1.0 - mu * G * STEP, atol=1e-9)
    with pytest.raises(ph.ModelError, match="expected parameters mu_coulomb, mass, got none"):
        step(scene.q0, qd)


NAMES = ("mass", "com", "inertia", "gravity", "armature", "damping", "stiffness", "rest",
         "friction", "mu_coulomb")  # fmt: skip
POSITIVE = ("mass", "armature", "damping", "stiffness", "friction", "mu_coulomb")


@pytest.mark.parametrize("make", [lambda: machine(4)[0], lambda: machine(5)[0], geared_leg, legs])
def test_derivatives_by_parameters(make):
    """Beside central differences, where these agree on both sides."""
    scene = make()
    q, qd = after(scene, random_speeds(scene, scale=0.2), 150, start="keep")
    step = ph.compile_step(scene, dt=STEP, parameters=NAMES)
    own = dict(ph.identification.parameters_of(scene.model, NAMES[:-1]), mu_coulomb=0.5)
    found, there = step.parameter_derivatives(q, qd, parameters=own), step(q, qd, parameters=own)
    moved = ph.difference(scene.model, ph.integrate(scene.model, q, there.qd, STEP), there.q)
    is_pushed, n_checked, nv = np.abs(moved).max(axis=1) > 1e-12, 0, scene.model.nv
    for name in NAMES:
        value = np.asarray(own[name], float)
        assert found[name].shape == (WORLDS, 2 * nv, *value.shape)
        for at in np.ndindex(value.shape):
            way = np.zeros(value.shape)
            way[at] = 1.0
            way = 0.5 * (way + np.swapaxes(way, 1, 2)) if name == "inertia" else way
            ends = []
            for sign in (1.0, -1.0):
                other = value + sign * EPS * way
                if name in POSITIVE and other[at] < 0.0:
                    break
                end = step(q, qd, parameters={**own, name: other})
                ends.append(
                    np.hstack([ph.difference(scene.model, there.q, end.q), end.qd - there.qd])
                )
            if len(ends) < 2:
                continue
            up, down = ends[0] / EPS, -ends[1] / EPS
            mean = 0.5 * (up + down)
            ours = np.tensordot(found[name], way, way.ndim)
            scale = np.maximum(1.0, np.abs(mean).max(axis=1))[:, None]
            is_smooth = (np.abs(up - down) < 1e-4 * scale).all(axis=1)
            missed = np.abs(ours - mean) / scale
            assert missed[is_smooth, nv:].max(initial=0.0) < 2e-5
            assert missed[is_smooth & ~is_pushed].max(initial=0.0) < 2e-5
            n_checked += int((is_smooth & (np.abs(mean).max(axis=1) > 1e-6)).sum())
    assert n_checked > 10 * WORLDS


def test_friction_brakes_a_block_by_its_weight():
    scene = on_floor(Box((0.4, 0.4, 0.1)), 0.05)
    step = ph.compile_step(scene, dt=STEP, parameters=["mu_coulomb", "gravity"])
    own = {"mu_coulomb": 0.4, "gravity": [0.0, 0.0, -G]}
    found = step.parameter_derivatives(scene.q0, [1.0, 0, 0, 0, 0, 0], parameters=own)
    assert abs(found["mu_coulomb"][6] + G * STEP) < 1e-9
    assert abs(found["gravity"][6, 2] - 0.4 * STEP) < 1e-9


def test_a_step_is_that_of_a_roll_out():
    scene, _ = machine(1)
    q, qd = after(scene, random_speeds(scene), 100)
    once = ph.rollout(scene, q=q, qd=qd, steps=1, dt=STEP, start="keep")
    there = ph.compile_step(scene, dt=STEP)(q, qd)
    assert there.q.tobytes() == once.q[-1].tobytes()
    assert there.qd.tobytes() == once.qd[-1].tobytes()
    assert there.activation.shape == (WORLDS, 0) and not there.is_unsolved.any()


def test_restitution_is_refused():
    scene = on_floor(Sphere(0.1), 0.1)
    rebounds = ph.compile_step(scene.contact(mu_coulomb=0.4, restitution=0.5), dt=STEP)
    of_worlds = ph.compile_step(scene, dt=STEP, parameters=["restitution"])
    for step, own in ((rebounds, None), (of_worlds, {"restitution": 0.5})):
        step(scene.q0, scene.qd0, parameters=own)
        for derived in (step.derivatives, step.parameter_derivatives, step.vjp, step.margin):
            with pytest.raises(ph.ModelError, match=r"know no restitution.*'floor'"):
                derived(scene.q0, scene.qd0, parameters=own)
        with pytest.raises(ph.ModelError, match=r"smoothing of a step know no restitution"):
            step(scene.q0, scene.qd0, parameters=own, smoothing=1e-3)


def test_wrong_arguments():
    scene = on_floor(Sphere(0.1), 0.1)
    step = ph.compile_step(scene, dt=STEP)
    assert repr(step) == "CompiledStep('floor', dt=0.002 s)"
    with pytest.raises(ph.ShapeError, match=r"qd.*'floor'"):
        step(scene.q0, np.zeros(5))
    with pytest.raises(ph.ShapeError, match="controls"):
        step.derivatives(scene.q0, scene.qd0, np.zeros(1))
    with pytest.raises(ph.ShapeError, match="batch axes"):
        step(np.tile(scene.q0, (2, 1)), np.zeros((3, 6)))
    with pytest.raises(ph.ArgumentError, match="dt"):
        ph.compile_step(scene, dt=0.0)
