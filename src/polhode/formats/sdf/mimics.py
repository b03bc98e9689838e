"""``<mimic>`` of joints: relations that are kept, or that coupled joints move by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ...errors import ModelError
from ...model import JointDynamics, Limits, Link, Mimic, Model
from ...scene import JointSettings, Machine
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
    shared = {*mimics, *(each.joint for each in mimics.values())} if coupled else set()
    own = {each.joint: each for each in machine.joint_settings}
    links = [
        replace(_declaring(link, own) if link.joint_name in shared else link,
                mimic=mimics.get(link.joint_name) if link.joint.nv else None)
        for link in machine.model.links
    ]  # fmt: skip
    settings = tuple(each for each in machine.joint_settings if each.joint not in shared)
    try:
        model = replace(machine.model, links=tuple(links))
    except ModelError as error:
        raise element.error(str(error)) from None
    q, qd = _start(machine, model)
    return replace(machine, model=model, q=q, qd=qd, q_tare=(0.0,) * model.nv,
                   joint_settings=settings)  # fmt: skip


def _declaring(link: Link, settings: Mapping[str, JointSettings]) -> Link:
    """A link that declares what the settings of its joint say."""
    own = settings.get(link.joint_name)
    if own is None or not link.joint.nv:
        return link
    dynamics = JointDynamics(own.viscous_friction or 0.0, own.coulomb_friction or 0.0, 0.0,
                             own.stiffness or 0.0, own.rest or 0.0)  # fmt: skip
    limits = Limits(own.lower[0], own.upper[0]) if own.is_limited else None
    return replace(link, limits=limits, dynamics=None if dynamics == JointDynamics() else dynamics)


def _start(machine: Machine, model: Model) -> tuple[tuple[float, ...], ...]:
    """Where and how fast the joints that still have coordinates start."""
    q, qd = np.zeros(model.nq), np.zeros(model.nv)
    for joint in model.joints:
        before = machine.model.joint(joint.name)
        q[joint.q] = np.array(machine.q)[before.q]
        qd[joint.v] = np.array(machine.qd)[before.v]
    return tuple(q.tolist()), tuple(qd.tolist())
