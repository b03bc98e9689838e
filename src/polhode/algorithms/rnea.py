"""Inverse dynamics: the recursive Newton-Euler algorithm (RBDA Table 5.1, p. 96)."""

from __future__ import annotations

from ..model import Model, PerBody
from ..spatial import Force, Motion, Movement
from .kinematics import external_forces


def rnea(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody, f_ext: PerBody | None = None
) -> PerBody:
    """Joint forces that give ``model`` the accelerations ``qdd``, in O(n).

    Gravity enters as a fictitious upward acceleration of the base.  Unlike the
    book's, accelerations are those that an observer measures, which takes fewer
    operations: ``m[i]`` stands for ``v[i], a[i]``.  ``f_ext`` is in base coordinates.
    """
    f_ext = external_forces(model, q, f_ext)
    X, S, m, f, tau = ({} for _ in range(5))
    m[0], f[0] = Movement.of(Motion.zero(), -model.gravity), Force.zero()

    for i in model.bodies:  # base to tips
        XJ, S[i], vJ, cJ = model.joint[i].jcalc(q[i], qd[i])
        X[i] = XJ @ model.X_tree[i]
        m[i] = m[model.parent[i]].across(X[i], vJ, S[i] @ qdd[i] + cJ)
        f[i] = model.moments[i].force(m[i]) - f_ext[i]

    for i in reversed(model.bodies):  # tips to base
        p = model.parent[i]
        tau[i] = S[i].T @ f[i]
        f[p] += X[i].T @ f[i]

    return tau


def bias(model: Model, q: PerBody, qd: PerBody, f_ext: PerBody | None = None) -> PerBody:
    """Joint forces at zero acceleration, ``C`` of RBDA eq. 3.1: gravity, velocity, contact."""
    return rnea(model, q, qd, _zeros(model), f_ext)


def gravity(model: Model, q: PerBody) -> PerBody:
    """Joint forces that hold ``model`` at rest against gravity."""
    return rnea(model, q, _zeros(model), _zeros(model))


def _zeros(model: Model) -> PerBody:
    return {i: (0.0,) * model.joint[i].nv for i in model.bodies}
