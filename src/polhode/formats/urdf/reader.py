"""URDF text to a `Model`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...errors import ModelError
from ...model import Fixed, FloatingBase, Link, Mimic, Model, RigidBody
from ..names import near, shorten
from ..reading import Notes, Reading
from ..source import read_bytes
from .inertial import read_inertial
from .joint import UrdfJoint, read_joint
from .tree import ordered
from .values import attribute, describe
from .visual import MeshFolders, read_materials, read_visuals
from .vocabulary import note_ignored
from .xml import Element, parse_xml

GRAVITY = (0.0, 0.0, -9.81)


def read(
    path: str | os.PathLike[str],
    *,
    floating_base: bool = False,
    gravity: Sequence[float] | None = None,
    name: str | None = None,
    mimic: str = "independent",
    snap_angles: bool | str = True,
    package_roots: Sequence[str | os.PathLike[str]] = (),
) -> Reading:
    """Read a URDF file; options as in `polhode.formats.load`."""
    robot = parse_xml(read_bytes(path), str(path))
    folders = MeshFolders.of(path, package_roots)
    return _read_robot(
        robot, Path(path).stem, floating_base, gravity, name, mimic, snap_angles, folders
    )


def parse(
    text: str | bytes,
    *,
    file: str = "<string>",
    floating_base: bool = False,
    gravity: Sequence[float] | None = None,
    name: str | None = None,
    mimic: str = "independent",
    snap_angles: bool | str = True,
    package_roots: Sequence[str | os.PathLike[str]] = (),
) -> Model:
    """The model of a URDF text; ``file`` is its name in errors, the rest as in `load`."""
    robot = parse_xml(text, file)
    folders = MeshFolders.of(None, package_roots)
    return _read_robot(
        robot, "robot", floating_base, gravity, name, mimic, snap_angles, folders
    ).warn()


def _read_robot(
    robot: Element,
    default_name: str,
    floating_base: bool,
    gravity: Sequence[float] | None,
    name: str | None,
    mimic: str,
    snap: bool | str,
    folders: MeshFolders,
) -> Reading:
    notes = Notes()
    links = _named(robot, "link")
    _check_robot(robot, links)
    elements = _named(robot, "joint")
    joints = {key: read_joint(element, snap, notes) for key, element in elements.items()}
    root, order = ordered(links, joints, robot)
    mimics = _checked_mimics(joints, mimic, notes)
    note_ignored(robot, notes)

    colors = read_materials(robot)
    bodies = {key: read_inertial(element, snap, notes) for key, element in links.items()}
    visuals = {
        key: read_visuals(element, colors, folders, snap, notes) for key, element in links.items()
    }
    root_joint = FloatingBase() if floating_base else Fixed()
    base = "ROOT" if "ROOT" not in links else "BASE"
    declared = [
        Link(
            root,
            joint=root_joint,
            body=bodies[root],
            joint_name=_free_name("root_joint", joints),
            visuals=visuals[root],
        )
    ]
    declared += [
        Link(
            name=joint.child,
            parent=joint.parent,
            joint=joint.kind,
            frame=joint.frame,
            body=bodies[joint.child],
            joint_name=joint.name,
            limits=joint.limits,
            visuals=visuals[joint.child],
            mimic=mimics[joint.name],
        )
        for joint in order
    ]
    _check_masses(links, declared, notes)
    model = Model(
        name=name or robot.attributes.get("name") or default_name,
        links=tuple(declared),
        gravity=GRAVITY if gravity is None else tuple(gravity),
        base=base,
    )
    in_order = sorted(notes.found, key=lambda note: note.line or 0)
    return Reading(model, tuple(in_order), robot.file)


def _check_robot(robot: Element, links: Mapping[str, Element]) -> None:
    if robot.tag != "robot":
        raise robot.error(f"expected <robot> around a URDF, found <{shorten(robot.tag)}>")
    if not links:
        raise robot.error("the robot has no links")


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


def _free_name(name: str, taken: Mapping[str, object]) -> str:
    while name in taken:
        name += "_"
    return name


def _checked_mimics(
    joints: Mapping[str, UrdfJoint], mode: str, notes: Notes
) -> dict[str, Mimic | None]:
    """The mimic relation of each joint, without those that lead nowhere."""
    kept: dict[str, Mimic | None] = {}
    for name, joint in joints.items():
        kept[name] = joint.mimic
        if joint.mimic is None:
            continue
        leader = joint.mimic.joint
        if leader == name:
            raise joint.element.error(f"joint '{name}' mimics itself")
        if mode == "coupled":
            raise ModelError(
                f"mimic='coupled' is not supported yet, and joint '{name}' is a mimic joint; "
                "mimic='independent' gives it a coordinate of its own"
            )
        if leader not in joints:
            text = f"joint '{name}' mimics an unknown joint '{shorten(leader)}'"
            notes.add("doubtful", text + near(leader, joints), joint.element.line)
            kept[name] = None
    return kept


def _check_masses(links: Mapping[str, Element], declared: list[Link], notes: Notes) -> None:
    """Refuse a mass of zero that would make the mass matrix singular.

    A link without ``<inertial>`` is a frame, and only doubtful when it moves with nothing beyond
    it; a mass written as zero in such a place is a mistake.
    """
    for link in declared:
        if link.body.mass == 0.0 and not link.body.is_massless and _carries_itself(link):
            element = links[link.name]
            raise element.all("inertial")[0].error(f"{describe(element)} has inertia, but no mass")
    heavy = {link.name: not link.body.is_massless for link in declared}
    zero = {link.name: _written_zero(links[link.name], link.body) for link in declared}
    for link in reversed(declared):
        if link.joint.nv and not heavy[link.name]:
            text = (
                f"{describe(links[link.name])} moves (joint '{link.joint_name}') but neither it "
                "nor anything beyond it has mass: the mass matrix is singular"
            )
            if zero[link.name] is not None:
                raise zero[link.name].error(text)
            notes.add("doubtful", text, links[link.name].line)
        if link.parent is not None:
            heavy[link.parent] |= heavy[link.name]
            zero[link.parent] = zero[link.parent] or zero[link.name]


def _carries_itself(link: Link) -> bool:
    """Whether a link is not part of its parent, so that its own inertia counts alone."""
    return link.parent is None or link.joint.nv > 0


def _written_zero(link: Element, body: RigidBody) -> Element | None:
    """The element that gives a link a mass of zero."""
    inertials = link.all("inertial")
    return inertials[0].all("mass")[0] if inertials and body.mass == 0.0 else None
