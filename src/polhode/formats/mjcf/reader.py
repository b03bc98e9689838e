"""MuJoCo's XML to a `Scene`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...arrays import Numbers
from ...errors import ParseError
from ...model import Model
from ...scene import Scene, Settings
from ..reading import Notes, Reading
from ..source import read_bytes
from ..urdf.visual import MeshFolders
from ..xml import Element
from .actuators import Pose, read_actuators, with_laws, with_rests, with_rotors
from .checks import check_defaults, check_names, check_settings
from .compiler import Option
from .contacts import ContactRules
from .equality import Equalities
from .files import Files, included, parse_main
from .fluids import in_fluid
from .geoms import read_geom
from .inertia import read_masses, require_mass
from .joints import MjcfJoint, read_joints, within_limits
from .keyframes import with_keyframes
from .machines import make_machines, owners, uncompensated
from .sensors import Sensors
from .softness import inverse_masses
from .source import Document
from .springdampers import with_springdampers
from .tendons import MjcfNames, read_tendons
from .tree import MjcfBody, MjcfTree
from .vocabulary import note_unread


def read(
    path: str | os.PathLike[str],
    *,
    gravity: Numbers | None = None,
    name: str | None = None,
    snap_angles: bool | str = True,
    package_roots: Sequence[str | os.PathLike[str]] = (),
    soft_contacts: bool = False,
) -> Reading[Scene]:
    """Read an MJCF file; options as in `polhode.formats.load`."""
    root = parse_main(read_bytes(path), str(path))
    folders = MeshFolders.of(path, package_roots)
    name = name or Path(path).stem
    return _read(root, name, gravity, snap_angles, folders, is_soft=soft_contacts)


def parse(
    text: str | bytes,
    *,
    file: str = "<string>",
    gravity: Numbers | None = None,
    name: str | None = None,
    snap_angles: bool | str = True,
    package_roots: Sequence[str | os.PathLike[str]] = (),
    soft_contacts: bool = False,
) -> Reading[Scene]:
    """The scene of an MJCF text, with notes; ``file`` is its name in errors."""
    folders = MeshFolders.of(None, package_roots)
    root = parse_main(text, file)
    return _read(root, name or "scene", gravity, snap_angles, folders, is_soft=soft_contacts)


def _read(
    root: Element, name: str, gravity: Numbers | None, snap: bool | str, folders: MeshFolders, *,
    is_soft: bool,
) -> Reading[Scene]:  # fmt: skip
    notes = Notes()
    files = Files(folders)
    document = Document(included(root, files), files, snap, notes)
    try:
        own = root.attributes.get("model")
        scene = _scene(document, own or name, gravity, is_soft=is_soft)
        scene = with_keyframes(scene, document.root, notes)
    except ParseError:
        raise
    except ArithmeticError:
        raise root.error("expected numbers that are not as large or as small") from None
    except ValueError as error:  # names and numbers that do not fit together
        raise root.error(str(error)) from None
    return Reading(scene, notes.ordered(), root.file)


def _scene(document: Document, name: str, gravity: Numbers | None, *, is_soft: bool) -> Scene:
    option = Option.of(document.root)
    g = option.gravity
    if gravity is not None:
        x, y, z = (float(value) for value in gravity)
        g = (x, y, z)
    tree = MjcfTree(document)
    for each in {source.document: None for source in tree.sources}:
        each.check()
        check_names(each.root)
        check_settings(each.root)
        check_defaults(each.root)
        note_unread(each.root, document.notes, is_soft=is_soft)
    geoms = {body: [read_geom(body, part) for part in body.geoms] for body in tree.bodies}
    joints = _joints(tree, option, document.notes)
    masses = read_masses(tree.bodies, geoms)
    require_mass(tree.bodies, masses)
    joints = with_springdampers(tree.bodies, joints, masses, option.disabled)
    owner, notes = owners(tree.bodies), document.notes
    couplings = Equalities(tree, joints, owner, notes, "equality" in option.disabled)
    coupled = couplings.coupled
    names = MjcfNames(tree, owner, joints, geoms)
    tendons, actuators = read_tendons(names, option.disabled), read_actuators(names, option)
    joints, tendons = with_rotors(names, tendons, actuators, option.disabled)
    in_file = {names.joint_name(body, each.part): each
               for body, own in joints.items() for each in own}  # fmt: skip
    joints = {body: within_limits(own, coupled, notes) for body, own in joints.items()}
    machines = make_machines(tree.bodies, joints, masses, geoms, g, notes)
    if not option.is_passive:
        machines = uncompensated(machines)
    sensors = Sensors(tree, joints, geoms, masses, owner, notes)
    contacts = ContactRules(tree, geoms, machines, owner, notes, "contact" in option.disabled,
                            inverse_masses(machines) if is_soft else {})  # fmt: skip
    scene = Scene(
        name,
        machines,
        geometries=contacts.geometries(),
        contacts=contacts.rules(),
        disabled_pairs=contacts.disabled(),
        loops=tuple(couplings.loops),
        gears=tuple(couplings.gears),
        gravity=g,
        settings=Settings(step_size=option.timestep),
    )
    scene = in_fluid(scene, option, owner, geoms, masses)
    driving = {
        "tendon": {each.tendon.name for each in tendons},
        "actuator": {each.actuator.name for each in actuators},
    }
    measured = sensors.of_parts(driving)
    if not (tendons or actuators):
        return replace(scene, sensors=measured)
    model = replace(scene, tendons=tuple(each.tendon for each in tendons)).model
    starts = {name: joint.start for name, joint in in_file.items()}
    at_rest = {name: joint.start if len(joint.start) > 1 else (joint.rest,)
               for name, joint in in_file.items()}  # fmt: skip
    rested = with_rests(_pose(model, at_rest), tendons)
    return replace(
        scene, tendons=rested, actuators=with_laws(names, _pose(model, starts), actuators),
        sensors=measured,
    )  # fmt: skip


def _pose(model: Model, starts: Mapping[str, Sequence[Any]]) -> Pose:
    """A model at some positions of its joints, by name."""
    q, every = [0.0] * model.nq, list(range(model.nq))
    for joint in model.joints:
        indices = every[joint.q] if isinstance(joint.q, slice) else map(int, joint.q)
        for k, value in zip(indices, starts[joint.name], strict=True):
            q[k] = value
    return Pose(model, q)


def _joints(tree: MjcfTree, option: Option, notes: Notes) -> dict[MjcfBody, list[MjcfJoint]]:
    names = {part.name for body in tree.bodies for part in body.joints if part.name}
    return {body: read_joints(body, names, option.disabled, notes) for body in tree.bodies}
