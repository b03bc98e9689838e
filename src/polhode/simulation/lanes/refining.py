"""Impulses of worlds that the solver in lanes left, by the exact one, one world after the other."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...algorithms.stepping.candidates import TOUCHING
from ...compiler.jit import Floats, Ints, jit
from ...contact_problem import (
    BOX,
    CONTACT,
    DISK,
    ConstraintRows,
    Report,
    SolverSettings,
    solver_settings,
)
from ...contact_problem.rows import height_of
from ...contact_problem.solve import impact
from ...contact_problem.torque_bounds import bound_rows
from ...spatial import Vec3

# columns of WorldProblem.points
POSITION, NORMAL, VELOCITY, GAP, POINT_NEAR, MU, POINT_RESTITUTION, POINT_COLUMNS = (
    0, 3, 6, 9, 10, 11, 12, 13)  # fmt: skip
# columns of WorldProblem.points that follow where a point has more than Coulomb's law
BIAS, COMPLIANCE, WIDENING, SPIN, TORSIONAL, ROLLING, ALL_COLUMNS = 13, 14, 15, 16, 19, 20, 21
IN_REACH, IN_STEP = 1.0, 2.0
"""Nearness of points: within what fast bodies may reach, and of gaps that the step may close."""

SPINS, ROLLS = 0, 1  # what a torque opposes
ROUNDS = 50  # of solving with bounds of torques that are those of normal impulses before
# columns of WorldProblem.rows after those of y
FREE, NEAR, LOWER, UPPER, RESTITUTION, ROW_COLUMNS = 0, 1, 2, 3, 4, 5


class WorldProblem(NamedTuple):
    """What the impulses of worlds depend on.

    Attributes
    ----------
    points : ndarray, shape (n, points, 13) or (n, points, 21)
        Position, normal, velocity, gap, nearness, friction, restitution if hit.  Where some
        point has more than Coulomb's law, the terms of `PointCompliance`, angular velocity of
        one body against the other, and arms of torques follow.
    axes : ndarray, shape (n, n_axes, 6)
        What each axis of a joint moves bodies by, about the base origin.
    unit : ndarray, shape (n, n_axes, nv)
        ``y`` of the velocity along each axis.
    rows : ndarray, shape (n, rows, nv + 5)
        Of joints: ``y``, velocity, nearness, bounds, restitution if hit.
    """

    points: np.ndarray
    axes: np.ndarray
    unit: np.ndarray
    rows: np.ndarray


class RowKinds(NamedTuple):
    """What is the same in all worlds.

    ``joints`` are the kinds of the rows of joints.  ``signs`` say for each point and each axis of a
    joint whether it moves the first body (1), the second (-1), or both alike.  ``order`` are the
    velocities tree by tree, ``first`` where each tree begins among these, and where the last ends.
    """

    joints: np.ndarray
    signs: np.ndarray
    order: np.ndarray
    first: np.ndarray


class TorqueBlocks(NamedTuple):
    """Blocks of torsional and rolling friction, which follow all others.

    Of each the block of its point, its arm [m], and what it opposes, `SPINS` or `ROLLS`.
    """

    block: np.ndarray
    arm: np.ndarray
    which: np.ndarray


class Refined(NamedTuple):
    """Impulses of all rows, what they do, and the residual of their laws, of each world.

    A residual is NaN where the problem is not finite.
    """

    x: np.ndarray
    w: np.ndarray
    error: np.ndarray


def refined(
    problem: WorldProblem, kinds: RowKinds, x: np.ndarray, dt: float, least: float = IN_REACH
) -> Refined:
    """Impulses that fulfil the laws of each world, sought from ``x``; of points that are so near.

    Points in reach are many more than those of a step, and hardly ever needed.
    """
    n, nv = len(x), problem.unit.shape[-1]
    whole = WorldProblem(*map(np.ascontiguousarray, problem))
    found = Refined(np.array(x), np.zeros((n, nv)), np.zeros(n))
    refine(whole, kinds, found, dt, least, solver_settings(), Report())
    return found


@jit
def refine(
    problem: WorldProblem,
    kinds: RowKinds,
    found: Refined,
    dt: float,
    least: float,
    settings: SolverSettings,
    report: Report,
):
    """Solve world after world; ``found`` has the impulses to begin with, and the results."""
    for k in range(found.x.shape[0]):
        near = near_blocks(problem, k, least)
        rows, restitution, warm = rows_of(problem, kinds, found.x[k], near, k, dt)
        v = np.zeros(found.w.shape[1])
        if math.isfinite(_sum(rows.jacobian) + _sum(rows.bias)):
            found.error[k] = impact(rows, restitution, warm, v, settings, report)
            torques = torques_of(problem, kinds, near, k)
            for _ in range(ROUNDS if torques.arm.size else 0):
                if bound_rows(rows, warm) <= settings.tolerance:
                    break
                found.error[k] = impact(rows, restitution, warm, v, settings, report)
            if torques.arm.size and bound_rows(rows, warm) > settings.tolerance:
                found.error[k] = math.inf
            for j in range(v.size):
                found.w[k, kinds.order[j]] = v[j]
            put(found, kinds, near, warm, k)
        else:
            found.error[k] = math.nan


@jit
def torques_of(problem: WorldProblem, kinds: RowKinds, near: Ints, k: int):
    """The torques of near blocks."""
    n_joints, count = kinds.joints.size, 0
    block, arms = np.zeros(2 * near.size, np.int64), np.zeros(2 * near.size)
    opposes = np.zeros(2 * near.size, np.int64)
    if problem.points.shape[2] > POINT_COLUMNS:
        for b in range(near.size):
            if near[b] < n_joints:
                continue
            point = problem.points[k, near[b] - n_joints]
            for which in (SPINS, ROLLS):
                arm = point[TORSIONAL if which == SPINS else ROLLING]
                if arm > 0.0:
                    block[count], arms[count], opposes[count] = b, arm, which
                    count += 1
    return TorqueBlocks(block[:count].copy(), arms[:count].copy(), opposes[:count].copy())


@jit
def near_blocks(problem: WorldProblem, k: int, least: float):
    """Numbers of the blocks of world ``k`` that may need impulses: joints, then points so near."""
    n_joints, n_points = problem.rows.shape[1], problem.points.shape[1]
    nv = problem.unit.shape[2]
    near, count = np.empty(n_joints + n_points, np.int64), 0
    for i in range(n_joints):
        if problem.rows[k, i, nv + NEAR] > 0.0:
            near[count] = i
            count += 1
    for i in range(n_points):
        if problem.points[k, i, POINT_NEAR] >= least:
            near[count] = n_joints + i
            count += 1
    return near[:count].copy()


@jit
def rows_of(problem: WorldProblem, kinds: RowKinds, x: Floats, near: Ints, k: int, dt: float):
    """The rows of near blocks for the exact solver, restitution, and impulses to begin with."""
    n_joints, nv, n_near = kinds.joints.size, problem.unit.shape[2], near.size
    torques = torques_of(problem, kinds, near, k)
    count = n_near + torques.arm.size
    kind, row = np.full(count, CONTACT), np.zeros(count + 1, np.int64)
    mu, lower, upper = np.zeros(count), np.zeros(count), np.full(count, math.inf)
    restitution, widening = np.zeros(count), np.zeros(count)
    is_soft = problem.points.shape[2] > POINT_COLUMNS
    for b in range(n_near):
        i = near[b]
        if i < n_joints:
            kind[b] = kinds.joints[i]
            restitution[b] = problem.rows[k, i, nv + RESTITUTION]
            if kind[b] == BOX:
                lower[b], upper[b] = problem.rows[k, i, nv + LOWER], problem.rows[k, i, nv + UPPER]
        else:
            mu[b] = problem.points[k, i - n_joints, MU]
            restitution[b] = problem.points[k, i - n_joints, POINT_RESTITUTION]
            if is_soft:
                widening[b] = problem.points[k, i - n_joints, WIDENING]
        row[b + 1] = row[b] + (1 if i < n_joints else 3)
    for t in range(torques.arm.size):
        kind[n_near + t] = BOX if torques.which[t] == SPINS else DISK
        row[n_near + t + 1] = row[n_near + t] + height_of(kind[n_near + t])
        pressed = max(x[n_joints + 3 * (near[torques.block[t]] - n_joints)], 0.0)
        upper[n_near + t] = torques.arm[t] * pressed
        lower[n_near + t] = -upper[n_near + t]
    n_rows = row[count]
    jacobian, bias, warm = np.zeros(n_rows * nv), np.zeros(n_rows), np.zeros(n_rows)
    compliance = np.zeros(n_rows)
    for b in range(n_near):
        i, r = near[b], row[b]
        if i < n_joints:
            for j in range(nv):
                jacobian[r * nv + j] = problem.rows[k, i, j]
            bias[r], warm[r] = problem.rows[k, i, nv + FREE], x[i]
        else:
            write_point(problem, kinds, i - n_joints, k, dt, jacobian[r * nv :], bias[r:])
            if is_soft:
                compliance[r] = problem.points[k, i - n_joints, COMPLIANCE]
            for a in range(3):
                warm[r + a] = x[n_joints + 3 * (i - n_joints) + a]
    for t in range(torques.arm.size):
        i, r = near[torques.block[t]] - n_joints, row[n_near + t]
        write_torque(problem, kinds, i, k, torques.which[t], jacobian[r * nv :], bias[r:])
    presser, arm = np.full(count, -1), np.zeros(count)
    presser[n_near:], arm[n_near:] = torques.block, torques.arm
    laws = mu, lower, upper, compliance, widening
    rows = of_trees(kinds, kind, row, jacobian, bias, laws, (presser, arm))
    return rows, restitution, warm


@jit
def write_point(
    problem: WorldProblem, kinds: RowKinds, i: int, k: int, dt: float, y: Floats, free: Floats
):
    """``y`` and velocities of the normal and two tangents of a point."""
    nv, point = problem.unit.shape[2], problem.points[k, i]
    at, normal = vector(point, POSITION), vector(point, NORMAL)
    u = vector(point, VELOCITY)
    first, second = tangents(normal)
    for a in range(3):
        axis = normal if a == 0 else (first if a == 1 else second)
        free[a] = axis.dot(u)
        write_row(problem, kinds, i, k, (at.cross(axis), axis), y[a * nv :])
    if point[POINT_RESTITUTION] == 0.0:
        gap = point[GAP] if point[GAP] > TOUCHING else 0.0
        free[0] += point[BIAS] if point.size > POINT_COLUMNS else gap / dt


@jit
def write_torque(
    problem: WorldProblem, kinds: RowKinds, i: int, k: int, which: int, y: Floats, free: Floats
):
    """``y`` and velocities of the row of torsional friction, or of the two of rolling friction."""
    point, nv = problem.points[k, i], problem.unit.shape[2]
    spin, normal = vector(point, SPIN), vector(point, NORMAL)
    first, second = tangents(normal)
    for row in range(1 if which == SPINS else 2):
        axis = normal if which == SPINS else (first if row == 0 else second)
        free[row] = axis.dot(spin)
        write_row(problem, kinds, i, k, (axis, Vec3(0.0, 0.0, 0.0)), y[row * nv :])


@jit
def write_row(
    problem: WorldProblem, kinds: RowKinds, i: int, k: int, wrench: tuple[Vec3, Vec3], y: Floats
):
    """``y`` of the power of a moment about the base origin and a force between a point's bodies."""
    moment, force = wrench
    for j in range(problem.unit.shape[1]):
        sign = kinds.signs[i, j]
        if sign != 0.0:
            s = problem.axes[k, j]
            J = moment.dot(vector(s, 0)) + force.dot(vector(s, 3))
            for c in range(problem.unit.shape[2]):
                y[c] += sign * J * problem.unit[k, j, c]


@jit
def tangents(n: Vec3):
    """Those of `polhode.algorithms.stepping.contact_rows.tangents`."""
    sign = -1.0 if n.z < 0.0 else 1.0
    a = -1.0 / (sign + n.z)
    b = n.x * n.y * a
    first = Vec3(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x)
    return first, Vec3(b, sign + n.y * n.y * a, -n.y)


@jit
def vector(values: Floats, at: int):
    """Three numbers as a vector."""
    return Vec3(values[at], values[at + 1], values[at + 2])


@jit
def of_trees(
    kinds: RowKinds, kind: Ints, row: Ints, jacobian: Floats, bias: Floats,
    laws: tuple[Floats, Floats, Floats, Floats, Floats], torques: tuple[Ints, Floats],
):  # fmt: skip
    """Rows in coordinates where the inertia is the identity; each tree is a node of its own."""
    n, nv, first = kind.size, kinds.order.size, kinds.first
    segment, node, value, entries = segments_of(kinds, row, jacobian)
    mass, at_mass = np.zeros(nv * nv), np.zeros(first.size, np.int64)
    last = np.zeros(nv, np.int64)
    for t in range(first.size - 1):
        size = first[t + 1] - first[t]
        at_mass[t + 1] = at_mass[t] + size * size
        for j in range(size):
            mass[at_mass[t] + j * size + j] = 1.0
            last[first[t] + j] = j
    mass = mass[: at_mass[first.size - 1]].copy()
    mu, lower, upper, compliance, widening = laws
    presser, arm = torques
    return ConstraintRows(
        first.copy(), at_mass, mass, np.zeros(nv), kind, row, segment, node, value, entries, bias,
        compliance, mu, widening, np.zeros(n, np.int64), lower, upper, mass.copy(), last,
        np.empty(0), np.empty((0, 4), np.int64), np.empty((0, 4), np.int64), presser, arm,
    )  # fmt: skip


@jit
def segments_of(kinds: RowKinds, row: Ints, jacobian: Floats):
    """The trees that each block moves: its first segment, tree, values and their places."""
    n, nv, order, first = row.size - 1, kinds.order.size, kinds.order, kinds.first
    n_trees, count, to = first.size - 1, 0, 0
    segment, node = np.zeros(n + 1, np.int64), np.zeros(n * n_trees, np.int64)
    value, entries = np.zeros(n * n_trees + 1, np.int64), np.zeros(jacobian.size)
    for b in range(n):
        for t in range(n_trees):
            size = 0.0
            for r in range(row[b], row[b + 1]):
                for j in range(first[t], first[t + 1]):
                    size = max(size, abs(jacobian[r * nv + order[j]]))
            if size == 0.0:
                continue
            for r in range(row[b], row[b + 1]):
                for j in range(first[t], first[t + 1]):
                    entries[to] = jacobian[r * nv + order[j]]
                    to += 1
            node[count], value[count + 1] = t, to
            count += 1
        segment[b + 1] = count
    return segment, node[:count].copy(), value[: count + 1].copy(), entries[:to].copy()


@jit
def put(found: Refined, kinds: RowKinds, near: Ints, x: Floats, k: int):
    """Put the impulses of near blocks among those of all rows; the others are zero."""
    n_joints, r = kinds.joints.size, 0
    found.x[k] = np.zeros(found.x.shape[1])
    for i in near:
        if i < n_joints:
            found.x[k, i] = x[r]
            r += 1
        else:
            for a in range(3):
                found.x[k, n_joints + 3 * (i - n_joints) + a] = x[r + a]
            r += 3


@jit
def _sum(values: Floats):
    total = 0.0
    for x in values:
        total += x
    return total
