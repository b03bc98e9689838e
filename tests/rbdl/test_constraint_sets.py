"""Constraint sets and inverse kinematics beyond what RBDL can do, and their errors."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode import rbdl
from polhode.rbdl import SpatialTransform
from rbdl.machine import machine, state


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
