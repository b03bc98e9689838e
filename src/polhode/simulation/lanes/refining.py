"""Problems of worlds that the solver in lanes left, by the exact one, one world after the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...algorithms.stepping.contact_rows import tangents
from ...compiler.jit import Floats, Floats2, Floats3, Ints, jit
from ...contact_problem import (
    BOX,
    CONTACT,
    ConstraintRows,
    Report,
    SolverSettings,
    impact,
    solver_settings,
)
from ...spatial import Vec3

# columns of laws
MU, LOWER, UPPER, RESTITUTION = 0, 1, 2, 3


class Problem(NamedTuple):
    """What the impulses of worlds depend on.

    Attributes
    ----------
    points : ndarray, shape (n, points, 13)
        Position, normal, velocity, gap, nearness, friction, restitution if hit.
    axes : ndarray, shape (n, nv, 6)
        What each velocity entry moves bodies by, about the base origin.
    unit : ndarray, shape (n, nv, nv)
        ``y`` of each velocity entry.
    rows : ndarray, shape (n, rows, nv + 5)
        Of joints: ``y``, velocity, nearness, bounds, restitution if hit.
    """

    points: np.ndarray
    axes: np.ndarray
    unit: np.ndarray
    rows: np.ndarray


class Refined(NamedTuple):
    """Impulses of all rows, what they do, and the residual of their laws, of each world."""

    x: np.ndarray
    w: np.ndarray
    error: np.ndarray


class Refiner:
    """The exact solver for what a stage's program ``problem`` tells of worlds."""

    def __init__(self, kinds: tuple[int, ...], signs: np.ndarray):
        self._kinds = np.array(kinds, np.int64)
        self._signs = signs
        self._settings = solver_settings()
        self._report = Report()

    def solved(self, problem: Problem, x: np.ndarray, dt: float) -> Refined:
        """Impulses that fulfil the laws of each world, sought from ``x``."""
        points, axes, unit, rows = problem
        n, nv = len(x), unit.shape[-1]
        y, free, law, near = _contacts(points, axes, unit, self._signs, dt)
        y = np.concatenate((rows[..., :nv], y), axis=1)
        free = np.concatenate((rows[..., nv], free), axis=1)
        own = np.concatenate((np.zeros((*rows.shape[:2], 1)), rows[..., nv + 2 :]), axis=-1)
        law = np.concatenate((own, law), axis=1)
        near = np.concatenate((rows[..., nv + 1], near), axis=1)
        x, w, error = np.array(x), np.zeros((n, nv)), np.full(n, np.nan)
        can = np.isfinite(y).all((1, 2)) & np.isfinite(free).all(1)
        given = [np.ascontiguousarray(a[can]) for a in (y, free, law, near, x, w, error)]
        refine(*given[:4], self._kinds, *given[4:], self._settings, self._report)
        x[can], w[can], error[can] = given[4:]
        return Refined(x, w, error)


def _contacts(
    points: np.ndarray, axes: np.ndarray, unit: np.ndarray, signs: np.ndarray, dt: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """``y``, velocities, bounds and nearness of all points: three rows each."""
    n, count = points.shape[:2]
    at, normal, u = (Vec3(*np.moveaxis(points[..., k : k + 3], -1, 0)) for k in (0, 3, 6))
    gap, near, mu = points[..., 9], points[..., 10], points[..., 11]
    rows, free = [], []
    for axis in (normal, *tangents(normal)):
        wrench = np.stack((*at.cross(axis), *axis), axis=-1)
        J = np.einsum("wci,wki->wck", wrench, axes) * signs
        rows.append(J @ unit)
        free.append(axis.dot(u))
    free[0] = free[0] + np.where(points[..., 12] > 0.0, 0.0, np.maximum(gap, 0.0) / dt)
    y = np.stack(rows, axis=2).reshape(n, 3 * count, -1)
    bounds = np.stack((mu, np.zeros_like(mu), np.zeros_like(mu), points[..., 12]), axis=-1)
    return y, np.stack(free, axis=2).reshape(n, 3 * count), bounds, near


@jit
def refine(
    y: Floats3,
    free: Floats2,
    law: Floats3,
    near: Floats2,
    kinds: Ints,
    x: Floats2,
    w: Floats2,
    error: Floats,
    settings: SolverSettings,
    report: Report,
):
    """Find impulses ``x`` of worlds, and what they do, ``w``; ``error`` is the exact residual."""
    for k in range(x.shape[0]):
        error[k] = refine_one(
            y[k].copy(), free[k].copy(), law[k].copy(), near[k].copy(), kinds, x, w, k, settings,
            report,
        )  # fmt: skip


@jit
def refine_one(
    y: Floats2,
    free: Floats,
    law: Floats2,
    near: Floats,
    kinds: Ints,
    x: Floats2,
    w: Floats2,
    k: int,
    settings: SolverSettings,
    report: Report,
):
    """The same for world ``k``."""
    nv, n_blocks, n_rows = y.shape[1], 0, 0
    for i in range(kinds.size):
        if near[i] > 0.0:
            n_blocks += 1
            n_rows += 3 if kinds[i] == CONTACT else 1
    kind, row = np.empty(n_blocks, np.int64), np.zeros(n_blocks + 1, np.int64)
    segment, node = np.arange(n_blocks + 1), np.zeros(n_blocks, np.int64)
    value, edges = np.zeros(n_blocks + 1, np.int64), np.zeros(n_blocks, np.int64)
    jacobian, bias = np.empty(n_rows * nv), np.empty(n_rows)
    mu, widening, rebound = np.zeros(n_blocks), np.zeros(n_blocks), np.zeros(n_blocks)
    lower, upper = np.zeros(n_blocks), np.full(n_blocks, np.inf)
    warm, v = np.empty(n_rows), np.empty(nv)
    b, r, at = 0, 0, 0
    for i in range(kinds.size):
        height = 3 if kinds[i] == CONTACT else 1
        if near[i] > 0.0:
            kind[b] = kinds[i]
            mu[b], rebound[b] = law[i, MU], law[i, RESTITUTION]
            if kinds[i] == BOX:
                lower[b], upper[b] = law[i, LOWER], law[i, UPPER]
            for a in range(height):
                for j in range(nv):
                    jacobian[(r + a) * nv + j] = y[at + a, j]
                bias[r + a], warm[r + a] = free[at + a], x[k, at + a]
            b += 1
            r += height
            row[b], value[b] = r, r * nv
        at += height
    mass = np.zeros(nv * nv)
    for j in range(nv):
        mass[j * nv + j] = 1.0
    dof, at_mass = np.zeros(2, np.int64), np.zeros(2, np.int64)
    dof[1], at_mass[1] = nv, nv * nv
    rows = ConstraintRows(
        dof, at_mass, mass, np.zeros(nv), kind, row, segment, node,
        value, jacobian, bias, np.zeros(n_rows), mu, widening, edges, lower, upper,
    )  # fmt: skip
    residual = impact(rows, rebound, warm, v, settings, report)
    for j in range(nv):
        w[k, j] = v[j]
    r, at = 0, 0
    for i in range(kinds.size):
        height = 3 if kinds[i] == CONTACT else 1
        for a in range(height):
            x[k, at + a] = warm[r + a] if near[i] > 0.0 else 0.0
        if near[i] > 0.0:
            r += height
        at += height
    return residual
