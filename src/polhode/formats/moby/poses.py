"""Positions and orientations as Moby writes them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...spatial import Mat3, Quaternion, Transform, Vec3
from ..quaternions import rotation, unit
from ..reading import Notes
from ..urdf.rotation import QUARTER_TURNS, quarter_turns, turned
from ..xml import Element
from .values import describe, exclusive, triple, vector, words


@dataclass(frozen=True)
class Options:
    """Options for reading a file."""

    strict: bool = True
    snap: bool | str = True


def pose(
    element: Element,
    options: Options,
    notes: Notes,
    *,
    prefix: str = "",
    origin: str = "position",
    order: tuple[str, ...] = ("quat", "rpy", "aangle"),
) -> Transform:
    """The transform from outer to inner coordinates that an element's attributes describe.

    ``order`` says which orientation Moby takes when there are several, which is an error unless
    the file is read with ``strict=False``.
    """
    r = triple(element, origin)
    return Transform(orientation(element, options, notes, prefix=prefix, order=order), Vec3(*r))


def orientation(
    element: Element,
    options: Options,
    notes: Notes,
    *,
    prefix: str = "",
    order: tuple[str, ...] = ("quat", "rpy", "aangle"),
) -> Mat3:
    """Coordinate rotation from outer to inner axes."""
    keys = [prefix + key for key in order]
    if options.strict:
        key = exclusive(element, *keys)
    else:
        key = next((k for k in keys if k in element.attributes), None)
        for other in keys:
            if other in element.attributes and other != key:
                text = f"{describe(element)}: '{other}' is not used beside '{key}'"
                notes.add("doubtful", text, element.line)
    if key is None:
        return Mat3.identity()
    match key.removeprefix(prefix):
        case "rpy":
            return _rpy(element, key, options, notes)
        case "quat":
            return _quaternion(element, key, notes)
        case _:
            return _axis_angle(element, key, options, notes)


def unit_quaternion(element: Element, place: Transform) -> Quaternion:
    """The orientation of a pose that was read: as written, if it was a quaternion."""
    if any(key in element.attributes for key in ("rpy", "aangle")):
        return Quaternion.from_matrix(place.E)
    return unit(Quaternion(*(vector(element, "quat", 4) or (1.0, 0.0, 0.0, 0.0))))


def _rpy(element: Element, key: str, options: Options, notes: Notes) -> Mat3:
    angles = vector(element, key, 3) or ()
    R = turned(words(element, key), angles, options.snap, notes, element.line)
    return Mat3.of(R).T


def _quaternion(element: Element, key: str, notes: Notes) -> Mat3:
    q = Quaternion(*(vector(element, key, 4) or ()))
    return rotation(q, element, f"the quaternion '{key}' of {describe(element)}", notes)


def _axis_angle(element: Element, key: str, options: Options, notes: Notes) -> Mat3:
    x, y, z, angle = vector(element, key, 4) or (0.0,) * 4
    norm = math.hypot(x, y, z)
    if norm == 0.0 and angle == 0.0:
        return Mat3.identity()
    if norm == 0.0 or math.isinf(norm):
        size = "zero" if norm == 0.0 else "too large"
        raise element.error(f"the axis in '{key}' of {describe(element)} is {size}")
    c, s = _turn(element, words(element, key)[3], angle, options, notes)
    u = Vec3(x / norm, y / norm, z / norm)
    E = Mat3.identity() * c + u.outer(u) * (1.0 - c) - u.skew() * s
    return Mat3.of(tuple(tuple(e + 0.0 for e in row) for row in E.rows()))


def _turn(
    element: Element, literal: str, angle: float, options: Options, notes: Notes
) -> tuple[float, float]:
    """Cosine and sine, exact for angles read as a multiple of pi/2."""
    turns = quarter_turns(literal, options.snap)
    if turns is None:
        return math.cos(angle), math.sin(angle)
    if angle != turns * (math.pi / 2):
        notes.add("snapped", f"{literal} read as {turns} pi/2", element.line)
    return QUARTER_TURNS[turns % 4]
