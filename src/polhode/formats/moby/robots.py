"""URDF and SDF files that a Moby file brings in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ...errors import ModelError
from ...model import Model
from ...scene import Geometry, Machine
from ...spatial import Transform, Vec3
from .. import urdf
from ..reading import Notes
from ..source import read_bytes
from ..urdf.collision import read_collisions
from ..urdf.friction import read_friction
from ..urdf.visual import MeshFolders
from ..xml import Element, parse_xml
from .machines import Built, floating_start
from .meshes import mesh_file
from .poses import Options
from .values import describe

if TYPE_CHECKING:
    from ..sdf.reader import Made

Places = Mapping[str, Transform]
Triple = tuple[float, float, float]


def read_urdf(
    element: Element,
    name: str,
    folders: MeshFolders,
    options: Options,
    notes: Notes,
    floating: bool,
    offset: Transform,
    gravity: Triple,
) -> tuple[Built, Places]:
    """The model of a URDF, and the poses at which its links are drawn."""
    path = mesh_file(element, "urdf-filename", folders)
    reading = urdf.read(
        path,
        floating_base=floating,
        gravity=gravity,
        name=name,
        snap_angles=options.snap,
        package_roots=folders.roots,
    )
    told = (note for note in reading.notes if note.kind != "dynamics")
    notes.pass_on(told, path, element.line)
    model = reading.model
    root = model.links[0]
    start = None
    if floating:
        pose = floating_start(offset, Vec3.zero(), Vec3.zero())[0]
        start = [*pose[:6], *[0.0] * (model.nv - 6), pose[6], *[0.0] * (model.nq - model.nv - 1)]
    else:
        model = replace(model, links=(replace(root, frame=offset), *model.links[1:]))
    try:
        machine = Machine(name, model, start, joint_settings=read_friction(path))  # type: ignore[arg-type]
    except ModelError as error:
        raise element.error(f"{describe(element)}: {error}") from None
    shapes = read_collisions(path, package_roots=folders.roots, snap_angles=options.snap)
    place = {link: k for k, link in enumerate(machine.link_names)}
    geometries = tuple(
        Geometry(f"{name}/{link}#{k}", name, link, shape, frame)
        for k, (link, shape, frame) in enumerate(sorted(shapes, key=lambda s: place[s[0]]))
    )
    inner = {link.name: link.joint_name for link in model.links if link.joint.nv}
    return Built(machine, geometries, inner), _places(model)


def _places(model: Model) -> Places:
    """Poses of links at the neutral position, from world coordinates."""
    places: dict[str | None, Transform] = {None: Transform.identity()}
    for link in model.links:
        kind = link.joint
        XJ = kind.jcalc(kind.neutral()).XJ
        places[link.name] = XJ @ link.frame @ places[link.parent]
    return {name: place for name, place in places.items() if name is not None}


def read_sdf(
    element: Element,
    folders: MeshFolders,
    options: Options,
    notes: Notes,
    gravity: Triple,
) -> list[Made]:
    """The models of an SDF file; with an id, names get the prefix of the id and ``::``."""
    from ..sdf import reader as sdf  # which is made of bodies and joints of this package

    path = mesh_file(element, "filename", folders)
    prefix = element.attributes.get("id", "").strip()
    own = Notes()
    inner_folders = MeshFolders.of(path, folders.roots)
    root = parse_xml(read_bytes(path), path)
    surfaces: sdf.Surfaces = {}
    made = sdf.models(
        root, options.snap, inner_folders, own, gravity,
        prefix=f"{prefix}::" if prefix else "", surfaces=surfaces,
    )  # fmt: skip
    if surfaces:
        text = f"{path}: <surface> is not read: contact parameters are those of the simulator"
        notes.add("ignored", text, element.line)
    notes.pass_on(own.ordered(), path, element.line)
    return made
