"""Random trees and a floating machine against MuJoCo's mass matrix and inverse dynamics."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

import polhode as ph
from oracle.mjcf import SHARED_KINDS, mjcf
from polhode.spatial import Transform
from random_trees import random_state, tree

pytestmark = pytest.mark.oracle

TOLERANCE = 1e-9
FLOATING = ["floating", "revolute", "spherical", "prismatic z", "universal"]


def layout(model):
    """Index arrays: where MuJoCo's q and v entries are in ours."""
    q, v = [], []
    for joint in model.joints:
        mine = np.arange(model.nq)[joint.q]
        n = len(mine)
        if joint.kind.nq > joint.kind.nv:  # x y z w, where MuJoCo has w x y z
            mine = mine[[*range(n - 4), n - 1, n - 4, n - 3, n - 2]]
        q.extend(mine)
        v.extend(np.arange(model.nv)[joint.v])
    return np.array(q), np.array(v)


def their_order(model):
    """MuJoCo numbers depth first: the same tree with its links in that order."""
    ordered, stack = [], [None]
    while stack:
        name = stack.pop()
        ordered += [link for link in model.links if link.name == name]
        stack += [link.name for link in reversed(model.links) if link.parent == name]
    return type(model)(model.name, ordered, tuple(model.gravity.lin))


def machine(seed):
    """A random tree; number 0 floats, its root frame at the origin as MuJoCo wants it."""
    rng = np.random.default_rng(seed)
    kinds = list(rng.choice(SHARED_KINDS, 6)) if seed else FLOATING
    parents = [-1, *(int(rng.integers(0, i)) for i in range(1, len(kinds)))]
    model = tree(kinds, parents, seed, gravity=(0.3, -0.2, -9.81))
    if seed:
        return their_order(model)
    root = replace(model.links[0], frame=Transform.identity())
    return their_order(replace(model, links=(root, *model.links[1:])))


@pytest.mark.parametrize("seed", range(13))
def test_against_mujoco(seed):
    """The mass matrix, and the joint forces for given accelerations."""
    model = machine(seed)
    theirs = mujoco.MjModel.from_xml_string(mjcf(model))
    data = mujoco.MjData(theirs)
    q_order, v_order = layout(model)
    for k in range(3):
        q, qd, qdd, _ = random_state(model, seed + k)
        data.qpos, data.qvel, data.qacc = q[q_order], qd[v_order], qdd[v_order]
        mujoco.mj_inverse(theirs, data)
        tau = ph.inverse_dynamics(model, q, qd, qdd)[v_order]
        scale = max(1.0, np.abs(data.qfrc_inverse).max())
        np.testing.assert_allclose(tau, data.qfrc_inverse, atol=TOLERANCE * scale)
        H = ph.mass_matrix(model, q)[np.ix_(v_order, v_order)]
        column, expected = np.zeros(model.nv), np.zeros((model.nv, model.nv))
        for j in range(model.nv):
            mujoco.mj_mulM(theirs, data, column, np.eye(model.nv)[j])
            expected[:, j] = column
        np.testing.assert_allclose(H, expected, atol=TOLERANCE * max(1.0, np.abs(expected).max()))
