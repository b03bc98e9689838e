"""Inverse dynamics with classical accelerations (Luh, Walker and Paul 1980).

"On-line computational scheme for mechanical manipulators", J. Dyn. Sys. Meas. Control 102(2).
Outward go angular velocity, angular acceleration and the acceleration of each frame's origin,
without linear velocities; inward go forces.  The force of a body is summed by its moments of mass
(`Moments.force`) about its frame's origin rather than its centre of mass.
"""

from __future__ import annotations

from ...model import Model, PerBody
from ...spatial import Force, FrameMotion, Motion
from .kinematics import external_forces


def luh_walker_paul(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody, f_ext: PerBody | None = None
) -> PerBody:
    """Joint forces that give ``model`` the accelerations ``qdd``, in O(n).

    Gravity enters as a fictitious upward acceleration of the base.
    """
    f_ext = external_forces(model, q, f_ext)
    X, S, m, f, tau = ({} for _ in range(5))
    m[0], f[0] = FrameMotion.of(Motion.zero(), -model.gravity), Force.zero()

    for i in model.bodies:  # base to tips
        XJ, S[i], vJ, cJ = model.joint[i].jcalc(q[i], qd[i])
        X[i] = XJ @ model.X_tree[i]
        m[i] = m[model.parent[i]].outward(X[i], vJ, S[i] @ qdd[i] + cJ)
        f[i] = model.moments[i].force(m[i]) - f_ext[i]

    for i in reversed(model.bodies):  # tips to base
        tau[i] = S[i].T @ f[i] + model.armature[i] @ qdd[i]
        f[model.parent[i]] += X[i].T @ f[i]

    return model.sum_forces(tau)
