"""Derivatives of the joint forces of external forces that are constant in base coordinates."""

from __future__ import annotations

from ...model import Model, PerBody
from ...spatial import Force
from ..tree.scatter import scatter_matrix
from ..tree.sparsity import Matrix
from .motion import subtree_sums, sweep


def applied_forces_by_q(model: Model, q: PerBody, f_ext: PerBody) -> Matrix:
    """The derivative of the joint forces that ``f_ext`` alone amounts to.

    Joint ``k`` bears all forces on the bodies that it carries; only joints up to its own rotate
    its axis.
    """
    at = sweep(model, q)
    F = on_subtrees(at.model, at.body_of, f_ext)
    by_q: Matrix = [[0.0] * at.model.nv for _ in range(at.model.nv)]
    for i in at.model.bodies:
        for column in at.columns[i]:
            change = column.s.cross(F[i])
            for above in at.path(i):
                by_q[column.k][above.k] = above.s.dot(change)
    return scatter_matrix(by_q, at.origin, model.nv)


def on_subtrees(split: Model, body_of: dict[int, int], f_ext: PerBody | None) -> dict[int, Force]:
    """External forces summed over all that each body carries, itself included."""
    F: dict[int, Force] = {int(i): Force.zero() for i in split.bodies}
    for i, here in body_of.items():
        if i and f_ext is not None:
            F[here] = F[here] + Force.of(tuple(f_ext[i]))
    return subtree_sums(split, F, Force.zero())
