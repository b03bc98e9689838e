"""Limits of speed and effort of joints, which act where something drives them."""

from __future__ import annotations

import math
from dataclasses import replace

from ...errors import ModelError
from ...model import Limits
from ...scene import Machine
from ..xml import Element
from .values import child, number


def with_limits(machine: Machine, model: Element) -> Machine:
    """The model with limits of speed and effort on links whose joint has one axis."""
    found = {}
    for joint in model.all("joint"):
        limit = child(joint, "axis", "limit")
        if limit is None:
            continue
        velocity, effort = (_bound(limit, key) for key in ("velocity", "effort"))
        if math.isfinite(velocity) or math.isfinite(effort):
            try:
                found[joint.attributes["name"]] = Limits(velocity=velocity, effort=effort)
            except ModelError as error:
                raise limit.error(str(error)) from None
    links = tuple(
        replace(link, limits=found[link.joint_name])
        if link.joint.nv == 1 and link.joint_name in found
        else link
        for link in machine.model.links
    )
    return replace(machine, model=replace(machine.model, links=links)) if found else machine


def _bound(limit: Element, key: str) -> float:
    """A bound; negative ones mean that there is none."""
    value = number(limit, key, default=-1.0)
    return value if value >= 0.0 else math.inf
