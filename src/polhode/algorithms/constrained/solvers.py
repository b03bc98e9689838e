"""Dynamics under constraints: ``H qdd + C = tau + G^T force``, ``G qdd = gamma`` (RBDA ch. 8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...constraint_sets import Constraint
from ...model import Model, PerBody
from ...scalar import Scalar
from ...spatial import LDL
from ..tree.dynamics import (
    bias,
    forward_dynamics,
    inertia_parents,
    mass_matrix,
    solve_inertia,
)
from ..tree.sparsity import Matrix
from .rows import constraint_rows
from .solve import RANK_TOLERANCE, RangeSpace
from .sparse_rows import Row, added, dense, row_times

Vector = list[Scalar]
Constraints = tuple[Constraint, ...]


def constrained_range_space(
    model: Model, q: PerBody, qd: PerBody, tau: PerBody, f_ext: PerBody | None = None, *,
    constraints: Constraints,
) -> tuple[Vector, Vector]:  # fmt: skip
    """Accelerations and constraint forces, by the sparse factors of ``H`` (RBDA section 8.5)."""
    rows = constraint_rows(model, q, qd, constraints)
    solver = RangeSpace(mass_matrix(model, q), inertia_parents(model), rows.G)
    C = model.join_v(bias(model, q, qd, f_ext))
    return solver.solve(_difference(model.join_v(tau), C), rows.gamma)


def constrained_kokkevis(
    model: Model, q: PerBody, qd: PerBody, tau: PerBody, f_ext: PerBody | None = None, *,
    constraints: Constraints,
) -> tuple[Vector, Vector]:  # fmt: skip
    """The same by the articulated-body algorithm: free motion, then the response to each row.

    Kokkevis and Metaxas (1998) apply a test force at each contact and compute the response at the
    others. Here a test force is a row of ``G``, so loops and custom rows are possible too.
    """
    rows = constraint_rows(model, q, qd, constraints)
    free = model.join_v(forward_dynamics(model, q, qd, tau, f_ext))
    wanted = [g - row_times(row, free) for g, row in zip(rows.gamma, rows.G, strict=True)]
    return _corrected(model, q, rows.G, free, wanted)


def impulses_range_space(
    model: Model, q: PerBody, qd: PerBody, v_plus: Sequence[Scalar], *, constraints: Constraints
) -> tuple[Vector, Vector]:
    """Velocities after an impact, and impulses.

    ``H (qd+ - qd) = G^T impulse`` and ``G qd+ = v_plus``.
    """
    G = constraint_rows(model, q, None, constraints).G
    before = model.join_v(qd)
    wanted = [v - row_times(row, before) for v, row in zip(v_plus, G, strict=True)]
    solver = RangeSpace(mass_matrix(model, q), inertia_parents(model), G)
    jump, impulse = solver.solve([0.0] * model.nv, wanted)
    return added(before, jump), impulse


def impulses_kokkevis(
    model: Model, q: PerBody, qd: PerBody, v_plus: Sequence[Scalar], *, constraints: Constraints
) -> tuple[Vector, Vector]:
    """The same by the articulated-body algorithm."""
    G = constraint_rows(model, q, None, constraints).G
    before = model.join_v(qd)
    wanted = [v - row_times(row, before) for v, row in zip(v_plus, G, strict=True)]
    return _corrected(model, q, G, before, wanted)


class ConstrainedSystem(NamedTuple):
    """The parts of ``H qdd + C = tau + G^T force``, ``G qdd = gamma``, and the rows' errors."""

    H: Matrix
    C: Vector
    G: Matrix
    gamma: Vector
    err: Vector
    errd: Vector


def constrained_system(
    model: Model, q: PerBody, qd: PerBody, f_ext: PerBody | None = None, *,
    constraints: Constraints,
) -> ConstrainedSystem:  # fmt: skip
    """All parts of the equations of motion under constraints."""
    rows = constraint_rows(model, q, qd, constraints)
    G = [dense(row, model.nv) for row in rows.G]
    C = model.join_v(bias(model, q, qd, f_ext))
    return ConstrainedSystem(mass_matrix(model, q), C, G, rows.gamma, rows.err, rows.errd)


def constraint_jacobian(model: Model, q: PerBody, *, constraints: Constraints) -> Matrix:
    """``G``, a row for each row of the set."""
    rows = constraint_rows(model, q, None, constraints)
    return [dense(row, model.nv) for row in rows.G]


def constraint_errors(
    model: Model, q: PerBody, qd: PerBody, *, constraints: Constraints
) -> tuple[Vector, Vector]:
    """Position errors, and velocity errors ``G qd``."""
    rows = constraint_rows(model, q, qd, constraints)
    return rows.err, rows.errd


def _corrected(model: Model, q: PerBody, G: list[Row], start: Vector, wanted: Vector):
    """``start`` with the response to those multipliers that bring the rows to ``wanted``.

    As in `RangeSpace`, what rounding left is made up for once.
    """
    columns = [
        model.join_v(solve_inertia(model, q, model.split_v(dense(row, model.nv)))) for row in G
    ]
    products = [[row_times(row, column) for column in columns[: i + 1]] for i, row in enumerate(G)]
    factors = LDL.of(products, rank_tolerance=RANK_TOLERANCE)
    change, multipliers = [0.0] * model.nv, [0.0] * len(G)
    for _ in range(2):
        missing = [w - row_times(row, change) for w, row in zip(wanted, G, strict=True)]
        more = factors.solve(missing)
        multipliers = added(multipliers, more)
        for column, weight in zip(columns, more, strict=True):
            change = [x + y * weight for x, y in zip(change, column, strict=True)]
    return added(start, change), multipliers


def _difference(a: Sequence[Scalar], b: Sequence[Scalar]) -> Vector:
    return [x - y for x, y in zip(a, b, strict=True)]
