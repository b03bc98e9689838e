"""What reading a damaged file can raise, and how it is told."""

from __future__ import annotations

DAMAGE = (
    *(ValueError, LookupError, TypeError, AttributeError, OSError, ArithmeticError),
    RecursionError,
)
_MOST = 200  # letters


def brief(error: BaseException) -> str:
    """The text of an error in one short line that can be printed: files hold anything."""
    text = str(error)[: 2 * _MOST]
    text = "".join(c if c.isprintable() else " " if c.isspace() else repr(c)[1:-1] for c in text)
    return text if len(text) <= _MOST else text[: _MOST - 3] + "..."
