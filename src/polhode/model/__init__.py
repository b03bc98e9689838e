"""The immutable model of a robot, its joints, and how it is built and edited.

`records` and `shapes` declare links, `joints` their motion.  `tendons`, `transmissions` and
`actuators` (with `muscles` and `dc_motor`) declare what drives them, `sensors` what is measured,
`fluids` what resists them.
`edits` makes a model from another; `lowering` numbers the bodies that algorithms see.  May import
`errors`, `reprs`, `notebooks`, `once`, `arguments`, `scalar` and `spatial`.
"""

from .actuators import Actuator, Affine, Filter, ForceLaw, IntegralActivation
from .dc_motor import DCMotor, LuGre
from .declared import Constraint, ContactConstraint, LoopConstraint
from .fluids import Fluid, FluidBox, FluidEllipsoid
from .joints import (
    Axes,
    Custom,
    Euler,
    Fixed,
    FloatingBase,
    FunctionAxis,
    FunctionBased,
    Helical,
    JointKind,
    JointMotion,
    PiecewisePolynomial,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    TranslationXYZ,
    Universal,
    axis_joint,
)
from .layout import PerBody
from .model import Model as Model
from .muscles import MuscleActivation, MuscleCurves
from .records import JointDynamics, Limits, Link, Mimic, RigidBody, Visual
from .sensors import Sensor, SensorKind
from .shapes import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Heightmap,
    Mesh,
    Plane,
    Polyhedron,
    Shape,
    Sphere,
    Torus,
    TriangleMesh,
)
from .tendons import Anchor, Pulley, Tendon, Wrapping
from .transmissions import (
    AdhesionTransmission,
    JointTransmission,
    SiteFrame,
    SiteTransmission,
    SliderCrankTransmission,
    TendonTransmission,
)
from .views import Body, Joint, ModelLimits

__all__ = [
    "Actuator",
    "AdhesionTransmission",
    "Affine",
    "Anchor",
    "Axes",
    "Body",
    "Box",
    "Capsule",
    "Cone",
    "Constraint",
    "ContactConstraint",
    "Custom",
    "Cylinder",
    "DCMotor",
    "Euler",
    "Filter",
    "Fixed",
    "FloatingBase",
    "Fluid",
    "FluidBox",
    "FluidEllipsoid",
    "ForceLaw",
    "FunctionAxis",
    "FunctionBased",
    "Heightmap",
    "Helical",
    "IntegralActivation",
    "Joint",
    "JointDynamics",
    "JointKind",
    "JointMotion",
    "JointTransmission",
    "Limits",
    "Link",
    "LoopConstraint",
    "LuGre",
    "Mesh",
    "Mimic",
    "ModelLimits",
    "MuscleActivation",
    "MuscleCurves",
    "PerBody",
    "PiecewisePolynomial",
    "Planar",
    "Plane",
    "Polyhedron",
    "Prismatic",
    "Pulley",
    "Revolute",
    "RigidBody",
    "Screw",
    "Sensor",
    "SensorKind",
    "Shape",
    "SiteFrame",
    "SiteTransmission",
    "SliderCrankTransmission",
    "Sphere",
    "Spherical",
    "Tendon",
    "TendonTransmission",
    "Torus",
    "TranslationXYZ",
    "TriangleMesh",
    "Universal",
    "Visual",
    "Wrapping",
    "axis_joint",
]
