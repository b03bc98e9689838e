"""MATLAB files (version 5) to numbers, text, lists and dicts; every length is checked first.

Read: real numbers, truth values, text, cells, structs, compressed or not.  Not supported:
complex and sparse matrices, objects, functions, and files of versions 4 and 7.3.
"""

from __future__ import annotations

import math
import struct
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

MOST_BYTES = 64 * 2**20  # of all variables, unpacked
MOST_VALUES = 4_000_000  # numbers, texts, cells and fields, each an object
MOST_DEPTH = 100
_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8",
            13: "u8"}  # fmt: skip
_TEXTS = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}
_CELL, _STRUCT, _CHAR = 1, 2, 4
_CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8",
            15: "u8"}  # fmt: skip
_REFUSED = {3: "an object", 5: "a sparse matrix", 16: "a function", 17: "an object"}


def variables(data: bytes) -> dict[str, Any]:
    """The variables of a file by name.

    Raises
    ------
    ValueError
        If the bytes are not such a file, or one with something that is not read.
    """
    if len(data) < _HEADER or data[126:128] not in (b"IM", b"MI"):
        raise ValueError("expected a MATLAB file of version 5")
    order = "<" if data[126:128] == b"IM" else ">"
    found: dict[str, Any] = {}
    values = _Room(MOST_VALUES)
    outer, room = _Bytes(memoryview(data)[_HEADER:], order, values), MOST_BYTES
    while not outer.is_at_end:
        kind, content = outer.element(is_padded=False)
        if kind == _COMPRESSED:
            content = memoryview(_unpacked(content, room))
            room -= len(content)
            kind, content = _Bytes(content, order, values).element()
        if kind == _MATRIX:
            name, value = _Bytes(content, order, values).matrix()
            if name:
                found[name] = value
    return found


def _unpacked(content: memoryview, room: int) -> bytes:
    unpacker = zlib.decompressobj()
    try:
        data = unpacker.decompress(content, room + 1)
    except zlib.error as error:
        raise ValueError(f"a damaged variable ({error})") from None
    if len(data) > room:
        raise ValueError(f"expected at most {MOST_BYTES >> 20} MiB of variables, found more")
    return data


@dataclass
class _Room:
    """How many values may still come."""

    left: int

    def take(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            raise ValueError(f"expected at most {MOST_VALUES} values, found more")


@dataclass
class _Bytes:
    """A stretch of the file, read from its start; a view, so that nesting copies nothing."""

    data: memoryview
    order: str
    values: _Room
    depth: int = 0
    at: int = 0

    @property
    def is_at_end(self) -> bool:
        return self.at >= len(self.data)

    def element(self, is_padded: bool = True) -> tuple[int, memoryview]:
        """The kind and the content of the next element."""
        words = self._take(8)
        kind, size = struct.unpack(self.order + "2I", words)
        if kind >> 16:  # a small element: content in the second word
            kind, size = kind & 0xFFFF, kind >> 16
            if size > 4:
                raise ValueError(f"expected at most 4 bytes in a small element, found {size}")
            return kind, words[4 : 4 + size]
        content = self._take(size)
        if is_padded or kind == _MATRIX:
            self.at = min(self.at + -size % 8, len(self.data))
        return kind, content

    def _take(self, size: int) -> memoryview:
        if size > len(self.data) - self.at:
            raise ValueError(f"expected {size} bytes more, found {len(self.data) - self.at}")
        self.at += size
        return self.data[self.at - size : self.at]

    def numbers(self) -> np.ndarray:
        """The next element, of numbers."""
        kind, content = self.element()
        if kind not in _NUMBERS:
            raise ValueError(f"expected numbers, found an element of kind {kind}")
        dtype = np.dtype(self.order + _NUMBERS[kind])
        if len(content) % dtype.itemsize:
            raise ValueError(f"expected whole numbers of {dtype.itemsize} bytes")
        return np.frombuffer(content, dtype)

    def text(self) -> str:
        """The next element, as text."""
        kind, content = self.element()
        encoding = _TEXTS.get(kind)
        if encoding is None:
            raise ValueError(f"expected text, found an element of kind {kind}")
        if encoding in ("utf-16", "utf-32"):
            encoding += "-le" if self.order == "<" else "-be"
        return bytes(content).decode(encoding, "replace")

    def matrix(self) -> tuple[str, Any]:
        """Name and value of the matrix that this stretch holds; an empty one is empty."""
        if not self.data:
            return "", []
        if self.depth > MOST_DEPTH:
            raise ValueError(f"expected values nested at most {MOST_DEPTH} deep")
        flags = self.numbers()
        if flags.size != 2:
            raise ValueError("expected two words of flags in a matrix")
        kind, is_complex = int(flags[0]) & 0xFF, bool(int(flags[0]) & 0x800)
        shape = tuple(int(n) for n in self.numbers())
        if len(shape) < 2 or any(n < 0 for n in shape):
            raise ValueError(f"expected the sizes of a matrix, found {shape}")
        name = self.text()
        if kind in _REFUSED or is_complex:
            what = "a complex matrix" if is_complex else _REFUSED[kind]
            raise ValueError(f"expected numbers, text, cells and structs, found {what}")
        return name, self._value(kind, shape)

    def _value(self, kind: int, shape: tuple[int, ...]) -> Any:
        count = math.prod(shape)
        if count > len(self.data):
            raise ValueError(f"expected a matrix of {count} entries, found {len(self.data)} bytes")
        self.values.take(1 + count)
        if kind == _CHAR:
            return self._char(shape)
        if kind == _CELL:
            cells = [self._inner() for _ in range(count)]
            return [cells[k] for k in np.arange(count).reshape(shape, order="F").ravel()]
        if kind == _STRUCT:
            return self._struct(count)
        if kind in _CLASSES:
            flat = self.numbers()
            if flat.size != count:
                raise ValueError(f"expected {count} numbers, found {flat.size}")
            return plain(flat.astype(_CLASSES[kind]).reshape(shape, order="F"))
        raise ValueError(f"expected a matrix of a known kind, found {kind}")

    def _inner(self) -> Any:
        kind, content = self.element()
        if kind != _MATRIX:
            raise ValueError(f"expected a matrix, found an element of kind {kind}")
        return _Bytes(content, self.order, self.values, self.depth + 1).matrix()[1]

    def _char(self, shape: tuple[int, ...]) -> str:
        return self.text()[:: max(shape[0], 1)]  # the first row: they lie column by column

    def _struct(self, count: int) -> dict[str, Any]:
        length = self.numbers()
        kind, names = self.element()
        if length.size != 1 or not 0 < length[0] <= 64 or kind not in _TEXTS:
            raise ValueError("expected the names of a struct's fields")
        size = int(length[0])
        self.values.take(len(names) // size)
        fields = [
            bytes(names[k : k + size]).split(b"\0")[0].decode("latin-1")
            for k in range(0, len(names), size)
        ]
        if count == 0:
            return {}
        return {name: self._inner() for name in fields}  # of several, the first


def plain(array: np.ndarray) -> Any:
    """A matrix as a number, or as lists; one of a single row or column as one list."""
    if array.size == 1:
        return array.item()
    if array.size == 0:
        return []
    return array.ravel().tolist() if 1 in array.shape else array.tolist()
