"""Wrong arguments of RBDL's functions end in errors that name them."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode import rbdl

TURN = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
Q = np.array([0.1, 0.0, 0.0, 0.0, 1.0])
QD = np.full(4, 0.1)


def arm():
    """A hinge, and a spherical joint whose w is the last coordinate."""
    model, body = rbdl.Model(), rbdl.Body(1.0, [0.0, -0.5, 0.0], np.diag([0.1, 0.02, 0.1]))
    model.AddBody(0, rbdl.SpatialTransform(), rbdl.Joint(TURN), body, "upper")
    ball = rbdl.Joint.fromJointType("JointTypeSpherical")
    model.AppendBody(rbdl.Xtrans([0.0, -1.0, 0.0]), ball, body, "lower")
    return model


FRAME, BODY = rbdl.SpatialTransform(), rbdl.Body(1.0, [0.0] * 3, np.eye(3))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m: rbdl.ForwardDynamics(m, "abc", QD, QD), "expected real numbers as q, got text"),
        (lambda m: rbdl.ForwardDynamics(m, Q, QD + 1j, QD), "as qdot, got complex numbers"),
        (lambda m: rbdl.ForwardDynamics(m, Q, np.ma.masked_less(QD, 1), QD), "masked entries"),
        (lambda m: rbdl.CalcPointVelocity(m, Q, QD, 2, "abc"), "as body_point_position, got text"),
        (lambda m: rbdl.CalcBodyToBaseCoordinates(m, Q, [2], [0, 0, 0]), "no body with id .2."),
        (lambda m: m.AddBody(0, rbdl.Joint(TURN), FRAME, BODY), "SpatialTransform as joint_frame"),
        (lambda m: m.AddBody(0, FRAME, BODY, rbdl.Joint(TURN)), "expected a Joint as joint"),
        (lambda m: m.AppendBody(FRAME, rbdl.Joint(TURN), "x"), "expected a Body as body, got 'x'"),
        (lambda m: rbdl.Joint(np.eye(6)), "expected axes of six numbers"),
        (lambda m: rbdl.Joint(["a"] * 6), "expected real numbers as an axis"),
        (lambda m: rbdl.Body("heavy"), "expected a finite number as mass, got 'heavy'"),
        (lambda m: m.SetBodyMass(1, np.nan), "mass, got nan"),
        (lambda m: setattr(m, "gravity", ["a", "b", "c"]), "real numbers as gravity, got text"),
        (lambda m: m.GetQuaternion(2, np.zeros(9)), r"expected shape \(5,\) of q, got \(9,\)"),
        (lambda m: m.GetQuaternion(None, Q), "no body with id None"),
        (lambda m: m.SetQuaternion(2, [0, 0, 0, 1.0], np.zeros(9)), r"shape \(5,\) for the result"),
        (lambda m: m.SetQuaternion(2, [0, 0, 0, 1.0], np.zeros(5, int)), "floating-point numbers"),
        (lambda m: rbdl.CalcPointJacobian(m, Q, 2, [0.0] * 3, np.zeros((3, 4), int)),
         "floating-point numbers"),
        (lambda m: rbdl.InverseKinematics(m, Q, [2], [[0.0] * 4], [[0.0] * 3], np.zeros(5)),
         "expected body_point_position of rows of three"),
        (lambda m: rbdl.ConstraintSet().AddContactConstraint(2, "abc", [0, 1, 0]),
         "the point of a constraint, got text"),
        (lambda m: rbdl.ConstraintSet().AddLoopConstraint(1, 2, None, FRAME, TURN),
         "expected a SpatialTransform as frame of a loop, got None"),
        *((lambda m, f=f, CS=CS: f(m, Q, QD, QD, CS),
           f"expected an rbdl.ConstraintSet as CS of {f.__name__}, got {words}")
          for f in (rbdl.ForwardDynamicsConstraintsDirect, rbdl.CalcConstrainedSystemVariables)
          for CS, words in ((None, "None"), ("foot", "'foot'"),
                            (ph.constraints.ConstraintSet(ph.Model()), "a polhode ConstraintSet"))),
        (lambda m: rbdl.CalcConstraintsJacobian(m, Q, CS=None), "ConstraintSet as CS"),
        *((lambda m, f=f: f(ph.Model(), Q), f"expected an rbdl.Model as model of {f.__name__}, got "
           "a polhode Model; rbdl.loadModel reads one")
          for f in (rbdl.CompositeRigidBodyAlgorithm, rbdl.CalcKineticEnergy)),
        (lambda m: rbdl.ForwardDynamics("arm.lua", Q, QD, QD), "Model as model of .*'arm.lua'"),
    ],
)  # fmt: skip
def test_wrong_arguments(call, words):
    with pytest.raises(ph.ArgumentError, match=words):
        call(arm())


def test_a_refused_quaternion_leaves_the_array():
    """Entries of a longer array were changed that are none of the joint's."""
    q = np.zeros(9)
    with pytest.raises(rbdl.RBDLSizeMismatchError):
        arm().SetQuaternion(2, [0.1, 0.0, 0.0, 1.0], q)
    assert not q.any()
