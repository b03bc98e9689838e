"""What reading a damaged file can raise, and how it is told."""

from __future__ import annotations

from ..errors import one_line

DAMAGE = (
    *(ValueError, LookupError, TypeError, AttributeError, OSError, ArithmeticError),
    RecursionError,
)
_MOST = 200  # letters


def brief(error: BaseException) -> str:
    """The text of an error in one short line that can be printed: files hold anything."""
    return one_line(" ".join(str(error)[: 2 * _MOST].split()), _MOST)
