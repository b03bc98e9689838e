"""Derivatives of inverse and forward dynamics (Singh, Russo, Wensing 2022; Carpentier 2018).

All in base coordinates, where the sums over subtrees need no transforms.  Derivatives
by position are along the tangent of the joints: for a spherical joint, by a turn in body
axes.  Joints whose subspace depends on the position are first split into joints whose
does not; entries that then stand for one coordinate are added up.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Model, PerBody
from ...scalar import Scalar
from ..tree.crba import dof_parents
from ..tree.dynamics import forward_dynamics
from ..tree.scatter import scatter_matrix
from ..tree.sparsity import Matrix, ltdl, ltdl_inverse, ltdl_solve
from .external_forces import applied_forces_by_q
from .motion import Sweep, composites, sweep

Factors = tuple[Matrix, list[Scalar], Sequence[int]]


def rnea_derivatives(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody, f_ext: PerBody | None = None
) -> tuple[Matrix, Matrix, Matrix]:
    """``d tau / d q``, ``d tau / d qd``, and ``d tau / d qdd = H``, each nv x nv, in O(n depth).

    ``f_ext``, in base coordinates, is held as the joints move.
    """
    at = sweep(model, q, qd, qdd)
    d_q, d_qd, H = (scatter_matrix(part, at.origin, model.nv) for part in _derivatives(at))
    for i in model.bodies:
        for k, armature in zip(model.v_index[i], model.armature[i].entries, strict=True):
            H[k][k] = H[k][k] + armature
    if f_ext is not None:
        applied = applied_forces_by_q(model, q, f_ext)
        pairs = zip(d_q, applied, strict=True)
        d_q = [[x - y for x, y in zip(*rows, strict=True)] for rows in pairs]
    return d_q, d_qd, H


def aba_derivatives(
    model: Model, q: PerBody, qd: PerBody, tau: PerBody, f_ext: PerBody | None = None
) -> tuple[Matrix, Matrix, Matrix]:
    """``d qdd / d q``, ``d qdd / d qd``, and ``d qdd / d tau = H^-1``, each nv x nv.

    By differentiating ``tau = ID(q, qd, qdd)``: ``-H^-1`` times the derivatives of inverse
    dynamics at the accelerations that forward dynamics gives.
    """
    qdd = forward_dynamics(model, q, qd, tau, f_ext)
    d_q, d_qd, H = rnea_derivatives(model, q, qd, qdd, f_ext)
    factors = ltdl(H, dof_parents(model))
    return (
        minus_inverse_times(factors, d_q),
        minus_inverse_times(factors, d_qd),
        ltdl_inverse(*factors),
    )


def _derivatives(at: Sweep) -> tuple[Matrix, Matrix, Matrix]:
    """For joints whose subspace is constant in the body; ``t1`` to ``t4`` are the paper's.

    Numbers are those of the equations in ``docs/derivations/second-derivatives.md``.
    """
    nv = at.model.nv
    d_q, d_qd, H = ([[0.0] * nv for _ in range(nv)] for _ in range(3))
    for j, carried in composites(at):
        I, B, f = carried.I, carried.B, carried.f
        for z in at.columns[j]:
            t1, t2 = I @ z.s, B @ z.s + I @ z.psid_sd  # (10), (11)
            t3, t4 = B @ z.psid + I @ z.psidd + z.s.cross(f), B.transposed(z.s)  # (12), (13)
            for x in at.path(j):
                if x.body != j:
                    d_q[x.k][z.k] = x.s.dot(t3)  # (14)
                    d_qd[x.k][z.k] = x.s.dot(t2)  # (16)
                d_q[z.k][x.k] = x.psid.dot(t4) + x.psidd.dot(t1)  # (15)
                d_qd[z.k][x.k] = x.s.dot(t4) + x.psid_sd.dot(t1)  # (17)
                if x.body != j or x.k >= z.k:
                    H[x.k][z.k] = H[z.k][x.k] = x.s.dot(t1)  # (18)
    return d_q, d_qd, H


def minus_inverse_times(factors: Factors, matrix: Matrix) -> Matrix:
    """``-H^-1 matrix``, column by column."""
    columns = [ltdl_solve(*factors, list(column)) for column in zip(*matrix, strict=True)]
    return [[-x for x in row] for row in zip(*columns, strict=True)]
