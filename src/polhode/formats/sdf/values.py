"""Text inside SDF elements to numbers, with file and line in every error."""

from __future__ import annotations

import math

from ..literals import is_infinity, is_number
from ..names import shorten
from ..urdf.values import child as only_child
from ..urdf.values import describe
from ..xml import Element

TRUTH = {"true": True, "1": True, "false": False, "0": False}


def child(element: Element, *path: str) -> Element | None:
    """The only element along a path of tags, or None."""
    found: Element | None = element
    for tag in path:
        if found is None:
            return None
        found = only_child(found, tag)
    return found


def is_zero(element: Element) -> bool:
    """Whether there is nothing but zeros in an element and those inside it."""
    words = element.text.split()
    has_zeros = all(is_number(word) and float(word) == 0.0 for word in words)
    return has_zeros and bool(words or element.children) and all(map(is_zero, element.children))


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


def numbers(element: Element, count: int, *, may_be_infinite: bool = False) -> tuple[float, ...]:
    """The numbers in an element's text."""
    words = element.text.split()
    if len(words) != count:
        raise element.error(
            f"expected {count} numbers in <{element.tag}>, found {len(words)}: "
            f"'{shorten(element.text)}'"
        )
    return tuple(_number(element, word, may_be_infinite) for word in words)


def number(
    element: Element, *path: str, default: float | None = None, may_be_infinite: bool = False
) -> float:
    """One number along a path; the default if it is not there."""
    found = child(element, *path)
    if found is None:
        if default is None:
            raise element.error(f"{describe(element)} has no <{'> <'.join(path)}>")
        return default
    return numbers(found, 1, may_be_infinite=may_be_infinite)[0]


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
    return _truth(found, f"<{found.tag}>", found.text)


def boolean_attribute(element: Element, name: str) -> bool:
    """An attribute that is true or false; false if it is not there."""
    return _truth(element, f"'{name}' of <{element.tag}>", element.attributes.get(name, "false"))


def _truth(element: Element, where: str, word: str) -> bool:
    if word.strip().lower() not in TRUTH:
        raise element.error(f"expected true or false in {where}, found '{shorten(word)}'")
    return TRUTH[word.strip().lower()]


def _number(element: Element, word: str, may_be_infinite: bool) -> float:
    if is_infinity(word):
        if not may_be_infinite:
            raise element.error(f"expected a finite number in <{element.tag}>, found '{word}'")
        return float(word)
    if not is_number(word):
        raise element.error(f"expected a number in <{element.tag}>, found '{shorten(word)}'")
    value = float(word)
    if math.isinf(value):
        raise element.error(f"<{element.tag}> is too large: '{shorten(word)}'")
    return value
