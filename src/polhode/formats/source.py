"""From a path to the bytes of a model file, with limits on what counts as one."""

from __future__ import annotations

import codecs
import errno
import os
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from ..errors import ModelError, ParseError, close_names, one_line
from ..files.reading import content, open_regular, path_text, require_size

MAX_BYTES = 16 * 2**20  # a 10 000-link URDF has 8 MB
MOST_ENTRIES = 1000  # of a folder, among which a name like the one asked for is looked for


def read_bytes(path: str | os.PathLike[str], limit: int = MAX_BYTES) -> bytes:
    """The content of a regular file of at most ``limit`` bytes.

    Raises
    ------
    FileNotFoundError
        With names in that folder that are like the one asked for.
    ModelError
        If it is a folder or a device.
    ParseError
        If it is too large.
    """
    with open_file(path) as stream:
        return content(stream, path_text(path), limit)


def open_file(path: str | os.PathLike[str]) -> BinaryIO:
    """A regular file, opened to be read; raises what `read_bytes` raises but for its size."""
    name = path_text(path)
    try:
        return open_regular(name)
    except (FileNotFoundError, NotADirectoryError):
        hint = _near(Path(name)) or _shipped(Path(name).name)
        raise FileNotFoundError(one_line(f"no file '{name}'{hint}")) from None
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        raise ModelError(f"expected a path, got a name that is too long: '{name}'") from None


def check_size(data: bytes, file: str, limit: int = MAX_BYTES) -> None:
    """Refuse a text of more than ``limit`` bytes."""
    require_size(len(data), file, limit)


def check_text(data: bytes, file: str, kind: str) -> None:
    """Refuse files that are no text: empty ones, or with bytes that no text has."""
    if not data.strip():
        raise ParseError(f"expected {kind}, found an empty file", file, 1)
    if b"\0" in data and not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ParseError(f"expected {kind}, found a binary file", file, 1)


def _shipped(name: str) -> str:
    """The path of the model of that name that comes with the package."""
    example = Path(__file__).resolve().parents[1] / "examples" / name
    return f"; the one that ships with polhode is {example}" if example.is_file() else ""


def _near(path: Path) -> str:
    folder = path.parent
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, MOST_ENTRIES)]
    except OSError:
        return f"; there is no folder '{folder}' either"
    close = close_names(path.name, names, 3, cutoff=0.5)
    return "; did you mean " + " or ".join(f"'{folder / n}'" for n in close) + "?" if close else ""
