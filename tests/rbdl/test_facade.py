"""What an RBDL program relies on beside the numbers: outputs, edits, queries, and errors."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode import rbdl
from polhode.rbdl import SpatialTransform, Xrotx, Xtrans
from rbdl.machine import machine, state

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
    with pytest.raises(rbdl.RBDLDofMismatchError, match="qdot"):
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
    twin.SetBodyInertialParameters(hand_carrier, 7.0, np.eye(3), [0.1, 0.0, 0.0])
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
