"""Declarations of a model: links with a body, a joint, limits and visuals."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, NamedTuple

from ..errors import ModelError, shown
from ..reprs import short, short_repr
from ..spatial import Inertia, Mat3, Sym3, Transform, Vec3
from .checks import Entries, entries, flag, number, numbers, of_kind, one_or_more, transform
from .fluids import FluidShape, fluid_shapes
from .joints import Fixed, JointKind
from .shapes import Shape, Triple

Matrix = tuple[Triple, Triple, Triple]
ZERO: Matrix = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@dataclass(frozen=True)
class RigidBody:
    """Mass [kg], centre of mass [m] and inertia about it [kg m^2], in body coordinates.

    The inertia is kept as given, also when it is not symmetric; dynamics reads its
    lower triangle.
    """

    mass: float = 0.0
    com: Triple = (0.0, 0.0, 0.0)
    inertia: Matrix = ZERO

    __repr__ = short_repr

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", number(self.mass, "mass"))
        object.__setattr__(self, "com", numbers(self.com, 3, "com"))
        object.__setattr__(self, "inertia", _matrix(self.inertia))

    @property
    def is_massless(self) -> bool:
        """Whether there is neither mass nor inertia."""
        return self.mass == 0.0 and not any(any(row) for row in self.inertia)

    def spatial(self) -> Inertia:
        """The spatial inertia about the body's origin."""
        return Inertia.about_com(self.mass, Vec3.of(self.com), Sym3.lower(Mat3.of(self.inertia)))

    def joined(self, other: RigidBody, X: Transform) -> RigidBody:
        """This body with ``other`` fixed to it, ``X`` from this to the other's frame."""
        if other.is_massless:
            return self
        mass = self.mass + other.mass
        other_com = X.point(Vec3.of(other.com))
        if mass == 0.0:
            com = Vec3.of(self.com)
        else:
            com = (Vec3.of(self.com) * self.mass + other_com * other.mass) * (1.0 / mass)
        turned = X.E.T @ (Mat3.of(other.inertia) @ X.E)
        inertia = (
            Mat3.of(self.inertia)
            + turned
            + _steiner(self.mass, Vec3.of(self.com) - com)
            + _steiner(other.mass, other_com - com)
        )
        return RigidBody(mass, tuple(com), inertia.rows())  # type: ignore[arg-type]


def _steiner(mass: float, r: Vec3) -> Mat3:
    """Inertia about the origin of a point mass at ``r``."""
    return (Mat3.identity() * r.dot(r) - r.outer(r)) * mass


@dataclass(frozen=True)
class Visual:
    """A shape to draw; ``frame`` maps link coordinates to the shape's."""

    shape: Shape
    frame: Transform = field(default_factory=Transform.identity)
    color: tuple[float, float, float, float] | None = None
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "frame", transform(self.frame, f"frame of visual '{self.name}'"))


@dataclass(frozen=True)
class Limits:
    """Limits of a one-axis joint: position [rad or m], speed, and effort [N m or N].

    Speed and effort are bounds of magnitudes, so neither is negative; infinite is no limit.
    ``lower_effort`` is the lowest joint force, where that is not ``-effort``; it is not positive.
    """

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf
    lower_effort: float | None = None

    def __post_init__(self) -> None:
        for key in ("lower", "upper", "velocity", "effort"):
            least = 0.0 if key in ("velocity", "effort") else -math.inf
            value = number(getattr(self, key), key, least=least, finite=False)
            object.__setattr__(self, key, value)
        if self.lower_effort is not None:
            lowest = number(self.lower_effort, "lower_effort", finite=False)
            if lowest > 0.0:
                raise ModelError(f"expected lower_effort of at most 0, got {lowest:g}")
            object.__setattr__(self, "lower_effort", None if lowest == -self.effort else lowest)

    @property
    def efforts(self) -> tuple[float, float]:
        """The lowest and the highest joint force [N m or N]."""
        return (-self.effort if self.lower_effort is None else self.lower_effort), self.effort


class JointEntries(NamedTuple):
    """What `JointDynamics` says, with one number for each velocity entry of the joint."""

    damping: tuple[float, ...]
    friction: tuple[float, ...]
    armature: tuple[float, ...]
    stiffness: tuple[float, ...]
    rest: tuple[float, ...]


@dataclass(frozen=True)
class JointDynamics:
    """Inertia and passive forces of a joint itself, for each entry of its velocity.

    Each attribute is one number that stands for all entries, or a tuple of one for each.
    Joint-space inertia has the armature; simulations apply the forces, dynamics functions do not.

    Attributes
    ----------
    damping : float or tuple of float
        Force for each unit of speed [N m s/rad or N s/m].
    friction : float or tuple of float
        Largest dry friction [N m or N].
    armature : float or tuple of float
        Inertia of what turns with the joint, such as the rotor of a motor, times the square of its
        gear ratio [kg m^2 or kg].
    stiffness : float or tuple of float
        Of a spring in the joint [N m/rad or N/m].
    rest : float or tuple of float
        Where the spring has no force: the step to there from the neutral position.  That is the
        position itself for joints of one axis, a rotation vector for a spherical one [rad or m].
    """

    damping: Entries = 0.0
    friction: Entries = 0.0
    armature: Entries = 0.0
    stiffness: Entries = 0.0
    rest: Entries = 0.0

    def __post_init__(self) -> None:
        for key, value in vars(self).items():
            least = -math.inf if key == "rest" else 0.0
            object.__setattr__(self, key, one_or_more(value, key, least=least))

    def for_each(self, nv: int) -> JointEntries:
        """The same for a joint of ``nv`` velocity entries.

        Raises
        ------
        ModelError
            If an attribute has another number of entries.
        """
        rows = []
        for key, value in vars(self).items():
            row = (value,) * nv if isinstance(value, float) else value
            if len(row) != nv:
                raise ModelError(f"expected {nv} numbers as {key}, got {len(row)}")
            rows.append(row)
        return JointEntries(*rows)


@dataclass(frozen=True)
class Mimic:
    """A joint declared to follow another: ``q = multiplier q_joint + offset``.

    It has a coordinate of its own, and the relation is but kept, unless it is ``coupled``.
    """

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0
    coupled: bool = False

    def __post_init__(self) -> None:
        of_kind(self.joint, str, "joint")
        for key in ("multiplier", "offset"):
            object.__setattr__(self, key, number(getattr(self, key), key))
        object.__setattr__(
            self, "coupled", flag(self.coupled, "coupled", f"mimic of '{self.joint}'")
        )


@dataclass(frozen=True)
class Link:
    """A body and the joint that carries it.

    ``parent`` is another link's name, or None for the base; ``frame`` maps the parent
    link's coordinates to those of the joint at its neutral position.  ``gravity_compensation`` is
    the part of its weight that `passive_forces` carry.  ``fluid_shapes`` are what a fluid resists.
    With ``actuated_compensation`` the joint's part of that is one of `actuator_forces`, within its
    effort.  A model without actuators has no such part.
    """

    name: str
    parent: str | None = None
    joint: JointKind = field(default_factory=Fixed)
    frame: Transform = field(default_factory=Transform.identity)
    body: RigidBody = field(default_factory=RigidBody)
    joint_name: str = ""
    limits: Limits | None = None
    visuals: tuple[Visual, ...] = ()
    mimic: Mimic | None = None
    dynamics: JointDynamics | None = None
    gravity_compensation: float = 0.0
    fluid_shapes: tuple[FluidShape, ...] = ()
    actuated_compensation: bool = False

    def __post_init__(self) -> None:
        shapes = fluid_shapes(self.fluid_shapes, f"link '{self.name}'")
        object.__setattr__(self, "fluid_shapes", shapes)
        compensation = number(self.gravity_compensation, "gravity_compensation")
        object.__setattr__(self, "gravity_compensation", compensation)
        actuated = flag(self.actuated_compensation, "actuated_compensation", f"link '{self.name}'")
        object.__setattr__(self, "actuated_compensation", actuated)
        for key in ("name", "joint_name"):
            if not isinstance(getattr(self, key), str):
                raise ModelError(f"expected a text as {key}, got {shown(getattr(self, key))}")
        if not self.joint_name:
            object.__setattr__(self, "joint_name", self.name)
        frame = transform(self.frame, "frame", f"link '{self.name}'")
        object.__setattr__(self, "frame", frame)

    def __repr__(self) -> str:
        parent, joint, mass = self.parent, self.joint, short(self.body.mass)
        return f"Link({self.name!r}, parent={parent!r}, joint={joint!r}, mass={mass})"


def _matrix(rows: Any) -> Matrix:
    """A 3x3 matrix from its rows, or from its diagonal."""
    found = entries(rows, "three rows of an inertia, or its diagonal")
    if len(found) == 3 and all(isinstance(x, Real) for x in found):
        a, b, c = found
        found = ((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c))
    if len(found) != 3:
        raise ModelError(f"expected three rows of an inertia, or its diagonal, got {len(found)}")
    return tuple(numbers(row, 3, "inertia") for row in found)  # type: ignore[return-value]
