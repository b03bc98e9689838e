"""All joint forces but those of joints themselves, and how much less they are by motion."""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Model, PerBody
from ...scalar import Scalar
from ..actuation.forces import actuator_forces, compensating_forces, tendon_forces
from ..actuation.gains import gains_of_velocities
from .fluid_forces import fluid_forces

Acting = tuple[list[Scalar], list[Scalar], list[Scalar]]
"""Joint forces, and stiffness and damping of each velocity (`gains_of_velocities`)."""


def acting_forces(
    model: Model,
    q: PerBody,
    qd: PerBody,
    controls: Sequence[Scalar],
    activation: Sequence[Scalar] = (),
) -> Acting:
    """Those of actuators, tendons, gravity compensation and a fluid."""
    tau = model.join_v(actuator_forces(model, q, qd, controls, activation))
    others = _others(model, q, qd)
    if others is not None:
        tau = [a + b for a, b in zip(tau, others, strict=True)]
    return tau, *gains_of_velocities(model, q, qd, controls, activation)


def forces_of_surroundings(model: Model, q: PerBody, qd: PerBody) -> Acting:
    """The same of a model without actuators."""
    tau = _others(model, q, qd) or [0.0] * model.nv
    return tau, *gains_of_velocities(model, q, qd, ())


def _others(model: Model, q: PerBody, qd: PerBody) -> list[Scalar] | None:
    """Joint forces of tendons, gravity compensation and a fluid, if there are any."""
    parts = []
    if any(tendon.acts for tendon in model.tendons):
        parts.append(tendon_forces(model, q, qd))
    if any(mass for mass, _ in model.floated):
        parts.append(compensating_forces(model, q))
    if model.fluid is not None:
        parts.append(fluid_forces(model, q, qd))
    if not parts:
        return None
    total, *more = map(model.join_v, parts)
    for part in more:
        total = [a + b for a, b in zip(total, part, strict=True)]
    return total
