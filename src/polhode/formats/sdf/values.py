"""Text inside SDF elements to numbers, with file and line in every error."""

from __future__ import annotations

import math

from ...spatial import Mat3, Transform, Vec3
from ..literals import is_infinity, is_number
from ..names import shorten
from ..reading import Notes
from ..urdf.rotation import turned
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
    if found.text.lower() not in TRUTH:
        raise found.error(f"expected true or false in <{found.tag}>, found '{shorten(found.text)}'")
    return TRUTH[found.text.lower()]


def pose(element: Element, snap: bool | str, notes: Notes) -> Transform:
    """The ``<pose>`` of an element that has only its outer element's frame to refer to."""
    found = child(element, "pose")
    if found is not None and found.attributes.get("relative_to"):
        raise found.error(f"{describe(element)}: a pose with 'relative_to' is not read here")
    return raw_pose(element, snap, notes)


def raw_pose(element: Element, snap: bool | str, notes: Notes) -> Transform:
    """The ``<pose>`` directly inside an element, from the frame that it refers to."""
    found = child(element, "pose")
    if found is None:
        return Transform.identity()
    if found.attributes.get("frame"):
        raise found.error(f"{describe(element)}: poses with 'frame' are not read")
    if not found.text:
        return Transform.identity()
    x, y, z, *angles = place = numbers(found, 6)
    if not all(map(math.isfinite, place)):
        raise found.error(f"expected finite numbers in <pose>, found '{shorten(found.text)}'")
    words = found.text.split()[3:]
    R = turned(words, angles, snap, notes, found.line)
    return Transform(Mat3.of(R).T, Vec3(x, y, z))


def _number(element: Element, word: str) -> float:
    if is_infinity(word):
        return float(word)
    if not is_number(word):
        raise element.error(f"expected a number in <{element.tag}>, found '{shorten(word)}'")
    value = float(word)
    if math.isinf(value):
        raise element.error(f"<{element.tag}> is too large: '{shorten(word)}'")
    return value
