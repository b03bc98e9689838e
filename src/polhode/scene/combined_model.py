"""All models of a scene side by side in one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..model import JointDynamics, Link, Model, Visual
from ..model.coupling import is_follower
from .machine import Machine

if TYPE_CHECKING:
    from .scene import Scene

Start = tuple[float, ...]


def combined_model(scene: Scene) -> tuple[Model, Start, Start]:
    """The combined model of a scene, its ``q`` and its ``qd`` at the start."""
    shown: dict[tuple[str, str], list[Visual]] = {}
    for each in scene.geometries:
        if each.shape is not None:
            visual = Visual(each.shape, each.frame, name=each.name)
            shown.setdefault((each.machine, each.body), []).append(visual)
    links = [
        _moved(machine, link, tuple(shown.get((machine.name, link.name), ())))
        for machine in scene.machines
        for link in machine.model.links
    ]
    model = Model(
        scene.name, links, scene.gravity, tendons=scene.tendons, actuators=scene.actuators,
        fluid=scene.fluid,
    )  # fmt: skip
    q = [x for m in scene.machines for x in m.q[: m.model.nv]]
    q += [x for m in scene.machines for x in m.q[m.model.nv :]]
    return model, tuple(q), tuple(x for m in scene.machines for x in m.qd)


def _moved(machine: Machine, link: Link, shapes: tuple[Visual, ...]) -> Link:
    """A link under its model's name; without visuals of its own it shows its collision shapes."""
    prefix = machine.name + "/"
    return replace(
        link,
        name=prefix + link.name,
        parent=None if link.parent is None else prefix + link.parent,
        joint_name=prefix + link.joint_name,
        visuals=link.visuals or shapes,
        dynamics=_dynamics(machine, link),
        mimic=link.mimic and replace(link.mimic, joint=prefix + link.mimic.joint),
    )


def _dynamics(machine: Machine, link: Link) -> JointDynamics | None:
    """What the joint of a link does by itself in the scene."""
    if not link.joint.nv or is_follower(link):  # what a follower does is its leader's
        return None
    entries = machine.dynamics(link.joint_name)
    return JointDynamics(*entries) if any(any(row) for row in entries) else None
