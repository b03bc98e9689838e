"""The regressor against Pinocchio's, on the robots of `example-robot-data`."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph

pytestmark = pytest.mark.oracle

THEIRS = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]  # where our ten parameters are among Pinocchio's
TOLERANCE = 1e-9

ROBOTS = {
    "panda": ("panda_description/urdf/panda.urdf", False),
    "anymal": ("anymal_b_simple_description/robots/anymal.urdf", True),
    "talos": ("talos_data/robots/talos_reduced.urdf", True),
}


@pytest.mark.parametrize("name", ROBOTS)
def test_regressor(name):
    """Body by body ``T^T Y_ours = Y_theirs``, and the inertial parameters themselves."""
    import pinocchio as pin

    from oracle.robots import FOLDER, translate

    path, floating = ROBOTS[name]
    ours = ph.load(FOLDER / path, floating_base=floating)
    free = (pin.JointModelFreeFlyer(),) if floating else ()
    theirs = pin.buildModelFromUrdf(str(FOLDER / path), *free)
    data, rng = theirs.createData(), np.random.default_rng(0)
    pi = ph.identification.inertial_parameters(ours).reshape(-1, 10)
    for _ in range(3):
        q = pin.randomConfiguration(theirs, -np.ones(theirs.nq), np.ones(theirs.nq))
        v, a = rng.standard_normal((2, theirs.nv))
        expected = np.array(pin.computeJointTorqueRegressor(theirs, data, q, v, a))
        at = translate(ours, theirs, q, v)
        Y = ph.identification.inverse_dynamics_regressor(ours, at.q, at.T @ v, at.T @ a + at.drift)
        Y = (at.T.T @ Y).reshape(theirs.nv, -1, 10)
        expected = expected.reshape(theirs.nv, -1, 10)[..., THEIRS]
        for joint, body in at.bodies:
            scale = max(1.0, np.abs(expected).max())
            assert np.abs(Y[:, body - 1] - expected[:, joint - 1]).max() < TOLERANCE * scale
            own = theirs.inertias[joint].toDynamicParameters()[THEIRS]
            np.testing.assert_allclose(pi[body - 1], own, atol=1e-9)
