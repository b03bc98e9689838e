"""Forward dynamics by articulated bodies, relative to the motion at ``qdd = 0``.

The equations of motion are linear in accelerations.  Let ``a0`` be the bodies' accelerations at
``qdd = 0``, and ``f0 = I a0 + v x* I v - f_ext`` the forces they need.  With ``a = a0 + da`` the
bodies of a tree then obey

1. ``da[i] = X[i] da[p] + S[i] qdd[i]``, without ``c``, and zero at the base,
2. ``I a + v x* I v - f_ext = I da + f0``.

These are the equations of a model at rest with the bias forces ``f0``, which RBDA Table 7.1 (p.
132) solves without velocities.  ``f0`` comes from the outward pass of `luh_walker_paul`.

``f0`` acts on the joints only by its sum ``C``.  So it may be that of the regrouped model, which
has the same ``C`` and takes fewer operations.  Inertias are the model's own: articulated ones of
regrouped masses lose two digits in long chains.
"""

from __future__ import annotations

from ...model import Model, PerBody
from ...model.coupling import check_not_coupled
from ...spatial import LDL, ArticulatedInertia, FrameMotion, Motion
from .kinematics import external_forces


def aba_relative(
    model: Model, q: PerBody, qd: PerBody, tau: PerBody, f_ext: PerBody | None = None
) -> PerBody:
    """Accelerations of ``model`` under the joint forces ``tau``, in O(n).

    A joint without armature transmits no force along its own motion: entries of ``Ia`` that vanish
    by that are exact zeros.  Coupled joints are refused.
    """
    check_not_coupled(model)
    f_ext = external_forces(model, q, f_ext)
    X, S, m, IA, pA, U, D, u, da, qdd = ({} for _ in range(10))
    moments = model.regrouped().moments
    m[0], da[0] = FrameMotion.of(Motion.zero(), -model.gravity), Motion.zero()

    for i in model.bodies:  # base to tips
        XJ, S[i], vJ, cJ = model.joint[i].jcalc(q[i], qd[i])
        X[i] = XJ @ model.X_tree[i]
        m[i] = m[model.parent[i]].outward(X[i], vJ, cJ)
        IA[i] = ArticulatedInertia.of(model.inertia[i])
        pA[i] = moments[i].force(m[i]) - f_ext[i]

    for i in reversed(model.bodies):  # tips to base
        p = model.parent[i]
        U[i] = IA[i] @ S[i]
        D[i] = LDL.of(S[i].T @ U[i] + model.armature[i])
        u[i] = tau[i] - S[i].T @ pA[i]
        if p:
            Ia = IA[i] - D[i].projection(U[i])
            if model.armature[i].is_zero:
                Ia = Ia.without(S[i])
            IA[p] += X[i].T @ Ia @ X[i]
            pA[p] += X[i].T @ (pA[i] + U[i] @ D[i].solve(u[i]))

    for i in model.bodies:  # base to tips
        da_free = X[i] @ da[model.parent[i]]
        qdd[i] = D[i].solve(u[i] - U[i].T @ da_free)
        da[i] = da_free + S[i] @ qdd[i]

    return qdd
