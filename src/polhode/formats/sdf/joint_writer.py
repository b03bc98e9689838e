"""Joints of a model as those of an SDF, with massless links between axes in series."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from ...errors import ModelError
from ...model import (
    Fixed,
    Helical,
    JointKind,
    Link,
    Prismatic,
    Revolute,
    RigidBody,
    Spherical,
    Universal,
)
from ...scene import Machine
from ...spatial import Transform
from ..axes_in_series import axes_in_series
from ..lost import Lost
from .inertia_writer import ROUND, inertial, numbers, pose
from .machine import WORLD
from .screws import PER_METRE


class AxisEntry(NamedTuple):
    """What holds for one velocity entry of a joint."""

    lower: float
    upper: float
    damping: float
    friction: float
    stiffness: float
    rest: float

    @property
    def acts(self) -> bool:
        """Whether there is damping, dry friction or a spring."""
        return any((self.damping, self.friction, self.stiffness))


class JointElements:
    """Lines of the joints of one model."""

    def __init__(self, machine: Machine, lost: Lost):
        self.machine: Machine = machine
        self.lost: Lost = lost
        self.where: str = f"model '{machine.name}'"

    def joints(self, link: Link, place: Transform) -> list[str]:
        """The joint of a link, or a chain of joints with massless links between them."""
        parent = WORLD if link.parent is None else link.parent
        lines, joint = [], link.joint
        kinds = axes_in_series(joint, Universal)
        settings = self._settings(link)
        for k, kind in enumerate(kinds[:-1]):
            between, name = f"{link.name}/{k}", f"{link.joint_name}/{k}"
            lines += _massless(between, place, self.where)
            lines += self._joint(name, kind, parent, between, link, settings[k : k + 1])
            parent = between
        last = settings if len(kinds) == 1 else settings[len(kinds) - 1 :]
        return lines + self._joint(link.joint_name, kinds[-1], parent, link.name, link, last)

    def _settings(self, link: Link) -> list[AxisEntry]:
        """What holds for each velocity entry of a joint."""
        if not link.joint.nv:
            return []
        machine, lost = self.machine, self.lost
        found = machine.settings(link.joint_name)
        rows = machine.dynamics(link.joint_name)
        if found.restitution:
            lost.add("restitution of limits", link.joint_name)
        if any(rows.armature):
            lost.add("armature of joints", link.joint_name)
        return [
            AxisEntry(found.lower[k], found.upper[k], rows.damping[k], rows.friction[k],
                      rows.stiffness[k], rows.rest[k])
            for k in range(link.joint.nv)
        ]  # fmt: skip

    def _joint(
        self, name: str, kind: JointKind, parent: str, child: str, link: Link,
        settings: list[AxisEntry],
    ) -> list[str]:  # fmt: skip
        tag, axes = _kind(kind, name, self.where)
        lines = [f'<joint name={quoteattr(name)} type="{tag}">', *ends(parent, child)]
        if isinstance(kind, Helical):
            lines.append(f"  <{PER_METRE}>{_radians_per_metre(kind)!r}</{PER_METRE}>")
        for k, axis in enumerate(axes):
            key = "axis2" if k else "axis"
            lines += [f"  <{key}>", f"    <xyz>{numbers(axis)}</xyz>"]
            lines += ["    " + x for x in self._one_axis(link, settings[k])]
            lines.append(f"  </{key}>")
        if not axes and any(each.acts for each in settings):
            self.lost.add("springs and friction of joints of several axes", name)
        return [*lines, "</joint>"]

    def _one_axis(self, link: Link, own: AxisEntry) -> Iterator[str]:
        limits = link.limits if link.joint.nv == 1 else None
        if limits is not None and limits.lower_effort is not None:
            self.lost.add("lower efforts of joints", link.joint_name)
        bounds = {
            "lower": own.lower, "upper": own.upper,
            "velocity": math.inf if limits is None else limits.velocity,
            "effort": math.inf if limits is None else limits.effort,
        }  # fmt: skip
        inside = "".join(f"<{k}>{x!r}</{k}>" for k, x in bounds.items() if math.isfinite(x))
        if inside:
            yield f"<limit>{inside}</limit>"
        dynamics = {
            "damping": own.damping, "friction": own.friction,
            "spring_stiffness": own.stiffness, "spring_reference": own.rest,
        }  # fmt: skip
        inside = "".join(f"<{k}>{x!r}</{k}>" for k, x in dynamics.items() if x)
        if inside:
            yield f"<dynamics>{inside}</dynamics>"
        if link.mimic is not None and link.joint.nv == 1:
            m = link.mimic
            yield (f"<mimic joint={quoteattr(m.joint)}><multiplier>{m.multiplier!r}</multiplier>"
                   f"<offset>{m.offset!r}</offset></mimic>")  # fmt: skip


def ends(parent: str, child: str) -> list[str]:
    """The lines of the two links of a joint."""
    return [f"  <parent>{escape(parent)}</parent>", f"  <child>{escape(child)}</child>"]


def _radians_per_metre(kind: Helical) -> float:
    """The older word for the pitch of a screw, which all versions have: positive to the left."""
    along = sum(a * b for a, b in zip(kind.axis[:3], kind.axis[3:], strict=True))
    return -1.0 / along


def _massless(name: str, place: Transform, where: str) -> list[str]:
    """A link between two joints."""
    return [
        f"<link name={quoteattr(name)}>",
        f"  {pose(place)}",
        *("  " + line for line in inertial(RigidBody(), name, where)),
        "</link>",
    ]


def _is_screw(kind: Helical) -> bool:
    """Whether a joint of unit axis moves along it as it turns."""
    has_unit_axis = abs(math.hypot(*kind.axis[:3]) - 1.0) <= ROUND
    return has_unit_axis and kind.is_parallel and any(kind.axis[3:])


def _kind(kind: JointKind, name: str, where: str) -> tuple[str, tuple[tuple[float, ...], ...]]:
    """The type of a joint, and its axes in the child's coordinates."""
    match kind:
        case Fixed():
            return "fixed", ()
        case Spherical():
            return "ball", ()
        case Universal():
            return "universal", (kind.first, kind.second)
        case Revolute() | Prismatic():
            if abs(math.hypot(*kind.axis) - 1.0) > ROUND:
                raise ModelError(
                    f"the axis of joint '{name}' is not of unit length, which an SDF cannot "
                    f"express ({where})"
                )
            return ("revolute" if isinstance(kind, Revolute) else "prismatic"), (kind.axis,)
        case Helical() if _is_screw(kind):
            return "screw", (kind.axis[:3],)
    raise ModelError(f"joint '{name}' of kind '{kind.name}' cannot be written as SDF ({where})")
