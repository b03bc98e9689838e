"""Coordinates of joints: names, default values, ranges, locks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...model import Limits
from ..names import shorten
from ..sdf.values import child, numbers
from ..urdf.values import describe
from ..xml import Element
from .values import finite, flag, objects, own_name


@dataclass(frozen=True)
class Coordinate:
    """A coordinate: where it starts, and what bounds it."""

    name: str
    start: float = 0.0
    limits: Limits | None = None
    is_locked: bool = False


def read_coordinates(joint: Element, count: int | None) -> tuple[Coordinate, ...]:
    """The coordinates of a joint; ``count`` is how many it must have, None for any number."""
    listed = child(joint, "coordinates")
    elements = objects(joint, "CoordinateSet") if listed is None else listed.children
    found = tuple(_read(each) for each in elements if each.tag == "Coordinate")
    if count is not None and len(found) < count:
        name = own_name(joint)
        found += tuple(Coordinate(f"{name}_coord_{k}") for k in range(len(found), count))
    if count is not None and len(found) != count:
        raise joint.error(
            f"{describe(joint)}: expected {count} coordinates, found {len(found)}: "
            f"{shorten(', '.join(each.name for each in found))}"
        )
    return found


def place_of(element: Element, name: str, coordinates: Sequence[Coordinate]) -> int:
    """The place of a coordinate among those of its joint."""
    names = [each.name for each in coordinates]
    if name not in names:
        raise element.error(
            f"{describe(element)}: no coordinate '{shorten(name)}' in the joint (known: "
            f"{shorten(', '.join(names)) or 'none'})"
        )
    return names.index(name)


def _read(element: Element) -> Coordinate:
    start = finite(element, "default_value", 0.0)
    is_locked = flag(element, "locked")
    limits = Limits(start, start) if is_locked else _limits(element)
    return Coordinate(own_name(element), start, limits, is_locked)


def _limits(element: Element) -> Limits | None:
    """A range bounds the motion where the coordinate is clamped to it."""
    found = child(element, "range")
    if found is None or not flag(element, "clamped"):
        return None
    lower, upper = numbers(found, 2)
    if not lower <= upper:
        raise found.error(f"{describe(element)}: expected a range that rises, found "
                          f"{lower:g} to {upper:g}")  # fmt: skip
    return None if math.isinf(lower) and math.isinf(upper) else Limits(lower, upper)
