"""Files that are whole or not there, also after a loss of power."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .kinds import check_replaceable

_NAME = 100  # letters of a file's name in that of its unfinished part: a name has at most 255 bytes


def write_atomically(path: str | os.PathLike[str], content: bytes) -> Path:
    """Write ``content`` to ``path`` so that no reader ever sees a part of it.

    Raises
    ------
    FileExistsError
        If there is a file of another kind than the name says.
    OSError
        If the folder is missing or cannot be written; an older file is then untouched.
    """
    with replacing(path) as part:
        part.write_bytes(content)
    return Path(path)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A new, empty file beside ``path`` that takes its place at the end, or goes if that fails.

    Raises
    ------
    OSError
        As of `write_atomically`.
    """
    path = Path(path)
    check_replaceable(path)
    part = path.with_name(f".{path.stem[:_NAME]}.{secrets.token_hex(6)}.part{path.suffix[:_NAME]}")
    try:  # around the beginning, too: an interrupt may come at any place
        try:
            os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from None
        yield part
        sync(part)
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):  # what went wrong is told, not what follows from it
            part.unlink()
        raise
    sync(path.parent)


def sync(path: str | os.PathLike[str]) -> None:
    """Bring a file to the disk, or the names in a folder where the system can do that."""
    is_folder = os.path.isdir(path)
    try:
        handle = os.open(path, os.O_RDONLY if is_folder else os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError:
        if not is_folder:
            raise
