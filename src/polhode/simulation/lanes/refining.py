"""Problems of worlds that the solver in lanes left, by the exact one, one world after the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...algorithms.stepping.contact_rows import tangents
from ...compiler.jit import Ints, jit
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


class WorldProblem(NamedTuple):
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
    """The exact solver for what the program ``problem`` tells of worlds."""

    def __init__(self, kinds: tuple[int, ...], signs: np.ndarray):
        self._kinds = np.array(kinds, np.int64)
        self._signs = signs
        self._settings = solver_settings()
        self._report = Report()

    def solved(self, problem: WorldProblem, x: np.ndarray, dt: float) -> Refined:
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
        given = WorldRows(
            *(np.ascontiguousarray(a[can]) for a in (y, free, law, near, x, w, error))
        )
        refine(given, self._kinds, self._settings, self._report)
        x[can], w[can], error[can] = given.x, given.w, given.error
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


class WorldRows(NamedTuple):
    """Rows of worlds for compiled code: ``x``, ``w`` and ``error`` are results.

    Attributes
    ----------
    y : ndarray, shape (n, rows, nv)
    free : ndarray, shape (n, rows)
    law : ndarray, shape (n, blocks, 4)
    near : ndarray, shape (n, blocks)
    x, w, error : ndarray, shape (n, rows), (n, nv), (n,)
        Impulses, at first those to begin with; what they do; residuals.
    """

    y: np.ndarray
    free: np.ndarray
    law: np.ndarray
    near: np.ndarray
    x: np.ndarray
    w: np.ndarray
    error: np.ndarray


@jit
def refine(worlds: WorldRows, kinds: Ints, settings: SolverSettings, report: Report):
    """Find the impulses of worlds, one after the other."""
    for k in range(worlds.x.shape[0]):
        worlds.error[k] = refine_one(worlds, k, kinds, settings, report)


@jit
def refine_one(worlds: WorldRows, k: int, kinds: Ints, settings: SolverSettings, report: Report):
    """The same for world ``k``."""
    y, free, law, near = worlds.y[k], worlds.free[k], worlds.law[k], worlds.near[k]
    x, w = worlds.x, worlds.w
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
        mass.copy(), np.arange(nv),
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
