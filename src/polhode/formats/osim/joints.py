"""Joints: the axes that they move along and about, each a function of a coordinate."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...model import PiecewisePolynomial
from ..names import near, shorten
from ..sdf.values import child
from ..urdf.values import describe
from ..xml import Element
from .coordinates import Coordinate, place_of, read_coordinates
from .functions import function_in
from .values import flag, triple, words

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
NONE = (0.0, 0.0, 0.0)
IDENTITY = PiecewisePolynomial(((0.0, 1.0),))
_TURNS = tuple((*axis, *NONE) for axis in (X, Y, Z))
_SLIDES = tuple((*NONE, *axis) for axis in (X, Y, Z))

FREEDOMS: dict[str, tuple[tuple[tuple[float, ...], int], ...]] = {
    "PinJoint": ((_TURNS[2], 0),),
    "SliderJoint": ((_SLIDES[0], 0),),
    "UniversalJoint": ((_TURNS[0], 0), (_TURNS[1], 1)),
    "GimbalJoint": tuple((row, k) for k, row in enumerate(_TURNS)),
    "BallJoint": tuple((row, k) for k, row in enumerate(_TURNS)),
    "PlanarJoint": ((_SLIDES[0], 1), (_SLIDES[1], 2), (_TURNS[2], 0)),
    "FreeJoint": (*((row, 3 + k) for k, row in enumerate(_SLIDES)),
                  *((row, k) for k, row in enumerate(_TURNS))),
    "WeldJoint": (),
}  # fmt: skip
"""Axes from parent to child, each with the place of its coordinate."""
KINDS = (*FREEDOMS, "CustomJoint")
_AXES = tuple(f"{kind}{k}" for kind in ("translation", "rotation") for k in (1, 2, 3))


@dataclass(frozen=True)
class OsimAxis:
    """An axis ``(ang, lin)`` of unit length, and how far a joint moves along or about it.

    ``coordinate`` is the place of the coordinate that the function is of; None for a constant.
    """

    row: tuple[float, ...]
    function: PiecewisePolynomial
    coordinate: int | None


def read_axes(joint: Element) -> tuple[tuple[OsimAxis, ...], tuple[Coordinate, ...]]:
    """The axes of a joint from parent to child, and its coordinates in the order of the file."""
    if joint.tag not in KINDS:
        raise joint.error(
            f"{describe(joint)}: this kind of joint is not read{near(joint.tag, KINDS)} (known: "
            f"{', '.join(KINDS)})"
        )
    if flag(joint, "reverse"):
        raise joint.error(f"{describe(joint)}: joints that are reversed are not read")
    if joint.tag != "CustomJoint":
        freedoms = FREEDOMS[joint.tag]
        coordinates = read_coordinates(joint, len(freedoms))
        return tuple(OsimAxis(row, IDENTITY, k) for row, k in freedoms), coordinates
    coordinates = read_coordinates(joint, None)
    axes = _custom(joint, coordinates)
    followed = {axis.coordinate for axis in axes}
    for k, coordinate in enumerate(coordinates):
        if k not in followed:
            raise joint.error(
                f"{describe(joint)}: nothing follows the coordinate '{shorten(coordinate.name)}'"
            )
    return axes, coordinates


def _custom(joint: Element, coordinates: tuple[Coordinate, ...]) -> tuple[OsimAxis, ...]:
    """Translations along axes of the parent, then rotations, each about an axis of the last."""
    transform = child(joint, "SpatialTransform")
    if transform is None:
        raise joint.error(f"{describe(joint)} has no <SpatialTransform>")
    named = {each.attributes.get("name", ""): each for each in transform.all("TransformAxis")}
    for name, element in named.items():
        if name not in _AXES:
            raise element.error(f"unknown axis '{shorten(name)}'{near(name, _AXES)}")
    axes = (_axis(named[name], name, coordinates) for name in _AXES if name in named)
    return tuple(axis for axis in axes if axis is not None)


def _axis(element: Element, name: str, coordinates: tuple[Coordinate, ...]) -> OsimAxis | None:
    """An axis that moves, or stands away from zero."""
    followed = words(element, "coordinates")
    if len(followed) > 1:
        raise element.error(f"{describe(element)}: functions of several coordinates are not read")
    place = place_of(element, followed[0], coordinates) if followed else None
    function = function_in(element, "function") or (IDENTITY if followed else None)
    if function is None:
        return None
    if function.is_constant:
        place = None
        if function.pieces[0][0] == 0.0:
            return None
    elif place is None:
        raise element.error(f"{describe(element)} has a function, but no coordinate to follow")
    axis = triple(element, X, "axis")
    length = math.hypot(*axis)
    if length == 0.0:
        raise element.error(f"the axis of {describe(element)} is zero")
    x, y, z = (a / length for a in axis)
    row = (*NONE, x, y, z) if name.startswith("translation") else (x, y, z, *NONE)
    return OsimAxis(row, function, place)
