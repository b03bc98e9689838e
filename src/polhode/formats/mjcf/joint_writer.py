"""The joints of a body as elements of an MJCF file, and the body's pose where they start.

Axes, anchors and poses of MJCF are those at the start: the position ``ref`` of a joint of one axis
is where the model starts.  Spherical joints have no such position.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ...errors import ModelError
from ...model import (
    Fixed,
    FloatingBase,
    Joint,
    JointDynamics,
    JointKind,
    Link,
    Prismatic,
    Revolute,
    Spherical,
    TranslationXYZ,
)
from ...model.joints.several import Serial
from ...model.records import JointEntries
from ...model.tendons import UNLIMITED, Range
from ...scene import Machine
from ...spatial import Quaternion, Transform, Vec3
from ..lost import Lost
from ..markup import MarkupElement, number, numbers
from .frames import rounded
from .keyframes import entries_of

ROUND = 1e-9
_SLIDES = (Prismatic.x(), Prismatic.y(), Prismatic.z())
_TAGS: dict[type[JointKind], str] = {
    Revolute: "hinge", Prismatic: "slide", Spherical: "ball", FloatingBase: "free",
}  # fmt: skip


@dataclass(frozen=True)
class WrittenJoint:
    """One joint of MJCF: ``frame`` leads from the frame of the part before it to its own."""

    name: str
    kind: JointKind
    frame: Transform
    q: tuple[float, ...]
    qd: tuple[float, ...]
    dynamics: JointDynamics
    machine: str
    at_q: tuple[int, ...]
    """Where its position is in that of its model."""
    at_qd: tuple[int, ...]
    lower: float = -math.inf
    upper: float = math.inf
    efforts: Range = UNLIMITED
    actuated_compensation: bool = False

    @property
    def at_reference(self) -> Transform:
        """Across the joint, where MJCF's reference position is."""
        kind = self.kind
        return kind.jcalc(kind.neutral() if isinstance(kind, Spherical) else self.q).XJ

    def qpos(self, q: Sequence[float]) -> tuple[float, ...]:
        """Its position in MuJoCo's order, w before x, y and z, out of that of its model."""
        own = tuple(q[k] for k in self.at_q)
        if self.kind.nq == self.kind.nv:
            return own
        *r, x, y, z, w = own
        return (*r, w, x, y, z)

    def qvel(self, qd: Sequence[float]) -> tuple[float, ...]:
        """Its velocity out of that of its model."""
        return tuple(qd[k] for k in self.at_qd)


@dataclass(frozen=True)
class JointParts:
    """The joints of one body in series, and the ``rest`` of the way to the body's own frame."""

    parts: tuple[WrittenJoint, ...]
    rest: Transform = field(default_factory=Transform.identity)

    def then(self, other: JointParts) -> JointParts:
        """These joints, and those of a link on them."""
        if not other.parts:
            return JointParts(self.parts, other.rest @ self.rest)
        first, *more = other.parts
        joined = replace(first, frame=first.frame @ self.rest)
        return JointParts((*self.parts, joined, *more), other.rest)

    @property
    def place(self) -> Transform:
        """From the parent's coordinates to the body's, at the start."""
        X = Transform.identity()
        for part in self.parts:
            X = part.at_reference @ part.frame @ X
        X = self.rest @ X
        return Transform(rounded(X.E), X.r)

    def elements(self, model: str) -> list[MarkupElement]:
        """The joints, in their order."""
        after, found = self.rest, []
        for part in reversed(self.parts):
            found.append(_element(part, after, model))
            after = after @ part.at_reference @ part.frame
        return found[::-1]


def link_parts(machine: Machine, link: Link, name: str, lost: Lost) -> JointParts:
    """The joints that a link's joint is written as; ``name`` is the one it has in the file."""
    if not link.joint.nv:
        return JointParts((), link.frame)
    joint = machine.model.joint(link.joint_name)
    rows, settings = machine.dynamics(joint), machine.settings(joint)
    if settings.restitution:
        lost.add("restitution at limits of joints", joint.name)
    if link.limits is not None and math.isfinite(link.limits.velocity):
        lost.add("velocity limits of joints", joint.name)
    at_q, at_qd = entries_of(machine, joint)
    q, qd = [machine.q[k] for k in at_q], [machine.qd[k] for k in at_qd]
    kinds = _kinds(machine, link, rows, q)
    parts, frame, i, j = [], link.frame, 0, 0
    for k, kind in enumerate(kinds):
        place, own = slice(i, i + kind.nq), slice(j, j + kind.nv)
        part_name = name if k == len(kinds) - 1 else f"{name}/{k}"
        part = WrittenJoint(
            part_name, kind, frame, tuple(q[place]), tuple(qd[own]),
            JointDynamics(*(row[own] for row in rows)), machine.name, at_q[place], at_qd[own],
            efforts=UNLIMITED if link.limits is None else link.limits.efforts,
            actuated_compensation=link.actuated_compensation,
        )  # fmt: skip
        if kind.nv == 1:
            part = _limited(part, settings.lower[j], settings.upper[j], lost)
        parts.append(part)
        frame, i, j = Transform.identity(), i + kind.nq, j + kind.nv
    return JointParts(tuple(parts))


def _limited(part: WrittenJoint, lower: float, upper: float, lost: Lost) -> WrittenJoint:
    if lower == upper:
        lost.add("equal lower and upper limits of joints", part.name)
    else:
        part = replace(part, lower=lower, upper=upper)
    if part.efforts == (0.0, 0.0):
        lost.add("efforts of zero of joints", part.name)
        part = replace(part, efforts=UNLIMITED)
    return part


def _kinds(
    machine: Machine, link: Link, rows: JointEntries, q: Sequence[float]
) -> tuple[JointKind, ...]:
    """The joints in series that equal a link's; coordinates do not change."""
    kind = link.joint
    match kind:
        case TranslationXYZ():
            return _SLIDES
        case FloatingBase():
            is_free = _is_on_world(machine, link) and _is_uniform(rows, q)
            return (kind,) if is_free else (*_SLIDES, Spherical())
        case Serial():
            kinds = tuple(kind.parts)
        case _:
            kinds = (kind,)
    for each in kinds:
        _check(each, machine.model.joint(link.joint_name), machine)
    return kinds


def _check(kind: JointKind, joint: Joint, machine: Machine) -> None:
    where = f"(model '{machine.name}')"
    if not isinstance(kind, (Revolute, Prismatic, Spherical)):
        raise ModelError(f"MJCF has no {kind.name} joint, as '{joint.name}' is {where}")
    if isinstance(kind, (Revolute, Prismatic)) and abs(math.hypot(*kind.axis) - 1.0) > ROUND:
        raise ModelError(
            f"an axis of joint '{joint.name}' is not of unit length, which MJCF cannot express "
            f"{where}"
        )


def is_world(link: Link) -> bool:
    """Whether a link is what MJCF calls the world: the immovable base, of its name."""
    return (
        link.name == "world"
        and link.parent is None
        and isinstance(link.joint, Fixed)
        and link.body.is_massless
        and link.frame == Transform.identity()
    )


def _is_on_world(machine: Machine, link: Link) -> bool:
    """Whether a joint's position is the pose in the world."""
    if link.frame != Transform.identity():
        return False
    return link.parent is None or any(
        is_world(each) for each in machine.model.links if each.name == link.parent
    )


def _is_uniform(rows: JointEntries, q: Sequence[float]) -> bool:
    """Whether all entries are alike, and a spring has no force at the start, as in free joints."""
    if any(len({*row}) > 1 for row in rows[:4]):
        return False
    *r, x, y, z, w = q
    at_start = (*r, *Quaternion(w, x, y, z).log())
    return not any(rows.stiffness) or _differ(rows.rest, at_start) < ROUND


def _differ(a: Iterable[float], b: Iterable[float]) -> float:
    return max(abs(x - y) for x, y in zip(a, b, strict=True))


def _element(part: WrittenJoint, after: Transform, model: str) -> MarkupElement:
    """A joint; ``after`` leads from its frame to the body's."""
    kind, values = part.kind, {"name": part.name}
    dynamics = _dynamics(part, model)
    if part.actuated_compensation:
        dynamics["actuatorgravcomp"] = "true"
    if isinstance(kind, FloatingBase):
        tag = "joint" if dynamics else "freejoint"
        return MarkupElement(tag, values | ({"type": "free"} if dynamics else {}) | dynamics)
    values["type"] = _TAGS[type(kind)]
    anchor = after.inverse().r
    if any(anchor) and not isinstance(kind, Prismatic):
        values["pos"] = numbers(anchor)
    if isinstance(kind, (Revolute, Prismatic)):
        values["axis"] = numbers(x + 0.0 for x in after.E @ Vec3(*kind.axis))
        if part.q[0]:
            values["ref"] = number(part.q[0])
        if part.lower > -math.inf or part.upper < math.inf:
            values["range"] = numbers((part.lower, part.upper))
        if part.efforts != UNLIMITED:
            values["actuatorfrcrange"] = numbers(part.efforts)
    return MarkupElement("joint", values | dynamics)


def _dynamics(part: WrittenJoint, model: str) -> dict[str, str]:
    """What a joint does by itself, without what is zero."""
    rows = part.dynamics.for_each(part.kind.nv)
    found = {}
    for key, row in zip(("damping", "frictionloss", "armature", "stiffness"), rows, strict=False):
        if len({*row}) > 1:
            raise ModelError(
                f"MJCF has one {key} for all axes of joint '{part.name}', got {row} "
                f"(model '{model}')"
            )
        if row[0]:
            found[key] = number(row[0])
    if "stiffness" in found and part.kind.nv == 1:
        found["springref"] = number(rows.rest[0])
    elif "stiffness" in found and isinstance(part.kind, Spherical) and any(rows.rest):
        raise ModelError(
            f"the spring of spherical joint '{part.name}' is at rest turned, which MJCF cannot "
            f"express (model '{model}')"
        )
    return found
