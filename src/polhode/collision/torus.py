"""A torus against anything: its middle circle as a row of balls in the other's distance.

Exact where the circle lies outside the other shape; inside, the depth of the circle's
deepest place stands for the depth of the torus.  Over a height map all ground in reach of the tube
is looked at, from places that are half a cell apart.
"""

from __future__ import annotations

import math

from ..compiler.jit import Floats2, jit
from ..spatial import Vec3
from . import shape_layout as at
from .contact_list import ROOM, add_contact
from .ground import cell_size, ground_in_reach
from .placed import Placed
from .signed_distance import signed_distance

STARTS = 32  # where minima along the circle are sought, a multiple of RING
MOST_STARTS = 256  # over ground of small cells
MOST_TRIED = 60  # angles for one minimum
SAME_ANGLE = 2e-15  # two angles of a minimum this near are one
LEAST = 1e-300  # slope of an end
LEVEL = 0.1  # slope along the circle up to which a place between minima counts
FLAT = 1e-9  # of the size: a circle as level as this touches all around


@jit
def _on_circle(shape: Placed, angle: float):
    """A point of the middle circle and the direction along it, in the world."""
    c, s = math.cos(angle), math.sin(angle)
    a = shape.number(1)
    return shape.R @ Vec3(a * c, a * s, 0.0) + shape.p, shape.R @ Vec3(-s, c, 0.0)


@jit
def _sense(torus: Placed, other: Placed, angle: float, reach: float):
    """At a place of the circle: (distance, direction away, slope of the distance along it).

    Of a height map the distance is the least where that is below ``reach``.
    """
    x, t = _on_circle(torus, angle)
    if other.kind == at.HEIGHTMAP:
        d, n = ground_in_reach(other.data, other.at, other.to_local(x), reach)
    else:
        d, n = signed_distance(other.data, other.at, other.to_local(x))
    n = other.R @ n
    return d, n, n.dot(t)


@jit
def _put_ball(
    torus: Placed,
    other: Placed,
    angle: float,
    name: float,
    steep: float,
    margin: float,
    found: Floats2,
):
    """A contact of the tube at ``angle``, if its distance is no steeper there than allowed."""
    d, n, slope = _sense(torus, other, angle, margin + torus.number(2))
    gap = d - torus.number(2)
    if gap >= margin or abs(slope) > steep:
        return
    x, _ = _on_circle(torus, angle)
    point = x + -0.5 * (d + torus.number(2)) * n
    add_contact(found, name, point, n, gap)


@jit
def _root(
    torus: Placed,
    other: Placed,
    low: float,
    falling: float,
    high: float,
    rising: float,
    reach: float,
):
    """Where the distance stops falling between two angles, whose slopes are given.

    Chandrupatla's method (Advances in Engineering Software 28, 1997): a parabola through the
    last three slopes, where it can be trusted, else the middle.
    """
    a, fa, b, fb = high, max(rising, LEAST), low, min(falling, -LEAST)
    share = 0.5
    for _ in range(MOST_TRIED):
        x = a + share * (b - a)
        fx = _sense(torus, other, x, reach)[2]
        c, fc = b, fb
        if (fx < 0.0) == (fa < 0.0):
            c, fc = a, fa
        else:
            b, fb = a, fa
        a, fa = x, fx
        least = SAME_ANGLE / abs(b - a)
        if fa == 0.0 or least > 0.5:
            break
        along, up = (a - b) / (c - b), (fa - fb) / (fc - fb)
        share = 0.5
        if up * up < along and (1.0 - up) * (1.0 - up) < 1.0 - along:
            to_b, to_c = fa / (fb - fa), fa / (fc - fa)
            share = to_b * fc / (fb - fc) + (c - a) / (b - a) * to_c * fb / (fc - fb)
        share = min(max(share, least), 1.0 - least)
    return a


@jit
def _far_apart(torus: Placed, other: Placed, margin: float):
    """Whether a few distances rule contacts out: from place to place they change no faster than it.

    Over a height map the distance found is not always the least.
    """
    if int(other.number(at.KIND)) == at.HEIGHTMAP:
        return False
    half = math.pi / at.RING
    reach = margin + torus.number(2) + half * torus.number(1)
    nearest = math.inf
    for k in range(at.RING):
        nearest = min(nearest, _sense(torus, other, 2.0 * half * k, reach)[0])
    return nearest >= reach


@jit
def _count_starts(torus: Placed, other: Placed):
    """How many places along the circle: half a cell apart at most, where that is possible."""
    count = STARTS
    if other.kind == at.HEIGHTMAP:
        _, _, dx, dy = cell_size(other.data, other.at)
        while count < MOST_STARTS and 2.0 * math.pi * torus.number(1) > 0.5 * count * min(dx, dy):
            count *= 2
    return count


@jit
def torus_contacts(
    torus: Placed,
    other: Placed,
    margin: float,
    found: Floats2,
):
    """Contacts of a torus with any shape, normal from the shape to the torus."""
    if _far_apart(torus, other, margin):
        return
    least, most, lowest = math.inf, -math.inf, 0.0
    starts = _count_starts(torus, other)
    step = 2.0 * math.pi / starts
    reach = margin + torus.number(2) + 0.5 * step * torus.number(1)
    sought = 0
    before = _sense(torus, other, -step, reach)
    here = _sense(torus, other, 0.0, reach)
    for k in range(starts):
        after = _sense(torus, other, (k + 1) * step, reach)
        most = max(most, here[0])
        if here[0] < least:
            least, lowest = here[0], k * step
        if here[0] <= before[0] and here[0] < after[0] and here[0] < reach:
            low, high = (k - 1) * step, (k + 1) * step
            angle = _root(torus, other, low, before[2], high, after[2], reach)
            d = _sense(torus, other, angle, reach)[0]
            if d < least:
                least, lowest = d, angle
            _put_ball(torus, other, angle, float(at.RING + k), 2.0, margin, found)
            sought += 1
        before, here = here, after
    if most - least < FLAT * torus.number(at.REACH):
        found[ROOM, 0], lowest, sought = 0.0, 0.0, 0
    for k in range(min(sought, 1), at.RING):
        angle = lowest + 2.0 * math.pi * k / at.RING
        steep = LEVEL if k > 0 else 2.0
        _put_ball(torus, other, angle, float(k), steep, margin, found)
