"""The start of a scene, and its keyframes, as keyframes of an MJCF file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...model import Spherical
from ...scene import Keyframe, Scene
from ..markup import MarkupElement, number, numbers
from .geom_writer import Attributes
from .joint_writer import WrittenJoint
from .tree import unused


@dataclass
class KeyframeWriter:
    """Writes states; ``parts`` are the joints in the file, ``names`` what else is in it."""

    scene: Scene
    parts: Sequence[WrittenJoint]
    names: Mapping[str, set[str]]

    def elements(self) -> list[MarkupElement]:
        """The keyframes, and one for the start where that is not the reference at rest."""
        taken = {each.name for each in self.scene.keyframes}
        found = [self._keyframe(each) for each in self.scene.keyframes]
        if self._needs_start:
            values = {"name": unused("start", taken)} | self._state({}, {})
            found.insert(0, MarkupElement("key", values))
        return found

    @property
    def _needs_start(self) -> bool:
        """A spherical joint has no reference position; nothing has a velocity."""
        balls = (p for p in self.parts if isinstance(p.kind, Spherical))
        return any(p.q != p.kind.neutral() for p in balls) or any(any(p.qd) for p in self.parts)

    def _keyframe(self, keyframe: Keyframe) -> MarkupElement:
        values = {"name": keyframe.name}
        if keyframe.time:
            values["time"] = number(keyframe.time)
        state = self._state(dict(keyframe.q), dict(keyframe.qd))
        if not (keyframe.q or self._needs_start):
            del state["qpos"]
        if not (keyframe.qd or self._needs_start):
            del state["qvel"]
        values |= state
        if keyframe.activation:
            counts = [each.n_activations for each in self.scene.actuators]
            values["act"] = numbers(self._of_written(keyframe.activation, counts))
        if keyframe.controls:
            counts = [each.n_controls for each in self.scene.actuators]
            values["ctrl"] = numbers(self._of_written(keyframe.controls, counts))
        return MarkupElement("key", values)

    def _state(
        self, q: Mapping[str, Sequence[float]], qd: Mapping[str, Sequence[float]]
    ) -> Attributes:
        """Positions and velocities of models; others are at their start."""
        starts = {machine.name: machine for machine in self.scene.machines}
        qpos = [x for p in self.parts for x in p.qpos(q.get(p.machine, starts[p.machine].q))]
        qvel = [x for p in self.parts for x in p.qvel(qd.get(p.machine, starts[p.machine].qd))]
        return {"qpos": numbers(qpos), "qvel": numbers(qvel)}

    def _of_written(self, values: Sequence[float], counts: Sequence[int]) -> Iterator[float]:
        """Those of the actuators that are in the file."""
        each = iter(values)
        for actuator, count in zip(self.scene.actuators, counts, strict=True):
            own = [next(each, 0.0) for _ in range(count)]
            if actuator.name in self.names["actuator"]:
                yield from own
