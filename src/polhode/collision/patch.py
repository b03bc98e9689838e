"""The contact patch of two convex shapes: their support features, clipped against each other.

Both features are projected along the contact normal; each corner of their intersection is a
contact with a gap of its own.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiler.jit import Floats, Floats2, jit
from ..spatial import Vec3
from . import shape_layout as at
from .contact_list import add_contact, is_new
from .placed import Placed
from .support_features import MOST, face_towards, feature
from .vectors import tangents

# Rows of `work` beside those of gjk's result.
A, B = 0, MOST
FIRST, SECOND, THIRD = 2 * MOST, 4 * MOST + 16, 6 * MOST + 32
EDGE = 1 << 20
CUT = 1 << 22
ROOM = 2 * MOST + 8  # rows for the ends of a side and of all edges of a face
BESIDE = 1e-6  # of the size: features that miss each other by less have all of their ends
FLAT = 0.99875  # cosine of the angle between a face and a normal that is nearly the face's
STEEP = 0.1  # sine of the angle between two faces with an edge between them
NEARLY = 0.05  # sine of the angle between lines that are nearly parallel


@jit
def flatten(poly: Floats2, count: int, centre: Vec3, u: Vec3, v: Vec3, n: Vec3):
    """Rows become u, v, height along n, number."""
    for k in range(count):
        x = Vec3(poly[k, 0], poly[k, 1], poly[k, 2]) - centre
        poly[k, 0], poly[k, 1], poly[k, 2] = x.dot(u), x.dot(v), x.dot(n)


@jit
def _area(poly: Floats2, count: int):
    """Twice the area, signed."""
    total = 0.0
    for k in range(count):
        j = (k + 1) % count
        total += poly[k, 0] * poly[j, 1] - poly[j, 0] * poly[k, 1]
    return total


@jit
def _cut(subject: Floats2, count: int, result: Floats2, start: Floats, end: Floats, slack: float):
    """Clip the subject to the left of an edge; rows u, v, height, edge, name."""
    ax, ay, edge = start[0], start[1], start[3]
    length = math.hypot(end[0] - ax, end[1] - ay)
    ex, ey = (end[0] - ax) / length, (end[1] - ay) / length
    kept = 0
    for i in range(count):
        j = (i + 1) % count
        here = ex * (subject[i, 1] - ay) - ey * (subject[i, 0] - ax)
        there = ex * (subject[j, 1] - ay) - ey * (subject[j, 0] - ax)
        if here >= -slack:
            for k in range(5):
                result[kept, k] = subject[i, k]
            kept += 1
        if (here >= -slack) != (there >= -slack):
            t = min(max(here / (here - there), 0.0), 1.0)  # both may be within the slack
            for k in range(3):
                result[kept, k] = subject[i, k] + t * (subject[j, k] - subject[i, k])
            result[kept, 3] = EDGE + edge if here >= -slack else subject[i, 3]
            result[kept, 4] = (1 + edge) * CUT + subject[i, 3]
            kept += 1
    return kept


@jit
def _is_inside(subject: Floats2, count: int, start: Floats, end: Floats, slack: float):
    """Whether all of the subject is left of an edge: `_cut` would only copy it."""
    ax, ay = start[0], start[1]
    length = math.hypot(end[0] - ax, end[1] - ay)
    ex, ey = (end[0] - ax) / length, (end[1] - ay) / length
    least = math.inf
    for i in range(count):
        least = min(least, ex * (subject[i, 1] - ay) - ey * (subject[i, 0] - ax))
    return least >= -slack


@jit
def slope(poly: Floats2, count: int):
    """Height of a polygon's plane at its first corner's place, and its slopes."""
    i, j = count // 3, 2 * count // 3
    ux, uy, uz = poly[i, 0] - poly[0, 0], poly[i, 1] - poly[0, 1], poly[i, 2] - poly[0, 2]
    vx, vy, vz = poly[j, 0] - poly[0, 0], poly[j, 1] - poly[0, 1], poly[j, 2] - poly[0, 2]
    det = ux * vy - uy * vx
    return (uz * vy - uy * vz) / det, (ux * vz - uz * vx) / det


@jit
def _roundness(data: Floats, o: int, line: Floats2, t: float):
    """Of a side at ``t`` along its line: (radius, how far it falls back for one of that).

    The edge of a face has none.
    """
    kind = int(data[o])
    if kind == at.BOX or kind == at.POLYHEDRON:
        return 0.0, 0.0
    if kind == at.CAPSULE:
        return data[o + at.ROUND], 1.0
    slant = 2.0 * data[o + 2] / math.hypot(line[1, 0] - line[0, 0], line[1, 1] - line[0, 1])
    return data[o + 1] * (1.0 if kind == at.CYLINDER else t), slant


@jit
def _fallen(radius: float, slant: float, across: float):
    """The distance of a round side behind its line; infinite where it turns away."""
    if across > 0.5 * radius:
        return math.inf
    return slant * (radius - math.sqrt(radius * radius - across * across))


class Rounded(NamedTuple):
    """A side of a shape: the numbers of all shapes, where its own begin, ends of its line."""

    data: np.ndarray
    at: int
    ends: np.ndarray


@jit
def _beside(a: Rounded, b: Rounded, k: int, t: float, away: float):
    """Between end ``k`` of a line and place ``t`` of another: u, v, height of the one, the other.

    Where lines cross at a small angle, the round sides are nearest between them; ``away``, 1 or
    -1, is where the first falls back to.
    """
    one, two = a.ends, b.ends
    u = two[0, 0] + t * (two[1, 0] - two[0, 0]) - one[k, 0]
    v = two[0, 1] + t * (two[1, 1] - two[0, 1]) - one[k, 1]
    height = two[0, 2] + t * (two[1, 2] - two[0, 2])
    radius, slant = _roundness(a.data, a.at, one, float(k))
    other_radius, other_slant = _roundness(b.data, b.at, two, t)
    share = radius / (radius + other_radius) if radius + other_radius > 0.0 else 0.5
    across = math.hypot(u, v)
    here = _fallen(radius, slant, share * across)
    there = _fallen(other_radius, other_slant, (1.0 - share) * across)
    return (
        one[k, 0] + share * u, one[k, 1] + share * v, one[k, 2] + away * here, height - away * there
    )  # fmt: skip


@jit
def _segments(a: Rounded, b: Rounded, above: bool, rows: Floats2):
    """Ends of two nearly parallel lines beside each other: rows u, v, heights, name; how many.

    ``above``: the first is of shape a.
    """
    count = 0
    for which in range(2):
        one, two = (a, b) if which == 0 else (b, a)
        ends, others = one.ends, two.ends
        dx, dy = others[1, 0] - others[0, 0], others[1, 1] - others[0, 1]
        ex, ey = ends[1, 0] - ends[0, 0], ends[1, 1] - ends[0, 1]
        square = dx * dx + dy * dy
        if abs(dx * ey - dy * ex) > NEARLY * math.sqrt(square * (ex * ex + ey * ey)):
            return 0
        is_a = above == (which == 0)
        for k in range(2):
            t = ((ends[k, 0] - others[0, 0]) * dx + (ends[k, 1] - others[0, 1]) * dy) / square
            if t >= -1e-9 and t <= 1.0 + 1e-9:
                u, v, here, there = _beside(one, two, k, t, 1.0 if is_a else -1.0)
                row = rows[count]
                row[0], row[1] = u, v
                row[2], row[3] = (here, there) if is_a else (there, here)
                row[4] = ends[k, 3] + which * EDGE
                count += 1
    return count


@jit
def _beyond(line: Rounded, start: Floats, end: Floats, turn: float, k: int):
    """How far end ``k`` of a line is beyond an edge of a face, walked with it to the left."""
    x, y = end[0] - start[0], end[1] - start[1]
    u, v = line.ends[k, 0] - start[0], line.ends[k, 1] - start[1]
    return turn * (y * u - x * v) / math.hypot(x, y)


@jit
def _along_edges(
    line: Rounded, face: Rounded, count: int, above: bool, rows: Floats2, slack: float
):
    """Where a round side is nearer to edges of a face than to the face: rows as of `_segments`.

    Their number; minus that where the side lies along an edge, and so nowhere else.  A cap has no
    edges: its corners stand for a circle.
    """
    kind = int(face.data[face.at])
    if kind != at.BOX and kind != at.POLYHEDRON:
        return 0
    corners, edge = face.ends, rows[ROOM : ROOM + 2]
    turn = 1.0 if _area(corners, count) > 0.0 else -1.0
    su, sv = slope(corners, count)
    found = 0
    for k in range(count):
        start, end = corners[k], corners[(k + 1) % count]
        x, y = end[0] - start[0], end[1] - start[1]
        steep = abs(y * su - x * sv) / math.hypot(x, y)
        is_flush, is_nearer = True, False
        for i in range(2):
            radius, _ = _roundness(line.data, line.at, line.ends, float(i))
            out = _beyond(line, start, end, turn, i)
            is_flush = is_flush and out * out <= 2.0 * radius * slack
            is_nearer = is_nearer or out > slack or out > -2.0 * radius * steep
        if not (is_flush or is_nearer):
            continue
        for i in range(4):
            edge[0, i], edge[1, i] = start[i], end[i]
        if is_flush:
            found = 0
        found += _segments(line, Rounded(face.data, face.at, edge), above, rows[found:])
        if is_flush and found > 0:
            return -found
    return found


@jit
def _facing(data: Floats, oa: int, ob: int, na: int, nb: int, work: Floats2, slack: float):
    """Rows u, v, height of a, height of b, name: (first row, count)."""
    a, b = Rounded(data, oa, work[A : A + MOST]), Rounded(data, ob, work[B : B + MOST])
    if na == 2 and nb == 2:
        return FIRST, _segments(a, b, True, work[FIRST:])
    if na < 3 and nb < 3:
        return FIRST, 0
    beside = 0
    if na == 2:
        beside = _along_edges(a, b, nb, True, work[THIRD:], slack)
    elif nb == 2:
        beside = _along_edges(b, a, na, False, work[THIRD:], slack)
    if beside < 0:
        return THIRD, -beside
    row, count = clipped(a.ends, na, b.ends, nb, work, slack)
    for k in range(beside):
        for i in range(5):
            work[row + count + k, i] = work[THIRD + k, i]
    return row, count + beside


@jit
def clipped(a: Floats2, na: int, b: Floats2, nb: int, work: Floats2, slack: float):
    """What two features have in common, one of them a face: as `_facing`."""
    clip_b = nb >= 3
    clip, n_clip = (b, nb) if clip_b else (a, na)
    subject, n_subject = (a, na) if clip_b else (b, nb)
    row, other, count = FIRST, SECOND, n_subject
    for k in range(n_subject):
        for i in range(3):
            work[row + k, i] = subject[k, i]
        work[row + k, 3] = 0.0 if n_subject == 2 else subject[k, 3]
        work[row + k, 4] = subject[k, 3]
    turn = 1 if _area(clip, n_clip) > 0.0 else n_clip - 1  # walk round it to the left
    for k in range(n_clip):
        start, end = clip[turn * k % n_clip], clip[(turn * k + turn) % n_clip]
        if not _is_inside(work[row:], count, start, end, slack):
            count = _cut(work[row:], count, work[other:], start, end, slack)
            row, other = other, row
    su, sv = slope(clip, n_clip)
    for k in range(row, row + count):
        height = clip[0, 2] + su * (work[k, 0] - clip[0, 0]) + sv * (work[k, 1] - clip[0, 1])
        if clip_b:
            work[k, 3] = height
        else:
            work[k, 3], work[k, 2] = work[k, 2], height
    return row, count


class Facing(NamedTuple):
    """How two shapes face each other.

    Attributes
    ----------
    n, u, v : Vec3
        Contact normal from b to a, and two directions across it.
    down, up : Vec3
        Directions in which the faces of a and of b look.
    deepest : float
        Separation of the shapes along ``n`` [m]: points of both are nowhere nearer.
    margin : float
        Contacts nearer than this are found [m].
    """

    n: Vec3
    u: Vec3
    v: Vec3
    down: Vec3
    up: Vec3
    deepest: float
    margin: float


@jit
def patch(
    a: Placed,
    b: Placed,
    n: Vec3,
    deepest: float,
    margin: float,
    work: Floats2,
    found: Floats2,
):
    """Contacts of two convex shapes whose normal from b to a is ``n``; the least gap.

    Points of both are nowhere nearer along the normal than ``deepest``, the separation of the
    shapes.  Only the slack beyond the edges of steep features would say so.
    """
    u, v = tangents(n)
    down, up = -n, n
    least = _of_faces(a, b, Facing(n, u, v, down, up, deepest, margin), work, found)
    if not (_has_edges(a) and _has_edges(b)):
        return least
    face_a, face_b = face_towards(a, down), face_towards(b, up)
    if max(down.dot(face_a), up.dot(face_b)) > FLAT:
        return least
    # Where two edges meet that are nearly parallel, the faces on all their sides are beside each
    # other: which of them are is decided by angles of any size.
    other_down, other_up = _beyond_edge(a, down, face_a), _beyond_edge(b, up, face_b)
    ea, eb = face_a.cross(other_down), face_b.cross(other_up)
    across = ea.cross(eb)
    if min(ea.dot(ea), eb.dot(eb)) < STEEP * STEEP or (
        across.dot(across) > NEARLY * NEARLY * ea.dot(ea) * eb.dot(eb)
    ):
        return least
    for k in range(1, 4):
        one = other_down if k & 1 else down
        two = other_up if k & 2 else up
        gap = _of_faces(a, b, Facing(n, u, v, one, two, deepest, margin), work, found)
        least = min(least, gap)
    return least


@jit
def _has_edges(shape: Placed):
    kind = shape.kind
    return kind == at.BOX or kind == at.POLYHEDRON


@jit
def _beyond_edge(shape: Placed, d: Vec3, face: Vec3):
    """The normal of the nearest face on the other side of ``d`` than that of the nearest face."""
    return face_towards(shape, 2.0 * d.dot(face) * d - face)


@jit
def _of_faces(a: Placed, b: Placed, facing: Facing, work: Floats2, found: Floats2):
    """Contacts of the features of two shapes that face each other; the least gap."""
    n, u, v = facing.n, facing.u, facing.v
    na = feature(a, facing.down, work[A:])
    nb = feature(b, facing.up, work[B:])
    flatten(work[A:], na, b.p, u, v, n)
    flatten(work[B:], nb, b.p, u, v, n)
    size = a.number(at.REACH) + b.number(at.REACH)
    row, rows = _facing(a.data, a.at, b.at, na, nb, work, 1e-9 * size)
    least = _put(a, b, facing, row, rows, work, found)
    is_thin = rows > 0 and abs(_area(work[row:], rows)) < BESIDE * size * size
    if is_thin and _has_edges(a) and _has_edges(b):
        # Edges along each other: which parts of them lie over each other is decided by rounding.
        row, rows = _facing(a.data, a.at, b.at, na, nb, work, BESIDE * size)
        _put(a, b, facing, row, rows, work, found)
    return least


@jit
def _put(a: Placed, b: Placed, facing: Facing, row: int, rows: int, work: Floats2, found: Floats2):
    """Contacts of the rows that `_facing` found; the least gap."""
    n, u, v = facing.n, facing.u, facing.v
    size = a.number(at.REACH) + b.number(at.REACH)
    least = math.inf
    ra, rb = a.number(at.ROUND), b.number(at.ROUND)
    for k in range(row, row + rows):
        low, high = work[k, 3] + rb, work[k, 2] - ra
        gap = max(high - low, facing.deepest)
        least = min(least, gap)
        if gap < facing.margin:
            x = b.p + work[k, 0] * u + work[k, 1] * v
            x = x + 0.5 * (low + high) * n
            if is_new(found, x, 10.0 * size):
                add_contact(found, work[k, 4], x, n, gap)
    return least
