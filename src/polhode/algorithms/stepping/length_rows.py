"""Rows of coordinates that no joint of the tree has: lengths of tendons, and those of loops.

Each has limits, dry friction, or both.  The free coordinate of a loop is an angle about z, or a
distance along it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...model import PerBody
from ...scalar import Scalar, absolute, maximum, reciprocal, where
from ...spatial import Force, Vec3
from ..actuation.lengths import PlacedTree
from ..actuation.tendons import tendon_length
from ..constrained.closures import POINT, JointFrame
from .blocks import FrictionRow, OneSidedRow, RowBlock, along
from .contact_model import ContactModel, CoordinateRange, HingeRange
from .inertia import Row, StepInertia
from .joint_rows import range_row
from .placed import PlacedBodies
from .stretches import Stretch, damper, frame_on, rate_of, row_of_wrench

NOISE = 1e-10
"""Greatest entry of a row of rounding errors [1 or m], as a tendon in its dead centre has."""


class MeasuredCoordinate(NamedTuple):
    """A coordinate at a position, its rate by velocities, and what holds it."""

    value: Scalar
    row: Row
    range: CoordinateRange


def measured(whole: ContactModel, placed: PlacedBodies, q: PerBody) -> list[MeasuredCoordinate]:
    """The lengths of tendons, then the free coordinates of loops."""
    found = []
    if whole.tendons:
        tree = PlacedTree(whole.model, q)
        for each in whole.tendons:
            length = tendon_length(tree, whole.model.tendons[each.tendon])
            found.append(MeasuredCoordinate(length.value, tree.row(length), each.range))
    for hinge in whole.hinges:
        closure = hinge.closure
        a = frame_on(placed, closure.a, closure.frame_a)
        b = frame_on(placed, closure.b, closure.frame_b)
        value, wrench = _free_coordinate(hinge, a, b)
        row = row_of_wrench(placed, closure.a, closure.b, wrench)
        found.append(MeasuredCoordinate(value, row, hinge.range))
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
    elif hinge.range.is_limited:
        near = 0.5 * (hinge.range.lower + hinge.range.upper)
    return a.angle(b, near), Force(a.z, Vec3.zero())


def dampers(coordinates: Sequence[MeasuredCoordinate], v: Sequence[Scalar]) -> list[Stretch]:
    """Viscous friction along them."""
    return [damper(x.row, x.range.damping, v) for x in coordinates if x.range.damping]


def length_rows(
    coordinates: Sequence[MeasuredCoordinate],
    free: Sequence[Scalar],
    inertia: StepInertia,
    impact_speed: Scalar,
    dt: Scalar,
) -> list[RowBlock]:
    """The rows of all dry friction, then those of limits."""
    rows: list[RowBlock] = []
    rows += [_friction_row(x, free, inertia, dt) for x in coordinates if x.range.friction]
    limited = [x for x in coordinates if x.range.is_limited]
    return rows + [_limit_row(x, free, inertia, impact_speed, dt) for x in limited]


def _friction_row(
    x: MeasuredCoordinate, free: Sequence[Scalar], inertia: StepInertia, dt: Scalar
) -> FrictionRow:
    y, most, moves = inertia.row(x.row), x.range.friction * dt, is_moving(x.row)
    own = where(moves, along(y, y), 1.0)
    rate = rate_of(x.row, free)
    return FrictionRow((y,), (rate,), (reciprocal(own),), (own,), -most, most, moves)


def _limit_row(
    x: MeasuredCoordinate,
    free: Sequence[Scalar],
    inertia: StepInertia,
    impact_speed: Scalar,
    dt: Scalar,
) -> OneSidedRow:
    y, moves, rate = inertia.row(x.row), is_moving(x.row), rate_of(x.row, free)
    ends, e = (x.range.lower, x.range.upper), x.range.restitution
    return range_row(x.value, rate, y, ends, e, impact_speed, dt, moves)


def is_moving(row: Row) -> Scalar:
    """Whether a row is more than rounding errors."""
    greatest: Scalar = 0.0
    for x in row.values():
        greatest = maximum(greatest, absolute(x))
    return greatest > NOISE


def beyond_ranges(coordinates: Sequence[MeasuredCoordinate]) -> list[Scalar]:
    """How far coordinates with limits are outside of these; negative inside."""
    return [maximum(x.range.lower - x.value, x.value - x.range.upper) for x in coordinates
            if x.range.is_limited]  # fmt: skip
