"""Floating bases in the quaternion form: laws at every orientation."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from polhode import spatial_v2 as sv
from polhode.algorithms.tree import floating_base
from polhode.binding.plain import run_plain
from polhode.errors import ModelError, ShapeError
from polhode.model import Model, Revolute
from polhode.spatial_v2.convert import floating_core

from .reference_cases import system

TOLERANCE = 1e-9
numbers = st.floats(-1.0, 1.0)
quarter_turns = st.sampled_from([0.0, np.pi / 2, -np.pi / 2, np.pi])
angles = st.tuples(st.floats(-3.2, 3.2), quarter_turns | st.floats(-1.6, 1.6), st.floats(-3.2, 3.2))
seeds = st.integers(0, 2**32 - 1)


@cache
def tree() -> sv.SystemModel:
    """A floating tree with branches, all joints askew."""
    return sv.floatbase(sv.autoTree(4, 2, 0.7, 0.9))


def state(turn: tuple, seed: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """``x`` at an orientation given by three angles, the rest at random."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(13)
    x[:4] = sv.fbkin([0.0, 0.0, 0.0, *turn])[:4] * rng.uniform(0.5, 2.0)
    return x, list(rng.standard_normal((3, 3)))


def turned(x: np.ndarray, R: np.ndarray) -> np.ndarray:
    """The state seen from axes turned by the rotation ``R``."""
    E = sv.rq(x[:4]) @ R.T
    return np.concatenate((sv.rq(E), *(R @ part for part in (x[4:7], x[7:10], x[10:]))))


@given(angles, seeds)
def test_forward_after_inverse(turn, seed):
    """The forces found for given accelerations give these accelerations again."""
    x, (q, qd, qdd) = state(turn, seed)
    xd, tau = sv.IDfb(tree(), x, q, qd, qdd)
    again, back = sv.FDfb(tree(), x, q, qd, tau)
    np.testing.assert_allclose(back, qdd, rtol=0, atol=TOLERANCE * (1 + np.abs(tau).max()))
    np.testing.assert_allclose(again, xd, rtol=0, atol=TOLERANCE * (1 + np.abs(xd).max()))


@given(angles, seeds)
def test_all_orientations_are_alike(turn, seed):
    """Turning the world, gravity included, turns the motion: no orientation is singular."""
    x, (q, qd, tau) = state(turn, seed)
    x[:4] /= np.linalg.norm(x[:4])
    xd, qdd = sv.FDfb(tree(), x, q, qd, tau)
    R = sv.rx(0.3) @ sv.ry(1.1) @ sv.rz(-0.4)
    model = system(tree().fields())
    model.gravity = R @ (0.0, 0.0, -9.81)
    seen, qdd_seen = sv.FDfb(model, turned(x, R), q, qd, tau)
    scale = 1 + max(np.abs(xd).max(), np.abs(qdd).max())
    np.testing.assert_allclose(qdd_seen, qdd, rtol=0, atol=TOLERANCE * scale)
    for part in (slice(4, 7), slice(7, 10), slice(10, 13)):
        np.testing.assert_allclose(seen[part], R @ xd[part], rtol=0, atol=TOLERANCE * scale)


@given(angles, seeds)
def test_general_algorithm(turn, seed):
    """Articulated bodies with a joint of six freedoms at the root say the same."""
    x, (q, qd, tau) = state(turn, seed)
    core = floating_core(tree())
    whole_q, whole_qd = ph.floating_base.floating_base_state(core, x, q, qd)
    acceleration = ph.forward_dynamics(core, whole_q, whole_qd, [*[0.0] * 6, *tau])
    xd, qdd = ph.floating_base.floating_base_dynamics(core, x, q, qd, tau)
    w, r, moved = x[7:10], x[4:7], whole_qd[:3]
    spin = sv.rq(x[:4]).T @ acceleration[3:6]
    linear = acceleration[:3] - np.cross(spin, r) - np.cross(w, moved)
    scale = TOLERANCE * (1 + np.abs(acceleration).max())
    np.testing.assert_allclose(acceleration[6:], qdd, rtol=0, atol=scale)
    np.testing.assert_allclose(np.concatenate((spin, linear)), xd[7:], rtol=0, atol=scale)


@given(st.tuples(st.floats(-3, 3), st.floats(-1.4, 1.4), st.floats(-3, 3)), seeds)
def test_six_joints_say_the_same(turn, seed):
    """Away from their singularity the six joints and the quaternion agree."""
    x, (q, qd, tau) = state(turn, seed)
    x[:4] /= np.linalg.norm(x[:4])
    xd, qdd = sv.FDfb(tree(), x, q, qd, tau)
    base = sv.fbkin(x, xd)
    whole = [np.concatenate(pair) for pair in zip(base[:2], (q, qd), strict=True)]
    general = sv.FDab(tree(), *whole, [*[0.0] * 6, *tau])
    scale = TOLERANCE * (1 + np.abs(general).max()) / np.cos(base[0][4]) ** 2
    np.testing.assert_allclose(general, np.concatenate((base[2], qdd)), rtol=0, atol=scale)


@given(angles, seeds)
def test_kinematics_there_and_back(turn, seed):
    """Position, velocity and acceleration survive the change of form."""
    rng = np.random.default_rng(seed)
    q = np.array([*rng.standard_normal(3), *turn])
    x, xd = sv.fbkin(q, *rng.standard_normal((2, 6)))
    again = sv.fbkin(sv.fbkin(x, nargout=1))
    np.testing.assert_allclose(sv.rq(again[:4]), sv.rq(x[:4]), rtol=0, atol=TOLERANCE)
    if abs(np.cos(turn[1])) > 0.05:
        back, back_d = sv.fbkin(*sv.fbkin(x, xd))
        back[:4] *= np.sign(back[:4] @ x[:4])
        np.testing.assert_allclose(back, x, rtol=0, atol=1e-8)
        np.testing.assert_allclose(back_d[4:], xd[4:], rtol=0, atol=1e-6)


@given(seeds)
def test_batches(seed):
    """A batch of states gives what each gives alone, bit for bit."""
    rng, core = np.random.default_rng(seed), floating_core(tree())
    x, q, qd, tau = (rng.standard_normal((5, n)) for n in (13, 3, 3, 3))
    together = ph.floating_base.floating_base_dynamics(core, x, q, qd, tau)
    for k in range(5):
        alone = ph.floating_base.floating_base_dynamics(core, x[k], q[k], qd[k], tau[k])
        assert all(np.array_equal(a[k], b) for a, b in zip(together, alone, strict=True))


@given(seeds)
def test_programs_are_the_algorithms(seed):
    """Compiled, on arrays and with forces, an algorithm gives the same."""
    rng, core = np.random.default_rng(seed), floating_core(tree())
    x, *joints = (rng.standard_normal((4, n)) for n in (13, 3, 3, 3))
    f_ext = rng.standard_normal((4, core.n_bodies, 6))
    for public, function in (
        (ph.floating_base.floating_base_dynamics, floating_base.floating_forward),
        (ph.floating_base.floating_base_inverse_dynamics, floating_base.floating_inverse),
    ):
        arrays = (x, *joints, f_ext)
        for got, plain in zip(
            public(core, *arrays), run_plain(function, core, arrays), strict=True
        ):
            scale = 1 + np.abs(plain).max()
            np.testing.assert_allclose(got, plain, rtol=0, atol=TOLERANCE * scale)


def test_angles_do_not_jump():
    """A base that turns over and over has angles that change little from sample to sample."""
    t = np.linspace(0.0, 20.0, 2001)
    x = np.array([sv.fbkin([0, 0, 0, 2.0 * s, 0.3 * np.sin(s), 0.5 * s]) for s in t]).T
    Q = sv.fbanim(x)
    assert np.abs(np.diff(Q)).max() < 0.05
    assert Q[3, -1] > 35.0
    np.testing.assert_allclose(sv.fbanim(x[:, None, :], t[None, None]), np.vstack((Q, t)))


def test_what_is_refused():
    """Models that do not float, and vectors of another length, are named."""
    with pytest.raises(ModelError, match="floats by the joints"):
        sv.FDfb(sv.autoTree(7), np.zeros(13), [0], [0], [0])
    with pytest.raises(ShapeError, match="expected 3 numbers in q"):
        sv.FDfb(tree(), np.zeros(13), [0], [0], [0])
    with pytest.raises(ModelError, match="FloatingBase"):
        ph.floating_base.floating_base_dynamics(
            Model().add("arm", joint=Revolute.x(), mass=1.0), np.zeros(13)
        )
