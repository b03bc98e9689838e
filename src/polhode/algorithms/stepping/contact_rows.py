"""The rows of points of contact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...scalar import ANYTHING, Scalar, maximum, reciprocal, sqrt, when, where
from ...spatial import Force, Motion, Vec3
from .blocks import TINY, ContactRows, along, greatest_of_two
from .candidates import Candidate, Velocities, belt_motion, motion_of, waiting
from .contact_model import ContactLaw, Pair
from .greatest import greatest
from .inertia import Row, StepInertia
from .near_points import Slots, of_slot
from .placed import PlacedBodies, signs_of
from .rolling_rows import RollingContactRows, spin_of, torque_rows
from .soft_rows import PointCompliance, SoftContactRows, softness

PUSH = 0.8
"""Part of an overlap that a step takes out.

Legs that turn by 0.1 in a step of 2 ms reach half a millimetre into the ground in each of them.
"""

LEAST_SHARE = 1e-13
"""What an impulse moves, as a share of what others of the point do, below which it is rounding."""

LEFT_ALONE = 1e-7
"""Overlaps up to this [m or rad] stay: what rests on something would be pushed in every step."""


def contact_rows(
    placed: PlacedBodies,
    slots: Slots,
    inertia: StepInertia,
    free: Sequence[Scalar],
    impact_speed: Scalar,
    dt: Scalar,
) -> list[ContactRows]:
    """The rows of the points in the slots; ``free`` are velocities without impulses.

    A normal's velocity has a share of the gap: it is zero where the gap closes with the step's end.
    Where it is hit and will rebound it has none.
    """
    entry = placed.model.coordinate_of_axis
    axes = {k: axis for k, axis in placed.axes().items() if entry[k] in slots.group.entries}
    pairs = list(slots.members.values())
    of_pairs = {id(x): signs_of(placed.model, x.a.body, x.b.body) for x in pairs}
    signs = {k: [of_pairs[id(x)][k] for x in pairs] for k in axes}
    seen: Row = dict.fromkeys(inertia.row_of_axes(dict.fromkeys(axes, 0.0)), ANYTHING)
    kind, n_arms, n_torques = _kind(pairs)
    drives = [belt_motion(placed, x).ang for x in pairs]
    rows: list[ContactRows] = []
    for s, point in enumerate(slots.points):

        def made(*_, s=s, point=point):
            columns = {k: axis * of_slot(signs[k], slots, s) for k, axis in axes.items()}
            frame = (point.normal, *tangents(point.normal))
            y, delassus = _scaled(columns, frame, point.position, inertia)
            approach, *slip = (axis.dot(point.velocity) for axis in frame)
            hit = is_hit(approach, point.gap, impact_speed, dt)
            e = where(hit, of_slot([x.law.restitution for x in pairs], slots, s), 0.0)
            mu = of_slot([x.law.mu for x in pairs], slots, s)
            if kind is ContactRows:
                approach = approach + where(e > 0.0, 0.0, waiting(point.gap, dt))
                ease = eases(delassus)
                return y, (approach, *slip), ease, delassus, push_out(point.gap, dt), mu, e
            law = _law_of_slot(pairs, slots, s)
            speed = sqrt(slip[0] * slip[0] + slip[1] * slip[1])
            bias, compliance, widening = softness(law, point.gap, approach, speed, dt)
            approach = approach + where(e > 0.0, 0.0, bias)
            delassus = delassus[0] + compliance, delassus[1]
            drive = Vec3(*(of_slot(list(part), slots, s) for part in zip(*drives, strict=True)))
            spin = spin_of(columns, entry, free) + drive
            torques = torque_rows(columns, _torques(law, pairs, frame), spin, inertia)
            y, delassus = (*y, *torques.y), (*delassus, *torques.delassus)
            arms = [torques.arms] if n_arms else []
            ease = eases(delassus)
            push = where(compliance > 0.0, 0.0, push_out(point.gap, dt))
            rates = approach, *slip, *torques.free
            return y, rates, ease, delassus, push, mu, e, 0.0, compliance, widening, *arms

        n, m = 3 + n_torques, 2 + n_arms
        nothing: list[Any] = [(seen,) * n, (ANYTHING,) * n, (ANYTHING,) * m]
        nothing += [(ANYTHING,) * m, 0.0, 0.0, 0.0]
        nothing += [] if kind is ContactRows else [0.0, ANYTHING, ANYTHING]
        nothing += [[ANYTHING] * n_arms] if n_arms else []
        is_near = slots.count > float(s)
        rows.append(kind(is_near, *when(is_near, made, *nothing)))
    return rows


def _kind(pairs: Sequence[Pair]) -> tuple[type[ContactRows], int, int]:
    """The class of the rows of points of any of some pairs; how many arms and torques these have.

    Rolling friction has one arm and two rows.
    """
    if all(x.law.is_plain for x in pairs):
        return ContactRows, 0, 0
    spins, rolls = any(x.law.torsional for x in pairs), any(x.law.rolling for x in pairs)
    n = spins + rolls
    return RollingContactRows if n else SoftContactRows, n, n + rolls


def _torques(
    law: ContactLaw, pairs: Sequence[Pair], frame: Sequence[Vec3]
) -> list[tuple[Scalar, Sequence[Vec3]]]:
    """Arms and axes of what any of the pairs has; ``frame`` is a normal and its tangents."""
    torques: list[tuple[Scalar, Sequence[Vec3]]] = []
    if any(x.law.torsional for x in pairs):
        torques.append((law.torsional, frame[:1]))
    if any(x.law.rolling for x in pairs):
        torques.append((law.rolling, frame[1:]))
    return torques


def _law_of_slot(pairs: Sequence[Pair], slots: Slots, s: int) -> ContactLaw:
    """Compliance and friction beside Coulomb's of the point in a slot."""
    names = ("stiffness", "damping", "viscous", "torsional", "rolling")
    return ContactLaw(
        **{name: of_slot([getattr(x.law, name) for x in pairs], slots, s) for name in names}
    )


def eases(delassus: Sequence[Scalar]) -> list[Scalar]:
    """One over each; zero where impulses move nothing but by rounding.

    So it is between spheres of a straight chain, whose joints do not let it shorten.  Velocities
    that are rounding would ask for impulses without bound.
    """
    least = greatest(delassus) * LEAST_SHARE
    return [where(x > least, reciprocal(x), 0.0) for x in delassus]


def restitution_of(x: Candidate, impact_speed: Scalar, dt: Scalar) -> Scalar:
    """The restitution of a candidate; zero unless it is hit in the step."""
    hit = x.is_near & is_hit(x.normal.dot(x.velocity), x.gap, impact_speed, dt)
    return where(hit, x.pair.law.restitution, 0.0)


def softness_of(x: Candidate, dt: Scalar) -> PointCompliance:
    """Compliance and viscous friction of a candidate."""
    approach = x.normal.dot(x.velocity)
    slip = x.velocity - x.normal * approach
    return softness(x.pair.law, x.gap, approach, sqrt(slip.dot(slip)), dt)


def torques_of(placed: PlacedBodies, x: Candidate, motions: Velocities) -> tuple[Scalar, ...]:
    """Angular velocity of a candidate's surfaces, and arms of torsional and rolling friction."""
    return *motion_of(placed, x.pair, motions).ang, x.pair.law.torsional, x.pair.law.rolling


def push_out(gap: Scalar, dt: Scalar) -> Scalar:
    """The velocity at which an overlap is taken out."""
    return maximum(-LEFT_ALONE - gap, 0.0) * PUSH / dt


def is_hit(approach: Scalar, gap: Scalar, impact_speed: Scalar, dt: Scalar) -> Scalar:
    """Whether a gap closes within the step, faster than what rests on something does."""
    return (approach < -impact_speed) & (gap + dt * approach < 0.0)


def tangents(n: Vec3) -> tuple[Vec3, Vec3]:
    """Two axes that complete a unit vector to a right-handed frame.

    They are continuous but where ``n.z`` changes sign (Duff et al. 2017).
    """
    sign = where(n.z < 0.0, -1.0, 1.0)
    a = -reciprocal(sign + n.z)
    b = n.x * n.y * a
    return (
        Vec3(1.0 + sign * n.x * n.x * a, sign * b, -(sign * n.x)),
        Vec3(b, sign + n.y * n.y * a, -n.y),
    )


def _scaled(
    columns: dict[int, Motion], axes: Sequence[Vec3], at: Vec3, inertia: StepInertia
) -> tuple[tuple[Row, Row, Row], tuple[Scalar, Scalar]]:
    """``y`` of each axis, and what unit impulses change: the normal, and the most of tangents."""
    wrenches = [Force(at.cross(axis), axis) for axis in axes]
    J = [{k: wrench.dot(s) for k, s in columns.items()} for wrench in wrenches]
    normal, s, t = inertia.rows_of_axes(J)
    return (normal, s, t), (along(normal, normal) + TINY, greatest_of_two(s, t) + TINY)
