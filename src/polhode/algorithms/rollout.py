"""One time step of a model on compliant ground, as straight-line arithmetic.

Dynamics, actuators, contact law and integrator are one function, so that they compile to one
program, which steps a batch of worlds in SIMD.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..model import Model, PerBody
from ..model.joints.several import quaternion
from ..scalar import Scalar
from ..spatial import Vec3
from .actuation.forces import actuator_forces
from .ground_contact import Ground, contact_forces
from .runge_kutta import CLASSICAL
from .tree.dynamics import forward_dynamics
from .tree.passive_forces import all_passive_forces

Pairs = Sequence[Sequence[Scalar]]
State = tuple[list[Scalar], list[Scalar], list[list[Scalar]]]


class Held(NamedTuple):
    """What acts in the joints and holds in a step.

    ``tau`` are joint forces.  Actuators have their controls and activation; they are left out where
    ``controls`` is None.  ``is_passive`` says whether springs and damping act.
    """

    tau: PerBody
    controls: Sequence[Scalar] | None = None
    activation: Sequence[Scalar] = ()
    is_passive: bool = True


def rollout_rates(
    model: Model,
    q: PerBody,
    qd: PerBody,
    u: Pairs,
    held: Held,
    ground: Ground,
) -> tuple[PerBody, Pairs]:
    """Accelerations, and the rates of the ground's tangential deflection ``u``."""
    f, u_rates = contact_forces(model, q, qd, u, ground)
    tau = held.tau
    if held.is_passive:
        own = all_passive_forces(model, q, qd)
        tau = {i: own[i] + tau[i] for i in model.bodies}
    if held.controls is not None:
        driven = actuator_forces(model, q, qd, held.controls, held.activation)
        tau = {i: _sum(tau[i], driven[i]) for i in model.bodies}
    return forward_dynamics(model, q, qd, tau, f), u_rates


def semi_implicit_step(
    model: Model,
    q: PerBody,
    qd: PerBody,
    u: Pairs,
    held: Held,
    dt: Scalar,
    *,
    ground: Ground,
) -> State:
    """New velocities from the forces now, then new positions from the new velocities."""
    qdd, u_rates = rollout_rates(model, q, qd, u, held, ground)
    moving = {i: _along(qd[i], qdd[i], dt) for i in model.bodies}
    moved = {
        i: model.joint[i].integrate(q[i], tuple(x * dt for x in moving[i])) for i in model.bodies
    }
    yielded = [list(_along(a, b, dt)) for a, b in zip(u, u_rates, strict=True)]
    return model.join_q(moved), model.join_v(moving), yielded


def rk4_step(
    model: Model,
    q: PerBody,
    qd: PerBody,
    u: Pairs,
    held: Held,
    dt: Scalar,
    *,
    ground: Ground,
) -> State:
    """The classical method of fourth order, quaternions as coordinates, then made unit."""
    start = _Point({i: tuple(q[i]) for i in model.bodies}, dict(qd), [tuple(x) for x in u])

    def slope(at: _Point) -> _Point:
        qdd, u_rates = rollout_rates(model, at.q, at.qd, at.u, held, ground)
        turning = {i: _q_rate(model, i, at.q[i], at.qd[i]) for i in model.bodies}
        return _Point(turning, qdd, u_rates)

    k = total = slope(start)
    for share, weight in CLASSICAL[1:]:
        k = slope(start.toward(k, dt * share))
        total = total.toward(k, weight)
    end = start.toward(total, dt * (1.0 / 6.0))
    unit = {i: _normalized(model, i, end.q[i]) for i in model.bodies}
    return model.join_q(unit), model.join_v(end.qd), [list(x) for x in end.u]


class _Point:
    """Positions, velocities and tangential deflections, or their rates."""

    def __init__(self, q: PerBody, qd: PerBody, u: Pairs):
        self.q, self.qd, self.u = q, qd, u

    def toward(self, rate: _Point, dt: Scalar) -> _Point:
        q = {i: _along(x, rate.q[i], dt) for i, x in self.q.items()}
        qd = {i: _along(x, rate.qd[i], dt) for i, x in self.qd.items()}
        return _Point(q, qd, [_along(a, b, dt) for a, b in zip(self.u, rate.u, strict=True)])


def _along(x: Sequence[Scalar], rate: Sequence[Scalar], dt: Scalar) -> tuple[Scalar, ...]:
    return tuple(a + b * dt for a, b in zip(x, rate, strict=True))


def _sum(a: Sequence[Scalar], b: Sequence[Scalar]) -> tuple[Scalar, ...]:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _q_rate(model: Model, i: int, q: Sequence[Scalar], qd: Sequence[Scalar]):
    if model.joint[i].nq == model.joint[i].nv:
        return tuple(qd)
    rate = quaternion(q).rate(Vec3.of(qd))
    return rate.x, rate.y, rate.z, rate.w


def _normalized(model: Model, i: int, q: Sequence[Scalar]):
    if model.joint[i].nq == model.joint[i].nv:
        return q
    unit = quaternion(q).normalized()
    return unit.x, unit.y, unit.z, unit.w


STEPS: dict[str, Callable[..., State]] = {"semi_implicit": semi_implicit_step, "rk4": rk4_step}
