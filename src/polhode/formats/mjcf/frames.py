"""Positions and orientations of elements to transforms."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...spatial import Mat3, Quaternion, Transform, Vec3, rotation_about
from ..xml import Element
from .compiler import Compiler
from .values import describe, numbers, vector

ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
_SMALL = 1e-14  # a shorter vector has no direction, as in MuJoCo
_ROUNDING = 4e-16  # of the entries of a rotation of exact turns


def pose(element: Element, compiler: Compiler) -> Transform:
    """The frame of an element, from the coordinates around it."""
    return Transform(orientation(element, compiler), vector(element, "pos", (0.0, 0.0, 0.0)))


def orientation(element: Element, compiler: Compiler) -> Mat3:
    """Coordinate rotation to an element's frame, from at most one of five attributes."""
    given = [key for key in ORIENTATIONS if key in element.attributes]
    if len(given) > 1:
        raise element.error(
            f"expected one orientation of {describe(element)}, found {' and '.join(given)}"
        )
    if not given:
        return Mat3.identity()
    return rounded(_READERS[given[0]](element, compiler))


def rounded(E: Mat3) -> Mat3:
    """A rotation without the rounding errors in entries that are -1, 0 or 1."""
    return Mat3.of([[_whole(x) for x in row] for row in E.rows()])


def _whole(x: float) -> float:
    nearest = float(round(x))
    return nearest + 0.0 if abs(x - nearest) < _ROUNDING else x


def unit(element: Element, key: str, v: Vec3) -> Vec3:
    """A direction of length one."""
    length = math.hypot(*v)
    if not _SMALL < length < math.inf:
        raise element.error(f"{describe(element)} '{key}' has no direction: its length is "
                            f"{length:g}")  # fmt: skip
    return v if length == 1.0 else v * (1.0 / length)


def towards(z: Vec3) -> Mat3:
    """Coordinate rotation of the smallest turn that takes the z axis to a unit vector."""
    axis = Vec3(-z.y, z.x, 0.0)
    sine = math.hypot(axis.x, axis.y)
    if sine < _SMALL:
        return Mat3.identity() if z.z > 0.0 else rounded(rotation_about(Vec3(1.0, 0.0, 0.0),
                                                                        math.pi))  # fmt: skip
    return rounded(rotation_about(axis * (1.0 / sine), math.atan2(sine, z.z)))


def quaternion(element: Element, key: str) -> Mat3:
    """Coordinate rotation of a quaternion w, x, y, z of any length."""
    w, x, y, z = numbers(element, key, 4)
    q = Quaternion(w, x, y, z)
    norm = q.norm()
    if not _SMALL < norm < math.inf:
        raise element.error(f"{describe(element)} '{key}' is no rotation: its norm is {norm:g}")
    return rounded((q if norm == 1.0 else q.normalized()).matrix())


def euler(angles: Sequence[float], sequence: str) -> Mat3:
    """Coordinate rotation of three turns, about axes that move (x) or stay (X)."""
    E = Mat3.identity()
    for letter, angle in zip(sequence, angles, strict=True):
        axis = Vec3(*(float(letter.lower() == other) for other in "xyz"))
        turn = rounded(rotation_about(axis, angle))
        E = turn @ E if letter.islower() else E @ turn
    return E


def _euler(element: Element, compiler: Compiler) -> Mat3:
    return euler(compiler.angles(element, "euler", 3, 3), compiler.eulerseq)


def _quat(element: Element, compiler: Compiler) -> Mat3:
    return quaternion(element, "quat")


def _axisangle(element: Element, compiler: Compiler) -> Mat3:
    *axis, value = numbers(element, "axisangle", 4)
    word = element.attributes["axisangle"].split()[3]
    angle = compiler.angle(element, "axisangle", word, value)
    return rotation_about(unit(element, "axisangle", Vec3(*axis)), angle)


def _xyaxes(element: Element, compiler: Compiler) -> Mat3:
    values = numbers(element, "xyaxes", 6)
    x = unit(element, "xyaxes", Vec3(*values[:3]))
    y = Vec3(*values[3:])
    y = unit(element, "xyaxes", y - x * x.dot(y))
    return Mat3(x, y, x.cross(y))


def _zaxis(element: Element, compiler: Compiler) -> Mat3:
    return towards(unit(element, "zaxis", Vec3(*numbers(element, "zaxis", 3))))


_READERS = {"quat": _quat, "axisangle": _axisangle, "euler": _euler, "xyaxes": _xyaxes,
            "zaxis": _zaxis}  # fmt: skip
