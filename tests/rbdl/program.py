"""A program for RBDL's Python wrapper: nothing in it knows of polhode but the first import.

`test_program` runs it as it is, and again with the keywords that `polhode.rbdl` had before.
"""

import math
import os

import numpy as np

import rbdl

RESULTS = {}


def close(a, b, tolerance=1e-9):
    assert np.allclose(np.asarray(a), np.asarray(b), atol=tolerance), (a, b)


class TurnAboutX(rbdl.CustomJoint):
    """A hinge as a joint of the user's own, with NumPy's sine."""

    def __init__(self):
        self.mDoFCount = 1
        self.S = np.array([[1.0], [0.0], [0.0], [0.0], [0.0], [0.0]])

    def jcalc(self, model, joint_id, q, qdot):
        k = model.mJoints[joint_id].q_index
        c, s = math.cos(q[k]), np.sin(q[k])
        X = rbdl.SpatialTransform()
        X.E = np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]])
        model.X_J[joint_id] = X
        model.v_J[joint_id] = rbdl.SpatialVector(0, [qdot[k], 0.0, 0.0, 0.0, 0.0, 0.0])

    def jcalc_X_lambda_S(self, model, joint_id, q):
        self.S[0, 0] = 1.0


# -- building a model: a free body with two legs, one of which has a fixed foot --

body = rbdl.Body.fromMassComInertia(1.5, np.array([0.0, 0.0, -0.2]), np.diag([0.3, 0.2, 0.1]))
light = rbdl.Body(mass=0.4, com=np.array([0.05, 0.0, -0.1]), inertia=np.eye(3) * 0.01)
down = rbdl.SpatialTransform()
down.r = np.array([0.0, 0.0, -0.5])

model = rbdl.Model()
model.gravity = np.array([0.0, 0.0, -9.81])
trunk = model.AddBody(
    0, rbdl.SpatialTransform(), rbdl.Joint.fromJointType("JointTypeFloatingBase"), body, b"trunk"
)
pitch = rbdl.Joint.fromJointAxes(np.array([[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]]))
hip = model.AppendBody(down, pitch, body, b"hip")
knee = model.AppendBody(joint_frame=down, joint=pitch, body=body, body_name=b"knee")
foot = model.AppendBody(down, rbdl.Joint(0, "JointTypeFixed"), light, b"foot")
other = model.AddBody(
    parent_id=trunk, joint_frame=down, joint=rbdl.Joint(0, "JointTypeEulerZYX"), body=light
)
assert (model.q_size, model.qdot_size, model.dof_count) == (12, 11, 11)
assert model.GetBodyId(b"knee") == knee
assert model.GetBodyId(name="knee") == knee
assert model.GetBodyName(index=hip) == "hip"
assert model.GetParentBodyId(foot) == knee
assert model.IsFixedBodyId(foot)
assert model.IsBodyId(index=knee)
assert model.GetBody(hip).mMass == 1.5
assert model.mJoints[hip].mJointType == "JointTypeRevoluteY"
assert model.previously_added_body_id == other
model.SetBodyInertialParameters(foot, 0.5, np.eye(3) * 0.02, np.array([0.1, 0.0, 0.0]))
model.SetBodyMass(body_id=foot, mass=0.4)
RESULTS["mass of the knee"] = model.mBodies[knee].mMass
close(model.mBodies[knee].mMass, 1.9)

# -- quaternions and the state --

random = np.random.RandomState(7)
q, qdot = random.uniform(-0.4, 0.4, model.q_size), random.randn(model.qdot_size)
qddot, tau = np.zeros(model.qdot_size), random.randn(model.qdot_size)
angle = rbdl.rotz(0.3)
quaternion = rbdl.Quaternion.fromPythonMatrix(angle)
model.SetQuaternion(trunk, quaternion.toNumpy(), q)
model.SetQuaternion(body_id=trunk, quat=rbdl.Quaternion(0, quaternion).toNumpy(), q=q)
close(model.GetQuaternion(trunk, q), quaternion)
close(rbdl.Quaternion.fromPythonArray(q[[3, 4, 5, 11]]).toMatrix(), angle)
assert len(rbdl.Vector3d.fromPythonArray([1.0, 2.0, 3.0])[0:2]) == 2
assert rbdl.VectorNd.fromPythonArray(q).toNumpy().shape == q.shape
RESULTS["q"] = q.copy()

# -- dynamics: forward and inverse, with and without forces --

forces = np.zeros((len(model.mBodies), 6))
forces[knee] = [0.1, 0.2, 0.3, 4.0, 5.0, 6.0]
rbdl.ForwardDynamics(model, q, qdot, tau, qddot)
RESULTS["qddot"] = qddot.copy()
back, nonlinear = np.zeros(11), np.zeros(11)
rbdl.InverseDynamics(model, q, qdot, qddot, back)
close(back, tau)
rbdl.ForwardDynamics(model, q=q, qdot=qdot, tau=tau, qddot=qddot, f_external=forces)
rbdl.InverseDynamics(model, q=q, qdot=qdot, qddot=qddot, tau=back, f_external=forces)
close(back, tau)
RESULTS["qddot with forces"] = qddot.copy()
H = np.zeros((11, 11))
rbdl.CompositeRigidBodyAlgorithm(model, q, H, True)
rbdl.NonlinearEffects(model, q=q, qdot=qdot, tau=nonlinear)
rbdl.ForwardDynamics(model, q, qdot, tau, qddot)
close(H.dot(qddot) + nonlinear, tau)
RESULTS["H"], RESULTS["nonlinear"] = H.copy(), nonlinear.copy()

# -- kinematics: points, velocities, Jacobians, at a given state and at the one last updated --

point = np.array([0.1, 0.2, 0.3])
there = rbdl.CalcBodyToBaseCoordinates(model, q, foot, point)
close(rbdl.CalcBaseToBodyCoordinates(model, q, foot, there), point)
close(rbdl.CalcBaseToBodyCoordinates(model, q=q, body_id=foot, body_point_position=there), point)
RESULTS["foot"] = there
E = rbdl.CalcBodyWorldOrientation(model, q=q, body_id=foot, update_kinematics=True)
G, G6, B = np.zeros((3, 11)), np.zeros((6, 11)), np.zeros((6, 11))
rbdl.CalcPointJacobian(model, q, foot, point, G)
rbdl.CalcPointJacobian6D(model, q=q, body_id=foot, body_point_position=point, G=G6)
rbdl.CalcBodySpatialJacobian(model, q, foot, np.zeros(3), B)
v = rbdl.CalcPointVelocity(model, q, qdot, foot, point)
v6 = rbdl.CalcPointVelocity6D(model, q=q, qdot=qdot, body_id=foot, body_point_position=point)
close(G.dot(qdot), v)
close(G6.dot(qdot), v6)
close(E.T.dot(B.dot(qdot)[:3]), v6[:3])
a = rbdl.CalcPointAcceleration(
    model, q=q, qdot=qdot, qddot=qddot, body_id=foot, body_point_position=point
)
rbdl.UpdateKinematics(model, q, qdot, qddot)
close(rbdl.CalcPointAcceleration(model, q, qdot, qddot, foot, point, False), a)
a6 = rbdl.CalcPointAcceleration6D(model, q, qdot, qddot, foot, point, update_kinematics=False)
close(a6[3:], a)
rbdl.UpdateKinematicsCustom(model, q)
rbdl.UpdateKinematicsCustom(model, q=q, qdot=qdot, qddot=qddot)
close(model.X_base[trunk].r, q[:3])
RESULTS["a"], RESULTS["E"], RESULTS["B"] = a, E, B

# -- centre of mass and zero-moment point --

com, com_velocity, com_acceleration = np.zeros(3), np.zeros(3), np.zeros(3)
spin, spin_rate, zmp = np.zeros(3), np.zeros(3), np.zeros(3)
mass = rbdl.CalcCenterOfMass(model, q, qdot, com)
close(mass, 1.5 * 3 + 0.4 * 2)
rbdl.CalcCenterOfMass(
    model, q, qdot, com, qddot=qddot, com_velocity=com_velocity,
    com_acceleration=com_acceleration, angular_momentum=spin,
    change_of_angular_momentum=spin_rate, update_kinematics=True,
)  # fmt: skip
rbdl.CalcZeroMomentPoint(model, q, qdot, 0 * qddot, zmp, np.array([0.0, 0.0, 1.0]), np.zeros(3))
rbdl.CalcZeroMomentPoint(model, q=q, qdot=qdot, qddot=0 * qddot, zmp=zmp)
assert abs(zmp[2]) < 1e-12
RESULTS["com"], RESULTS["zmp"], RESULTS["spin rate"] = com, zmp, spin_rate

# -- constraints: a foot on the ground, and its forces --

standing = rbdl.ConstraintSet()
for k, axis in enumerate(np.eye(3)):
    row = standing.AddContactConstraint(foot, np.zeros(3), axis, "ground", 5)
    assert row == k
standing.Bind(model)
rbdl.ForwardDynamicsConstraintsDirect(model, q, qdot, tau, standing, qddot)
close(rbdl.CalcPointAcceleration(model, q, qdot, qddot, foot, np.zeros(3)), np.zeros(3))
close(standing.G.dot(qddot), standing.gamma)
close(standing.H.dot(qddot) + standing.C, tau + standing.G.T.dot(standing.force))
RESULTS["standing"] = qddot.copy()
rbdl.ForwardDynamicsConstraintsDirect(
    model, q=q, qdot=qdot, tau=tau, CS=standing, qddot=qddot, update_kinematics=True,
    f_external=forces,
)  # fmt: skip
group = standing.getGroupIndexByName("ground")
assert standing.getGroupIndexById(5) == standing.getGroupIndexByAssignedId(2) == group
assert standing.getGroupSize(group) == 3
assert standing.getGroupType(groupIndex=group) == 0
ids, X, F = np.zeros(2, dtype=np.uintc), np.zeros((6, 6, 2)), np.zeros((6, 2))
standing.calcForces(group, model, q, qdot, ids, X, F, True, False)
close(F[3:, 0], standing.force)

# -- impacts, and a loop with stabilization --

after, here = np.zeros(11), rbdl.SpatialTransform()
rbdl.ComputeConstraintImpulsesDirect(model, q, qdot, standing, after)
close(rbdl.CalcPointVelocity(model, q, after, foot, np.zeros(3)), np.zeros(3))
RESULTS["after"] = after
loop = rbdl.ConstraintSet()
for axis in np.eye(6)[3:]:
    loop.AddLoopConstraint(
        knee, other, down, here, rbdl.SpatialVector.fromPythonArray(axis),
        baumgarte_enabled=True, T_stab_inv=0.2,
    )  # fmt: skip
loop.Bind(model)
err, errd, pull, rate = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(2)
loop.calcPositionError(0, model, q, err, True)
loop.calcVelocityError(groupIndex=0, model=model, q=q, qdot=qdot, velErrUpd=errd)
loop.getBaumgarteStabilizationCoefficients(0, rate)
loop.calcBaumgarteStabilizationForces(0, model, posErr=err, velErr=errd, baumgarteForcesUpd=pull)
close(pull, -2.0 * rate[0] * errd - rate[1] ** 2 * err)
assert loop.isBaumgarteStabilizationEnabled(0)

# -- constrained inverse dynamics --

standing.SetActuationMap(model, np.array([False] * 3 + [True] * 8))
assert rbdl.isConstrainedSystemFullyActuated(model, q, qdot, standing, f_external=None)
wanted, found, torques = np.zeros(11), np.zeros(11), np.zeros(11)
rbdl.InverseDynamicsConstraints(
    model, q, qdot, wanted, standing, qddot_out=found, tau=torques, update_kinematics=True
)
close(found[3:], 0.0)
rbdl.InverseDynamicsConstraintsRelaxed(
    model, q=q, qdot=qdot, qddot=wanted, CS=standing, qddot_out=found, tau=torques
)
RESULTS["relaxed"] = found

# -- inverse kinematics, in both forms --

arm = rbdl.Model()
for _ in range(3):
    tip = arm.AppendBody(rbdl.Xtrans([0.0, 0.0, 1.0]), pitch, body)
goal, ids = np.array([[1.0, 0.0, 3.0]]), np.array([tip])
reach, reach_set = np.zeros(3), np.zeros(3)
start, end = np.array([0.3, 0.4, 0.5]), np.array([[0.0, 0.0, 1.0]])
assert rbdl.InverseKinematics(arm, start, ids, end, goal, reach, 1e-12, 0.01, 100)
rbdl.InverseKinematics(
    model=arm, qinit=start, body_ids=ids, body_point_position=end, target_pos_position=goal,
    qres=reach, step_tol=1e-12, lambda_=0.01, max_iter=100,
)  # fmt: skip
targets = rbdl.InverseKinematicsConstraintSet()
targets.AddPointConstraint(tip, end[0], goal[0], weight=1.0)
targets.AddPointConstraintCoMXY(tip, np.array([0.4, 0.0, 0.0]), 0.0)
targets.dlambda, targets.max_steps, targets.step_tol = 1e-6, 500, 1e-10
assert rbdl.InverseKinematicsCS(arm, qinit=start, CS=targets, qres=reach_set)
assert targets.constraint_type[0] == rbdl.ConstraintType.ConstraintTypePosition
for answer in (reach, reach_set):
    close(rbdl.CalcBodyToBaseCoordinates(arm, answer, tip, end[0]), goal[0], 1e-7)
RESULTS["reach"] = reach

# -- a joint of the user's own beside RBDL's --

own, native = rbdl.Model(), rbdl.Model()
own.AddBodyCustomJoint(0, down, TurnAboutX(), body)
native.AddBody(0, down, rbdl.Joint.fromJointType("JointTypeRevoluteX"), body)
for machine in (own, native):
    machine.AppendBody(down, pitch, body)
answers = []
for machine in (own, native):
    found, effects, M = np.zeros(2), np.zeros(2), np.zeros((2, 2))
    rbdl.ForwardDynamics(machine, q[6:8], qdot[:2], tau[:2], found)
    rbdl.NonlinearEffects(machine, q[6:8], qdot[:2], effects)
    rbdl.CompositeRigidBodyAlgorithm(machine, q[6:8], M)
    answers.append(np.concatenate([found, effects, M.ravel()]))
    close(M.dot(found) + effects, tau[:2])
close(answers[0], answers[1])
RESULTS["own joint"] = answers[0]

# -- sparse linear algebra --

L, x = H.copy(), tau.copy()
rbdl.SparseFactorizeLTL(model, L)
close(L.T.dot(L), H)
rbdl.SparseSolveLTx(model, L, x)
rbdl.SparseSolveLx(model, L, x)
close(H.dot(x), tau)

# -- files --

with open("arm.lua", "w") as file:
    file.write(
        "return { gravity = {0, 0, -9.81}, frames = {{ name = 'upper', parent = 'ROOT',"
        " joint = {{0, 1, 0, 0, 0, 0}},"
        " body = { mass = 2, com = {0, 0, -0.5}, inertia = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} }}}}"
    )
with open("arm.urdf", "w") as file:
    file.write(
        "<robot name='arm'><link name='base'/><link name='upper'><inertial><mass value='2'/>"
        "<origin xyz='0 0 -0.5'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
        "</inertial></link><joint name='j' type='continuous'><parent link='base'/>"
        "<child link='upper'/><axis xyz='0 1 0'/></joint></robot>"
    )
weights = []
for name in ("arm.lua", "arm.urdf"):
    loaded, torque = rbdl.loadModel(name.encode(), verbose=False, floating_base=False), np.zeros(1)
    loaded.gravity = np.array([0.0, 0.0, -9.81])
    rbdl.InverseDynamics(loaded, np.array([0.3]), np.zeros(1), np.zeros(1), torque)
    weights.append(torque[0])
    os.remove(name)
close(weights[0], weights[1])
RESULTS["torque"] = weights[0]
