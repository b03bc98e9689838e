"""The state inside a Model: what was computed last, and the fields that tell of it."""

from __future__ import annotations

import numpy as np
import pytest

from polhode import rbdl
from rbdl.machine import machine, state, transforms

EXACT = 1e-12


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
