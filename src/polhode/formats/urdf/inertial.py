"""``<inertial>`` to a rigid body, and what can be wrong with one."""

from __future__ import annotations

import numpy as np

from ...model import RigidBody
from ..reading import Notes
from ..xml import Element
from .rotation import Rows, rotate_inertia, rotation
from .values import child, describe, number, required_child, triple

TOLERANCE = 1e-6  # of the largest moment: files round their inertias


def read_inertial(link: Element, snap: bool | str, notes: Notes) -> RigidBody:
    """Mass, centre of mass, and inertia about it in the link's axes; massless if absent."""
    inertial = child(link, "inertial")
    if inertial is None:
        return RigidBody()
    mass_element = required_child(inertial, "mass")
    mass = number(mass_element, "value")
    if mass < 0.0:
        raise mass_element.error(f"{describe(link)} has a negative mass: {mass:g} kg")
    origin, matrix = (child(inertial, tag) for tag in ("origin", "inertia"))
    com = (0.0, 0.0, 0.0) if origin is None else triple(origin, "xyz", (0.0, 0.0, 0.0))
    if matrix is None:
        text = f"{describe(link)}: <inertial> has no <inertia>: read as a mass at a point"
        notes.add("doubtful", text, inertial.line)
        return RigidBody(mass, com)
    xx, xy, xz, yy, yz, zz = (
        number(matrix, name) for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    inertia: Rows = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    note_doubts(link, mass, inertia, matrix.line, notes)
    if origin is None:
        return RigidBody(mass, com, inertia)
    return RigidBody(mass, com, rotate_inertia(rotation(origin, snap, notes), inertia))


def note_doubts(link: Element, mass: float, inertia: Rows, line: int, notes: Notes) -> None:
    """Note an inertia that no distribution of mass has."""
    if not any(map(any, inertia)):
        return
    if mass == 0.0:
        notes.add("doubtful", f"{describe(link)} has inertia, but no mass", line)
    low, middle, high = np.linalg.eigvalsh(np.array(inertia))
    slack = TOLERANCE * max(abs(low), abs(high))
    if low < -slack:
        notes.add("doubtful", f"{describe(link)}: inertia is not positive definite", line)
    elif low + middle < high - slack:
        notes.add(
            "doubtful",
            f"{describe(link)}: principal moments {low:.3g}, {middle:.3g}, {high:.3g} "
            "violate the triangle inequality",
            line,
        )
