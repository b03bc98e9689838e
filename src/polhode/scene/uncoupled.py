"""Scenes whose coupled joints have coordinates of their own again, for formats without them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..model import Link
from ..model.coupling import is_follower
from .couplings import Gear
from .machine import Machine

if TYPE_CHECKING:
    from .scene import Scene

_SETTINGS = {"damping": "viscous_friction", "friction": "coulomb_friction",
             "stiffness": "stiffness", "rest": "rest"}  # fmt: skip


def uncoupled(scene: Scene, *, with_gears: bool) -> Scene:
    """The scene with independent joints that start where the coupled ones do.

    Their relations stay in ``link.mimic``; ``with_gears`` they are gears, too.
    """
    if not any(machine.model.is_coupled for machine in scene.machines):
        return scene
    gears = [gear for machine in scene.machines for gear in _gears(machine) if with_gears]
    machines = [_uncoupled(m) if m.model.is_coupled else m for m in scene.machines]
    return replace(scene, machines=tuple(machines), gears=(*scene.gears, *gears))


def _gears(machine: Machine) -> list[Gear]:
    """A gear between each coupled joint and the one that it follows."""
    found = []
    for joint in machine.model.followers:
        assert joint.mimic is not None
        name, ends = f"{machine.name}/{joint.name}", (joint.name, joint.mimic.joint)
        a, b = ((machine.name, end) for end in ends)
        found.append(Gear(name, a, b, joint.mimic.multiplier))
    return found


def _uncoupled(machine: Machine) -> Machine:
    model = machine.model
    links = [_independent(link, machine) for link in model.links]
    whole = replace(model, links=tuple(links))
    q, qd, tare = np.zeros(whole.nq), np.zeros(whole.nv), np.zeros(whole.nv)
    for joint in whole.joints:
        _, multiplier, offset = model.relation(joint.name)
        if multiplier == 0.0:
            q[joint.q] = offset
            continue
        own = model.joint(joint.name)
        q[joint.q] = multiplier * np.array(machine.q)[own.q] + offset
        qd[joint.v] = multiplier * np.array(machine.qd)[own.v]
        tare[joint.v] = multiplier * np.array(machine.q_tare)[own.v]
    rows = (tuple(row.tolist()) for row in (q, qd, tare))
    return replace(machine, model=whole, **dict(zip(("q", "qd", "q_tare"), rows, strict=True)))


def _independent(link: Link, machine: Machine) -> Link:
    """A link without coupling; what settings say of its leader holds for both together."""
    if link.mimic is None or not is_follower(link):
        return link
    leader = machine.model.relation(link.joint_name).leader
    settings = next((each for each in machine.joint_settings if each.joint == leader), None)
    dynamics = link.dynamics
    if settings is not None and dynamics is not None:
        said = {k: 0.0 for k, key in _SETTINGS.items() if getattr(settings, key) is not None}
        dynamics = replace(dynamics, **said)
    return replace(link, mimic=replace(link.mimic, coupled=False), dynamics=dynamics)
