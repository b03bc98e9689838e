"""What derivatives of steps are made of: balances, rows and points of worlds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiler.jit import Floats, Floats2, Ints, jit
from ...spatial import Vec3
from .refining import tangents, vector

# columns of StepParts.rows after those of J
RATE, LOWER, UPPER, NEAR, PUSH_OUT, ROW_COLUMNS = 0, 1, 2, 3, 4, 5
# columns of NearPoints.values
POSITION, NORMAL, GAP, CHANGE, MU, IMPULSE = 0, 3, 6, 7, 49, 50
CLOSING, COMPLIANCE, VISCOUS, WIDENING = 53, 54, 55, 56
TORSIONAL, ROLLING, TORQUE, POINT_COLUMNS = 57, 58, 59, 62


class StepParts(NamedTuple):
    """What the steps of worlds fulfil.

    Attributes
    ----------
    matrix : ndarray, shape (n, nv, nv)
        ``H + dt B``.
    rows : ndarray, shape (n, rows, nv + 5)
        Of joints: ``J``, rate, bounds of the impulse, nearness, velocity of push-out.
    axes : ndarray, shape (n, bodies + 1, 6 nv)
        How each velocity moves the bodies that have surfaces; first the world, which rests.
    motions : ndarray, shape (n, carriers + 1, 6)
        Motions of the surfaces of these bodies after the step; first what rests.
    joints : ndarray, shape (n, rows)
        Impulses of the rows of joints.
    kinds : ndarray of int, shape (rows,)
    columns : ndarray of int, shape (1 + rows,)
        Which columns of derivatives are by friction of points, and by dry friction of each row;
        -1 where none is.
    """

    matrix: np.ndarray
    rows: np.ndarray
    axes: np.ndarray
    motions: np.ndarray
    joints: np.ndarray
    kinds: np.ndarray
    columns: np.ndarray


class NearPoints(NamedTuple):
    """Points that are near, world by world.

    Attributes
    ----------
    first : ndarray of int, shape (n + 1,)
        Where those of each world begin.
    number : ndarray of int, shape (points,)
        Which they are of the points of all pairs.
    bodies, carriers : ndarray of int, shape (points, 2)
        Rows of `StepParts.axes` and of `StepParts.motions` of both sides.
    values : ndarray, shape (points, 62)
        Position, normal, gap.  Derivatives of these seven as the first shape moves against the
        second, by a rotation about the base origin and a shift.  Friction, three impulses.
        What the gap adds to the velocity of the normal, and what its impulse adds.  Viscous
        friction, and by how much it widens the disk of friction.  Arms of torsional and rolling
        friction, and impulses of torques about the normal and the tangents.
    """

    first: np.ndarray
    number: np.ndarray
    bodies: np.ndarray
    carriers: np.ndarray
    values: np.ndarray


@jit
def put_difference(of_bodies: np.ndarray, k: int, bodies: Ints, found: Floats):
    """What the first body has of six rows, less what the second has."""
    one, other = of_bodies[k, bodies[0]], of_bodies[k, bodies[1]]
    for c in range(found.size):
        found[c] = one[c] - other[c]


@jit
def column(rows: Floats, first: int, j: int):
    """Number ``j`` of three of six rows, as a vector."""
    nv = rows.size // 6
    return Vec3(rows[first * nv + j], rows[(first + 1) * nv + j], rows[(first + 2) * nv + j])


@jit
def put_row(R: Floats, moment: Vec3, force: Vec3, J: Floats):
    """The power of a moment about the base origin and a force, by each velocity."""
    for j in range(J.size):
        J[j] = moment.dot(column(R, 0, j)) + force.dot(column(R, 3, j))


@jit
def force_of(point: Floats):
    """The impulse of a point in base axes."""
    return _in_base_axes(point, vector(point, IMPULSE))


@jit
def couple_of(point: Floats):
    """The impulse of the torques of a point in base axes."""
    return _in_base_axes(point, vector(point, TORQUE))


@jit
def _in_base_axes(point: Floats, x: Vec3):
    """A vector of which parts along the normal and both tangents are given."""
    normal = vector(point, NORMAL)
    first, second = tangents(normal)
    return normal * x.x + first * x.y + second * x.z


@jit
def twist_of(parts: StepParts, points: NearPoints, k: int, m: int):
    """How a point's surfaces turn against each other after the step, and its velocity."""
    one = parts.motions[k, points.carriers[m, 0]]
    other = parts.motions[k, points.carriers[m, 1]]
    turn = vector(one, 0) - vector(other, 0)
    shift = vector(one, 3) - vector(other, 3)
    return turn, shift + turn.cross(vector(points.values[m], POSITION))


@jit
def gap_change(values: Floats, R: Floats, j: int):
    """How a gap changes with a velocity: more than by its normal's, where a point is cut off."""
    rates = values[CHANGE + 6 * GAP :]
    return vector(rates, 0).dot(column(R, 0, j)) + vector(rates, 3).dot(column(R, 3, j))


@jit
def add_wrenches(points: NearPoints, numbers: Ints, dt: float, found: Floats2):
    """Add the forces and torques of contact to those of bodies.

    ``numbers`` are those of `NearPoints.bodies`.
    A row of ``found`` has the wrenches of a world on all moving bodies, about the base origin.
    """
    for k in range(points.first.size - 1):
        for m in range(points.first[k], points.first[k + 1]):
            at, force = vector(points.values[m], POSITION), force_of(points.values[m])
            moment = at.cross(force) + couple_of(points.values[m])
            for side in range(2):
                body = numbers[points.bodies[m, side]]
                if body > 0:
                    share = (1.0 - 2.0 * side) / dt
                    add_vector(found[k, 6 * body - 6 :], moment * share)
                    add_vector(found[k, 6 * body - 3 :], force * share)


@jit
def add_vector(to: Floats, x: Vec3):
    """Add a vector to three numbers."""
    to[0] += x.x
    to[1] += x.y
    to[2] += x.z
