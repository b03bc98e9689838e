"""Derivatives of dynamics under external forces that stay as they are in base coordinates."""

from __future__ import annotations

from ..model import Model, PerBody
from ..spatial import Force
from .crba import dof_parents
from .derivatives import Matrix, rnea_derivatives, solved
from .derivatives_motion import gathered_twice, sweep
from .loaded import aba_with_forces
from .sparsity import ltdl, ltdl_inverse


def rnea_derivatives_with_forces(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody, f_ext: PerBody
) -> tuple[Matrix, Matrix, Matrix]:
    """`rnea_derivatives` under forces in base coordinates, held as the joints move."""
    d_q, d_qd, H = rnea_derivatives(model, q, qd, qdd)
    pulls = pulls_by_q(model, q, f_ext)
    d_q = [[x - y for x, y in zip(*rows, strict=True)] for rows in zip(d_q, pulls, strict=True)]
    return d_q, d_qd, H


def aba_derivatives_with_forces(
    model: Model, q: PerBody, qd: PerBody, tau: PerBody, f_ext: PerBody
) -> tuple[Matrix, Matrix, Matrix]:
    """`aba_derivatives` under forces in base coordinates, held as the joints move."""
    qdd = aba_with_forces(model, q, qd, tau, f_ext)
    d_q, d_qd, H = rnea_derivatives_with_forces(model, q, qd, qdd, f_ext)
    factors = ltdl(H, dof_parents(model))
    return solved(factors, d_q), solved(factors, d_qd), ltdl_inverse(*factors)


def pulls_by_q(model: Model, q: PerBody, f_ext: PerBody) -> Matrix:
    """The derivative of the joint forces that ``f_ext`` alone amounts to.

    Joint ``k`` feels all that acts on what it carries; only joints up to its own turn its axis.
    """
    at = sweep(model, q)
    F = on_subtrees(at.model, at.body_of, f_ext)
    pulls: Matrix = [[0.0] * at.model.nv for _ in range(at.model.nv)]
    for i in at.model.bodies:
        for column in at.columns[i]:
            turned = column.s.cross(F[i])
            for above in at.path(i):
                pulls[column.k][above.k] = above.s.dot(turned)
    return gathered_twice(pulls, at.origin, model.nv)


def on_subtrees(split: Model, body_of: dict[int, int], f_ext: PerBody | None) -> dict[int, Force]:
    """External forces summed over all that each body carries, itself included."""
    F: dict[int, Force] = {i: Force.zero() for i in (0, *split.bodies)}
    for i, here in body_of.items():
        if i and f_ext is not None:
            F[here] = F[here] + Force.of(tuple(f_ext[i]))
    for i in reversed(split.bodies):
        F[split.parent[i]] += F[i]
    return F
