"""What a joint does along its axes besides moving: limits, friction and springs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from ...errors import ModelError
from ...model import Limits
from ...model.checks import Entries
from ...scene import JointSettings, Machine
from ..reading import Notes
from ..xml import Element
from .values import child, describe, number

NO_LIMIT = 1e15  # SDF's own default is 1e16
AXES = ("axis", "axis2")


def joint_settings(name: str, joint: Element, freedoms: int, notes: Notes) -> JointSettings:
    """Limits, friction and springs of a joint of one axis or two; other joints have none."""
    read = AXES[:freedoms] if freedoms <= len(AXES) else ()
    _note_unread(joint, read, notes)
    found = [_along(name, joint, axis, notes) for key in read if (axis := child(joint, key))]
    if len(found) < len(AXES):
        return found[0] if found else JointSettings(name)
    return JointSettings(
        name,
        tuple(low for each in found for low in each.lower),
        tuple(high for each in found for high in each.upper),
        coulomb_friction=_entries(each.coulomb_friction for each in found),
        viscous_friction=_entries(each.viscous_friction for each in found),
        stiffness=_entries(each.stiffness for each in found),
        rest=_entries(each.rest for each in found),
    )


def with_limits(machine: Machine, model: Element) -> Machine:
    """The model with limits of speed and effort, which act where something drives a joint.

    Only joints of one axis have them.
    """
    found = {}
    for joint in model.all("joint"):
        limit = child(joint, "axis", "limit")
        if limit is not None and (bounds := _bounds(limit)) != Limits():
            found[joint.attributes["name"]] = bounds
    links = tuple(
        replace(link, limits=found[link.joint_name])
        if link.joint.nv == 1 and link.joint_name in found
        else link
        for link in machine.model.links
    )
    return replace(machine, model=replace(machine.model, links=links)) if found else machine


def note_bare(name: str, joint: Element, notes: Notes) -> None:
    """Note limits, friction and springs of axes that nothing but point."""
    for key in AXES:
        axis = child(joint, key)
        if axis is None:
            continue
        limit, own = child(axis, "limit"), _along(name, joint, axis, notes)
        is_bounded = own.is_limited or (limit is not None and _bounds(limit) != Limits())
        if is_bounded or own.coulomb_friction or own.viscous_friction or own.stiffness:
            kind = joint.attributes["type"]
            text = f"{describe(joint)}: <limit> and <dynamics> of a {kind} joint are not read"
            notes.add("ignored", text, axis.line)


def _along(name: str, joint: Element, axis: Element, notes: Notes) -> JointSettings:
    """The settings of one axis."""
    limit, dynamics = child(axis, "limit"), child(axis, "dynamics")
    lower = number(axis, "limit", "lower", default=-math.inf, may_be_infinite=True)
    upper = number(axis, "limit", "upper", default=math.inf, may_be_infinite=True)
    lower = -math.inf if lower < -NO_LIMIT else lower
    upper = math.inf if upper > NO_LIMIT else upper
    if joint.attributes["type"] == "continuous" and (lower, upper) != (-math.inf, math.inf):
        text = f"{describe(joint)}: <lower> and <upper> of a continuous joint are not read"
        notes.add("ignored", text, (limit or axis).line)
        lower, upper = -math.inf, math.inf
    try:
        settings = JointSettings(name, (lower,), (upper,))
    except ModelError as error:
        raise (limit or axis).error(str(error)) from None
    try:
        return replace(
            settings,
            coulomb_friction=number(axis, "dynamics", "friction", default=0.0),
            viscous_friction=number(axis, "dynamics", "damping", default=0.0),
            stiffness=number(axis, "dynamics", "spring_stiffness", default=0.0),
            rest=number(axis, "dynamics", "spring_reference", default=0.0),
        )
    except ModelError as error:
        raise (dynamics or axis).error(str(error)) from None


def _entries(values: Iterable[Entries | None]) -> Entries:
    """One number for each axis, or zero for all."""
    found = tuple(value for value in values if isinstance(value, float))
    return found if any(found) else 0.0


def _bounds(limit: Element) -> Limits:
    """The largest speed and effort; negative ones mean that there is none."""
    found = {
        key: number(limit, key, default=-1.0, may_be_infinite=True)
        for key in ("velocity", "effort")
    }
    try:
        return Limits(**{key: value for key, value in found.items() if value >= 0.0})
    except ModelError as error:
        raise limit.error(str(error)) from None


def _note_unread(joint: Element, read: tuple[str, ...], notes: Notes) -> None:
    """Note axes that a joint does not have, and bounds that joints of two axes do not have."""
    kind = joint.attributes["type"]
    for key in AXES:
        axis = child(joint, key)
        if axis is not None and key not in read:
            text = f"{describe(joint)}: <{key}> of a {kind} joint is not read"
            notes.add("hint" if kind == "fixed" else "ignored", text, axis.line)
        limit = None if axis is None else child(axis, "limit")
        if len(read) == len(AXES) and limit is not None and _bounds(limit) != Limits():
            text = f"{describe(joint)}: <velocity> and <effort> of a {kind} joint are not read"
            notes.add("ignored", text, limit.line)
