"""Attributes to numbers, vectors and matrices: strict on every value, with file and line."""

from __future__ import annotations

import math
import re

from ..literals import is_infinity, is_number
from ..names import near, shorten
from ..xml import Element

_BLANKS = re.compile(r"[\s,]+")
TRUTH = {"true": True, "false": False}


def describe(element: Element) -> str:
    """``<RigidBody id="ball">`` for messages."""
    name = element.attributes.get("id")
    return f"<{element.tag}>" if name is None else f'<{element.tag} id="{shorten(name)}">'


def required(element: Element, key: str) -> str:
    """An attribute that must be there and not be empty."""
    value = element.attributes.get(key, "").strip()
    if not value:
        found = ", ".join(shorten(k) for k in element.attributes) or "none"
        hint = near(key, (k for k in element.attributes if k != key))
        raise element.error(
            f"{describe(element)} has no attribute '{key}'; its attributes: {found}{hint}"
        )
    return value


def words(element: Element, key: str) -> list[str]:
    """The literals of a vector, separated by blanks or commas."""
    return [word for word in _BLANKS.split(element.attributes[key].strip()) if word]


def number(element: Element, key: str, default: float, *, least: float = -math.inf,
           infinite: bool = False) -> float:  # fmt: skip
    """A number of at least ``least``, or the default."""
    if key not in element.attributes:
        return default
    return _checked(element, key, element.attributes[key].strip(), least, infinite)


def integer(element: Element, key: str, default: int | None) -> int | None:
    """A whole number of at least 0, or the default; infinity is no number, hence None."""
    value = number(element, key, math.nan, least=0.0, infinite=True)
    if math.isnan(value):
        return default
    if math.isinf(value):
        return None
    if value != int(value):
        raise element.error(f"expected a whole number in {_place(element, key)}, found {value:g}")
    return int(value)


def boolean(element: Element, key: str, default: bool) -> bool:
    """``true`` or ``false``, in any case, or the default."""
    if key not in element.attributes:
        return default
    text = element.attributes[key].strip().lower()
    if text not in TRUTH:
        raise element.error(
            f"expected true or false in {_place(element, key)}, "
            f"found '{shorten(element.attributes[key])}'"
        )
    return TRUTH[text]


def vector(
    element: Element, key: str, length: int | None, *, infinite: bool = False
) -> tuple[float, ...] | None:
    """So many numbers, or any number of them; None if the attribute is not there."""
    if key not in element.attributes:
        return None
    found = words(element, key)
    if length is not None and len(found) != length:
        raise element.error(
            f"expected {length} numbers in {_place(element, key)}, found {len(found)}: "
            f"'{shorten(element.attributes[key])}'"
        )
    return tuple(_checked(element, key, word, -math.inf, infinite) for word in found)


def triple(
    element: Element, key: str, default: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> tuple[float, float, float]:
    """Three numbers, or the default."""
    found = vector(element, key, 3)
    return default if found is None else found  # type: ignore[return-value]


def matrix(element: Element, key: str) -> tuple[tuple[float, ...], ...] | None:
    """A 3x3 matrix, rows separated by ``;``; None if the attribute is not there."""
    if key not in element.attributes:
        return None
    text = element.attributes[key].strip().strip("[]")
    rows = [[w for w in _BLANKS.split(row.strip()) if w] for row in text.split(";")]
    if rows and not rows[-1]:
        rows.pop()
    if [len(row) for row in rows] != [3, 3, 3]:
        raise element.error(
            f"expected a 3x3 matrix, rows separated by ';', in {_place(element, key)}, found "
            f"'{shorten(element.attributes[key])}'"
        )
    return tuple(tuple(_checked(element, key, w, -math.inf, False) for w in row) for row in rows)


def exclusive(element: Element, *keys: str, why: str = "") -> str | None:
    """The only one of several attributes that is there, or None.

    Raises
    ------
    ParseError
        If there are two, which Moby's manual leaves undefined; names both.
    """
    found = [key for key in keys if key in element.attributes]
    if len(found) > 1:
        raise element.error(conflict(element, found[0], found[1], why))
    return found[0] if found else None


def conflict(element: Element, first: str, second: str, why: str = "") -> str:
    """The text on two attributes that must not stand together."""
    return (
        f"{describe(element)} has both '{first}' and '{second}', "
        f"which Moby's manual leaves undefined; keep one of them{why}"
    )


def _checked(element: Element, key: str, word: str, least: float, infinite: bool) -> float:
    if infinite and is_infinity(word):
        value = float(word)
    elif not is_number(word):
        raise element.error(f"expected a number in {_place(element, key)}, found '{shorten(word)}'")
    else:
        value = float(word)
        if math.isinf(value) and not infinite:
            raise element.error(f"{_place(element, key)} is too large: '{shorten(word)}'")
    if value < least:
        raise element.error(
            f"expected a number of at least {least:g} in {_place(element, key)}, found {value:g}"
        )
    return value


def _place(element: Element, key: str) -> str:
    return f"'{key}' of {describe(element)}"
