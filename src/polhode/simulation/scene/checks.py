"""What the records of a scene ask of their fields: expected, got, where."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ...errors import ModelError, suggestion


def number(
    value: Any, what: str, where: str, *, least: float = -math.inf, finite: bool = True
) -> float:
    """A float of at least ``least``; infinite only if that is allowed."""
    try:
        x = float(value)
    except (TypeError, ValueError):
        x = math.nan
    if math.isnan(x) or x < least or (finite and math.isinf(x)):
        bound = f" of at least {least:g}" if least > -math.inf else ""
        kind = "a finite number" if finite else "a number"
        raise ModelError(f"expected {kind}{bound} as {what}, got {value!r} ({where})")
    return x


def fraction(value: Any, what: str, where: str) -> float:
    """A float from 0 to 1."""
    x = number(value, what, where)
    if not 0.0 <= x <= 1.0:
        raise ModelError(f"expected {what} from 0 to 1, got {value!r} ({where})")
    return x


def numbers(
    values: Any, length: int, what: str, where: str, *, finite: bool = True
) -> tuple[float, ...]:
    """So many floats."""
    try:
        found = tuple(values)
    except TypeError:
        raise ModelError(f"expected {length} numbers as {what}, got {values!r} ({where})") from None
    if len(found) != length:
        raise ModelError(f"expected {length} numbers as {what}, got {len(found)} ({where})")
    return tuple(number(x, what, where, finite=finite) for x in found)


def name(value: Any, what: str) -> str:
    """A name that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise ModelError(f"expected a name for each {what}, got {value!r}")
    return value


def known(value: str, names: Iterable[str], what: str, where: str) -> str:
    """A name that must be one of ``names``."""
    every = list(names)
    if value not in every:
        raise ModelError(f"no {what} '{value}'{suggestion(str(value), every)} ({where})")
    return value


def distinct(names: Iterable[str], what: str, where: str) -> None:
    """Refuse a name that is given twice."""
    seen: set[str] = set()
    for each in names:
        if each in seen:
            raise ModelError(f"expected a new name for each {what}, got '{each}' again ({where})")
        seen.add(each)
