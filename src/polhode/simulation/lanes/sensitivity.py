"""Derivatives of a step by the theorem of implicit functions, one world after the other.

A step fulfils ``momentum = 0`` and the laws of its rows (`algorithms.stepping.balance`).  Each law
is on one of its pieces: a row holds or gives way; a point is open, sticks or slides.  There its
impulses follow the velocities of the rows by ``dx = -K du``.  So

    (H + dt B + J^T K J) dv1 = -d momentum - J^T K du,

where ``d momentum`` and ``du`` are changes at fixed impulses and velocities ``v1``.  What holds is
a spring that is stiff enough: rows that depend on each other do no harm.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.jit import Floats, Floats2, Ints, jit
from ...contact_problem import BILATERAL, BOX
from ...contact_problem.block_lu import lu, lu_solve
from ...spatial import Vec3
from .refining import tangents, vector

PROX = 1e-8
"""Compliance of what holds, in parts of its own.  Results are exact to about as much."""

# columns of StepParts.rows after those of J
RATE, LOWER, UPPER, NEAR, PUSH_OUT, ROW_COLUMNS = 0, 1, 2, 3, 4, 5
# columns of NearPoints.values
POSITION, NORMAL, GAP, CHANGE, MU, IMPULSE, POINT_COLUMNS = 0, 3, 6, 7, 49, 50, 53


class StepParts(NamedTuple):
    """What the steps of worlds fulfil, and derivatives of it.

    Attributes
    ----------
    matrix : ndarray, shape (n, nv, nv)
        ``H + dt B``.
    momentum : ndarray, shape (n, nv, width)
        Derivatives of `momentum` by positions, velocities and controls.
    rows : ndarray, shape (n, rows, nv + 5)
        Of joints: ``J``, rate, bounds of the impulse, nearness, velocity of push-out.
    rates : ndarray, shape (n, rows, nv)
        Derivatives of the rates by positions.
    axes : ndarray, shape (n, bodies + 1, 6 nv)
        How each velocity moves the bodies that have surfaces; first the world, which rests.
    sways : ndarray, shape (n, bodies + 1, 6 nv)
        Derivatives by positions of the motions of these bodies after the step.
    after : ndarray, shape (n, nv)
        Velocities after the step.
    joints : ndarray, shape (n, rows)
        Impulses of the rows of joints.
    kinds : ndarray of int, shape (rows,)
    """

    matrix: np.ndarray
    momentum: np.ndarray
    rows: np.ndarray
    rates: np.ndarray
    axes: np.ndarray
    sways: np.ndarray
    after: np.ndarray
    joints: np.ndarray
    kinds: np.ndarray


class NearPoints(NamedTuple):
    """Points that press, world by world.

    Attributes
    ----------
    first : ndarray of int, shape (n + 1,)
        Where those of each world begin.
    bodies : ndarray of int, shape (points, 2)
        Rows of `StepParts.axes` of both bodies.
    values : ndarray, shape (points, 53)
        Position, normal, gap.  Derivatives of these seven as the first shape moves against the
        second, by a rotation about the base origin and a shift.  Friction, three impulses.
    """

    first: np.ndarray
    bodies: np.ndarray
    values: np.ndarray


class ContactPoint(NamedTuple):
    """A point that presses: its rows, the motion of its bodies against each other, its law.

    ``R`` are the relative motions by velocities, ``J`` its three rows.  ``turn`` and ``velocity``
    are what they are after the step.  ``K`` is that of the law.
    """

    at: Vec3
    axes: tuple[Vec3, Vec3, Vec3]
    R: np.ndarray
    J: np.ndarray
    turn: Vec3
    velocity: Vec3
    K: np.ndarray


@jit
def add_wrenches(points: NearPoints, numbers: Ints, dt: float, found: Floats2):
    """Add the forces of contact to those of bodies; ``numbers`` are those of `NearPoints.bodies`.

    A row of ``found`` has the wrenches of a world on all moving bodies, about the base origin.
    """
    for k in range(points.first.size - 1):
        for m in range(points.first[k], points.first[k + 1]):
            at, force = vector(points.values[m], POSITION), _force(points.values[m])
            moment = at.cross(force)
            for side in range(2):
                body = numbers[points.bodies[m, side]]
                if body > 0:
                    share = (1.0 - 2.0 * side) / dt
                    _add_vector(found[k, 6 * body - 6 :], moment * share)
                    _add_vector(found[k, 6 * body - 3 :], force * share)


@jit
def _add_vector(to: Floats, x: Vec3):
    to[0] += x.x
    to[1] += x.y
    to[2] += x.z


@jit
def _force(point: Floats):
    """The impulse of a point in base axes."""
    normal = vector(point, NORMAL)
    first, second = tangents(normal)
    x = vector(point, IMPULSE)
    return normal * x.x + first * x.y + second * x.z


@jit
def solve_steps(parts: StepParts, points: NearPoints, dt: float, found: np.ndarray):
    """Put the derivatives of velocities after steps in ``found``, like `StepParts.momentum`."""
    nv, width = parts.matrix.shape[1], parts.momentum.shape[2]
    a, b, pivot = np.empty(nv * nv), np.empty(nv * width), np.empty(nv, np.int64)
    for k in range(parts.matrix.shape[0]):
        for i in range(nv):
            for j in range(nv):
                a[i * nv + j] = parts.matrix[k, i, j]
            for j in range(width):
                b[i * width + j] = -parts.momentum[k, i, j]
        for r in range(parts.kinds.size):
            _add_row(parts, k, r, a, b)
        for m in range(points.first[k], points.first[k + 1]):
            point = _contact_point(parts, points, k, m, dt)
            if point.K[0] > 0.0:
                _add_point(point, parts, points, (k, m), dt, a, b)
        is_regular = lu(a, nv, pivot)
        if is_regular:
            lu_solve(a, nv, pivot, b, width)
        for i in range(nv):
            for j in range(width):
                found[k, i, j] = b[i * width + j] if is_regular else math.nan


@jit
def _add_row(parts: StepParts, k: int, r: int, a: Floats, b: Floats):
    """Let a row of a joint act where it holds."""
    row, kind = parts.rows[k, r], parts.kinds[r]
    nv, width = parts.matrix.shape[1], parts.momentum.shape[2]
    ease = inverse(compliance(parts, k, row))
    z = parts.joints[k, r] - ease * row[nv + RATE]
    holds = kind == BILATERAL or z > row[nv + LOWER]
    if kind == BOX:
        holds = holds and z < row[nv + UPPER]
    if row[nv + NEAR] == 0.0 or not holds:
        return
    for i in range(nv):
        f = ease / PROX * row[i]
        if f != 0.0:
            for j in range(nv):
                a[i * nv + j] += f * row[j]
                b[i * width + j] -= f * parts.rates[k, r, j]


@jit
def compliance(parts: StepParts, k: int, row: Floats):
    """About the velocity that a unit impulse makes along a row."""
    total = 0.0
    for j in range(parts.matrix.shape[1]):
        total += row[j] * row[j] / parts.matrix[k, j, j]
    return total


@jit
def inverse(x: float):
    """One over a number above zero; zero else."""
    return 1.0 / x if x > 0.0 else 0.0


@jit
def _contact_point(parts: StepParts, points: NearPoints, k: int, m: int, dt: float):
    """The rows of a point, and its law where it is."""
    values, nv = points.values[m], parts.matrix.shape[1]
    at, normal = vector(values, POSITION), vector(values, NORMAL)
    first, second = tangents(normal)
    J, R, K = np.empty(3 * nv), np.empty(6 * nv), np.zeros(9)
    put_difference(parts.axes, k, points.bodies[m], R)
    turn, velocity = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
    for j in range(nv):
        w = column(R, 0, j)
        rate, v = column(R, 3, j) + w.cross(at), parts.after[k, j]
        J[j], J[nv + j], J[2 * nv + j] = normal.dot(rate), first.dot(rate), second.dot(rate)
        turn, velocity = turn + w * v, velocity + rate * v
    u = Vec3(normal.dot(velocity), first.dot(velocity), second.dot(velocity))
    u = Vec3(u.x + max(values[GAP], 0.0) / dt, u.y, u.z)
    slips = max(compliance(parts, k, J[nv:]), compliance(parts, k, J[2 * nv :]))
    ease = inverse(compliance(parts, k, J)), inverse(slips)
    _put_law(K, u, vector(values, IMPULSE), values[MU], ease)
    return ContactPoint(at, (normal, first, second), R, J, turn, velocity, K)


@jit
def put_difference(of_bodies: np.ndarray, k: int, bodies: Ints, found: Floats):
    """What bodies have of some six rows, less what others have."""
    one, other = of_bodies[k, bodies[0]], of_bodies[k, bodies[1]]
    for c in range(found.size):
        found[c] = one[c] - other[c]


@jit
def column(rows: Floats, first: int, j: int):
    """Number ``j`` of three of six rows, as a vector."""
    nv = rows.size // 6
    return Vec3(rows[first * nv + j], rows[(first + 1) * nv + j], rows[(first + 2) * nv + j])


@jit
def _put_law(K: Floats, u: Vec3, x: Vec3, mu: float, ease: tuple[float, float]):
    """``K`` of the law of a point on the piece where it is: open, sticking or sliding."""
    if x.x - ease[0] * u.x <= 0.0:
        return
    stiff, held = ease[0] / PROX, ease[1] / PROX
    s, t = x.y - ease[1] * u.y, x.z - ease[1] * u.z
    length, most = math.sqrt(s * s + t * t), mu * max(x.x, 0.0)
    K[0] = stiff
    if mu == math.inf or length <= most:
        K[4] = K[8] = held
        return
    s, t = s / length, t / length
    turn = min(most * ease[1] / (length - most), held)
    K[3], K[4], K[5] = mu * stiff * s, turn * t * t, -turn * s * t
    K[6], K[7], K[8] = mu * stiff * t, -turn * s * t, turn * s * s


@jit
def _add_point(
    point: ContactPoint, parts: StepParts, points: NearPoints, which: tuple[int, int], dt: float,
    a: Floats, b: Floats,
):  # fmt: skip
    """Let a point act: its rows turn and move with its bodies, and as the shapes say."""
    k, m = which
    values, nv, width = points.values[m], parts.matrix.shape[1], parts.momentum.shape[2]
    J, R, at, K = point.J, point.R, point.at, point.K
    normal, first, second = point.axes
    force, carrier = _force(values), parts.axes[k, points.bodies[m, 1]]
    moments, forces, rates = np.empty(3 * nv), np.empty(3 * nv), np.empty(3 * nv)
    sway = np.empty(6 * nv)
    put_difference(parts.sways, k, points.bodies[m], sway)
    for j in range(nv):
        turned = column(carrier, 0, j)
        d_at = _change(values, POSITION, R, j) + column(carrier, 3, j) + turned.cross(at)
        tilt = turned + normal.cross(_change(values, NORMAL, R, j))
        d_force = tilt.cross(force)
        put_column(forces, j, d_force)
        put_column(moments, j, d_at.cross(force) + at.cross(d_force))
        rate = column(sway, 3, j) + column(sway, 0, j).cross(at) + point.turn.cross(d_at)
        du = Vec3(
            normal.dot(rate) + tilt.cross(normal).dot(point.velocity),
            first.dot(rate) + tilt.cross(first).dot(point.velocity),
            second.dot(rate) + tilt.cross(second).dot(point.velocity),
        )
        if values[GAP] > 0.0:
            du = Vec3(du.x + J[j] / dt, du.y, du.z)
        put_column(rates, j, Vec3(K[0] * du.x, K[3] * du.x + K[4] * du.y + K[5] * du.z,
                                  K[6] * du.x + K[7] * du.y + K[8] * du.z))  # fmt: skip
    for i in range(nv):
        w, l = column(R, 0, i), column(R, 3, i)
        p, s, t = J[i], J[nv + i], J[2 * nv + i]
        f = Vec3(p * K[0] + s * K[3] + t * K[6], s * K[4] + t * K[7], s * K[5] + t * K[8])
        if w.dot(w) + l.dot(l) == 0.0:
            continue
        for j in range(nv):
            a[i * nv + j] += f.x * J[j] + f.y * J[nv + j] + f.z * J[2 * nv + j]
            total = w.x * moments[j] + w.y * moments[nv + j] + w.z * moments[2 * nv + j]
            total += l.x * forces[j] + l.y * forces[nv + j] + l.z * forces[2 * nv + j]
            total -= p * rates[j] + s * rates[nv + j] + t * rates[2 * nv + j]
            b[i * width + j] += total


@jit
def put_column(rows: Floats, j: int, x: Vec3):
    """Number ``j`` of three rows."""
    nv = rows.size // 3
    rows[j], rows[nv + j], rows[2 * nv + j] = x.x, x.y, x.z


@jit
def _change(values: Floats, first: int, R: Floats, j: int):
    """How three numbers of a point change with a velocity, by what it moves the first shape."""
    w, l = column(R, 0, j), column(R, 3, j)
    x = _along(values[CHANGE + 6 * first :], w, l)
    y = _along(values[CHANGE + 6 * (first + 1) :], w, l)
    return Vec3(x, y, _along(values[CHANGE + 6 * (first + 2) :], w, l))


@jit
def _along(rates: Floats, w: Vec3, l: Vec3):
    return vector(rates, 0).dot(w) + vector(rates, 3).dot(l)
