"""What viscous friction widens the disks of friction by: the slip without impulses.

The radius of a disk is ``sqrt((mu x)^2 + w^2)`` with ``w = dt c s``.  There ``c`` is the
coefficient, and ``s`` the slip at the end of a step without impulses
(`algorithms.stepping.soft_rows`).  So the motions of `StepParts` are those without impulses here.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiler.jit import Floats, Floats2, Floats3, jit
from ...contact_problem.block_lu import lu, lu_solve
from ...spatial import Vec3
from .adjoint import StepWeights, add_velocity
from .refining import vector
from .sensitivity import change_of, put_change, velocity_change
from .step_parts import (
    GAP,
    NORMAL,
    POSITION,
    VISCOUS,
    WIDENING,
    NearPoints,
    StepParts,
    column,
    put_difference,
    twist_of,
)


@jit
def solve_worlds(matrix: Floats3, right: Floats3):
    """Solve the equations of each world in place of ``right``, shape (n, nv, width).

    Where a matrix is singular, its solutions are not numbers, and those of other worlds are.
    """
    _, nv, width = right.shape
    factors, pivot = np.empty(nv * nv), np.empty(nv, np.int64)
    columns = np.empty(nv * width)
    for k in range(matrix.shape[0]):
        for i in range(nv):
            for j in range(nv):
                factors[i * nv + j] = matrix[k, i, j]
            for j in range(width):
                columns[i * width + j] = right[k, i, j]
        is_regular = lu(factors, nv, pivot)
        if is_regular:
            lu_solve(factors, nv, pivot, columns, width)
        for i in range(nv):
            for j in range(width):
                right[k, i, j] = columns[i * width + j] if is_regular else math.nan


@jit
def _slip(parts: StepParts, points: NearPoints, k: int, m: int):
    """The velocity of a point across its normal."""
    normal = vector(points.values[m], NORMAL)
    _, velocity = twist_of(parts, points, k, m)
    return velocity - normal * normal.dot(velocity)


@jit
def put_widening(parts: StepParts, points: NearPoints, dt: float):
    """Put that of all points into `NearPoints.values`; zero where gaps stay open."""
    for k in range(parts.matrix.shape[0]):
        for m in range(points.first[k], points.first[k + 1]):
            values = points.values[m]
            _, velocity = twist_of(parts, points, k, m)
            slip = _slip(parts, points, k, m)
            closes = values[GAP] + dt * vector(values, NORMAL).dot(velocity) < 0.0
            wide = dt * values[VISCOUS] * math.sqrt(slip.dot(slip))
            values[WIDENING] = wide if closes else 0.0


@jit
def lessen_margins(parts: StepParts, points: NearPoints, dt: float, found: Floats):
    """Lessen margins to the changes of velocities at which viscous friction begins or ends."""
    for k in range(parts.matrix.shape[0]):
        for m in range(points.first[k], points.first[k + 1]):
            values = points.values[m]
            if values[VISCOUS] > 0.0:
                _, velocity = twist_of(parts, points, k, m)
                rate = values[GAP] / dt + vector(values, NORMAL).dot(velocity)
                found[k] = min(found[k], abs(rate))


@jit
def _lever(parts: StepParts, points: NearPoints, k: int, m: int, dt: float):
    """What a velocity of a point makes of its widening; zero where it has none."""
    values, slip = points.values[m], _slip(parts, points, k, m)
    if values[WIDENING] == 0.0:
        return slip * 0.0
    return slip * (dt * values[VISCOUS] / math.sqrt(slip.dot(slip)))


@jit
def _by_velocity(R: Floats, at: Vec3, axis: Vec3, j: int):
    """The velocity of a point along an axis by one of joints."""
    return axis.dot(column(R, 3, j) + column(R, 0, j).cross(at))


@jit
def put_widening_slopes(
    parts: StepParts, points: NearPoints, by: tuple[np.ndarray, np.ndarray],
    d_free: np.ndarray, dt: float, found: Floats2,
):  # fmt: skip
    """Put the derivatives of all points in ``found``, shape (points, width).

    ``by`` says how motions and places change (`PartDerivatives`), ``d_free`` how the velocities
    without impulses do.
    """
    nv, width = parts.matrix.shape[1], found.shape[1]
    sways, places = by
    R, moves = np.empty(6 * nv), nv + places.shape[2]
    change = change_of(moves)
    for k in range(parts.matrix.shape[0]):
        for m in range(points.first[k], points.first[k + 1]):
            axis, at = _lever(parts, points, k, m, dt), vector(points.values[m], POSITION)
            for j in range(width):
                found[m, j] = 0.0
            if axis.dot(axis) == 0.0:
                continue
            put_change(parts, points, (k, m), (sways, places), R, change)
            twist = twist_of(parts, points, k, m)
            for i in range(moves):
                found[m, i] += velocity_change(change, at, twist, (Vec3(0.0, 0.0, 0.0), axis), i)
            for i in range(nv):
                share = _by_velocity(R, at, axis, i)
                for j in range(width):
                    found[m, j] += share * d_free[k, i, j]


@jit
def weigh_widening(
    parts: StepParts, points: NearPoints, dt: float, weights: Floats, to: StepWeights
):  # fmt: skip
    """Add what ``weights`` of the widenings of all points make of others.

    ``to.momentum`` are those of the velocities without impulses.
    """
    nv = parts.matrix.shape[1]
    R = np.empty(6 * nv)
    for k in range(parts.matrix.shape[0]):
        for m in range(points.first[k], points.first[k + 1]):
            axis = _lever(parts, points, k, m, dt) * weights[m]
            if axis.dot(axis) == 0.0:
                continue
            at = vector(points.values[m], POSITION)
            put_difference(parts.axes, k, points.bodies[m], R)
            add_velocity(parts, points, (k, m), R, (Vec3(0.0, 0.0, 0.0), axis), to)
            for j in range(nv):
                to.momentum[k, j] += _by_velocity(R, at, axis, j)
