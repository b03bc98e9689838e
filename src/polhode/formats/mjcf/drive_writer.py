"""Tendons and actuators of a scene as those of an MJCF file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count

from ...model import (
    Actuator,
    AdhesionTransmission,
    Affine,
    Anchor,
    DCMotor,
    ForceLaw,
    JointKind,
    JointTransmission,
    Pulley,
    SiteFrame,
    SiteTransmission,
    SliderCrankTransmission,
    Spherical,
    Tendon,
    TendonTransmission,
    Wrapping,
)
from ...model.tendons import UNLIMITED, PathPart, Range
from ...scene import Scene
from ..lost import Lost
from ..markup import MarkupElement, number, numbers
from .actuator_laws import servo_period
from .actuators import Pose
from .body_writer import BodyWriter, Key
from .geom_writer import Attributes, posed
from .law_writer import written_law, written_motor
from .site_writer import SiteWriter
from .tree import unused

_HIDDEN = {"contype": "0", "conaffinity": "0", "group": "4"}
_IN_POSE = -1.0  # a rest length that MuJoCo takes for the length in the pose of the file
_JUST_ABOVE = -1.0 + 2.0**-53


class Unwritten(Exception):
    """A part that the format has no place for; the text says what it is."""


@dataclass
class DriveWriter:
    """Writes tendons and actuators; points and frames of theirs become sites."""

    scene: Scene
    bodies: BodyWriter
    sites: SiteWriter
    lost: Lost
    geoms: set[str]
    """Names of geoms."""
    names: dict[str, set[str]] = field(default_factory=dict)
    """Names of what is in the file, of each kind."""

    def tendons(self) -> list[MarkupElement]:
        """The tendons, in order; before the actuators."""
        return list(self._written("tendon", self.scene.tendons))

    def actuators(self) -> list[MarkupElement]:
        """The actuators, in the order of their controls."""
        return list(self._written("actuator", self.scene.actuators))

    def _written(self, kind: str, parts: Iterable[Tendon | Actuator]) -> Iterator[MarkupElement]:
        names = self.names.setdefault(kind, set())
        for part in parts:
            try:
                yield self._tendon(part) if isinstance(part, Tendon) else self._actuator(part)
            except Unwritten as reason:
                self.lost.add(f"{kind}s {reason}", part.name)
            else:
                names.add(part.name)

    # -- parts of the scene by their names --

    @cached_property
    def _kinds(self) -> dict[str, JointKind]:
        """The joints in the file."""
        return {part.name: part.kind for part in self.bodies.parts}

    def _link(self, name: str | None) -> Key | None:
        key = None if name is None else self.bodies.names.link(name)
        if name is not None and key is None:
            raise Unwritten("on models that do not take part")
        return key

    def _joint(self, name: str) -> str:
        """The name of a joint in the file, which is one joint there, too."""
        key = self.bodies.names.joint(name)
        if key is None:
            raise Unwritten("on models that do not take part")
        machine, joint = key
        own = self.bodies.names.joints[key]
        kind = self.scene.machine(machine).model.joint(joint).kind
        if self._kinds.get(own) != kind:
            raise Unwritten("on joints of several axes")
        return own

    def _site(self, at: Anchor | SiteFrame, name: str) -> str:
        link = self._link(at.body)
        if isinstance(at, Anchor):
            return self.sites.at_point(link, at.point, name)
        return self.sites.at(link, at.frame, name)

    # -- tendons --

    def _tendon(self, tendon: Tendon) -> MarkupElement:
        values = {"name": tendon.name} | self._forces(tendon)
        if not tendon.path:
            joints = [MarkupElement("joint", {"joint": self._joint(name), "coef": number(factor)})
                      for name, factor in tendon.joints]  # fmt: skip
            return MarkupElement("fixed", values, joints)
        numbered = count()
        path = [self._part(part, f"{tendon.name} {next(numbered)}") for part in tendon.path]
        return MarkupElement("spatial", values, path)

    def _forces(self, tendon: Tendon) -> Attributes:
        """Its attributes but for what is zero."""
        armature = tendon.armature
        if armature and Pose(self.scene.model, list(self.scene.q0)).joins_branches(tendon):
            self.lost.add("armature of tendons between branches of the tree", tendon.name)
            armature = 0.0
        values = {"stiffness": tendon.stiffness, "damping": tendon.damping, "armature": armature,
                  "frictionloss": tendon.friction}  # fmt: skip
        found = {key: number(value) for key, value in values.items() if value}
        if tendon.stiffness:
            rest = (_JUST_ABOVE if x == _IN_POSE else x for x in tendon.rest)
            found["springlength"] = numbers(rest)
        return found | self._bounds(tendon.name, range=tendon.limits,
                                    actuatorfrcrange=tendon.force_range)  # fmt: skip

    def _part(self, part: PathPart, name: str) -> MarkupElement:
        match part:
            case Anchor():
                return MarkupElement("site", {"site": self._site(part, name)})
            case Pulley(divisor):
                return MarkupElement("pulley", {"divisor": number(divisor)})
        values = {"geom": self._wrapped(part, name)}
        if part.side is not None:
            values["sidesite"] = self._site(part.side, f"{name} side")
        return MarkupElement("geom", values)

    def _wrapped(self, part: Wrapping, name: str) -> str:
        """A geom that touches nothing."""
        own = unused(name, self.geoms)
        link, frame = self.sites.on_body(self._link(part.body), part.frame)
        shape = {"type": "sphere", "size": number(part.radius)}
        if part.is_cylinder:
            shape = {"type": "cylinder", "size": numbers((part.radius, part.radius))}
        element = MarkupElement("geom", {"name": own, **shape, **_HIDDEN, **posed(frame)})
        self.bodies.element(link).children.append(element)
        return own

    # -- actuators --

    def _actuator(self, actuator: Actuator) -> MarkupElement:
        law = actuator.law
        values = {"name": actuator.name} | self._target(actuator)
        if isinstance(actuator.transmission, AdhesionTransmission):
            return self._adhesion(actuator, values)
        values["gear"] = numbers(actuator.gear)
        ranges = actuator.control_range
        values |= self._bounds(
            actuator.name, forcerange=actuator.force_range, actrange=actuator.activation_range,
            ctrlrange=ranges[0] if ranges else UNLIMITED,
        )  # fmt: skip
        if any(each != UNLIMITED for each in ranges[1:]):
            self.lost.add("ranges of second and third controls of actuators", actuator.name)
        if isinstance(law, DCMotor):
            self._check_lead(actuator, is_early=law.time_constant > 0.0)
            return MarkupElement("dcmotor", values | written_motor(law))
        self._check_period(actuator, law)
        if actuator.lead and law.activation is not None:
            self._check_lead(actuator, is_early=True)
            values["actearly"] = "true"
        return MarkupElement("general", values | written_law(actuator, law))

    def _target(self, actuator: Actuator) -> Attributes:
        """What it acts on."""
        name = actuator.name
        match actuator.transmission:
            case JointTransmission(joint, in_parent):
                return {"jointinparent" if in_parent else "joint": self._joint(joint)}
            case TendonTransmission(tendon):
                if tendon not in self.names["tendon"]:
                    raise Unwritten("on tendons that are not written")
                return {"tendon": tendon}
            case SiteTransmission(site, reference):
                found = {"site": self._site(site, f"{name} site")}
                if reference is not None:
                    found["refsite"] = self._site(reference, f"{name} reference")
                return found
            case SliderCrankTransmission(crank, slider, rod):
                return {"cranksite": self._site(crank, f"{name} crank"),
                        "slidersite": self._site(slider, f"{name} slider"),
                        "cranklength": number(rod)}  # fmt: skip
            case AdhesionTransmission(body):
                key = self._link(body)
                if key not in self.bodies.bodies:
                    raise Unwritten("on links without mass")
                return {"body": self.bodies.names.links[key]}

    def _adhesion(self, actuator: Actuator, values: Attributes) -> MarkupElement:
        law = actuator.law
        gain = law.gain if isinstance(law, ForceLaw) else None
        if not isinstance(gain, Affine):
            raise Unwritten("of adhesion with another law than a gain")
        values |= self._bounds(actuator.name, ctrlrange=actuator.control_range[0],
                               forcerange=actuator.force_range)  # fmt: skip
        return MarkupElement("adhesion", values | {"gain": number(gain.constant)})

    def _check_period(self, actuator: Actuator, law: ForceLaw) -> None:
        at, is_ball = actuator.transmission, False
        if isinstance(at, JointTransmission):
            is_ball = isinstance(self.scene.model.joint(at.joint).kind, Spherical)
        plain = replace(law, period=0.0)
        if law.period != servo_period(actuator, plain, is_ball=is_ball):
            self.lost.add("periods of setpoints of actuators", actuator.name)

    def _check_lead(self, actuator: Actuator, *, is_early: bool) -> None:
        """MuJoCo's lead is the time step."""
        expected = self.scene.settings.step_size if is_early else actuator.lead
        if actuator.lead != expected:
            self.lost.add("leads of activation but the time step", actuator.name)

    def _bounds(self, of: str, **ranges: Range) -> Attributes:
        """Those that limit something; one of a single value is none in MuJoCo."""
        for low, high in ranges.values():
            if low == high:
                self.lost.add("ranges of one value of tendons and actuators", of)
        return {key: numbers(bounds) for key, bounds in ranges.items() if bounds[0] < bounds[1]
                and bounds != UNLIMITED}  # fmt: skip
