"""How much less forces of actuators and tendons are by length and velocity.

Steps take that implicitly.  A servo whose gains move its joint within a fraction of a step is so
stable in steps of any length.  Clamped forces change with neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...model import JointTransmission, Model, PerBody, TendonTransmission
from ...model.tendons import UNLIMITED, Range
from ...model.transmissions import Transmission
from ...scalar import Scalar, absolute, maximum, where
from .forces import compensating_forces
from .lengths import PlacedTree
from .tendons import tendon_length
from .transmissions import actuator_length


class Gains(NamedTuple):
    """A force along a length that falls with the length and its rate.

    Attributes
    ----------
    row : dict
        The rate of the length by the entries of ``qd``.
    stiffness, damping : scalar
        How much less the force is by length and by rate, not negative.
    """

    row: dict[int, Scalar]
    stiffness: Scalar
    damping: Scalar


def actuator_gains(
    model: Model,
    q: PerBody,
    qd: PerBody,
    controls: Sequence[Scalar],
    activation: Sequence[Scalar] = (),
) -> list[Gains]:
    """Those of all actuators whose forces depend on length or velocity."""
    parts = list(zip(model.actuators, model.control_index, model.activation_index, strict=True))
    if not any(actuator.law.has_gains for actuator, _, _ in parts):
        return []
    placed, tendons, found = PlacedTree(model, q, qd), {}, []
    forces = _compensation(model, q)
    for actuator, own, states in parts:
        length = actuator_length(placed, actuator, tendons)
        given = [controls[n] for n in own], [activation[n] for n in states]
        at = length.value, placed.rate(length)
        force, on = actuator.force(*given, *at), actuator.transmission
        gear = 1.0 if isinstance(on, TendonTransmission) else actuator.gear[0]
        forces[on] = forces.get(on, 0.0) + force * gear
        row = placed.row(length)
        if actuator.law.has_gains and row:
            slopes = actuator.gains(*given, *at)
            found.append((on, row, [_within(x, force, actuator.force_range) for x in slopes]))
    return [
        Gains(row, *(_within(maximum(x, 0.0), forces[on], _bounds(model, on)) for x in slopes))
        for on, row, slopes in found
    ]


def spring_gains(model: Model) -> list[Gains]:
    """Those of the springs in joints, whose damping is part of the inertia of a step."""
    return [
        Gains({k: 1.0}, stiffness, 0.0)
        for i in model.bodies
        if not model.stiffness[i].is_zero
        for k, stiffness in zip(model.v_index[i], model.stiffness[i].entries, strict=True)
    ]


def tendon_gains(model: Model, q: PerBody, qd: PerBody) -> list[Gains]:
    """Those of the springs and dampers in tendons."""
    placed, found = PlacedTree(model, q, qd), []
    for tendon in model.tendons:
        if tendon.acts:
            length, (shortest, longest) = tendon_length(placed, tendon), tendon.rest
            k, x = tendon.stiffness, length.value
            stiffness = where(x > longest, k, where(x < shortest, k, 0.0)) if k else 0.0
            found.append(Gains(placed.row(length), stiffness, tendon.damping))
    return found


def gains_of_velocities(
    model: Model,
    q: PerBody,
    qd: PerBody,
    controls: Sequence[Scalar],
    activation: Sequence[Scalar] = (),
) -> tuple[list[Scalar], list[Scalar]]:
    """Stiffness and damping of each velocity by itself, not less than of all of these together.

    They are theirs where each acts on one velocity.
    """
    stiffness: list[Scalar] = [0.0] * model.nv
    damping: list[Scalar] = [0.0] * model.nv
    of_actuators = actuator_gains(model, q, qd, controls, activation)
    for each in [*of_actuators, *tendon_gains(model, q, qd)]:
        total: Scalar = 0.0
        for x in each.row.values():
            total = total + absolute(x)
        for k, x in each.row.items():
            share = absolute(x) * total
            stiffness[k] = stiffness[k] + each.stiffness * share
            damping[k] = damping[k] + each.damping * share
    return stiffness, damping


def _compensation(model: Model, q: PerBody) -> dict[Transmission, Scalar]:
    """What joints of one axis do beside their actuators, within the same bounds."""
    if not any(model.actuated_compensation):
        return {}
    tau = compensating_forces(model, q, by_actuators=True)
    return {JointTransmission(joint.name): tau[joint.body][0]
            for joint in model.joints if joint.kind.nv == 1}  # fmt: skip


def _within(slope: Scalar, force: Scalar, bounds: Range) -> Scalar:
    """The slope of a force, zero where it is clamped."""
    low, high = bounds
    if bounds == UNLIMITED:
        return slope
    return where(force > low, where(force < high, slope, 0.0), 0.0)


def _bounds(model: Model, at: Transmission) -> Range:
    """What a tendon or a joint of one axis bears of all actuators on it."""
    if isinstance(at, TendonTransmission):
        return next(each.force_range for each in model.tendons if each.name == at.tendon)
    if isinstance(at, JointTransmission):
        joint = model.joint(at.joint)
        if joint.limits is not None and joint.kind.nv == 1:
            return joint.limits.efforts
    return UNLIMITED
