"""One ``<model>`` of an SDF to a model with an initial state."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ...errors import ModelError
from ...model import RigidBody, Visual
from ...scene import Gear, JointSettings, Loop
from ...spatial import Mat3, Transform, Vec3
from ..moby.bodies import MobyBody
from ..moby.couplings import Where, make_loop
from ..moby.joints import FREEDOMS, ORTHOGONAL, MobyJoint
from ..moby.machines import Built, articulated_body, free_body
from ..moby.tree import Tree, make_forest
from ..names import near, shorten
from ..reading import Notes
from ..urdf.inertial import note_doubts
from ..urdf.visual import MeshFolders
from ..xml import Element
from .auto_inertia import Touching, note_unused, solid
from .axes import AXES, joint_settings, note_bare
from .frames import Frames
from .gearboxes import GEARBOX, REFERENCE, Gearbox, GearSide
from .pose import pose
from .screws import pitch
from .shapes import read_shape
from .surface import SurfaceParameters, read_surface
from .values import (
    boolean,
    boolean_attribute,
    child,
    describe,
    name_of,
    number,
    numbers,
    text,
    triple,
)

WORLD = "world"
WEIGHTLESS = 1.0  # gravity compensation of a link on which no gravity acts
JOINTS = {
    "revolute": "RevoluteJoint",
    "continuous": "RevoluteJoint",
    "prismatic": "PrismaticJoint",
    "fixed": "FixedJoint",
    "ball": "SphericalJoint",
    "universal": "UniversalJoint",
    "revolute2": "UniversalJoint",
    "screw": "ScrewJoint",
}
KINDS = (*JOINTS, GEARBOX)
Places = Mapping[str, Transform]
Surfaces = dict[str, tuple[str, SurfaceParameters]]


@dataclass(frozen=True)
class Made:
    """A model, the poses at which its links are drawn, its loops and its gears."""

    built: Built
    places: Places
    loops: tuple[Loop, ...] = ()
    gears: tuple[Gear, ...] = ()


@dataclass(frozen=True)
class SdfOptions:
    """How the models of one file are read; ``others`` are the folders of files in them."""

    snap: bool | str
    folders: MeshFolders
    notes: Notes
    gravity: tuple[float, float, float]
    has_axes_of_models: bool
    others: Mapping[str, MeshFolders]

    def folders_of(self, element: Element) -> MeshFolders:
        """Where the meshes of an element are."""
        return self.others.get(element.file, self.folders)


class ModelReader:
    """One ``<model>``."""

    def __init__(self, element: Element, name: str, options: SdfOptions):
        self.element: Element = element
        self.name: str = name
        self.options: SdfOptions = options
        self.snap: bool | str = options.snap
        self.notes: Notes = options.notes
        self.frames: Frames = Frames(element, self.snap, self.notes)
        self.place: Transform = self._place()
        self.is_static: bool = boolean(element, "static")
        self.surfaces: Surfaces = {}

    def _place(self) -> Transform:
        """From world coordinates to the model's frame."""
        place = pose(self.element, self.snap, self.notes)
        name = self.element.attributes.get("placement_frame", "")
        if not name:
            return place
        return self.frames.named(name, self.element).inverse() @ place

    def make(self) -> Made:
        """The model and the poses at which its links are drawn."""
        links = self._links()
        if self.is_static:
            links = {name: replace(link, is_enabled=False) for name, link in links.items()}
        joints = self._joints()
        places = {name: link.place for name, link in links.items()}
        if len(links) == 1 and not joints:
            (link,) = links.values()
            built = free_body(link, self.options.gravity)
            geometries = tuple(replace(g, machine=self.name) for g in built.geometries)
            machine = replace(built.machine, name=self.name)
            return Made(self._weighed(Built(machine, geometries, {})), places)
        to_world = [joint for joint in joints if joint.inboard == WORLD]
        if to_world and WORLD not in links:
            links = {WORLD: self._world(), **links}
        if self.is_static:
            joints += self._welds(list(links), joints)
        tree = make_forest(self.element, links, joints)
        floating = {base for base in tree.bases if links[base].is_enabled}
        built = articulated_body(
            self.element, self.name, tree, links,
            floating=floating, offset=Transform.identity(), gravity=self.options.gravity,
        )  # fmt: skip
        loops = self._loops(tree.loops, places)
        return Made(self._weighed(built), places, loops, self._gears(tree))

    def _gears(self, tree: Tree) -> tuple[Gear, ...]:
        """Those of gearboxes; in an immovable model nothing turns."""
        boxes = () if self.is_static else self._gearboxes()
        return tuple(box.gear(self.name, list(tree.inner.values())) for box in boxes)

    def _welds(self, links: Sequence[str], joints: Sequence[MobyJoint]) -> list[MobyJoint]:
        """Joints for the links of an immovable model that none leads to."""
        base = next((name for name in links if name == WORLD), links[0])
        led = {joint.outboard for joint in joints} | {base}
        return [_fixed(self.element, base, name) for name in links if name not in led]

    def _loops(self, joints: Sequence[MobyJoint], places: Places) -> tuple[Loop, ...]:
        """Those of joints that lead to links which others lead to as well."""
        if self.is_static:
            return ()
        where = {link: Where(self.name, place, None) for link, place in places.items()}
        for joint in joints:
            mimic = child(joint.element, "axis", "mimic")
            if mimic is not None:
                text = f"{describe(joint.element)} closes a loop: its <mimic> is not read"
                self.notes.add("ignored", text, mimic.line)
        return tuple(
            make_loop(replace(joint, name=f"{self.name}/{joint.name}"), where, self.notes)
            for joint in joints
        )

    def _weighed(self, built: Built) -> Built:
        """With compensation of links on which no gravity acts."""
        free = {name_of(link) for link in self.element.all("link")
                if not boolean(link, "gravity", default=True)}  # fmt: skip
        machine = built.machine
        if not free or self.is_static:
            return built
        links = tuple(replace(link, gravity_compensation=WEIGHTLESS) if link.name in free else link
                      for link in machine.model.links)  # fmt: skip
        model = replace(machine.model, links=links)
        return replace(built, machine=replace(machine, model=model))

    def _world(self) -> MobyBody:
        here = Transform.identity()
        return MobyBody(WORLD, self.element, here, RigidBody(), is_enabled=False)

    # -- links --

    def _links(self) -> dict[str, MobyBody]:
        found: dict[str, MobyBody] = {}
        for element in self.element.all("link"):
            name = name_of(element)
            if name in found:
                raise element.error(f"duplicate link name '{shorten(name)}'")
            found[name] = self._link(name, element)
        if not found:
            raise self.element.error(f"{describe(self.element)} has no links")
        return found

    def _link(self, name: str, element: Element) -> MobyBody:
        place = self.frames.place(element) @ self.place
        touching, visuals = self._touching(name, element), self._visuals(element)
        return MobyBody(name, element, place, self._mass(element, touching), touching, visuals)

    def _mass(self, link: Element, touching: tuple[Touching, ...]) -> RigidBody:
        inertial = child(link, "inertial")
        is_auto = inertial is not None and boolean_attribute(inertial, "auto")
        if not is_auto:
            note_unused(link, self.notes)
        if inertial is None or (is_auto and self.is_static):
            return RigidBody(1.0, inertia=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
        if is_auto:
            return solid(link, inertial, touching, self.notes)
        mass = number(inertial, "mass", default=1.0)
        if mass < 0.0:
            at = child(inertial, "mass") or inertial
            raise at.error(f"{describe(link)} has a negative mass: {mass:g} kg")
        default = {"ixx": 1.0, "iyy": 1.0, "izz": 1.0}
        keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        xx, xy, xz, yy, yz, zz = (
            number(inertial, "inertia", key, default=default.get(key, 0.0)) for key in keys
        )
        inertia = (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)
        line = (child(inertial, "inertia") or inertial).line
        note_doubts(link, mass, inertia, line, self.notes)
        own = RigidBody(mass, inertia=inertia)
        X = pose(inertial, self.snap, self.notes)
        try:
            moved = RigidBody().joined(own, X)
        except ModelError as error:  # numbers whose products are none
            raise inertial.error(f"{describe(link)}: {error}") from None
        return replace(moved, com=tuple(X.r)) if mass else moved

    def _touching(self, name: str, link: Element) -> tuple[Touching, ...]:
        found, seen = [], set()
        for k, element in enumerate(link.all("collision")):
            label = f"{self.name}/{name}/{element.attributes.get('name') or k}"
            if label in seen:
                raise element.error(f"{describe(link)} has two of {describe(element)}")
            seen.add(label)
            folders = self.options.folders_of(element)
            made = read_shape(element, folders, self.notes, touches=True)
            place = self.frames.inside(link, element)
            shape, turn = made if made is not None else (None, Transform.identity())
            found.append((label, shape, turn @ place))
            surface = read_surface(element, self.notes)
            if surface is not None and shape is not None:
                self.surfaces[label] = self.name, surface
        return tuple(found)

    def _visuals(self, link: Element) -> tuple[Visual, ...]:
        found = []
        for element in link.all("visual"):
            folders = self.options.folders_of(element)
            made = read_shape(element, folders, self.notes, touches=False)
            if made is None:
                continue
            place = self.frames.inside(link, element)
            name = element.attributes.get("name", "")
            found.append(Visual(made[0], made[1] @ place, self._color(element), name))
        return tuple(found)

    def _color(self, visual: Element):
        for key in ("diffuse", "ambient"):
            element = child(visual, "material", key)
            count = 0 if element is None else len(element.text.split())
            if element is not None and count in (3, 4):
                parts = [min(max(x, 0.0), 1.0) for x in numbers(element, count)]
                red, green, blue, alpha = (*parts, 1.0)[:4]
                return red, green, blue, alpha
        return None

    # -- joints --

    def _joints(self) -> list[MobyJoint]:
        """All but gearboxes, which couple what others join."""
        seen: set[str] = set()
        found = []
        for element in self.element.all("joint"):
            name = name_of(element)
            if name in seen:
                raise element.error(f"duplicate joint name '{shorten(name)}'")
            seen.add(name)
            if element.attributes.get("type") != GEARBOX:
                found.append(self._joint(name, element))
        return found

    def _gearboxes(self) -> Iterator[Gearbox]:
        for element in self.element.all("joint"):
            if element.attributes.get("type") == GEARBOX:
                yield self._gearbox(name_of(element), element)

    def _gearbox(self, name: str, element: Element) -> Gearbox:
        E = (self.frames.place(element) @ self.place).E
        parent, outboard = (
            GearSide(self._end(element, role), self._axis(element, key, E))
            for role, key in zip(("parent", "child"), AXES, strict=True)
        )
        note_bare(name, element, self.notes)
        ratio = number(element, "gearbox_ratio", default=1.0)
        return Gearbox(name, element, self._end(element, REFERENCE), parent, outboard, ratio)

    def _end(self, joint: Element, role: str) -> str:
        """The link of a joint in a role; all but the child may be the world."""
        if role != "child" and text(joint, role) == WORLD:
            return WORLD
        return name_of(self.frames.link_of(joint, role))

    def _joint(self, name: str, element: Element) -> MobyJoint:
        kind = element.attributes.get("type", "")
        if kind not in JOINTS:
            raise element.error(
                f"unknown type '{shorten(kind)}' of joint '{shorten(name)}'{near(kind, KINDS)} "
                f"(known: {', '.join(KINDS)})"
            )
        parent, outboard = self._end(element, "parent"), self._end(element, "child")
        frame = self.frames.place(element) @ self.place
        tag = "FixedJoint" if self.is_static else JOINTS[kind]
        zeros = (0.0,) * FREEDOMS[tag]
        settings = (
            JointSettings(name)
            if self.is_static
            else joint_settings(name, element, FREEDOMS[tag], self.notes)
        )
        return MobyJoint(
            name, tag, element, parent, outboard, frame.r, self._axes(element, tag, frame.E),
            pitch(element, self.notes) if tag == "ScrewJoint" else 0.0, 1.0, zeros, zeros, zeros,
            settings,
        )  # fmt: skip

    def _axes(self, element: Element, tag: str, E: Mat3) -> tuple[Vec3, ...]:
        """The axes in world coordinates."""
        match tag:
            case "RevoluteJoint" | "PrismaticJoint" | "ScrewJoint":
                return (self._axis(element, "axis", E),)
            case "UniversalJoint":
                first, second = (self._axis(element, key, E) for key in AXES)
                if abs(first.dot(second)) > 1.0 - ORTHOGONAL:
                    raise element.error(f"the two axes of {describe(element)} are parallel")
                return first, second
            case "SphericalJoint":
                return tuple(E)
        return ()

    def _axis(self, element: Element, key: str, E: Mat3) -> Vec3:
        axis = child(element, key)
        if axis is None:
            raise element.error(f"{describe(element)} has no <{key}>")
        x, y, z = triple(axis, "xyz")
        length = math.hypot(x, y, z)
        if length == 0.0 or math.isinf(length):
            size = "zero" if length == 0.0 else "too long"
            raise axis.error(f"the axis of {describe(element)} is {size}")
        return self._turn(axis, E).T @ Vec3(x / length, y / length, z / length)

    def _turn(self, axis: Element, E: Mat3) -> Mat3:
        """From world axes to those in which an axis is written; ``E`` leads to the joint's."""
        xyz, parent_model = child(axis, "xyz"), child(axis, "use_parent_model_frame")
        name = "" if xyz is None else xyz.attributes.get("expressed_in", "")
        if xyz is None or not name:
            usual = self.options.has_axes_of_models
            is_models = boolean(axis, "use_parent_model_frame", default=usual)
            return self.place.E if is_models else E
        if parent_model is not None:
            raise xyz.error("expected 'expressed_in' or <use_parent_model_frame>, found both")
        return self.frames.named(name, xyz).E @ self.place.E


def _fixed(element: Element, parent: str, outboard: str) -> MobyJoint:
    return MobyJoint(
        f"{outboard}/fixed", "FixedJoint", element, parent, outboard, None, (), 0.0, 1.0,
        (), (), (), JointSettings("fixed"),
    )  # fmt: skip
