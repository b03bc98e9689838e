"""Joint forces of actuators and tendons, and rates of the actuators' activation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...model import JointTransmission, Model, PerBody, Tendon, TendonTransmission
from ...model.tendons import clamp
from ...scalar import Scalar, absolute, maximum, minimum, where
from ...spatial import Force
from .lengths import Length, PlacedTree, gathered
from .tendons import tendon_length
from .transmissions import actuator_length


class ActuatorState(NamedTuple):
    """Of each actuator in turn: length, velocity, force; of all of them the joint forces."""

    lengths: list[Scalar]
    velocities: list[Scalar]
    forces: list[Scalar]
    rates: list[Scalar]
    tau: PerBody


def actuator_state(
    model: Model,
    q: PerBody,
    qd: PerBody,
    controls: Sequence[Scalar],
    activation: Sequence[Scalar] = (),
) -> ActuatorState:
    """All that actuators do at one state.

    Forces are clamped in this order.  First those on a tendon together, then each one, those
    on a coupled joint together, and all along a coordinate.
    """
    placed, tendons = PlacedTree(model, q, qd), {}
    lengths, velocities, forces, rates = [], [], [], []
    parts = zip(model.actuators, model.control_index, model.activation_index, strict=True)
    for actuator, own, states in parts:
        u, a = [controls[k] for k in own], [activation[k] for k in states]
        length = actuator_length(placed, actuator, tendons)
        velocity = placed.rate(length)
        lengths.append(length)
        velocities.append(velocity)
        forces.append(actuator.force(u, a, length.value, velocity))
        rates += actuator.rates(u, a, length.value, velocity)
    forces = _within_tendons(model, forces)
    forces = [clamp(x, each.force_range) for x, each in zip(forces, model.actuators, strict=True)]
    forces = _within_followers(model, forces)
    tau = placed.joint_forces(zip(lengths, forces, strict=True))
    if any(model.actuated_compensation):
        carried = compensating_forces(model, q, by_actuators=True)
        tau = {i: tuple(a + b for a, b in zip(tau[i], carried[i], strict=True)) for i in tau}
    values = [length.value for length in lengths]
    return ActuatorState(values, velocities, forces, rates, _within_efforts(model, tau))


def actuator_forces(
    model: Model,
    q: PerBody,
    qd: PerBody,
    controls: Sequence[Scalar],
    activation: Sequence[Scalar] = (),
) -> PerBody:
    """Joint forces of all actuators."""
    return actuator_state(model, q, qd, controls, activation).tau


def actuator_values(
    model: Model,
    q: PerBody,
    qd: PerBody,
    controls: Sequence[Scalar],
    activation: Sequence[Scalar] = (),
) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
    """Length, velocity and force of each actuator."""
    state = actuator_state(model, q, qd, controls, activation)
    return state.lengths, state.velocities, state.forces


def activation_rates(
    model: Model,
    q: PerBody,
    qd: PerBody,
    controls: Sequence[Scalar],
    activation: Sequence[Scalar],
) -> list[Scalar]:
    """Rates of change of all activations."""
    return actuator_state(model, q, qd, controls, activation).rates


def next_activation(
    model: Model,
    q: PerBody,
    qd: PerBody,
    controls: Sequence[Scalar],
    activation: Sequence[Scalar],
    dt: Scalar,
) -> list[Scalar]:
    """All activations after a time step, at constant controls and velocities."""
    placed, tendons = PlacedTree(model, q, qd), {}
    later: list[Scalar] = []
    parts = zip(model.actuators, model.control_index, model.activation_index, strict=True)
    for actuator, own, states in parts:
        if states:
            u, a = [controls[k] for k in own], [activation[k] for k in states]
            length = actuator_length(placed, actuator, tendons)
            velocity = placed.rate(length)
            rates = actuator.rates(u, a, length.value, velocity)
            later += actuator.advanced(a, rates, velocity, dt)
    return later


def tendon_forces(model: Model, q: PerBody, qd: PerBody) -> PerBody:
    """Joint forces of the springs and dampers in tendons."""
    placed, along = PlacedTree(model, q, qd), []
    for tendon in model.tendons:
        if tendon.acts:
            length = tendon_length(placed, tendon)
            along.append((length, passive_force(placed, tendon, length)))
    return placed.joint_forces(along)


def passive_force(placed: PlacedTree, tendon: Tendon, length: Length) -> Scalar:
    """The force of a tendon's spring and damper along its length."""
    force = stretch(tendon, length.value) * -tendon.stiffness
    if tendon.damping:
        force = force - placed.rate(length) * tendon.damping
    return force


def stretch(tendon: Tendon, length: Scalar) -> Scalar:
    """By how much a tendon is longer than at rest, negative where it is shorter."""
    shortest, longest = tendon.rest
    return maximum(length - longest, 0.0) + minimum(length - shortest, 0.0)


def compensating_forces(model: Model, q: PerBody, *, by_actuators: bool = False) -> PerBody:
    """Joint forces that carry the weight of bodies with gravity compensation.

    They are passive ones, or those of the joints where actuators do it.
    """
    placed = PlacedTree(model, q)
    wrenches = []
    for i in model.bodies:
        mass, moment = model.floated[i]
        if mass:
            X, upward = placed.X_0[i], -model.gravity.lin
            arm = X.r * mass + X.E.T @ moment
            wrenches.append((int(i), Force(arm.cross(upward), upward * mass)))
    tau = placed.joint_forces([(Length(0.0, gathered(wrenches), {}), 1.0)])
    return {i: tau[i] if model.actuated_compensation[i] == by_actuators else (0.0,) * len(tau[i])
            for i in tau}  # fmt: skip


def actuators_on(model: Model, tendon: str) -> list[int]:
    """The numbers of the actuators on a tendon."""
    at = TendonTransmission(tendon)
    return [k for k, each in enumerate(model.actuators) if each.transmission == at]


def _within_tendons(model: Model, forces: list[Scalar]) -> list[Scalar]:
    """Forces scaled down where their sum on a tendon is beyond what it bears."""
    for tendon in model.tendons:
        on = dict.fromkeys(actuators_on(model, tendon.name), 1.0)
        forces = _within(tendon.force_range, forces, on)
    return forces


def _within_followers(model: Model, forces: list[Scalar]) -> list[Scalar]:
    """Forces scaled down where actuators on a coupled joint are beyond its effort."""
    for joint in model.followers:
        if joint.limits is not None:
            at = JointTransmission(joint.name)
            on = {k: each.gear[0] for k, each in enumerate(model.actuators)
                  if each.transmission == at}  # fmt: skip
            forces = _within(joint.limits.efforts, forces, on)
    return forces


def _within(
    bounds: tuple[float, float], forces: list[Scalar], gears: Mapping[int, float]
) -> list[Scalar]:
    """Forces with those of some actuators scaled down to where their sum is within bounds."""
    if not gears or bounds == (-math.inf, math.inf):
        return forces
    total: Scalar = 0.0
    for k, gear in gears.items():
        total = total + (forces[k] if gear == 1.0 else forces[k] * gear)
    bounded = clamp(total, bounds)
    is_small = absolute(total) < 1e-300
    scale = where(is_small, 1.0, bounded / where(is_small, 1.0, total))
    return [x * scale if k in gears else x for k, x in enumerate(forces)]


def _within_efforts(model: Model, tau: PerBody) -> PerBody:
    """Joint forces within the efforts that joints of one axis can bear."""
    tau = dict(tau)
    for joint in model.joints:
        if joint.limits is not None and joint.kind.nv == 1:
            tau[joint.body] = (clamp(tau[joint.body][0], joint.limits.efforts),)
    return tau
