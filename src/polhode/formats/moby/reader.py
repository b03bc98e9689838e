"""Moby XML to a `Scene`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...arrays import Numbers
from ...errors import ParseError
from ...scene import Geometry, Machine, Scene
from ...scene.plugins import with_functions
from ..names import near, shorten
from ..reading import Notes, Reading
from ..source import read_bytes
from ..urdf.visual import MeshFolders
from ..xml import Element, foreign, parse_xml
from . import forces, simulator
from .assembly import SceneAssembly
from .objects import children, collect, walk
from .poses import Options
from .values import describe, required
from .vocabulary import note_unread

Functions = Mapping[str, Callable[..., Any]]


def read(
    path: str | os.PathLike[str],
    *,
    gravity: Numbers | None = None,
    name: str | None = None,
    snap_angles: bool | str = True,
    package_roots: Sequence[str | os.PathLike[str]] = (),
    plugins: Functions | None = None,
    strict: bool = True,
) -> Reading[Scene]:
    """Read a Moby file; options as in `polhode.formats.load`."""
    root = parse_xml(read_bytes(path), str(path))
    folders = MeshFolders.of(path, package_roots)
    options = Options(strict, snap_angles)
    reader = _Reader(root, options, folders, gravity, dict(plugins or {}))
    return reader.read(name or reader.moby.attributes.get("name") or Path(path).stem)


def parse(
    text: str | bytes,
    *,
    file: str = "<string>",
    gravity: Numbers | None = None,
    name: str | None = None,
    snap_angles: bool | str = True,
    package_roots: Sequence[str | os.PathLike[str]] = (),
    plugins: Functions | None = None,
    strict: bool = True,
) -> Reading[Scene]:
    """The scene of a Moby text, with notes; ``file`` is its name in errors."""
    folders = MeshFolders.of(None, package_roots)
    options = Options(strict, snap_angles)
    reader = _Reader(parse_xml(text, file), options, folders, gravity, dict(plugins or {}))
    return reader.read(name or reader.moby.attributes.get("name") or "scene")


@dataclass
class _Reader:
    """One file, and the parts of the scene read so far."""

    root: Element
    options: Options
    folders: MeshFolders
    gravity: Numbers | None
    functions: Functions
    notes: Notes = field(default_factory=Notes)

    def __post_init__(self) -> None:
        moby = next((e for e in walk(self.root) if e.tag.lower() == "moby"), None)
        if moby is None:
            raise self.root.error(
                f"expected a <MOBY> element, found none inside <{shorten(self.root.tag)}>"
                f"{foreign(self.root)}"
            )
        self.moby = moby
        self.objects = collect(moby)
        self.assembly = SceneAssembly(moby, self.objects, self.folders, self.options, self.notes)

    def read(self, name: str) -> Reading[Scene]:
        note_unread(self.root, self.notes)
        every = self.objects["simulator"]
        every.elements.update(self.objects["old simulator"].elements)
        found = simulator.chosen(every, self.notes)
        element = found[1] if found else None
        force = self._forces(element)
        try:
            self.assembly.assemble(force[0], self._listed(element))
            scene = self._scene(name, found, force)
            scene = with_functions(scene, self.functions, self.objects["plug-in"].elements)
        except ParseError:
            raise
        except (ValueError, ArithmeticError) as error:  # names and numbers that do not fit together
            raise self.moby.error(str(error)) from None
        return Reading(scene, self.notes.ordered(), self.root.file)

    def _listed(self, element: Element | None) -> set[str]:
        """The implicit joints that a simulator lists."""
        listed = set()
        for part in children(element, "ImplicitConstraint") if element else ():
            name = required(part, "joint-id")
            self.objects["joint"].find(name, part)
            listed.add(name)
        return listed

    def _forces(self, element: Element | None) -> forces.Forces:
        uses: list[tuple[Element, str | None]] = []
        for part in children(element, "RecurrentForce") if element else ():
            uses.append((part, None))
        for kind in ("body", "articulated body"):
            for name, owner in self.objects[kind].items():
                uses += [(part, name) for part in children(owner, "RecurrentForce")]
        owners = self.objects["articulated body"].elements
        names = (*self.objects["body"].elements, *owners)
        brings = [e for e in owners.values() if "urdf-filename" in e.attributes]
        if brings or self.objects["SDF"].elements:
            names = None  # the scene checks those of robots from other files
        gravity, others = forces.read_forces(self.objects["force"], uses, names, self.notes)
        if self.gravity is not None:
            x, y, z = (float(value) for value in self.gravity)
            gravity = (x, y, z)
        return gravity, others

    # -- the scene --

    def _scene(self, name: str, found: Any, force: forces.Forces) -> Scene:
        driver = simulator.find_driver(self.root)
        geometries = self._geometries(found)
        scene = Scene(
            name,
            tuple(built.machine for built in self.assembly.built.values()),
            loops=tuple(self.assembly.loops),
            gears=tuple(self.assembly.gears),
            forces=force[1],
            view=simulator.read_view(driver),
            gravity=force[0],
        )
        if found is None:
            text = "there is no simulator: all bodies take part, without gravity and forces"
            self.notes.add("doubtful", text, self.moby.line)
            return replace(scene, geometries=tuple(geometries))
        identifier, element = found
        names: dict[str, object] = {geometry.name: geometry for geometry in geometries}
        for owner, built in self.assembly.built.items():
            names[owner] = built
            for link in built.machine.link_names:
                names |= {link: built, f"{owner}/{link}": built}
        dissipation = None
        if "dissipator-id" in element.attributes:
            used = self.objects["dissipation"].find(required(element, "dissipator-id"), element)
            dissipation = forces.read_dissipation(used, self.assembly.built)
        contacts = children(element, "ContactParameters", "ContactParamaters")
        return replace(
            scene,
            machines=self._active(element),
            geometries=tuple(geometries),
            contacts=simulator.read_contacts(contacts, names, self.notes),
            disabled_pairs=simulator.read_pairs(children(element, "DisabledPair"), names),
            plugins=simulator.read_plugin(
                element, self.objects["plug-in"], self.functions, self.notes
            ),
            dissipation=dissipation,
            settings=simulator.read_settings(identifier, element, driver),
        )

    def _geometries(self, found: Any) -> list[Geometry]:
        """Collision geometries; only with a contact plug-in may they have no shape."""
        has_plugin = found is not None and "collision-detection-plugin" in found[1].attributes
        kept: dict[str, Geometry] = {}
        for geometry in (g for built in self.assembly.built.values() for g in built.geometries):
            if geometry.name in kept:
                raise self.moby.error(f"duplicate CollisionGeometry id '{shorten(geometry.name)}'")
            if geometry.shape is None and not has_plugin:
                text = f"a CollisionGeometry of '{shorten(geometry.body)}' has no shape"
                self.notes.add("doubtful", text, self.moby.line)
            else:
                kept[geometry.name] = geometry
        return list(kept.values())

    def _active(self, element: Element) -> tuple[Machine, ...]:
        """The models, separated from those that the simulator does not list."""
        listed = set()
        for part in children(element, "DynamicBody"):
            listed.add(self._dynamic(part, required(part, "dynamic-body-id")))
        machines = []
        for name, built in self.assembly.built.items():
            if name not in listed:
                text = f"no <DynamicBody> lists '{shorten(name)}': it stands still, touches nothing"
                self.notes.add("doubtful", text, element.line)
            machines.append(replace(built.machine, is_simulated=name in listed))
        return tuple(machines)

    def _dynamic(self, part: Element, name: str) -> str:
        """The model that a ``<DynamicBody>`` refers to."""
        core = self.objects["pseudo-rigid body"].elements.get(name)
        if core is not None:
            name = required(core, "rigid-core-id")
        if name in self.assembly.built:
            return name
        if name in self.assembly.where:
            owner = self.assembly.where[name].machine
            text = f"{describe(part)}: '{shorten(name)}' is a link; list '{shorten(owner)}'"
            self.notes.add("doubtful", text, part.line)
            return owner
        hint = near(name, self.assembly.built)
        raise part.error(f"{describe(part)}: no body '{shorten(name)}'{hint}")
