"""STL, as text and binary: equal corners become one vertex."""

from __future__ import annotations

import math
import struct

import numpy as np

from ...errors import ParseError
from ...model.shapes import Face, Triple
from ..names import shorten

_HEADER, _RECORD = 84, 50


def read_stl(data: bytes, file: str) -> tuple[list[Triple], list[Face]]:
    """Vertices and triangles; the normals in the file are passed over."""
    if len(data) >= _HEADER:
        (count,) = struct.unpack_from("<I", data, 80)
        if len(data) == _HEADER + _RECORD * count:
            return _joined(_binary(data, count, file), file)
    if data.lstrip()[:5].lower() == b"solid" and b"\0" not in data:
        return _joined(_text(data, file), file)
    if len(data) < _HEADER:
        raise ParseError(f"expected an STL of {_HEADER} bytes or more, found {len(data)}", file)
    expected = _HEADER + _RECORD * count
    raise ParseError(
        f"expected {expected} bytes for the {count} triangles announced, found {len(data)}", file
    )


def _binary(data: bytes, count: int, file: str) -> list[Triple]:
    kind = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("other", "<u2")])
    corners = np.frombuffer(data, kind, count, _HEADER)["corners"].astype(float).reshape(-1, 3)
    wrong = np.flatnonzero(~np.isfinite(corners).all(axis=1))
    if len(wrong):
        raise ParseError(f"expected finite numbers, found others in triangle {wrong[0] // 3}", file)
    return [(x, y, z) for x, y, z in corners.tolist()]


def _text(data: bytes, file: str) -> list[Triple]:
    corners: list[Triple] = []
    line = 0
    for line, text in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        words = text.split()
        if not words:
            continue
        if words[0].lower() == "vertex":
            corners.append(_corner(words[1:], file, line))
        elif words[0].lower() == "endfacet" and len(corners) % 3:
            raise ParseError("expected facets of 3 vertices, found another number", file, line)
    if len(corners) % 3:
        raise ParseError("expected facets of 3 vertices, the file ends within one", file, line)
    return corners


def _corner(words: list[str], file: str, line: int) -> Triple:
    try:
        x, y, z = (float(word) for word in words)
    except ValueError:
        x = y = z = math.nan
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        text = shorten(" ".join(words))
        raise ParseError(f"expected three finite numbers of a vertex, found '{text}'", file, line)
    return x, y, z


def _joined(corners: list[Triple], file: str) -> tuple[list[Triple], list[Face]]:
    """Corners at the same place are one vertex; triangles without area are left out."""
    numbers: dict[Triple, int] = {}
    index = [numbers.setdefault(corner, len(numbers)) for corner in corners]
    faces = [(a, b, c) for a, b, c in zip(index[::3], index[1::3], index[2::3], strict=True)]
    return list(numbers), [face for face in faces if len(set(face)) == 3]
