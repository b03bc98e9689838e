"""Names from a file, fit for messages, and near ones among many."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from ..errors import suggestion

LONGEST, MOST = 100, 2000  # a comparison of names costs their product


def near(name: str, known: Iterable[str]) -> str:
    """``"; did you mean 'x'?"``, in bounded time also for a hostile file."""
    short = (key for key in known if len(key) <= LONGEST)
    return suggestion(name, islice(short, MOST)) if len(name) <= LONGEST else ""


def shorten(text: str, length: int = 60) -> str:
    """A text from the file on one line of bounded length."""
    text = " ".join(text[: 10 * length].split())
    return text if len(text) <= length else text[: length - 3] + "..."
