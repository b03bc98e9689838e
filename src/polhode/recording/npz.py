"""``.npz`` files read with care: stored arrays of plain numbers, each as long as it says.

`numpy.load` unpacks compressed members of any size and believes any shape. It lets through what the
libraries below it raise on damage. A recording may come from anybody.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from ..files.damage import brief
from ..files.reading import open_regular

META = "meta"
_KINDS = "fiub"  # floats, whole numbers with and without sign, truth values
_MOST_HEADER = 10_000
_MOST_TEXT = 64 * 2**20  # bytes
_MOST_VALUES = 5_000_000


def to_bytes(arrays: Mapping[str, Any], meta: Mapping[str, Any] | None = None) -> bytes:
    """An ``.npz`` file of arrays, with plain data as JSON text beside them."""
    text = {META: json_array(meta)} if meta is not None else {}
    buffer = io.BytesIO()
    members: dict[str, Any] = {**text, **arrays}
    np.savez(buffer, **members)
    return buffer.getvalue()


def json_array(data: Mapping[str, Any]) -> np.ndarray:
    """Plain data as the bytes of a JSON text."""
    return np.frombuffer(json.dumps(data).encode("utf-8"), np.uint8)


def json_of(array: np.ndarray) -> dict[str, Any]:
    """The inverse of `json_array`.

    Raises
    ------
    ValueError
        If the array is not such a text.
    """
    if array.dtype != np.uint8:
        raise ValueError(f"expected a text as bytes, found {array.dtype}")
    content = array.tobytes()
    if len(content) > _MOST_TEXT or content.count(b",") + content.count(b"[") > _MOST_VALUES:
        raise ValueError("expected less data than this as text")
    try:
        data = json.loads(content.decode("utf-8"))
    except RecursionError:
        raise ValueError("expected plain data, found it nested too deep") from None
    if not isinstance(data, dict):
        raise ValueError(f"expected named data, found a {type(data).__name__}")
    return data


def read_arrays(
    source: str | Path | bytes, names: Iterable[str] | None = None, kinds: str = _KINDS
) -> dict[str, np.ndarray]:
    """The arrays of an ``.npz`` file, all or those named, of NumPy's ``kinds``.

    Raises
    ------
    ValueError
        If the file is not one, or an array is missing, compressed, or not of plain numbers.
    """
    stream = io.BytesIO(source) if isinstance(source, bytes) else open_regular(source)
    with stream:
        return _read_arrays(stream, names, kinds)


def _read_arrays(
    stream: BinaryIO, names: Iterable[str] | None, kinds: str
) -> dict[str, np.ndarray]:
    try:
        archive = zipfile.ZipFile(stream)
    except OSError:
        raise
    except Exception as error:  # whatever a damaged archive makes the library raise
        raise ValueError(f"not an archive of arrays ({brief(error)})") from None
    with archive:
        members = {m.filename.removesuffix(".npy"): m for m in archive.infolist()}
        wanted = list(members if names is None else names)
        missing = [name for name in wanted if name not in members]
        if missing:
            raise ValueError(f"expected an array '{missing[0]}', found none")
        return {name: _array(_content(archive, members[name]), name, kinds) for name in wanted}


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    if member.compress_type != zipfile.ZIP_STORED or member.file_size > member.compress_size:
        raise ValueError(f"expected '{member.filename}' stored, found it compressed")
    try:
        return archive.read(member)
    except MemoryError:
        raise ValueError(f"'{member.filename}' is too large") from None
    except Exception as error:  # as above
        raise ValueError(f"'{member.filename}' is damaged ({brief(error)})") from None


def _array(content: bytes, name: str, kinds: str) -> np.ndarray:
    stream = io.BytesIO(content)
    shape, is_fortran, kind = _header(stream, name)
    if kind.kind not in kinds or kind.hasobject:
        raise ValueError(f"expected numbers in '{name}', found {kind}")
    size, room = math.prod(shape) * kind.itemsize, len(content) - stream.tell()
    if size != room or any(n < 0 for n in shape):
        raise ValueError(f"expected {room} bytes of numbers in '{name}', its shape is {shape}")
    if not size:
        return _empty(shape, kind, name)
    flat = np.frombuffer(content, kind, offset=stream.tell())
    return flat.reshape(shape, order="F" if is_fortran else "C").copy()


def _empty(shape: tuple[int, ...], kind: np.dtype, name: str) -> np.ndarray:
    try:
        return np.zeros(shape, kind)
    except (ValueError, OverflowError):  # too many axes, or too long ones beside one of zero
        raise ValueError(f"expected a shape of '{name}' that an array can have") from None


def _header(stream: BinaryIO, name: str) -> tuple[tuple[int, ...], bool, np.dtype]:
    try:
        version = npy.read_magic(stream)
        read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[version]
        return read(stream, max_header_size=_MOST_HEADER)
    except Exception as error:  # as above
        raise ValueError(f"'{name}' does not begin as an array ({brief(error)})") from None
