"""What an RBDL program relies on beside the numbers: state, outputs, edits, and errors."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode import rbdl
from polhode.rbdl import SpatialTransform, Xrotx, Xroty, Xtrans

EXACT = 1e-12


def machine() -> rbdl.Model:
    """A free body with an arm of a spherical joint, a helical one, and a fixed hand."""
    model = rbdl.Model()
    body = rbdl.Body(1.3, (0.1, 0.2, -0.1), np.diag([0.3, 0.4, 0.5]))
    base = model.AddBody(0, SpatialTransform(), rbdl.Joint("JointTypeFloatingBase"), body, "base")
    arm = model.AddBody(
        base, Xtrans([0.3, 0.0, 0.1]) * Xrotx(0.4), rbdl.Joint("JointTypeSpherical"), body, "arm"
    )
    model.AppendBody(Xtrans([0.0, 0.5, 0.0]), rbdl.Joint([0, 0, 1, 0, 0, 0.2]), body, "screw")
    model.AppendBody(Xroty(0.3), rbdl.Joint("JointTypeFixed"), body, "hand")
    model.AddBody(arm, Xtrans([0.0, 0.0, 0.4]), rbdl.Joint("JointTypeEulerXYZ"), body, "other")
    return model


def state(model: rbdl.Model, seed: int = 0) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    q = ph.random_configuration(model.core, rng)
    return q, *rng.standard_normal((3, model.dof_count))


def transforms(Xs: list) -> np.ndarray:
    return np.array([X.toMatrix() for X in Xs])


# -- the state last computed --


def test_without_update_the_last_state_is_used():
    """Whatever is passed, and whatever function updated it."""
    model = machine()
    hand, point = model.GetBodyId("hand"), np.array([0.1, 0.2, 0.3])
    q, qd, qdd, tau = state(model)
    here = rbdl.CalcPointAcceleration(model, q, qd, qdd, hand, point)
    rbdl.InverseDynamics(model, q, qd, qdd)
    biased = rbdl.CalcPointAcceleration(model, tau, tau, tau, hand, point, False)
    assert np.allclose(biased + model.gravity, here, atol=EXACT)
    rbdl.UpdateKinematics(model, q, qd, qdd)
    again = rbdl.CalcPointAcceleration6D(model, tau, tau, tau, hand, point, False)
    assert np.allclose(again[3:], here, atol=EXACT)


def test_forward_dynamics_leaves_gravity_in_the_accelerations():
    """As the manual warns: gravity has to be added."""
    model = machine()
    q, qd, _, tau = state(model)
    qdd = rbdl.ForwardDynamics(model, q, qd, tau)
    hand = model.GetBodyId("hand")
    zero = np.zeros(3)
    biased = rbdl.CalcPointAcceleration6D(model, q, qd, qdd, hand, zero, False)
    right = rbdl.CalcPointAcceleration6D(model, q, qd, qdd, hand, zero)
    assert np.allclose(biased[3:] + model.gravity, right[3:], atol=1e-10)
    assert np.allclose(biased[:3], right[:3], atol=1e-10)


def test_the_state_is_a_copy():
    """A caller may go on to change its arrays."""
    model = machine()
    q, qd, qdd, _ = state(model)
    rbdl.UpdateKinematics(model, q, qd, qdd)
    v = model.v.copy()
    qd *= 2.0
    q += 1.0
    assert np.array_equal(model.v, v)
    arm = model.GetBodyId("arm")
    assert np.isfinite(rbdl.CalcPointVelocity(model, q, qd, arm, np.zeros(3), False)).all()


def test_custom_update_is_selective():
    """Positions alone leave velocities as they were; velocities alone take the positions."""
    model = machine()
    q, qd, qdd, _ = state(model)
    other, other_qd, _, _ = state(model, 1)
    rbdl.UpdateKinematics(model, q, qd, qdd)
    v, a = model.v, model.a
    rbdl.UpdateKinematicsCustom(model, other, None, None)
    assert np.array_equal(model.v, v)
    assert np.array_equal(model.a, a)
    rbdl.UpdateKinematicsCustom(model, None, other_qd, None)
    rbdl.UpdateKinematicsCustom(model, None, None, qdd)
    fresh = machine()
    rbdl.UpdateKinematics(fresh, other, other_qd, qdd)
    assert np.array_equal(model.v, fresh.v)
    assert np.array_equal(model.a, fresh.a)


def test_no_update_at_all_is_an_error():
    """RBDL would compute from what it was constructed with."""
    model = machine()
    q, qd, _, _ = state(model)
    with pytest.raises(rbdl.RBDLError, match="UpdateKinematics"):
        rbdl.CalcPointVelocity(model, q, qd, 1, np.zeros(3), update_kinematics=False)


def test_mass_matrix_and_its_inverse_at_the_last_positions():
    """With update_kinematics=False the argument is not looked at."""
    model = machine()
    q, _, _, tau = state(model)
    H = rbdl.CompositeRigidBodyAlgorithm(model, q)
    assert np.array_equal(rbdl.CompositeRigidBodyAlgorithm(model, 0.0 * q, None, False), H)
    qdd = rbdl.CalcMInvTimesTau(model, 0.0 * q, tau, None, False)
    assert np.allclose(H @ qdd, tau, atol=1e-10)


# -- the fields of the tables --


def test_fields_of_kinematics():
    """v, a, c and the transforms obey the recursions they come from."""
    model = machine()
    q, qd, qdd, _ = state(model)
    rbdl.UpdateKinematics(model, q, qd, qdd)
    X, X_J, X_T = transforms(model.X_lambda), transforms(model.X_J), transforms(model.X_T)
    for i in range(1, len(model.mBodies)):
        p, joint = model.lambda_[i], model.mJoints[i]
        k = slice(joint.q_index, joint.q_index + joint.mDoFCount)
        S = model.S[i][:, None] if joint.mDoFCount == 1 else model.multdof3_S[i]
        assert np.allclose(X[i], X_J[i] @ X_T[i], atol=EXACT)
        assert np.allclose(model.v_J[i], S @ qd[k], atol=EXACT)
        assert np.allclose(model.v[i], X[i] @ model.v[p] + model.v_J[i], atol=EXACT)
        c = model.c_J[i] + rbdl.crossm(model.v[i], model.v_J[i])
        assert np.allclose(model.c[i], c, atol=EXACT)
        assert np.allclose(model.a[i], X[i] @ model.a[p] + S @ qdd[k] + model.c[i], atol=1e-11)
    assert np.allclose(transforms(model.X_base)[3], X[3] @ transforms(model.X_base)[2], atol=EXACT)


def test_fields_of_forward_dynamics():
    """IA, pA, U, d and u give the accelerations that the function returned."""
    model = machine()
    q, qd, _, tau = state(model)
    forces = np.random.default_rng(3).standard_normal((len(model.mBodies), 6))
    forces[1] = 0.0
    qdd = rbdl.ForwardDynamics(model, q, qd, tau, None, list(forces))
    for i in range(1, len(model.mBodies)):
        joint, X = model.mJoints[i], model.X_lambda[i].toMatrix()
        k = slice(joint.q_index, joint.q_index + joint.mDoFCount)
        free = X @ model.a[model.lambda_[i]] + model.c[i]
        if joint.mDoFCount == 1:
            assert np.allclose(model.U[i], model.IA[i] @ model.S[i], atol=1e-10)
            ours = (model.u[i] - model.U[i] @ free) / model.d[i]
        else:
            U, S = model.multdof3_U[i], model.multdof3_S[i]
            assert np.allclose(U, model.IA[i] @ S, atol=1e-10)
            assert np.allclose(np.linalg.inv(S.T @ U), model.multdof3_Dinv[i], atol=1e-8)
            ours = model.multdof3_Dinv[i] @ (model.multdof3_u[i] - U.T @ free)
        assert np.allclose(ours, qdd[k], atol=1e-8)
    force = model.IA[2] @ model.a[2] + model.pA[2]
    assert np.allclose(force, np.r_[tau[3:6], force[3:]], atol=1e-8)


def test_fields_of_inverse_dynamics_and_composites():
    """f is what the joints transmit; Ic and hc are those of all that a body carries."""
    model = machine()
    q, qd, qdd, _ = state(model)
    tau = rbdl.InverseDynamics(model, q, qd, qdd)
    for i in range(1, len(model.mBodies)):
        joint = model.mJoints[i]
        S = model.S[i][:, None] if joint.mDoFCount == 1 else model.multdof3_S[i]
        k = slice(joint.q_index, joint.q_index + joint.mDoFCount)
        assert np.allclose(S.T @ model.f[i], tau[k], atol=1e-10)
    H = rbdl.CompositeRigidBodyAlgorithm(model, q)
    screw = model.GetBodyId("screw")
    k = model.mJoints[screw].q_index
    S = model.S[screw]
    assert np.isclose(S @ (model.Ic[screw].toMatrix() @ S), H[k, k])
    mass = rbdl.CalcCenterOfMass(model, q, qd, qddot=qdd)
    assert np.allclose(model.hc[0][3:], mass * mass.com_velocity, atol=1e-11)
    assert np.allclose(model.hdotc[0][3:], mass * mass.com_acceleration, atol=1e-10)
    assert np.allclose(model.Ic[0].h, mass * mass.com, atol=1e-11)
    assert np.isclose(sum(I.m for I in model.I), mass)


def test_fields_before_any_computation():
    """Transforms are identities and the rest zero, as RBDL constructs them."""
    model = machine()
    n = len(model.mBodies)
    assert np.array_equal(transforms(model.X_base), np.tile(np.eye(6), (n, 1, 1)))
    assert not model.v.any()
    assert model.IA.shape == (n, 6, 6)
    assert np.array_equal(model.IA[0], np.eye(6))
    assert model.S.shape == (n, 6)


# -- outputs --


def test_results_are_returned_and_arrays_filled():
    """Both ways of RBDL's users; arrays of the wrong shape are refused."""
    model = machine()
    q, qd, _, tau = state(model)
    out = np.zeros(model.dof_count)
    assert rbdl.ForwardDynamics(model, q, qd, tau, out) is out
    assert np.array_equal(out, rbdl.ForwardDynamics(model, q.tolist(), tuple(qd), tau))
    with pytest.raises(rbdl.RBDLSizeMismatchError, match=r"\(10,\)|\(13,\)"):
        rbdl.ForwardDynamics(model, q, qd, tau, np.zeros(3))
    with pytest.raises(rbdl.RBDLSizeMismatchError, match="shape"):
        rbdl.CalcPointJacobian(model, q, 1, np.zeros(3), np.zeros((6, model.dof_count)))
    with pytest.raises(ph.ShapeError, match="nq"):
        rbdl.ForwardDynamics(model, q[:-1], qd, tau)
    with pytest.raises(rbdl.RBDLDofMismatchError, match="QDot"):
        rbdl.UpdateKinematics(model, q, qd[:-1], qd)
    with pytest.raises(rbdl.RBDLSizeMismatchError, match="one for the base"):
        rbdl.InverseDynamics(model, q, qd, qd, None, np.zeros((2, 6)))


def test_lagrangian_fills_its_workspaces():
    """H and C of the equation that it solves."""
    model = machine()
    q, qd, _, tau = state(model)
    H, C = np.zeros((model.dof_count, model.dof_count)), np.zeros(model.dof_count)
    qdd = rbdl.ForwardDynamicsLagrangian(model, q, qd, tau, H=H, C=C)
    assert np.allclose(H @ qdd + C, tau, atol=1e-9)


def test_center_of_mass_needs_accelerations_for_some_outputs():
    """Asking for one without qddot is an error, as is a model without mass."""
    model = machine()
    q, qd, _, _ = state(model)
    assert rbdl.CalcCenterOfMass(model, q, qd) == pytest.approx(5 * 1.3)
    with pytest.raises(rbdl.RBDLError, match="qddot"):
        rbdl.CalcCenterOfMass(model, q, qd, com_acceleration=np.zeros(3))
    empty = rbdl.Model()
    empty.AddBody(0, SpatialTransform(), rbdl.Joint([0, 0, 1, 0, 0, 0]), rbdl.Body())
    with pytest.raises(rbdl.RBDLError, match="no mass"):
        rbdl.CalcCenterOfMass(empty, np.zeros(1), np.zeros(1))


def test_zero_moment_point_is_on_the_plane():
    """RBDL ignores the point of the plane."""
    model = machine()
    q, qd, qdd, _ = state(model)
    n, p = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.7, 0.0])
    assert rbdl.CalcZeroMomentPoint(model, q, qd, qdd, normal=n, point=p)[1] == pytest.approx(0.7)


# -- edits --


def test_gravity_may_be_replaced_or_changed_in_place():
    """Both take effect at the next call."""
    model = machine()
    q, qd, qdd, _ = state(model)
    heavy = rbdl.InverseDynamics(model, q, qd, qdd)
    model.gravity[:] = 0.0
    light = rbdl.InverseDynamics(model, q, qd, qdd)
    model.gravity = [0.0, -9.81, 0.0]
    assert np.array_equal(rbdl.InverseDynamics(model, q, qd, qdd), heavy)
    assert np.abs(heavy - light).max() > 1.0
    with pytest.raises(rbdl.RBDLError, match="three"):
        model.gravity = [1.0, 2.0]


def test_bodies_may_be_changed():
    """Mass, centre and inertia through their setters, or the field and an update."""
    model, twin = machine(), machine()
    q, qd, qdd, _ = state(model)
    hand_carrier = model.GetBodyId("screw")
    model.SetBodyMass(hand_carrier, 7.0)
    model.SetBodyCenterOfMass(hand_carrier, [0.1, 0.0, 0.0])
    model.SetBodyInertia(hand_carrier, np.eye(3))
    twin.SetBodyInertialParameters(hand_carrier, 7.0, [0.1, 0.0, 0.0], np.eye(3))
    expected = rbdl.InverseDynamics(model, q, qd, qdd)
    assert np.array_equal(rbdl.InverseDynamics(twin, q, qd, qdd), expected)
    assert model.core.body(hand_carrier).mass == 7.0
    third = machine()
    third.mBodies[1].mMass, third.mBodies[2].mMass = 0.0, 3.0
    third.UpdateInertiaMatrixForBody(2)
    assert third.core.body(2).mass == 3.0
    with pytest.raises(rbdl.RBDLError, match="no body"):
        model.SetBodyMass(99, 1.0)


def test_joint_frames_may_be_changed():
    """Also of a joint with virtual bodies, whose first one has the frame."""
    model = machine()
    other, X = model.GetBodyId("other"), Xtrans([1.0, 2.0, 3.0]) * Xrotx(0.2)
    for body in (other, model.GetBodyId("base")):
        model.SetJointFrame(body, X)
        assert model.GetJointFrame(body) == X
    model.SetJointFrame(0, X)
    assert model.X_T[0] == SpatialTransform()
    q = ph.neutral(model.core)
    origin = rbdl.CalcBodyToBaseCoordinates(model, q, model.GetBodyId("base"), np.zeros(3))
    assert np.allclose(origin, X.r)


def test_bodies_can_be_added_to_any_body():
    """To a fixed one, to a virtual one, and after computations."""
    model = machine()
    q, qd, qdd, _ = state(model)
    rbdl.InverseDynamics(model, q, qd, qdd)
    hand = model.GetBodyId("hand")
    body, turn = rbdl.Body(1.0, (0, 0, 0.1), (0.1, 0.1, 0.1)), rbdl.Joint([0, 1, 0, 0, 0, 0])
    finger = model.AddBody(hand, Xtrans([0.1, 0.0, 0.0]), turn, body, "finger")
    assert model.GetParentBodyId(finger) == model.GetBodyId("screw")
    on_virtual = model.AddBody(1, SpatialTransform(), turn, body)
    assert model.lambda_[on_virtual] == 1
    assert model.GetBodyName(on_virtual) == ""
    assert rbdl.InverseDynamics(model, *(state(model)[:3])).shape == (model.dof_count,)


def test_wrong_construction_is_refused_and_changes_nothing():
    """RBDL leaves a model that cannot be used after a name given twice."""
    model = machine()
    before = (model.dof_count, len(model.mBodies), dict(model.mBodyNameMap))
    body, turn = rbdl.Body(1.0, (0, 0, 0), np.eye(3)), rbdl.Joint([0, 1, 0, 0, 0, 0])
    for arguments, match in (
        ((0, SpatialTransform(), turn, body, "arm"), "already exists"),
        ((99, SpatialTransform(), turn, body, "x"), "no body with id 99"),
        ((0, SpatialTransform(), rbdl.Joint(), body, "x"), "Undefined"),
        ((0, SpatialTransform(), turn, rbdl.Body(-1.0), "x"), "mass"),
    ):
        with pytest.raises(rbdl.RBDLError, match=match):
            model.AddBody(*arguments)
    assert (model.dof_count, len(model.mBodies), dict(model.mBodyNameMap)) == before
    with pytest.raises(rbdl.RBDLError, match="one to six"):
        rbdl.Joint(*np.eye(6), [1, 0, 0, 0, 0, 0])
    with pytest.raises(rbdl.RBDLError, match="no quaternion"):
        model.GetQuaternion(1, np.zeros(model.q_size))
    with pytest.raises(rbdl.RBDLError, match="no body"):
        rbdl.CalcBodyToBaseCoordinates(model, np.zeros(model.q_size), 2**32 - 1, np.zeros(3))


def test_floating_base_body_has_six_single_joints():
    """In the order TX TY TZ RZ RY RX."""
    model = rbdl.Model()
    body = rbdl.Body(1.0, (0, 0, 0), np.eye(3))
    assert model.SetFloatingBaseBody(body) == 6
    assert [joint.mJointAxes[0].argmax() for joint in model.mJoints[1:]] == [3, 4, 5, 2, 1, 0]
    assert model.AddBodySphericalJoint(
        6, SpatialTransform(), rbdl.Joint(rbdl.JointTypeSpherical), body, "ball"
    ) == 7  # fmt: skip


def test_queries():
    """Names as text or bytes; unknown ids and names as in RBDL."""
    model = machine()
    hand = model.GetBodyId(b"hand")
    assert hand == model.fixed_body_discriminator == 2**31 - 1
    assert model.GetBodyId("nobody") == 2**32 - 1
    assert model.IsFixedBodyId(hand)
    assert not model.IsFixedBodyId(hand + 1)
    assert model.IsBodyId(hand)
    assert not model.IsBodyId(0)
    assert model.GetBody(hand).mMovableParent == model.GetBodyId("screw")
    rbdl.UpdateKinematicsCustom(model, ph.neutral(model.core))
    X = model.GetBody(hand).mBaseTransform
    origin = rbdl.CalcBodyToBaseCoordinates(model, None, hand, np.zeros(3), False)
    assert np.allclose(X.r, origin)


# -- constraints and inverse kinematics beyond the reference --


def test_redundant_constraints_work():
    """RBDL's solvers need rows that do not depend on each other."""
    model = machine()
    constraints = rbdl.ConstraintSet()
    arm = model.GetBodyId("arm")
    for normal in (*np.eye(3), np.ones(3)):
        constraints.AddContactConstraint(arm, [0.1, 0.0, 0.0], normal)
    q, qd, _, tau = state(model)
    by = [
        function(model, q, qd, tau, constraints)
        for function in (
            rbdl.ForwardDynamicsConstraintsDirect,
            rbdl.ForwardDynamicsConstraintsNullSpace,
            rbdl.ForwardDynamicsConstraintsRangeSpaceSparse,
        )
    ]
    assert np.allclose(by[0], by[1], atol=1e-8)
    assert np.allclose(by[0], by[2], atol=1e-8)
    rbdl.CalcConstrainedSystemVariables(model, q, qd, tau, constraints)
    assert np.allclose(constraints.G @ by[0], constraints.gamma, atol=1e-8)
    H, C, G = constraints.H, constraints.C, constraints.G
    qdd, force = rbdl.SolveConstrainedSystemDirect(H, G, tau - C, constraints.gamma)
    assert np.allclose(qdd, by[0], atol=1e-8)
    assert np.allclose(H @ qdd + C, tau + G.T @ force, atol=1e-8)


class SumOfTwo(rbdl.CustomConstraint):
    """The last two coordinates add up to nothing."""

    size = 1

    def rows(self, model, q, qd):
        row = [0.0] * model.nv
        row[-1] = row[-2] = 1.0
        *_, (_, y, z) = q.values()
        return [row], [0.0], [y + z]


def test_custom_constraints():
    """Rows written by the user take part in everything."""
    model, constraints = machine(), rbdl.ConstraintSet()
    constraints.AddContactConstraint(3, [0.0, 0.0, 0.0], [0.0, 1.0, 0.0], "touch")
    assert constraints.AddCustomConstraint(SumOfTwo(), "sum") == 1
    assert constraints.Bind(model)
    q, qd, _, tau = state(model)
    qdd = rbdl.ForwardDynamicsConstraintsRangeSpaceSparse(model, q, qd, tau, constraints)
    assert abs(qdd[-1] + qdd[-2]) < 1e-9
    assert constraints.getGroupType(1) is rbdl.ConstraintType.ConstraintTypeCustom
    with pytest.raises(rbdl.RBDLError, match="custom"):
        constraints.calcForces(1, model, q, qd)


def test_stabilization_of_a_group():
    """Enabling it adds -2/T errd - 1/T^2 err to the right-hand side."""
    model, constraints = machine(), rbdl.ConstraintSet()
    frame = SpatialTransform()
    for axis in np.eye(6)[3:]:
        constraints.AddLoopConstraint(0, 3, frame, frame, axis, False, 0.2, "pin")
    q, qd, _, tau = state(model)
    rbdl.CalcConstrainedSystemVariables(model, q, qd, tau, constraints)
    without = constraints.gamma.copy()
    constraints.enableBaumgarteStabilization(0)
    rbdl.CalcConstrainedSystemVariables(model, q, qd, tau, constraints)
    err = constraints.calcPositionError(0, model, q)
    errd = constraints.calcVelocityError(0, model, q, qd)
    added = constraints.calcBaumgarteStabilizationForces(0, model, err, errd)
    assert np.allclose(added, -2.0 / 0.2 * errd - err / 0.04)
    assert np.allclose(constraints.gamma - without, added)
    twin = constraints.Copy()
    twin.disableBaumgarteStabilization(0)
    assert constraints.isBaumgarteStabilizationEnabled(0)
    constraints.setBaumgarteTimeConstant(0, 0.5)
    assert np.array_equal(constraints.getBaumgarteStabilizationCoefficients(0), [2.0, 2.0])
    with pytest.raises(rbdl.RBDLError, match="group 1"):
        constraints.getGroupName(1)


def test_wrong_constraints_are_refused():
    """Unknown bodies, no actuators, arrays of the wrong size."""
    model, constraints = machine(), rbdl.ConstraintSet()
    constraints.AddContactConstraint(77, [0, 0, 0], [0, 1, 0])
    with pytest.raises(rbdl.RBDLError, match="77"):
        constraints.Bind(model)
    with pytest.raises(rbdl.RBDLError, match="normal"):
        constraints.AddContactConstraint(1, [0, 0, 0], [0, 1])
    with pytest.raises(rbdl.RBDLError, match="positive"):
        constraints.AddLoopConstraint(
            0, 1, SpatialTransform(), SpatialTransform(), np.eye(6)[3], True, 0.0
        )
    good = rbdl.ConstraintSet()
    good.AddContactConstraint(3, [0, 0, 0], [0, 1, 0])
    q, qd, qdd, _ = state(model)
    with pytest.raises(rbdl.RBDLError, match="SetActuationMap"):
        rbdl.InverseDynamicsConstraints(model, q, qd, qdd, good)
    with pytest.raises(rbdl.RBDLDofMismatchError, match="actuated"):
        good.SetActuationMap(model, [True])


def test_inverse_kinematics_of_quaternions():
    """RBDL adds a step of velocities to positions, which is undefined for them."""
    model = machine()
    q, _, _, _ = state(model)
    hand, points = model.GetBodyId("hand"), np.eye(3)
    targets = [rbdl.CalcBodyToBaseCoordinates(model, q, hand, p) for p in points]
    start, result = ph.neutral(model.core), np.zeros(model.q_size)
    assert rbdl.InverseKinematics(
        model, start, [hand] * 3, points, targets, result, lambda_=1e-3, max_iter=200
    )
    reached = [rbdl.CalcBodyToBaseCoordinates(model, result, hand, p) for p in points]
    assert np.allclose(reached, targets, atol=1e-9)
    with pytest.raises(rbdl.RBDLSizeMismatchError, match="as many"):
        rbdl.InverseKinematics(model, start, [hand], points, targets, result)


def test_loading_into_a_model(tmp_path):
    """The C++ readers fill an empty model; one with bodies is refused."""
    path = tmp_path / "m.lua"
    path.write_text("return {frames={{name='a',parent='ROOT',joint={{0,0,1,0,0,0}},body={}}}}")
    model = rbdl.Model()
    assert rbdl.LuaModelReadFromFile(str(path), model)
    assert rbdl.Model(str(path)).mBodyNameMap == model.mBodyNameMap
    with pytest.raises(rbdl.RBDLError, match="empty"):
        rbdl.LuaModelReadFromFile(str(path), model)


def test_every_public_name_has_a_docstring():
    """What the package exports can be asked what it is."""
    undocumented = [
        name for name in rbdl.__all__
        if callable(getattr(rbdl, name)) and not getattr(rbdl, name).__doc__
    ]  # fmt: skip
    assert not undocumented
