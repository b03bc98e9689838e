"""Joint elements, and the kinds of joints they become in a tree or a loop."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...errors import ModelError
from ...model import (
    Axes,
    Fixed,
    Helical,
    JointKind,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from ...scene import JointSettings, LoopKind
from ...spatial import Mat3, Quaternion, Transform, Vec3
from ..reading import Notes
from ..xml import Element
from .values import describe, number, required, triple, vector
from .vocabulary import tag_of

FREEDOMS = {
    "RevoluteJoint": 1,
    "PrismaticJoint": 1,
    "ScrewJoint": 1,
    "UniversalJoint": 2,
    "SphericalJoint": 3,
    "PlanarJoint": 3,
    "FixedJoint": 0,
    "Gears": 0,
}
LOOPS = {
    "RevoluteJoint": LoopKind.REVOLUTE,
    "PrismaticJoint": LoopKind.PRISMATIC,
    "ScrewJoint": LoopKind.SCREW,
    "UniversalJoint": LoopKind.UNIVERSAL,
    "SphericalJoint": LoopKind.SPHERICAL,
    "PlanarJoint": LoopKind.PLANAR,
    "FixedJoint": LoopKind.FIXED,
}
NO_LIMIT = 1e300  # Moby writes the largest double for none
ORTHOGONAL = 1e-6

Reals = tuple[float, ...]


@dataclass(frozen=True, eq=False)
class MobyJoint:
    """A joint as the file has it: places and axes in world coordinates."""

    name: str
    tag: str
    element: Element
    inboard: str
    outboard: str
    location: Vec3 | None
    axes: tuple[Vec3, ...]
    pitch: float
    ratio: float
    q: Reals
    qd: Reals
    q_tare: Reals
    settings: JointSettings

    @property
    def freedoms(self) -> int:
        return FREEDOMS[self.tag]

    @property
    def has_spring(self) -> bool:
        """Whether the joint has a spring, for which it must be in the tree."""
        return bool(self.settings.stiffness)

    @property
    def has_settings(self) -> bool:
        """Whether the joint has a limit, or resists."""
        own = self.settings
        forces = own.coulomb_friction or own.viscous_friction or own.stiffness
        return bool(own.is_limited or own.restitution or forces)

    @property
    def moved(self) -> Reals:
        """Its displacement of the links from their drawn poses."""
        return tuple(a + b for a, b in zip(self.q, self.q_tare, strict=True))

    def kind(self, E: Mat3) -> JointKind:
        """The joint of a tree, for axes turned by ``E`` into the outboard link's."""
        axes = [_tuple(E @ axis) for axis in self.axes]
        match self.tag:
            case "RevoluteJoint":
                return Revolute(axes[0])
            case "PrismaticJoint":
                return Prismatic(axes[0])
            case "ScrewJoint":
                x, y, z = axes[0]
                return Helical((x, y, z, x * self.pitch, y * self.pitch, z * self.pitch))
            case "UniversalJoint":
                return Universal(axes[0], axes[1])
            case "SphericalJoint" if self.is_quaternion:
                return Spherical()
            case "SphericalJoint":
                return Axes(tuple((*axis, 0.0, 0.0, 0.0) for axis in axes))
            case _:
                return Fixed()

    @property
    def is_quaternion(self) -> bool:
        """Whether a spherical joint needs no angles: without limits and tare."""
        return not self.settings.is_limited and not any(self.q_tare)

    def state(self, E: Mat3) -> tuple[Reals, Reals]:
        """Positions and velocities of the joint that `kind` makes."""
        if self.tag != "SphericalJoint" or not self.is_quaternion:
            return self.moved, self.qd
        if "orientation" in self.element.attributes or "spin" in self.element.attributes:
            return _written_state(self.element)
        axes = [E @ axis for axis in self.axes]
        turn, spin = Quaternion.identity(), Vec3.zero()
        for axis, angle, rate in zip(axes, self.moved, self.qd, strict=True):
            step = Quaternion.about(axis, angle)
            turn = turn * step
            spin = step.matrix() @ spin + axis * rate
        return (turn.x, turn.y, turn.z, turn.w), _tuple(spin)


def _written_state(element: Element) -> tuple[Reals, Reals]:
    """The exact start of a spherical joint, as a snapshot has it."""
    w, x, y, z = vector(element, "orientation", 4) or (1.0, 0.0, 0.0, 0.0)
    norm = math.hypot(w, x, y, z)
    if norm == 0.0:
        raise element.error(f"the quaternion 'orientation' of {describe(element)} is zero")
    if abs(norm - 1.0) > 1e-15:
        w, x, y, z = w / norm, x / norm, y / norm, z / norm
    return (x, y, z, w), triple(element, "spin")


def read_joint(name: str, element: Element, notes: Notes) -> MobyJoint:
    """All of a joint but the check that its links are there."""
    tag = tag_of(element)
    freedoms = FREEDOMS[tag]
    location = Vec3(*triple(element, "location")) if "location" in element.attributes else None
    settings = _settings(name, element, freedoms)
    return MobyJoint(
        name,
        tag,
        element,
        required(element, "inboard-link-id"),
        required(element, "outboard-link-id"),
        location,
        _axes(tag, element, notes),
        number(element, "pitch", 0.0),
        number(element, "gear-ratio", 1.0),
        _coordinates(element, "q", freedoms),
        _coordinates(element, "qd", freedoms),
        _coordinates(element, "q-tare", freedoms),
        settings,
    )


def _coordinates(element: Element, key: str, freedoms: int) -> Reals:
    if freedoms == 0:
        if key in element.attributes and (vector(element, key, None) or ()):
            raise element.error(f"{describe(element)} cannot move, so it has no '{key}'")
        return ()
    return vector(element, key, freedoms) or (0.0,) * freedoms


def _settings(name: str, element: Element, freedoms: int) -> JointSettings:
    limits = {}
    for key, none in (("lower", -math.inf), ("upper", math.inf)):
        attribute = f"{key}-limits"
        if attribute in element.attributes and not freedoms:
            raise element.error(f"{describe(element)} cannot move, so it has no '{attribute}'")
        found = vector(element, attribute, freedoms, infinite=True) or (none,) * max(freedoms, 1)
        limits[key] = tuple(none if abs(x) > NO_LIMIT else x for x in found)
    try:
        return JointSettings(
            name,
            **limits,
            restitution=number(element, "restitution-coeff", 0.0),
            coulomb_friction=number(element, "coulomb-friction-coeff", 0.0),
            viscous_friction=number(element, "viscous-friction-coeff", 0.0),
        )
    except ModelError as error:
        raise element.error(str(error)) from None


def _axes(tag: str, element: Element, notes: Notes) -> tuple[Vec3, ...]:
    """The axes of a joint, of unit length; all three of a spherical one."""
    match tag:
        case "RevoluteJoint" | "PrismaticJoint" | "ScrewJoint":
            return (_axis(element, "axis"),)
        case "PlanarJoint":
            return (_axis(element, "normal"),)
        case "UniversalJoint":
            first, second = _axis(element, "axis1"), _axis(element, "axis2")
            if abs(first.dot(second)) > 1.0 - ORTHOGONAL:
                raise element.error(f"the two axes of {describe(element)} are parallel")
            return first, second
        case "SphericalJoint":
            return _spherical_axes(element, notes)
    return ()


def _spherical_axes(element: Element, notes: Notes) -> tuple[Vec3, ...]:
    has = element.attributes
    if "axis" in has and "axis1" in has:
        notes.add("doubtful", f"{describe(element)}: 'axis' is not used beside 'axis1'",
                  element.line)  # fmt: skip
    key = "axis1" if "axis1" in has else "axis"
    first = _axis(element, key) if key in has else None
    second = _axis(element, "axis2") if "axis2" in has else None
    if first is None and second is None:
        first = Vec3(1.0, 0.0, 0.0)
    if second is None:
        assert first is not None
        second = across(first)
    if first is None:
        first = across(second)
    if abs(first.dot(second)) > ORTHOGONAL:
        raise element.error(f"expected axes of {describe(element)} at right angles")
    return first, second, first.cross(second)


def _axis(element: Element, key: str) -> Vec3:
    required(element, key)
    axis = Vec3(*triple(element, key))
    length = math.hypot(*axis)
    if length == 0.0:
        raise element.error(f"'{key}' of {describe(element)} is zero")
    return axis if length == 1.0 else axis * (1.0 / length)


def across(axis: Vec3) -> Vec3:
    """A unit vector at right angles to a unit vector."""
    x, y, z = axis
    k = min(range(3), key=lambda i: abs((x, y, z)[i]))
    seed = Vec3(*(1.0 if i == k else 0.0 for i in range(3)))
    found = seed - axis * seed.dot(axis)
    return found * (1.0 / math.hypot(*found))


def joint_frame(joint: MobyJoint, at: Vec3) -> Transform:
    """The frame of a loop joint, from world coordinates: see `LoopKind` for its axes."""
    match joint.tag:
        case "UniversalJoint":
            x, y = joint.axes
            if abs(x.dot(y)) > ORTHOGONAL:
                raise joint.element.error(
                    f"expected the axes of {describe(joint.element)}, which closes a loop, at "
                    "right angles"
                )
            z = x.cross(y)
        case "SphericalJoint" | "FixedJoint":
            return Transform(Mat3.identity(), at)
        case _:
            z = joint.axes[0]
            x = across(z)
            y = z.cross(x)
    return Transform(Mat3(x, y, z), at)


def _tuple(v: Vec3) -> tuple[float, float, float]:
    return float(v.x), float(v.y), float(v.z)
