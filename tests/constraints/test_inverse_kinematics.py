"""Inverse kinematics: there and back, in batches, within limits."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from constraints.machines import walker
from polhode.algorithms.inverse_kinematics import ik_residual
from polhode.api.inverse_kinematics import joint_limits
from polhode.model import Limits, Model, Revolute
from random_trees import random_rotation

MODEL = walker()
FOOT = (0.0, 0.0, -0.4)
RNG = np.random.default_rng


def poses_of(q, body):
    """Position of the foot's point, and rotation, of a body."""
    pose = ph.body_poses(MODEL, q)[..., MODEL.body(body) - 1, :, :]
    return ph.point_position(MODEL, q, body, FOOT), pose[..., :3, :3]


def near(q, size, spread, seed=0):
    return ph.integrate(MODEL, q, RNG(seed).uniform(-spread, spread, (size, MODEL.nv)))


def feet(q):
    """Targets for both feet and the trunk as they are at ``q``."""
    targets = ph.Targets(MODEL)
    for side in ("left", "right"):
        targets = targets.full(f"{side} shin", FOOT, *poses_of(q, f"{side} shin"))
    return targets


@pytest.mark.parametrize(("method", "damping"), [("adaptive", None), ("damped", 1e-3)])
def test_there_and_back_in_a_batch(method, damping):
    """Feet are brought to where they are at other positions, with success for each of 300."""
    middle = near(ph.neutral(MODEL), 1, 0.3)[0]
    q = near(middle, 300, 0.5, seed=1)
    r = ph.inverse_kinematics(MODEL, feet(q), middle, method=method, damping=damping)
    assert r.success.shape == (300,)
    assert r.success.mean() > 0.9
    for side in ("left", "right"):
        for got, wanted in zip(
            poses_of(r.q, f"{side} shin"), poses_of(q, f"{side} shin"), strict=True
        ):
            np.testing.assert_allclose(got[r.success], wanted[r.success], atol=1e-11)
    quaternions = ph.get_quaternion(MODEL, r.q, "trunk")
    np.testing.assert_allclose(np.linalg.norm(quaternions, axis=-1), 1.0, atol=1e-13)


def test_members_stop_on_their_own():
    """One that starts at its target takes no step, whatever the others do."""
    q = near(ph.neutral(MODEL), 3, 0.4)
    r = ph.inverse_kinematics(MODEL, feet(q), np.stack([q[0], q[0], q[0]]))
    assert r.iterations[0] == 0
    assert (r.iterations[1:] > 2).all()
    np.testing.assert_array_equal(r.q[0], q[0])
    alone = ph.inverse_kinematics(MODEL, feet(q[1]), q[0])
    np.testing.assert_array_equal(alone.q, r.q[1])
    assert alone.iterations == r.iterations[1]


def test_every_kind_of_target():
    """Each kind is met in what it is about."""
    q = near(ph.neutral(MODEL), 1, 0.4, seed=2)[0]
    place, turn = poses_of(q, "left shin")
    com = ph.center_of_mass(MODEL, q)[:2]
    targets = ph.Targets(MODEL).com_xy(com).point_z("left shin", FOOT, place[2], 2.0)
    targets = targets.point_xy("left shin", FOOT, place[:2]).orientation("left shin", turn)
    targets = targets.point("right shin", FOOT, poses_of(q, "right shin")[0], weight=0.5)
    assert targets.n_rows == 2 + 1 + 2 + 3 + 3
    r = ph.inverse_kinematics(MODEL, targets, near(q, 1, 0.2, seed=3)[0])
    assert r.success
    np.testing.assert_allclose(ph.center_of_mass(MODEL, r.q)[:2], com, atol=1e-11)
    np.testing.assert_allclose(poses_of(r.q, "left shin")[0], place, atol=1e-11)
    np.testing.assert_allclose(poses_of(r.q, "left shin")[1], turn, atol=1e-11)
    assert r.iterations < 12


def test_jacobians_are_derivatives_of_residuals():
    """For every kind, also far from the target where it is nearly linear."""
    q = near(ph.neutral(MODEL), 1, 0.5, seed=4)[0]
    place, turn = poses_of(q, "left shin")
    targets = ph.Targets(MODEL).com_xy((0.1, 0.2), 3.0).point("left shin", FOOT, place + 0.3)
    targets = targets.orientation("left shin", turn)

    def residual(x):
        return ik_residual(MODEL, MODEL.split_q(x), targets.array, targets.kinds)

    J, step = residual(q).J, 1e-6
    for k in range(MODEL.nv):
        ends = [ph.integrate(MODEL, q, sign * step * np.eye(MODEL.nv)[k]) for sign in (1, -1)]
        slope = np.subtract(*(residual(end).e for end in ends)) / (-2 * step)
        np.testing.assert_allclose([row.get(k, 0.0) for row in J], slope, atol=1e-7)


def test_half_turn_is_a_residual():
    """A body turned by half a turn is not taken for one that has arrived."""
    targets = ph.Targets(MODEL).orientation("trunk", np.diag([1.0, -1.0, -1.0]))
    r = ph.inverse_kinematics(MODEL, targets)
    assert r.success
    np.testing.assert_allclose(poses_of(r.q, "trunk")[1], np.diag([1.0, -1.0, -1.0]), atol=1e-11)


def test_limits_are_kept():
    """Knees stop at their limit and the rest of the body makes up for it."""
    lower, upper = joint_limits(MODEL)
    assert np.isinf(lower[:6]).all()
    assert (upper[6:] == 1.2).all()
    q = ph.neutral(MODEL)
    q[[7, 8]] = 1.1, -2.0  # beyond the knee's lower limit
    targets = ph.Targets(MODEL).point("left shin", FOOT, poses_of(q, "left shin")[0])
    free = ph.inverse_kinematics(MODEL, targets)
    held = ph.inverse_kinematics(MODEL, targets, limits=True)
    assert free.success
    assert held.success
    assert (held.q[: MODEL.nv] >= lower).all()
    assert (held.q[: MODEL.nv] <= upper).all()
    start = ph.neutral(MODEL)
    start[8] = -2.5
    assert ph.inverse_kinematics(MODEL, targets, start, limits=True).q[8] >= -1.0


def test_limits_stop_a_target_that_only_they_forbid():
    """On a fixed base a knee at its limit leaves a residual; without limits there is none."""
    arm = Model("arm").add("a", joint=Revolute.y(), mass=1.0, limits=Limits(-0.5, 0.5))
    targets = ph.Targets(arm).point_z("a", (1.0, 0.0, 0.0), [-0.4, -0.9])
    free = ph.inverse_kinematics(arm, targets)
    held = ph.inverse_kinematics(arm, targets, limits=True)
    assert free.success.all()
    assert held.success.tolist() == [True, False]
    assert held.q[1, 0] == 0.5


def test_out_of_reach_is_no_success():
    """A point two metres away is not reached by a fixed arm; the residual says by how much."""

    arm = Model("arm").add("a", joint=Revolute.z(), mass=1.0)
    targets = ph.Targets(arm).point("a", (1.0, 0.0, 0.0), (2.0, 1.0, 0.0))
    r = ph.inverse_kinematics(arm, targets, method="damped", damping=0.9, max_iterations=200)
    assert not r.success
    assert r.step < 1e-12
    assert r.residual == pytest.approx(np.sqrt(5.0) - 1.0, abs=1e-12)
    assert not ph.inverse_kinematics(arm, targets).success


def test_errors():
    """Wrong shapes, models and methods are refused at the door."""
    targets = ph.Targets(MODEL)
    with pytest.raises(ph.ShapeError, match="expected 3 on the last axis of the position"):
        targets.point("trunk", (0, 0, 0), (0, 0))
    with pytest.raises(ph.ShapeError, match="3 x 3 on the last axes of a rotation"):
        targets.orientation("trunk", np.eye(4))
    with pytest.raises(ph.ModelError, match="did you mean 'trunk'"):
        targets.point("trunc", (0, 0, 0), (0, 0, 0))
    with pytest.raises(ph.ModelError, match="at least one target"):
        ph.inverse_kinematics(MODEL, targets)
    some = targets.orientation("trunk", random_rotation(RNG(0)))
    with pytest.raises(ph.ModelError, match="did you mean 'damped'"):
        ph.inverse_kinematics(MODEL, some, method="dampd")
    with pytest.raises(ph.ShapeError, match="nq = 13"):
        ph.inverse_kinematics(MODEL, some, np.zeros(12))
    with pytest.raises(ph.ModelError, match="expected Targets, got dict"):
        ph.inverse_kinematics(MODEL, {})
    assert "orientation of trunk" in repr(some)
