"""Wavefront OBJ: vertices and faces; polygons are cut into fans of triangles."""

from __future__ import annotations

import math
from itertools import pairwise

from ...errors import ParseError
from ...model.shapes import Face, Triple
from ..names import shorten


def read_obj(data: bytes, file: str) -> tuple[list[Triple], list[Face]]:
    """Vertices and triangles; groups, normals, textures and materials are passed over."""
    vertices: list[Triple] = []
    faces: list[Face] = []
    for number, line in enumerate(_lines(data), 1):
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        if words[0] == "v":
            vertices.append(_vertex(words[1:], file, number))
        elif words[0] == "f":
            corners = [_corner(word, len(vertices), file, number) for word in words[1:]]
            if len(corners) < 3:
                raise ParseError(
                    f"expected a face of 3 corners, found {len(corners)}", file, number
                )
            faces += [(corners[0], b, c) for b, c in pairwise(corners[1:])]
    return vertices, [face for face in faces if len(set(face)) == 3]


def _lines(data: bytes) -> list[str]:
    """Lines of text, those ended by a backslash joined with the next, numbers kept."""
    lines = data.decode("utf-8", "replace").splitlines()
    for k in range(len(lines) - 2, -1, -1):
        if lines[k].endswith("\\"):
            lines[k], lines[k + 1] = lines[k][:-1] + " " + lines[k + 1], ""
    return lines


def _vertex(words: list[str], file: str, line: int) -> Triple:
    try:
        x, y, z = (float(word) for word in words[:3])
    except ValueError:
        x = y = z = math.nan
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        text = shorten(" ".join(words))
        raise ParseError(f"expected three finite numbers of a vertex, found '{text}'", file, line)
    return x, y, z


def _corner(word: str, count: int, file: str, line: int) -> int:
    """``7``, ``7/2``, ``7//3`` or ``-1``: counted from one, or back from the last."""
    text = word.split("/", 1)[0]
    try:
        number = int(text)
    except ValueError:
        raise ParseError(
            f"expected the number of a vertex, found '{shorten(word)}'", file, line
        ) from None
    index = number - 1 if number > 0 else count + number
    if number == 0 or not 0 <= index < count:
        raise ParseError(f"expected a vertex from 1 to {count}, found {number}", file, line)
    return index
