"""Assembly: positions and velocities that satisfy the constraints of a model (RBDA ch. 8)."""

from __future__ import annotations

from collections.abc import Sequence

from ...constraint_sets import Constraint
from ...model import Model, PerBody
from ...scalar import Scalar, sqrt
from ...spatial import LDL
from ..tree.manifold import integrate
from .rows import constraint_rows
from .solve import RANK_TOLERANCE
from .sparse_rows import Row, added, row_product, row_times

Vector = list[Scalar]
PASSES = 2
"""More of the iteration for coordinates that cost nothing."""


def assembly_step(
    model: Model,
    q: PerBody,
    weights: Sequence[Scalar],
    *,
    constraints: tuple[Constraint, ...],
    free: tuple[int, ...] = (),
) -> tuple[Vector, Scalar, Scalar]:
    """One step of Newton's method to ``err(q) = 0``; the norms of ``err`` before, and of the step.

    Of all steps with ``d err/dq dq = -err`` it is the one with the least ``sum w_k dq_k^2``.
    """
    rows = constraint_rows(model, q, None, constraints)
    step = _least(rows.slope, [-x for x in rows.err], weights, free)
    return integrate(model, q, model.split_v(step), 1.0), norm(rows.err), norm(step)


def assembled_velocities(
    model: Model,
    q: PerBody,
    qd: PerBody,
    weights: Sequence[Scalar],
    *,
    constraints: tuple[Constraint, ...],
    free: tuple[int, ...] = (),
) -> Vector:
    """The velocities nearest to ``qd``, by ``weights``, with ``G qd = 0``."""
    G = constraint_rows(model, q, None, constraints).G
    start = model.join_v(qd)
    step = _least(G, [-row_times(row, start) for row in G], weights, free)
    return [x + dx for x, dx in zip(start, step, strict=True)]


def _least(G: Sequence[Row], b: Vector, weights: Sequence[Scalar], free: tuple[int, ...]) -> Vector:
    """The ``x`` with ``G x = b`` that has the least ``sum w_k x_k^2`` over all but ``free`` ``k``.

    Free coordinates have a small weight too, on their distance from the previous solution. Each
    pass of this proximal-point iteration reduces the error by a factor of that weight.
    """
    scaled = [{k: x / weights[k] for k, x in row.items()} for row in G]
    A = [[row_product(row, other) for other in G[: i + 1]] for i, row in enumerate(scaled)]
    factors = LDL.of(A, rank_tolerance=RANK_TOLERANCE)
    solution = _nearest(G, scaled, factors, b, len(weights))
    for _ in range(PASSES if free else 0):
        known = [solution[k] if k in free else 0.0 for k in range(len(weights))]
        target = [x - row_times(row, known) for x, row in zip(b, G, strict=True)]
        solution = added(known, _nearest(G, scaled, factors, target, len(weights)))
    return solution


def _nearest(G: Sequence[Row], scaled: Sequence[Row], factors: LDL, b: Vector, n: int) -> Vector:
    """The ``x`` with ``G x = b`` nearest to zero; once more for what rounding left."""
    solution: Vector = [0.0] * n
    for _ in range(2):
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
