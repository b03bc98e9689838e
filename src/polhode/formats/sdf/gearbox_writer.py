"""Gears between two hinges on one body as ``gearbox`` joints; others are not in the format."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from ...model import Link, Revolute
from ...scene import Gear, Machine
from ...spatial import Transform, Vec3
from .axes import AXES
from .gearboxes import GEARBOX, REFERENCE
from .inertia_writer import ROUND, numbers
from .joint_writer import ends
from .machine import WORLD


class _Hinges(NamedTuple):
    """The links whose joints a gear couples, and a body that both of them join to another."""

    a: Link
    b: Link
    reference: str


def is_gearbox(machines: Mapping[str, Machine], gear: Gear) -> bool:
    """Whether a gear of a scene can be written."""
    return _hinges(machines[gear.a[0]], gear) is not None


def gearboxes(
    machine: Machine, gears: tuple[Gear, ...], places: Mapping[str | None, Transform]
) -> Iterator[str]:
    """The lines of those gears that are within a model and can be written.

    ``places`` are the poses of links with all joints at zero.
    """
    for gear in gears:
        found = _hinges(machine, gear)
        if found is None:
            continue
        turned, axis_2 = _side(found.a, found.reference, places)
        turning, axis_1 = _side(found.b, found.reference, places)
        name = gear.name.removeprefix(f"{machine.name}/")
        yield f'<joint name={quoteattr(name)} type="{GEARBOX}">'
        yield from ends(turning, turned)
        yield f"  <gearbox_ratio>{-gear.ratio!r}</gearbox_ratio>"
        yield f"  <{REFERENCE}>{escape(found.reference)}</{REFERENCE}>"
        for key, axis in zip(AXES, (axis_1, axis_2), strict=True):
            yield f"  <{key}><xyz>{numbers(places[turned].E @ axis)}</xyz></{key}>"
        yield "</joint>"


def _hinges(machine: Machine, gear: Gear) -> _Hinges | None:
    """The hinges of a gear within a model; the world turns no child of a joint."""
    if {gear.a[0], gear.b[0]} != {machine.name} or machine.is_fixed:
        return None
    joints = {link.joint_name: link for link in machine.model.links}
    a, b = joints[gear.a[1]], joints[gear.b[1]]
    common = [body for body in _bodies(a) if body in _bodies(b)]
    if not (_is_hinge(a) and _is_hinge(b) and common):
        return None
    is_on_world = WORLD in _bodies(a) and common[0] != WORLD
    return None if is_on_world else _Hinges(a, b, common[0])


def _is_hinge(link: Link) -> bool:
    kind = link.joint
    return isinstance(kind, Revolute) and abs(math.hypot(*kind.axis) - 1.0) <= ROUND


def _bodies(link: Link) -> tuple[str, str]:
    """The two bodies that the joint of a link joins."""
    return (WORLD if link.parent is None else link.parent), link.name


def _side(link: Link, reference: str, places: Mapping[str | None, Transform]) -> tuple[str, Vec3]:
    """The body that a hinge turns from its reference, and the axis in world coordinates."""
    assert isinstance(link.joint, Revolute)
    axis = places[link.name].E.T @ Vec3(*link.joint.axis)
    parent, name = _bodies(link)
    return (name, axis) if reference == parent else (parent, -axis)
