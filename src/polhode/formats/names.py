"""Names from a file, fit for messages, and near ones among many."""

from __future__ import annotations

from ..errors import one_line
from ..errors import suggestion as near

__all__ = ["near", "shorten"]


def shorten(text: str, length: int = 60) -> str:
    """A text from the file on one line of bounded length, cut in the middle."""
    half = 10 * length
    part = text if len(text) <= 2 * half else text[:half] + text[-half:]
    return one_line(" ".join(part.split()), length)
