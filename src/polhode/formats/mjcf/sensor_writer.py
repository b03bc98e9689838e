"""Sensors of a scene as those of an MJCF file, at sites of their frames."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ...model import Sensor, SensorKind
from ...scene import Scene
from ..lost import Lost
from ..markup import MarkupElement, number, numbers
from .body_writer import BodyWriter
from .compiler import TIMESTEP
from .geom_writer import Attributes, primitive_values
from .sensors import KINDS, MAGNETIC
from .site_writer import SiteWriter

_TAGS = {kind: tag for tag, kind in KINDS.items()}
_OF_SUBTREES = (SensorKind.SUBTREE_COM, SensorKind.SUBTREE_LINEAR_VELOCITY,
                SensorKind.SUBTREE_ANGULAR_MOMENTUM)  # fmt: skip
_EVERYWHERE = 1e6  # radius of the zone of a touch sensor that has none [m]


@dataclass
class SensorWriter:
    """Writes sensors; ``names`` are those of the tendons and actuators in the file."""

    scene: Scene
    bodies: BodyWriter
    sites: SiteWriter
    names: Mapping[str, set[str]]
    lost: Lost

    def elements(self) -> list[MarkupElement]:
        """The sensors, in order, but those of what is not in the file."""
        found = []
        for sensor in self.scene.sensors:
            values = self._subject(sensor)
            if values is None:
                self.lost.add("sensors of what is not written", sensor.name)
                continue
            values = {"name": sensor.name} | values | self._signal(sensor)
            found.append(MarkupElement(_TAGS[sensor.kind], values))
        return found

    def option(self) -> Attributes:
        """The magnetic field, which is the same for all magnetometers in MJCF."""
        meters = [each for each in self.scene.sensors if each.kind is SensorKind.MAGNETOMETER]
        for other in meters[1:]:
            if other.magnetic_field != meters[0].magnetic_field:
                self.lost.add("magnetic fields of some sensors", other.name)
        if not meters or meters[0].magnetic_field == MAGNETIC:
            return {}
        return {"magnetic": numbers(meters[0].magnetic_field)}

    def _subject(self, sensor: Sensor) -> Attributes | None:
        """What it measures; None if that is not in the file."""
        of, subject = sensor.of, sensor.kind.subject
        if not subject:
            return {}
        if isinstance(of, str):
            return {subject: of} if of in self.names[subject] else None
        machines = {machine.name for machine in self.bodies.machines}
        if any(end is not None and end[0] not in machines for end in (of, sensor.reference)):
            return None
        if subject != "body":
            own = self.bodies.names.joints.get(of) if of else None
            return None if own is None else {"joint": own}
        if sensor.kind in _OF_SUBTREES:
            is_body = of is None or of in self.bodies.bodies
            return {"body": self.bodies.names.links[of] if of else "world"} if is_body else None
        return self._frame(sensor)

    def _frame(self, sensor: Sensor) -> Attributes | None:
        """The site of a sensor, and of its reference."""
        of, reference = sensor.of, sensor.reference
        assert not isinstance(of, str) and not isinstance(reference, str)
        if sensor.kind is SensorKind.TOUCH:
            size = number(_EVERYWHERE)
            zone = {"size": size} if sensor.zone is None else primitive_values(sensor.zone)
            if zone is None:
                return None
            return {"site": self.sites.with_shape(of, sensor.frame, f"{sensor.name} site", zone)}
        site = self.sites.at(of, sensor.frame, f"{sensor.name} site")
        if not _TAGS[sensor.kind].startswith("frame"):
            return {"site": site}
        found = {"objtype": "site", "objname": site}
        if reference is not None:
            other = self.sites.at(reference, sensor.reference_frame, f"{sensor.name} reference")
            found |= {"reftype": "site", "refname": other}
        return found

    def _signal(self, sensor: Sensor) -> Attributes:
        """Noise, delay and bounds of its values."""
        values = {"cutoff": sensor.cutoff, "noise": sensor.noise, "delay": sensor.delay}
        found = {key: number(value) for key, value in values.items() if value}
        if sensor.delay:
            step = self.scene.settings.step_size or TIMESTEP
            found["nsample"] = str(math.ceil(sensor.delay / step) + 1)
        return found
