"""Text inside elements to names and numbers, with file and line in every error."""

from __future__ import annotations

import math

from ...errors import ModelError
from ...spatial import Transform, Vec3, rotation_x, rotation_y, rotation_z
from ..names import shorten
from ..sdf.values import boolean, child, numbers
from ..urdf.values import describe
from ..xml import Element

Triple = tuple[float, float, float]
ORIGIN: Triple = (0.0, 0.0, 0.0)


def objects(element: Element | None, tag: str) -> list[Element]:
    """What stands in a set, as ``<BodySet> <objects>`` of an element."""
    found = None if element is None else child(element, tag)
    inside = None if found is None else child(found, "objects")
    return [] if inside is None else inside.children


def words(element: Element, tag: str) -> list[str]:
    """The words in an element inside another; none if it is not there."""
    found = child(element, tag)
    return [] if found is None else found.text.split()


def own_name(element: Element) -> str:
    """The name that an element must have."""
    name = element.attributes.get("name", "").strip()
    if not name:
        raise element.error(f"<{shorten(element.tag)}> has no attribute 'name'")
    return name


def finite(element: Element, tag: str, default: float) -> float:
    """The finite number in an element inside another; the default if there is none."""
    return _vector(element, tag, (default,))[0]


def triple(element: Element, default: Triple, *tags: str) -> Triple:
    """Three finite numbers, in the first element there is of some tags."""
    for tag in tags:
        if child(element, tag) is not None:
            x, y, z = _vector(element, tag, default)
            return x, y, z
    return default


def finite_all(element: Element) -> tuple[float, ...]:
    """The finite numbers in an element, however many."""
    values = numbers(element, len(element.text.split()))
    if not all(map(math.isfinite, values)):
        raise element.error(
            f"expected finite numbers in <{element.tag}>, found '{shorten(element.text)}'"
        )
    return values


def flag(element: Element, tag: str) -> bool:
    """A truth; false if there is none."""
    found = child(element, tag)
    return found is not None and bool(found.text) and boolean(element, tag)


def frame(element: Element, location: tuple[str, ...], orientation: tuple[str, ...]) -> Transform:
    """A frame at a location, turned about its own x, then y, then z."""
    a, b, c = triple(element, ORIGIN, *orientation)
    turn = rotation_z(c) @ (rotation_y(b) @ rotation_x(a))
    return Transform(turn, Vec3(*triple(element, ORIGIN, *location)))


def told(element: Element, error: ModelError) -> Exception:
    """An error about the element, with its place."""
    return element.error(f"{describe(element)}: {error}")


def _vector(element: Element, tag: str, default: tuple[float, ...]) -> tuple[float, ...]:
    found = child(element, tag)
    if found is None or not found.text:
        return default
    values = finite_all(found)
    if len(values) != len(default):
        raise found.error(
            f"expected {len(default)} numbers in <{tag}>, found {len(values)}: "
            f"'{shorten(found.text)}'"
        )
    return values
