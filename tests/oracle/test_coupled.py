"""URDF files with mimic joints as coupled ones, against Pinocchio's mimic joints."""

from __future__ import annotations

import warnings

import numpy as np
import pinocchio as pin
import pytest

import polhode as ph
from oracle.robots import FOLDER, urdf_files
from polhode.errors import ModelWarning

pytestmark = pytest.mark.oracle

TOLERANCE = 1e-11
SINGULAR = {"romeo"}
"""Robots whose fingers have no mass."""

PATHS = [
    path
    for path in urdf_files()
    if path.stem not in SINGULAR and "<mimic" in path.read_text(errors="ignore")
]


def relative(a, b):
    return float(np.abs(np.asarray(a) - b).max(initial=0.0) / max(1.0, np.abs(b).max(initial=0.0)))


def translated(ours, theirs, q):
    """A state of Pinocchio's in our order, and the permutation of its velocities."""
    mine, T = np.zeros(ours.nq), np.zeros((ours.nv, theirs.nv))
    for name, joint in zip(theirs.names[1:], theirs.joints[1:], strict=True):
        if joint.nv == 0:  # a mimic joint
            continue
        here, at = ours.joint(name), slice(joint.idx_q, joint.idx_q + joint.nq)
        mine[here.q] = np.arctan2(q[at][1], q[at][0]) if joint.nq == 2 else q[at]
        T[np.arange(ours.nv)[here.v], joint.idx_v] = 1.0
    return mine, T


@pytest.mark.parametrize("path", PATHS, ids=lambda path: str(path.relative_to(FOLDER)))
def test_robot_with_mimic_joints(path):
    """Poses, inverse dynamics and the mass matrix at random states."""
    try:
        theirs = pin.buildModelFromUrdf(str(path), mimic=True)
    except ValueError as error:  # of Pinocchio a leader comes before those that follow it
        pytest.skip(str(error))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        ours = ph.load(path, mimic="coupled", snap_angles=False)
    assert ours.nv == theirs.nv
    data, rng = theirs.createData(), np.random.default_rng(7)
    pin.seed(7)
    for _ in range(3):
        q = pin.randomConfiguration(theirs, -np.ones(theirs.nq), np.ones(theirs.nq))
        v, a = rng.standard_normal((2, theirs.nv))
        mine, T = translated(ours, theirs, q)
        tau = pin.rnea(theirs, data, q, v, a).copy()
        M = np.triu(pin.crba(theirs, data, q))
        M = M + np.triu(M, 1).T
        assert relative(T.T @ ph.inverse_dynamics(ours, mine, T @ v, T @ a), tau) < TOLERANCE
        assert relative(T.T @ ph.mass_matrix(ours, mine) @ T, M) < TOLERANCE
        pin.forwardKinematics(theirs, data, q)
        poses = ph.body_poses(ours, mine)
        for i in range(1, theirs.njoints):
            body = ours.joint(theirs.names[i]).body
            assert relative(poses[body - 1], data.oMi[i].homogeneous) < TOLERANCE


def test_robots_are_coupled():
    """Grippers of some of them have mimic joints that move."""
    found = {}
    for name in ("panda", "pr2", "baxter"):
        (path,) = (path for path in PATHS if path.stem == name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            model = ph.load(path, mimic="coupled")
        found[name] = model.n_axes - model.nv
    assert found == {"panda": 1, "pr2": 10, "baxter": 2}
