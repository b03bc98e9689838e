"""What RBDL's Python wrapper does and a program written for it relies on, one thing a test."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import polhode as ph
from polhode import rbdl
from polhode.scalar import cos, sin
from rbdl.machine import machine, state

ROUNDING = 1e-12
ASSEMBLY = 1e-11  # what RBDL's own tests of assembly ask for


def hinge_axis(k: int = 2) -> np.ndarray:
    return np.eye(6)[k : k + 1]


def four_bar() -> tuple[rbdl.Model, rbdl.ConstraintSet]:
    """Three links of a closed parallelogram, which is closed at zero."""
    model, body = (
        rbdl.Model(),
        rbdl.Body(mass=1.0, com=np.array([0.5, 0.0, 0.0]), inertia=np.eye(3)),
    )
    turn, along = rbdl.Joint.fromJointAxes(hinge_axis()), rbdl.Xtrans([1.0, 0.0, 0.0])
    first = model.AddBody(0, rbdl.SpatialTransform(), turn, body)
    second = model.AddBody(first, along, turn, body)
    other = model.AddBody(0, rbdl.SpatialTransform(), turn, body)
    last = model.AddBody(other, along, turn, body)
    constraints = rbdl.ConstraintSet()
    for axis in np.eye(6)[[3, 4]]:
        constraints.AddLoopConstraint(
            second, last, along, along, rbdl.SpatialVector(0, axis), False, 0.1, b"tip", 7
        )
    constraints.Bind(model)
    return model, constraints


# -- row 1: strings where RBDL has strings --


def test_joint_types_are_strings():
    """They compare equal to RBDL's names, print as them, and are found in dicts by them."""
    joint = rbdl.Joint.fromJointType("JointTypeRevoluteY")
    assert joint.mJointType == "JointTypeRevoluteY"
    assert joint.mJointType != "JointTypeRevoluteX"
    assert isinstance(joint.mJointType, str)
    assert f"{joint.mJointType}" == "JointTypeRevoluteY"
    assert {"JointTypeRevoluteY": 1}[joint.mJointType] == 1
    model = machine()
    assert [str(j.mJointType) for j in model.mJoints[1:3]] == [
        "JointTypeTranslationXYZ", "JointTypeSpherical"]  # fmt: skip


def test_joint_types_are_still_members_with_numbers():
    """The earlier spelling: an enumeration, of which each member is also a name of the module."""
    joint = rbdl.Joint(rbdl.JointTypeRevoluteZ)
    assert joint.mJointType is rbdl.JointTypeRevoluteZ is rbdl.JointType(5)
    assert joint.mJointType == 5
    assert joint.mJointType != 4
    assert int(rbdl.JointTypeCustom) == 21
    assert rbdl.JointTypeSpherical.name == "JointTypeSpherical"
    assert pickle.loads(pickle.dumps(joint)).mJointType is rbdl.JointTypeRevoluteZ
    with pytest.raises(rbdl.RBDLError, match="did you mean 'JointTypeRevoluteX'"):
        rbdl.Joint("JointTypeRevolutX")


# -- row 2: constructors with a leading address and values --


@pytest.mark.parametrize(
    ("cls", "n"),
    [(rbdl.Vector2d, 2), (rbdl.Vector3d, 3), (rbdl.SpatialVector, 6), (rbdl.Quaternion, 4)],
)
def test_constructors_with_address_and_values(cls, n):
    """``(0, values)``, by keyword, from an array, and the earlier forms."""
    values = [0.5 * k for k in range(n)]
    for made in (cls(0, values), cls(pyvalues=values), cls(None, values),
                 cls.fromPythonArray(np.array(values)), cls(*values), cls(values)):  # fmt: skip
        assert isinstance(made, cls)
        assert np.array_equal(made, values)
        assert len(made) == n
        assert list(made[1:]) == values[1:]
        assert type(made[1:]) is np.ndarray
    made[0] = 3.0
    made[1:] = values[:-1]
    assert made[0] == 3.0
    with pytest.raises(rbdl.RBDLSizeMismatchError):
        cls(0, [1.0])


def test_empty_constructors():
    """Zeros; of a quaternion and a transform the identity."""
    assert not rbdl.Vector3d().any()
    assert not rbdl.Vector3d(0).any()
    assert np.array_equal(rbdl.Quaternion(0), [0.0, 0.0, 0.0, 1.0])
    X = rbdl.SpatialTransform(0)
    assert np.array_equal(X.E, np.eye(3))
    assert not X.r.any()
    assert rbdl.SpatialRigidBodyInertia(0).m == 0.0
    assert rbdl.SpatialMatrix(0).shape == (6, 6)
    assert rbdl.Body().mMass == rbdl.FixedBody(0).mMass == 0.0


def test_transforms_and_inertias_by_values():
    """The earlier constructors."""
    positional = rbdl.SpatialTransform(rbdl.rotz(0.3), [1.0, 2.0, 3.0])
    named = rbdl.SpatialTransform(E=rbdl.rotz(0.3), r=[1.0, 2.0, 3.0])
    shifted = rbdl.SpatialTransform(r=[1.0, 2.0, 3.0])
    assert positional == named
    assert positional != shifted
    I = rbdl.SpatialRigidBodyInertia(2.0, [0.1, 0.2, 0.3], np.eye(3))
    assert I.m == rbdl.SpatialRigidBodyInertia(m=2).m == rbdl.SpatialRigidBodyInertia(2.0).m == 2.0
    assert I.Izz == 1.0


def test_matrices_by_size_and_values():
    """``MatrixNd((2, 3))`` is a matrix of zeros."""
    assert rbdl.MatrixNd((2, 3)).shape == rbdl.MatrixNd(msize=[2, 3]).shape == (2, 3)
    assert rbdl.MatrixNd(2, 3).shape == (2, 3)
    rows = np.arange(6.0).reshape(2, 3)
    for made in (rbdl.MatrixNd(pyvalues=rows), rbdl.MatrixNd.fromPythonArray(rows),
                 rbdl.MatrixNd(None, 0, rows), rbdl.MatrixNd(rows)):  # fmt: skip
        assert isinstance(made, rbdl.MatrixNd)
        assert np.array_equal(made, rows)
    vector = rbdl.VectorNd(3, 0, [1, 2, 3])
    assert np.array_equal(vector, rbdl.VectorNd.fromPythonArray((1, 2, 3)))
    assert not rbdl.VectorNd(4).any()
    assert np.array_equal(rbdl.Matrix3d(0, np.eye(3)), np.eye(3))


def test_joints_by_address_and_type():
    """All of the wrapper's forms."""
    assert rbdl.Joint(0, "JointTypeRevoluteX").mJointType == "JointTypeRevoluteX"
    assert rbdl.Joint(0).mJointType == rbdl.Joint().mJointType == "JointTypeUndefined"
    custom = rbdl.Joint(0, "JointTypeCustom", 2)
    assert (custom.mJointType, custom.mDoFCount) == ("JointTypeCustom", 2)
    by_axes = rbdl.Joint(0, -1, -1, np.eye(6)[:3])
    assert (by_axes.mJointType, by_axes.mDoFCount) == ("JointType3DoF", 3)
    assert rbdl.Joint(axes=hinge_axis(0)).mJointType == "JointTypeRevoluteX"
    with pytest.raises(rbdl.RBDLError, match="3"):
        rbdl.Joint(3)  # an address; its type would be JointType(3)


def test_values_are_pickled_as_values():
    """RBDL's objects cannot be pickled, as they hold pointers."""
    for made in (rbdl.Vector3d(1, 2, 3), rbdl.Quaternion(0, [0, 0, 1, 0]), rbdl.VectorNd(2)):
        twin = pickle.loads(pickle.dumps(made))
        assert type(twin) is type(made)
        assert np.array_equal(twin, made)


def test_arithmetic_of_vectors_gives_arrays():
    """Of the same class where the shape is the same, plain ones elsewhere."""
    v = rbdl.Vector3d(1, 2, 3)
    assert type(2.0 * v) is rbdl.Vector3d
    assert type(np.eye(3)[:2] @ v) is np.ndarray
    assert type(v > 1.0) is np.ndarray
    assert isinstance(v.sum(), float)
    assert type(v.toNumpy()) is np.ndarray
    v += 1.0
    assert np.array_equal(v, [2, 3, 4])


# -- row 3: methods that were missing --


def test_quaternions_from_matrices():
    """And to plain arrays."""
    E = rbdl.rotz(0.4) @ rbdl.rotx(0.3)
    quaternion = rbdl.Quaternion.fromPythonMatrix(E)
    assert np.allclose(quaternion.toMatrix(), E, atol=ROUNDING)
    assert np.array_equal(rbdl.Quaternion(0, None, E), quaternion)
    assert type(quaternion.toNumpy()) is np.ndarray
    model = machine()
    q = np.zeros(model.q_size)
    model.SetQuaternion(2, quaternion.toNumpy(), q)
    assert np.array_equal(model.GetQuaternion(2, q), quaternion)
    assert type(rbdl.VectorNd.fromPythonArray(q).toNumpy()) is np.ndarray


def test_axes_of_joints():
    """Each can be read and replaced; a number out of range is refused."""
    joint = rbdl.Joint.fromJointAxes(np.eye(6))
    for k, row in enumerate(np.eye(6)):
        assert np.array_equal(joint.getJointAxis(k), row)
    joint.getJointAxis(0)[0] = 5.0
    assert joint.getJointAxis(0)[0] == 1.0
    joint.setJointAxis(0, [0, 0, 1, 0, 0, 0])
    assert np.array_equal(joint.getJointAxis(0), np.eye(6)[2])
    with pytest.raises(rbdl.RBDLError, match="6 axes, got 6"):
        joint.getJointAxis(6)
    with pytest.raises(rbdl.RBDLError, match="six numbers"):
        joint.setJointAxis(0, [1, 2, 3])
    model = rbdl.Model()
    turned = rbdl.Joint.fromJointAxes(hinge_axis(0))
    turned.setJointAxis(0, [0.0, 0.6, 0.8, 0.0, 0.0, 0.0])
    model.AppendBody(rbdl.SpatialTransform(), turned, rbdl.Body(1.0, [0, 0, 0], np.eye(3)))
    G = np.zeros((6, 1))
    rbdl.CalcBodySpatialJacobian(model, np.zeros(1), 1, np.zeros(3), G)
    assert np.allclose(G[:, 0], [0.0, 0.6, 0.8, 0.0, 0.0, 0.0])


def test_types_of_joints_by_name_and_number():
    """``joint_type_map``, ``_joint_type_from_str`` and ``forCustomJoint``."""
    assert rbdl.Joint.joint_type_map["JointTypeFixed"] == 13
    assert rbdl.Joint.joint_type_map[13] == "JointTypeFixed"
    assert rbdl.Joint()._joint_type_from_str("JointTypeSpherical") == 6
    with pytest.raises(ValueError, match="nonsense"):
        rbdl.Joint()._joint_type_from_str("nonsense")
    assert rbdl.Joint.forCustomJoint("JointTypeCustom", 3).mDoFCount == 3


# -- row 4: groups fill arrays --


def test_groups_fill_arrays():
    """Errors, stabilization and its coefficients; a row's name, number and id find its group."""
    model, constraints = four_bar()
    q, qdot = np.array([0.3, 0.1, -0.2, 0.4]), np.array([1.0, 2.0, -1.0, 0.5])
    err, errd, forces, coefficients = np.empty(2), np.empty(2), np.empty(2), np.empty(2)
    constraints.calcPositionError(0, model, q, err, True)
    constraints.calcVelocityError(0, model, q, qdot, velErrUpd=errd, updateKinematics=True)
    core = ph.constraints.constraint_errors(model.core, constraints.on(model), q, qdot)
    assert np.array_equal(err, core.position)
    assert np.array_equal(errd, core.velocity)
    constraints.getBaumgarteStabilizationCoefficients(0, coefficients)
    assert np.allclose(coefficients, 10.0)
    constraints.calcBaumgarteStabilizationForces(0, model, err, errd, forces)
    assert np.allclose(forces, -20.0 * errd - 100.0 * err)
    with pytest.raises(rbdl.RBDLSizeMismatchError):
        constraints.calcPositionError(0, model, q, np.empty(3), True)


def test_groups_take_the_last_update_by_default():
    """With an array to fill ``updateKinematics`` is False, as in RBDL; without one ``q`` counts."""
    model, constraints = four_bar()
    q, other = np.array([0.3, 0.1, -0.2, 0.4]), np.zeros(4)
    err = np.empty(2)
    rbdl.UpdateKinematicsCustom(model, q)
    constraints.calcPositionError(0, model, other, err)
    there = ph.constraints.constraint_errors(model.core, constraints.on(model), q).position
    assert np.array_equal(err, there)
    assert not constraints.calcPositionError(0, model, other).any()
    assert not constraints.calcPositionError(0, model, other, False).any()
    rbdl.UpdateKinematicsCustom(model, q)
    assert np.array_equal(constraints.calcPositionError(0, model, other, False), there)
    assert np.array_equal(
        constraints.calcPositionError(group_index=0, model=model, Q=other, update_kinematics=False),
        there,
    )


def test_forces_of_groups_fill_arrays():
    """Ids, 6x6 matrices of frames, and forces, along the last axis."""
    model, constraints = four_bar()
    q, qdot, tau = np.array([0.4, 0.3, 0.4, 0.3]), np.zeros(4), np.zeros(4)
    qddot = np.zeros(4)
    rbdl.ForwardDynamicsConstraintsDirect(model, q, qdot, tau, constraints, qddot)
    ids, X, F = np.empty(2, dtype=np.uintc), np.empty((6, 6, 2)), np.empty((6, 2))
    constraints.calcForces(0, model, q, qdot, ids, X, F, False, False)
    listed = constraints.calcForces(0, model, q, qdot)
    assert list(ids) == listed[0] == [2, 4]
    for k in range(2):
        assert np.array_equal(X[:, :, k], listed[1][k].toMatrix())
        assert np.array_equal(F[:, k], listed[2][k])
    assert np.allclose(X[5, 1, :], -1.0)  # -r x of r = (1, 0, 0)
    in_root = constraints.calcForces(0, model, q, qdot, True)
    constraints.calcForces(0, model, q, qdot, ids, X, F, resolveAllInRootFrame=True)
    assert in_root[0] == list(ids) == [0, 0]
    assert np.array_equal(F[:, 1], in_root[2][1])
    assert np.array_equal(
        constraints.calcForces(0, model, q, qdot, resolve_all_in_root_frame=True)[2][1], F[:, 1]
    )
    with pytest.raises(rbdl.RBDLSizeMismatchError, match="constraintFramesUpd"):
        constraints.calcForces(0, model, q, qdot, ids, np.empty((3, 3, 2)), F)
    rbdl.ComputeConstraintImpulsesDirect(model, q, np.ones(4), constraints, np.zeros(4))
    constraints.calcImpulses(0, model, q, qdot, ids, X, F)
    assert np.array_equal(F[:, 0], constraints.calcImpulses(0, model, q, qdot)[2][0])


def test_rows_find_their_group():
    """By the name, the user's number or the row number of any row in it."""
    model, constraints = machine(), rbdl.ConstraintSet()
    for k, axis in enumerate(np.eye(3)):
        row = constraints.AddContactConstraint(3, np.zeros(3), axis, f"ground_{'xyz'[k]}", 3 + k)
        assert row == k
    constraints.AddContactConstraint(2, np.zeros(3), np.eye(3)[0], b"other")
    constraints.Bind(model)
    for k in range(3):
        assert constraints.getGroupIndexByName(f"ground_{'xyz'[k]}") == 0
        assert constraints.getGroupIndexById(userDefinedId=3 + k) == 0
        assert constraints.getGroupIndexByAssignedId(k) == 0
    assert constraints.getGroupIndexByName(constraintNameChar=b"other") == 1
    assert constraints.getGroupType(0) == 0
    assert four_bar()[1].getGroupType(0) == 1
    with pytest.raises(rbdl.RBDLError, match="'nobody'"):
        constraints.getGroupIndexByName("nobody")


# -- row 5: the damping of inverse kinematics --


def test_dlambda_is_the_damping():
    """The same value under three names."""
    CS = rbdl.InverseKinematicsConstraintSet()
    CS.dlambda = 0.9
    assert CS.lambda_ == CS.dlambda == getattr(CS, "lambda") == 0.9
    CS.lambda_ = 1e-3
    assert CS.dlambda == 1e-3


def test_damping_of_inverse_kinematics_takes_effect():
    """More of it makes shorter steps: more of them."""
    model = rbdl.Model()
    turn, body = rbdl.Joint(0, "JointTypeRevoluteY"), rbdl.Body(1.0, [0, 0, 0.5], np.eye(3))
    for offset in (0.0, 1.0, 1.0):
        tip = model.AppendBody(rbdl.Xtrans([0.0, 0.0, offset]), turn, body)
    steps, point, goal = [], np.array([0.0, 0.0, 1.0]), np.array([2.0, 0.0, 1.0])
    for damping in (1e-6, 0.9):
        CS, qres = rbdl.InverseKinematicsConstraintSet(), np.zeros(3)
        CS.AddPointConstraint(tip, point, goal)
        CS.AddOrientationConstraint(1, np.array([[0.0, 0, -1], [0, 1, 0], [1, 0, 0]]))
        CS.dlambda, CS.max_steps, CS.step_tol = damping, 2000, 1e-8
        rbdl.InverseKinematicsCS(model, np.array([0.4, 0.5, 0.6]), CS, qres)
        reached = rbdl.CalcBodyToBaseCoordinates(model, qres, tip, point)
        assert np.allclose(reached, goal, atol=1.5e-7)
        steps.append(CS.num_steps)
    assert steps[1] > steps[0]


# -- row 6: the kinds of constraints of inverse kinematics --


def test_constraint_types_are_those_of_inverse_kinematics():
    """With RBDL's numbers; those of groups of rows keep their names."""
    T = rbdl.ConstraintType
    assert [t.name.removeprefix("ConstraintType") for t in T] == [
        "Position", "Orientation", "Full", "PositionXY", "PositionZ", "PositionCoMXY"]  # fmt: skip
    assert [int(t) for t in T] == list(range(6))
    CS = rbdl.InverseKinematicsConstraintSet()
    CS.AddPointConstraintZ(1, np.zeros(3), np.zeros(3))
    CS.AddFullConstraint(1, np.zeros(3), np.zeros(3), np.eye(3), weight=2.0)
    assert CS.constraint_type == [T.ConstraintTypePositionZ, T.ConstraintTypeFull]
    assert CS.ConstraintTypeFull is T.ConstraintTypeFull
    assert T.ConstraintTypeLoop is rbdl.GroupType.ConstraintTypeLoop
    assert (T.ConstraintTypeContact, T.ConstraintTypeLoop, T.ConstraintTypeCustom) == (0, 1, 2)


# -- row 7: what loadModel ignores --


def lua_pendulum(tmp_path) -> str:
    path = tmp_path / "pendulum.lua"
    body = "{mass=1,com={0,-1,0},inertia={{1,0,0},{0,1,0},{0,0,1}}}"
    path.write_text(
        f"return {{frames={{{{name='a',parent='ROOT',joint={{{{0,0,1,0,0,0}}}},body={body}}}}}}}"
    )
    return str(path)


def test_unknown_keywords_of_load_model_are_ignored(tmp_path):
    """With a warning that names them and comes from the caller's line."""
    path = lua_pendulum(tmp_path)
    with pytest.warns(rbdl.RBDLWarning, match="loadModel ignores 'colour'") as caught:
        model = rbdl.loadModel(path, colour="red")
    assert caught[0].filename == __file__
    assert model.dof_count == 1


def test_floating_base_of_a_lua_file_is_ignored(tmp_path):
    """With a warning; it is not an error."""
    path = lua_pendulum(tmp_path)
    with pytest.warns(rbdl.RBDLWarning, match="ignores 'floating_base'"):
        model = rbdl.loadModel(path.encode(), floating_base=True, verbose=False)
    assert model.dof_count == 1
    with pytest.warns(rbdl.RBDLWarning, match="ignores 'floating_base'"):
        assert rbdl.Model(path, floating_base=True).dof_count == 1
    assert rbdl.loadModel(path, False).dof_count == 1


def test_keywords_of_bodies_that_are_ignored():
    """As of `loadModel`."""
    with pytest.warns(rbdl.RBDLWarning, match="Body ignores 'colour'"):
        body = rbdl.Body(mass=2.0, com=np.zeros(3), inertia=np.eye(3), colour="red")
    assert body.mMass == 2.0


# -- rows 8, 9 and 10: custom joints as RBDL's users write them --


class HingeSetOnce(rbdl.CustomJoint):
    """S and XJ are set in a constructor that does not call that of its base."""

    calls: list[str]

    def __init__(self):
        self.mDoFCount = 1
        self.S = np.array([[1.0], [0.0], [0.0], [0.0], [0.0], [0.0]])
        self.XJ = rbdl.Xtrans([0.0, 0.0, 0.25])
        self.calls = []

    def jcalc(self, model, joint_id, q, qdot):
        k = model.mJoints[joint_id].q_index
        model.X_J[joint_id] = rbdl.Xrotx(q[k]) * self.XJ
        model.v_J[joint_id][0] = qdot[k]
        self.calls.append("jcalc")

    def jcalc_X_lambda_S(self, model, joint_id, q):
        self.calls.append("jcalc_X_lambda_S")
        raise AssertionError("not called where jcalc and the constructor say all")


class EulerByMatrices(rbdl.CustomJoint):
    """Matrix3d and Vector3d inside jcalc, of traced values."""

    mDoFCount = 3

    def __init__(self):
        self.S = np.zeros((6, 3))

    def jcalc(self, model, joint_id, q, qdot):
        k = model.mJoints[joint_id].q_index
        s0, c0, s1, c1 = sin(q[k]), cos(q[k]), sin(q[k + 1]), cos(q[k + 1])
        s2, c2 = sin(q[k + 2]), cos(q[k + 2])
        rates = rbdl.Vector3d(qdot[k], qdot[k + 1], qdot[k + 2])
        X = rbdl.SpatialTransform()
        X.E = rbdl.Matrix3d(
            c0 * c1, s0 * c1, -s1,
            c0 * s1 * s2 - s0 * c2, s0 * s1 * s2 + c0 * c2, c1 * s2,
            c0 * s1 * c2 + s0 * s2, s0 * s1 * c2 - c0 * s2, c1 * c2,
        )  # fmt: skip
        model.X_J[joint_id] = X
        turned = rbdl.Matrix3d(0, np.array([[-s1, 0.0, 1.0], [c1 * s2, c2, 0], [c1 * c2, -s2, 0]]))
        self.S[:3, :] = turned
        model.v_J[joint_id] = rbdl.SpatialVector(0, self.S @ rates)
        z, y, x = rates
        model.c_J[joint_id][:3] = rbdl.Vector3d(
            -c1 * z * y,
            -s1 * s2 * z * y + c1 * c2 * z * x - s2 * y * x,
            -s1 * c2 * z * y - c1 * s2 * z * x - c2 * y * x,
        )


def custom_and_native(custom: rbdl.CustomJoint, native: rbdl.Joint, frame) -> tuple:
    """The same chain with the user's joint and with one that polhode has, and a hinge after it."""
    body = rbdl.Body(1.3, [0.1, 0.2, -0.1], np.diag([0.3, 0.4, 0.5]))
    models = rbdl.Model(), rbdl.Model()
    models[0].AddBodyCustomJoint(0, rbdl.Xtrans([0.3, 0.0, 0.1]), custom, body)
    models[1].AddBody(0, frame, native, body)
    for model in models:
        model.AppendBody(rbdl.Xtrans([0, 0.4, 0]), rbdl.Joint(axes=hinge_axis(1)), body)
    return models


def agree(ours: rbdl.Model, native: rbdl.Model, seed: int = 4) -> None:
    """All of dynamics and kinematics is the same."""
    q, qdot, qddot, tau = np.random.default_rng(seed).standard_normal((4, native.dof_count))
    n, tip, point = native.dof_count, len(native.mBodies) - 1, np.array([0.1, 0.2, 0.3])
    for function, arguments, shape in (
        (rbdl.InverseDynamics, (q, qdot, qddot), (n,)),
        (rbdl.ForwardDynamics, (q, qdot, tau), (n,)),
        (rbdl.CompositeRigidBodyAlgorithm, (q,), (n, n)),
        (rbdl.CalcPointJacobian, (q, tip, point), (3, n)),
    ):
        found, wanted = np.zeros(shape), np.zeros(shape)
        function(ours, *arguments, found)
        function(native, *arguments, wanted)
        assert np.allclose(found, wanted, atol=1e-10), function.__name__
    for model in (ours, native):
        rbdl.UpdateKinematics(model, q, qdot, qddot)
    assert np.allclose(ours.v, native.v, atol=1e-11)
    assert np.allclose(ours.a, native.a, atol=1e-11)


def test_subspaces_set_in_the_constructor_are_kept():
    """S and XJ, whose values at construction are there at each call and after it."""
    joint = HingeSetOnce()
    # XJ comes after the turn, and shifts along the axis of the body
    ours, native = custom_and_native(
        joint, rbdl.Joint(0, "JointTypeRevoluteX"), rbdl.Xtrans([0.3, 0.0, 0.1])
    )
    G = np.zeros((6, 2))
    rbdl.CalcBodySpatialJacobian(ours, np.array([0.4, 0.0]), 1, np.zeros(3), G)
    assert np.array_equal(G[:, 0], np.eye(6)[0])
    assert np.array_equal(joint.S, np.eye(6)[:, :1])
    assert joint.S.dtype == float
    assert np.array_equal(joint.XJ.r, [0.0, 0.0, 0.25])
    joint.XJ = rbdl.SpatialTransform()
    assert native.dof_count == 2


def test_a_subspace_set_in_the_constructor_moves_the_body():
    """Dynamics is that of a native hinge."""

    class Hinge(HingeSetOnce):
        def __init__(self):
            super().__init__()
            self.XJ = rbdl.SpatialTransform()

    frame = rbdl.Xtrans([0.3, 0.0, 0.1])
    agree(*custom_and_native(Hinge(), rbdl.Joint(0, "JointTypeRevoluteX"), frame))


def test_matrices_and_vectors_inside_jcalc():
    """Euler angles written with them are those that polhode has."""
    frame = rbdl.Xtrans([0.3, 0.0, 0.1])
    native = rbdl.Joint(0, "JointTypeEulerZYX")
    agree(*custom_and_native(EulerByMatrices(), native, frame))


def test_jcalc_x_lambda_s_is_not_called_by_update_kinematics():
    """Nor by anything else, unless jcalc leaves S zero."""
    joint = HingeSetOnce()
    ours, _ = custom_and_native(joint, rbdl.Joint(0, "JointTypeRevoluteX"), rbdl.SpatialTransform())
    rbdl.UpdateKinematics(ours, np.zeros(2), np.ones(2), np.zeros(2))
    assert ours.v[1][0] == 1.0
    rbdl.UpdateKinematicsCustom(ours, np.ones(2))
    assert len(ours.X_base) == 3
    assert set(joint.calls) == {"jcalc"}


class HingeOfFloats(rbdl.CustomJoint):
    """With a sine of `math`, which cannot be traced."""

    mDoFCount = 1

    def jcalc(self, model, joint_id, q, qdot):
        k = model.mJoints[joint_id].q_index
        c, s = math.cos(q[k]), math.sin(q[k])
        model.X_J[joint_id].E = np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]])
        model.v_J[joint_id][0] = qdot[k]
        self.S[0, 0] = 1.0


def test_sines_of_math_inside_jcalc():
    """Computed step by step, with the same numbers, constraints included; a warning says so."""
    frame = rbdl.Xtrans([0.3, 0.0, 0.1])
    with pytest.warns(rbdl.RBDLWarning, match="HingeOfFloats.jcalc cannot be compiled") as caught:
        models = custom_and_native(HingeOfFloats(), rbdl.Joint(0, "JointTypeRevoluteX"), frame)
    assert caught[0].filename == __file__
    agree(*models)
    q, qdot, tau = np.random.default_rng(5).standard_normal((3, 2))
    answers = []
    for model in models:
        constraints, qddot = rbdl.ConstraintSet(), np.zeros(2)
        constraints.AddContactConstraint(2, np.array([0.1, 0.2, 0.3]), np.array([0.0, 0.6, 0.8]))
        constraints.Bind(model)
        rbdl.ForwardDynamicsConstraintsDirect(model, q, qdot, tau, constraints, qddot)
        answers.append([*qddot, *constraints.force, *constraints.gamma, *constraints.G.ravel()])
    assert np.allclose(*answers, atol=1e-10)


def test_a_zero_subspace_is_refused():
    """It gave NaN without a word."""

    class Still(rbdl.CustomJoint):
        mDoFCount = 1

        def jcalc(self, model, joint_id, q, qdot):
            model.v_J[joint_id][0] = qdot[0]

    model = rbdl.Model()
    model.AddBodyCustomJoint(0, rbdl.SpatialTransform(), Still(), rbdl.Body(1.0))
    zero = np.zeros(1)
    with pytest.raises(rbdl.RBDLError, match="column 0 of S of Still is zero"):
        rbdl.ForwardDynamics(model, zero, zero, zero)


def test_workspaces_of_custom_joints():
    """They can be read and set, before and after the degrees of freedom are known."""
    joint = rbdl.CustomJoint(0)
    joint.mDoFCount = 2
    assert joint.S.shape == joint.U.shape == (6, 2)
    assert joint.Dinv.shape == (2, 2)
    assert joint.u.shape == joint.d_u.shape == (2,)
    joint.U, joint.Dinv, joint.u, joint.d_u = np.ones((6, 2)), np.eye(2), np.ones(2), np.ones(2)
    assert joint.U[0, 0] == joint.Dinv[0, 0] == joint.u[0] == joint.d_u[0] == 1.0
    assert rbdl.CustomJoint(3).mDoFCount == rbdl.CustomJoint(dof_count=3).mDoFCount == 3


# -- rows 11 and 12: assembly --


def nearest(G, b, weights) -> np.ndarray:
    """The least ``sum w x^2`` with ``G x = b``, by the whole system of its conditions."""
    n, m = len(weights), len(b)
    K = np.block([[np.diag(weights), G.T], [G, np.zeros((m, m))]])
    return np.linalg.solve(K, np.concatenate([np.zeros(n), b]))[:n]


@pytest.mark.parametrize("weights", [[1, 0, 1, 1], [1, 0, 0, 1], [0, 2, 3, 0.5], [0, 3, 1, 0]])
def test_weights_of_zero_are_zero(weights):
    """Velocities are those of the exact conditions, as RBDL's are."""
    model, constraints = four_bar()
    q, start = np.array([0.4, 0.3, 0.9, -0.7]), np.array([1.0, -2.0, 0.5, 3.0])
    weights = np.array(weights, dtype=float)
    qdot = np.zeros(4)
    rbdl.CalcAssemblyQDot(model, q, start, constraints, qdot, weights)
    G = np.zeros((2, 4))
    rbdl.CalcConstraintsJacobian(model, q, constraints, G)
    assert np.allclose(G @ qdot, 0.0, atol=ASSEMBLY)
    assert np.allclose(qdot, start + nearest(G, -G @ start, weights), atol=ASSEMBLY)


def test_coordinates_of_weight_one_stay_beside_free_ones():
    """What RBDL's own tests of assembly do: hold some coordinates, and let the others go."""
    model, constraints = four_bar()
    start, q = np.array([0.4, -0.9, -0.4, 0.9]), np.zeros(4)
    weights = np.array([1.0, 0.0, 1.0, 0.0])
    assert rbdl.CalcAssemblyQ(model, start, constraints, q, weights, 1e-12)
    assert np.allclose(q[[0, 2]], start[[0, 2]], atol=ASSEMBLY)
    assert np.abs(rbdl.CalcConstraintsPositionError(model, q, constraints)).max() < 1e-12


def test_assembly_ends_when_error_and_step_are_small():
    """The last step, not only the error, is below the tolerance; one that has none is not taken."""
    model, constraints = four_bar()
    start, q, tolerance = np.array([0.4, 0.3, 0.45, 0.2]), np.zeros(4), 1e-4
    ones = np.ones(4)
    at, steps = start, []
    for _ in range(20):
        G = np.array(ph.constraints.constraint_jacobian(model.core, constraints.on(model), at))
        err = ph.constraints.constraint_errors(model.core, constraints.on(model), at).position
        step = nearest(G, -err, ones)
        at = at + step
        steps.append(np.linalg.norm(step))
        error = ph.constraints.constraint_errors(model.core, constraints.on(model), at).position
        if np.linalg.norm(error) < tolerance and steps[-1] < tolerance:
            break
    by_error = ph.assemble(model.core, constraints.on(model), start, tolerance=tolerance)
    assert by_error.iterations == len(steps) - 1  # the step before was still long
    assert rbdl.CalcAssemblyQ(model, start, constraints, q, ones, tolerance)
    assert np.allclose(q, at, atol=ASSEMBLY)
    short = rbdl.CalcAssemblyQ(model, start, constraints, q, ones, tolerance, len(steps) - 1)
    assert not short
    assert rbdl.CalcAssemblyQ(model, at, constraints, q, ones, 1e-3)
    assert np.array_equal(q, at)


# -- row 13: v_plus --


def test_velocities_after_an_impact_are_kept():
    """By a copy, by clear, and by further rows, which begin at zero."""
    constraints = rbdl.ConstraintSet()
    constraints.AddContactConstraint(1, np.zeros(3), np.eye(3)[0])
    constraints.v_plus[:] = 0.5
    constraints.force[:] = 2.0
    constraints.AddContactConstraint(1, np.zeros(3), np.eye(3)[1])
    assert np.array_equal(constraints.v_plus, [0.5, 0.0])
    constraints.clear()
    assert np.array_equal(constraints.v_plus, [0.5, 0.0])
    assert not constraints.force.any()
    twin = constraints.Copy()
    assert np.array_equal(twin.v_plus, [0.5, 0.0])
    twin.v_plus[:] = 7.0
    assert constraints.v_plus[0] == 0.5
    constraints.Bind(machine())
    assert np.array_equal(constraints.v_plus, [0.5, 0.0])


# -- rows 14 and 15: setters of bodies --


def test_inertial_parameters_in_rbdl_order():
    """Mass, inertia, centre; the earlier order is seen by the shapes, with a warning."""
    model, earlier = machine(), machine()
    inertia, com = np.diag([0.2, 0.3, 0.4]), np.array([0.1, 0.0, 0.2])
    model.SetBodyInertialParameters(3, 2.0, inertia, com)
    assert np.array_equal(model.mBodies[3].mInertia, inertia)
    with pytest.warns(rbdl.RBDLWarning, match=r"\(body_id, mass, inertia, com\)") as caught:
        earlier.SetBodyInertialParameters(3, 2.0, com, inertia)
    assert caught[0].filename == __file__
    assert np.array_equal(earlier.mBodies[3].mInertia, inertia)
    earlier.SetBodyInertialParameters(3, 2.0, com=com, inertia=inertia)
    assert np.array_equal(earlier.mBodies[3].mCenterOfMass, com)


def with_hand(hand: rbdl.Body) -> tuple[rbdl.Model, int]:
    """An arm with two fixed bodies, one on the other."""
    model = rbdl.Model()
    body = rbdl.Body(1.3, [0.1, 0.2, -0.1], np.diag([0.3, 0.4, 0.5]))
    arm = model.AddBody(0, rbdl.SpatialTransform(), rbdl.Joint(axes=hinge_axis()), body, b"arm")
    still, frame = rbdl.Joint(0, "JointTypeFixed"), rbdl.Xrotx(0.3) * rbdl.Xtrans([0.4, 0.0, 0.1])
    model.AddBody(arm, frame, still, body, b"plate")
    number = model.AppendBody(frame, still, hand, b"hand")
    model.AddBody(arm, frame, rbdl.Joint(axes=hinge_axis(1)), body, b"last")
    return model, number


SETTERS = {
    "SetBodyMass": (2.5,),
    "SetBodyInertia": (np.diag([0.7, 0.8, 0.9]),),
    "SetBodyCenterOfMass": ([0.0, 0.3, 0.1],),
    "SetBodyInertialParameters": (2.5, np.diag([0.7, 0.8, 0.9]), [0.0, 0.3, 0.1]),
}


@pytest.mark.parametrize("setter", SETTERS)
def test_setters_of_fixed_bodies_update_what_carries_them(setter):
    """The model is the one that is built with the new body."""
    mass, com, inertia = 0.8, [0.2, 0.0, 0.0], np.diag([0.1, 0.2, 0.25])
    model, hand = with_hand(rbdl.Body(mass, com, inertia))
    getattr(model, setter)(hand, *SETTERS[setter])
    if setter in ("SetBodyMass", "SetBodyInertialParameters"):
        mass = 2.5
    if setter in ("SetBodyInertia", "SetBodyInertialParameters"):
        inertia = np.diag([0.7, 0.8, 0.9])
    if setter in ("SetBodyCenterOfMass", "SetBodyInertialParameters"):
        com = [0.0, 0.3, 0.1]
    anew, _ = with_hand(rbdl.Body(mass, com, inertia))
    q, qdot, qddot = np.random.default_rng(1).standard_normal((3, 2))
    ours, wanted = np.zeros(2), np.zeros(2)
    rbdl.InverseDynamics(model, q, qdot, qddot, ours)
    rbdl.InverseDynamics(anew, q, qdot, qddot, wanted)
    assert np.allclose(ours, wanted, atol=ROUNDING)
    arm, new = model.mBodies[1], anew.mBodies[1]
    for a, b in ((arm, new), (model.GetBody(hand), anew.GetBody(hand))):
        assert np.isclose(a.mMass, b.mMass, atol=ROUNDING)
        assert np.allclose(a.mCenterOfMass, b.mCenterOfMass, atol=ROUNDING)
        assert np.allclose(a.mInertia, b.mInertia, atol=ROUNDING)
    assert np.isclose(model.core.mass, anew.core.mass)


def test_setters_of_bodies_fixed_to_the_root():
    """They change nothing that moves."""
    model = rbdl.Model()
    still, body = rbdl.Joint(0, "JointTypeFixed"), rbdl.Body(2.0, [0, 0, 0], np.eye(3))
    plate = model.AddBody(0, rbdl.Xtrans([1.0, 0.0, 0.0]), still, body, b"plate")
    model.AddBody(plate, rbdl.SpatialTransform(), rbdl.Joint(axes=hinge_axis()), body)
    before = rbdl.InverseDynamics(model, np.zeros(1), np.zeros(1), np.ones(1))
    model.SetBodyMass(plate, 5.0)
    assert (model.GetBody(plate).mMass, model.mBodies[0].mMass) == (5.0, 5.0)
    after = rbdl.InverseDynamics(model, np.zeros(1), np.zeros(1), np.ones(1))
    assert np.array_equal(before, after)


def test_a_fixed_body_can_be_emptied_and_filled():
    """Also where the one that carries it has no mass of its own."""
    model = rbdl.Model()
    turn, still = rbdl.Joint(axes=hinge_axis()), rbdl.Joint(0, "JointTypeFixed")
    arm = model.AddBody(0, rbdl.SpatialTransform(), turn, rbdl.Body())
    body = rbdl.Body(2.0, [0.0, 1.0, 0.0], np.zeros((3, 3)))
    tip = model.AddBody(arm, rbdl.SpatialTransform(), still, body)
    model.SetBodyMass(tip, 0.0)
    assert model.mBodies[arm].mMass == 0.0
    model.SetBodyMass(tip, 3.0)
    H = np.zeros((1, 1))
    rbdl.CompositeRigidBodyAlgorithm(model, np.zeros(1), H)
    assert np.isclose(H[0, 0], 3.0)


# -- row 16: sparse factors --


def test_sparse_factor_is_lower_triangular():
    """So that ``L.T @ L`` is the matrix, whatever stood above."""
    model = machine()
    q, *_ = state(model)
    H = np.zeros((model.dof_count, model.dof_count))
    rbdl.CompositeRigidBodyAlgorithm(model, q, H)
    L = H.copy()
    rbdl.SparseFactorizeLTL(model, L)
    assert np.array_equal(L, np.tril(L))
    assert np.allclose(L.T @ L, H, atol=1e-12 * np.abs(H).max())


# -- row 17: exceptions --


def test_exceptions_have_rbdl_names(tmp_path):
    """Each is an RBDLError; a file that is not there is an invalid one."""
    for name in (
        "RBDLMissingImplementationError",
        "RBDLInvalidFileError",
        "RBDLFileParseError",
        "RBDLInvalidParameterError",
        "RBDLSizeMismatchError",
        "RBDLDofMismatchError",
    ):
        assert issubclass(getattr(rbdl, name), rbdl.RBDLError)
    with pytest.raises(rbdl.RBDLInvalidFileError, match="nowhere"):
        rbdl.loadModel(str(tmp_path / "nowhere.lua"))
    with pytest.raises(rbdl.RBDLInvalidFileError, match=r"\.urdf or \.lua") as caught:
        rbdl.loadModel(str(tmp_path / "model.xml"))
    assert pickle.loads(pickle.dumps(caught.value)).file == caught.value.file
    with pytest.raises(NotImplementedError):
        rbdl.Vector3d.fromPointer(1)


# -- row 18: fields of constraint sets --


@pytest.mark.parametrize("method", ["Direct", "RangeSpaceSparse", "NullSpace"])
def test_solvers_fill_the_fields_of_the_set(method):
    """H, C, G and gamma of the equations they solved, with external forces in C."""
    model, constraints = four_bar()
    q, qdot, tau = np.random.default_rng(2).standard_normal((3, 4))
    forces = np.random.default_rng(3).standard_normal((5, 6))
    qddot = np.zeros(4)
    solve = getattr(rbdl, f"ForwardDynamicsConstraints{method}")
    solve(model, q, qdot, tau, constraints, qddot, True, forces)
    H, C, G = constraints.H, constraints.C, constraints.G
    assert np.allclose(H @ qddot + C, tau + G.T @ constraints.force, atol=1e-9)
    assert np.allclose(G @ qddot, constraints.gamma, atol=1e-9)
    assert np.array_equal(H, rbdl.CompositeRigidBodyAlgorithm(model, q))
    assert np.allclose(C, ph.bias_forces(model.core, q, qdot, forces[1:]), atol=ROUNDING)
    assert np.allclose(constraints.err, rbdl.CalcConstraintsPositionError(model, q, constraints))
    solve(model, 0 * q, 0 * qdot, tau, constraints, qddot)
    assert np.allclose(
        constraints.H @ qddot + constraints.C, tau + constraints.G.T @ constraints.force
    )
    assert not np.allclose(constraints.C, ph.bias_forces(model.core, q, qdot, forces[1:]))


def test_inverse_dynamics_fills_the_fields_too():
    """And what is computed alone afterwards is not overwritten."""
    model, constraints = four_bar()
    q, qdot = np.array([0.4, 0.3, 0.4, 0.3]), np.zeros(4)
    constraints.SetActuationMap(model, np.array([True, False, True, False]))
    qddot_out, tau = np.zeros(4), np.zeros(4)
    rbdl.InverseDynamicsConstraintsRelaxed(
        model, q, qdot, np.zeros(4), constraints, qddot_out, tau, True, None
    )
    err = rbdl.CalcConstraintsPositionError(model, np.ones(4) * [1, 2, 3, 4], constraints)
    assert np.array_equal(constraints.err, err)
    H, C, G = constraints.H, constraints.C, constraints.G
    assert np.allclose(H @ qddot_out + C, tau + G.T @ constraints.force, atol=1e-9)
    assert np.array_equal(constraints.err, err)


# -- row 19: a point that is ignored --


def test_spatial_jacobian_takes_a_point_and_ignores_it():
    """RBDL's order, and that of C++ with a warning."""
    model = machine()
    q, *_ = state(model)
    hand, G = model.GetBodyId("hand"), np.zeros((6, model.dof_count))
    assert rbdl.CalcBodySpatialJacobian(model, q, hand, np.ones(3), G) is G
    wanted = ph.body_jacobian(model.core, q, model.number(hand))
    assert np.array_equal(G, wanted)
    other = np.zeros_like(G)
    with pytest.warns(rbdl.RBDLWarning, match="body_point_position") as caught:
        rbdl.CalcBodySpatialJacobian(model, 0 * q, hand, other, False)
    assert caught[0].filename == __file__
    assert np.array_equal(other, G)
    assert np.array_equal(rbdl.CalcBodySpatialJacobian(model, q, hand), G)
    assert np.array_equal(rbdl.CalcBodySpatialJacobian(model, Q=q, body_id=hand, G=other), G)


# -- row 20: the number of steps --


def test_inverse_kinematics_takes_fifty_steps():
    """The default, seen by what it comes to."""
    model = rbdl.Model()
    body = rbdl.Body(1.0, [0, 0, 0.5], np.eye(3))
    for _ in range(2):
        tip = model.AppendBody(rbdl.Xtrans([1.0, 0, 0]), rbdl.Joint(axes=hinge_axis()), body)
    far = np.array([[7.0, 1.0, 0.0]])
    results = []
    for more in ({}, {"max_iter": 50}, {"max_iter": 55}):
        qres = np.zeros(2)
        reached = rbdl.InverseKinematics(
            model, np.array([1.5, math.pi / 2]), np.array([tip]), np.eye(3)[:1], far, qres,
            1e-14, 1.5, **more,
        )  # fmt: skip
        assert not reached
        results.append(qres)
    assert np.array_equal(results[0], results[1])
    assert not np.array_equal(results[0], results[2])


def test_inverse_kinematics_in_both_forms_and_spellings():
    """The wrapper's, and C++'s with a set."""
    model = machine()
    q, *_ = state(model)
    hand, points = model.GetBodyId("hand"), np.eye(3)
    targets = np.array([rbdl.CalcBodyToBaseCoordinates(model, q, hand, p) for p in points])
    start, ids = q + 0.0, np.array([hand] * 3)
    start[:3] += 0.2
    by_name, by_place, earlier = np.zeros((3, model.q_size))
    rbdl.InverseKinematics(
        model=model, qinit=start, body_ids=ids, body_point_position=points,
        target_pos_position=targets, qres=by_name, step_tol=1e-12, lambda_=1e-3, max_iter=60,
    )  # fmt: skip
    rbdl.InverseKinematics(model, start, ids, points, targets, by_place, 1e-12, 1e-3, 60)
    rbdl.InverseKinematics(
        model, Qinit=start, body_id=[hand] * 3, body_point=list(points), target_pos=list(targets),
        Qres=earlier, lambda_=1e-3, max_iter=60,
    )  # fmt: skip
    assert np.array_equal(by_name, by_place)
    assert np.array_equal(by_name, earlier)
    CS, one, two, three = rbdl.InverseKinematicsConstraintSet(), *np.zeros((3, model.q_size))
    for point, target in zip(points, targets, strict=True):
        CS.AddPointConstraint(hand, point, target)
    assert rbdl.InverseKinematicsCS(model, start, CS, one)
    assert rbdl.InverseKinematics(model, start, CS, two)
    assert rbdl.InverseKinematics(model, Qinit=start, CS=CS, Qres=three)
    assert np.array_equal(one, two)
    assert np.array_equal(one, three)
    with pytest.raises(rbdl.RBDLError, match="constraint set"):
        rbdl.InverseKinematics(model, start, CS, two, lambda_=0.5)


# -- earlier keywords --


def test_a_parameter_under_two_names_is_refused():
    """And a name that is unknown."""
    model = machine()
    q, qdot, _, tau = state(model)
    with pytest.raises(TypeError, match="'q' twice, also as 'Q'"):
        rbdl.ForwardDynamics(model, q=q, Q=q, qdot=qdot, tau=tau)
    with pytest.raises(TypeError, match="twice"):
        rbdl.InverseDynamicsConstraints(
            model, q, qdot, QDDotDesired=q, QDDotControls=q, CS=rbdl.ConstraintSet()
        )
    with pytest.raises(TypeError, match="speed"):
        rbdl.ForwardDynamics(model, q, speed=qdot, tau=tau)
