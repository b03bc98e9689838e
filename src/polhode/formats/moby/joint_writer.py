"""Joints of a kinematic tree as elements of a Moby file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import ModelError
from ...model import (
    Axes,
    Fixed,
    Helical,
    JointKind,
    Link,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from ...scene import JointSettings, Machine
from ...spatial import Mat3, Quaternion, Transform, Vec3
from ..markup import MarkupElement, is_straight, number, numbers
from .ids import Ids

SINGULAR = 1e-6  # cosine of the second angle where the others mean nothing
AXES = (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0))


@dataclass
class JointWriter:
    """Writes the joints of one model, whose joints are all of kinds that Moby has."""

    machine: Machine
    ids: Ids
    places: Mapping[str, Transform]

    def carriers(self, used: set[str]) -> dict[str, str]:
        """Massless links at a joint that carry a link of their own: see `machines`, the reader.

        From a carrier's name to that of the link it carries.
        """
        links = self.machine.model.links
        children: dict[str | None, list[Link]] = {}
        for link in links:
            children.setdefault(link.parent, []).append(link)
        found = {}
        for link in links:
            below = children.get(link.name, [])
            if (
                len(below) == 1
                and link.name == f"{below[0].name}/joint"
                and isinstance(below[0].joint, Fixed)
                and is_straight(below[0].frame)
                and isinstance(link.joint, (Revolute, Helical, Universal, Spherical, Axes))
                and link.body.is_massless
                and not link.visuals
                and link.name not in used
            ):
                found[link.name] = below[0].name
        return found

    def element(self, link: Link, carriers: Mapping[str, str], base: str | None) -> MarkupElement:
        """The joint that carries a link, or its carrier."""
        outboard, joint = link, link
        if link.parent in carriers:
            joint = next(each for each in self.machine.model.links if each.name == link.parent)
        inboard = base if joint.parent is None else self._id(joint.parent)
        place = self.places[joint.name]
        tag, attributes = self._kind(joint, place.E)
        node = MarkupElement(tag, {"id": self._joint_id(joint), "inboard-link-id": str(inboard)})
        if joint.joint.nv:
            self.ids.outboard[self.machine.name, joint.joint_name] = self._id(outboard.name)
        node.attributes |= {
            "outboard-link-id": self._id(outboard.name),
            "location": numbers(place.r),
            **attributes,
        }
        if joint.joint.nv:
            node.attributes |= self._state(joint)
            node.attributes |= settings_attributes(self.machine.settings(joint.joint_name))
        return node

    def _id(self, link: str) -> str:
        return self.ids.link(self.machine.name, link)

    def _joint_id(self, link: Link) -> str:
        key = link.joint_name if link.joint.nv else f"{link.name}/fixed"
        return self.ids.joints.get((self.machine.name, key), link.joint_name)

    def _kind(self, link: Link, E: Mat3) -> tuple[str, dict[str, str]]:
        """Tag and axes of a joint, axes in world coordinates."""

        def world(axis: Any) -> str:
            return numbers(E.T @ Vec3.of(axis))

        kind: JointKind = link.joint
        match kind:
            case Revolute(axis):
                return "RevoluteJoint", {"axis": world(axis)}
            case Prismatic(axis):
                return "PrismaticJoint", {"axis": world(axis)}
            case Helical(axis):
                pitch = sum(a * b for a, b in zip(axis[:3], axis[3:], strict=True))
                return "ScrewJoint", {"axis": world(axis[:3]), "pitch": number(pitch)}
            case Universal(first, second):
                return "UniversalJoint", {"axis1": world(first), "axis2": world(second)}
            case Axes(rows):
                return "SphericalJoint", {"axis1": world(rows[0][:3]), "axis2": world(rows[1][:3])}
            case Spherical():
                return "SphericalJoint", {"axis1": world(AXES[0]), "axis2": world(AXES[1])}
        return "FixedJoint", {}

    def _state(self, link: Link) -> dict[str, str]:
        """Position, velocity and tare."""
        machine = self.machine
        joint = machine.model.joint(link.joint_name)
        q, qd, tare = (
            list(values[place]) if isinstance(place, slice) else [values[int(k)] for k in place]
            for values, place in ((machine.q, joint.q), (machine.qd, joint.v),
                                  (machine.q_tare, joint.v))
        )  # fmt: skip
        if isinstance(link.joint, Spherical):
            return _ball_state(q, qd)
        found = {}
        if any(q) or any(tare):
            found["q"] = numbers(a - b for a, b in zip(q, tare, strict=True))
        if any(qd):
            found["qd"] = numbers(qd)
        if any(tare):
            found["q-tare"] = numbers(tare)
        return found


def _ball_state(q: list[float], spin: list[float]) -> dict[str, str]:
    """The start of a spherical joint, exactly, and as the angles about x, y, z that Moby reads."""
    x, y, z, w = q
    found = {"orientation": numbers((w, x, y, z)), "spin": numbers(spin)}
    E = Quaternion(w, x, y, z).matrix()
    second = math.asin(max(-1.0, min(1.0, E.z.x)))
    c = math.cos(second)
    if c < SINGULAR:
        return found
    first, third = math.atan2(-E.z.y, E.z.z), math.atan2(-E.y.x, E.x.x)
    sx, sy, sz = spin
    u = math.cos(third) * sx - math.sin(third) * sy
    rate = u / c
    rates = (rate, math.sin(third) * sx + math.cos(third) * sy, sz - E.z.x * rate)
    return {**found, "q": numbers((first, second, third)), "qd": numbers(rates)}


def settings_attributes(settings: JointSettings) -> dict[str, str]:
    """Limits, restitution and friction, without those that are not set."""
    found = {}
    if settings.is_limited:
        found["lower-limits"] = numbers(settings.lower)
        found["upper-limits"] = numbers(settings.upper)
    for key, value in (
        ("restitution-coeff", settings.restitution),
        ("coulomb-friction-coeff", settings.coulomb_friction),
        ("viscous-friction-coeff", settings.viscous_friction),
    ):
        values = set(value) if isinstance(value, tuple) else {value or 0.0}
        if len(values) > 1:
            raise ModelError(
                f"a Moby file has one {key} for all axes of joint '{settings.joint}', got {value}"
            )
        if any(values):
            found[key] = number(*values)
    return found
