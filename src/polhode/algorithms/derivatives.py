"""Derivatives of inverse and forward dynamics (Singh, Russo, Wensing 2022; Carpentier 2018).

All in base coordinates, where the sums over subtrees need no transforms.  Derivatives
by position are along the tangent of the joints: for a spherical joint, by a turn in body
axes.  Joints whose subspace depends on the position are first split into joints whose
does not; entries that then stand for one coordinate are added up.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Model, PerBody
from ..scalar import Scalar
from ..spatial import Coriolis, Force, Inertia, Motion, Subspace, Transform
from .crba import dof_parents
from .derivatives_loaded import pulls_by_q
from .derivatives_motion import Matrix, gathered_twice, spread, spread_positions
from .dynamics import forward_dynamics
from .sparsity import ltdl, ltdl_inverse, ltdl_solve

Factors = tuple[Matrix, list[Scalar], Sequence[int]]


def rnea_derivatives(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody, f_ext: PerBody | None = None
) -> tuple[Matrix, Matrix, Matrix]:
    """``d tau / d q``, ``d tau / d qd``, and ``d tau / d qdd = H``, each nv x nv, in O(n depth).

    ``f_ext``, in base coordinates, is held as the joints move.
    """
    split, origin = model.with_constant_subspaces()
    at = [
        spread_positions(split, model, origin, q),
        spread(split, model, origin, qd),
        spread(split, model, origin, qdd),
    ]
    parts = _derivatives(split, *at)
    if split is not model:
        parts = tuple(gathered_twice(part, origin, model.nv) for part in parts)
    d_q, d_qd, H = parts
    if f_ext is not None:
        pulls = pulls_by_q(model, q, f_ext)
        d_q = [[x - y for x, y in zip(*rows, strict=True)] for rows in zip(d_q, pulls, strict=True)]
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
    return solved(factors, d_q), solved(factors, d_qd), ltdl_inverse(*factors)


def _derivatives(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody
) -> tuple[Matrix, Matrix, Matrix]:
    """For joints whose subspace is constant in the moving body."""
    X_0, v, a = {0: Transform.identity()}, {0: Motion.zero()}, {0: -model.gravity}
    S, S1, S2, SD, Ic, Bc, f = ({} for _ in range(7))

    for i in model.bodies:  # base to tips
        p = model.parent[i]
        XJ, S_i, _, _ = model.joint[i].jcalc(q[i])
        X_0[i] = XJ @ model.X_tree[i] @ X_0[p]
        axes = Subspace(tuple(X_0[i].to_parent(column) for column in S_i.columns))
        S[i], vJ = axes.columns, axes @ qd[i]
        v[i] = v[p] + vJ
        a[i] = a[p] + axes @ qdd[i] + v[p].cross(vJ)
        S1[i] = [v[p].cross(s) for s in S[i]]
        S2[i] = [a[p].cross(s) + v[p].cross(s1) for s, s1 in zip(S[i], S1[i], strict=True)]
        SD[i] = [s1 + v[i].cross(s) for s, s1 in zip(S[i], S1[i], strict=True)]
        Ic[i] = X_0[i].T @ model.inertia[i] @ X_0[i]
        Bc[i] = Coriolis.of(Ic[i], v[i])
        f[i] = Ic[i].net_force(v[i], a[i])

    Ic[0], Bc[0], f[0] = Inertia.zero(), Coriolis.zero(), Force.zero()
    d_q, d_qd, H = ([[0.0] * model.nv for _ in range(model.nv)] for _ in range(3))
    for j in reversed(model.bodies):  # tips to base
        for k, s, s1, s2, sd in zip(model.v_index[j], S[j], S1[j], S2[j], SD[j], strict=True):
            by_q = Bc[j] @ s1 + Ic[j] @ s2 + s.cross(f[j])
            by_qd = Bc[j] @ s + Ic[j] @ sd
            by_qdd, by_v = Ic[j] @ s, Bc[j].transposed(s)
            i = j
            while i:
                for n, m, m1, m2, md in zip(
                    model.v_index[i], S[i], S1[i], S2[i], SD[i], strict=True
                ):
                    if i != j:
                        d_q[n][k] = m.dot(by_q)
                        d_qd[n][k] = m.dot(by_qd)
                    d_q[k][n] = m1.dot(by_v) + m2.dot(by_qdd)
                    d_qd[k][n] = m.dot(by_v) + md.dot(by_qdd)
                    if i != j or n >= k:
                        H[n][k] = H[k][n] = m.dot(by_qdd)
                i = model.parent[i]
        p = model.parent[j]
        Ic[p] += Ic[j]
        Bc[p] += Bc[j]
        f[p] += f[j]

    return d_q, d_qd, H


def solved(factors: Factors, matrix: Matrix) -> Matrix:
    """``-H^-1 matrix``, column by column."""
    columns = [ltdl_solve(*factors, list(column)) for column in zip(*matrix, strict=True)]
    return [[-x for x in row] for row in zip(*columns, strict=True)]
