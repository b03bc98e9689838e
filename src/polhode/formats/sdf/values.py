"""Text inside SDF elements to numbers, with file and line in every error."""

from __future__ import annotations

import math

from ..literals import is_infinity, is_number
from ..names import shorten
from ..urdf.values import describe
from ..xml import Element

TRUTH = {"true": True, "1": True, "false": False, "0": False}


def child(element: Element, *path: str) -> Element | None:
    """The first element along a path of tags, or None."""
    found: Element | None = element
    for tag in path:
        if found is None:
            return None
        inside = found.all(tag)
        found = inside[0] if inside else None
    return found


def text(element: Element, *path: str) -> str:
    """The text of a required element."""
    found = child(element, *path)
    if found is None or not found.text:
        raise element.error(f"{describe(element)} has no <{'> <'.join(path)}>")
    return found.text


def name_of(element: Element) -> str:
    """The name that an element must have."""
    name = element.attributes.get("name", "").strip()
    if not name:
        raise element.error(f"<{element.tag}> has no attribute 'name'")
    return name


def numbers(element: Element, count: int) -> tuple[float, ...]:
    """The numbers in an element's text."""
    words = element.text.split()
    if len(words) != count:
        raise element.error(
            f"expected {count} numbers in <{element.tag}>, found {len(words)}: "
            f"'{shorten(element.text)}'"
        )
    return tuple(_number(element, word) for word in words)


def number(element: Element, *path: str, default: float | None = None) -> float:
    """One number along a path; the default if it is not there."""
    found = child(element, *path)
    if found is None:
        if default is None:
            raise element.error(f"{describe(element)} has no <{'> <'.join(path)}>")
        return default
    return numbers(found, 1)[0]


def triple(element: Element, *path: str) -> tuple[float, float, float]:
    """Three numbers along a path."""
    found = child(element, *path)
    if found is None:
        raise element.error(f"{describe(element)} has no <{'> <'.join(path)}>")
    x, y, z = numbers(found, 3)
    return x, y, z


def boolean(element: Element, *path: str, default: bool = False) -> bool:
    """A truth along a path; the default if it is not there."""
    found = child(element, *path)
    if found is None:
        return default
    return truth(found, f"<{found.tag}>", found.text)


def truth(element: Element, where: str, word: str) -> bool:
    """A word that is true or false."""
    if word.strip().lower() not in TRUTH:
        raise element.error(f"expected true or false in {where}, found '{shorten(word)}'")
    return TRUTH[word.strip().lower()]


def _number(element: Element, word: str) -> float:
    if is_infinity(word):
        return float(word)
    if not is_number(word):
        raise element.error(f"expected a number in <{element.tag}>, found '{shorten(word)}'")
    value = float(word)
    if math.isinf(value):
        raise element.error(f"<{element.tag}> is too large: '{shorten(word)}'")
    return value
