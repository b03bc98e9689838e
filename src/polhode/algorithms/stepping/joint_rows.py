"""The rows of joints: ends of their range, dry friction, and gears."""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar, absolute, logical_not, maximum, reciprocal, where
from .blocks import EqualityRow, FrictionRow, OneSidedRow, along
from .candidates import NEAR
from .contact_model import DryFriction, GearRatio, Limit
from .contact_rows import LEFT_ALONE, is_hit, push_out
from .inertia import Row, StepInertia


def limit_row(
    limit: Limit,
    q: Sequence[Scalar],
    free: Sequence[Scalar],
    inertia: StepInertia,
    impact_speed: Scalar,
    dt: Scalar,
) -> OneSidedRow:
    """The end of a range that the coordinate would be nearer to."""
    entry = inertia.row({limit.entry: 1.0})
    ends = limit.lower, limit.upper
    at, rate = q[limit.entry], free[limit.entry]
    return range_row(at, rate, entry, ends, limit.restitution, impact_speed, dt)


def range_row(
    at: Scalar,
    rate: Scalar,
    entry: Row,
    ends: tuple[Scalar, Scalar],
    restitution: Scalar,
    impact_speed: Scalar,
    dt: Scalar,
    moves: Scalar = True,
) -> OneSidedRow:
    """The nearer end of a range of a coordinate, whose rate ``entry`` is the row of.

    Nothing is done where that row does not move it.
    """
    low, high = at - ends[0], ends[1] - at
    is_low = low + dt * rate < high - dt * rate
    gap = where(is_low, low, high)
    is_near = gap < NEAR + dt * 2.0 * absolute(rate)
    if moves is not True:
        is_near = is_near & moves
    side = where(is_near, where(is_low, 1.0, -1.0), 0.0)
    y = {k: x * side for k, x in entry.items()}
    hit = is_near & is_hit(side * rate, gap, impact_speed, dt)
    restitution = where(hit, restitution, 0.0)
    waiting = where(is_near & logical_not(restitution > 0.0), maximum(gap, 0.0) / dt, 0.0)
    push = push_out(gap, dt)
    own = along(entry, entry)
    if moves is not True:
        own = where(moves, own, 1.0)
    return OneSidedRow(
        is_near,
        (y,),
        (side * rate + waiting,),
        (reciprocal(own),),
        (own,),
        push,
        restitution,
    )


def friction_row(
    friction: DryFriction, free: Sequence[Scalar], inertia: StepInertia, dt: Scalar
) -> FrictionRow:
    """Dry friction of a velocity entry within a step."""
    y = inertia.row({friction.entry: 1.0})
    own, most = along(y, y), friction.most * dt
    return FrictionRow((y,), (free[friction.entry],), (reciprocal(own),), (own,), -most, most)


def gear_row(
    gear: GearRatio,
    q: Sequence[Scalar],
    free: Sequence[Scalar],
    inertia: StepInertia,
    dt: Scalar,
) -> EqualityRow:
    """Two joints that move together; what they are off by goes without a velocity."""
    y = inertia.row({gear.a: 1.0, gear.b: -gear.ratio})
    rate = free[gear.a] - gear.ratio * free[gear.b]
    push = closing(-gear_error(gear, q), dt)
    own = along(y, y)
    return EqualityRow((y,), (rate,), (reciprocal(own),), (own,), push)


def gear_error(gear: GearRatio, q: Sequence[Scalar]) -> Scalar:
    """How far a gear is off."""
    return q[gear.a] - gear.ratio * q[gear.b] - gear.constant


def closing(off: Scalar, dt: Scalar) -> Scalar:
    """The velocity at which positions that are off by so much come together."""
    return where(absolute(off) > LEFT_ALONE, off, 0.0) / dt
