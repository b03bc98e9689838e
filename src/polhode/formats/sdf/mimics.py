"""``<mimic>`` of joints: relations that are kept, or that coupled joints move by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...errors import ModelError
from ...model import Mimic
from ...scene import Machine
from ...scene.coupled import with_couplings
from ..names import near, shorten
from ..reading import Notes
from ..xml import Element
from .values import child, describe, number


def mimics_of(model: Element, notes: Notes) -> dict[str, Mimic]:
    """The relations of the joints of one axis, by joint; others are noted."""
    joints = {each.attributes.get("name", ""): each for each in model.all("joint")}
    found = {}
    for name, joint in joints.items():
        element = child(joint, "axis", "mimic")
        if element is None:
            continue
        leader = element.attributes.get("joint", "")
        if leader == name:
            raise element.error(f"{describe(joint)} mimics itself")
        if leader not in joints:
            text = f"{describe(joint)} mimics an unknown joint '{shorten(leader)}'"
            notes.add("doubtful", text + near(leader, joints), element.line)
        elif element.attributes.get("axis", "axis") != "axis" or child(joint, "axis2") is not None:
            text = f"{describe(joint)}: <mimic> is read for joints of one axis only"
            notes.add("ignored", text, element.line)
        else:
            multiplier = number(element, "multiplier", default=1.0)
            offset = number(element, "offset", default=0.0)
            reference = number(element, "reference", default=0.0)
            found[name] = Mimic(leader, multiplier, offset - multiplier * reference)
    return found


def with_mimics(
    machine: Machine, mimics: Mapping[str, Mimic], element: Element, *, coupled: bool
) -> Machine:
    """The model with relations on its links; if ``coupled``, they share coordinates."""
    moving = {link.joint_name for link in machine.model.links if link.joint.nv == 1}
    mimics = {
        name: replace(each, coupled=coupled)
        for name, each in mimics.items()
        if name in moving and (each.joint in moving or not coupled)
    }
    if not mimics:
        return machine
    if not coupled:
        model = machine.model
        links = tuple(replace(link, mimic=mimics.get(link.joint_name)) for link in model.links)
        return replace(machine, model=replace(model, links=links))
    try:
        return with_couplings(machine, mimics)
    except ModelError as error:
        raise element.error(str(error)) from None
