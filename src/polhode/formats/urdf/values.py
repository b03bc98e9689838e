"""Attributes to numbers: strict on every value, with the line in every error."""

from __future__ import annotations

import math

from ..literals import is_infinity, is_number
from ..names import shorten
from ..xml import Element


def attribute(element: Element, name: str) -> str:
    """A required attribute."""
    if name not in element.attributes:
        found = ", ".join(shorten(key) for key in element.attributes) or "none"
        raise element.error(f"<{element.tag}> has no attribute '{name}'; its attributes: {found}")
    return element.attributes[name]


def child(element: Element, tag: str) -> Element | None:
    """The only element of a tag inside another, or None."""
    found = element.all(tag)
    if len(found) > 1:
        raise found[1].error(f"{describe(element)} has more than one <{tag}>")
    return found[0] if found else None


def required_child(element: Element, tag: str) -> Element:
    """The only element of a tag inside another, which must be there."""
    found = child(element, tag)
    if found is None:
        raise element.error(f"{describe(element)} has no <{tag}>")
    return found


def describe(element: Element) -> str:
    """``<link name="hand">`` for messages."""
    name = element.attributes.get("name")
    return f"<{element.tag}>" if name is None else f'<{element.tag} name="{shorten(name)}">'


def number(
    element: Element, name: str, default: float | None = None, *, may_be_infinite: bool = False
) -> float:
    """A finite number; required if there is no default."""
    if default is not None and name not in element.attributes:
        return default
    return _number(element, name, attribute(element, name).strip(), may_be_infinite)


def vector(
    element: Element, name: str, length: int, default: tuple[float, ...] | None = None
) -> tuple[float, ...]:
    """So many finite numbers with blanks between; required if there is no default."""
    if default is not None and name not in element.attributes:
        return default
    return tuple(_number(element, name, word, False) for word in words(element, name, length))


def triple(
    element: Element, name: str, default: tuple[float, float, float] | None = None
) -> tuple[float, float, float]:
    """Three finite numbers; required if there is no default."""
    x, y, z = vector(element, name, 3, default)
    return x, y, z


def words(element: Element, name: str, length: int) -> list[str]:
    """The literals of a vector as they are written."""
    text = attribute(element, name)
    found = text.split()
    if len(found) != length:
        raise element.error(
            f"expected {length} numbers in <{element.tag} {name}>, "
            f"found {len(found)}: '{shorten(text)}'"
        )
    return found


def _number(element: Element, name: str, word: str, may_be_infinite: bool) -> float:
    if may_be_infinite and is_infinity(word):
        return float(word)
    if not is_number(word):
        hint = "; is this a xacro file? expand it first" if "${" in word else ""
        raise element.error(
            f"expected a number in <{element.tag} {name}>, found '{shorten(word)}'{hint}"
        )
    value = float(word)
    if not math.isfinite(value):
        raise element.error(f"<{element.tag} {name}> is too large: '{shorten(word)}'")
    return value
