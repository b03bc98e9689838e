"""``<sensor>``: what is measured, at frames of bodies, at joints, of the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field

from ...model import (
    FloatingBase,
    RigidBody,
    Sensor,
    SensorKind,
    Shape,
    Spherical,
)
from ...spatial import Transform, Vec3
from ..names import near, shorten
from ..reading import Notes
from ..xml import Element
from .contacts import found_by_name
from .fitting import PRIMITIVES
from .geoms import Geom, frame_and_size, primitive_shape
from .inertia import inertia_axes
from .joints import MjcfJoint
from .source import Attachment
from .tree import MjcfBody, MjcfTree, Part
from .values import choice, describe, errors_at, number, numbers, required, text, vector

KINDS = {
    "accelerometer": "accelerometer", "gyro": "gyro", "velocimeter": "velocimeter",
    "magnetometer": "magnetometer", "force": "force", "torque": "torque", "touch": "touch",
    "rangefinder": "rangefinder",
    "framepos": "frame_position", "framequat": "frame_quaternion", "framexaxis": "frame_x_axis",
    "frameyaxis": "frame_y_axis", "framezaxis": "frame_z_axis",
    "framelinvel": "frame_linear_velocity", "frameangvel": "frame_angular_velocity",
    "framelinacc": "frame_linear_acceleration", "frameangacc": "frame_angular_acceleration",
    "subtreecom": "subtree_com", "subtreelinvel": "subtree_linear_velocity",
    "subtreeangmom": "subtree_angular_momentum",
    "jointpos": "joint_position", "jointvel": "joint_velocity", "ballquat": "joint_quaternion",
    "ballangvel": "joint_angular_velocity", "jointactuatorfrc": "joint_actuator_force",
    "jointlimitpos": "joint_limit_position", "jointlimitvel": "joint_limit_velocity",
    "jointlimitfrc": "joint_limit_force",
    "e_potential": "potential_energy", "e_kinetic": "kinetic_energy", "clock": "clock",
    "actuatorpos": "actuator_position", "actuatorvel": "actuator_velocity",
    "actuatorfrc": "actuator_force",
    "tendonpos": "tendon_position", "tendonvel": "tendon_velocity",
    "tendonactuatorfrc": "tendon_actuator_force", "tendonlimitpos": "tendon_limit_position",
    "tendonlimitvel": "tendon_limit_velocity", "tendonlimitfrc": "tendon_limit_force",
}  # fmt: skip
"""What MuJoCo's sensors are called here."""
UNREAD = ("user", "plugin", "contact", "tactile", "distance", "normal", "fromto", "insidesite",
          "camprojection")  # fmt: skip
_READ = {"name", "noise", "cutoff", "delay", "site", "camera", "joint", "body", "actuator",
         "tendon", "objtype", "objname", "reftype", "refname"}  # fmt: skip
_QUIET = {"user", "nsample"}
_OBJECTS = ("body", "xbody", "geom", "site", "camera")
MOST_SENSORS = 5_000
MAGNETIC = (0.0, -0.5, 0.0)
_SITE_SIZE = 0.005
Place = tuple[MjcfBody, Transform]


@dataclass
class Sensors:
    """The sensors of a file."""

    tree: MjcfTree
    joints: Mapping[MjcfBody, list[MjcfJoint]]
    geoms: Mapping[MjcfBody, list[Geom]]
    masses: Mapping[MjcfBody, RigidBody]
    owner: Mapping[MjcfBody, str]
    notes: Notes
    found: list[Sensor] = field(default_factory=list)
    _names: set[str] = field(default_factory=set)
    _counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        options = self.tree.main.document.root.all("option")
        fields = [vector(each, "magnetic", MAGNETIC) for each in options
                  if "magnetic" in each.attributes]  # fmt: skip
        self._field: tuple[float, ...] = tuple(fields[-1]) if fields else MAGNETIC
        for source in self.tree.sources:
            for section in source.document.root.all("sensor"):
                for element in section.children:
                    self._read(source, element)

    def of_parts(self, names: Mapping[str, Container[object]]) -> tuple[Sensor, ...]:
        """Those of tendons and actuators that were read, by their names, and all others."""
        found = []
        for sensor in self.found:
            subject = sensor.kind.subject
            if subject in names and sensor.of not in names[subject]:
                told = f"sensor '{shorten(sensor.name)}' is of an {subject} that is not read"
                self.notes.add("ignored", told, None, f"<{subject}>", "<sensor>")
                continue
            found.append(sensor)
        return tuple(found)

    def _read(self, source: Attachment, element: Element) -> None:
        tag = element.tag
        if tag in UNREAD:
            self._ignore(element, f"<{tag}> of <sensor> is not read")
            return
        if tag not in KINDS:
            raise element.error(f"unknown element <{shorten(tag)}> in <sensor>{near(tag, KINDS)}")
        if tag == "rangefinder" and text(element, "data") not in (None, "dist"):
            self._ignore(element, "a range finder gives only the distance")
            return
        for key in element.attributes.keys() - _READ - _QUIET - {"data"}:
            told = f"{describe(element)}: attribute '{shorten(key)}' is not read"
            hint = self.notes.hint(key, _READ)
            self.notes.add("ignored", told + hint, element.line, f"'{key}'", "<sensor>")
        kind = SensorKind(KINDS[tag])
        read: Callable[..., Iterator[Sensor]] = {
            "": self._whole, "body": self._on_body, "joint": self._on_joint,
            "spherical": self._on_joint, "actuator": self._named, "tendon": self._named,
        }[kind.subject]  # fmt: skip
        with errors_at(element):
            for sensor in read(source, element, kind):
                if len(self.found) == MOST_SENSORS:
                    raise element.error(f"expected at most {MOST_SENSORS} sensors, with replicas")
                self.found.append(sensor)

    def _ignore(self, element: Element, told: str) -> None:
        self.notes.add("ignored", told, element.line, f"<{shorten(element.tag)}>", "<sensor>")

    def _sensor(
        self, source: Attachment, element: Element, kind: SensorKind, part: str = "",
        suffix: str = "", **more: object,
    ) -> Sensor:  # fmt: skip
        """A sensor of a part; of a replica's, its name ends as that does."""
        own = source.name(element, suffix)
        if own in self._names:
            raise element.error(f"duplicate sensor name '{shorten(own)}'")
        own = own or self._unused(f"{element.tag} {part}".strip())
        self._names.add(own)
        values = {key: number(element, key, 0.0) for key in ("cutoff", "noise", "delay")}
        return Sensor(own, kind, **values, **more)  # type: ignore[arg-type]

    def _unused(self, name: str) -> str:
        """This name, or with a number behind it."""
        self._counts[name] += 1
        count = self._counts[name]
        found = name if count == 1 else f"{name} {count}"
        return self._unused(name) if found in self._names else found

    # -- of the whole, of joints, of actuators and tendons --

    def _whole(self, source: Attachment, element: Element, kind: SensorKind) -> Iterator[Sensor]:
        yield self._sensor(source, element, kind)

    def _on_joint(self, source: Attachment, element: Element, kind: SensorKind) -> Iterator[Sensor]:
        keys = [("joint", required(element, "joint"))]
        for ((body, part),) in found_by_name(source, element, keys):
            joint = next(each for each in self.joints[body] if each.part is part)
            is_ball = isinstance(joint.kind, Spherical)
            if isinstance(joint.kind, FloatingBase) or is_ball != (kind.subject == "spherical"):
                raise element.error(f"{describe(element)}: '{joint.name}' is of another type")
            suffix = joint.name.removeprefix(source.prefix + keys[0][1])
            yield self._sensor(source, element, kind, joint.name, suffix,
                               of=(self.owner[body], joint.name))  # fmt: skip

    def _named(self, source: Attachment, element: Element, kind: SensorKind) -> Iterator[Sensor]:
        name = source.prefix + required(element, kind.subject) + source.suffix
        yield self._sensor(source, element, kind, name, of=name)

    # -- of bodies --

    def _on_body(self, source: Attachment, element: Element, kind: SensorKind) -> Iterator[Sensor]:
        of = self._object(element, kind)
        keys = [(_NAMED_AS.get(type_, type_), name) for type_, name in of]
        for found in found_by_name(source, element, keys):
            places = [self._place(element, of[k][0], each) for k, each in enumerate(found)]
            body, frame = places[0]
            more: dict[str, object] = {"of": self._link(body), "frame": frame}
            if kind is SensorKind.RANGEFINDER and (body.sites or self.geoms[body]):
                more["of"] = self.owner[body], body.name  # it does not meet what stands beside it
            if len(places) > 1:
                more |= {"reference": self._link(places[1][0]), "reference_frame": places[1][1]}
            if kind is SensorKind.MAGNETOMETER:
                more["magnetic_field"] = self._field
            if kind is SensorKind.TOUCH:
                more["zone"] = _zone(found[0][1])
            name = (found[0] if isinstance(found[0], MjcfBody) else found[0][1]).name
            suffix = name.removeprefix(source.prefix + of[0][1])
            yield self._sensor(source, element, kind, name, suffix, **more)

    def _object(self, element: Element, kind: SensorKind) -> list[tuple[str, str]]:
        """Type and name of what is measured, and of the reference if there is one."""
        if element.tag.startswith("subtree"):
            return [("xbody", required(element, "body"))]
        if not element.tag.startswith("frame"):
            key = "camera" if "camera" in element.attributes else "site"
            return [(key, required(element, key))]
        required(element, "objtype")
        found = [(choice(element, "objtype", _OBJECTS, ""), required(element, "objname"))]
        if kind.is_relative and text(element, "refname"):
            required(element, "reftype")
            found.append((choice(element, "reftype", _OBJECTS, ""), required(element, "refname")))
        return found

    def _link(self, body: MjcfBody) -> tuple[str, str] | None:
        """Names of the model and link of a body; None for the world."""
        return None if body.parent is None else (self.owner[body], body.name)

    def _place(self, element: Element, word: str, found: MjcfBody | tuple[MjcfBody, Part]) -> Place:
        """A body, and the frame on it that a type and a name mean."""
        if isinstance(found, MjcfBody):
            return found, self._inertial(found) if word == "body" else Transform.identity()
        body, part = found
        if word == "geom":
            geom = next(each for each in self.geoms[body] if each.part is part)
            return body, geom.own_frame
        if word == "camera" and choice(part.element, "mode", _MODES, "fixed") != "fixed":
            told = "cameras that turn by themselves are not read"
            raise element.error(f"{describe(element)}: {told}")
        is_long = word == "site" and "fromto" in part.element.attributes
        return body, frame_and_size(part, "capsule")[0] if is_long else part.pose

    def _inertial(self, body: MjcfBody) -> Transform:
        """The principal frame of a body at its centre of mass; that of the world is its own."""
        if body.parent is None:
            return Transform.identity()
        mass = self.masses[body]
        middle = Vec3.of(mass.com) if mass.mass else body.place.r  # as MuJoCo has it
        return Transform(inertia_axes(body, self.geoms[body], mass), middle)


_NAMED_AS = {"xbody": "body"}
_MODES = ("fixed", "track", "trackcom", "targetbody", "targetbodycom")


def _zone(part: Part) -> Shape:
    """The shape of a site."""
    element = part.element
    word = choice(element, "type", PRIMITIVES, "sphere")
    given = numbers(element, "size", 1, 3)
    size = given + (_SITE_SIZE,) * (3 - len(given))
    if "fromto" in element.attributes:
        size = frame_and_size(part, word)[1]
    shape = primitive_shape(word, size)
    if shape is None or min(size) <= 0.0:
        raise element.error(f"{describe(element)}: expected sizes above 0")
    return shape
