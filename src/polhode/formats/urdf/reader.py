"""URDF text to a `Model`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...arrays import Numbers
from ...model import Fixed, FloatingBase, Link, Mimic, Model
from ..names import shorten
from ..reading import Notes, Reading
from ..source import read_bytes
from ..xml import Element, foreign, parse_xml
from .inertial import read_inertial
from .joint import UrdfJoint, read_joint
from .masses import check_masses
from .tree import ordered
from .values import attribute
from .visual import MeshFolders, read_materials, read_visuals
from .vocabulary import note_ignored
from .xacro_files import expanded

GRAVITY = (0.0, 0.0, -9.81)
BASE = "ROOT"


def read(
    path: str | os.PathLike[str],
    *,
    floating_base: bool = False,
    gravity: Numbers | None = None,
    name: str | None = None,
    mimic: str = "independent",
    snap_angles: bool | str = True,
    package_roots: Sequence[str | os.PathLike[str]] = (),
    trusted: bool = False,
) -> Reading[Model]:
    """Read a URDF or xacro file; options as in `polhode.formats.load`."""
    robot = read_robot(path, package_roots, trusted=trusted)
    folders = MeshFolders.of(path, package_roots)
    reader = _Reader(robot, floating_base, gravity, mimic, snap_angles, folders)
    return reader.read(name or robot.attributes.get("name") or Path(path).stem)


def read_robot(
    path: str | os.PathLike[str],
    package_roots: Sequence[str | os.PathLike[str]],
    *,
    trusted: bool = False,
) -> Element:
    """The root element of a URDF file, or of what a xacro file expands to."""
    if Path(path).suffix.lower() != ".xacro":
        return parse_xml(read_bytes(path), str(path))
    return parse_xml(expanded(str(path), package_roots, trusted=trusted), str(path))


def parse(
    text: str | bytes,
    *,
    file: str = "<string>",
    floating_base: bool = False,
    gravity: Numbers | None = None,
    name: str | None = None,
    mimic: str = "independent",
    snap_angles: bool | str = True,
    package_roots: Sequence[str | os.PathLike[str]] = (),
) -> Model:
    """The model of a URDF text; ``file`` is its name in errors, the rest as in `load`."""
    robot = parse_xml(text, file)
    folders = MeshFolders.of(None, package_roots)
    reader = _Reader(robot, floating_base, gravity, mimic, snap_angles, folders)
    return reader.read(name or robot.attributes.get("name") or "robot").warn()


@dataclass
class _Reader:
    """One robot element and the options it is read with."""

    robot: Element
    floating_base: bool
    gravity: Numbers | None
    mimic: str
    snap: bool | str
    folders: MeshFolders
    notes: Notes = field(default_factory=Notes)

    def read(self, name: str) -> Reading[Model]:
        robot, notes = self.robot, self.notes
        if robot.tag != "robot":
            found = f"<{shorten(robot.tag)}>{foreign(robot)}"
            raise robot.error(f"expected <robot> around a URDF, found {found}")
        elements = _named(robot, "link")
        if not elements:
            raise robot.error("the robot has no links")
        joints = {
            key: read_joint(element, self.snap, notes)
            for key, element in _named(robot, "joint").items()
        }
        root, order = ordered(elements, joints)
        note_ignored(robot, notes)
        links = self._links(elements, root, order, self._mimics(joints))
        check_masses(elements, links, notes)
        model = Model(
            name=name,
            links=links,
            gravity=GRAVITY if self.gravity is None else self.gravity,  # type: ignore[arg-type]
            base=_free_name(BASE, elements),
        )
        self._note_held(model, joints)
        return Reading(model, notes.ordered(), robot.file)

    def _note_held(self, model: Model, joints: Mapping[str, UrdfJoint]) -> None:
        """Note joints that the limits of those that follow them hold in one position."""
        for name in dict.fromkeys(model.relation(joint.name).leader for joint in model.followers):
            limits, own = model.joint(name).limits, joints[name].limits
            if limits and limits.lower == limits.upper and (not own or own.lower < own.upper):
                text = (f"joint '{shorten(name)}' is held at {limits.lower:g} by the limits of "
                        "joints that mimic it")  # fmt: skip
                self.notes.add("doubtful", text, joints[name].element.line)

    def _links(
        self,
        elements: Mapping[str, Element],
        root: str,
        order: Sequence[UrdfJoint],
        mimics: Mapping[str, Mimic | None],
    ) -> tuple[Link, ...]:
        colors = read_materials(self.robot)

        def own(name: str) -> dict:
            element = elements[name]
            return {
                "name": name,
                "body": read_inertial(element, self.snap, self.notes),
                "visuals": read_visuals(element, colors, self.folders, self.snap, self.notes),
            }

        root_joint = FloatingBase() if self.floating_base else Fixed()
        taken = [joint.name for joint in order]
        first = Link(**own(root), joint=root_joint, joint_name=_free_name("root_joint", taken))
        return first, *(
            Link(
                **own(joint.child),
                parent=joint.parent,
                joint=joint.kind,
                frame=joint.frame,
                joint_name=joint.name,
                limits=joint.limits,
                mimic=mimics[joint.name],
                dynamics=joint.dynamics,
            )
            for joint in order
        )

    def _mimics(self, joints: Mapping[str, UrdfJoint]) -> dict[str, Mimic | None]:
        """The mimic relation of each joint, without those that lead nowhere."""
        kept: dict[str, Mimic | None] = {}
        checked: set[str] = set()
        for name, joint in joints.items():
            kept[name] = joint.mimic
            if joint.mimic is None:
                continue
            leader = joint.mimic.joint
            if leader == name:
                raise joint.element.error(f"joint '{shorten(name)}' mimics itself")
            if leader not in joints:
                text = f"joint '{shorten(name)}' mimics an unknown joint '{shorten(leader)}'"
                hint = self.notes.hint(leader, joints)
                self.notes.add("doubtful", text + hint, joint.element.line)
                kept[name] = None
            elif self.mimic == "coupled" and joint.kind.nv:
                _check_coupling(joint, joints, checked)
                kept[name] = replace(joint.mimic, coupled=True)
        return kept


def _check_coupling(
    follower: UrdfJoint, joints: Mapping[str, UrdfJoint], checked: set[str]
) -> None:
    """Raise a ParseError unless a mimic joint and those it follows can share a coordinate.

    Those already ``checked`` are not looked at again.
    """
    joint, name, passed = follower, shorten(follower.name), set()
    while joint is not None and joint.name not in checked:
        if joint.kind.nv != 1:
            kind = joint.kind.name
            raise follower.element.error(
                f"expected joints of one axis for mimic='coupled', but joint '{name}' mimics, or "
                f"is, the {kind} joint '{shorten(joint.name)}'"
            )
        if joint.name in passed:
            raise follower.element.error(f"joint '{name}' mimics itself through others")
        passed.add(joint.name)
        joint = joints.get(joint.mimic.joint) if joint.mimic else None
    checked |= passed


def _named(robot: Element, tag: str) -> dict[str, Element]:
    """The robot's links or joints by name, in the order of the file."""
    found: dict[str, Element] = {}
    for element in robot.all(tag):
        name = attribute(element, "name")
        if not name.strip():
            raise element.error(f"a {tag} has an empty name")
        if name in found:
            raise element.error(
                f"duplicate {tag} name '{shorten(name)}', first in line {found[name].line}"
            )
        found[name] = element
    return found


def _free_name(name: str, taken: Iterable[str]) -> str:
    """The name, made longer until nothing else has it."""
    used = set(taken)
    while name in used:
        name += "_"
    return name
