"""COLLADA, through the optional library ``pycollada``."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

import numpy as np

from ...errors import ModelError, ParseError
from ...files.reading import content
from ..source import MAX_BYTES
from ..xml import Element, parse_xml
from .triangles import MAX_TRIANGLES, MAX_VERTICES, Color, Triangles, require_few

_NONE = np.zeros(0, np.int64)
_INSTANCES = ("instance_node", "instance_geometry", "instance_controller")


def read_dae(stream: BinaryIO, file: str) -> Triangles:
    """Vertices and triangles of all nodes, in metres, with the colours of their materials."""
    data = content(stream, file, MAX_BYTES)
    _Sizes(parse_xml(data, file)).require_few()
    try:
        import collada
        from collada.common import DaeError
    except ImportError:
        raise ModelError(
            f"expected the library pycollada to read '{file}', which is not "
            "installed: pip install 'polhode[mesh]', or convert the mesh to OBJ or STL"
        ) from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PendingDeprecationWarning)  # of numpy.matrix
            document: Any = collada.Collada(io.BytesIO(data), ignore=[DaeError])
            read = _joined(list(_parts(document)))
        vertices = read.vertices * float(document.assetInfo.unitmeter or 1.0)
    except Exception as error:  # whatever a third-party reader raises on a damaged file
        raise ParseError(f"expected a DAE mesh: {error}", file) from None
    require_few(len(read.faces), file)
    wrong = np.flatnonzero(~np.isfinite(vertices).all(axis=1))
    if len(wrong):
        raise ParseError(f"expected finite numbers, found others in vertex {wrong[0]}", file)
    return replace(read, vertices=vertices)


def _parts(document: Any) -> Iterator[Any]:
    """The surfaces of all nodes; each has one material."""
    if document.scene is None:
        return
    for geometry in document.scene.objects("geometry"):
        for part in geometry.primitives():
            if hasattr(part, "triangleset"):
                part = part.triangleset()
            if hasattr(part, "ntriangles") and part.vertex is not None:
                yield part


def _color(part: Any) -> Color | None:
    """The diffuse colour; none where there is no material, or a texture."""
    diffuse = getattr(getattr(part.material, "effect", None), "diffuse", None)
    if not isinstance(diffuse, tuple):
        return None
    red, green, blue = (min(max(float(x), 0.0), 1.0) for x in diffuse[:3])
    return red, green, blue


def _joined(parts: Sequence[Any]) -> Triangles:
    """All parts as one mesh."""
    vertices, faces, materials = [np.zeros((0, 3))], [np.zeros((0, 3), np.int64)], [_NONE]
    colors: dict[Color | None, int] = {}
    start = 0
    for part in parts:
        vertices.append(np.asarray(part.vertex, float).reshape(-1, 3))
        faces.append(np.asarray(part.vertex_index, np.int64).reshape(-1, 3) + start)
        material = colors.setdefault(_color(part), len(colors))
        materials.append(np.full(len(faces[-1]), material))
        start += len(vertices[-1])
    return Triangles(
        np.concatenate(vertices), np.concatenate(faces), np.concatenate(materials), tuple(colors)
    )


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
    return element.tag.rpartition(":")[2]
