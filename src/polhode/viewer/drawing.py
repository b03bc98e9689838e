"""Drawing instructions: showmotion's nested lists as shapes of the page.

An instruction is a word and its operands; a list inside a list is a scope of its own::

    "box", [[x1, y1, z1], [x2, y2, z2]]        opposite corners
    "cyl", [[x, y, z], [x, y, z]], radius      ends of the axis
    "sphere", [x, y, z], radius
    "line", N points                           or numbers of vertices
    "triangles", M x 3 numbers of vertices     counter-clockwise seen from outside
    "tiles", [[x1, x2], [y1, y2], [z1, z2]], size     a checkerboard; the base only
    "colour", [r, g, b]                        to the end of the scope
    "facets", n                                of cylinders and spheres, to the end of the scope
    "vertices", N x 3 points                   numbered from 1, to the end of the scope

A second row of colour makes spheres two-toned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import ModelError, suggestion
from .rotations import quaternions
from .shapes import ShapeRow

BASE_BROWN = (0.4, 0.3, 0.2, 1.0)
TILE_GREY = (0.3, 0.3, 0.3, 1.0)
MOST_TILES = 100_000
_OPERANDS = {
    "box": 1, "cyl": 2, "sphere": 2, "line": 1, "triangles": 1, "tiles": 2,
    "colour": 1, "color": 1, "facets": 1, "vertices": 1,
}  # fmt: skip


class _Fault(Exception):
    """What is wrong with one instruction."""


@dataclass(frozen=True)
class _Scope:
    """What is in force where an instruction stands."""

    body: int
    name: str
    colours: np.ndarray | None = None
    facets: int | None = None
    vertices: np.ndarray | None = None

    def row(self, kind: str, size: Sequence[float], place: Any, axes: Any = None) -> ShapeRow:
        turn = (0.0, 0.0, 0.0, 1.0) if axes is None else quaternions(axes).tolist()
        return {
            "body": self.body,
            "kind": kind,
            "size": [float(x) for x in size],
            "pose": [*map(float, place), *turn],
            "color": self._colour(),
            "name": self.name,
        }

    def _colour(self) -> list[float] | None:
        if self.colours is not None:
            return [*self.colours[0].tolist(), 1.0]
        return list(BASE_BROWN) if self.body == 0 else None


def drawn(drawings: Sequence[Sequence[Any]], names: Sequence[str]) -> list[ShapeRow]:
    """Shapes of the drawing instructions of all bodies, the base first.

    Raises
    ------
    ModelError
        If instructions are not well formed: every one of them, with its place in the lists,
        counted from 1 (after the number of the body).
    """
    rows: list[ShapeRow] = []
    faults: list[str] = []
    for body, (drawing, name) in enumerate(zip(drawings, names, strict=True)):
        rows += _walk(drawing, _Scope(body, name), (body,), faults)
    if faults:
        raise ModelError(*faults)
    return rows


def has_tiles(drawing: Any) -> bool:
    """Whether instructions draw a floor of their own."""
    if isinstance(drawing, list | tuple):
        return any(map(has_tiles, drawing))
    return isinstance(drawing, str) and drawing == "tiles"


def _walk(
    drawing: Any, scope: _Scope, outer: tuple[int, ...], faults: list[str]
) -> Iterator[ShapeRow]:
    at = 0
    while at < len(drawing):
        word, place = drawing[at], (*outer, at + 1)
        if isinstance(word, list | tuple):
            yield from _walk(word, scope, place, faults)
            at += 1
            continue
        try:
            known = _known(word)
            operands = drawing[at + 1 : at + 1 + _OPERANDS[known]]
            at += 1 + _OPERANDS[known]
            if len(operands) < _OPERANDS[known]:
                raise _Fault(f"expected {_OPERANDS[known]} operands of '{word}'")
            if known in _ATTRIBUTES:
                scope = _ATTRIBUTES[known](operands[0], scope)
            else:
                yield from _SHAPES[known](operands, scope)
        except _Fault as fault:
            where = ",".join(map(str, place))
            faults.append(f"drawing instruction {{{where}}}: {fault}")
            if not isinstance(word, str) or word not in _OPERANDS:
                return  # where the next instruction starts cannot be known


def _known(word: Any) -> str:
    if isinstance(word, str) and word in _OPERANDS:
        return word
    hint = suggestion(word, _OPERANDS) if isinstance(word, str) else ""
    raise _Fault(f"expected one of {', '.join(_OPERANDS)}, got {word!r:.40}{hint}")


def _numbers(values: Any, columns: int, rows: int | None = None) -> np.ndarray:
    try:
        array = np.atleast_2d(np.asarray(values, float))
    except (TypeError, ValueError):
        array = np.empty((0, 0))
    if array.shape != (len(array) if rows is None else rows, columns) or not len(array):
        size = "N" if rows is None else rows
        raise _Fault(f"expected a {size}x{columns} array, got {values!r:.60}")
    if not np.isfinite(array).all():
        raise _Fault(f"expected finite numbers, got {values!r:.60}")
    return array


def _positive(value: Any, what: str) -> float:
    try:
        number = float(np.asarray(value, float).item())
    except (TypeError, ValueError):
        number = np.nan
    if not 0.0 < number < np.inf:
        raise _Fault(f"expected a positive {what}, got {value!r:.40}")
    return number


# -- attributes --


def _colour(value: Any, scope: _Scope) -> _Scope:
    colours = _numbers(value, 3)
    if colours.min() < 0.0 or colours.max() > 1.0:
        raise _Fault(f"expected a colour between 0 and 1, got {value!r:.60}")
    return replace(scope, colours=colours)


def _facets(value: Any, scope: _Scope) -> _Scope:
    number = _positive(value, "number of facets")
    if number != int(number) or not 3 <= number <= 1000:
        raise _Fault(f"expected a whole number of facets from 3 to 1000, got {value!r:.40}")
    return replace(scope, facets=int(number))


def _vertices(value: Any, scope: _Scope) -> _Scope:
    return replace(scope, vertices=_numbers(value, 3))


_ATTRIBUTES: dict[str, Callable[[Any, _Scope], _Scope]] = {
    "colour": _colour, "color": _colour, "facets": _facets, "vertices": _vertices,
}  # fmt: skip


# -- shapes --


def _box(operands: Sequence[Any], scope: _Scope) -> Iterator[ShapeRow]:
    a, b = _numbers(operands[0], 3, 2)
    if np.any(a == b):
        raise _Fault(f"expected corners that differ in every direction, got {operands[0]!r:.60}")
    yield scope.row("box", np.abs(b - a), 0.5 * (a + b)) | {"sharp": True}


def _sphere(operands: Sequence[Any], scope: _Scope) -> Iterator[ShapeRow]:
    centre, radius = _numbers(operands[0], 3, 1)[0], _positive(operands[1], "radius")
    row = scope.row("sphere", [radius], centre) | {"facets": scope.facets}
    if scope.colours is not None and len(scope.colours) > 1:
        row["colors"] = scope.colours[:2].tolist()
    yield row


def _cyl(operands: Sequence[Any], scope: _Scope) -> Iterator[ShapeRow]:
    a, b = _numbers(operands[0], 3, 2)
    radius, length = _positive(operands[1], "radius"), float(np.linalg.norm(b - a))
    if not length:
        raise _Fault("expected two different ends of a cylinder")
    z = (b - a) / length
    x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
    x /= np.linalg.norm(x)
    axes = np.stack((x, np.cross(z, x), z), axis=-1)
    yield scope.row("cylinder", [radius, length], 0.5 * (a + b), axes) | {"facets": scope.facets}


def _line(operands: Sequence[Any], scope: _Scope) -> Iterator[ShapeRow]:
    numbers = np.asarray(operands[0], float) if _is_numeric(operands[0]) else np.empty(0)
    if numbers.ndim == 2 and 1 not in numbers.shape:
        points = _numbers(operands[0], 3)
    else:
        points = _vertices_of(numbers.ravel(), scope)
    if len(points) < 2:
        raise _Fault("expected at least two points of a line")
    yield scope.row("line", [], (0.0, 0.0, 0.0)) | {"points": points}


def _triangles(operands: Sequence[Any], scope: _Scope) -> Iterator[ShapeRow]:
    corners = _numbers(operands[0], 3)
    _vertices_of(corners.ravel(), scope)
    mesh = {"points": scope.vertices, "faces": corners.astype(int) - 1, "flat": True}
    yield scope.row("mesh", [], (0.0, 0.0, 0.0)) | mesh


def _tiles(operands: Sequence[Any], scope: _Scope) -> Iterator[ShapeRow]:
    """Every other square of a checkerboard.

    The range across it has no length, or falls: then its first number is the place.
    """
    if scope.body:
        raise _Fault("expected tiles on the base only")
    extent, size = _numbers(operands[0], 2, 3), _positive(operands[1], "size of tiles")
    flat = [k for k in range(3) if extent[k, 0] >= extent[k, 1]]
    if len(flat) != 1:
        raise _Fault("expected tiles with one range that does not rise")
    a, b = [k for k in range(3) if k != flat[0]]
    edges = [np.arange(extent[k, 0], extent[k, 1] - 1e-9 * size, size) for k in (a, b)]
    if len(edges[0]) * len(edges[1]) > MOST_TILES:
        raise _Fault(f"expected at most {MOST_TILES} tiles")
    i, j = np.meshgrid(np.arange(len(edges[0])), np.arange(len(edges[1])), indexing="ij")
    black = (i + j) % 2 == 0
    low = np.stack((edges[0][i[black]], edges[1][j[black]]), axis=-1)
    high = np.minimum(low + size, (extent[a, 1], extent[b, 1]))
    points = np.full((len(low), 4, 3), extent[flat[0], 0])
    for corner, (p, q) in enumerate(((low, low), (high, low), (high, high), (low, high))):
        points[:, corner, a], points[:, corner, b] = p[:, 0], q[:, 1]
    quads = 4 * np.arange(len(low))[:, None, None] + np.array(((0, 1, 2), (0, 2, 3)))
    row = scope.row("mesh", [], (0.0, 0.0, 0.0))
    if scope.colours is None:
        row["color"] = list(TILE_GREY)
    yield row | {"points": points.reshape(-1, 3), "faces": quads.reshape(-1, 3), "flat": True}


def _is_numeric(values: Any) -> bool:
    try:
        np.asarray(values, float)
    except (TypeError, ValueError):
        return False
    return True


def _vertices_of(numbers: np.ndarray, scope: _Scope) -> np.ndarray:
    count = 0 if scope.vertices is None else len(scope.vertices)
    whole = numbers.astype(int) if np.isfinite(numbers).all() else np.zeros(1, int)
    if not numbers.size or np.any(whole != numbers) or whole.min() < 1 or whole.max() > count:
        raise _Fault(f"expected numbers of vertices given before (1 to {count})")
    return scope.vertices[whole - 1]  # type: ignore[index]


_SHAPES: dict[str, Callable[[Sequence[Any], _Scope], Iterator[ShapeRow]]] = {
    "box": _box, "sphere": _sphere, "cyl": _cyl, "line": _line,
    "triangles": _triangles, "tiles": _tiles,
}  # fmt: skip
