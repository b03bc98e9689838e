"""Putting a machine together: positions and velocities that meet its constraints (RBDA ch. 8)."""

from __future__ import annotations

from collections.abc import Sequence

from ..constraints import Constraint
from ..model import Model, PerBody
from ..scalar import Scalar, sqrt
from .constraint_rows import constraint_rows
from .constraint_solve import semidefinite_ldl
from .manifold import integrate
from .sparse_rows import Row, row_product, row_times

Vector = list[Scalar]


def assembly_step(
    model: Model, q: PerBody, weights: Sequence[Scalar], *, constraints: tuple[Constraint, ...]
) -> tuple[Vector, Scalar, Scalar]:
    """One step of Newton's method to ``err(q) = 0``; the norms of ``err`` before, and of the step.

    Of all steps with ``d err/dq dq = -err`` it is the one with the least ``sum w_k dq_k^2``.
    """
    rows = constraint_rows(model, q, None, constraints)
    step = _least(rows.slope, [-x for x in rows.err], weights)
    return integrate(model, q, model.split_v(step), 1.0), norm(rows.err), norm(step)


def assembled_velocities(
    model: Model,
    q: PerBody,
    qd: PerBody,
    weights: Sequence[Scalar],
    *,
    constraints: tuple[Constraint, ...],
) -> Vector:
    """The velocities nearest to ``qd``, by ``weights``, with ``G qd = 0``."""
    G = constraint_rows(model, q, None, constraints).G
    start = model.join_v(qd)
    step = _least(G, [-row_times(row, start) for row in G], weights)
    return [x + dx for x, dx in zip(start, step, strict=True)]


def _least(G: Sequence[Row], b: Vector, weights: Sequence[Scalar]) -> Vector:
    """The ``x`` with ``G x = b`` that has the least ``sum w_k x_k^2``."""
    scaled = [{k: x / weights[k] for k, x in row.items()} for row in G]
    A = [[row_product(row, other) for other in G[: i + 1]] for i, row in enumerate(scaled)]
    factors, solution = semidefinite_ldl(A), [0.0] * len(weights)
    for _ in range(2):  # once more for what rounding left, as in `RangeSpace`
        missing = [x - row_times(row, solution) for x, row in zip(b, G, strict=True)]
        for row, weight in zip(scaled, factors.solve(missing), strict=True):
            for k, x in row.items():
                solution[k] = solution[k] + x * weight
    return solution


def norm(x: Sequence[Scalar]) -> Scalar:
    """The Euclidean length of a vector."""
    total: Scalar = 0.0
    for entry in x:
        total = total + entry * entry
    return sqrt(total)
