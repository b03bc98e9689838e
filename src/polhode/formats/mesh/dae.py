"""Collada, through the optional library ``trimesh`` with ``pycollada``."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np

from ...errors import ModelError, ParseError
from ...files.reading import content
from ..source import MAX_BYTES
from ..xml import Element, parse_xml
from .triangles import MAX_TRIANGLES, MAX_VERTICES, Triangles, require_few

_INSTANCES = ("instance_node", "instance_geometry", "instance_controller")


def read_dae(stream: BinaryIO, file: str) -> Triangles:
    """Vertices and triangles of all nodes, in metres with z up as the file declares."""
    data = content(stream, file, MAX_BYTES)
    _Sizes(parse_xml(data, file)).require_few()
    try:
        import collada  # type: ignore[import-not-found]  # noqa: F401
        import trimesh  # type: ignore[import-not-found]
    except ImportError:
        raise ModelError(
            f"expected the libraries trimesh and pycollada to read '{file}', which are not "
            "installed: pip install 'polhode[mesh]', or convert the mesh to OBJ or STL"
        ) from None
    try:
        loaded: Any = trimesh.load(io.BytesIO(data), file_type="dae", force="mesh")
        vertices = np.asarray(loaded.vertices, float).reshape(-1, 3)
        faces = np.asarray(loaded.faces, np.int64).reshape(-1, 3)
    except Exception as error:  # whatever a third-party reader raises on a damaged file
        raise ParseError(f"expected a DAE mesh: {error}", file) from None
    require_few(len(faces), file)
    return Triangles(vertices, faces)


@dataclass
class _Sizes:
    """Size of a document with its nodes, which may repeat each other, written out."""

    root: Element
    named: dict[str, Element] = field(default_factory=dict)
    known: dict[int, int] = field(default_factory=dict)
    open: set[int] = field(default_factory=set)

    def require_few(self) -> None:
        """Refuse what the libraries would take too long for, or never end with."""
        every = [self.root]
        for element in every:
            every += element.children
        self.named = {e.attributes["id"]: e for e in every if "id" in e.attributes}
        scenes = [e for e in every if _name(e) == "visual_scene"]
        if sum(map(self._corners, scenes)) > MAX_VERTICES:
            raise self.root.error(f"expected at most {MAX_TRIANGLES} triangles, found more")

    def _corners(self, element: Element) -> int:
        """Corners of the faces of an element and of all that it repeats, cut at the limit."""
        if id(element) in self.known:
            return self.known[id(element)]
        if id(element) in self.open or len(self.open) > 200:
            raise element.error("expected nodes that do not repeat themselves, nested less deep")
        self.open.add(id(element))
        parts = [*element.children]
        if _name(element) in _INSTANCES:
            target = self.named.get(element.attributes.get("url", "").removeprefix("#"))
            parts += [target] if target is not None else []
        own = len(element.text.split()) if _name(element) == "p" else 0
        total = min(own + sum(map(self._corners, parts)), MAX_VERTICES + 1)
        self.open.discard(id(element))
        self.known[id(element)] = total
        return total


def _name(element: Element) -> str:
    """The tag without its namespace."""
    return element.tag.rpartition("}")[2]
