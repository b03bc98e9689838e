"""From a path to the bytes of a model file, with limits on what counts as one."""

from __future__ import annotations

import codecs
import os
import stat
from difflib import get_close_matches
from pathlib import Path

from ..errors import ModelError, ParseError

MAX_BYTES = 16 * 2**20  # a 10 000-link URDF has 8 MB


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
    path = Path(path)
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        hint = _near(path) or _shipped(path.name)
        raise FileNotFoundError(f"no file '{path}'{hint}") from None
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
        raise ModelError(f"expected a model file, but '{path}' is {kind}")
    with open(path, "rb") as stream:
        data = stream.read(limit + 1)
    check_size(data, str(path), limit)
    return data


def check_size(data: bytes, file: str, limit: int = MAX_BYTES) -> None:
    """Refuse a text of more than ``limit`` bytes."""
    if len(data) > limit:
        raise ParseError(f"expected at most {limit >> 20} MiB, found a larger file", file)


def check_text(data: bytes, file: str, kind: str) -> None:
    """Refuse what is no text: an empty file, or one with bytes that no text has."""
    if not data.strip():
        raise ParseError(f"expected {kind}, found an empty file", file, 1)
    if b"\0" in data and not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ParseError(f"expected {kind}, found a binary file", file, 1)


def _shipped(name: str) -> str:
    """Where the machine of that name is that comes with the package."""
    example = Path(__file__).resolve().parents[1] / "examples" / name
    return f"; the one that ships with polhode is {example}" if example.is_file() else ""


def _near(path: Path) -> str:
    folder = path.parent
    try:
        names = os.listdir(folder)
    except OSError:
        return f"; there is no folder '{folder}' either"
    close = get_close_matches(path.name, names, n=3, cutoff=0.5)
    return "; did you mean " + " or ".join(f"'{folder / n}'" for n in close) + "?" if close else ""
