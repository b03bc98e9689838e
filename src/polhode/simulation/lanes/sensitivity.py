"""Derivatives of a step by the theorem of implicit functions, one world after the other.

A step fulfils ``momentum = 0`` and the laws of its rows (`algorithms.stepping.balance`).  Each law
is on one of its pieces: a row holds or not; a point is open, sticks or slides.  There what it does
to the joints changes by ``-f (J dv1 + U)``, with a row ``J`` for each direction in which its
impulses may change.  So

    (H + dt B + sum f J) dv1 = -d momentum - sum f U,

where ``d momentum`` and ``U`` are changes at fixed impulses and velocities ``v1``.  What holds is a
stiff spring, so rows that depend on each other do no harm.  A second solution takes out what the
springs still move by.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...algorithms.stepping.candidates import TOUCHING
from ...compiler.jit import Floats, Floats2, Ints, jit
from ...contact_problem import BILATERAL, BOX
from ...contact_problem.block_lu import lu, lu_solve
from ...contact_problem.block_products import take_row
from ...spatial import Vec3
from .refining import tangents, vector

PROX = 1e-6
"""Compliance of what holds, in parts of its own; about its square is left of errors."""

LEAST_SHARE = 1e-7
"""Impulses that press, in parts of the greatest in the world, below which a point counts as open.

Of four points of a face three can bear it.  What the fourth has is what the solver left of it.
"""

STICKING, SLIDING = 3, 2  # rows of a point

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
        Derivatives of `momentum`: by positions, then by anything.
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
    columns : ndarray of int, shape (1 + rows,)
        Which columns of ``momentum`` are by friction of points, and by dry friction of each row;
        -1 where none is.
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
    columns: np.ndarray


class NearPoints(NamedTuple):
    """Points that are near, world by world.

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


class LinearRows(NamedTuple):
    """Rows ``J`` of a world, changes ``U`` of their velocities by positions, and ``f``.

    What ``holds`` is as stiff as can be.
    """

    J: np.ndarray
    U: np.ndarray
    f: np.ndarray
    holds: np.ndarray


class FreeInertia(NamedTuple):
    """The factors of ``H + dt B``, and room for a row."""

    factors: np.ndarray
    pivot: np.ndarray
    row: np.ndarray


class PointRows(NamedTuple):
    """Three rows of a point, of its normal and its tangents, one after the other.

    ``J`` are the rows, ``U`` the changes of their velocities ``u`` after the step by positions.
    """

    J: np.ndarray
    U: np.ndarray
    u: np.ndarray


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
    """Put the derivatives of velocities after steps in ``found``, like `StepParts.momentum`.

    NaN where the inertia of a world is singular.
    """
    nv, width = parts.matrix.shape[1], parts.momentum.shape[2]
    a, b, pivot = np.empty(nv * nv), np.empty(nv * width), np.empty(nv, np.int64)
    free = FreeInertia(np.empty(nv * nv), np.empty(nv, np.int64), np.empty(nv))
    of_point = PointRows(np.empty(3 * nv), np.empty(3 * nv), np.empty(3))
    for k in range(parts.matrix.shape[0]):
        for i in range(nv):
            for j in range(nv):
                a[i * nv + j] = free.factors[i * nv + j] = parts.matrix[k, i, j]
            for j in range(width):
                b[i * width + j] = -parts.momentum[k, i, j]
        is_regular = lu(free.factors, nv, free.pivot)
        most = parts.kinds.size + 3 * (points.first[k + 1] - points.first[k])
        blank, holds = np.empty((3, most * nv)), np.zeros(most, np.bool_)
        rows, n = LinearRows(blank[0], blank[1], blank[2], holds), 0
        for r in range(parts.kinds.size):
            n += _put_row(parts, (k, r), dt, free, rows, n, b)
        least = 0.0
        for m in range(points.first[k], points.first[k + 1]):
            least = max(least, LEAST_SHARE * points.values[m, IMPULSE])
        for m in range(points.first[k], points.first[k + 1]):
            _put_point(parts, points, (k, m), dt, of_point, b)
            count = _put_law(of_point, points.values[m], free, rows, n, least)
            if count == SLIDING and parts.columns[0] >= 0:
                _add_column(free.row, nv, points.values[m, IMPULSE], b, parts.columns[0])
            n += count
        is_regular = is_regular and _solved(rows, n, a, pivot, b)
        for i in range(nv):
            for j in range(width):
                found[k, i, j] = b[i * width + j] if is_regular else math.nan


@jit
def _solved(rows: LinearRows, n: int, a: Floats, pivot: Ints, b: Floats):
    """Solve under the rows for ``b``, and again for what those that hold still move by."""
    nv = pivot.size
    width = b.size // nv
    for h in range(n):
        J, U, f = rows.J[h * nv :], rows.U[h * nv :], rows.f[h * nv :]
        for i in range(nv):
            if f[i] != 0.0:
                take_row(J, -f[i], a[i * nv :], nv)
                take_row(U, f[i], b[i * width :], nv)
    if not lu(a, nv, pivot):
        return False
    right, moved = b.copy(), np.empty(width)
    lu_solve(a, nv, pivot, b, width)
    for h in range(n):
        if rows.holds[h]:
            J, f = rows.J[h * nv :], rows.f[h * nv :]
            moved[:] = 0.0
            for j in range(nv):
                moved[j] = rows.U[h * nv + j]
            for i in range(nv):
                if J[i] != 0.0:
                    take_row(b[i * width :], -J[i], moved, width)
            for i in range(nv):
                if f[i] != 0.0:
                    take_row(moved, f[i], right[i * width :], width)
    lu_solve(a, nv, pivot, right, width)
    for i in range(right.size):
        b[i] = right[i]
    return True


@jit
def _put_row(
    parts: StepParts, which: tuple[int, int], dt: float, free: FreeInertia, rows: LinearRows,
    n: int, b: Floats,
):  # fmt: skip
    """The row of a joint where it holds; how many rows that is.

    Where dry friction does not hold, its bound pushes: what that changes goes to ``b``.
    """
    k, r = which
    row, kind, nv = parts.rows[k, r], parts.kinds[r], parts.matrix.shape[1]
    if row[nv + NEAR] == 0.0:
        return 0
    ease = inverse(compliance(free, row))
    z = parts.joints[k, r] - ease * row[nv + RATE]
    holds = kind == BILATERAL or z > row[nv + LOWER]
    if kind == BOX:
        holds = holds and z < row[nv + UPPER]
    if not holds:
        if parts.columns[1 + r] >= 0:
            _add_column(row, nv, dt if z > 0.0 else -dt, b, parts.columns[1 + r])
        return 0
    for j in range(nv):
        rows.J[n * nv + j], rows.U[n * nv + j] = row[j], parts.rates[k, r, j]
        rows.f[n * nv + j] = ease / PROX * row[j]
    rows.holds[n] = True
    return 1


@jit
def _add_column(row: Floats, nv: int, x: float, b: Floats, column: int):
    """Add what an impulse along a row does to a column."""
    width = b.size // nv
    for i in range(nv):
        b[i * width + column] += x * row[i]


@jit
def compliance(free: FreeInertia, row: Floats):
    """The velocity that a unit impulse makes along a row."""
    nv, total = free.row.size, 0.0
    for j in range(nv):
        free.row[j] = row[j]
    lu_solve(free.factors, nv, free.pivot, free.row, 1)
    for j in range(nv):
        total += row[j] * free.row[j]
    return total


@jit
def inverse(x: float):
    """One over a number above zero; zero else."""
    return 1.0 / x if x > 0.0 else 0.0


@jit
def _put_law(
    point: PointRows, values: Floats, free: FreeInertia, rows: LinearRows, n: int,
    least: float,
):  # fmt: skip
    """The rows of a point on the piece of its law where it is, and how many.

    It is open, or sticks, or slides: then friction follows the pressure, and turns with the slip,
    whose row ``free`` is left.  What presses by less than ``least`` is open.
    """
    nv, x, mu = free.row.size, vector(values, IMPULSE), values[MU]
    ease = inverse(compliance(free, point.J))
    if x.x - ease * point.u[0] <= least:
        return 0
    slips = max(compliance(free, point.J[nv:]), compliance(free, point.J[2 * nv :]))
    hold = inverse(slips)
    s, t = x.y - hold * point.u[1], x.z - hold * point.u[2]
    length, most = math.sqrt(s * s + t * t), mu * max(x.x, 0.0)
    _put_mixed(point, rows, n, (1.0, 0.0, 0.0), ease / PROX)
    if mu == math.inf or length <= most:
        _put_mixed(point, rows, n + 1, (0.0, 1.0, 0.0), hold / PROX)
        _put_mixed(point, rows, n + 2, (0.0, 0.0, 1.0), hold / PROX)
        return STICKING
    s, t = s / length, t / length
    for j in range(nv):
        slide = s * point.J[nv + j] + t * point.J[2 * nv + j]
        rows.f[n * nv + j] += mu * ease / PROX * slide
        free.row[j] = slide
    _put_mixed(point, rows, n + 1, (0.0, -t, s), most * hold / (length - most))
    rows.holds[n + 1] = False
    return SLIDING


@jit
def _put_mixed(
    point: PointRows, rows: LinearRows, n: int, parts: tuple[float, float, float], stiff: float
):
    """A row that is a sum of parts of the three of a point."""
    nv = point.J.size // 3
    for j in range(nv):
        total, change = 0.0, 0.0
        for c in range(3):
            part = parts[0] if c == 0 else (parts[1] if c == 1 else parts[2])
            total += part * point.J[c * nv + j]
            change += part * point.U[c * nv + j]
        rows.J[n * nv + j], rows.U[n * nv + j] = total, change
        rows.f[n * nv + j] = stiff * total
    rows.holds[n] = True


@jit
def _put_point(
    parts: StepParts, points: NearPoints, which: tuple[int, int], dt: float, rows: PointRows,
    b: Floats,
):  # fmt: skip
    """The rows of a point; what its force changes by as its bodies move goes to ``b``.

    The point and its normal move with the second body, and as the shapes say against it.
    """
    k, m = which
    values, nv, width = points.values[m], parts.matrix.shape[1], parts.momentum.shape[2]
    at, normal, force = vector(values, POSITION), vector(values, NORMAL), _force(values)
    first, second = tangents(normal)
    R, sway = np.empty(6 * nv), np.empty(6 * nv)
    put_difference(parts.axes, k, points.bodies[m], R)
    put_difference(parts.sways, k, points.bodies[m], sway)
    turn, velocity = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
    for j in range(nv):
        w = column(R, 0, j)
        rate, v = column(R, 3, j) + w.cross(at), parts.after[k, j]
        put_column(rows.J, j, Vec3(normal.dot(rate), first.dot(rate), second.dot(rate)))
        turn, velocity = turn + w * v, velocity + rate * v
    closing = 1.0 / dt if values[GAP] > TOUCHING else 0.0
    rows.u[0] = normal.dot(velocity) + closing * values[GAP]
    rows.u[1], rows.u[2] = first.dot(velocity), second.dot(velocity)
    carrier = parts.axes[k, points.bodies[m, 1]]
    moments, forces = np.empty(3 * nv), np.empty(3 * nv)
    for j in range(nv):
        turned = column(carrier, 0, j)
        d_at = _change(values, POSITION, R, j) + column(carrier, 3, j) + turned.cross(at)
        tilt = turned + normal.cross(_change(values, NORMAL, R, j))
        d_force = tilt.cross(force)
        put_column(forces, j, d_force)
        put_column(moments, j, d_at.cross(force) + at.cross(d_force))
        rate = column(sway, 3, j) + column(sway, 0, j).cross(at) + turn.cross(d_at)
        rate = rate - tilt.cross(velocity)  # in axes that tilt
        normal_rate = normal.dot(rate) + closing * gap_change(values, R, j)
        put_column(rows.U, j, Vec3(normal_rate, first.dot(rate), second.dot(rate)))
    for i in range(nv):
        w, l = column(R, 0, i), column(R, 3, i)
        if w.dot(w) + l.dot(l) > 0.0:
            for j in range(nv):
                b[i * width + j] += w.dot(column_of(moments, j)) + l.dot(column_of(forces, j))


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
def column_of(rows: Floats, j: int):
    """Number ``j`` of three rows, as a vector."""
    nv = rows.size // 3
    return Vec3(rows[j], rows[nv + j], rows[2 * nv + j])


@jit
def put_column(rows: Floats, j: int, x: Vec3):
    """Number ``j`` of three rows."""
    nv = rows.size // 3
    rows[j], rows[nv + j], rows[2 * nv + j] = x.x, x.y, x.z


@jit
def _change(values: Floats, first: int, R: Floats, j: int):
    """How three numbers of a point change with a velocity, by what it moves the first shape."""
    w, l = column(R, 0, j), column(R, 3, j)
    rates = values[CHANGE + 6 * first :]
    return Vec3(_along(rates, w, l), _along(rates[6:], w, l), _along(rates[12:], w, l))


@jit
def gap_change(values: Floats, R: Floats, j: int):
    """How a gap changes with a velocity: more than by its normal's, where a point is cut off."""
    return _along(values[CHANGE + 6 * GAP :], column(R, 0, j), column(R, 3, j))


@jit
def _along(rates: Floats, w: Vec3, l: Vec3):
    return vector(rates, 0).dot(w) + vector(rates, 3).dot(l)
