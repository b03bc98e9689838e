"""What a step with contact fulfils, as functions of the state where it began.

With the velocities ``v1`` after the step and the impulses ``x`` of all rows, `moreau` fulfils

    momentum(q, v; v1, x) = (H + dt B) (v1 - v) - dt f - J^T x = 0,

and the laws of the rows, whose velocities are ``u = J v1 + b``.  The derivatives of a step follow
from these by the theorem of implicit functions; nothing of the solver is differentiated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ...model import PerBody
from ...scalar import Scalar, maximum, reciprocal, where
from ..tree.dynamics import inverse_dynamics
from .blocks import along
from .contact_model import ContactModel
from .inertia import Row, StepInertia, dampings
from .length_rows import is_moving, measured
from .moreau import Going, StepForces, joint_forces, joint_rows, servos_of, stretches_of
from .placed import PlacedBodies
from .stretches import along_coordinates, rate_of


class JointRow(NamedTuple):
    """A row of a joint at the end of a step.

    ``J`` are its entries by velocities.  ``rate`` is zero where it holds, ``lower`` and ``upper``
    bound its impulse.  ``is_near`` is zero where it cannot act, or is rounding.  ``push`` is the
    velocity at which it is pushed out of an overlap.
    """

    J: list[Scalar]
    rate: Scalar
    lower: Scalar
    upper: Scalar
    is_near: Scalar
    push: Scalar


def momentum(
    whole: ContactModel,
    q: PerBody,
    v: PerBody,
    drive: StepForces,
    after: Sequence[Scalar],
    impulses: tuple[Sequence[JointRow], Sequence[Scalar], PerBody],
    dt: Scalar,
) -> list[Scalar]:
    """What impulses miss to lead from ``v`` to ``after``, by velocities.

    ``impulses`` are rows of joints, and their impulses; of contact, mean wrenches on bodies over
    the step, about the base origin.
    """
    model, (rows, x, wrenches) = whole.model, impulses
    placed = PlacedBodies(model, q)
    springs = stretches_of(whole, placed, measured(whole, placed, q), q, v, dt)
    servos = servos_of(model, q, v, drive, dt)
    change = [a - b for a, b in zip(after, model.join_v(v), strict=True)]
    rate = reciprocal(dt)
    wanted = inverse_dynamics(model, q, v, model.split_v([rate * c for c in change]), wrenches)
    found = model.join_v(wanted)
    for forces in joint_forces(model, q, v, drive, springs, servos):
        found = [a - f for a, f in zip(found, forces, strict=True)]
    found = [a + b * c for a, b, c in zip(found, dampings(model), change, strict=True)]
    resisting = [
        each._replace(force=each.resistance * rate_of(each.row, change))
        for each in springs + servos
    ]
    if resisting:
        held = along_coordinates(resisting, model.nv)
        found = [a + f for a, f in zip(found, held, strict=True)]
    found = [dt * a for a in found]
    for row, impulse in zip(rows, x, strict=True):
        found = [a - j * impulse for a, j in zip(found, row.J, strict=True)]
    return found


def rows_at(
    whole: ContactModel, placed: PlacedBodies, q: PerBody, after: Sequence[Scalar], dt: Scalar
) -> list[JointRow]:
    """The rows of joints at a position, with rates of the velocities ``after`` a step."""
    model = whole.model
    going = Going(model.join_q(q), after, placed.velocities(after))
    coordinates, plain = measured(whole, placed, q), StepInertia.identity(model)
    rows = []
    for block in joint_rows(whole, placed, coordinates, going, plain, dt):
        _, lower, upper = block.bounds
        y = block.y[0]
        J = [y.get(k, 0.0) for k in range(model.nv)]
        is_moved = along(y, y) > 0.5 * block.delassus[0]  # others are rounding errors
        near = where(is_moved & block.is_near, 1.0, 0.0)
        rows.append(JointRow(J, block.free[0], lower, upper, near, block.push))
    return rows


def both_ends_at(
    whole: ContactModel, placed: PlacedBodies, q: PerBody, after: Sequence[Scalar], dt: Scalar
) -> list[JointRow]:
    """As `rows_at`, with a row of each end of each range, however far it is."""
    found, at = rows_at(whole, placed, q, after, dt), whole.model.join_q(q)
    lengths = [x for x in measured(whole, placed, q) if x.range.is_limited]
    first, last = len(whole.frictions), len(found) - len(lengths)
    joints: list[JointRow] = []
    for each in whole.limits:
        ends = each.lower, each.upper
        joints += _ends(at[each.entry], {each.entry: 1.0}, ends, after, 1.0, dt)
    others: list[JointRow] = []
    for x in lengths:
        near = where(is_moving(x.row), 1.0, 0.0)
        others += _ends(x.value, x.row, (x.range.lower, x.range.upper), after, near, dt)
    return [*found[:first], *joints, *found[first + len(whole.limits) : last], *others]


def _ends(
    value: Scalar, row: Row, ends: tuple[Scalar, Scalar], after: Sequence[Scalar], near: Scalar,
    dt: Scalar,
) -> list[JointRow]:  # fmt: skip
    """A row of each end of a range that there is."""
    rows = []
    for side, end in zip((1.0, -1.0), ends, strict=True):
        if isinstance(end, float) and math.isinf(end):
            continue
        J = [side * row[k] if k in row else 0.0 for k in range(len(after))]
        rate = side * rate_of(row, after) + maximum(side * (value - end), 0.0) / dt
        rows.append(JointRow(J, rate, 0.0, math.inf, near, 0.0))
    return rows
