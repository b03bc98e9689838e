"""SDF models to models of a scene, and an SDF file to a `Scene`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ...arrays import Numbers
from ...errors import ModelError
from ...scene import DisabledPair, Geometry, Scene
from ..names import shorten
from ..reading import Notes, Reading
from ..source import read_bytes
from ..urdf.visual import MeshFolders
from ..xml import Element, parse_xml
from .axes import with_limits
from .includes import included, includes
from .machine import Made, ModelReader, SdfOptions, Surfaces
from .mimics import mimics_of, with_mimics
from .nesting import ModelFile, Nesting
from .self_collision import apart
from .surface import MOST_SURFACES, contacts
from .values import child, describe, name_of, triple
from .version import read_version
from .vocabulary import note_unread

GRAVITY = (0.0, 0.0, -9.81)


def read(
    path: str | os.PathLike[str],
    *,
    gravity: Numbers | None = None,
    name: str | None = None,
    mimic: str = "independent",
    snap_angles: bool | str = True,
    package_roots: Sequence[str | os.PathLike[str]] = (),
) -> Reading[Scene]:
    """Read an SDF file; options as in `polhode.formats.load`."""
    root = parse_xml(read_bytes(path), str(path))
    folders = MeshFolders.of(path, package_roots)
    return _scene(root, name or Path(path).stem, gravity, snap_angles, folders, mimic)


def parse(
    source: str | bytes,
    *,
    file: str = "<string>",
    gravity: Numbers | None = None,
    name: str | None = None,
    mimic: str = "independent",
    snap_angles: bool | str = True,
    package_roots: Sequence[str | os.PathLike[str]] = (),
) -> Reading[Scene]:
    """The scene of an SDF text, with notes."""
    folders = MeshFolders.of(None, package_roots)
    return _scene(parse_xml(source, file), name or "scene", gravity, snap_angles, folders, mimic)


def _scene(
    root: Element,
    name: str,
    gravity: Numbers | None,
    snap: bool | str,
    folders: MeshFolders,
    mimic: str,
) -> Reading[Scene]:
    notes = Notes()
    world = _world(root)
    g = child(world, "gravity") if world is not None else None
    if gravity is not None:
        x, y, z = (float(value) for value in gravity)
    else:
        x, y, z = triple(world, "gravity") if world is not None and g is not None else GRAVITY
    surfaces: Surfaces = {}
    quiet: list[DisabledPair] = []
    made = models(root, snap, folders, notes, (x, y, z), surfaces=surfaces, mimic=mimic,
                  quiet=quiet)  # fmt: skip
    if len(surfaces) > MOST_SURFACES:
        text = f"<surface> is read of the first {MOST_SURFACES} of {len(surfaces)} <collision> only"
        notes.add("ignored", text)
    try:
        scene = Scene(
            name,
            tuple(each.built.machine for each in made),
            tuple(_with_shape(made, notes)),
            contacts=contacts(surfaces),
            disabled_pairs=tuple(quiet),
            loops=tuple(loop for each in made for loop in each.loops),
            gears=tuple(gear for each in made for gear in each.gears),
            gravity=(x, y, z),
        )
    except ModelError as error:
        raise root.error(str(error)) from None
    return Reading(scene, notes.ordered(), root.file)


def _with_shape(made: list[Made], notes: Notes) -> Iterator[Geometry]:
    for geometry in (g for each in made for g in each.built.geometries):
        if geometry.shape is None:
            notes.add("doubtful", f"collision '{shorten(geometry.name)}' has no shape")
        else:
            yield geometry


def _world(root: Element) -> Element | None:
    """The first world of a file."""
    return next(iter(root.all("world")), None)


def _models(root: Element) -> list[Element]:
    """Those of the file, and of its first world."""
    world = _world(root)
    return [*root.all("model"), *(world.all("model") if world is not None else [])]


def models(
    root: Element,
    snap: bool | str,
    folders: MeshFolders,
    notes: Notes,
    gravity: tuple[float, float, float],
    *,
    prefix: str = "",
    surfaces: Surfaces,
    mimic: str = "independent",
    quiet: list[DisabledPair] | None = None,
) -> list[Made]:
    """All models in an SDF, each with the poses at which its links are drawn.

    ``surfaces`` is filled with what the file says of friction and rebound, by geometry, and
    ``quiet`` with the links that never touch.

    Raises
    ------
    ParseError
        For everything that is wrong in them.
    """
    if root.tag != "sdf":
        raise root.error(f"expected <sdf> around an SDF, found <{shorten(root.tag)}>")
    elements, others = _models(root), includes(_world(root))
    if not elements and not others:
        raise root.error("the file has no <model>")
    note_unread(root, notes)
    for other in root.all("world")[1:]:
        notes.add("ignored", f"{describe(other)} is not read: only the first world is", other.line)
    nesting = Nesting(snap)
    file = ModelFile(folders, notes, read_version(root, notes))
    elements = [nesting.flat(element, file) for element in elements]
    options = SdfOptions(snap, folders, notes, gravity, file.has_axes_of_models, nesting.folders)
    quiet = [] if quiet is None else quiet
    made = [_model(element, prefix, options, surfaces, mimic, quiet) for element in elements]
    for include in others:
        inner = included(include, folders, notes)
        if inner is None:
            continue
        own, path = Notes(), inner.children[0].file
        made += models(
            inner, snap, folders.beside(path), own, gravity, prefix=prefix, surfaces=surfaces,
            mimic=mimic, quiet=quiet,
        )  # fmt: skip
        notes.pass_on(own.ordered(), path, include.line)
        elements.append(include)
    if not made:
        raise root.error("the file has no <model>, and includes none that is found")
    names = [each.built.machine.name for each in made]
    for k, (element, name) in enumerate(zip(elements, names, strict=True)):
        if name in names[:k]:
            raise element.error(f"duplicate model name '{shorten(name)}'")
    return made


def _model(
    element: Element, prefix: str, options: SdfOptions, surfaces: Surfaces, mimic: str,
    quiet: list[DisabledPair],
) -> Made:  # fmt: skip
    name = prefix + name_of(element)
    reader = ModelReader(element, name, options)
    made = reader.make()
    machine = with_limits(made.built.machine, element)
    machine = with_mimics(machine, mimics_of(element, options.notes), element,
                          coupled=mimic == "coupled")  # fmt: skip
    surfaces.update(reader.surfaces)
    quiet += apart(element, name)
    return replace(made, built=replace(made.built, machine=machine))
