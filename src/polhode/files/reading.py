"""Opening files that others name: regular ones only, without waiting, of a bounded size.

A pipe would be waited for, a device may have no end, and opening either can have an effect.
"""

from __future__ import annotations

import io
import os
import stat
from typing import BinaryIO

from ..errors import ModelError, ParseError, shown

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe that took the file's place is not waited for
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe, not a regular file"),
    (stat.S_ISSOCK, "a socket, not a regular file"),
)


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """A regular file, opened to be read.

    Raises
    ------
    OSError
        If there is none, or it may not be read.
    ModelError
        If it is a folder, a pipe, a socket or a device.
    """
    name = path_text(path)
    _require_regular(os.stat(name), name)  # before it is opened, which a device may notice
    file = io.BufferedReader(io.FileIO(name, opener=_opened))
    try:
        _require_regular(os.fstat(file.fileno()), name)  # what was opened may be another file
    except BaseException:
        file.close()
        raise
    return file


def _opened(name: str, _: int) -> int:
    return os.open(name, _FLAGS)


def read_regular(path: str | os.PathLike[str], limit: int) -> bytes:
    """The content of a regular file of at most ``limit`` bytes; errors of `open_regular` too.

    Raises
    ------
    ParseError
        If it is larger.
    """
    with open_regular(path) as stream:
        return content(stream, os.fspath(path), limit)


def content(stream: BinaryIO, file: str, limit: int) -> bytes:
    """All of an open file, if that is at most ``limit`` bytes; ``file`` is its name in errors."""
    require_size(os.fstat(stream.fileno()).st_size, file, limit)
    data = stream.read(limit + 1)  # a file that grows meanwhile
    require_size(len(data), file, limit)
    return data


def require_size(size: int, file: str, limit: int) -> None:
    """Refuse a file of more than ``limit`` bytes."""
    if size > limit:
        most = f"{limit >> 20} MiB" if limit >> 20 else f"{limit} bytes"
        raise ParseError(f"expected at most {most}, found a larger file", file)


def path_text(path: str | os.PathLike[str]) -> str:
    """A path as text.

    Raises
    ------
    ModelError
        If it is no path, or holds a zero byte.
    """
    name = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(name, str):
        raise ModelError(f"expected a path as text, got {shown(name)}")
    if "\0" in name:
        raise ModelError(f"expected a path, got '{name}' with a zero byte")
    return name


def _require_regular(status: os.stat_result, name: str) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    kind = next((what for holds, what in _KINDS if holds(status.st_mode)), "not a regular file")
    raise ModelError(f"expected a file, but '{name}' is {kind}")
