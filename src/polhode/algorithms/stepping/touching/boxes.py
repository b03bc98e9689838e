"""Two boxes: the separating axis, and the corners of the faces' overlap along it.

The axes are the normals of 3 + 3 faces and of 9 pairs of edges.  The face of the first box that is
nearest to the axis is moved along it onto that of the second; there, both are parallelograms.  The
corners of their intersection are the contacts, each with the distance of the faces along the axis.
All is in the second box's coordinates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ....scalar import Scalar, absolute, logical_not, minimum, sqrt, where
from ....spatial import Mat3, Transform, Vec3
from .faces import Face, Flat, Order
from .separation import Axis, greatest_separation, normal_of_edges
from .shapes import FAR, Point, Shape, away_from_zero, vector
from .spheres import clamped

ROUNDING = 1e-9
"""Of the size: faces go before edges that are not better by more."""

BESIDE = 1e3
"""Of the rounding: edges along a face that miss it by less lie on its border."""

Triple = Sequence[Scalar]


class _Boxes(NamedTuple):
    """Half edges of both boxes; centre and rows of axes of the first."""

    half_a: Triple
    half_b: Triple
    centre: Vec3
    axes: Mat3
    slack: Scalar


class _Faces(NamedTuple):
    """The facing parallelograms: the first is ``middle + s p + t q``, ``s`` and ``t`` from -1 to 1.

    Both are in the plane of the second, which is a face of the second box.
    """

    middle: Flat
    p: Flat
    q: Flat
    second: Face


class _Found(NamedTuple):
    """A corner of the intersection, and whether there is one."""

    at: Flat
    exists: Scalar


def box_box(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> list[Point]:
    """The corners of the overlap, at most eight.

    Where none is as near as the boxes are along the axis, the first is the nearest corner.
    """
    to_b = X_b.E
    axes = Mat3(to_b @ X_a.E.x, to_b @ X_a.E.y, to_b @ X_a.E.z)
    size = sqrt(sum(h * h for h in a.size)) + sqrt(sum(h * h for h in b.size))
    boxes = _Boxes(a.size, b.size, to_b @ (X_a.r - X_b.r), axes, ROUNDING * size)
    separation, n = greatest_separation(_axes(boxes), boxes.slack)
    faces = _facing(boxes, n)
    found = _merged(_clipped(faces), _enclosed(faces))
    found[0] = _with_nearest(found, faces, separation, boxes.slack)

    face = faces.second
    u, v, out = face.order.turned(tuple(to_b))
    middle, normal = X_b.r + out * (face.order.sign * face.half[2]), to_b.T @ n
    points = []
    for at, exists in found:
        # An edge beside a face and along it crosses its border at 1e15 m.  So far away a point
        # would be so fast that it counts as near, although it does not exist.
        x, y, gap = (where(exists, each, 0.0) for each in at)
        place = middle + u * x + v * y + normal * (0.5 * gap)
        points.append(Point(place, normal, where(exists, at.gap, FAR)))
    return points


def _axes(boxes: _Boxes) -> Iterator[Axis]:
    """Normals of faces, then of pairs of edges."""
    a, b, d, R, _ = boxes
    size = [Vec3(*map(absolute, row)) for row in R]
    wide_a, wide_b = Mat3(*size).T @ Vec3(*a), Mat3(*size) @ Vec3(*b)
    for i, row in enumerate(R):
        yield Axis(row, row.dot(d), a[i] + wide_b[i])
    for j in range(3):
        yield Axis(vector((j, 1.0)), d[j], b[j] + wide_a[j])
    for i, row in enumerate(R):
        k, l = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            m, o = (j + 1) % 3, (j + 2) % 3
            direction, length = normal_of_edges(row, j)
            reach_a = a[k] * size[l][j] + a[l] * size[k][j]
            reach_b = b[m] * size[i][o] + b[o] * size[i][m]
            yield Axis(direction, direction.dot(d), reach_a + reach_b, length)


def _facing(boxes: _Boxes, n: Vec3) -> _Faces:
    """The faces nearest to the axis."""
    face, order = Face.of(boxes.half_b, n, BESIDE * boxes.slack), Order.of(boxes.axes @ n)
    p, q, out = order.turned(tuple(boxes.axes))
    half_p, half_q, half = order.turned(boxes.half_a)
    middle = face.place(boxes.centre - out * (order.sign * half))
    return _Faces(middle, face.direction(p * half_p), face.direction(q * half_q), face)


def _clipped(faces: _Faces) -> list[_Found]:
    """Where each edge of the first parallelogram enters the second, or begins; where it leaves."""
    middle, p, q, _ = faces
    starts = [middle.plus(p, s).plus(q, t) for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    parts = []
    for k, (start, way) in enumerate(zip(starts, (p, q, p, q), strict=True)):
        edge = Flat(*(x * (2.0 if k < 2 else -2.0) for x in way))
        parts.append((start, edge, *faces.second.part(start, edge, 0.0, 1.0)))
    found = []
    for k, (start, edge, low, high) in enumerate(parts):
        _, _, after, end = parts[(k + 1) % 4]
        # The end of an edge is the begin of the next one, unless rounding leaves that outside.
        is_next = (after <= end) & (after < ROUNDING)
        is_there = low <= high
        found.append(_Found(start.plus(edge, low), is_there & (low < 1.0 - ROUNDING)))
        is_last = (high < 1.0 - ROUNDING) | logical_not(is_next)
        found.append(_Found(start.plus(edge, high), is_there & is_last))
    return found


def _enclosed(faces: _Faces) -> list[_Found]:
    """Corners of the second parallelogram inside the first."""
    middle, p, q, second = faces
    wide, high, _ = second.half
    inverse = 1.0 / away_from_zero(p.u * q.v - p.v * q.u)
    found = []
    for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        x, y = wide * u - middle.u, high * v - middle.v
        s, t = (x * q.v - y * q.u) * inverse, (y * p.u - x * p.v) * inverse
        exists = (absolute(s) < 1.0 - ROUNDING) & (absolute(t) < 1.0 - ROUNDING)
        gap = middle.gap + s * p.gap + t * q.gap
        found.append(_Found(Flat(wide * u, high * v, gap), exists))
    return found


def _merged(places: list[_Found], others: list[_Found]) -> list[_Found]:
    """Eight places, those that are none taken by the others in turn."""
    number, order = 0.0, []
    for _, exists in others:
        number = number + where(exists, 1.0, 0.0)
        order.append(where(exists, number, -1.0))
    free, found = 0.0, []
    for at, exists in places:
        free = free + where(exists, 0.0, 1.0)
        for other, turn in zip(others, order, strict=True):
            is_taken = where(exists, 0.0, free) == turn
            at = other.at.chosen(is_taken, at)
            exists = exists | is_taken
        found.append(_Found(at, exists))
    return found


def _with_nearest(found: list[_Found], faces: _Faces, separation: Scalar, slack: Scalar) -> _Found:
    """The first place, or the nearest corner of the first box if no place is as near."""
    least = FAR
    for at, exists in found:
        least = minimum(least, where(exists, at.gap, FAR))
    middle, p, q, face = faces
    corner = middle.plus(p, where(p.gap < 0.0, 1.0, -1.0)).plus(q, where(q.gap < 0.0, 1.0, -1.0))
    u, v = (clamped(x, h) for x, h in zip(corner[:2], face.half[:2], strict=True))
    is_nearer = separation < least - slack
    at, exists = found[0]
    return _Found(Flat(u, v, separation).chosen(is_nearer, at), exists | is_nearer)
