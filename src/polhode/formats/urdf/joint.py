"""``<joint>`` to a joint kind, its frame, limits and mimic relation."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...errors import ModelError
from ...model import (
    Axes,
    Fixed,
    FloatingBase,
    JointDynamics,
    JointKind,
    Limits,
    Mimic,
    Planar,
    Prismatic,
    Revolute,
)
from ...spatial import Mat3, Transform, Vec3
from ..names import near, shorten
from ..reading import Notes
from ..xml import Element
from .rotation import rotation
from .values import attribute, child, describe, number, required_child, triple

Triple = tuple[float, float, float]

LIMITED = ("revolute", "prismatic")
TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
AXES: tuple[Triple, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True, eq=False)
class UrdfJoint:
    """A joint as the file has it, with the element for later errors."""

    name: str
    parent: str
    child: str
    kind: JointKind
    frame: Transform
    limits: Limits | None
    mimic: Mimic | None
    dynamics: JointDynamics | None
    element: Element


def read_joint(element: Element, snap: bool | str, notes: Notes) -> UrdfJoint:
    """All of a joint but the check that the links and joints it names are there."""
    name = attribute(element, "name")
    kind_name = attribute(element, "type")
    if kind_name not in TYPES:
        raise element.error(
            f"unknown type '{shorten(kind_name)}' of joint '{name}'{near(kind_name, TYPES)}"
            f" (known: {', '.join(TYPES)})"
        )
    return UrdfJoint(
        name=name,
        parent=attribute(required_child(element, "parent"), "link"),
        child=attribute(required_child(element, "child"), "link"),
        kind=_kind(element, kind_name),
        frame=read_frame(element, snap, notes),
        limits=_limits(element, kind_name, notes),
        mimic=_mimic(element),
        dynamics=_dynamics(element, kind_name, notes),
        element=element,
    )


def read_frame(element: Element, snap: bool | str, notes: Notes) -> Transform:
    """The ``<origin>`` inside an element, as the transform from parent to child coordinates."""
    origin = child(element, "origin")
    if origin is None:
        return Transform.identity()
    r = triple(origin, "xyz", (0.0, 0.0, 0.0))
    return Transform(Mat3.of(rotation(origin, snap, notes)).T, Vec3(*r))


def _kind(joint: Element, kind: str) -> JointKind:
    match kind:
        case "fixed":
            return Fixed()
        case "floating":
            return FloatingBase()
        case "planar":
            return _planar(_axis(joint))
        case "prismatic":
            return Prismatic(_axis(joint))
        case _:
            return Revolute(_axis(joint))


def _axis(joint: Element) -> Triple:
    element = child(joint, "axis")
    if element is None:
        return AXES[0]
    x, y, z = triple(element, "xyz", AXES[0])
    norm = math.hypot(x, y, z)
    if norm == 0.0:
        raise element.error(f"the axis of {describe(joint)} is zero")
    return (x / norm, y / norm, z / norm)


def _planar(normal: Triple) -> JointKind:
    """Motion in the plane through the origin that ``normal`` stands on.

    The kind `Planar` moves in the plane of x and y; another plane is two translations, then a
    rotation about the normal.
    """
    if normal == AXES[2]:
        return Planar()
    k = max(range(3), key=lambda i: abs(normal[i]))
    n, seed = Vec3(*normal), Vec3(*AXES[(k + 1) % 3])
    first = seed - n * seed.dot(n)
    first = first * (1.0 / math.sqrt(first.dot(first)))
    second = n.cross(first)
    zero = (0.0, 0.0, 0.0)
    return Axes(((*zero, *first), (*zero, *second), (*normal, *zero)))


def _limits(joint: Element, kind: str, notes: Notes) -> Limits | None:
    element = child(joint, "limit")
    if kind not in (*LIMITED, "continuous"):
        return None
    if element is None:
        if kind in LIMITED:
            notes.add("doubtful", f"{describe(joint)} ({kind}) has no <limit>", joint.line)
        return None
    lower, upper = -math.inf, math.inf
    if kind in LIMITED:
        lower = number(element, "lower", 0.0, may_be_infinite=True)
        upper = number(element, "upper", 0.0, may_be_infinite=True)
        if lower > upper:
            notes.add("doubtful", f"{describe(joint)}: lower limit above upper", element.line)
    velocity, effort = (
        number(element, key, math.inf, may_be_infinite=True) for key in ("velocity", "effort")
    )
    try:
        return Limits(lower, upper, velocity, effort)
    except ModelError as error:
        hint = "without the attribute there is no limit"
        raise element.error(f"{error} ({describe(joint)}); {hint}") from None


def _mimic(joint: Element) -> Mimic | None:
    element = child(joint, "mimic")
    if element is None:
        return None
    return Mimic(
        attribute(element, "joint"),
        number(element, "multiplier", 1.0),
        number(element, "offset", 0.0),
    )


def _dynamics(joint: Element, kind: str, notes: Notes) -> JointDynamics | None:
    element = child(joint, "dynamics")
    if element is None:
        return None
    damping, friction = number(element, "damping", 0.0), number(element, "friction", 0.0)
    if not (damping or friction):
        return None
    text = f"{describe(joint)}: damping {damping:g}, friction {friction:g}"
    notes.add("dynamics", text, element.line)
    try:
        return JointDynamics(damping, friction) if kind in (*LIMITED, "continuous") else None
    except ModelError as error:
        raise element.error(f"{error} ({describe(joint)})") from None
