"""Derivatives of steps by what moves points of contact: frames of joints, and heights of ground."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.model import Heightmap, Sphere
from stepping.test_lane_lengths import arm
from stepping.test_lane_soft import ball
from stepping.test_law_derivatives import SOFT_TORQUES, VISCOUS, lawful
from stepping.test_step_derivatives import STEP, after, random_speeds
from stepping.test_step_gradients import STIFF, beside
from stepping.test_step_laws import machine
from stepping.test_step_margins import sledge

EPS, WORLDS = 1e-5, 16
HILLS = Heightmap(((0.0, 0.1, 0.0), (0.1, 0.2, 0.0), (0.0, 0.1, 0.1)), (2.0, 2.0))


def turn(axis, angle):
    """The rotation matrix about a coordinate axis."""
    i, j = [k for k in range(3) if k != axis]
    found = np.eye(3)
    found[[i, j], [i, j]] = np.cos(angle)
    found[i, j], found[j, i] = -np.sin(angle), np.sin(angle)
    return found


def frame_ways(frame):
    """Changes of poses that keep axes orthonormal: shifts and rotations of each body."""
    for k in range(len(frame)):
        for axis in range(3):
            shift = np.zeros(frame.shape)
            shift[k, axis, 3] = 1.0
            yield lambda eps, shift=shift: frame + eps * shift, shift

            def turned(eps, k=k, axis=axis):
                found = frame.copy()
                found[k, :3, :3] = frame[k, :3, :3] @ turn(axis, eps)
                return found

            yield turned, (turned(1e-6) - turned(-1e-6)) / 2e-6


def check(scene, name, q, qd, ways, r=0.0):
    """Beside central differences, where these agree on both sides; how many that were."""
    step, nv, n_checked = ph.compile_step(scene, dt=STEP, parameters=[name]), scene.model.nv, 0
    own = {name: next(iter(ways))[0](0.0)}
    found = step.parameter_derivatives(q, qd, parameters=own, smoothing=r)[name]
    there = step(q, qd, parameters=own, smoothing=r)
    moved = ph.difference(scene.model, ph.integrate(scene.model, q, there.qd, STEP), there.q)
    is_pushed = np.abs(moved).max(axis=1) > 1e-12
    for changed, way in ways:
        up, down = (
            np.hstack([ph.difference(scene.model, there.q, end.q), end.qd - there.qd]) / eps
            for eps in (EPS, -EPS)
            for end in (step(q, qd, parameters={name: changed(eps)}, smoothing=r),)
        )
        mean = 0.5 * (up + down)
        scale = np.maximum(1.0, np.abs(mean).max(axis=1))[:, None]
        is_smooth = (np.abs(up - down) < 1e-3 * scale).all(axis=1)
        missed = np.abs(np.tensordot(found, way, way.ndim) - mean) / scale
        assert missed[is_smooth, nv:].max(initial=0.0) < 1e-4
        assert missed[is_smooth & ~is_pushed].max(initial=0.0) < 1e-4
        n_checked += int((is_smooth & (np.abs(mean).max(axis=1) > 1e-4)).sum())
    w = np.random.default_rng(0).standard_normal((2, len(qd), nv))
    back = step.vjp(q, qd, parameters=own, weight_q=w[0], weight_qd=w[1], by=[name], smoothing=r)
    total = np.einsum("ni,ni...->n...", np.concatenate(w, axis=1), found)
    assert beside(back.parameters[name], total) < STIFF
    return n_checked


def tendon():
    """An arm that hangs on a tendon with limits and friction."""
    return ph.Scene("arm").add_machine(arm(limits=(0.0, 0.72), friction=0.2), "arm")


def frames_of(scene):
    return np.array(ph.identification.parameters_of(scene.model, ["frame"])["frame"])


@pytest.mark.parametrize(
    ("make", "r"),
    [
        (lambda: machine(5)[0], 0.0),
        (lambda: machine(5)[0], 1e-3),
        (lambda: lawful(1, **VISCOUS), 0.0),
        (lambda: lawful(1, **SOFT_TORQUES), 0.0),
        (lambda: lawful(1, **VISCOUS), 1e-3),
        (tendon, 0.0),
        (tendon, 1e-3),
    ],
)
def test_frames_of_joints(make, r):
    scene = make()
    q, qd = after(scene, 0.2 * random_speeds(scene), 100, start="keep")
    assert check(scene, "frame", q, qd, list(frame_ways(frames_of(scene))), r) > WORLDS


def heights_ways(heights):
    for at in np.ndindex(heights.shape):
        way = np.zeros(heights.shape)
        way[at] = 1.0
        yield lambda eps, way=way: heights + eps * way, way


@pytest.mark.parametrize("r", [0.0, 1e-3])
@pytest.mark.parametrize("law", [{"mu_coulomb": 0.4}, {"mu_coulomb": 0.4, "compliance": 1e-4}])
def test_heights_of_ground(law, r):
    scene = ph.Scene("hills").contact(**law).add_fixed("hills", HILLS)
    scene = scene.add_body("ball", Sphere(0.1), mass=1.0, position=(0.05, 0.08, 0.3))
    q, qd = after(scene, random_speeds(scene), 80)
    q[:, 2] += 1e-3  # at a gap of zero derivatives have two sides
    qd[:, 2] = -3.0
    assert check(scene, "heights", q, qd, list(heights_ways(np.array(HILLS.heights))), r) > WORLDS


def test_ground_that_rises_lifts_what_the_step_sets_down():
    """dz/dh = 1 under a ball that comes down on level ground, and the same of its frame less."""
    level = Heightmap(((0.0,) * 3,) * 3, (2.0, 2.0))
    scene = ph.Scene("level").contact(mu_coulomb=0.0).add_fixed("level", level)
    scene = scene.add_body("ball", Sphere(0.1), mass=1.0, position=(0.3, 0.2, 0.101))
    step = ph.compile_step(scene, dt=STEP, parameters=["heights"])
    own, qd = {"heights": np.zeros((3, 3))}, -np.eye(6)[2]
    found = step.parameter_derivatives(scene.q0, qd, parameters=own)["heights"]
    assert abs(found[2].sum() - 1.0) < 1e-6 and abs(found[8].sum() - 1.0 / STEP) < 1e-3
    A, _ = step.derivatives(scene.q0, qd, parameters=own)
    assert abs(A[2, 2]) < 1e-6


def test_a_sledge_set_higher_falls_as_its_place():
    """By the frame of its vertical slide as by its position."""
    scene = sledge().contact(mu_coulomb=0.3)
    step = ph.compile_step(scene, dt=STEP, parameters=["frame"])
    own, q, qd = {"frame": frames_of(scene)}, [0.0, 1e-4], [1.0, -1.0]
    by = step.parameter_derivatives(q, qd, parameters=own)["frame"]
    A, _ = step.derivatives(q, qd, parameters=own)
    np.testing.assert_allclose(by[2:, 0, 2, 3], A[2:, 1], atol=1e-6)
    assert abs(A[3, 1] + 1.0 / STEP) < 1e-3


def test_worlds_of_their_own_places():
    scene = ball(z=0.1, mass=1.0, mu_coulomb=0.3)
    step = ph.compile_step(scene, dt=STEP, parameters=["frame"])
    frame = np.stack([frames_of(scene)] * 3)
    frame[:, 0, 2, 3] += [0.0, 1e-3, 1e-2]
    qd = np.array([0.3, 0.1, -0.2, 0, 0, 0])
    found = step.parameter_derivatives(scene.q0, qd, parameters={"frame": frame})["frame"]
    for k in range(3):
        own = {"frame": frame[k]}
        alone = step.parameter_derivatives(scene.q0, qd, parameters=own)["frame"]
        assert alone.tobytes() == found[k].tobytes()
