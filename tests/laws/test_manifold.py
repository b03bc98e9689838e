"""The joint manifold: neutral, random, integrate and difference; and changes of frame."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from polhode.model import Model
from polhode.spatial import Transform
from random_trees import random_frame, random_state, tree, trees

SEEDS = st.integers(0, 1000)


@given(trees(), SEEDS)
def test_difference_undoes_integrate(model, seed):
    """difference(q, integrate(q, v)) = v for turns shorter than half a revolution."""
    rng = np.random.default_rng(seed)
    q = ph.random_configuration(model, rng, size=(4,))
    v = np.clip(rng.standard_normal((4, model.nv)), -1.7, 1.7)
    np.testing.assert_allclose(ph.difference(model, q, ph.integrate(model, q, v)), v, atol=1e-12)


@given(trees(), SEEDS)
def test_integrate_undoes_difference(model, seed):
    """integrate(a, difference(a, b)) is the configuration b: every pose agrees."""
    rng = np.random.default_rng(seed)
    a, b = ph.random_configuration(model, rng, size=(2, 4))
    there = ph.integrate(model, a, ph.difference(model, a, b))
    np.testing.assert_allclose(
        ph.body_poses(model, there), ph.body_poses(model, b), atol=1e-11 * (1 + np.abs(b).max())
    )


@given(trees(), SEEDS)
def test_integrate_scales_with_time(model, seed):
    """Two half steps with one velocity are one whole step, and dt multiplies v."""
    rng = np.random.default_rng(seed)
    q, v = ph.random_configuration(model, rng), rng.standard_normal(model.nv)
    whole = ph.integrate(model, q, v)
    np.testing.assert_allclose(ph.integrate(model, q, 2.0 * v, 0.5), whole, atol=1e-13)
    half = ph.integrate(model, ph.integrate(model, q, v, 0.5), v, 0.5)
    np.testing.assert_allclose(half, whole, atol=1e-13 * (1 + np.abs(whole).max()))


@given(trees(), SEEDS)
def test_random_configurations_are_on_the_manifold(model, seed):
    """Quaternions have unit length, and integrate keeps it."""
    q = ph.random_configuration(model, np.random.default_rng(seed), size=(5,))
    assert q.shape == (5, model.nq)
    stepped = ph.integrate(model, q, random_state(model, seed, (5,)).qd)
    for quaternions in (ph.neutral(model), q, stepped):
        for joint in model.joints:
            if joint.kind.nq > joint.kind.nv:
                length = np.linalg.norm(ph.get_quaternion(model, quaternions, joint.body), axis=-1)
                np.testing.assert_allclose(length, 1.0, atol=1e-14)


@given(trees(), SEEDS)
def test_dynamics_do_not_depend_on_where_the_base_stands(model, seed):
    """Turning and moving the whole world, gravity with it, leaves the joint forces alone."""
    q, qd, qdd, _ = random_state(model, seed)
    X = random_frame(np.random.default_rng(seed))
    R = np.array(X.E.rows())
    gravity = tuple((R.T @ np.array([0.0, 0.0, -9.81])).tolist())
    moved = Model("moved", gravity=gravity)
    for link in model.links:
        frame = link.frame @ X if link.parent is None else link.frame
        moved = moved.add(
            link.name,
            joint=link.joint,
            parent=link.parent,
            frame=frame,
            mass=link.body.mass,
            com=link.body.com,
            inertia=link.body.inertia,
            armature=model.joint(link.joint_name).armature if link.dynamics else 0.0,
        )
    assert isinstance(X, Transform)
    expected = ph.inverse_dynamics(model, q, qd, qdd)
    np.testing.assert_allclose(
        ph.inverse_dynamics(moved, q, qd, qdd), expected, atol=1e-12 * (1 + np.abs(expected).max())
    )


def test_a_quaternion_of_length_zero_is_no_orientation():
    """Positions stay what they are, the orientation is not a number; nothing is made up."""
    model = tree(["spherical", "prismatic z"])
    q = np.zeros((2, model.nq))
    q[1] = ph.neutral(model)
    moved = ph.integrate(model, q, np.ones((2, model.nv)))
    lost = np.isnan(moved)
    assert lost[0].tolist() == [True, True, True, False, True] and not lost[1].any()
    v = ph.difference(model, q, ph.neutral(model))
    assert np.isnan(v[0]).tolist() == [True, True, True, False] and not v[1].any()
