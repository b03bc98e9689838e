"""Quaternions that files write, as rotations."""

from __future__ import annotations

import math

from ..spatial import Mat3, Quaternion
from .reading import Notes
from .xml import Element

NEARLY_UNIT = 1e-6  # files round their quaternions
EXACTLY_UNIT = 4e-16


def unit(q: Quaternion) -> Quaternion:
    """A quaternion of norm 1; one that has it up to rounding stays as it is."""
    return q if abs(q.norm() - 1.0) <= EXACTLY_UNIT else q.normalized()


def rotation(q: Quaternion, element: Element, what: str, notes: Notes) -> Mat3:
    """The rotation of a quaternion; a norm that is not 1 is told.

    Raises
    ------
    ParseError
        If it has no direction.
    """
    norm = q.norm()
    if norm == 0.0 or math.isinf(norm):
        raise element.error(f"{what} is {'zero' if norm == 0.0 else 'too large'}")
    if abs(norm - 1.0) > NEARLY_UNIT:
        text = f"{what} has norm {norm:.6g} and is read as a unit quaternion"
        notes.add("doubtful", text, element.line)
    return unit(q).matrix()
