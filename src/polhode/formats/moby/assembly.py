"""All models and couplings of a Moby file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ...scene import Gear, Loop
from ...spatial import Transform, Vec3
from ..names import shorten
from ..reading import Notes
from ..urdf.visual import MeshFolders
from ..xml import Element
from .bodies import BodyReader, MobyBody
from .couplings import Where, make_gear, make_loop
from .joints import MobyJoint, read_joint
from .machines import Built, articulated_body, free_body
from .objects import Objects, kind_of, walk
from .poses import Options, orientation
from .primitives import Primitives
from .robots import read_sdf, read_urdf
from .tree import make_tree
from .values import boolean, describe, triple

Triple = tuple[float, float, float]


@dataclass
class SceneAssembly:
    """The models of a file, the poses of their links, and their couplings."""

    moby: Element
    objects: Mapping[str, Objects]
    folders: MeshFolders
    options: Options
    notes: Notes
    built: dict[str, Built] = field(default_factory=dict)
    where: dict[str, Where] = field(default_factory=dict)
    loops: list[Loop] = field(default_factory=list)
    gears: list[Gear] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.primitives: Primitives = Primitives(
            self.objects["primitive"], self.folders, self.options, self.notes
        )
        self.order: dict[int, int] = {id(element): k for k, element in enumerate(walk(self.moby))}
        self.position: dict[str, int] = {}
        self.bodies: dict[str, MobyBody] = {}
        self.joints: dict[str, MobyJoint] = {}

    def assemble(self, gravity: Triple, listed: set[str]) -> None:
        """Make all models, then loops and gears; ``listed`` are the implicit joints in use."""
        self.primitives.check_all()
        reader = BodyReader(self.primitives, self.folders, self.options, self.notes)
        for name, element in self.objects["body"].items():
            self.bodies[name] = reader.read(name, element)
        for name, element in self.objects["joint"].items():
            self.joints[name] = read_joint(name, element, self.notes)
        members: set[str] = set()
        inside: set[str] = set()
        for name, element in self.objects["articulated body"].items():
            links, joints = self._members(element)
            members |= set(links)
            inside |= set(joints)
            self._articulate(name, element, links, joints, gravity)
        for name, body in self.bodies.items():
            if name not in members:
                if not body.is_enabled and (any(body.velocity) or any(body.spin)):
                    text = f"{describe(body.element)} is disabled: its surface moves, it does not"
                    self.notes.add("hint", text, body.element.line)
                self._add(name, free_body(body, gravity), {name: body.place}, body.element)
        for _, element in self.objects["SDF"].items():
            for each in read_sdf(element, self.folders, self.options, self.notes, gravity):
                self._add(each.built.machine.name, each.built, each.places, element)
                self.loops += each.loops
                self.gears += each.gears
        self.built = dict(sorted(self.built.items(), key=lambda item: self.position[item[0]]))
        self._couple(inside, listed)

    def _members(self, owner: Element) -> tuple[list[str], list[str]]:
        """Names of the links and joints inside an articulated body."""
        found: dict[str, list[str]] = {"body": [], "joint": []}
        for kind, names in found.items():
            own = {id(element): name for name, element in self.objects[kind].items()}
            names += [own[id(e)] for e in walk(owner) if kind_of(e) == kind]
        return found["body"], found["joint"]

    def _articulate(
        self,
        name: str,
        element: Element,
        links: list[str],
        joints: list[str],
        gravity: Triple,
    ) -> None:
        offset = Transform(
            orientation(element, self.options, self.notes, order=("rpy",)),
            Vec3(*triple(element, "translate")),
        )
        if "urdf-filename" in element.attributes:
            if links or joints:
                text = f"{describe(element)}: with urdf-filename the tags inside are not read"
                self.notes.add("ignored", text, element.line)
            floating = boolean(element, "floating-base", True)
            built, places = read_urdf(
                element, name, self.folders, self.options, self.notes, floating, offset, gravity
            )
            self._add(name, built, places, element)
            return
        members = {link: self.bodies[link] for link in links}
        owned = [self.joints[joint] for joint in joints if self.joints[joint].tag != "Gears"]
        for joint in owned:
            if joint.tag == "PlanarJoint":
                raise joint.element.error(
                    f"{describe(joint.element)} cannot be inside an articulated body; put it "
                    "outside and list it with <ImplicitConstraint>"
                )
        tree = make_tree(element, members, owned)
        base = members[tree.base]
        floating = self._floats(element, base, members)
        built = articulated_body(
            element,
            name,
            tree,
            members,
            floating={tree.base} if floating else (),
            offset=offset,
            gravity=gravity,
        )
        self._note_velocities(tree.base if floating or not base.is_enabled else None, members)
        self._add(name, built, {link: body.place for link, body in members.items()}, element)
        self.loops += [make_loop(joint, self.where, self.notes) for joint in tree.loops]

    def _floats(self, owner: Element, base: MobyBody, links: Mapping[str, MobyBody]) -> bool:
        """Whether the base moves: as the file says, or if its link is enabled."""
        floating = boolean(owner, "floating-base", base.is_enabled)
        for link in links.values():
            if not link.is_enabled and (link is not base or floating):
                why = "a floating base" if link is base else "not the base"
                raise link.element.error(
                    f"{describe(link.element)} is disabled, but it is {why} of {describe(owner)}"
                )
        return floating

    def _note_velocities(self, floating: str | None, links: Mapping[str, MobyBody]) -> None:
        for name, link in links.items():
            if name != floating and (any(link.velocity) or any(link.spin)):
                text = f"{describe(link.element)}: links move as their joints' qd say; its own "
                self.notes.add("ignored", text + "velocities are not used", link.element.line)

    def _add(
        self, name: str, built: Built, places: Mapping[str, Transform], element: Element
    ) -> None:
        if name in self.built:
            raise element.error(f"duplicate body id '{shorten(name)}'")
        self.built[name] = built
        self.position[name] = self.order[id(element)]
        for link, place in places.items():
            self.where.setdefault(link, Where(name, place, built.inner.get(link)))

    def _couple(self, inside: Iterable[str], listed: set[str]) -> None:
        """The joints outside all articulated bodies, and all gears."""
        inside = set(inside)
        for name, joint in self.joints.items():
            if joint.tag == "Gears":
                self.gears.append(make_gear(joint, self.where))
            elif name in inside:
                continue
            elif name in listed:
                self.loops.append(make_loop(joint, self.where, self.notes))
            else:
                text = f"{describe(joint.element)} is in no articulated body, and no simulator "
                self.notes.add("ignored", text + "lists it: it joins nothing", joint.element.line)
