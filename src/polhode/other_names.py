"""Names of other libraries, and near ones of our own, with what they are called here."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

FUNCTIONS = {
    "Camera": "MjvCamera",
    "Model": "ModelBuilder ModelTpl RobotModel RigidBodyTree",
    "Model.add": "addJoint addBody AddRigidBody AddJoint add_link",
    "Model.attach": "appendModel",
    "Model.body": "getFrameId getBodyId getJointId GetBodyByName GetFrameByName mj_name2id",
    "Model.fuse": "WeldFrames",
    "Model.lock": "buildReducedModel",
    "Recording": "Trajectory LogSink VectorLogSink",
    "Scene": "MjModel MjSpec World MultibodyPlant DiagramBuilder SceneGraph",
    "Scene.add_gear": "AddCouplerConstraint",
    "Scene.add_loop": "connect weld AddBallConstraint AddWeldConstraint",
    "Scene.contact": "RegisterCollisionGeometry",
    "TimeSteppingSimulator": "MjData mj_step mj_step1 mj_step2 step AdvanceTo",
    "adapters": "casadi cppad",
    "bias_forces": "nonLinearEffects nle coriolis_forces nonlinear_effects qfrc_bias CalcBiasTerm",
    "body_jacobian": "computeJointJacobian computeJointJacobians getJointJacobian",
    "body_pose": "updateFramePlacement updateFramePlacements oMf CalcRelativeTransform xpos xmat "
    "EvalBodyPoseInWorld frame_pose link_pose fk_frame get_frame_pose pose end_effector_pose "
    "tool_pose",
    "body_poses": "forward_kinematics forwardKinematics fk fkine framesForwardKinematics oMi "
    "mj_kinematics update_kinematics mj_fwdPosition",
    "center_of_mass": "centerOfMass com subtree_com CalcCenterOfMassPositionInWorld",
    "compile": "jit ToAutoDiffXd ToSymbolic export export_c to_c codegen generate_c",
    "compile_step": "mjd_transitionFD step_function linearize_step",
    "constrained_dynamics": "constraintDynamics forwardDynamics initConstraintDynamics",
    "constraint_impulses": "impulseDynamics",
    "constraints.ConstraintSet": "RigidConstraintModel RigidContactModel joint_equality",
    "contact.contacts": "computeCollisions CollisionPair ComputePointPairPenetration",
    "contact.distance": "mj_geomDistance hppfcl coal computeDistances "
    "ComputeSignedDistancePairwiseClosestPoints",
    "coriolis_matrix": "computeCoriolisMatrix getCoriolisMatrix coriolis",
    "derivatives.body_jacobian_derivative": "computeJointJacobiansTimeVariation",
    "derivatives.frame_jacobian_derivative": "getJointJacobianTimeVariation "
    "getFrameJacobianTimeVariation jacobian_derivative jacobian_dot mj_jacDot "
    "CalcBiasSpatialAcceleration CalcBiasTranslationalAcceleration",
    "derivatives.inverse_dynamics_second_derivatives": "ComputeRNEASecondOrderDerivatives",
    "difference": "mj_differentiatePos MapQDotToVelocity",
    "energy": "computeKineticEnergy computePotentialEnergy kinetic_energy potential_energy "
    "computeMechanicalEnergy mj_energyPos mj_energyVel CalcKineticEnergy CalcPotentialEnergy",
    "floating_base.total_inertia": "composite_inertia CalcSpatialInertia",
    "forward_dynamics": "aba abaInParallel mj_forward fd qacc forward_dynamics_aba accelerations",
    "forward_dynamics_derivatives": "computeABADerivatives FirstOrderTaylor"
    "Approximation Linearize linearize",
    "frame_jacobian": "getFrameJacobian computeFrameJacobian jacobian mj_jacBody mj_jacSite "
    "CalcJacobianSpatialVelocity CalcJacobianAngularVelocity geometric_jacobian",
    "get_quaternion": "quaternion qpos_quat",
    "gravity_forces": "computeGeneralizedGravity gravity gravity_vector gravity_compensation "
    "CalcGravityGeneralizedForces",
    "identification.inverse_dynamics_regressor": "computeJointTorqueRegressor regressor",
    "integrate": "mj_integratePos MapVelocityToQDot",
    "inverse_dynamics": "rnea id mj_inverse mj_rne CalcInverseDynamics newton_euler rneaInParallel",
    "inverse_dynamics_derivatives": "computeRNEADerivatives mjd_inverseFD",
    "inverse_kinematics": "ik ikine InverseKinematics",
    "inverse_mass_matrix": "computeMinverse mass_matrix_inverse",
    "kinematics.center_of_mass_jacobian": "jacobianCenterOfMass mj_jacSubtreeCom com_jacobian "
    "CalcJacobianCenterOfMassTranslationalVelocity",
    "kinematics.center_of_mass_velocity": "com_velocity vcom "
    "CalcCenterOfMassTranslationalVelocityInWorld",
    "kinematics.centroidal_momentum_matrix": "ccrba computeCentroidalMap cmm",
    "load": "buildModelFromUrdf buildModelFromXML RobotWrapper loadURDF load_urdf from_urdf read "
    "from_xml_path from_xml_string load_model AddModels AddModelsFromUrl Parser",
    "mass_matrix": "crba mj_fullM mj_crb M inertia_matrix CalcMassMatrix inertia "
    "CalcMassMatrixViaInverseDynamics",
    "momentum": "computeCentroidalMomentum CalcSpatialMomentumInWorldAboutPoint angular_momentum",
    "neutral": "zero_configuration GetDefaultPositions home_configuration",
    "point_acceleration": "getFrameClassicalAcceleration getFrameAcceleration "
    "EvalBodySpatialAccelerationInWorld",
    "point_jacobian": "mj_jac CalcJacobianTranslationalVelocity CalcJacobianPositionVector",
    "point_position": "CalcPointsPositions point_pose transform_point",
    "point_velocity": "getFrameVelocity EvalBodySpatialVelocityInWorld mj_objectVelocity",
    "random_configuration": "randomConfiguration random_q SetRandomPositions",
    "render": "Renderer RenderEngine update_scene",
    "rollout": "mujoco.rollout",
    "set_quaternion": "SetQuaternion",
    "Recording.contact_forces": "ground_reaction_force ground_reaction_forces",
    "show": "live view MeshcatVisualizer Meshcat GepettoVisualizer RerunVisualizer launch "
    "launch_passive visualize display plot animate",
    "simulate": "run mj_simulate sim solve_ivp integrate_motion",
    "solve_mass_matrix": "cholesky.decompose cholesky.solve mj_solveM decompose solve",
    "sweep": "grid_search monte_carlo",
}
"""Paths in `polhode`, and what else the thing is called."""

MODEL = {
    "n_bodies": "nbodies nbody num_bodies n_links num_links",
    "nq": "num_positions q_size",
    "nv": "dof ndof n_dof dofs num_velocities qdot_size dof_count n_dofs",
    "mass": "total_mass CalcTotalMass",
    "parent": "parents lambda_ body_parentid",
    "body": "body_id link get_body",
    "joint": "joint_id get_joint",
    "limits": "joint_limits jnt_range",
    "model.limits.lower": "lower lower_limits lowerPositionLimit GetPositionLowerLimits",
    "model.limits.upper": "upper upper_limits upperPositionLimit GetPositionUpperLimits",
    "model.limits.velocity": "velocityLimit velocity_limits GetVelocityUpperLimits",
    "model.limits.effort": "effortLimit effort_limits torque_limits GetEffortUpperLimits",
    "model.limits.lower_effort": "GetEffortLowerLimits lower_effort_limits",
    "[joint.name for joint in model.joints]": "joint_names names jnt_names GetJointNames",
    "[link.name for link in model.links]": "body_names link_names GetBodyNames frames",
    "len(model.joints)": "n_joints njoints num_joints njnt",
    "[body.mass for body in model.bodies]": "masses body_mass",
    "polhode.neutral(model)": "q0 qpos0 neutral_configuration home",
}
"""Attributes of a `Model`, or expressions, and what else they are called."""

RECORDING = {
    "times": "t time ts timestamps sample_times",
    "q": "qpos position positions joint_positions",
    "qd": "v dq qvel qdot velocity velocities joint_velocities",
    "tau": "torque torques u effort efforts actuation",
    "poses": "xpos body_poses transforms",
    "kinetic": "kinetic_energy T",
    "potential": "potential_energy V",
    "contact_forces": "forces contact_wrenches ground_reaction_force ground_reaction_forces grf",
    "integrator": "method scheme",
    "contact": "solver",
    "to_html": "export_html",
    "run.kinetic + run.potential": "energy energies total_energy",
}
"""Attributes of a `Recording`, or expressions, and what else they are called."""

STATE = {
    "q": "qpos position positions joint_positions",
    "qd": "v dq qvel qdot velocity velocities joint_velocities",
    "t": "time",
    "polhode.body_poses(state.model, state.q)": "xpos pose poses body_poses",
}
"""What a controller sees of a `State`, or expressions, and what else they are called."""

SCENE = {
    "machines": "models robots bodies links",
    "geometries": "geoms shapes collisions colliders",
    "add_fixed": "add_ground add_floor add_plane add_ground_plane",
    "add_machine": "add_robot add_model add_articulation add",
    "add_body": "add_rigid_body add_box add_sphere",
    "add_loop": "add_constraint add_equality add_weld",
    "contact": "add_contact set_contact friction",
    "with_settings": "set_settings options opt",
    "polhode.load(path)": "load_urdf",
    "polhode.TimeSteppingSimulator(scene)": "step reset",
    "polhode.simulate": "simulate run",
}
"""Attributes of a `Scene`, or expressions, and what else they are called."""

SIMULATOR = {
    "state": "q qd qpos qvel positions velocities get_state",
    "set_state": "set_q reset set_positions",
    "step": "mj_step step_simulation",
    "current_time": "t time",
}
"""Attributes of a `Simulator`, and what else they are called."""

TARGETS = {
    "point": "position translation body_point add_point",
    "orientation": "rotation quaternion add_orientation",
    "pose": "transform frame placement se3",
    "com_xy": "com center_of_mass",
}
"""Methods of `Targets`, and what else they are called."""

BODY = {
    "polhode.body_pose(model, q, body)": "pose position xpos xmat transform translation rotation",
    "frame": "placement",
    "id": "index number",
    "com": "lever center_of_mass",
    "visuals": "shapes geometries geoms",
}
"""Attributes of a `Body`, or expressions, and what else they are called."""

JOINT = {
    "q": "idx_q qposadr qpos",
    "v": "idx_v dofadr qvel qd",
    "kind": "type axis",
    "limits": "range lower upper",
}
"""Attributes of a `Joint`, or expressions, and what else they are called."""

PROGRAM = {
    'pathlib.Path(path).write_text(program.source("c"))': "save write export save_c to_c "
    "to_file dump write_c",
    "source": "c_code generate_c c_source",
}
"""Attributes of a `Program`, or expressions, and what else they are called."""

IDENTIFICATION = {
    "noise": "residual residuals error errors rms rmse",
    "parameters": "x solution inertial_parameters",
    "deviations": "std sigma uncertainty covariance",
}
"""Attributes of an `Identification`, and what else they are called."""

OPTIONS = {
    "com": "center_of_mass center cog",
    "controller": "control policy tau torque torques",
    "damping": "viscous_friction",
    "dt": "timestep time_step h step_size",
    "duration": "time t_end T t_final tf",
    "f_ext": "fext external_forces",
    "floating_base": "free_flyer floating free_base",
    "frame": "transform placement X origin pose position pos xyz translation rpy quaternion",
    "joint": "axis joint_type",
    "limits": "range joint_limits",
    "mu_coulomb": "friction mu friction_coefficient coulomb_friction",
    "package_roots": "package_dirs mesh_dir",
    "position": "pos xyz translation",
    "q0": "qpos q_init initial_positions",
    "qd0": "qvel v0 dq0 initial_velocities",
    "quaternion": "quat rotation orientation",
    "spin": "angular_velocity omega",
    "velocity": "linear_velocity vel",
}
"""Options, and what else they are called."""

ATTRIBUTES = {
    "Body": BODY,
    "Identification": IDENTIFICATION,
    "Joint": JOINT,
    "Model": MODEL,
    "Program": PROGRAM,
    "Recording": RECORDING,
    "State": STATE,
    "Scene": SCENE,
    "Simulator": SIMULATOR,
    "Targets": TARGETS,
}
"""For each class, its attributes and what else they are called."""


def meaning(name: str, table: Mapping[str, str]) -> str:
    """What a table has another name for, or an empty text."""
    return next((here for here, names in table.items() if name in names.split()), "")


def meaning_for(kind: str, name: str) -> str:
    """What an attribute that objects of a class lack is called.

    Parameters
    ----------
    kind : str
        The name of the class, a key of `ATTRIBUTES`.
    name : str

    Returns
    -------
    here : str
        Another attribute, an expression, or an empty text.
    """
    found = meaning(name, ATTRIBUTES[kind])
    if found or kind != "Model":
        return found
    function = meaning(name, FUNCTIONS)
    if function.startswith("Model."):
        return function.removeprefix("Model.")
    import polhode

    function = function or (name if name in dir(polhode) else "")
    takes_models = function[:1].islower() and callable(attrgetter(function)(polhode))
    return f"polhode.{function}(model, ...)" if takes_models else ""
