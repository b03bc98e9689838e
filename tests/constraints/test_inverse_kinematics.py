"""Inverse kinematics: there and back, in batches, within limits."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from models import at, seven_axes, walker
from polhode.algorithms.constrained.inverse_kinematics import ik_residual
from polhode.model import Limits, Model, Prismatic, Revolute
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
    targets = ph.kinematics.Targets(MODEL)
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
    targets = ph.kinematics.Targets(MODEL).com_xy(com).point_z("left shin", FOOT, place[2], 2.0)
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
    targets = (
        ph.kinematics.Targets(MODEL).com_xy((0.1, 0.2), 3.0).point("left shin", FOOT, place + 0.3)
    )
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
    targets = ph.kinematics.Targets(MODEL).orientation("trunk", np.diag([1.0, -1.0, -1.0]))
    r = ph.inverse_kinematics(MODEL, targets)
    assert r.success
    np.testing.assert_allclose(poses_of(r.q, "trunk")[1], np.diag([1.0, -1.0, -1.0]), atol=1e-11)


def test_limits_are_kept():
    """Knees stop at their limit and the rest of the body makes up for it."""
    lower, upper = MODEL.limits[:2]
    assert np.isinf(lower[:6]).all()
    assert (upper[6:] == 1.2).all()
    q = ph.neutral(MODEL)
    q[[7, 8]] = 1.1, -2.0  # beyond the knee's lower limit
    targets = ph.kinematics.Targets(MODEL).point("left shin", FOOT, poses_of(q, "left shin")[0])
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
    targets = ph.kinematics.Targets(arm).point_z("a", (1.0, 0.0, 0.0), [-0.4, -0.9])
    free = ph.inverse_kinematics(arm, targets)
    held = ph.inverse_kinematics(arm, targets, limits=True)
    assert free.success.all()
    assert held.success.tolist() == [True, False]
    assert held.q[1, 0] == 0.5


def test_out_of_reach_is_no_success():
    """A point two metres away is not reached by a fixed arm; the residual says by how much."""

    arm = Model("arm").add("a", joint=Revolute.z(), mass=1.0)
    targets = ph.kinematics.Targets(arm).point("a", (1.0, 0.0, 0.0), (2.0, 1.0, 0.0))
    r = ph.inverse_kinematics(arm, targets, method="damped", damping=0.9, max_iterations=200)
    assert not r.success
    assert r.step < 1e-12
    assert r.residual == pytest.approx(np.sqrt(5.0) - 1.0, abs=1e-12)
    assert not ph.inverse_kinematics(arm, targets).success


PANDA = seven_axes()


def reachable(seed, size=200):
    """Targets for the hand of an arm with seven axes that it can reach within its limits."""
    q = ph.random_configuration(PANDA, RNG(seed), size)
    return ph.kinematics.Targets(PANDA).pose("hand", ph.body_pose(PANDA, q, "hand"))


def in_limits(q):
    lower, upper = PANDA.limits[:2]
    return (q >= lower).all() and (q <= upper).all()


@pytest.mark.parametrize("seed", range(5))
def test_reachable_poses_are_reached_within_limits(seed):
    """More than 95 % of 200, all within the limits; the targets are met."""
    targets = reachable(seed)
    found = ph.inverse_kinematics(PANDA, targets, limits=True)
    assert found.success.mean() > 0.95
    assert in_limits(found.q)
    pose = ph.body_pose(PANDA, found.q, "hand")[found.success]
    np.testing.assert_allclose(pose[:, :3, 3], targets.array[found.success, 4:7], atol=1e-11)
    turn = targets.array[found.success, 7:].reshape(-1, 3, 3)
    np.testing.assert_allclose(pose[:, :3, :3], turn, atol=1e-11)
    once = ph.inverse_kinematics(PANDA, targets, limits=True, restarts=0)
    assert (once.iterations <= found.iterations).all()
    assert found.q[once.success].tobytes() == once.q[once.success].tobytes()


def test_restarts_repeat_themselves():
    """The same bits in another call, in another batch, and alone."""
    targets = reachable(0, 20)
    found = ph.inverse_kinematics(PANDA, targets, limits=True)
    again = ph.inverse_kinematics(PANDA, targets, limits=True)
    for kept, new in zip(found, again, strict=True):
        assert kept.tobytes() == new.tobytes()
    hard = np.flatnonzero(found.iterations > 300)
    assert len(hard) > 3
    for k in hard[:3]:
        one = ph.kinematics.Targets(PANDA, targets.kinds, tuple(x[k] if x.ndim > 1 else x
                                                     for x in targets.values))  # fmt: skip
        alone = ph.inverse_kinematics(PANDA, one, limits=True)
        assert alone.q.tobytes() == found.q[k].tobytes()
        assert (alone.success, alone.iterations) == (found.success[k], found.iterations[k])


def test_angles_end_within_half_a_turn_of_the_start():
    """Where there are no limits, wherever the start is; with limits these hold."""
    for q0 in (np.zeros(7), np.full(7, 20.0), ph.random_configuration(PANDA, RNG(3), 200) - 30.0):
        found = ph.inverse_kinematics(PANDA, reachable(1), q0)
        assert found.success.all()
        assert (np.abs(found.q - q0) <= np.pi + 1e-12).all()
    turntable = Model("turntable").add("a", joint=Revolute.z(), mass=1.0)
    turntable = turntable.add("b", parent="a", joint=Revolute.y(), frame=at(1.0), mass=1.0,
                              limits=Limits(-0.5, 0.5))  # fmt: skip
    there = ph.body_pose(turntable, RNG(0).uniform(-0.5, 0.5, (50, 2)), "b")
    targets = ph.kinematics.Targets(turntable).pose("b", there)
    found = ph.inverse_kinematics(turntable, targets, [50.0, 0.0], limits=True)
    assert found.success.all()
    assert (np.abs(found.q[:, 0] - 50.0) <= np.pi).all()
    assert (np.abs(found.q[:, 1]) <= 0.5).all()


def test_unreachable_targets_end_without_success_and_near():
    """The closest point of two links is on the line to the target; nothing runs away."""
    arm = Model("arm").add("upper", joint=Revolute.z(), mass=1.0)
    arm = arm.add("lower", parent="upper", joint=Revolute.z(), frame=at(1.0), mass=1.0)
    far = RNG(0).uniform(3.0, 9.0, (30, 1)) * [[0.6, 0.8, 0.0]]
    for limits in (False, True):
        found = ph.inverse_kinematics(
            arm,
            ph.kinematics.Targets(arm).point("lower", (1.0, 0.0, 0.0), far),
            [0.2, 0.3],
            limits=limits,
        )
        assert not found.success.any()
        assert (np.abs(found.q - [0.2, 0.3]) <= np.pi).all()
        least = np.linalg.norm(far, axis=-1) - 2.0
        np.testing.assert_allclose(found.residual, least, atol=0.05)
    slide = Model("slide").add("x", joint=Prismatic.x(), mass=1.0)
    targets = ph.kinematics.Targets(slide).point("x", (0.0, 0.0, 0.0), (1.0, 5.0, 0.0))
    assert ph.inverse_kinematics(slide, targets).q == pytest.approx([1.0], abs=0.01)


def test_nothing_beyond_the_limits_is_a_success():
    """Starts and targets beyond, and limits that a sum of floats would round to beyond."""
    q = RNG(5).uniform(-6.0, 6.0, (200, 7))
    targets = ph.kinematics.Targets(PANDA).pose("hand", ph.body_pose(PANDA, q, "hand"))
    found = ph.inverse_kinematics(PANDA, targets, q, limits=True)
    assert 0 < found.success.sum() < 200
    assert in_limits(found.q)


def test_numbers_without_a_batch():
    """One member has Python's own bool, floats and int; members of a batch have arrays."""
    arm = Model("arm").add("a", joint=Revolute.y(), mass=1.0)
    found = ph.inverse_kinematics(
        arm, ph.kinematics.Targets(arm).point_z("a", (1.0, 0.0, 0.0), -0.4)
    )
    assert found.success is True
    assert type(found.residual) is float and type(found.step) is float
    assert type(found.iterations) is int
    found = ph.inverse_kinematics(
        arm, ph.kinematics.Targets(arm).point_z("a", (1.0, 0.0, 0.0), [-0.4])
    )
    assert found.success.shape == found.residual.shape == found.step.shape == (1,)


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int64])
def test_starts_of_any_kind_are_computed_in_float64(kind):
    """The same bits as from the same start in float64."""
    q0 = (2.0 * RNG(2).standard_normal((20, 7))).astype(kind)
    targets = reachable(2, 20)
    found = ph.inverse_kinematics(PANDA, targets, q0)
    same = ph.inverse_kinematics(PANDA, targets, q0.astype(np.float64))
    assert found.q.dtype == np.float64
    for kept, new in zip(found, same, strict=True):
        assert kept.tobytes() == new.tobytes()


def test_nan_stays_in_its_member():
    """Neither a start nor a target that is NaN disturbs the others, or is a success."""
    targets = reachable(0, 4)
    whole = ph.inverse_kinematics(PANDA, targets, limits=True)
    q0 = np.zeros((4, 7))
    q0[1, 2] = np.nan
    values = [np.array(x) for x in targets.values]
    values[3] = np.array(values[3])
    values[3][2] = np.nan  # a rotation
    some = ph.kinematics.Targets(PANDA, targets.kinds, tuple(values))
    found = ph.inverse_kinematics(PANDA, some, q0, limits=True)
    assert found.success.tolist() == [whole.success[0], False, False, whole.success[3]]
    assert found.q[[0, 3]].tobytes() == whole.q[[0, 3]].tobytes()


def test_rotations_take_body_axes_to_base_axes():
    """The columns of a target's rotation are the body's axes; its transpose is another target."""
    q = ph.random_configuration(PANDA, RNG(1))
    pose = ph.body_pose(PANDA, q, "hand")
    for targets in (
        ph.kinematics.Targets(PANDA).orientation("hand", pose[:3, :3]),
        ph.kinematics.Targets(PANDA).full("hand", (0.0, 0.0, 0.0), pose[:3, 3], pose[:3, :3]),
        ph.kinematics.Targets(PANDA).pose("hand", pose),
    ):
        found = ph.inverse_kinematics(PANDA, targets, q)
        assert found.success
        assert found.iterations == 0
    found = ph.inverse_kinematics(
        PANDA, ph.kinematics.Targets(PANDA).orientation("hand", pose[:3, :3].T), q
    )
    assert found.iterations > 0


def test_what_is_no_rotation_is_refused():
    """Reflections, scaled and skewed matrices: which argument, which member, and what is wrong."""
    targets, good = ph.kinematics.Targets(PANDA), np.eye(3)
    with pytest.raises(ph.ShapeError, match=r"a rotation as rotation, got a reflection: .* by 0, "
                       r"the determinant is -1 \(body 'hand'\)"):  # fmt: skip
        targets.orientation("hand", np.diag([1.0, 1.0, -1.0]))
    with pytest.raises(ph.ShapeError, match=r"not orthogonal: R\^T R differs from the identity "
                       "by 3, the determinant is 8"):  # fmt: skip
        targets.full("hand", (0, 0, 0), (0, 0, 0), 2.0 * good)
    batch = np.stack([good, good, good])
    batch[1, 0, 1] = 0.01
    with pytest.raises(ph.ShapeError, match=r"rotation at batch index 1, .* identity by 0\.01"):
        targets.orientation("hand", batch)
    T = np.zeros((2, 3, 4, 4)) + np.eye(4)
    T[1, 2, 0, 0] = -1.0
    with pytest.raises(ph.ShapeError, match=r"pose at batch index \(1, 2\), got a reflection"):
        targets.pose("hand", T)
    with pytest.raises(ph.ShapeError, match=r"0 0 0 1 as the last row of pose, got \[0.1, 0.2"):
        targets.pose("hand", np.eye(4) + np.outer(np.eye(4)[3], [0.1, 0.2, 0.3, 0.0]))
    with pytest.raises(ph.ShapeError, match="expected 4 x 4 on the last axes of a pose"):
        targets.pose("hand", good)
    turn = random_rotation(RNG(0)).astype(np.float32)
    assert targets.orientation("hand", turn @ turn.T @ turn).n_rows == 3


@pytest.mark.parametrize("value", [1j, "1", b"1", None, np.datetime64("2020-01-01"), [[1], [2, 3]]])
def test_what_is_no_number_is_refused(value):
    """Complex numbers, texts, dates, nothing, and rows of different lengths."""
    targets = ph.kinematics.Targets(PANDA)
    with pytest.raises(ph.ShapeError, match="point"):
        targets.point("hand", value, (0, 0, 0))
    with pytest.raises(ph.ShapeError, match="height"):
        targets.point_z("hand", (0, 0, 0), value)
    with pytest.raises(ph.ShapeError, match="weight"):
        targets.com_xy((0, 0), value)
    start = [None] * 7 if value is None else value  # None alone is the neutral position
    with pytest.raises(ph.ShapeError, match="q0"):
        ph.inverse_kinematics(PANDA, targets.com_xy((0, 0)), start)


def test_errors():
    """Wrong shapes, models and methods are refused."""
    targets = ph.kinematics.Targets(MODEL)
    with pytest.raises(ph.ShapeError, match="expected 3 on the last axis of the position"):
        targets.point("trunk", (0, 0, 0), (0, 0))
    with pytest.raises(ph.ShapeError, match="3 x 3 on the last axes of a rotation"):
        targets.orientation("trunk", np.eye(4))
    with pytest.raises(ph.ModelError, match="did you mean 'trunk'"):
        targets.point("trunc", (0, 0, 0), (0, 0, 0))
    with pytest.raises(ph.ModelError, match="at least one target"):
        ph.inverse_kinematics(MODEL, targets)
    some = targets.orientation("trunk", random_rotation(RNG(0)))
    with pytest.raises(ph.ArgumentError, match="did you mean 'damped'"):
        ph.inverse_kinematics(MODEL, some, method="dampd")
    with pytest.raises(ph.ShapeError, match="nq = 13"):
        ph.inverse_kinematics(MODEL, some, np.zeros(12))
    with pytest.raises(ph.ModelError, match="expected Targets, got dict"):
        ph.inverse_kinematics(MODEL, {})
    with pytest.raises(ValueError, match="expected restarts from 0 to"):
        ph.inverse_kinematics(MODEL, some, restarts=-1)
    many = targets.point("trunk", (0, 0, 0), np.zeros((4, 3)))
    with pytest.raises(ph.ShapeError, match=r"broadcast, got q0 \(3,\), targets \(4,\)"):
        ph.inverse_kinematics(MODEL, many, np.zeros((3, 13)))
    with pytest.raises(ph.ShapeError, match="targets with batch axes that broadcast"):
        ph.inverse_kinematics(MODEL, many.com_xy(np.zeros((3, 2))))
    assert "orientation of trunk" in repr(some)
