"""The joints of a body to links in series, each with its position, limits and dynamics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...model import (
    Fixed,
    FloatingBase,
    JointDynamics,
    JointKind,
    Limits,
    Link,
    Prismatic,
    Revolute,
    RigidBody,
    Spherical,
    Visual,
)
from ...model.tendons import UNLIMITED
from ...spatial import Quaternion, Transform, Vec3, rotation_about
from ..reading import Notes
from .compiler import AUTO
from .frames import rounded, unit
from .tree import MjcfBody, Part, unused
from .values import choice, describe, errors_at, flag, number, numbers, vector

TYPES = ("hinge", "slide", "ball", "free")
_ORIGIN = Vec3(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class MjcfJoint:
    """A joint in the coordinates of its body."""

    part: Part
    name: str
    kind: JointKind
    anchor: Vec3
    reference: float
    limits: Limits | None
    dynamics: JointDynamics | None
    start: tuple[float, ...]
    """Its position in the pose that the file describes."""
    rest: float | tuple[float, ...] = 0.0
    """Where a spring in it has no force, as `JointDynamics` has it."""

    @property
    def offset(self) -> Transform:
        """From the joint's frame in that pose to its frame where its position is zero."""
        match self.kind:
            case Revolute(axis):
                back = rounded(rotation_about(Vec3(*axis), -self.reference))
                return Transform.rotation(back)
            case Prismatic(axis):
                return Transform.translation(*(Vec3(*axis) * -self.reference))
        return Transform.identity()


def read_joints(
    body: MjcfBody, names: set[str], disabled: frozenset[str], notes: Notes
) -> list[MjcfJoint]:
    """The joints of a body, in order; ``names`` are those of all joints so far."""
    joints = []
    for k, part in enumerate(body.joints):
        name = part.name or unused(f"{body.name}/joint{k}" if k else f"{body.name}/joint", names)
        joints.append(_joint(body, part, name, disabled, notes))
    kinds = [type(joint.kind) for joint in joints]
    element = body.element
    if FloatingBase in kinds and (len(kinds) > 1 or not body.is_root):
        raise element.error(f"{describe(element)}: a free joint must be its body's only one, and "
                            "the body must stand in the world")  # fmt: skip
    rotations = [kind for kind in kinds if kind in (Spherical, Revolute)]
    if Spherical in rotations[:-1]:
        raise element.error(
            f"{describe(element)}: a joint of type ball must be its body's last rotation"
        )
    return joints


def _joint(
    body: MjcfBody, part: Part, name: str, disabled: frozenset[str], notes: Notes
) -> MjcfJoint:
    element = part.element
    is_free = element.tag == "freejoint"
    word = "free" if is_free else choice(element, "type", TYPES, "hinge")
    anchor = part.frame.point(vector(element, "pos", (0.0, 0.0, 0.0)))
    axis = vector(element, "axis", (0.0, 0.0, 1.0))
    with errors_at(element):
        match word:
            case "free":
                kind: JointKind = FloatingBase()
                turn = Quaternion.from_matrix(body.place.E)
                start = (*body.place.r, turn.x, turn.y, turn.z, turn.w)
                rest = (*body.place.r, *turn.log())
                dynamics = None if is_free else _dynamics(part, rest, disabled)
                return MjcfJoint(part, name, kind, _ORIGIN, 0.0, None, dynamics, start, rest)
            case "ball":
                kind, start = Spherical(), (0.0, 0.0, 0.0, 1.0)
                dynamics = _dynamics(part, 0.0, disabled)
                _note_ball(part, notes)
                return MjcfJoint(part, name, kind, anchor, 0.0, None, dynamics, start)
        along = tuple(part.frame.E.T @ unit(element, "axis", axis))
        is_hinge = word == "hinge"
        kind = Revolute(along) if is_hinge else Prismatic(along)  # type: ignore[arg-type]
        reference, rest = (_position(part, key, is_hinge) for key in ("ref", "springref"))
        limits = _limits(part, is_hinge, disabled)
        dynamics = _dynamics(part, rest, disabled)
    return MjcfJoint(part, name, kind, anchor, reference, limits, dynamics, (reference,), rest)


def within_limits(joints: list[MjcfJoint], coupled: set[str], notes: Notes) -> list[MjcfJoint]:
    """The joints, started at the nearer limit where the pose of the file is beyond it.

    Those that follow others stay: what they keep to is given by that pose.
    """
    found = []
    for joint in joints:
        limits = joint.limits
        start = joint.reference if limits is None else _clamped(joint.reference, limits)
        if start == joint.reference or joint.name in coupled or limits is None:
            found.append(joint)
            continue
        element = joint.part.element
        text = (
            f"{describe(element)} is at {joint.reference:.4g} in the pose of the file, outside its "
            f"limits {limits.lower:.4g} to {limits.upper:.4g}: it starts at the nearer one"
        )
        notes.add("doubtful", text, element.line)
        found.append(replace(joint, start=(start,)))
    return found


def _clamped(position: float, limits: Limits) -> float:
    return min(max(position, limits.lower), limits.upper)


def places_of(bodies: Sequence[MjcfBody]) -> dict[MjcfBody, Transform]:
    """From the world's coordinates to each body's, in the pose of the file."""
    places: dict[MjcfBody, Transform] = {}
    for body in bodies:
        carrier = body.parent
        places[body] = body.place if carrier is None else body.place @ places[carrier]
    return places


def _position(part: Part, key: str, is_angle: bool) -> float:
    compiler = part.source.document.compiler
    if is_angle:
        return (compiler.angles(part.element, key, 1, 1) or (0.0,))[0]
    return number(part.element, key, 0.0)


def _limits(part: Part, is_angle: bool, disabled: frozenset[str]) -> Limits | None:
    element, compiler = part.element, part.source.document.compiler
    lower, upper = compiler.bounds(element, "limited", "range")
    if "limit" in disabled:
        lower, upper = UNLIMITED
    elif is_angle and (lower, upper) != UNLIMITED:
        words = element.attributes["range"].split()
        lower, upper = (compiler.angle(element, "range", word, x) if math.isfinite(x) else x
                        for word, x in zip(words, (lower, upper), strict=True))  # fmt: skip
    lowest, highest = compiler.efforts(element)
    limits = Limits(lower, upper, effort=highest, lower_effort=lowest)
    return None if limits == Limits() else limits


def _dynamics(
    part: Part, rest: float | tuple[float, ...], disabled: frozenset[str]
) -> JointDynamics | None:
    element = part.element
    damping, stiffness = (_linear(part, key) for key in ("damping", "stiffness"))
    friction, armature = (number(element, key, 0.0) for key in ("frictionloss", "armature"))
    if "damper" in disabled or "passive" in disabled:
        damping = 0.0
    if "spring" in disabled or "passive" in disabled:
        stiffness = 0.0
    if "frictionloss" in disabled:
        friction = 0.0
    if not (damping or stiffness or friction or armature):
        return None
    return JointDynamics(damping, friction, armature, stiffness, rest if stiffness else 0.0)


def _linear(part: Part, key: str) -> float:
    """A coefficient that may have two of higher order, which must be zero."""
    values = numbers(part.element, key, 1, 3) or (0.0,)
    if any(values[1:]):
        raise part.element.error(
            f"{describe(part.element)}: '{key}' that is not linear is not read: "
            f"'{part.element.attributes[key]}'"
        )
    return values[0]


def _note_ball(part: Part, notes: Notes) -> None:
    element, bounds = part.element, part.source.document.compiler.bounds
    is_said = choice(element, "limited", AUTO, "auto") == "true"
    if is_said or bounds(element, "limited", "range") != UNLIMITED:
        text = f"{describe(element)}: the limits of a joint of type ball are not read"
        notes.add("ignored", text, element.line, "'range'", "<joint> of type ball")


def chain(
    body: MjcfBody, joints: list[MjcfJoint], mass: RigidBody, visuals: tuple[Visual, ...],
    parent: str | None, names: set[str],
) -> list[Link]:  # fmt: skip
    """The links of a body: one for each joint, without mass but for the last.

    A joint beside the origin has a link of its own.  So the body keeps its frame of the file.
    """
    is_free = any(isinstance(joint.kind, FloatingBase) for joint in joints)
    frame = Transform.identity() if is_free else body.place
    compensation = number(body.element, "gravcomp", 0.0)
    links, own = [], {
        "body": mass, "visuals": visuals, "gravity_compensation": compensation
    }  # fmt: skip
    for k, joint in enumerate(joints):
        at = joint.offset @ Transform.translation(*joint.anchor) @ frame
        frame = Transform.translation(*(-joint.anchor))
        is_body = k == len(joints) - 1 and not any(frame.r)
        name = body.name if is_body else unused(f"{body.name}/{k}", names)
        element = joint.part.element
        by_actuators = flag(element, "actuatorgravcomp", False)
        links.append(
            Link(name, parent, joint.kind, at, joint_name=joint.name, limits=joint.limits,
                 dynamics=joint.dynamics, actuated_compensation=by_actuators,
                 **(own if is_body else {}))
        )  # fmt: skip
        parent = name
    if parent != body.name or not links:
        links.append(Link(body.name, parent, Fixed(), frame, **own))
    return links
