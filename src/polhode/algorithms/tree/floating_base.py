"""Dynamics of a floating-base model, its base rotated by a quaternion (RBDA sections 9.4, 9.5).

The state of the floating base is ``x = (w x y z, position, velocity)``: a quaternion of any
length, the position of the base's origin, and its spatial velocity.  The last two are in fixed
coordinates.  There is no singularity, as there is no chain of joints between base and ground.

A model qualifies if its first link has a `FloatingBase` joint and carries all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...model import Body, FloatingBase, Model, PerBody
from ...scalar import Scalar, sqrt
from ...spatial import (
    LDL,
    ArticulatedInertia,
    Force,
    Inertia,
    Mat3,
    Motion,
    Quaternion,
    Sym3,
    Transform,
    Vec3,
)
from ..actuation.armature import heavy_tendons
from .dynamics import forward_dynamics, inverse_dynamics, mass_matrix
from .kinematics import base_transforms

BASE = 2
"""The number of the floating base; body 1 is the virtual one of its joint."""

_NONE = (0.0, 0.0, 0.0)

NORM_GAIN = 0.1
"""Rate at which the quaternion's length returns to 1, per radian of rotation."""


class BaseState(NamedTuple):
    """Parts of ``x``: the transform to the floating base, its velocity, and the quaternion."""

    X: Transform
    v: Motion
    turn: Quaternion

    @classmethod
    def of(cls, x: Sequence[Scalar]) -> BaseState:
        turn = Quaternion(*x[:4])
        X = Transform(turn.normalized().matrix(), Vec3.of(x[4:7]))
        return cls(X, Motion.of(x[7:]), turn)

    def rate(self, a: Motion) -> list[Scalar]:
        """The time derivative of ``x`` at spatial acceleration ``a``."""
        turned = quaternion_rate(self.turn, self.v.ang)
        moved = self.v.lin + self.v.ang.cross(self.X.r)
        return [turned.w, turned.x, turned.y, turned.z, *moved, *a]


def quaternion_rate(turn: Quaternion, spin: Vec3, *, in_body: bool = False) -> Quaternion:
    """The derivative of ``turn``, which may have any length, drawn back to length 1.

    ``spin`` is the angular velocity in the axes that the turn starts from, or ``in_body``
    in those it leads to.
    """
    half = Quaternion(0.0, *(spin * 0.5))
    rate = turn * half if in_body else half * turn
    excess = 1.0 - turn.norm()
    pull = sqrt(spin.dot(spin)) * excess * (0.5 * NORM_GAIN)
    return Quaternion(
        rate.w + pull * turn.w,
        rate.x + pull * turn.x,
        rate.y + pull * turn.y,
        rate.z + pull * turn.z,
    )


def is_afloat(model: Model) -> bool:
    """Whether the model's first link floats and carries all others."""
    first = model.links[0].joint if model.links else None
    return isinstance(first, FloatingBase) and model.parent.count(0) == 1


def _beyond(bodies: Iterable[Body]) -> Iterator[Body]:
    """The bodies of the joints beyond the floating base."""
    return (i for i in bodies if i > BASE)


def floating_forward(
    model: Model, x: Sequence[Scalar], q_joints: PerBody, qd_joints: PerBody,
    tau_joints: PerBody, f_ext: PerBody | None = None,
) -> tuple[list[Scalar], list[Scalar]]:  # fmt: skip
    """``x``'s derivative and the joints' accelerations (RBDA section 9.4).

    Articulated bodies, with gravity added to the base's acceleration at the end.
    ``f_ext`` is in fixed coordinates.
    """
    if heavy_tendons(model) or model.is_coupled:
        return _whole_forward(model, x, q_joints, qd_joints, tau_joints, f_ext)
    state = BaseState.of(x)
    X, S, c, U, D, u, a, qdd = ({} for _ in range(8))
    v = {BASE: state.X @ state.v}
    IA = {int(i): ArticulatedInertia.of(model.inertia[i]) for i in model.bodies if i >= BASE}
    for i in _beyond(model.bodies):
        XJ, S[i], vJ, cJ = model.joint[i].jcalc(q_joints[i], qd_joints[i])
        X[i] = XJ @ model.X_tree[i]
        v[i] = X[i] @ v[model.parent[i]] + vJ
        c[i] = cJ + v[i].cross(vJ)
    forces = _external_forces(model, x, q_joints, f_ext)
    pA = {int(i): _bias(model, i, v) - forces[i] for i in model.bodies if i >= BASE}

    for i in _beyond(reversed(model.bodies)):
        p = model.parent[i]
        U[i] = IA[i] @ S[i]
        D[i] = LDL.of(S[i].T @ U[i] + model.armature[i])
        u[i] = [t - s for t, s in zip(tau_joints[i], S[i].T @ pA[i], strict=True)]
        Ia = IA[i] - D[i].projection(U[i])
        if model.armature[i].is_zero:
            Ia = Ia.without(S[i])
        IA[p] += X[i].T @ Ia @ X[i]
        pA[p] += X[i].T @ (pA[i] + Ia @ c[i] + U[i] @ D[i].solve(u[i]))

    rotors, inertial_force = _base_rotors(model, state, v[BASE])
    a[BASE] = _accelerate(IA[BASE] + rotors, pA[BASE] + inertial_force)
    for i in _beyond(model.bodies):
        a_free = X[i] @ a[model.parent[i]] + c[i]
        qdd[i] = D[i].solve([y - z for y, z in zip(u[i], U[i].T @ a_free, strict=True)])
        a[i] = a_free + S[i] @ qdd[i]
    return state.rate(_in_fixed(state, a[BASE], model)), _joined(model, qdd)


def floating_inverse(
    model: Model, x: Sequence[Scalar], q_joints: PerBody, qd_joints: PerBody,
    qdd_joints: PerBody, f_ext: PerBody | None = None,
) -> tuple[list[Scalar], list[Scalar]]:  # fmt: skip
    """``x``'s derivative and the joints' forces at given joint accelerations (RBDA Table 9.6).

    Composite bodies; a hybrid, for nothing pushes the floating base.  ``f_ext`` is in fixed
    coordinates.
    """
    if heavy_tendons(model) or model.is_coupled:
        return _whole_inverse(model, x, q_joints, qd_joints, qdd_joints, f_ext)
    state = BaseState.of(x)
    X, S, f, tau = ({} for _ in range(4))
    v, a = {BASE: state.X @ state.v}, {BASE: Motion.zero()}
    Ic = {int(i): model.inertia[i] for i in model.bodies if i >= BASE}
    for i in _beyond(model.bodies):  # accelerations as if the base had none
        p = model.parent[i]
        XJ, S[i], vJ, cJ = model.joint[i].jcalc(q_joints[i], qd_joints[i])
        X[i] = XJ @ model.X_tree[i]
        v[i] = X[i] @ v[p] + vJ
        a[i] = X[i] @ a[p] + S[i] @ qdd_joints[i] + cJ + v[i].cross(vJ)
    forces = _external_forces(model, x, q_joints, f_ext)
    for i in v:
        f[i] = Ic[i] @ a[i] + (_bias(model, i, v) - forces[i])
    for i in _beyond(reversed(model.bodies)):
        p = model.parent[i]
        Ic[p] += X[i].T @ Ic[i] @ X[i]
        f[p] += X[i].T @ f[i]

    rotors, inertial_force = _base_rotors(model, state, v[BASE])
    base = ArticulatedInertia.of(Ic[BASE]) + rotors
    shift = {BASE: _accelerate(base, f[BASE] + inertial_force)}
    for i in _beyond(model.bodies):
        shift[i] = X[i] @ shift[model.parent[i]]
        tau[i] = S[i].T @ (Ic[i] @ shift[i] + f[i]) + model.armature[i] @ qdd_joints[i]
    return state.rate(_in_fixed(state, shift[BASE], model)), _joined(model, tau)


def floating_state(
    model: Model, x: Sequence[Scalar], q_joints: PerBody, qd_joints: PerBody
) -> tuple[PerBody, PerBody]:
    """The same state as ``q`` and ``qd`` of the whole model."""
    state = BaseState.of(x)
    turn = state.turn.normalized()
    moved = state.v.lin + state.v.ang.cross(state.X.r)
    q = {1: tuple(state.X.r), BASE: (turn.x, turn.y, turn.z, turn.w)}
    qd = {1: tuple(moved), BASE: tuple(state.X.E @ state.v.ang)}
    for i in _beyond(model.bodies):
        q[i], qd[i] = q_joints[i], qd_joints[i]
    return q, qd


def floating_transforms(model: Model, x: Sequence[Scalar], q_joints: PerBody) -> PerBody:
    """From fixed coordinates to those of the floating base and of all bodies beyond."""
    X_0 = {BASE: BaseState.of(x).X}
    for i in _beyond(model.bodies):
        XJ = model.joint[i].jcalc(q_joints[i]).XJ
        X_0[i] = XJ @ model.X_tree[i] @ X_0[model.parent[i]]
    return X_0


def total_inertia(model: Model, q: PerBody) -> list[list[Scalar]]:
    """The 6x6 inertia of the model with joints locked at ``q``, about the fixed origin."""
    X_0, total = base_transforms(model, q), Inertia.zero()
    for i in model.bodies:
        total = total + X_0[i].T @ model.inertia[i] @ X_0[i]
    return _dense(ArticulatedInertia.of(total))


def _whole_forward(
    model: Model, x: Sequence[Scalar], q_joints: PerBody, qd_joints: PerBody, tau_joints: PerBody,
    f_ext: PerBody | None,
) -> tuple[list[Scalar], list[Scalar]]:  # fmt: skip
    """`floating_forward` by the dynamics of the whole model, with tendons and coupled joints."""
    q, qd = floating_state(model, x, q_joints, qd_joints)
    tau = {1: _NONE, BASE: _NONE, **tau_joints}
    qdd = forward_dynamics(model, q, qd, tau, _beyond_joint(f_ext))
    return _base_rate(x, qd, qdd), _joined(model, qdd)


def _whole_inverse(
    model: Model, x: Sequence[Scalar], q_joints: PerBody, qd_joints: PerBody, qdd_joints: PerBody,
    f_ext: PerBody | None,
) -> tuple[list[Scalar], list[Scalar]]:  # fmt: skip
    """`floating_inverse` in the same way: the base accelerates so that its joint has no force."""
    q, qd = floating_state(model, x, q_joints, qd_joints)
    loads = _beyond_joint(f_ext)
    held = inverse_dynamics(model, q, qd, {1: _NONE, BASE: _NONE, **qdd_joints}, loads)
    of_base = [row[:6] for row in mass_matrix(model, q)[:6]]
    base = LDL.of(of_base).solve([-y for y in (*held[1], *held[BASE])])
    qdd = {1: tuple(base[:3]), BASE: tuple(base[3:]), **qdd_joints}
    return _base_rate(x, qd, qdd), _joined(model, inverse_dynamics(model, q, qd, qdd, loads))


def _base_rate(x: Sequence[Scalar], qd: PerBody, qdd: PerBody) -> list[Scalar]:
    """The derivative of ``x`` at accelerations of the floating joint."""
    state = BaseState.of(x)
    turning = state.X.E.T @ Vec3.of(qdd[BASE])
    linear = Vec3.of(qdd[1]) - state.v.ang.cross(Vec3.of(qd[1]))
    return state.rate(Motion(turning, linear + state.X.r.cross(turning)))


def _beyond_joint(f_ext: PerBody | None) -> PerBody | None:
    """External forces without that on the body inside the floating joint."""
    return None if f_ext is None else {**f_ext, 1: (*_NONE, *_NONE)}


def _joined(model: Model, per_body: PerBody) -> list[Scalar]:
    return model.join_v({**per_body, 1: (), BASE: ()})


def _bias(model: Model, i: int, v: PerBody) -> Force:
    return v[i].cross(model.inertia[i] @ v[i])


def _external_forces(
    model: Model, x: Sequence[Scalar], q_joints: PerBody, f_ext: PerBody | None
) -> PerBody:
    """Forces given in fixed coordinates, in those of the floating base and the bodies beyond."""
    if f_ext is None:
        return {int(i): Force.zero() for i in model.bodies if i >= BASE}
    X_0 = floating_transforms(model, x, q_joints)
    return {i: X.to_child(Force.of(tuple(f_ext[i]))) for i, X in X_0.items()}


def _base_rotors(model: Model, state: BaseState, v: Motion) -> tuple[ArticulatedInertia, Force]:
    """The armature of the base's joint, and its force if ``a``, without gravity, is zero.

    It resists the base's rotation in its own axes, and its origin's acceleration in fixed ones.
    """
    turning, moving = (_diagonal(*model.armature[i].entries) for i in (BASE, 1))
    E = state.X.E
    linear = moving.rotated(E.T)
    acceleration = v.ang.cross(v.lin) + E @ model.gravity.lin
    return ArticulatedInertia(turning, Mat3.zero(), linear), Force(
        Vec3.zero(), linear @ acceleration
    )


def _diagonal(x: Scalar, y: Scalar, z: Scalar) -> Sym3:
    return Sym3(x, 0.0, 0.0, y, 0.0, z)


def _accelerate(inertia: ArticulatedInertia, f: Force) -> Motion:
    """The acceleration at which ``inertia`` needs the force ``-f``."""
    return Motion.of(LDL.of(_dense(inertia)).solve([-y for y in f]))


def _dense(inertia: ArticulatedInertia) -> list[list[Scalar]]:
    """The symmetric 6x6 matrix."""
    I, H, M = inertia.I.full(), inertia.H, inertia.M.full()
    upper = [[*row, *right] for row, right in zip(I.rows(), H.rows(), strict=True)]
    return upper + [[*left, *row] for left, row in zip(H.T.rows(), M.rows(), strict=True)]


def _in_fixed(state: BaseState, a: Motion, model: Model) -> Motion:
    """The base's acceleration in fixed coordinates, gravity added."""
    return state.X.to_parent(a) + model.gravity
