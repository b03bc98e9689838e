"""Forward dynamics: the articulated-body algorithm (RBDA Table 7.1, p. 132)."""

from __future__ import annotations

from ..model import Model, PerBody
from ..spatial import LDL, ArticulatedInertia, Motion, Movement
from .kinematics import external_forces


def aba(
    model: Model, q: PerBody, qd: PerBody, tau: PerBody, f_ext: PerBody | None = None
) -> PerBody:
    """Accelerations of ``model`` under the joint forces ``tau``, in O(n).

    Gravity enters as a fictitious upward acceleration of the base; ``f_ext`` is in base
    coordinates.  Unlike the book's, the entries of ``Ia`` that vanish because a joint
    transmits no force along its own motion are exact zeros.
    Also, ``pA`` starts as the force that body ``i`` needs at ``qdd = 0``, gravity and all,
    and ``a`` is the acceleration beyond that, which takes fewer operations.
    """
    f_ext = external_forces(model, q, f_ext)
    X, S, m, IA, pA, U, D, u, a, qdd = ({} for _ in range(10))
    m[0], a[0] = Movement.of(Motion.zero(), -model.gravity), Motion.zero()

    for i in model.bodies:  # base to tips
        XJ, S[i], vJ, cJ = model.joint[i].jcalc(q[i], qd[i])
        X[i] = XJ @ model.X_tree[i]
        m[i] = m[model.parent[i]].across(X[i], vJ, cJ)
        IA[i] = ArticulatedInertia.of(model.inertia[i])
        pA[i] = model.moments[i].force(m[i]) - f_ext[i]

    for i in reversed(model.bodies):  # tips to base
        p = model.parent[i]
        U[i] = IA[i] @ S[i]
        D[i] = LDL.of(S[i].T @ U[i])
        u[i] = tuple(t - s for t, s in zip(tau[i], S[i].T @ pA[i], strict=True))
        if p:
            Ia = (IA[i] - D[i].projection(U[i])).without(S[i])
            pa = pA[i] + U[i] @ D[i].solve(u[i])
            IA[p] += X[i].T @ Ia @ X[i]
            pA[p] += X[i].T @ pa

    for i in model.bodies:  # base to tips
        a_free = X[i] @ a[model.parent[i]]
        qdd[i] = D[i].solve([x - y for x, y in zip(u[i], U[i].T @ a_free, strict=True)])
        a[i] = a_free + S[i] @ qdd[i]

    return qdd


def solve_inertia(model: Model, q: PerBody, tau: PerBody) -> PerBody:
    """``H^-1 tau`` in O(n), without forming ``H``: forward dynamics at rest without gravity."""
    at_rest = {i: (0.0,) * model.joint[i].nv for i in model.bodies}
    return aba(model.weightless(), q, at_rest, tau)
