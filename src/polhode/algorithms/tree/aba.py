"""Forward dynamics: the articulated-body algorithm (RBDA Table 7.1, p. 132).

The definition of forward dynamics.  Programs run `dynamics.forward_dynamics`, which takes fewer
operations to the same accelerations.
"""

from __future__ import annotations

from typing import NamedTuple

from ...model import Model, PerBody
from ...model.coupling import check_not_coupled
from ...spatial import LDL, ArticulatedInertia, Motion
from .crba import crba, dof_parents
from .kinematics import external_forces
from .rnea import rnea
from .sparsity import ltdl, ltdl_solve


class AbaTables(NamedTuple):
    """Quantities of each body, in its coordinates, named as in the book's table."""

    v: PerBody
    c: PerBody
    IA: PerBody
    pA: PerBody
    U: PerBody
    D: PerBody
    u: PerBody
    a: PerBody
    qdd: PerBody


def aba(
    model: Model, q: PerBody, qd: PerBody, tau: PerBody, f_ext: PerBody | None = None
) -> PerBody:
    """Accelerations of ``model`` under the joint forces ``tau``, in O(n).

    Coupled joints have no articulated bodies: there by the factors of ``H`` (RBDA section 6.2).
    """
    if model.is_coupled:
        return _by_factors(model, q, qd, tau, f_ext)
    return aba_tables(model, q, qd, tau, f_ext).qdd


def aba_tables(
    model: Model, q: PerBody, qd: PerBody, tau: PerBody, f_ext: PerBody | None = None
) -> AbaTables:
    """All intermediate results of `aba`.

    Gravity enters as a fictitious upward acceleration of the base.  Coupled joints are refused.
    """
    check_not_coupled(model)
    f_ext = external_forces(model, q, f_ext)
    X, S, v, c, IA, pA, U, D, factors, u, a, qdd = ({} for _ in range(12))
    v[0], a[0] = Motion.zero(), -model.gravity

    for i in model.bodies:  # base to tips
        I = model.inertia[i]
        XJ, S[i], vJ, cJ = model.joint[i].jcalc(q[i], qd[i])
        X[i] = XJ @ model.X_tree[i]
        v[i] = X[i] @ v[model.parent[i]] + vJ
        c[i] = cJ + v[i].cross(vJ)
        IA[i] = ArticulatedInertia.of(I)
        pA[i] = v[i].cross(I @ v[i]) - f_ext[i]

    for i in reversed(model.bodies):  # tips to base
        p = model.parent[i]
        U[i] = IA[i] @ S[i]
        D[i] = S[i].T @ U[i] + model.armature[i]
        factors[i] = LDL.of(D[i])
        u[i] = tau[i] - S[i].T @ pA[i]
        if p:
            Ia = IA[i] - factors[i].projection(U[i])
            pa = pA[i] + Ia @ c[i] + U[i] @ factors[i].solve(u[i])
            IA[p] += X[i].T @ Ia @ X[i]
            pA[p] += X[i].T @ pa

    for i in model.bodies:  # base to tips
        a_free = X[i] @ a[model.parent[i]] + c[i]
        qdd[i] = factors[i].solve(u[i] - U[i].T @ a_free)
        a[i] = a_free + S[i] @ qdd[i]

    return AbaTables(v, c, IA, pA, U, D, u, a, qdd)


def _by_factors(
    model: Model, q: PerBody, qd: PerBody, tau: PerBody, f_ext: PerBody | None
) -> PerBody:
    """``H^-1 (tau - C)``."""
    zero = model.split_v([0.0] * model.nv)
    C = model.join_v(rnea(model, q, qd, zero, f_ext=f_ext))
    free = [t - c for t, c in zip(model.join_v(tau), C, strict=True)]
    return model.split_v(ltdl_solve(*ltdl(crba(model, q), dof_parents(model)), free))
