"""Derivatives of real robots against Pinocchio's, in the same tangent.

A free root is given to Pinocchio as we have it: a translation along the base axes, then a turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin
import pytest

import polhode as ph
from oracle.robots import FOLDER

pytestmark = pytest.mark.oracle

ROBOTS = {  # file, floating base, joints that carry a contact
    "panda": ("panda_description/urdf/panda.urdf", False, ["panda_joint7"]),
    "anymal": ("anymal_b_simple_description/robots/anymal.urdf", True, ["LF_KFE", "RH_KFE"]),
    "talos": (
        "talos_data/robots/talos_reduced.urdf",
        True,
        ["leg_left_6_joint", "arm_right_4_joint"],
    ),
}
TOLERANCE = 1e-11  # of the largest entry, for accelerations of the condition number by 1e4
STEP = 1e-5  # cube root of eps: where rounding and truncation of central differences balance
DIFFERENCE = 1e-7
FLIP = [3, 4, 5, 0, 1, 2]  # they have the linear part first
LOCAL, ALIGNED = pin.ReferenceFrame.LOCAL, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


class Pair(NamedTuple):
    """A robot in both libraries, and one state; ``v`` and ``k`` map their entries to ours."""

    ours: ph.Model
    theirs: pin.Model
    contacts: list[str]
    k: np.ndarray
    v: np.ndarray
    state: tuple[np.ndarray, np.ndarray, np.ndarray]

    @property
    def here(self):
        q, qd, qdd = self.state
        return q[self.k], qd[self.v], qdd[self.v]

    def square(self, matrix):
        return np.array(matrix)[np.ix_(self.v, self.v)]

    def columns(self, matrix):
        return np.array(matrix)[:, self.v]


def pinocchio_model(path, floating):
    robot = pin.buildModelFromUrdf(str(path))
    if not floating:
        return robot
    base, here = pin.Model(), pin.SE3.Identity()
    first = base.addJoint(0, pin.JointModelTranslation(), here, "root_translation")
    second = base.addJoint(first, pin.JointModelSpherical(), here, "root_rotation")
    frame = base.addFrame(pin.Frame("root", second, here, pin.FrameType.BODY))
    return pin.appendModel(base, robot, frame, here)


@pytest.fixture(scope="module", params=[*ROBOTS, "panda geared", "anymal geared", "talos geared"])
def pair(request):
    """A robot as its file has it, or with armature on all joints, those of the base included."""
    name, *geared = request.param.split()
    file, floating, contacts = ROBOTS[name]
    ours = ph.load(FOLDER / file, floating_base=floating, snap_angles=False)
    theirs = pinocchio_model(FOLDER / file, floating)
    k, v = np.zeros(theirs.nq, int), np.zeros(theirs.nv, int)
    for i in range(1, theirs.njoints):
        joint, name = theirs.joints[i], theirs.names[i]
        here = ours.joints[0] if name.startswith("root_") else ours.joint(name)
        rows, entries = np.arange(ours.nv)[here.v], np.arange(ours.nq)[here.q]
        if name.startswith("root_"):
            part = slice(0, 3) if name == "root_translation" else slice(3, None)
            rows, entries = rows[part], entries[part]
        v[rows] = np.arange(joint.idx_v, joint.idx_v + joint.nv)
        k[entries] = np.arange(joint.idx_q, joint.idx_q + joint.nq)
    if geared:
        theirs.armature = np.random.default_rng(3).uniform(0.0, 2.0, theirs.nv)
        ours = ph.identification.with_parameters(ours, {"armature": theirs.armature[v]})
    pin.seed(1)
    q = pin.randomConfiguration(theirs, -np.ones(theirs.nq), np.ones(theirs.nq))
    rates = np.random.default_rng(2).standard_normal((2, theirs.nv))
    return Pair(ours, theirs, contacts, k, v, (q, *rates))


def close(got, expected, tolerance=TOLERANCE):
    assert got.shape == expected.shape
    error = np.abs(got - expected).max() / max(1.0, np.abs(expected).max())
    assert error < tolerance


def symmetric(upper):
    return np.triu(upper) + np.triu(upper, 1).T


def test_dynamics(pair):
    """Against rnea, crba, aba and the inverse of the mass matrix, and the energy."""
    data, (q, v, a) = pair.theirs.createData(), pair.state
    here, rates, accelerations = pair.here
    tau = pin.rnea(pair.theirs, data, q, v, a).copy()
    close(ph.inverse_dynamics(pair.ours, *pair.here), tau[pair.v])
    H = symmetric(pin.crba(pair.theirs, data, q))
    close(ph.mass_matrix(pair.ours, here), pair.square(H))
    tolerance = TOLERANCE * max(1.0, np.linalg.cond(H) * 1e-4)
    theirs = pin.aba(pair.theirs, data, q, v, tau)[pair.v]
    for method in ("aba", "crba"):
        qdd = ph.forward_dynamics(pair.ours, here, rates, tau[pair.v], method=method)
        close(qdd, theirs, tolerance)
        close(qdd, accelerations, tolerance)
    inverse = symmetric(pin.computeMinverse(pair.theirs, data, q))
    close(ph.inverse_mass_matrix(pair.ours, here), pair.square(inverse), tolerance)
    energy = pin.computeKineticEnergy(pair.theirs, data, q, v)
    close(ph.energy(pair.ours, here, rates).kinetic, np.array(energy))


def test_derivatives_of_dynamics(pair):
    """Against computeRNEADerivatives and computeABADerivatives."""
    data = pair.theirs.createData()
    d_q, d_v, M = pin.computeRNEADerivatives(pair.theirs, data, *pair.state)
    ours = ph.inverse_dynamics_derivatives(pair.ours, *pair.here)
    for got, expected in zip(ours, (d_q, d_v, symmetric(M)), strict=True):
        close(got, pair.square(expected))
    q, v, _ = pair.state
    tau = data.tau.copy()
    pin.computeABADerivatives(pair.theirs, data, q, v, tau)
    here = pair.here
    ours = ph.forward_dynamics_derivatives(pair.ours, here[0], here[1], tau[pair.v])
    condition = np.linalg.cond(symmetric(M))
    blocks = data.ddq_dq, data.ddq_dv, symmetric(data.Minv)
    for got, expected in zip(ours, blocks, strict=True):
        close(got, pair.square(expected), TOLERANCE * max(1.0, condition * 1e-4))


def test_second_derivatives(pair):
    """Against differences of their first derivatives."""

    def first(q, v, a):
        data = pair.theirs.createData()  # the blocks are views of it
        blocks = pin.computeRNEADerivatives(pair.theirs, data, q, v, a)
        return [pair.square(x) for x in (blocks[0], blocks[1], symmetric(blocks[2]))]

    def slopes(moved):
        columns = [zip(first(*moved(e)), first(*moved(-e)), strict=True)
                   for e in STEP * np.eye(pair.theirs.nv)]  # fmt: skip
        rows = [[(a - b) / (2 * STEP) for a, b in column] for column in columns]
        return [np.stack(part, axis=-1)[..., pair.v] for part in zip(*rows, strict=True)]

    q, v, a = pair.state
    by_q = slopes(lambda e: (pin.integrate(pair.theirs, q, e), v, a))
    by_v = slopes(lambda e: (q, v + e, a))
    ours = ph.derivatives.inverse_dynamics_second_derivatives(pair.ours, *pair.here)
    for got, expected in zip(ours, (by_q[0], by_v[1], by_q[1], by_q[2]), strict=True):
        close(got, expected, DIFFERENCE)


def test_kinematics(pair):
    """Against getJointJacobianTimeVariation and getJointKinematicHessian."""
    data, n = pair.theirs.createData(), pair.theirs.nv
    q, v, _ = pair.state
    here, rates, _ = pair.here
    pin.computeJointJacobiansTimeVariation(pair.theirs, data, q, v)
    pin.computeJointKinematicHessians(pair.theirs, data, q)
    for i in (pair.theirs.njoints - 1, pair.theirs.njoints // 2):
        body = pair.ours.joint(pair.theirs.names[i]).body
        local, aligned = (
            pair.columns(pin.getJointJacobianTimeVariation(pair.theirs, data, i, axes)[FLIP])
            for axes in (LOCAL, ALIGNED)
        )
        close(ph.derivatives.body_jacobian_derivative(pair.ours, here, rates, body), local)
        close(ph.derivatives.frame_jacobian_derivative(pair.ours, here, rates, body), aligned)
        hessian = np.array(pin.getJointKinematicHessian(pair.theirs, data, i, ALIGNED))
        hessian = hessian.ravel().reshape((6, n, n), order="F")  # an Eigen tensor's order
        ours = ph.derivatives.frame_hessian(pair.ours, here, body)
        close(ours, hessian[FLIP][:, pair.v][..., pair.v])


def test_momentum(pair):
    """Against jacobianCenterOfMass, ccrba and computeCentroidalDynamicsDerivatives."""
    data = pair.theirs.createData()
    q, v, a = pair.state
    here, rates, _ = pair.here
    J = ph.kinematics.center_of_mass_jacobian(pair.ours, here)
    close(J, pair.columns(pin.jacobianCenterOfMass(pair.theirs, data, q)))
    A = ph.kinematics.centroidal_momentum_matrix(pair.ours, here)
    close(A, pair.columns(pin.ccrba(pair.theirs, data, q, v)[FLIP]))
    by_q = pin.computeCentroidalDynamicsDerivatives(pair.theirs, data, q, v, a)[0]
    h, c = ph.momentum(pair.ours, here, rates), ph.center_of_mass(pair.ours, here)
    d_q, _ = ph.derivatives.momentum_derivatives(pair.ours, here, rates)
    turned = np.cross(J.T, h[3:]).T + np.cross(c, d_q[3:].T).T
    about_center = np.concatenate([d_q[:3] - turned, d_q[3:]])
    close(about_center, pair.columns(by_q[FLIP]))


def test_coriolis_matrix(pair):
    """Against computeCoriolisMatrix: times the velocities, and whole."""
    data = pair.theirs.createData()
    q, v, _ = pair.state
    here, rates, _ = pair.here
    theirs = pair.square(pin.computeCoriolisMatrix(pair.theirs, data, q, v))
    ours = ph.coriolis_matrix(pair.ours, here, rates)
    close(ours @ rates, theirs @ rates)
    close(ours, theirs)


def contacts_of(pair):
    """The same points held on both sides, in base axes."""
    rng = np.random.default_rng(3)
    ours, models = ph.constraints.ConstraintSet(pair.ours), pin.StdVec_RigidConstraintModel()
    for name in pair.contacts:
        point = rng.uniform(-0.3, 0.3, 3)
        ours = ours.contact(pair.ours.joint(name).body, point, np.eye(3).tolist(), name=name)
        place = pin.SE3(np.eye(3), point)
        kind, joint = pin.ContactType.CONTACT_3D, pair.theirs.getJointId(name)
        models.append(pin.RigidConstraintModel(kind, pair.theirs, joint, place, ALIGNED))
    states = pin.StdVec_RigidConstraintData()
    for model in models:
        states.append(model.createData())
    return ours, models, states


def test_constrained_dynamics(pair):
    """Against computeConstraintDynamicsDerivatives, forces included."""
    ours, models, states = contacts_of(pair)
    data, (q, v, tau) = pair.theirs.createData(), pair.state
    pin.initConstraintDynamics(pair.theirs, data, models, states)
    settings = pin.ProximalSettings(1e-14, 0.0, 10)
    pin.constraintDynamics(pair.theirs, data, q, v, tau, models, states, settings)
    force = np.array(data.lambda_c)
    pin.computeConstraintDynamicsDerivatives(pair.theirs, data, models, states, settings)
    close(ph.constrained_dynamics(pair.ours, ours, *pair.here).force, force)
    blocks = ph.derivatives.constrained_dynamics_derivatives(pair.ours, ours, *pair.here)
    expected = (
        *(pair.square(x) for x in (data.ddq_dq, data.ddq_dv, data.ddq_dtau)),
        *(pair.columns(x) for x in (data.dlambda_dq, data.dlambda_dv, data.dlambda_dtau)),
    )
    for got, wanted in zip(blocks, expected, strict=True):
        close(got, wanted)


def test_impulses(pair):
    """Against computeImpulseDynamicsDerivatives, with and without a bounce."""
    ours, models, states = contacts_of(pair)
    (q, v, _), (here, rates, _) = pair.state, pair.here
    settings = pin.ProximalSettings(1e-14, 0.0, 10)
    G = ph.constraints.constraint_jacobian(pair.ours, ours, here)
    for bounce in (0.0, 0.4):
        data = pair.theirs.createData()
        pin.initConstraintDynamics(pair.theirs, data, models, states)
        after = pin.impulseDynamics(
            pair.theirs, data, q, v, models, states, bounce, settings
        )  # fmt: skip
        after = np.array(after)[pair.v]
        pin.computeImpulseDynamicsDerivatives(
            pair.theirs, data, models, states, bounce, settings
        )  # fmt: skip
        v_plus = -bounce * G @ rates
        close(ph.constraint_impulses(pair.ours, ours, here, rates, v_plus).qd_plus, after)
        d = ph.derivatives.constraint_impulses_derivatives(pair.ours, ours, here, rates, v_plus)
        by_v = d.d_qd - bounce * d.d_v_plus @ G
        jump = by_v - np.eye(pair.ours.nv)  # theirs are of the jump
        close(jump, pair.square(data.ddq_dv))
        if not bounce:
            close(d.d_q, pair.square(data.ddq_dq))
            close(d.impulse_d_q, pair.columns(data.dlambda_dq))
            close(d.impulse_d_qd, pair.columns(data.dlambda_dv))
