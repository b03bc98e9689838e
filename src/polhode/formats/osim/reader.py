"""``.osim`` text to a scene of one model."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ...arrays import Numbers
from ...errors import ModelError, ParseError
from ...model import FunctionBased, Model
from ...scene import Gear, Machine, Scene
from ..names import shorten
from ..reading import Notes, Reading
from ..sdf.values import child
from ..source import read_bytes
from ..xml import Element, foreign, parse_xml
from .couplings import OsimCoupler, following, read_couplings
from .tree import GROUND, OsimTree, marker_links
from .values import objects, triple

GRAVITY = (0.0, -9.80665, 0.0)
UNREAD = ("ForceSet", "ControllerSet", "ContactGeometrySet", "ProbeSet", "ComponentSet")


def read(
    path: str | os.PathLike[str], *, gravity: Numbers | None = None, name: str | None = None
) -> Reading[Scene]:
    """Read a file; options as in `polhode.formats.load`."""
    return _read(parse_xml(read_bytes(path), str(path)), name, gravity, Path(path).stem)


def parse(
    text: str | bytes,
    *,
    file: str = "<string>",
    gravity: Numbers | None = None,
    name: str | None = None,
) -> Reading[Scene]:
    """The scene of a text, with notes; ``file`` is its name in errors."""
    return _read(parse_xml(text, file), name, gravity, "model")


def _read(
    root: Element, name: str | None, gravity: Numbers | None, fallback: str
) -> Reading[Scene]:
    model = root if root.tag == "Model" else child(root, "Model")
    if model is None or root.tag not in ("OpenSimDocument", "Model"):
        raise root.error(
            f"expected <OpenSimDocument> with a <Model>, found <{shorten(root.tag)}>{foreign(root)}"
        )
    notes = Notes()
    called = name or model.attributes.get("name", "").strip() or fallback
    try:
        scene = _scene(model, called, gravity, notes)
    except ParseError:
        raise
    except (ModelError, ArithmeticError) as error:  # names and numbers that do not fit together
        raise model.error(str(error)) from None
    return Reading(scene, notes.ordered(), root.file)


def _scene(element: Element, name: str, gravity: Numbers | None, notes: Notes) -> Scene:
    g = triple(element, GRAVITY, "gravity")
    if gravity is not None:
        x, y, z = (float(value) for value in gravity)
        g = (x, y, z)
    tree = OsimTree(element)
    taken = [link.name for link in tree.links]
    model = Model(name, (*tree.links, *marker_links(tree, taken)), g, GROUND)
    start = {each.name: each.start for each in tree.coordinates}
    if len(start) < len(tree.coordinates):
        twice = [n for n, k in Counter(c.name for c in tree.coordinates).items() if k > 1]
        raise element.error(f"duplicate coordinate name '{shorten(twice[0])}'")
    couplings = read_couplings(element, start, tree.links, notes)
    for coupling in couplings:
        start[coupling.dependent] = coupling.function(start[coupling.independent])
    _note_unread(element, notes)
    _note_locked(tree, notes)
    curves = {coupling.dependent: coupling for coupling in couplings if coupling.is_curve}
    links = (following(link, curves[link.joint_name]) if link.joint_name in curves else link
             for link in model.links)  # fmt: skip
    model = replace(model, links=tuple(links))
    gears = tuple(_gear(name, coupling) for coupling in couplings if not coupling.is_curve)
    machine = Machine(name, model, _positions(model, start))
    return Scene(name, (machine,), gears=gears, gravity=g)


def _positions(model: Model, start: Mapping[str, float]) -> tuple[float, ...]:
    """``q`` from values of coordinates: an order of joints is one of the chains."""
    q = []
    for joint in model.joints:
        kind = joint.kind
        names = kind.coordinates if isinstance(kind, FunctionBased) else (joint.name,)
        q += [start[name] for name in names]
    return tuple(q)


def _gear(machine: str, coupling: OsimCoupler) -> Gear:
    _, slope, *_ = *coupling.function.pieces[0], 0.0
    ends = (machine, coupling.dependent), (machine, coupling.independent)
    return Gear(coupling.name, *ends, slope)


# -- what is not read --


def _note_unread(model: Element, notes: Notes) -> None:
    """One note on all that acts on bodies, or is drawn, and is not in the model."""
    kinds: Counter[str] = Counter()
    line = None
    for tag in UNREAD:
        for element in objects(model, tag):
            kinds[shorten(element.tag)] += 1
            line = line or element.line
    if kinds:
        told = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        notes.add("ignored", f"not read: {told}", line, told, "<Model>")
    meshes = _geometry(model)
    if meshes:
        notes.add("hint", f"{meshes} geometries of bodies are not read", model.line)


def _geometry(model: Element) -> int:
    """How many meshes and shapes are attached to bodies."""
    tags = ("DisplayGeometry", "Mesh", "Sphere", "Brick", "Cylinder", "Ellipsoid", "Cone")
    count, stack = 0, objects(model, "BodySet")
    while stack:
        element = stack.pop()
        count += element.tag in tags
        stack += element.children
    return count


def _note_locked(tree: OsimTree, notes: Notes) -> None:
    locked = [each.name for each in tree.coordinates if each.is_locked]
    if locked:
        names = ", ".join(map(shorten, locked))
        notes.add("hint", f"locked, by limits that are equal: {names}", tree.model.line)
