"""The rows of points of contact."""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar, maximum, reciprocal, sqrt, when, where
from ...spatial import Force, Motion, Vec3
from .blocks import TINY, ContactRows, along
from .candidates import Candidate, Slots, by_slot
from .inertia import Row, StepInertia
from .placed import PlacedBodies, signs_of

PUSH = 0.8
"""Part of an overlap that a step takes out.

Legs that turn by 0.1 in a step of 2 ms reach half a millimetre into the ground in each of them.
"""

LEFT_ALONE = 1e-7
"""Overlaps up to this [m or rad] stay: what rests on something would be pushed in every step."""


def contact_rows(
    placed: PlacedBodies,
    found: Sequence[Candidate],
    slots: Slots,
    inertia: StepInertia,
    impact_speed: Scalar,
    dt: Scalar,
) -> list[ContactRows]:
    """The rows of the points in the slots.

    A normal's velocity has a share of the gap: it is zero where the gap closes with the step's end.
    Where it is hit and will rebound it has none.
    """
    position = _vectors([x.position for x in found], slots)
    normal = _vectors([x.normal for x in found], slots)
    u = _vectors([x.velocity for x in found], slots)
    gap = by_slot([x.gap for x in found], slots)
    mu = by_slot([x.pair.law.mu for x in found], slots)
    restitution = by_slot([x.pair.law.restitution for x in found], slots)
    entry = placed.model.coordinate_of_axis
    axes = {k: axis for k, axis in placed.axes().items() if entry[k] in slots.entries}
    of_points = [signs_of(placed.model, x.pair.a.body, x.pair.b.body) for x in found]
    signs = {k: by_slot([of_point[k] for of_point in of_points], slots) for k in axes}
    rows = []
    for s in range(len(slots.chosen)):
        is_near = slots.count > float(s)
        columns = {k: axis * signs[k][s] for k, axis in axes.items()}
        frame = (normal[s], *tangents(normal[s]))
        y, ease = _scaled(columns, frame, position[s], inertia, is_near)
        approach, *slip = (axis.dot(u[s]) for axis in frame)
        hit = is_near & is_hit(approach, gap[s], impact_speed, dt)
        e = where(hit, restitution[s], 0.0)
        approach = approach + where(e > 0.0, 0.0, maximum(gap[s], 0.0) / dt)
        free = [where(is_near, rate, 0.0) for rate in (approach, *slip)]
        push = where(is_near, push_out(gap[s], dt), 0.0)
        rows.append(ContactRows(is_near, y, (free[0], free[1], free[2]), ease, push, mu[s], e))
    return rows


def restitution_of(x: Candidate, impact_speed: Scalar, dt: Scalar) -> Scalar:
    """The restitution of a candidate; zero unless it is hit in the step."""
    hit = x.is_near & is_hit(x.normal.dot(x.velocity), x.gap, impact_speed, dt)
    return where(hit, x.pair.law.restitution, 0.0)


def push_out(gap: Scalar, dt: Scalar) -> Scalar:
    """The velocity at which an overlap is taken out."""
    return maximum(-LEFT_ALONE - gap, 0.0) * PUSH / dt


def is_hit(approach: Scalar, gap: Scalar, impact_speed: Scalar, dt: Scalar) -> Scalar:
    """Whether a gap closes within the step, faster than what rests on something does."""
    return (approach < -impact_speed) & (gap + dt * approach < 0.0)


def _vectors(values: Sequence[Vec3], slots: Slots) -> list[Vec3]:
    """Vectors of the candidates in the slots."""
    parts = [by_slot([v[k] for v in values], slots) for k in range(3)]
    return [Vec3(*x) for x in zip(*parts, strict=True)]


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
    columns: dict[int, Motion],
    axes: Sequence[Vec3],
    at: Vec3,
    inertia: StepInertia,
    is_near: Scalar,
) -> tuple[tuple[Row, Row, Row], tuple[Scalar, Scalar]]:
    """``y`` of each axis, and the ease of normal and tangents, where a point is near."""

    def made(*_):
        rows = []
        for axis in axes:
            wrench = Force(at.cross(axis), axis)
            rows.append(inertia.row_of_axes({k: wrench.dot(s) for k, s in columns.items()}))
        return tuple(rows), _ease(rows)

    seen = dict.fromkeys(inertia.row_of_axes(dict.fromkeys(columns, 0.0)), 0.0)
    return when(is_near, made, (seen,) * len(axes), (1.0, 1.0))


def _ease(rows: Sequence[Row]) -> tuple[Scalar, Scalar]:
    """Impulses that stop a unit velocity: of the normal, and the least of both tangents."""
    normal, s, t = rows
    g, h, c = along(s, s), along(t, t), along(s, t)
    greatest = 0.5 * (g + h + sqrt((g - h) * (g - h) + 4.0 * c * c))
    return reciprocal(along(normal, normal) + TINY), reciprocal(greatest + TINY)
