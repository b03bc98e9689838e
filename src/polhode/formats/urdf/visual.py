"""``<visual>`` to a shape with place and colour; mesh files are named, never opened."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import ModelError
from ...model import Box, Capsule, Cylinder, Mesh, Sphere, TriangleMesh, Visual
from ...model.shapes import Shape
from ..mesh import is_readable
from ..names import near, shorten
from ..packages import file_in_package
from ..reading import Notes
from ..xml import Element
from .joint import read_frame
from .values import attribute, child, describe, number, required_child, triple, vector

Color = tuple[float, float, float, float]

SHAPES = ("box", "cylinder", "sphere", "capsule", "mesh")
SCHEMES = ("package://", "model://")  # of ROS and of Gazebo


@dataclass(frozen=True)
class MeshFolders:
    """Folders of mesh files.

    ``home`` is the folder of the model file, or None for a text. ``roots`` are the folders that
    hold packages, or are packages. ``meshes`` are those read so far, by path.
    """

    home: Path | None
    roots: tuple[Path, ...]
    meshes: dict[str, TriangleMesh] = field(default_factory=dict, compare=False)

    @classmethod
    def of(
        cls, file: str | os.PathLike[str] | None, roots: Sequence[str | os.PathLike[str]]
    ) -> MeshFolders:
        home = None if file is None else Path(os.path.realpath(Path(file).parent))
        return cls(home, tuple(Path(os.path.realpath(root)) for root in roots))

    def beside(self, path: str) -> MeshFolders:
        """Those of another file, which this one brings in."""
        homes = [] if self.home is None else [self.home]
        return MeshFolders.of(path, [*homes, *self.roots])

    def find(self, name: str) -> str | None:
        """The path that a mesh name means; None if that is outside all folders.

        A mesh that may lie here but is not there keeps a path; a package that is not in any root
        keeps its name.  Packages, which Gazebo calls models, are looked for in the roots, then
        where `packages` finds them.
        """
        scheme = next(filter(name.startswith, SCHEMES), "")
        if scheme:
            parts = name.removeprefix(scheme).split("/")
            if ".." in parts:
                return None
            inside = [root.joinpath(*parts) for root in self.roots]
            itself = [root.joinpath(*parts[1:]) for root in self.roots if root.name == parts[0]]
            found = self._first([*inside, *itself], missing=None)
            if found is not None and os.path.isfile(found):
                return found
            return file_in_package(parts[0], parts[1:], self.home) or name
        name = name.removeprefix("file://")
        if "://" in name:
            return None
        bases = [base for base in (self.home, *self.roots) if base is not None]
        return self._first([base / name for base in bases], missing=None if bases else name)

    def allowing(self, name: str) -> str:
        """How to allow a file that is outside all folders, to be added to what says so.

        By the first folder that both lie in, or by that to which a link leads; never by all of
        the disk.
        """
        if "://" in (name := name.removeprefix("file://")):
            return ""
        if self.home is None:
            return "; package_roots allows others"
        place = os.path.normpath(self.home / name)
        real = os.path.realpath(place)
        both = os.path.commonpath([self.home, place])
        is_link, is_all = real != place, os.path.dirname(both) == both
        root = os.path.dirname(real) if is_link or is_all else both
        link = "it is a link, and " if is_link else ""
        return f"; {link}package_roots=[{root!r}], or --package-root, allows it"

    def _first(self, candidates: list[Path], missing: str | None) -> str | None:
        real = [Path(os.path.realpath(path)) for path in candidates]
        allowed = [path for path in real if self._is_inside(path)]
        for path in allowed:
            if os.path.isfile(path):  # unlike the method, no error for a name that is too long
                return str(path)
        return str(allowed[0]) if allowed and missing is None else missing

    def _is_inside(self, path: Path) -> bool:
        bases = [base for base in (self.home, *self.roots) if base is not None]
        return any(path.is_relative_to(base) for base in bases)


def read_materials(robot: Element) -> dict[str, Color]:
    """The colours that the file gives a name to, in the robot or in any visual."""
    colors: dict[str, Color] = {}
    visuals = [v for link in robot.all("link") for v in link.all("visual")]
    for owner in (*visuals, robot):
        for material in owner.all("material"):
            color = child(material, "color")
            if color is not None:
                colors[material.attributes.get("name", "")] = _color(color)
    return colors


def read_visuals(
    link: Element,
    colors: Mapping[str, Color],
    folders: MeshFolders,
    snap: bool | str,
    notes: Notes,
) -> tuple[Visual, ...]:
    """All shapes of a link; a mesh that cannot be read is replaced by its collision shapes."""
    visuals, is_replaced = [], False
    for element in link.all("visual"):
        geometry = required_child(element, "geometry")
        shape = read_shape(link, geometry, folders, notes)
        if shape is None:
            continue
        frame = read_frame(element, snap, notes)
        color, name = _visual_color(element, colors), element.attributes.get("name", "")
        if isinstance(shape, Mesh) and not is_readable(shape.path):
            instead = () if is_replaced else _collisions(link, color, folders, snap)
            is_replaced = is_replaced or bool(instead)
            _note_unreadable(link, shape, geometry, notes, is_replaced)
            visuals += instead
            if is_replaced:
                continue
        visuals.append(Visual(shape, frame, color, name))
    return tuple(visuals)


def _collisions(
    link: Element, color: Color | None, folders: MeshFolders, snap: bool | str
) -> list[Visual]:
    """What can be drawn of a link's collision shapes; what is wrong with them is told elsewhere."""
    found = []
    for element in link.all("collision"):
        shape = read_shape(link, required_child(element, "geometry"), folders, Notes())
        if shape is not None and not (isinstance(shape, Mesh) and not is_readable(shape.path)):
            found.append(Visual(shape, read_frame(element, snap, Notes()), color))
    return found


def _note_unreadable(
    link: Element, mesh: Mesh, element: Element, notes: Notes, is_replaced: bool
) -> None:
    missing = not os.path.isfile(mesh.path)
    what = "no mesh file" if missing else "no reader of mesh file"
    instead = "; its collision shapes are drawn instead" if is_replaced else ""
    line = element.children[0].line
    notes.add("mesh", f"{describe(link)}: {what} '{shorten(mesh.path)}'{instead}", line)


def _visual_color(visual: Element, colors: Mapping[str, Color]) -> Color | None:
    material = child(visual, "material")
    if material is None:
        return None
    color = child(material, "color")
    return colors.get(material.attributes.get("name", "")) if color is None else _color(color)


def _color(element: Element) -> Color:
    red, green, blue, alpha = rgba = vector(element, "rgba", 4)
    if not all(0.0 <= part <= 1.0 for part in rgba):
        text = shorten(element.attributes["rgba"])
        raise element.error(f"expected numbers from 0 to 1 in <color rgba>, found '{text}'")
    return red, green, blue, alpha


def read_shape(
    link: Element, geometry: Element, folders: MeshFolders, notes: Notes
) -> Shape | None:
    """The shape record, or None for a mesh that must not be used."""
    if len(geometry.children) != 1:
        raise geometry.error(f"expected one shape in <geometry>, found {len(geometry.children)}")
    shape = geometry.children[0]
    try:
        return _known_shape(link, shape, folders, notes)
    except ModelError as error:
        raise shape.error(str(error)) from None


def _known_shape(link: Element, shape: Element, folders: MeshFolders, notes: Notes) -> Shape | None:
    match shape.tag:
        case "box":
            return Box(triple(shape, "size"))
        case "sphere":
            return Sphere(number(shape, "radius"))
        case "cylinder":
            return Cylinder(number(shape, "radius"), number(shape, "length"))
        case "capsule":
            return Capsule(number(shape, "radius"), number(shape, "length"))
        case "mesh":
            return _mesh(link, shape, folders, notes)
        case other:
            raise shape.error(
                f"unknown shape <{shorten(other)}>{near(other, SHAPES)}"
                f" (known: {', '.join(SHAPES)})"
            )


def _mesh(link: Element, mesh: Element, folders: MeshFolders, notes: Notes) -> Mesh | None:
    name = attribute(mesh, "filename")
    scale = triple(mesh, "scale", (1.0, 1.0, 1.0))
    path = folders.find(name)
    if path is None:
        text = f"{describe(link)}: mesh '{shorten(name)}' lies outside the folders given"
        text += folders.allowing(name)
        notes.add("ignored", text, mesh.line)
        return None
    return Mesh(path, scale)
