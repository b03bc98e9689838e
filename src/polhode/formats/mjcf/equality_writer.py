"""Loops, gears and mimic joints of a scene as equalities of an MJCF file."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import ModelError
from ...model import Link, Mimic
from ...scene import Gear, Loop, LoopKind, Machine, Scene
from ..markup import MarkupElement, numbers
from .body_writer import BodyWriter
from .site_writer import SiteWriter

TAGS = {LoopKind.SPHERICAL: "connect", LoopKind.FIXED: "weld"}
_ROUND = 1e-12  # of an offset that is zero but for rounding


@dataclass
class EqualityWriter:
    """Writes couplings; the frames of loops become sites on the bodies."""

    scene: Scene
    bodies: BodyWriter
    sites: SiteWriter

    def elements(self) -> list[MarkupElement]:
        """One element for each."""
        loops = [self._loop(loop) for loop in self.scene.loops]
        gears = [self._gear(gear) for gear in self.scene.gears]
        mimics = [
            self._mimic(machine, link, link.mimic)
            for machine in self.bodies.machines
            for link in machine.model.links
            if link.mimic is not None and self._can_follow(machine, link, link.mimic)
        ]
        return loops + gears + mimics

    def _can_follow(self, machine: Machine, link: Link, mimic: Mimic) -> bool:
        if link.joint.nv and (machine.name, mimic.joint) in self.bodies.names.joints:
            return True
        self.bodies.lost.add("mimic relations of joints that do not move", link.joint_name)
        return False

    def _loop(self, loop: Loop) -> MarkupElement:
        if loop.kind not in TAGS:
            raise ModelError(
                f"MJCF has no {loop.kind.value} joint that closes a loop, as '{loop.name}' is "
                f"(scene '{self.scene.name}')"
            )
        site1 = self.sites.at(loop.a, loop.frame_a, f"{loop.name} a")
        site2 = self.sites.at(loop.b, loop.frame_b, f"{loop.name} b")
        return MarkupElement(TAGS[loop.kind], {"name": loop.name, "site1": site1, "site2": site2})

    def _gear(self, gear: Gear) -> MarkupElement:
        joints = self.bodies.names.joints
        return _joints(gear.name, joints[gear.a], joints[gear.b], 0.0, gear.ratio)

    def _mimic(self, machine: Machine, link: Link, mimic: Mimic) -> MarkupElement:
        """A joint that follows another; MJCF has the relation of their ways from the start."""
        own, leader = (self._position(machine, name) for name in (link.joint_name, mimic.joint))
        offset = mimic.multiplier * leader + mimic.offset - own
        joints = self.bodies.names.joints
        names = joints[machine.name, link.joint_name], joints[machine.name, mimic.joint]
        offset = offset if abs(offset) > _ROUND else 0.0
        return _joints(f"{link.joint_name} mimic", *names, offset, mimic.multiplier)

    def _position(self, machine: Machine, name: str) -> float:
        joint = machine.model.joint(name)
        if joint.kind.nv != 1:
            raise ModelError(f"MJCF couples joints of one axis, which '{name}' is not "
                             f"(model '{machine.name}')")  # fmt: skip
        assert isinstance(joint.q, slice)
        return machine.q[joint.q][0]


def _joints(name: str, a: str, b: str, offset: float, ratio: float) -> MarkupElement:
    polynomial = numbers((offset, ratio, 0.0, 0.0, 0.0))
    return MarkupElement("joint", {"name": name, "joint1": a, "joint2": b, "polycoef": polynomial})
