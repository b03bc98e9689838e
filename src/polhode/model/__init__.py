"""The immutable model of a robot, its joints, and how it is built and edited.

`records` and `shapes` declare links, `joints` their motion, `sensors` what is measured.  `edits`
makes a model from another; `lowering` numbers the bodies that algorithms see.  May import `errors`,
`reprs`, `notebooks`, `once`, `arguments`, `scalar` and `spatial`.
"""

from .declared import Constraint, ContactConstraint, LoopConstraint
from .joints import (
    Axes,
    Custom,
    Euler,
    Fixed,
    FloatingBase,
    Helical,
    JointKind,
    JointMotion,
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
from .views import Body, Joint, ModelLimits

__all__ = [
    "Axes",
    "Body",
    "Box",
    "Capsule",
    "Cone",
    "Constraint",
    "ContactConstraint",
    "Custom",
    "Cylinder",
    "Euler",
    "Fixed",
    "FloatingBase",
    "Heightmap",
    "Helical",
    "Joint",
    "JointDynamics",
    "JointKind",
    "JointMotion",
    "Limits",
    "Link",
    "LoopConstraint",
    "Mesh",
    "Mimic",
    "ModelLimits",
    "PerBody",
    "Planar",
    "Plane",
    "Polyhedron",
    "Prismatic",
    "Revolute",
    "RigidBody",
    "Screw",
    "Sensor",
    "SensorKind",
    "Shape",
    "Sphere",
    "Spherical",
    "Torus",
    "TranslationXYZ",
    "TriangleMesh",
    "Universal",
    "Visual",
    "axis_joint",
]
