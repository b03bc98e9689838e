"""Wavefront OBJ: vertices and faces; polygons are cut into fans of triangles."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import BinaryIO

import numpy as np

from ...errors import ParseError
from ..names import shorten
from .lines import joined_lines
from .triangles import Points, Triangles, require_few


def read_obj(stream: BinaryIO, file: str) -> Triangles:
    """Vertices and triangles; groups, normals, textures and materials are passed over."""
    vertices = Points(file)
    faces = array("l")
    for number, line in joined_lines(stream, file):
        if line[:1] == "v" and line[1:2] != " " and line[1:2] != "\t":
            continue  # normals and textures, the most frequent of what is passed over
        words = line.split("#", 1)[0].split() if "#" in line else line.split()
        if not words:
            continue
        if words[0] == "v":
            vertices.add(words[1:4], number)
        elif words[0] == "f":
            faces.extend(_fan(words[1:], len(vertices.lines), file, number))
            require_few(len(faces) // 3, file, number)
    corners = np.frombuffer(faces, np.dtype("l")).reshape(-1, 3)
    return Triangles(vertices.array(), corners)


def _fan(words: Sequence[str], count: int, file: str, line: int) -> list[int]:
    """The corners of the triangles of a face, counted from zero."""
    if len(words) < 3:
        raise ParseError(f"expected a face of 3 corners, found {len(words)}", file, line)
    try:
        corners = [int(word.partition("/")[0]) - 1 for word in words]
    except ValueError:
        corners = [-1]
    if min(corners) < 0 or max(corners) >= count:  # counted from the end, or wrong
        corners = [_corner(word, count, file, line) for word in words]
    if len(corners) == 3:
        return corners
    first = corners[0]
    return [corner for b, c in pairwise(corners[1:]) for corner in (first, b, c)]


def _corner(word: str, count: int, file: str, line: int) -> int:
    """``7``, ``7/2``, ``7//3`` or ``-1``: counted from one, or back from the last."""
    try:
        number = int(word.partition("/")[0])
    except ValueError:
        raise ParseError(
            f"expected the number of a vertex, found '{shorten(word)}'", file, line
        ) from None
    index = number - 1 if number > 0 else count + number
    if number == 0 or not 0 <= index < count:
        found = shorten(str(number))
        raise ParseError(f"expected a vertex from 1 to {count}, found {found}", file, line)
    return index


def obj_text(vertices: Iterable[Sequence[float]], faces: Iterable[Sequence[int]]) -> str:
    """The text of a file with these vertices and triangles, whose corners count from 0."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    return "\n".join([*lines, ""])
