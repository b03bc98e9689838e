"""RBDL's names on polhode's algorithms: change the import, keep the program.

Functions take their arguments in RBDL's order, fill the arrays they are given as RBDL's Python
wrapper does, and also return their results.  ``model.core`` is the same robot as a `polhode.Model`.
Where the numbers differ from RBDL's: ``docs/coming-from-rbdl.md``.  May import `errors`,
`docstrings`, `arguments`, `scalar`, `spatial`, `model`, `constraint_sets`, `algorithms`, `binding`,
`api` and `formats`.
"""

from .body import Body, FixedBody
from .constrained import (
    CalcAssemblyQ,
    CalcAssemblyQDot,
    CalcConstrainedSystemVariables,
    CalcConstraintsJacobian,
    CalcConstraintsPositionError,
    CalcConstraintsVelocityError,
    ComputeConstraintImpulsesDirect,
    ComputeConstraintImpulsesNullSpace,
    ComputeConstraintImpulsesRangeSpaceSparse,
    ForwardDynamicsConstraintsDirect,
    ForwardDynamicsConstraintsNullSpace,
    ForwardDynamicsConstraintsRangeSpaceSparse,
    ForwardDynamicsContactsKokkevis,
    InverseDynamicsConstraints,
    InverseDynamicsConstraintsRelaxed,
    SolveConstrainedSystemDirect,
    SolveConstrainedSystemNullSpace,
    SolveConstrainedSystemRangeSpaceSparse,
    isConstrainedSystemFullyActuated,
)
from .constraint_rows import ConstraintType, CustomConstraint, GroupType
from .constraints import ConstraintSet
from .custom import CustomJoint
from .dynamics import (
    CalcMInvTimesTau,
    CompositeRigidBodyAlgorithm,
    ForwardDynamics,
    ForwardDynamicsLagrangian,
    InverseDynamics,
    LinearSolver,
    NonlinearEffects,
)
from .errors import (
    RBDLDofMismatchError,
    RBDLError,
    RBDLFileParseError,
    RBDLInvalidFileError,
    RBDLInvalidParameterError,
    RBDLMissingImplementationError,
    RBDLSizeMismatchError,
    RBDLWarning,
)
from .files import (
    LuaModelReadFromFile,
    LuaModelReadFromFileWithConstraints,
    PartialURDFReadFromFile,
    URDFReadFromFile,
    loadModel,
)
from .inverse_kinematics import (
    InverseKinematics,
    InverseKinematicsConstraintSet,
    InverseKinematicsCS,
)
from .joint import Joint, JointType
from .kinematics import (
    CalcAngularVelocityfromMatrix,
    CalcBaseToBodyCoordinates,
    CalcBodySpatialJacobian,
    CalcBodyToBaseCoordinates,
    CalcBodyWorldOrientation,
    CalcPointAcceleration,
    CalcPointAcceleration6D,
    CalcPointJacobian,
    CalcPointJacobian6D,
    CalcPointVelocity,
    CalcPointVelocity6D,
    UpdateKinematics,
    UpdateKinematicsCustom,
)
from .linear import (
    LinSolveGaussElimPivot,
    SparseFactorizeLTL,
    SparseMultiplyHx,
    SparseMultiplyLTx,
    SparseMultiplyLx,
    SparseSolveLTx,
    SparseSolveLx,
    VectorCrossMatrix,
    rotx,
    rotxdot,
    roty,
    rotydot,
    rotz,
    rotzdot,
)
from .lua_tables import (
    LocalFrame,
    LuaModelGetConstraintSetNames,
    LuaModelGetConstraintSetPhases,
    LuaModelReadLocalFrames,
    LuaModelReadMotionCaptureMarkers,
    LuaModelReadPoints,
    Point,
)
from .model import Model
from .quaternion import Quaternion
from .spatial import (
    SpatialRigidBodyInertia,
    SpatialTransform,
    Xrot,
    Xrotx,
    Xrotx_mat,
    Xroty,
    Xroty_mat,
    Xrotz,
    Xrotz_mat,
    Xtrans,
    Xtrans_mat,
    XtransRotZYXEuler,
    angular_acceleration_from_angle_rates,
    angular_velocity_from_angle_rates,
    crossf,
    crossm,
    global_angular_velocity_from_rates,
    parallel_axis,
)
from .utilities import (
    CalcCenterOfMass,
    CalcKineticEnergy,
    CalcPotentialEnergy,
    CalcZeroMomentPoint,
    CenterOfMass,
    GetModelDOFOverview,
    GetModelHierarchy,
    GetNamedBodyOriginsOverview,
)
from .vectors import (
    Matrix3d,
    Matrix3dIdentity,
    Matrix63,
    MatrixNd,
    SpatialMatrix,
    SpatialVector,
    SpatialVectorZero,
    Vector2d,
    Vector3d,
    Vector3dZero,
    Vector4d,
    VectorNd,
)

JointTypeUndefined = JointType.JointTypeUndefined
JointTypeRevolute = JointType.JointTypeRevolute
JointTypePrismatic = JointType.JointTypePrismatic
JointTypeRevoluteX = JointType.JointTypeRevoluteX
JointTypeRevoluteY = JointType.JointTypeRevoluteY
JointTypeRevoluteZ = JointType.JointTypeRevoluteZ
JointTypeSpherical = JointType.JointTypeSpherical
JointTypeEulerZYX = JointType.JointTypeEulerZYX
JointTypeEulerXYZ = JointType.JointTypeEulerXYZ
JointTypeEulerYXZ = JointType.JointTypeEulerYXZ
JointTypeEulerZXY = JointType.JointTypeEulerZXY
JointTypeTranslationXYZ = JointType.JointTypeTranslationXYZ
JointTypeFloatingBase = JointType.JointTypeFloatingBase
JointTypeFixed = JointType.JointTypeFixed
JointTypeHelical = JointType.JointTypeHelical
JointType1DoF = JointType.JointType1DoF
JointType2DoF = JointType.JointType2DoF
JointType3DoF = JointType.JointType3DoF
JointType4DoF = JointType.JointType4DoF
JointType5DoF = JointType.JointType5DoF
JointType6DoF = JointType.JointType6DoF
JointTypeCustom = JointType.JointTypeCustom

__all__ = [
    "Body", "CalcAngularVelocityfromMatrix", "CalcAssemblyQ", "CalcAssemblyQDot",
    "CalcBaseToBodyCoordinates", "CalcBodySpatialJacobian", "CalcBodyToBaseCoordinates",
    "CalcBodyWorldOrientation", "CalcCenterOfMass", "CalcConstrainedSystemVariables",
    "CalcConstraintsJacobian", "CalcConstraintsPositionError", "CalcConstraintsVelocityError",
    "CalcKineticEnergy", "CalcMInvTimesTau", "CalcPointAcceleration", "CalcPointAcceleration6D",
    "CalcPointJacobian", "CalcPointJacobian6D", "CalcPointVelocity", "CalcPointVelocity6D",
    "CalcPotentialEnergy", "CalcZeroMomentPoint", "CenterOfMass", "CompositeRigidBodyAlgorithm",
    "ComputeConstraintImpulsesDirect", "ComputeConstraintImpulsesNullSpace",
    "ComputeConstraintImpulsesRangeSpaceSparse", "ConstraintSet", "ConstraintType",
    "CustomConstraint", "CustomJoint", "FixedBody", "ForwardDynamics",
    "ForwardDynamicsConstraintsDirect", "ForwardDynamicsConstraintsNullSpace",
    "ForwardDynamicsConstraintsRangeSpaceSparse", "ForwardDynamicsContactsKokkevis",
    "ForwardDynamicsLagrangian", "GetModelDOFOverview", "GetModelHierarchy",
    "GetNamedBodyOriginsOverview", "GroupType", "InverseDynamics", "InverseDynamicsConstraints",
    "InverseDynamicsConstraintsRelaxed", "InverseKinematics", "InverseKinematicsCS",
    "InverseKinematicsConstraintSet", "Joint", "JointType", "JointType1DoF", "JointType2DoF",
    "JointType3DoF", "JointType4DoF", "JointType5DoF", "JointType6DoF", "JointTypeCustom",
    "JointTypeEulerXYZ", "JointTypeEulerYXZ", "JointTypeEulerZXY", "JointTypeEulerZYX",
    "JointTypeFixed", "JointTypeFloatingBase", "JointTypeHelical", "JointTypePrismatic",
    "JointTypeRevolute", "JointTypeRevoluteX", "JointTypeRevoluteY", "JointTypeRevoluteZ",
    "JointTypeSpherical", "JointTypeTranslationXYZ", "JointTypeUndefined",
    "LinSolveGaussElimPivot", "LinearSolver", "LocalFrame", "LuaModelGetConstraintSetNames",
    "LuaModelGetConstraintSetPhases", "LuaModelReadFromFile",
    "LuaModelReadFromFileWithConstraints", "LuaModelReadLocalFrames",
    "LuaModelReadMotionCaptureMarkers", "LuaModelReadPoints", "Matrix3d", "Matrix3dIdentity",
    "Matrix63", "MatrixNd", "Model", "NonlinearEffects", "PartialURDFReadFromFile", "Point",
    "Quaternion", "RBDLDofMismatchError", "RBDLError", "RBDLFileParseError",
    "RBDLInvalidFileError", "RBDLInvalidParameterError", "RBDLMissingImplementationError",
    "RBDLSizeMismatchError", "RBDLWarning", "SolveConstrainedSystemDirect",
    "SolveConstrainedSystemNullSpace", "SolveConstrainedSystemRangeSpaceSparse",
    "SparseFactorizeLTL", "SparseMultiplyHx", "SparseMultiplyLTx", "SparseMultiplyLx",
    "SparseSolveLTx", "SparseSolveLx", "SpatialMatrix", "SpatialRigidBodyInertia",
    "SpatialTransform", "SpatialVector", "SpatialVectorZero", "URDFReadFromFile",
    "UpdateKinematics", "UpdateKinematicsCustom", "Vector2d", "Vector3d", "Vector3dZero",
    "Vector4d", "VectorCrossMatrix", "VectorNd", "Xrot", "Xrotx", "Xrotx_mat", "Xroty",
    "Xroty_mat", "Xrotz", "Xrotz_mat", "Xtrans", "XtransRotZYXEuler", "Xtrans_mat",
    "angular_acceleration_from_angle_rates", "angular_velocity_from_angle_rates", "crossf",
    "crossm", "global_angular_velocity_from_rates", "isConstrainedSystemFullyActuated",
    "loadModel", "parallel_axis", "rotx", "rotxdot", "roty", "rotydot", "rotz", "rotzdot",
]  # fmt: skip
