"""Ids in a file, where bodies of all models share one name space."""

from __future__ import annotations

from collections import Counter

from ...model import Fixed, FloatingBase
from ...scene import Machine, Scene


class Ids:
    """The id of every model, link and joint of a scene.

    A link keeps its name unless another model, or another model's link, has it.
    """

    def __init__(self, scene: Scene):
        self.scene = scene
        links = Counter(link for m in scene.machines for link in m.link_names)
        joints = Counter(j.joint_name for m in scene.machines for j in m.model.links)
        machines = {machine.name for machine in scene.machines}
        self.links: dict[tuple[str, str], str] = {}
        self.joints: dict[tuple[str, str], str] = {}
        self.outboard: dict[tuple[str, str], str] = {}
        """The link that a joint of a model carries, once that model has been written."""
        for machine in scene.machines:
            for link in machine.model.links:
                name = link.name
                taken = links[name] > 1 or (name in machines and not is_single(machine))
                key = machine.name, name
                self.links[key] = f"{machine.name}/{name}" if taken else name
                joint = link.joint_name
                label = f"{machine.name}/{joint}" if joints[joint] > 1 else joint
                while label in self.joints.values():
                    label += "'"
                self.joints[machine.name, joint if link.joint.nv else f"{name}/fixed"] = label
        taken_names = {force.name for force in scene.forces}
        self.gravity: str = "gravity"
        while self.gravity in taken_names:
            self.gravity += "'"

    def machine(self, name: str) -> str:
        return name

    def link(self, machine: str, link: str) -> str:
        return self.links.get((machine, link), f"{machine}/{link}")

    def name(self, name: str) -> str:
        """The id for a name of a geometry, body or model."""
        keys = self.scene.names.find(name, "name")
        if any(key[0] != "body" for key in keys):
            return name
        return self.links[keys[0][1], keys[0][2]]


def is_single(machine: Machine) -> bool:
    """Whether a model is one body of its own name, free or immovable."""
    links = machine.model.links
    kinds = (Fixed, FloatingBase)
    return machine.link_names == (machine.name,) and isinstance(links[0].joint, kinds)
