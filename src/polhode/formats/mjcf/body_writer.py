"""Models of a scene as bodies of an MJCF file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...model import Fixed, FloatingBase, Link, Model, Prismatic, RigidBody, Spherical
from ...model.driving import full_name
from ...scene import Geometry, Machine, Scene
from ...spatial import Transform
from ..lost import Lost
from ..markup import MarkupElement, is_straight, number
from .fluid_writer import ellipsoids, inertia_axes_of, note_lost
from .geom_writer import GeomWriter, posed
from .inertia_writer import LEAST, heavy_links, inertial, with_least, written_masses
from .joint_writer import JointParts, WrittenJoint, is_world, link_parts
from .tree import WORLD, unused

Key = tuple[str, str]
"""The name of a model, and that of a link or joint of it."""
Children = Mapping[str | None, Sequence[Link]]
MOST_DOFS = 6  # of all joints of a body


class WrittenNames:
    """The names of bodies and joints in a file, where those of all models are in one space.

    A link or joint keeps its name unless another model has one like it.
    """

    def __init__(self, machines: Sequence[Machine]):
        self.links: dict[Key, str] = {}
        self.joints: dict[Key, str] = {}
        self._links_of_scene: dict[str, Key] = {}
        self._joints_of_scene: dict[str, Key] = {}
        links, joints = {WORLD}, set()
        for machine in machines:
            for link in machine.model.links:
                own = WORLD if is_world(link) else _own(machine.name, link.name, links)
                self.links[machine.name, link.name] = own
                self._links_of_scene[f"{machine.name}/{link.name}"] = machine.name, link.name
                if link.joint.nv:
                    key = machine.name, link.joint_name
                    self.joints[key] = _own(machine.name, link.joint_name, joints)
                    self._joints_of_scene["/".join(key)] = key

    def link(self, name: str) -> Key | None:
        """The link of a name in the scene's model, if it is written."""
        return self._links_of_scene.get(full_name(name, self._links_of_scene))

    def joint(self, name: str) -> Key | None:
        """The joint of a name in the scene's model, if it is written."""
        return self._joints_of_scene.get(full_name(name, self._joints_of_scene))


def _own(machine: str, name: str, taken: set[str]) -> str:
    return unused(f"{machine}/{name}" if name in taken else name, taken)


@dataclass(frozen=True)
class WrittenBody:
    """A link that is a body: its joints, and those of links without mass between two joints."""

    link: Link
    parent: str | None
    joints: JointParts
    mass: RigidBody


@dataclass
class BodyWriter:
    """Writes models as bodies in the world."""

    scene: Scene
    machines: Sequence[Machine]
    geoms: GeomWriter
    lost: Lost
    world: MarkupElement = field(default_factory=lambda: MarkupElement("worldbody", {}))
    parts: list[WrittenJoint] = field(default_factory=list)
    """All joints, in MuJoCo's order."""
    bodies: dict[Key, MarkupElement] = field(default_factory=dict)
    """The element of each link that is a body."""
    sites: dict[Key, tuple[Key, Transform]] = field(default_factory=dict)
    """Of each link that is a site: the link that it stands on, and its frame on that."""

    def __post_init__(self) -> None:
        self.names: WrittenNames = WrittenNames(self.machines)
        self.geometries: dict[Key, list[Geometry]] = {}
        for geometry in self.scene.geometries:
            self.geometries.setdefault((geometry.machine, geometry.body), []).append(geometry)
        ends = {end for loop in self.scene.loops for end in (loop.a, loop.b) if end}
        self.used: set[Key] = ends | self.geometries.keys()
        self.framed: set[Key | None] = _framed(self.scene, self.names)

    def element(self, link: Key | None) -> MarkupElement:
        """The element of a body; that of the world for None."""
        return self.world if link is None else self.bodies[link]

    def write(self) -> None:
        """Fill the world."""
        for machine in self.machines:
            if any(machine.surface_velocity):
                self.lost.add("surface velocities", machine.name)
            for body in self._bodies(machine):
                self._write(machine, body)

    def _bodies(self, machine: Machine) -> Iterator[WrittenBody]:
        """The links that are bodies, each before those on it, which may be sites."""
        children = _children(machine.model)
        masses = written_masses(machine.model)
        heavy = heavy_links(machine.model, masses)
        waiting: dict[str, WrittenBody] = {}
        for link in _depth_first(children):
            key, below = (machine.name, link.name), children.get(link.name, ())
            if self._is_site(key, link, below):
                self._write_site(key, link)
                continue
            name = self.names.joints.get((machine.name, link.joint_name), "")
            joints = link_parts(machine, link, name, self.lost)
            body = WrittenBody(link, link.parent, joints, masses[link.name])
            if link.name in waiting:
                before = waiting.pop(link.name)
                body = replace(body, parent=before.parent, joints=before.joints.then(joints))
            if self._is_virtual(key, body, below, link.name in heavy):
                waiting[below[0].name] = body
                continue
            if joints.parts and link.name not in heavy:
                self.lost.add(f"zero mass or inertia of moving links, here {LEAST}", link.name)
                body = replace(body, mass=with_least(body.mass))
            yield body

    def _is_site(self, key: Key, link: Link, below: Sequence[Link]) -> bool:
        """Whether a link is a frame on another, and no more."""
        return (
            isinstance(link.joint, Fixed)
            and link.parent is not None
            and _is_bare(link)
            and not below
            and key not in self.used
        )

    def _is_virtual(
        self, key: Key, body: WrittenBody, below: Sequence[Link], is_heavy: bool
    ) -> bool:
        """Whether a link only stands between two joints of one body.

        Either it has no mass, or it is named as the reader names such links.
        """
        link = body.link
        if not link.joint.nv or not _is_bare(link) or not body.mass.is_massless:
            return False
        if len(below) != 1 or key in self.used | self.framed:
            return False
        (child,) = below
        stem = link.name.rpartition("/")[0]
        is_named = stem in (child.name, child.name.rpartition("/")[0])
        is_site = self._is_site((key[0], child.name), child, ())
        return (is_named or not is_heavy) and not is_site and _fits(body.joints, child)

    def _write_site(self, key: Key, link: Link) -> None:
        assert link.parent is not None
        on = key[0], link.parent
        self.sites[key] = on, link.frame
        values = {"name": self.names.links[key], **posed(link.frame)}
        if on in self.bodies:
            self.bodies[on].children.append(MarkupElement("site", values))

    def _write(self, machine: Machine, body: WrittenBody) -> None:
        link, key = body.link, (machine.name, body.link.name)
        around = self.world if body.parent is None else self.bodies[machine.name, body.parent]
        if is_world(link):
            element = around
        else:
            values = {"name": self.names.links[key], **posed(body.joints.place)}
            if link.gravity_compensation:
                values["gravcomp"] = number(link.gravity_compensation)
            element = MarkupElement("body", values)
            around.children.append(element)
        self.bodies[key] = element
        self.parts += body.joints.parts
        axes = None if self.scene.fluid is None else inertia_axes_of(link, body.mass)
        element.children += [
            *inertial(body.mass, link.name, self.lost, axes),
            *body.joints.elements(machine.name),
            *self.geoms.geoms(link.name, link.visuals, self.geometries.get(key, ())),
            *(ellipsoids(link) if self.scene.fluid is not None else ()),
        ]
        if self.scene.fluid is not None and machine.model.body(link.name).moving:
            note_lost(link, body.mass, self.lost)


def _framed(scene: Scene, names: WrittenNames) -> set[Key | None]:
    """The links on which tendons, actuators and sensors have frames."""
    found: set[Key | None] = set()

    def take(body: str) -> str:
        found.add(names.link(body))
        return body

    for tendon in scene.tendons:
        tendon.renamed(str, take, str)
    for actuator in scene.actuators:
        actuator.renamed(str, str, take, str)
    for sensor in scene.sensors:
        parts = (sensor.of, sensor.reference) if sensor.kind.subject == "body" else ()
        found |= {part for part in parts if isinstance(part, tuple)}
    return found


def _fits(joints: JointParts, child: Link) -> bool:
    """Whether joints can be of the same body as that of a link on them, as MuJoCo has bodies.

    A spherical joint has the body's own axes, and is its only rotation.
    """
    kinds = [part.kind for part in joints.parts]
    if sum(kind.nv for kind in kinds) + child.joint.nv > MOST_DOFS:
        return False
    if any(isinstance(kind, (Spherical, FloatingBase)) for kind in kinds):
        return isinstance(child.joint, Fixed) and is_straight(child.frame)
    if isinstance(child.joint, (Spherical, FloatingBase)):
        return all(isinstance(kind, Prismatic) for kind in kinds)
    return True


def _is_bare(link: Link) -> bool:
    return link.body.is_massless and not link.visuals and not link.fluid_shapes


def _children(model: Model) -> Children:
    children: dict[str | None, list[Link]] = {}
    for link in model.links:
        children.setdefault(link.parent, []).append(link)
    return children


def _depth_first(children: Children) -> Iterator[Link]:
    """The links in MuJoCo's order."""
    stack = list(reversed(children.get(None, ())))
    while stack:
        link = stack.pop()
        yield link
        stack += reversed(children.get(link.name, ()))
