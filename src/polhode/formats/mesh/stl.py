"""STL, as text and binary: equal corners become one vertex."""

from __future__ import annotations

import os
import struct
from typing import BinaryIO

import numpy as np

from ...errors import ParseError
from .lines import text_lines
from .triangles import Points, Triangles, require_few

_HEADER, _RECORD = 84, 50
_BEGINNING = 512  # bytes in which a text says that it is one


def read_stl(stream: BinaryIO, file: str) -> Triangles:
    """Vertices and triangles; the normals in the file are passed over."""
    size = os.fstat(stream.fileno()).st_size
    start = stream.read(_BEGINNING)
    count = struct.unpack_from("<I", start, 80)[0] if len(start) >= _HEADER else 0
    expected = _HEADER + _RECORD * count
    if size >= _HEADER and size == expected:
        require_few(count, file)
        stream.seek(_HEADER)
        return _joined(_binary(stream.read(_RECORD * count), file))
    if start.lstrip()[:5].lower() == b"solid" and b"\0" not in start:
        stream.seek(0)
        return _joined(_text(stream, file))
    if size < _HEADER:
        raise ParseError(f"expected an STL of {_HEADER} bytes or more, found {size}", file)
    raise ParseError(
        f"expected {expected} bytes for the {count} triangles announced, found {size}", file
    )


def _binary(data: bytes, file: str) -> np.ndarray:
    kind = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("other", "<u2")])
    records = np.frombuffer(data[: len(data) - len(data) % _RECORD], kind)
    corners = records["corners"].astype(float).reshape(-1, 3)
    wrong = np.flatnonzero(~np.isfinite(corners).all(axis=1))
    if len(wrong):
        raise ParseError(f"expected finite numbers, found others in triangle {wrong[0] // 3}", file)
    return corners


def _text(stream: BinaryIO, file: str) -> np.ndarray:
    corners = Points(file)
    line = 0
    for line, text in text_lines(stream, file):
        words = text.split()
        if not words:
            continue
        if words[0].lower() == "vertex":
            corners.add(words[1:], line)
        elif words[0].lower() == "endfacet" and len(corners.lines) % 3:
            raise ParseError("expected facets of 3 vertices, found another number", file, line)
    if len(corners.lines) % 3:
        raise ParseError("expected facets of 3 vertices, the file ends within one", file, line)
    return corners.array()


def _joined(corners: np.ndarray) -> Triangles:
    """Corners at the same place are one vertex, in the order in which they first occur."""
    order = np.lexsort(corners.T)
    is_new = np.ones(len(order), bool)
    is_new[1:] = (corners[order[1:]] != corners[order[:-1]]).any(axis=1)
    first = order[is_new]  # the sort is stable: the first of its equals
    rank = np.empty(len(first), np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    number = np.empty(len(order), np.intp)
    number[order] = rank[np.cumsum(is_new) - 1]
    return Triangles(corners[np.sort(first)], number.reshape(-1, 3))
