"""The lines of a mesh that is text, one after another, with bounds on their number and length."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO

from ...errors import ParseError

MAX_LINES = 4_000_000
MAX_LENGTH = 2**20  # of a line with those that go on with it


def text_lines(stream: BinaryIO, file: str) -> Iterator[tuple[int, str]]:
    """The lines with their numbers, counted from 1.

    Raises
    ------
    ParseError
        At the first line too many or too long.
    """
    text = io.TextIOWrapper(stream, encoding="utf-8", errors="replace")
    try:
        for number, line in enumerate(text, 1):
            if number > MAX_LINES:
                raise ParseError(f"expected at most {MAX_LINES} lines, found more", file)
            if len(line) > MAX_LENGTH:
                raise _too_long(file, number)
            yield number, line
    finally:
        text.detach()  # the stream belongs to the caller


def joined_lines(stream: BinaryIO, file: str) -> Iterator[tuple[int, str]]:
    """The same, a line that ends with a backslash joined with those that follow."""
    parts: list[str] = []
    first = length = 0
    for number, line in text_lines(stream, file):
        end = line.rstrip("\n")
        if not parts and not end.endswith("\\"):
            yield number, line
            continue
        first = first or number
        length += len(line)
        if length > MAX_LENGTH:
            raise _too_long(file, first)
        parts.append(end.removesuffix("\\"))
        if not end.endswith("\\"):
            yield first, " ".join(parts)
            parts, first, length = [], 0, 0
    if parts:
        yield first, " ".join(parts)


def _too_long(file: str, line: int) -> ParseError:
    return ParseError(f"expected a line of at most {MAX_LENGTH >> 20} MiB, found more", file, line)
