"""Every URDF of `example-robot-data`, fixed and floating, against Pinocchio."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import polhode as ph
import pytest

from oracle.robots import FOLDER, translate, urdf_files

pytestmark = pytest.mark.oracle

TOLERANCE = 1e-9
REFUSED = {"ur3": "the file describes an empty robot"}


def relative(a, b):
    return float(np.abs(np.asarray(a) - b).max(initial=0.0) / max(1.0, np.abs(b).max(initial=0.0)))


def states(model, rng, number=2):
    for _ in range(number):
        q = pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
        yield q, rng.standard_normal(model.nv), rng.standard_normal(model.nv)


def pinocchio_model(path, floating):
    free = (pin.JointModelFreeFlyer(),) if floating else ()
    return pin.buildModelFromUrdf(str(path), *free)


PATHS = [pytest.param(path, id=str(path.relative_to(FOLDER))) for path in urdf_files()]


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("path", PATHS)
def test_robot(path, floating):
    """Poses, Jacobians, RNEA, CRBA, bias, ABA and M^-1 on random states."""
    if path.stem in REFUSED:
        with pytest.raises(ValueError, match=path.name):
            ph.load(path, floating_base=floating)
        return
    theirs = pinocchio_model(path, floating)
    ours = ph.load(path, floating_base=floating)
    assert ours.nv == theirs.nv
    errors = {}
    for q, v, a in states(theirs, np.random.default_rng(7)):
        for name, (error, condition) in compare(ours, theirs, q, v, a).items():
            bound = TOLERANCE * max(1.0, condition * 1e-7)
            if not error < bound:
                errors[name] = f"{name}: {error:.1e} > {bound:.1e} (condition {condition:.0e})"
    assert not errors, "; ".join(errors.values())


def compare(ours, theirs, q, v, a):
    """For each quantity its relative error and the condition number of what was solved."""
    data = theirs.createData()
    c = translate(ours, theirs, q, v)
    T, qd, qdd = c.T, c.T @ v, c.T @ a + c.drift
    tau = pin.rnea(theirs, data, q, v, a).copy()
    M = np.triu(pin.crba(theirs, data, q))
    M = M + np.triu(M, 1).T
    condition = float(np.linalg.cond(M))
    S = np.linalg.inv(T)
    inverse = np.triu(pin.computeMinverse(theirs, data, q))
    inverse = inverse + np.triu(inverse, 1).T
    bias = pin.nonLinearEffects(theirs, data, q, v).copy()
    bias_here = T.T @ (ph.bias_forces(ours, c.q, qd) + ph.mass_matrix(ours, c.q) @ c.drift)
    qdd_here = ph.forward_dynamics(ours, c.q, qd, S.T @ tau)
    errors = {
        "inverse dynamics": (relative(T.T @ ph.inverse_dynamics(ours, c.q, qd, qdd), tau), 1.0),
        "mass matrix": (relative(T.T @ ph.mass_matrix(ours, c.q) @ T, M), 1.0),
        "bias": (relative(bias_here, bias), 1.0),
        "forward dynamics": (relative(S @ (qdd_here - c.drift), a), condition),
        "inverse mass matrix": (
            relative(S @ ph.inverse_mass_matrix(ours, c.q) @ S.T, inverse),
            condition,
        ),
    }
    pin.computeJointJacobians(theirs, data, q)
    pin.forwardKinematics(theirs, data, q)
    poses = ph.body_poses(ours, c.q)
    pose_errors, jacobian_errors = [0.0], [0.0]
    for i, body in c.bodies:
        pose_errors.append(relative(poses[body - 1], data.oMi[i].homogeneous))
    for i, body in (c.bodies[len(c.bodies) // 2], c.bodies[-1]):
        J = pin.getJointJacobian(theirs, data, i, pin.ReferenceFrame.LOCAL)
        here = ph.body_jacobian(ours, c.q, body) @ T
        jacobian_errors.append(relative(here[[3, 4, 5, 0, 1, 2]], J))
    errors["poses"] = max(pose_errors), 1.0
    errors["Jacobians"] = max(jacobian_errors), 1.0
    return errors
