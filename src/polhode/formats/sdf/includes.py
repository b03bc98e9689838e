"""``<include>``: models of other files, with a name and a place of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from ...errors import ParseError
from ..names import shorten
from ..reading import Notes
from ..source import read_bytes
from ..urdf.visual import MeshFolders
from ..xml import Element, parse_xml
from .values import child, text

CONFIG, USUAL = "model.config", "model.sdf"
MOST_INCLUDES = 100
OWN = ("pose", "static")  # elements of an include that stand for those of the model
FETCHED = ("http://", "https://")


def includes(world: Element | None) -> list[Element]:
    """Those of a world.

    Raises
    ------
    ParseError
        For more than a file may have.
    """
    found = [] if world is None else world.all("include")
    if len(found) > MOST_INCLUDES:
        raise too_many(found[MOST_INCLUDES], "world")
    return found


def too_many(include: Element, where: str) -> ParseError:
    """The error for more than a world or model may have."""
    return include.error(f"expected at most {MOST_INCLUDES} <include> in a {where}")


def included(include: Element, folders: MeshFolders, notes: Notes) -> Element | None:
    """The ``<sdf>`` of the file that an include names, with its model as the include has it.

    None for a file that is not there, or that has no model, such as one of a light; that is noted.
    """
    uri = text(include, "uri").strip()
    path = _path(uri, folders)
    if path is None:
        why = (
            "nothing is fetched" if uri.startswith(FETCHED)
            else "package_roots, or --package-root, names the folder that it is in"
        )  # fmt: skip
        what = f"<include>: '{shorten(uri)}' is not found, and left out; {why}"
        notes.add("doubtful", what, include.line)
        return None
    root = parse_xml(read_bytes(path), path)
    if root.tag != "sdf":
        raise root.error(f"expected <sdf> around an SDF, found <{shorten(root.tag)}>")
    models = root.all("model")
    if not models:
        what = f"<include>: '{shorten(uri)}' has no <model>, and is left out"
        notes.add("ignored", what, include.line)
        return None
    if len(models) > 1:
        raise models[1].error("expected one <model> in a file that is included, found "
                              f"{len(models)}")  # fmt: skip
    own = Element("model", models[0].attributes | _attributes(include), path, models[0].line)
    given = [part for part in include.children if part.tag in OWN]
    tags = {part.tag for part in given}
    own.children = given + [part for part in models[0].children if part.tag not in tags]
    return replace(root, children=[own])


def _attributes(include: Element) -> dict[str, str]:
    """Attributes of the model that an include gives as elements."""
    return {tag if tag == "placement_frame" else "name": text(include, tag)
            for tag in ("name", "placement_frame") if child(include, tag) is not None}  # fmt: skip


def _path(uri: str, folders: MeshFolders) -> str | None:
    """The file of a URI, which names it or the folder of a model."""
    if uri.startswith(FETCHED):
        return None
    if uri.lower().endswith(".sdf"):
        return _existing(uri, folders)
    folder = uri.rstrip("/")
    config = _existing(f"{folder}/{CONFIG}", folders)
    names = [USUAL] if config is None else [*_named(config), USUAL]
    return next(filter(None, (_existing(f"{folder}/{name}", folders) for name in names)), None)


def _named(config: str) -> Iterator[str]:
    """The files that describe a model, the newest version first."""
    try:
        root = parse_xml(read_bytes(config), config)
    except ParseError:
        return
    yield from (element.text.strip() for element in reversed(root.all("sdf")))


def _existing(name: str, folders: MeshFolders) -> str | None:
    path = folders.find(name)
    return path if path is not None and os.path.isfile(path) else None
