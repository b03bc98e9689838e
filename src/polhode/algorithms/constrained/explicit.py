"""Dynamics under explicit constraints: all joints follow a few variables (RBDA section 3.2, 8).

``q = gamma(y)`` makes ``qd = G yd`` and ``qdd = G ydd + g``, whatever ``y`` may be.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Model, PerBody
from ...scalar import Scalar
from ...spatial import LDL
from ..tree.dynamics import bias, mass_matrix

Matrix = Sequence[Sequence[Scalar]]


def explicit_dynamics(
    model: Model, q: PerBody, qd: PerBody, tau: PerBody, G: Matrix, g: Sequence[Scalar],
    f_ext: PerBody | None = None,
) -> list[Scalar]:  # fmt: skip
    """Accelerations of all joints when ``qdd = G ydd + g`` (RBDA eq. 3.20).

    ``G^T (H qdd + C - tau) = 0``: the constraint forces do no work on any ``yd``.
    ``f_ext`` is in base coordinates.
    """
    H, C = mass_matrix(model, q), model.join_v(bias(model, q, qd, f_ext))
    free = [t - c - s for t, c, s in zip(model.join_v(tau), C, _times(H, g), strict=True)]
    columns = list(zip(*G, strict=True))
    HG = [_times(H, column) for column in columns]
    reduced = [[_dot(column, other) for other in HG] for column in columns]
    ydd = LDL.of(reduced).solve([_dot(column, free) for column in columns])
    return [_dot(row, ydd) + known for row, known in zip(G, g, strict=True)]


def _times(A: Matrix, x: Sequence[Scalar]) -> list[Scalar]:
    return [_dot(row, x) for row in A]


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total
