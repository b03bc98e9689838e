"""Forces that joints and tendons have by themselves, and the compensation of gravity."""

from __future__ import annotations

from ...model import Model, PerBody
from ...scalar import Scalar, absolute, exp, where
from ..actuation.forces import compensating_forces, tendon_forces
from .fluid_forces import fluid_forces


def passive_forces(model: Model, q: PerBody, qd: PerBody) -> PerBody:
    """Joint forces of springs and viscous damping, of tendons too, and of gravity compensation.

    A spring pulls along the step from its rest to where the joint is.  That is a difference for
    one axis, and a rotation vector for a spherical joint.
    """
    tau = {}
    for i in model.bodies:
        kind = model.joint[i]
        tau[i] = (0.0,) * kind.nv - model.damping[i] @ qd[i]
        if not model.stiffness[i].is_zero:
            rest = kind.integrate(kind.neutral(), model.rest[i])
            tau[i] = tau[i] - model.stiffness[i] @ kind.difference(rest, q[i])
    if any(tendon.acts for tendon in model.tendons):
        tau = _sum(tau, tendon_forces(model, q, qd))
    if any(mass for mass, _ in model.floated):
        tau = _sum(tau, compensating_forces(model, q))
    return tau


def all_passive_forces(model: Model, q: PerBody, qd: PerBody) -> PerBody:
    """Those and the joint forces of a fluid: all that acts in a simulation by itself."""
    tau = passive_forces(model, q, qd)
    return tau if model.fluid is None else _sum(tau, fluid_forces(model, q, qd))


def _sum(a: PerBody, b: PerBody) -> PerBody:
    return {i: a[i] + b[i] for i in a}


def smooth_passive_forces(model: Model, q: PerBody, qd: PerBody, speed: Scalar) -> PerBody:
    """The same and ``-friction tanh(qd / speed)``, which has derivatives where dry friction sticks.

    Dry friction itself is set-valued, a matter of simulation.
    """
    tau = passive_forces(model, q, qd)
    return {i: tau[i] - model.friction[i] @ [_tanh(x / speed) for x in qd[i]] for i in model.bodies}


def _tanh(x: Scalar) -> Scalar:
    e = exp(absolute(x) * -2.0)
    size = (1.0 - e) / (1.0 + e)
    return where(x < 0.0, -size, size)
