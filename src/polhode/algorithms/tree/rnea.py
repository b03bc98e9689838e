"""Inverse dynamics: the recursive Newton-Euler algorithm (RBDA Table 5.1, p. 96).

The definition of inverse dynamics.  Programs run `dynamics.inverse_dynamics`, which takes fewer
operations to the same forces.
"""

from __future__ import annotations

from typing import NamedTuple

from ...model import Model, PerBody
from ...spatial import Force, Motion
from .kinematics import external_forces


class RneaTables(NamedTuple):
    """By body, in its coordinates: velocity, acceleration, force across its joint; ``tau``."""

    v: PerBody
    a: PerBody
    f: PerBody
    tau: PerBody


def rnea(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody, f_ext: PerBody | None = None
) -> PerBody:
    """Joint forces that give ``model`` the accelerations ``qdd``, in O(n)."""
    return rnea_tables(model, q, qd, qdd, f_ext).tau


def rnea_tables(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody, f_ext: PerBody | None = None
) -> RneaTables:
    """All intermediate results of `rnea`.

    Gravity enters as a fictitious upward acceleration of the base; ``f[0]`` is the force on it.
    """
    f_ext = external_forces(model, q, f_ext)
    X, S, v, a, f, tau = ({} for _ in range(6))
    v[0], a[0], f[0] = Motion.zero(), -model.gravity, Force.zero()

    for i in model.bodies:  # base to tips
        p, I = model.parent[i], model.inertia[i]
        XJ, S[i], vJ, cJ = model.joint[i].jcalc(q[i], qd[i])
        X[i] = XJ @ model.X_tree[i]
        v[i] = X[i] @ v[p] + vJ
        a[i] = X[i] @ a[p] + S[i] @ qdd[i] + cJ + v[i].cross(vJ)
        f[i] = I @ a[i] + v[i].cross(I @ v[i]) - f_ext[i]

    for i in reversed(model.bodies):  # tips to base
        tau[i] = S[i].T @ f[i] + model.armature[i] @ qdd[i]
        f[model.parent[i]] += X[i].T @ f[i]

    return RneaTables(v, a, f, model.sum_forces(tau))
