"""Positions, velocities, accelerations and Jacobians are derivatives of one another."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from random_trees import random_state, trees

SEEDS = st.integers(0, 1000)
STEP = 1e-5
DIFFERENCE = 1e-8
ROUNDING = 1e-13
POINT = np.array([0.3, -0.2, 0.5])


@given(trees(), SEEDS)
def test_poses_are_rigid_motions(model, seed):
    """Rotation parts are orthonormal with determinant one, the last row is 0 0 0 1."""
    poses = ph.body_poses(model, random_state(model, seed, (3,)).q)
    R = poses[..., :3, :3]
    np.testing.assert_allclose(R @ np.swapaxes(R, -1, -2) - np.eye(3), 0.0, atol=ROUNDING * 10)
    assert (np.linalg.det(R) > 0).all()
    assert (poses[..., 3, :] == [0.0, 0.0, 0.0, 1.0]).all()


@given(trees(), SEEDS)
def test_point_position_is_pose_times_point(model, seed):
    """A point of a body moves with its pose."""
    q = random_state(model, seed, (3,)).q
    poses = ph.body_poses(model, q)
    for body in {1, model.n_bodies}:
        R, p = poses[:, body - 1, :3, :3], poses[:, body - 1, :3, 3]
        np.testing.assert_allclose(
            ph.point_position(model, q, body, POINT), R @ POINT + p, atol=ROUNDING * 10
        )


@given(trees(), SEEDS)
def test_body_pose_carries_four_points(model, seed):
    """The pose of any body, the base and fixed ones too, is where four of its points are."""
    q = random_state(model, seed, (3,)).q
    for body in range(len(model.links) + 1):
        number = model.body(model.links[body - 1].name if body else 0)
        pose = ph.body_pose(model, q, number)
        origin, *ends = (
            np.broadcast_to(ph.point_position(model, q, number, point), (3, 3))
            for point in (np.zeros(3), *np.eye(3))
        )
        axes = np.stack([end - origin for end in ends], axis=-1)
        atol = ROUNDING * 10 * (1.0 + np.abs(origin).max())
        np.testing.assert_allclose(pose[:, :3, 3], origin, atol=atol)
        np.testing.assert_allclose(pose[:, :3, :3], axes, atol=atol)
        assert (pose[:, 3] == [0.0, 0.0, 0.0, 1.0]).all()
        if number and number <= model.n_bodies:
            poses = ph.body_poses(model, q)[:, number - 1]
            np.testing.assert_allclose(pose, poses, atol=atol)


@given(trees(), SEEDS)
def test_body_pose_of_a_batch_has_the_bits_of_single_ones(model, seed):
    """Alone, in a batch, and into ``out``: the same bits."""
    q = random_state(model, seed, (2, 3)).q
    name = model.links[-1].name
    batch = ph.body_pose(model, q, name)
    assert batch.shape == (2, 3, 4, 4)
    out = np.full((2, 3, 4, 4), np.nan)
    assert ph.body_pose(model, q, name, out=out) is out
    assert out.tobytes() == batch.tobytes()
    for at in np.ndindex(2, 3):
        assert ph.body_pose(model, q[at], name).tobytes() == batch[at].tobytes()


@given(trees(), SEEDS)
def test_velocity_is_the_derivative_of_position(model, seed):
    """Central differences of a point's position give its velocity."""
    q, qd, _, _ = random_state(model, seed)
    body = model.n_bodies

    def position(h):
        return ph.point_position(model, ph.integrate(model, q, qd, h), body, POINT)

    slope = (position(STEP) - position(-STEP)) / (2.0 * STEP)
    velocity = ph.point_velocity(model, q, qd, body, POINT)
    np.testing.assert_allclose(slope, velocity, atol=DIFFERENCE * (1 + np.abs(qd).sum() ** 3))


@given(trees(), SEEDS)
def test_acceleration_is_the_derivative_of_velocity(model, seed):
    """Central differences of a point's velocity along a motion give its acceleration."""
    q, qd, qdd, _ = random_state(model, seed)
    body = model.n_bodies

    def velocity(h):
        q_there = ph.integrate(model, q, qd * h + qdd * (0.5 * h * h))
        return ph.point_velocity(model, q_there, qd + qdd * h, body, POINT)

    slope = (velocity(STEP) - velocity(-STEP)) / (2.0 * STEP)
    acceleration = ph.point_acceleration(model, q, qd, qdd, body, POINT)
    np.testing.assert_allclose(slope, acceleration, atol=DIFFERENCE * (1 + np.abs(qd).sum() ** 3))


@given(trees(), SEEDS)
def test_jacobian_times_qd_is_velocity(model, seed):
    """Point, frame and body Jacobians all turn qd into the velocity they are named after."""
    q, qd, _, _ = random_state(model, seed)
    pose = ph.body_poses(model, q)
    for body in {1, model.n_bodies}:
        R = pose[body - 1, :3, :3]
        velocity = ph.point_velocity(model, q, qd, body, POINT)
        bound = {"atol": ROUNDING * 100 * (1 + np.abs(qd).sum())}
        np.testing.assert_allclose(ph.point_jacobian(model, q, body, POINT) @ qd, velocity, **bound)
        frame = ph.frame_jacobian(model, q, body, POINT) @ qd
        np.testing.assert_allclose(frame[3:], velocity, **bound)
        in_body = ph.body_jacobian(model, q, body) @ qd
        np.testing.assert_allclose(R @ in_body[:3], frame[:3], **bound)
        at_point = R @ (in_body[3:] + np.cross(in_body[:3], POINT))
        np.testing.assert_allclose(at_point, velocity, **bound)


@given(trees(), SEEDS)
def test_orientation_turns_with_the_angular_velocity(model, seed):
    """dR/dt = R (omega x), omega from the body Jacobian, in body axes."""
    q, qd, _, _ = random_state(model, seed)

    def rotations(h):
        return ph.body_poses(model, ph.integrate(model, q, qd, h))[:, :3, :3]

    slope = (rotations(STEP) - rotations(-STEP)) / (2.0 * STEP)
    for body in {1, model.n_bodies}:
        x, y, z = (ph.body_jacobian(model, q, body) @ qd)[:3]
        spin = rotations(0.0)[body - 1] @ np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        np.testing.assert_allclose(
            slope[body - 1], spin, atol=DIFFERENCE * (1 + np.abs(qd).sum() ** 3)
        )


@given(trees(), SEEDS)
def test_center_of_mass_moves_with_the_linear_momentum(model, seed):
    """Mass times the centre's velocity is the linear momentum."""
    q, qd, _, _ = random_state(model, seed)
    mass = sum(body.mass for body in model.bodies)
    velocity = ph.kinematics.center_of_mass_velocity(model, q, qd)
    np.testing.assert_allclose(mass * velocity, ph.momentum(model, q, qd)[3:], atol=1e-11)

    def center(h):
        return ph.center_of_mass(model, ph.integrate(model, q, qd, h))

    slope = (center(STEP) - center(-STEP)) / (2.0 * STEP)
    np.testing.assert_allclose(slope, velocity, atol=DIFFERENCE * (1 + np.abs(qd).sum() ** 3))
