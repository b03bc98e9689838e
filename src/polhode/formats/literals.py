"""Numbers as files write them: told from other words strictly, and in bounded time."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_INFINITY = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)
MAX_DIGITS = 400


def is_number(word: str) -> bool:
    """Whether a word is a decimal number; ``nan``, ``inf``, ``1_000`` and ``0x1`` are none."""
    return len(word) <= MAX_DIGITS and _NUMBER.fullmatch(word) is not None


def is_infinity(word: str) -> bool:
    """Whether a word is an infinite number."""
    return _INFINITY.fullmatch(word) is not None
