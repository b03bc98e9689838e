"""Drawing instructions as shapes that the viewer knows.

Lines and the edges of triangles become thin capsules, tiles flat boxes; the facets of round
bodies and the second colour of spheres are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import ModelError
from ..model import Box, Capsule, Cylinder, Link, Model, Shape, Sphere, Visual
from ..spatial import Mat3, Transform, Vec3
from .convert import core_model
from .system import SystemModel

LINE = 0.004
"""The radius that a line is drawn with [m]."""

TILE_GREY = (0.3, 0.3, 0.3, 1.0)
_MAX_TILES = 4000
_OPERANDS = {
    "box": 1, "cyl": 2, "sphere": 2, "line": 1, "triangles": 1, "tiles": 2,
    "colour": 1, "color": 1, "facets": 1, "vertices": 1,
}  # fmt: skip


@dataclass(frozen=True)
class _Scope:
    """Attributes in force where an instruction stands, and where that is."""

    place: tuple[int, ...]
    colour: tuple[float, ...] | None = None
    vertices: np.ndarray | None = None

    def numbers(self, values: Any, columns: int, rows: int | None = None) -> np.ndarray:
        try:
            array = np.asarray(values, float)
        except (TypeError, ValueError):
            array = np.empty(0)
        wanted = (len(array) if rows is None and array.ndim else rows, columns)
        if array.shape != wanted:
            size = "M" if rows is None else rows
            raise self.error(f"expected a {size}x{columns} array, got {values!r:.60}")
        return array

    def error(self, text: str) -> ModelError:
        place = ",".join(map(str, self.place))
        return ModelError(f"drawing instruction {{{place}}}: {text}")


def shown(model: SystemModel) -> Model:
    """The core's machine with the shapes of the model's drawing instructions.

    Raises
    ------
    ModelError
        For an instruction that is not well formed; its place in the list is given.
    """
    core = core_model(model)
    appearance = model.appearance if "appearance" in model else {}
    bodies = list(appearance.get("body", [])) + [[]] * model.NB
    links = [
        replace(link, visuals=tuple(_visuals(drawing, _Scope((k + 1,)))))
        for k, (link, drawing) in enumerate(zip(core.links, bodies, strict=False))
    ]
    ground = Link("ground", visuals=tuple(_visuals(appearance.get("base", []), _Scope((0,)))))
    return replace(core, links=(ground, *links))


def _visuals(drawing: Sequence[Any], scope: _Scope) -> Iterator[Visual]:
    at, outer = 0, scope.place
    while at < len(drawing):
        scope = replace(scope, place=(*outer, at + 1))
        word = drawing[at]
        if not isinstance(word, str):
            yield from _visuals(word, scope)
            at += 1
            continue
        if word not in _OPERANDS or at + _OPERANDS[word] >= len(drawing):
            known = ", ".join(_OPERANDS)
            raise scope.error(f"expected {known} and their operands, got {word!r:.40}")
        operands = drawing[at + 1 : at + 1 + _OPERANDS[word]]
        at += 1 + _OPERANDS[word]
        if word in ("colour", "color"):
            colours = scope.numbers(np.atleast_2d(operands[0]), 3)
            scope = replace(scope, colour=(*colours[0].tolist(), 1.0))
        elif word == "vertices":
            scope = replace(scope, vertices=scope.numbers(operands[0], 3))
        elif word != "facets":
            yield from _shapes(word, operands, scope)


def _shapes(word: str, operands: Sequence[Any], scope: _Scope) -> Iterator[Visual]:
    if word == "box":
        a, b = scope.numbers(operands[0], 3, 2)
        yield _visual(Box(tuple(np.abs(b - a).tolist())), 0.5 * (a + b), scope)
    elif word == "sphere":
        centre = scope.numbers(np.atleast_2d(operands[0]), 3, 1)[0]
        yield _visual(Sphere(float(operands[1])), centre, scope)
    elif word == "cyl":
        a, b = scope.numbers(operands[0], 3, 2)
        yield _between(a, b, float(operands[1]), scope, Cylinder)
    elif word == "line":
        yield from _polyline(_points(operands[0], scope), scope)
    elif word == "triangles":
        for corners in scope.numbers(operands[0], 3):
            points = _points(corners, scope)
            yield from _polyline(np.concatenate((points, points[:1])), scope)
    else:
        yield from _tiles(scope.numbers(operands[0], 2, 3), float(operands[1]), scope)


def _points(values: Any, scope: _Scope) -> np.ndarray:
    """Points as given, or those of the vertices that are named by their numbers."""
    numbers = np.asarray(values, float)
    if numbers.ndim == 2 and 1 not in numbers.shape:
        return scope.numbers(values, 3)
    which = numbers.ravel().astype(int)
    if scope.vertices is None or not np.all((which >= 1) & (which <= len(scope.vertices))):
        raise scope.error(f"expected numbers of vertices given before, got {which.tolist()}")
    return scope.vertices[which - 1]


def _polyline(points: np.ndarray, scope: _Scope) -> Iterator[Visual]:
    for a, b in pairwise(points):
        if np.any(a != b):
            yield _between(a, b, LINE, scope, Capsule)


def _between(a: np.ndarray, b: np.ndarray, radius: float, scope: _Scope, kind: type) -> Visual:
    length = float(np.linalg.norm(b - a))
    if not length:
        raise scope.error("expected two different points")
    z = (b - a) / length
    x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
    x /= np.linalg.norm(x)
    E = Mat3.of(np.array((x, np.cross(z, x), z)).tolist())
    return _visual(kind(radius, length), 0.5 * (a + b), scope, E)


def _tiles(extent: np.ndarray, size: float, scope: _Scope) -> Iterator[Visual]:
    """Every other square of a checkerboard.

    The range across it has no length, or falls: then its first number is the place.
    """
    flat = [k for k in range(3) if extent[k, 0] >= extent[k, 1]]
    if len(flat) != 1 or not size > 0.0:
        raise scope.error("expected tiles of a positive size with one range that does not rise")
    a, b = [k for k in range(3) if k != flat[0]]
    edges = [np.arange(min(extent[k]), max(extent[k]) - 1e-9 * size, size) for k in (a, b)]
    if len(edges[0]) * len(edges[1]) > _MAX_TILES:
        raise scope.error(f"expected at most {_MAX_TILES} tiles")
    for i, x in enumerate(edges[0]):
        for j, y in enumerate(edges[1]):
            if (i + j) % 2 == 0:
                yield _tile(extent, (a, b, flat[0]), (x, y), size, scope)


def _tile(extent: np.ndarray, axes: tuple, corner: tuple, size: float, scope: _Scope) -> Visual:
    a, b, k = axes
    box, centre = np.zeros(3), np.zeros(3)
    for axis, start in zip((a, b), corner, strict=True):
        end = min(start + size, max(extent[axis]))
        box[axis], centre[axis] = end - start, 0.5 * (start + end)
    box[k], centre[k] = 0.5 * LINE, extent[k, 0] - 0.25 * LINE
    scope = replace(scope, colour=scope.colour or TILE_GREY)
    return _visual(Box(tuple(box.tolist())), centre, scope)  # type: ignore[arg-type]


def _visual(shape: Shape, at: np.ndarray, scope: _Scope, E: Mat3 | None = None) -> Visual:
    frame = Transform(E or Mat3.identity(), Vec3.of(at.tolist()))
    return Visual(shape, frame, scope.colour)  # type: ignore[arg-type]
