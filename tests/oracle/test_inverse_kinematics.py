"""Inverse kinematics of robots of `example-robot-data`, looked at by Pinocchio."""

from __future__ import annotations

import warnings

import numpy as np
import pinocchio as pin
import pytest

import polhode as ph
from oracle.robots import FOLDER, translate

pytestmark = pytest.mark.oracle
PANDA = FOLDER / "panda_description/urdf/panda.urdf"
HAND = "panda_hand_tcp"


@pytest.mark.parametrize("limits", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_reachable_poses_of_the_panda(seed, limits):
    """More than 95 % of 200 poses of the hand are reached; Pinocchio finds the hand there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = ph.load(PANDA, snap_angles=False)
    theirs = pin.buildModelFromUrdf(str(PANDA))
    data, frame = theirs.createData(), theirs.getFrameId(HAND)
    q = ph.random_configuration(ours, np.random.default_rng(seed), 200)
    wanted = ph.body_pose(ours, q, HAND)
    found = ph.inverse_kinematics(
        ours, ph.kinematics.Targets(ours).pose(HAND, wanted), limits=limits
    )
    assert found.success.mean() > 0.95
    lower, upper = ours.limits[:2]
    if limits:
        assert ((found.q >= lower) & (found.q <= upper)).all()
    assert (np.abs(found.q[:, :7]) <= (np.pi if not limits else np.inf)).all()
    order = translate(ours, theirs, np.arange(float(theirs.nq)), np.zeros(theirs.nv)).q.astype(int)
    for k in np.flatnonzero(found.success):
        there = np.empty(theirs.nq)
        there[order] = found.q[k]
        pin.framesForwardKinematics(theirs, data, there)
        np.testing.assert_allclose(data.oMf[frame].homogeneous, wanted[k], atol=1e-11)
