"""Contacts of two convex shapes: the direction, then the patch."""

from __future__ import annotations

import math

from ..compiler.jit import Floats, Floats2, jit
from ..spatial import Vec3
from . import shape_layout as at
from .boxes import box_axis
from .contact_list import ROOM, WITNESS, add_contact, is_new
from .epa import EXACT, deepest, refined
from .gjk import RESULT, gjk
from .patch import BESIDE, patch
from .placed import Placed
from .support import separation
from .support_features import common, snapped
from .vectors import unit

TOUCH = 1e-8  # relative to the size: nearer cores have no reliable normal by their distance

AS_GOOD = 1e-9  # of the size: how much less of a separation faces and axes may have


@jit
def box_contacts(
    a: Placed,
    b: Placed,
    margin: float,
    work: Floats2,
    found: Floats2,
):
    """Contacts of two boxes: by their axes, and by search where corners or edges are apart."""
    slack = 1e-9 * (a.number(at.REACH) + b.number(at.REACH))
    s, n = box_axis(a, b, margin)
    if s > margin:
        return
    row = work[RESULT]
    for i in range(3):
        row[i] = row[3 + i] = 0.5 * (a.p[i] + b.p[i])
    for attempt in range(2):
        least = patch(a, b, n, s, margin, work, found)
        if attempt == 1 or s < 0.0 or least <= s + slack:
            break
        found[ROOM, 0] = 0.0
        s = gjk(a, b, margin, 0.0, work)
        if s > margin:
            return
        if s > 0.0:
            n = Vec3(row[6], row[7], row[8])
    if found[ROOM, 0] == 0.0 or (s > 0.0 and least > s + slack):
        low, high = Vec3(row[3], row[4], row[5]), Vec3(row[0], row[1], row[2])
        add_contact(found, WITNESS, 0.5 * (low + high), n, s)


@jit
def convex_contacts(
    a: Placed,
    b: Placed,
    margin: float,
    work: Floats2,
    found: Floats2,
):
    """Contacts of two convex shapes that are not both boxes."""
    if a.kind == at.CAPSULE and b.kind == at.CAPSULE:
        _capsules(a, b, margin, found)
        return
    size = a.number(at.REACH) + b.number(at.REACH)
    gap, n = _direction(a, b, margin, size, work)
    if gap >= margin:
        return
    least = patch(a, b, n, gap, margin, work, found)
    if least > gap + 1e-9 * size:
        row = work[RESULT]
        low = Vec3(row[3], row[4], row[5]) + (b.number(at.ROUND) + 0.5 * gap) * n
        high = Vec3(row[0], row[1], row[2]) + (-a.number(at.ROUND) - 0.5 * gap) * n
        add_contact(found, WITNESS, 0.5 * (low + high), n, gap)


@jit
def _direction(
    a: Placed,
    b: Placed,
    margin: float,
    size: float,
    work: Floats2,
):
    """(gap, unit normal from b to a) by search; the row `RESULT` gets the nearest points."""
    rounds = a.number(at.ROUND) + b.number(at.ROUND)
    s = gjk(a, b, margin + rounds, TOUCH * size, work)
    n = Vec3(work[RESULT, 6], work[RESULT, 7], work[RESULT, 8])
    if s > margin + rounds:
        return s, n
    if s < 0.0:
        s, n = deepest(a, b, size, work)
    elif separation(a, b, n) < s - EXACT * size:
        s, n = refined(a, b, n, size, work)
    s, n = _snap(a, b, n, AS_GOOD * size, work)
    return s - rounds, n


@jit
def _snap(
    a: Placed,
    b: Placed,
    n: Vec3,
    slack: float,
    work: Floats2,
):
    """(separation, n), n replaced by a direction that a face or an axis gives if as good.

    The last of those that differ by rounding is taken.  The row `RESULT` has the nearest points.
    """
    best = separation(a, b, n)
    chosen = n
    least = best - slack
    first_a, n_a = _axes(a.data, a.at)
    first_b, n_b = _axes(b.data, b.at)
    count = 2 + n_a * n_b
    row = work[RESULT]
    for k in range(count + 3):
        if k == 0:
            c = snapped(a.data, a.at, a.R, n)
        elif k == 1:
            c = snapped(b.data, b.at, b.R, n)
        elif k < count:
            c = common(a.R, b.R, first_a + (k - 2) // n_b, first_b + (k - 2) % n_b, n)
        elif k == count:
            c = _to_axis(Vec3(row[3], row[4], row[5]), a)
        elif k == count + 1:
            c = -_to_axis(Vec3(row[0], row[1], row[2]), b)
        else:
            # Round sides beside each other: across the axis, from centre to centre.
            c = _to_axis(b.p, a)
        if c.dot(n) > 0.9999:
            s = separation(a, b, c)
            if s >= least:
                least, best, chosen = s - 1e-6 * slack, s, c
    return best, chosen


@jit
def _to_axis(x: Vec3, shape: Placed):
    """The direction from a point straight to the axis of a round shape."""
    axis = shape.R.T.z
    d = shape.p - x
    return unit(d - d.dot(axis) * axis)


@jit
def _axes(data: Floats, o: int):
    """(first, count) of the axes along which a shape has straight edges or sides."""
    kind = int(data[o])
    if kind == at.BOX:
        return 0, 3
    if kind == at.CYLINDER or kind == at.CAPSULE:
        return 2, 1
    return 0, 0


@jit
def _to_segment(x: Vec3, p: Vec3, axis: Vec3, half: float):
    """The place of the point of a segment nearest to ``x``, along its axis."""
    return min(max((x - p).dot(axis), -half), half)


@jit
def _capsules(
    a: Placed,
    b: Placed,
    margin: float,
    found: Floats2,
):
    """The ends of either that lie beside the other, and the nearest points if no end is as near."""
    axis_a, axis_b = a.R.T.z, b.R.T.z
    ca, cb = a.p, b.p
    ha, hb = a.number(2), b.number(2)
    rounds = a.number(1) + b.number(1)
    slack = BESIDE * (rounds + ha + hb)
    d = cb - ca
    slope = axis_a.dot(axis_b)
    det = 1.0 - slope * slope
    s = 0.0
    if det > 1e-12:
        s = min(max((d.dot(axis_a) - slope * d.dot(axis_b)) / det, -ha), ha)
    t = _to_segment(ca + s * axis_a, cb, axis_b, hb)
    s = _to_segment(cb + t * axis_b, ca, axis_a, ha)
    least = math.inf
    for k in range(5):
        sa, sb, is_beside = s, t, True
        if k in (0, 1):
            sa = ha if k == 0 else -ha
            along = (ca + sa * axis_a - cb).dot(axis_b)
            is_beside, sb = abs(along) <= hb + slack, min(max(along, -hb), hb)
        elif k in (2, 3):
            sb = hb if k == 2 else -hb
            along = (cb + sb * axis_b - ca).dot(axis_a)
            is_beside, sa = abs(along) <= ha + slack, min(max(along, -ha), ha)
        x, y = ca + sa * axis_a, cb + sb * axis_b
        v = x - y
        length = math.sqrt(v.dot(v))
        n = _across(axis_a, axis_b)
        if length > 1e-12 * (rounds + ha + hb):
            n = 1.0 / length * v
        gap = length - rounds
        if not is_beside or (k == 4 and gap >= least - 1e-9 * rounds):
            continue
        least = min(least, gap)
        point = y + (b.number(1) + 0.5 * gap) * n
        if gap < margin and is_new(found, point, rounds):
            add_contact(found, float(k), point, n, gap)


@jit
def _across(a: Vec3, b: Vec3):
    """A direction square to two axes."""
    n = a.cross(b)
    if n.dot(n) > 1e-12:
        return unit(n)
    return unit(a.cross(Vec3(1.0, 0.0, 0.0) if abs(a.x) < 0.7 else Vec3(0.0, 1.0, 0.0)))
