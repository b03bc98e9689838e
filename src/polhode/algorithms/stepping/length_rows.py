"""Rows of coordinates that no joint of the tree has: lengths of tendons, and those of loops.

Each has limits, dry friction, or both.  The free coordinate of a loop is an angle about z, or a
distance along it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ...model import PerBody
from ...scalar import Scalar, absolute, maximum, reciprocal, where
from ...spatial import Force, Vec3
from ..actuation.lengths import PlacedTree
from ..actuation.tendons import tendon_length
from ..constrained.closures import POINT, JointFrame
from .blocks import FrictionRow, OneSidedRow, RowBlock, along
from .contact_model import ContactModel, HingeRange
from .inertia import Row, StepInertia
from .joint_rows import range_row
from .placed import PlacedBodies
from .stretches import Stretch, damper, frame_on, rate_of, row_of_wrench

NOISE = 1e-10
"""Greatest entry of a row of rounding errors [1 or m], as a tendon in its dead centre has."""


class LengthRange(NamedTuple):
    """A coordinate at a position, its rate by velocities, and what holds it."""

    value: Scalar
    row: Row
    lower: Scalar
    upper: Scalar
    restitution: Scalar
    friction: Scalar
    damping: Scalar

    @property
    def is_limited(self) -> bool:
        return self.lower > -math.inf or self.upper < math.inf


def measured(whole: ContactModel, placed: PlacedBodies, q: PerBody) -> list[LengthRange]:
    """The lengths of tendons, then the free coordinates of loops."""
    found = []
    if whole.tendons:
        tree = PlacedTree(whole.model, q)
        for each in whole.tendons:
            length = tendon_length(tree, whole.model.tendons[each.tendon])
            found.append(LengthRange(length.value, tree.row(length), each.lower, each.upper, 0.0,
                                  each.friction, 0.0))  # fmt: skip
    for hinge in whole.hinges:
        closure = hinge.closure
        a = frame_on(placed, closure.a, closure.frame_a)
        b = frame_on(placed, closure.b, closure.frame_b)
        value, wrench = _free_coordinate(hinge, a, b)
        row = row_of_wrench(placed, closure.a, closure.b, wrench)
        found.append(LengthRange(value, row, hinge.lower, hinge.upper, hinge.restitution,
                              hinge.friction, hinge.damping))  # fmt: skip
    return found


def _free_coordinate(hinge: HingeRange, a: JointFrame, b: JointFrame) -> tuple[Scalar, Force]:
    """The value, and the wrench on body b of its rate.

    Angles are those nearest to the middle of the range; of a screw, to how far it has come.
    """
    closure, axial = hinge.closure, (POINT, 2, 0, 0.0)
    if closure.kind == "prismatic":
        return a.error(b, *axial), a.wrench(b, *axial)
    near: Scalar = 0.0
    if closure.kind == "screw" and closure.pitch:
        near = a.error(b, *axial) * (1.0 / closure.pitch)
    elif hinge.is_limited:
        near = 0.5 * (hinge.lower + hinge.upper)
    return a.angle(b, near), Force(a.z, Vec3.zero())


def dampers(coordinates: Sequence[LengthRange], v: Sequence[Scalar]) -> list[Stretch]:
    """Viscous friction along them."""
    return [damper(each.row, each.damping, v) for each in coordinates if each.damping]


def length_rows(
    coordinates: Sequence[LengthRange],
    free: Sequence[Scalar],
    inertia: StepInertia,
    impact_speed: Scalar,
    dt: Scalar,
) -> list[RowBlock]:
    """The rows of all dry friction, then those of limits."""
    rows: list[RowBlock] = []
    rows += [_friction_row(x, free, inertia, dt) for x in coordinates if x.friction]
    rows += [_limit_row(x, free, inertia, impact_speed, dt) for x in coordinates if x.is_limited]
    return rows


def _friction_row(
    x: LengthRange, free: Sequence[Scalar], inertia: StepInertia, dt: Scalar
) -> FrictionRow:
    y, most, moves = inertia.row(x.row), x.friction * dt, _moves(x.row)
    own = where(moves, along(y, y), 1.0)
    rate = rate_of(x.row, free)
    return FrictionRow((y,), (rate,), (reciprocal(own),), (own,), -most, most, moves)


def _limit_row(
    x: LengthRange, free: Sequence[Scalar], inertia: StepInertia, impact_speed: Scalar, dt: Scalar
) -> OneSidedRow:
    y, moves, rate = inertia.row(x.row), _moves(x.row), rate_of(x.row, free)
    return range_row(x.value, rate, y, (x.lower, x.upper), x.restitution, impact_speed, dt, moves)


def _moves(row: Row) -> Scalar:
    """Whether a row is more than rounding errors."""
    greatest: Scalar = 0.0
    for x in row.values():
        greatest = maximum(greatest, absolute(x))
    return greatest > NOISE


def beyond_ranges(coordinates: Sequence[LengthRange]) -> list[Scalar]:
    """How far coordinates with limits are outside of these; negative inside."""
    return [maximum(x.lower - x.value, x.value - x.upper) for x in coordinates if x.is_limited]
