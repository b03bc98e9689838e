"""Derivatives of dynamics and of impacts under constraints (RBDA section 8.2, differentiated).

Along any variable the accelerations and forces obey the system that gives them,
``H dqdd = G^T dforce + f`` and ``G dqdd = b``.  ``f`` and ``b`` are the negative changes of the
equation of motion and of the rows with accelerations and forces held constant.  One factorisation
serves all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...model import Model, PerBody
from ...scalar import Scalar
from ..constrained.rows import constraint_rows
from ..constrained.solve import RangeSpace
from ..constrained.solvers import Constraints
from ..constrained.sparse_rows import Row, dense, row_times
from ..tree.crba import dof_parents
from ..tree.dynamics import bias, mass_matrix
from ..tree.scatter import scatter_columns, scatter_matrix
from ..tree.sparsity import Matrix
from .dynamics import rnea_derivatives
from .motion import Sweep, sweep
from .rows import force_derivatives, row_derivatives


class Blocks(NamedTuple):
    """Derivatives of accelerations (or velocities after) and of forces (or impulses)."""

    motion: Matrix
    force: Matrix


def constrained_derivatives(
    model: Model, q: PerBody, qd: PerBody, tau: PerBody, f_ext: PerBody | None = None, *,
    constraints: Constraints,
) -> tuple[Matrix, ...]:  # fmt: skip
    """Accelerations by position, velocity and force, then constraint forces by the same.

    ``f_ext``, in base coordinates, is held as the joints move.
    """
    rows = constraint_rows(model, q, qd, constraints)
    solver = RangeSpace(mass_matrix(model, q), dof_parents(model), rows.G)
    C = bias(model, q, qd, f_ext)
    free = [t - c for t, c in zip(model.join_v(tau), model.join_v(C), strict=True)]
    found, force = solver.solve(free, rows.gamma)
    qdd = model.split_v(found)
    by_q, by_qd, _ = rnea_derivatives(model, q, qd, qdd, f_ext)
    at = sweep(model, q, qd, qdd)
    force_q = scatter_matrix(force_derivatives(model, at, constraints, force), at.origin, model.nv)
    steps = row_derivatives(model, at, constraints)
    rows_q = _whole([row.by_q for row in steps], at, model.nv)
    rows_qd = _whole([row.by_qd for row in steps], at, model.nv)
    parts = (
        _blocks(solver, _difference(force_q, by_q), _negative(rows_q)),
        _blocks(solver, _negative(by_qd), _negative(rows_qd)),
        _blocks(solver, _identity(model.nv), [[0.0] * model.nv for _ in rows.G]),
    )
    return *(part.motion for part in parts), *(part.force for part in parts)


def impulse_derivatives(
    model: Model, q: PerBody, qd: PerBody, v_plus: Sequence[Scalar], *, constraints: Constraints
) -> tuple[Matrix, ...]:
    """Velocities after an impact by position, velocity before and ``v_plus``; then impulses.

    An impact obeys the equations of dynamics with the jump for the acceleration, at rest
    and without gravity.
    """
    H, G = mass_matrix(model, q), constraint_rows(model, q, None, constraints).G
    solver = RangeSpace(H, dof_parents(model), G)
    before, still = model.join_v(qd), model.weightless()
    wanted = [v - row_times(row, before) for v, row in zip(v_plus, G, strict=True)]
    jump, impulse = solver.solve([0.0] * model.nv, wanted)
    after = [x + dx for x, dx in zip(before, jump, strict=True)]
    at_rest = model.split_v([0.0] * model.nv)
    by_q, _, _ = rnea_derivatives(still, q, at_rest, model.split_v(jump))
    at = sweep(still, q, model.split_v(after))
    by_split = force_derivatives(model, at, constraints, impulse)
    force_q = scatter_matrix(by_split, at.origin, model.nv)
    rows = row_derivatives(model, at, constraints)
    rates = _whole([row.rate_by_q for row in rows], at, model.nv)
    none = [[0.0] * model.nv for _ in G]
    parts = (
        _blocks(solver, _difference(force_q, by_q), _negative(rates)),
        _blocks(solver, H, none),
        _blocks(solver, [[0.0] * len(G) for _ in before], _identity(len(G))),
    )
    return *(part.motion for part in parts), *(part.force for part in parts)


def _blocks(solver: RangeSpace, f: Matrix, b: Matrix) -> Blocks:
    """The solutions of the system for each column of ``f`` and ``b``."""
    columns = zip(zip(*f, strict=True), zip(*b, strict=True), strict=True)
    solutions = [solver.solve(*column) for column in columns]
    motion, force = ([list(row) for row in zip(*part, strict=True)]
                     for part in zip(*solutions, strict=True))  # fmt: skip
    return Blocks(motion, force)


def _whole(rows: Sequence[Row], at: Sweep, nv: int) -> Matrix:
    """Rows of the split model as complete rows of the model."""
    return scatter_columns([dense(row, at.model.nv) for row in rows], at.origin, nv)


def _difference(a: Matrix, b: Matrix) -> Matrix:
    return [[x - y for x, y in zip(*rows, strict=True)] for rows in zip(a, b, strict=True)]


def _negative(a: Matrix) -> Matrix:
    return [[-x for x in row] for row in a]


def _identity(n: int) -> Matrix:
    return [[float(i == j) for j in range(n)] for i in range(n)]
