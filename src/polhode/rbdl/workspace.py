"""The intermediate values of the book's tables, which RBDL keeps in its Model, on floats.

The results of dynamics come from `polhode.algorithms`; these are for looking into them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..algorithms.kinematics import body_accelerations, body_velocities, external_forces
from ..model import Model, PerBody
from ..spatial import LDL, ArticulatedInertia, Force, Inertia, Motion


def per_body(model: Model, values: PerBody, shape: tuple[int, ...]) -> np.ndarray:
    """Values of bodies as one array, with an entry for the base."""
    array = np.zeros((model.n_bodies + 1, *shape))
    for i, value in values.items():
        array[i] = _numbers(value)
    return array


def _numbers(value: Any) -> Any:
    if isinstance(value, (Motion, Force)):
        return list(value)
    if isinstance(value, ArticulatedInertia):
        I, H, M = (np.array(block.rows()) for block in (value.I.full(), value.H, value.M.full()))
        return np.block([[I, H], [H.T, M]])
    return value


def joint_motions(model: Model, q: PerBody, qd: PerBody) -> PerBody:
    """Transform, subspace, velocity and bias of each joint."""
    return {i: model.joint[i].jcalc(q[i], qd[i]) for i in model.bodies}


def velocity_products(model: Model, q: PerBody, qd: PerBody) -> PerBody:
    """``c = cJ + v x vJ`` of each body."""
    v, joints = body_velocities(model, q, qd), joint_motions(model, q, qd)
    return {i: joints[i].cJ + v[i].cross(joints[i].vJ) for i in model.bodies}


def articulated(
    model: Model, q: PerBody, qd: PerBody, tau: PerBody, f_ext: Sequence[Any] | None
) -> dict[str, PerBody]:
    """``IA``, ``pA``, ``U``, ``D`` and ``u`` of the articulated-body algorithm (RBDA Table 7.1)."""
    joints, v = joint_motions(model, q, qd), body_velocities(model, q, qd)
    c, pushed = velocity_products(model, q, qd), _in_bodies(model, q, f_ext)
    X = {i: joints[i].XJ @ model.X_tree[i] for i in model.bodies}
    IA: dict[int, Any] = {i: ArticulatedInertia.of(model.inertia[i]) for i in model.bodies}
    pA: dict[int, Any] = {i: v[i].cross(model.inertia[i] @ v[i]) - pushed[i] for i in model.bodies}
    U, D, u = {}, {}, {}
    for i in reversed(model.bodies):
        p, S = model.parent[i], joints[i].S
        U[i] = IA[i] @ S
        D[i] = S.T @ U[i]
        u[i] = tuple(t - s for t, s in zip(tau[i], S.T @ pA[i], strict=True))
        if p:
            factors = LDL.of(D[i])
            Ia = IA[i] - factors.projection(U[i])
            IA[p] += X[i].T @ Ia @ X[i]
            pA[p] += X[i].T @ (pA[i] + Ia @ c[i] + U[i] @ factors.solve(u[i]))
    return {"IA": IA, "pA": pA, "U": U, "D": D, "u": u}


def joint_forces(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody, f_ext: Sequence[Any] | None
) -> PerBody:
    """The force across each joint, in body coordinates, of Newton-Euler (RBDA Table 5.1)."""
    v, a = body_accelerations(model, q, qd, qdd, base=-model.gravity)
    pushed = _in_bodies(model, q, f_ext)
    f = {i: model.inertia[i].net_force(v[i], a[i]) - pushed[i] for i in model.bodies}
    return _gathered(model, q, f, Force.zero())


def composites(model: Model, q: PerBody) -> PerBody:
    """The inertia of each body with all that it carries, and of all at the base."""
    own = {i: model.inertia[i] for i in model.bodies}
    return _gathered(model, q, own, Inertia.zero(), is_inertia=True)


def momenta(model: Model, q: PerBody, qd: PerBody) -> PerBody:
    """The momentum of each body with all that it carries, and of all at the base."""
    v = body_velocities(model, q, qd)
    return _gathered(model, q, {i: model.inertia[i] @ v[i] for i in model.bodies}, Force.zero())


def momentum_rates(model: Model, q: PerBody, qd: PerBody, qdd: PerBody) -> PerBody:
    """The rate of change of `momenta`, as seen from the base."""
    v, a = body_accelerations(model, q, qd, qdd)
    f = {i: model.inertia[i].net_force(v[i], a[i]) for i in model.bodies}
    return _gathered(model, q, f, Force.zero())


def _gathered(
    model: Model, q: PerBody, own: PerBody, nothing: Any, is_inertia: bool = False
) -> PerBody:
    """Each body's value with those of all bodies that it carries."""
    total = {0: nothing, **own}
    for i in reversed(model.bodies):
        X = model.joint[i].jcalc(q[i]).XJ @ model.X_tree[i]
        carried = X.T @ total[i]
        total[model.parent[i]] += carried @ X if is_inertia else carried
    return total


def _in_bodies(model: Model, q: PerBody, f_ext: Sequence | None) -> PerBody:
    if f_ext is None:
        return {i: Force.zero() for i in model.bodies}
    return external_forces(model, q, {i: f_ext[i - 1] for i in model.bodies})
