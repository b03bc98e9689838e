"""What a step tells of itself, for records alone: work, overlaps, forces and contacts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...model import Model, PerBody
from ...scalar import Scalar
from ..tree.dynamics import inverse_dynamics
from .placed import PlacedBodies
from .stretches import Stretch, rate_of


class StepAccount(NamedTuple):
    """What a step did with energy, and how deep bodies overlap where it begins.

    Attributes
    ----------
    work : scalar
        Of all forces but gravity and impulses, along the mean velocity [J].
    push_out : scalar
        Potential energy by bodies that were moved out of overlaps [J].
    depth : scalar
        Deepest overlap of rigid points at the start of the step [m].
    """

    work: Scalar
    push_out: Scalar
    depth: Scalar


def work_of(
    model: Model, force: Sequence[Scalar], v: Sequence[Scalar], after: Sequence[Scalar],
    dt: Scalar, stretches: Sequence[Stretch] = (),
) -> Scalar:  # fmt: skip
    """The work of joint forces in a step from velocities ``v`` to ``after``, damping implicit."""
    work: Scalar = 0.0
    for x, a, b in zip(softened(model, force, v, after, stretches), v, after, strict=True):
        work = work + x * (a + b)
    return work * (0.5 * dt)


def softened(
    model: Model, force: Sequence[Scalar], v: Sequence[Scalar], after: Sequence[Scalar],
    stretches: Sequence[Stretch] = (),
) -> list[Scalar]:  # fmt: skip
    """Joint forces with damping at the velocities ``after`` a step instead of ``v``."""
    found = list(force)
    for i in model.bodies:
        for k, b in zip(model.v_index[i], model.damping[i].entries, strict=True):
            found[k] = found[k] - b * (after[k] - v[k])
    return resisted(found, stretches, v, after)


def resisted(
    force: Sequence[Scalar], stretches: Sequence[Stretch], v: Sequence[Scalar],
    after: Sequence[Scalar],
) -> list[Scalar]:  # fmt: skip
    """Joint forces with the resistance of lengths to a change of velocity."""
    found = list(force)
    for each in stretches:
        change = rate_of(each.row, after) - rate_of(each.row, v)
        for k, x in each.row.items():
            found[k] = found[k] - x * (each.resistance * change)
    return found


def lifted(placed: PlacedBodies, push: Sequence[Scalar], dt: Scalar) -> Scalar:
    """Potential energy that bodies gain in a step by the velocities ``push``."""
    model, energy = placed.model, 0.0
    motions = placed.velocities(push)
    for i in model.bodies:
        X = placed.X_0[i]
        momentum = model.inertia[i] @ (X @ motions[i])
        energy = energy - momentum.lin.dot(X.E @ model.gravity.lin)
    return energy * dt


def constraint_forces(
    model: Model, q: PerBody, v: PerBody, acceleration: PerBody, others: Sequence[Scalar]
) -> list[Scalar]:
    """Joint forces of impulses: what inverse dynamics asks for beyond ``others``."""
    needed = model.join_v(inverse_dynamics(model, q, v, acceleration))
    return [a - b for a, b in zip(needed, others, strict=True)]


def summed(parts: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    """The sum of vectors, from the first on."""
    total = list(parts[0])
    for part in parts[1:]:
        total = [a + b for a, b in zip(total, part, strict=True)]
    return total
