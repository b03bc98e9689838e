"""Sensors: what is measured, where, and how well."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from ..errors import ModelError, shown, suggestion, suggests_fields
from ..reprs import short_repr
from ..spatial import Transform
from .checks import name, number, numbers, transform
from .shapes import Shape, Triple

Part = tuple[str, str] | str
"""A model of a scene and its body or joint; or the name of an actuator or a tendon."""


class SensorKind(StrEnum):
    """What a sensor measures.

    At a frame of a body, in the frame's own axes:

    - ``accelerometer``: acceleration of its origin without that of free fall [m/s^2].
    - ``gyro``: angular velocity [rad/s].
    - ``velocimeter``: velocity of its origin [m/s].
    - ``magnetometer``: the magnetic field.
    - ``force``, ``torque``: what the parent exerts on the body, about the frame's origin [N, N m],
      with the sign of MuJoCo.
    - ``touch``: sum of the normal forces of contacts in a zone [N].
    - ``rangefinder``: distance along its z axis to the nearest shape [m]; -1 where there is none.

    Of a frame of a body, against a reference frame or the world:

    - ``frame_position`` [m], ``frame_quaternion`` (w, x, y, z, ``w >= 0``).
    - ``frame_x_axis``, ``frame_y_axis``, ``frame_z_axis``: directions of its axes.
    - ``frame_linear_velocity``, ``frame_angular_velocity`` [m/s, rad/s].
    - ``frame_linear_acceleration``, ``frame_angular_acceleration``, in world axes, linear without
      that of free fall [m/s^2, rad/s^2].

    Of a body with all that it carries, in world axes:

    - ``subtree_com``: centre of mass [m].
    - ``subtree_linear_velocity``: velocity of that [m/s].
    - ``subtree_angular_momentum``: about that [kg m^2/s].

    Of a joint:

    - ``joint_position``, ``joint_velocity``: of one axis [rad or m, and a second].
    - ``joint_quaternion``, ``joint_angular_velocity``: of a spherical joint.
    - ``joint_actuator_force``: force of actuators and controllers in it [N m or N].
    - ``joint_limit_position``, ``joint_limit_velocity``, ``joint_limit_force``: how far it is from
      its limit, negative beyond; how fast it leaves it; the limit's force.  Zero within the limits.

    Of the whole:

    - ``potential_energy``, with that of springs in joints and tendons, ``kinetic_energy`` [J].
    - ``clock``: the time [s].

    Of an actuator:

    - ``actuator_position``, ``actuator_velocity``: of its length, with the gear.
    - ``actuator_force``: along that [N or N m].

    Of a tendon:

    - ``tendon_position``, ``tendon_velocity``: of its length [m, m/s].
    - ``tendon_actuator_force``: sum of the actuators on it [N].
    - ``tendon_limit_position``, ``tendon_limit_velocity``, ``tendon_limit_force``: as of joints.
    """

    ACCELEROMETER = "accelerometer"
    GYRO = "gyro"
    VELOCIMETER = "velocimeter"
    MAGNETOMETER = "magnetometer"
    FORCE = "force"
    TORQUE = "torque"
    TOUCH = "touch"
    RANGEFINDER = "rangefinder"
    FRAME_POSITION = "frame_position"
    FRAME_QUATERNION = "frame_quaternion"
    FRAME_X_AXIS = "frame_x_axis"
    FRAME_Y_AXIS = "frame_y_axis"
    FRAME_Z_AXIS = "frame_z_axis"
    FRAME_LINEAR_VELOCITY = "frame_linear_velocity"
    FRAME_ANGULAR_VELOCITY = "frame_angular_velocity"
    FRAME_LINEAR_ACCELERATION = "frame_linear_acceleration"
    FRAME_ANGULAR_ACCELERATION = "frame_angular_acceleration"
    SUBTREE_COM = "subtree_com"
    SUBTREE_LINEAR_VELOCITY = "subtree_linear_velocity"
    SUBTREE_ANGULAR_MOMENTUM = "subtree_angular_momentum"
    JOINT_POSITION = "joint_position"
    JOINT_VELOCITY = "joint_velocity"
    JOINT_QUATERNION = "joint_quaternion"
    JOINT_ANGULAR_VELOCITY = "joint_angular_velocity"
    JOINT_ACTUATOR_FORCE = "joint_actuator_force"
    JOINT_LIMIT_POSITION = "joint_limit_position"
    JOINT_LIMIT_VELOCITY = "joint_limit_velocity"
    JOINT_LIMIT_FORCE = "joint_limit_force"
    POTENTIAL_ENERGY = "potential_energy"
    KINETIC_ENERGY = "kinetic_energy"
    CLOCK = "clock"
    ACTUATOR_POSITION = "actuator_position"
    ACTUATOR_VELOCITY = "actuator_velocity"
    ACTUATOR_FORCE = "actuator_force"
    TENDON_POSITION = "tendon_position"
    TENDON_VELOCITY = "tendon_velocity"
    TENDON_ACTUATOR_FORCE = "tendon_actuator_force"
    TENDON_LIMIT_POSITION = "tendon_limit_position"
    TENDON_LIMIT_VELOCITY = "tendon_limit_velocity"
    TENDON_LIMIT_FORCE = "tendon_limit_force"

    @property
    def size(self) -> int:
        """How many numbers it gives."""
        return _TRAITS[self.value].size

    @property
    def subject(self) -> str:
        """What it measures: ``body joint spherical actuator tendon``, or empty for the whole."""
        return _TRAITS[self.value].subject

    @property
    def is_relative(self) -> bool:
        """Whether it may be measured against a reference frame."""
        return _TRAITS[self.value].is_relative

    @property
    def is_direction(self) -> bool:
        """Whether its numbers are those of a unit vector or quaternion, which no cutoff changes."""
        return _TRAITS[self.value].is_direction

    @property
    def is_positive(self) -> bool:
        """Whether a cutoff is a largest value only."""
        return self in (SensorKind.TOUCH, SensorKind.RANGEFINDER)

    @property
    def needs_acceleration(self) -> bool:
        """Whether it depends on the accelerations of the joints."""
        return self in _OF_ACCELERATION

    @property
    def needs_joint_forces(self) -> bool:
        """Whether it depends on the forces that drive the joints."""
        return self.needs_acceleration or self is SensorKind.JOINT_ACTUATOR_FORCE


class _Traits(NamedTuple):
    size: int
    subject: str
    is_relative: bool = False
    is_direction: bool = False


_VECTOR = _Traits(3, "body")
_AXIS = _Traits(3, "body", is_relative=True, is_direction=True)
_OF_FRAME = _Traits(3, "body", is_relative=True)
_OF_JOINT, _WHOLE = _Traits(1, "joint"), _Traits(1, "")
_OF_ACTUATOR, _OF_TENDON = _Traits(1, "actuator"), _Traits(1, "tendon")
_TRAITS: dict[str, _Traits] = {
    "accelerometer": _VECTOR, "gyro": _VECTOR, "velocimeter": _VECTOR, "magnetometer": _VECTOR,
    "force": _VECTOR, "torque": _VECTOR, "touch": _Traits(1, "body"),
    "rangefinder": _Traits(1, "body"),
    "frame_position": _OF_FRAME,
    "frame_quaternion": _Traits(4, "body", is_relative=True, is_direction=True),
    "frame_x_axis": _AXIS, "frame_y_axis": _AXIS, "frame_z_axis": _AXIS,
    "frame_linear_velocity": _OF_FRAME, "frame_angular_velocity": _OF_FRAME,
    "frame_linear_acceleration": _VECTOR, "frame_angular_acceleration": _VECTOR,
    "subtree_com": _VECTOR, "subtree_linear_velocity": _VECTOR,
    "subtree_angular_momentum": _VECTOR,
    "joint_position": _OF_JOINT, "joint_velocity": _OF_JOINT,
    "joint_quaternion": _Traits(4, "spherical", is_direction=True),
    "joint_angular_velocity": _Traits(3, "spherical"),
    "joint_actuator_force": _OF_JOINT, "joint_limit_position": _OF_JOINT,
    "joint_limit_velocity": _OF_JOINT, "joint_limit_force": _OF_JOINT,
    "potential_energy": _WHOLE, "kinetic_energy": _WHOLE, "clock": _WHOLE,
    "actuator_position": _OF_ACTUATOR, "actuator_velocity": _OF_ACTUATOR,
    "actuator_force": _OF_ACTUATOR,
    "tendon_position": _OF_TENDON, "tendon_velocity": _OF_TENDON,
    "tendon_actuator_force": _OF_TENDON, "tendon_limit_position": _OF_TENDON,
    "tendon_limit_velocity": _OF_TENDON, "tendon_limit_force": _OF_TENDON,
}  # fmt: skip
_OF_ACCELERATION = (
    SensorKind.ACCELEROMETER, SensorKind.FORCE, SensorKind.TORQUE,
    SensorKind.FRAME_LINEAR_ACCELERATION, SensorKind.FRAME_ANGULAR_ACCELERATION,
)  # fmt: skip


@suggests_fields
@dataclass(frozen=True)
class Sensor:
    """A sensor of a scene.

    Attributes
    ----------
    name : str
    kind : SensorKind or str
    of : (machine, part), str or None
        The body or joint that it measures; the name of an actuator or tendon.  None is the world,
        and a sensor of the whole has no other.
    frame : Transform, or array_like of shape (4, 4)
        Of sensors of a body: from the body's coordinates to the sensor's.
    reference : (machine, body) or None
        Of relative kinds: the body against which it measures; None is the world.
    reference_frame : Transform, or array_like of shape (4, 4)
        From that body's coordinates to the reference frame.
    cutoff : float
        Values are clamped to this size; zero for no bound.
    noise : float
        Standard deviation of `Recording.measured`, in the unit of the value.
    delay : float
        By how much `Recording.measured` lags behind [s].
    zone : Shape or None
        Of touch: only contacts inside this shape, placed at the frame, count; all without one.
    magnetic_field : three numbers
        Of a magnetometer: the field, in world axes.
    """

    name: str
    kind: SensorKind
    of: Part | None = None
    frame: Transform = field(default_factory=Transform.identity)
    reference: tuple[str, str] | None = None
    reference_frame: Transform = field(default_factory=Transform.identity)
    cutoff: float = 0.0
    noise: float = 0.0
    delay: float = 0.0
    zone: Shape | None = None
    magnetic_field: Triple = (0.0, -0.5, 0.0)

    __repr__ = short_repr

    def __post_init__(self) -> None:
        where = f"sensor '{name(self.name, 'sensor')}'"
        if not isinstance(self.kind, str) or self.kind not in _TRAITS:
            raise ModelError(
                f"expected a kind out of {', '.join(_TRAITS)}, got {shown(self.kind)}"
                f"{suggestion(str(self.kind), _TRAITS)} ({where})"
            )
        kind = SensorKind(self.kind)
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "of", _part(kind, self.of, where))
        for key in ("frame", "reference_frame"):
            object.__setattr__(self, key, transform(getattr(self, key), key, where))
        if self.reference is not None:
            if not kind.is_relative:
                raise ModelError(f"a sensor of kind {kind} has no reference ({where})")
            object.__setattr__(self, "reference", _pair(self.reference, "reference", where))
        for key in ("cutoff", "noise", "delay"):
            value = number(getattr(self, key), key, where, least=0.0)
            object.__setattr__(self, key, value)
        if self.zone is not None:
            if kind is not SensorKind.TOUCH:
                raise ModelError(f"a zone is for touch sensors, not for {kind} ({where})")
            if not isinstance(self.zone, Shape):
                raise ModelError(f"expected a shape as zone, got {shown(self.zone)} ({where})")
        magnetic_field = numbers(self.magnetic_field, 3, "magnetic_field", where)
        object.__setattr__(self, "magnetic_field", magnetic_field)


def _part(kind: SensorKind, of: object, where: str) -> Part | None:
    """What a kind of sensor measures, as a pair of names, a name, or None."""
    match kind.subject:
        case "":
            if of is not None:
                raise ModelError(f"a sensor of kind {kind} is of the whole scene, got "
                                 f"{shown(of)} ({where})")  # fmt: skip
            return None
        case "body" if of is None:
            return None
        case "actuator" | "tendon":
            return name(of, f"{kind.subject} of {where}")
    return _pair(of, kind.subject.replace("spherical", "joint"), where)


def _pair(value: object, what: str, where: str) -> tuple[str, str]:
    pair = tuple(value) if isinstance(value, (tuple, list)) else ()
    if len(pair) != 2 or not all(isinstance(part, str) and part for part in pair):
        raise ModelError(
            f"expected a pair of names (model, part) as {what}, got {shown(value)} ({where})"
        )
    return pair  # type: ignore[return-value]
