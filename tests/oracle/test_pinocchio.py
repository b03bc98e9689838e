"""Every URDF of `example-robot-data`, fixed and floating, against Pinocchio."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import polhode as ph
from oracle.robots import FOLDER, translate, urdf_files
from polhode.errors import ParseError

pytestmark = pytest.mark.oracle

TOLERANCE = 1e-9
REFUSED = {
    "ur3": "an empty robot",
    "romeo": "the last links of its fingers move but have no mass: the mass matrix is singular",
}
SINGULAR = {"romeo_laas_small": "finger links without inertia: forward dynamics has no answer"}
SNAPPED = {
    "anymal-kinova": "condition number 8e2: accelerations change by 3e-9",
    "baxter": "1e3: 1e-9",
    "centauro": "6e5: 1e-9",
    "kinova": "5e2: 1e-9",
    "talos_full_v2": "7e5: 2e-9",
    "talos_full_v2_box": "6e5: 1e-9",
    "tiago": "7e4: 4e-9",
    "tiago_no_hand": "5e6: 4e-8",
}
"""Robots with small inertias, and angles such as 1.57079632679 that are read as pi/2."""


def relative(a, b):
    return float(np.abs(np.asarray(a) - b).max(initial=0.0) / max(1.0, np.abs(b).max(initial=0.0)))


def states(model, rng, number=2):
    pin.seed(7)  # Pinocchio has random numbers of its own
    for _ in range(number):
        q = pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
        yield q, rng.standard_normal(model.nv), rng.standard_normal(model.nv)


def pinocchio_model(path, floating):
    free = (pin.JointModelFreeFlyer(),) if floating else ()
    return pin.buildModelFromUrdf(str(path), *free)


PATHS = [pytest.param(path, id=str(path.relative_to(FOLDER))) for path in urdf_files()]
BASES = pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])


@BASES
@pytest.mark.parametrize("path", PATHS)
def test_robot(path, floating):
    """Poses, Jacobians, RNEA, CRBA, bias, ABA and M^-1 on random states, angles as written."""
    if path.stem in REFUSED:
        with pytest.raises(ParseError, match=rf"{path.name}:\d+: "):
            ph.load(path, floating_base=floating)
        return
    problems = disagreements(path, floating)
    if path.stem in SINGULAR:
        problems = {k: v for k, v in problems.items() if k not in SOLVED}
    assert not problems, "; ".join(problems.values())


@pytest.mark.parametrize("path", PATHS)
def test_snapped_angles(path):
    """Rounded multiples of pi/2, read as exact ones by default, change next to nothing.

    The tolerance grows with a condition above 1e7, as in the test of all quantities.
    """
    if path.stem in REFUSED or path.stem in SINGULAR:
        return
    ours, theirs = ph.load(path), pinocchio_model(path, floating=False)
    if ours == ph.load(path, snap_angles=False):
        return
    data = theirs.createData()
    for q, v, a in states(theirs, np.random.default_rng(7)):
        c = translate(ours, theirs, q, v)
        tau = pin.rnea(theirs, data, q, v, a).copy()
        H, C = ph.mass_matrix(ours, c.q), ph.bias_forces(ours, c.q, c.T @ v)
        assert relative(c.T.T @ (H @ c.T @ a + C), tau) < TOLERANCE
        error = relative(c.T.T @ np.linalg.solve(H, c.T @ tau - C), a)
        bound = TOLERANCE * max(1.0, float(np.linalg.cond(H)) * 1e-7)
        assert error < (1e-7 if path.stem in SNAPPED else bound)


SOLVED = ("forward dynamics", "inverse mass matrix")


def disagreements(path, floating):
    """What differs by more than the tolerance, which grows with a condition above 1e7."""
    theirs = pinocchio_model(path, floating)
    ours = ph.load(path, floating_base=floating, snap_angles=False)
    assert ours.nv == theirs.nv
    problems = {}
    for q, v, a in states(theirs, np.random.default_rng(7)):
        with np.errstate(all="ignore"):
            errors = compare(ours, theirs, q, v, a)
        for name, (error, condition) in errors.items():
            bound = TOLERANCE * max(1.0, condition * 1e-7)
            if not error < bound:
                problems[name] = f"{name}: {error:.1e} > {bound:.1e} (condition {condition:.0e})"
    return problems


def compare(ours, theirs, q, v, a):
    """For each quantity its relative error and the condition number of what was solved."""
    data = theirs.createData()
    c = translate(ours, theirs, q, v)
    T, qd, qdd = c.T, c.T @ v, c.T @ a + c.drift
    tau = pin.rnea(theirs, data, q, v, a).copy()
    M = np.triu(pin.crba(theirs, data, q))
    M = M + np.triu(M, 1).T
    condition = float(np.linalg.cond(M)) if M.size else 1.0
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
    for i, body in c.bodies[len(c.bodies) // 2 :: max(1, len(c.bodies) // 2)]:
        J = pin.getJointJacobian(theirs, data, i, pin.ReferenceFrame.LOCAL)
        here = ph.body_jacobian(ours, c.q, body) @ T
        jacobian_errors.append(relative(here[[3, 4, 5, 0, 1, 2]], J))
    errors["poses"] = max(pose_errors), 1.0
    errors["Jacobians"] = max(jacobian_errors), 1.0
    return errors


@pytest.mark.parametrize("stem", ["panda", "ur5_gripper", "solo12"])
def test_frames(stem):
    """`body_pose` is ``data.oMf`` for every link of a robot, fixed frames too, in a batch."""
    (path,) = (path for path in urdf_files() if path.stem == stem)
    ours, theirs = ph.load(path, snap_angles=False), pinocchio_model(path, False)
    data = theirs.createData()
    given = [q for q, _, _ in states(theirs, np.random.default_rng(7), 5)]
    here = np.stack([translate(ours, theirs, q, np.zeros(theirs.nv)).q for q in given])
    links = [f for f in theirs.frames if f.type == pin.FrameType.BODY]
    fixed = [f.name for f in links if ours.body(f.name) > ours.n_bodies]
    assert fixed, f"expected frames of {stem} that are fixed"
    for frame in links:
        poses = ph.body_pose(ours, here, frame.name)
        for q, pose in zip(given, poses, strict=True):
            pin.framesForwardKinematics(theirs, data, q)
            assert relative(pose, data.oMf[theirs.getFrameId(frame.name)].homogeneous) < 1e-12
