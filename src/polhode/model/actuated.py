"""Tendons and actuators of a model: their names, and whether what they name is there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from ..errors import ModelError
from .actuators import Actuator
from .checks import distinct, known
from .joints import FloatingBase, Spherical
from .tendons import Anchor, Tendon, Wrapping
from .transmissions import (
    AdhesionTransmission,
    JointTransmission,
    SiteFrame,
    SiteTransmission,
    SliderCrankTransmission,
    TendonTransmission,
    Transmission,
)

if TYPE_CHECKING:
    from .model import Model


def check_actuated(model: Model) -> None:
    """Raise a ModelError unless all that tendons and actuators name is in the model."""
    where = f"model '{model.name}'"
    joints = {joint.name: joint for joint in (*model.joints, *model.followers)}
    tendons = {tendon.name for tendon in model.tendons}
    links = {link.name: link for link in model.links}
    distinct((each.name for each in model.tendons), "tendon", where)
    distinct((each.name for each in model.actuators), "actuator", where)
    for tendon in model.tendons:
        here = f"tendon '{tendon.name}', {where}"
        for body in bodies_of_tendon(tendon):
            _check_body(links, body, here)
        for joint, _ in tendon.joints:
            known(joint, joints, "joint", here)
            if joints[joint].kind.nv != 1:
                raise ModelError(f"expected joints of one axis, got the {joints[joint].kind.name} "
                                 f"joint '{joint}' ({here})")  # fmt: skip
    for actuator in model.actuators:
        here = f"actuator '{actuator.name}', {where}"
        match actuator.transmission:
            case JointTransmission(joint):
                known(joint, joints, "joint", here)
                kind = joints[joint].kind
                if kind.nv != 1 and not isinstance(kind, (Spherical, FloatingBase)):
                    raise ModelError(f"expected a joint of one axis, or a spherical or free one, "
                                     f"got the {kind.name} joint '{joint}' ({here})")  # fmt: skip
            case TendonTransmission(tendon):
                known(tendon, tendons, "tendon", here)
            case other:
                for body in bodies_of_transmission(other):
                    _check_body(links, body, here)


def bodies_of_tendon(tendon: Tendon) -> list[str | None]:
    """The names of the bodies along a tendon's path."""
    found = []
    for part in tendon.path:
        if isinstance(part, (Anchor, Wrapping)):
            found.append(part.body)
        if isinstance(part, Wrapping) and part.side is not None:
            found.append(part.side.body)
    return found


def bodies_of_transmission(transmission: Transmission) -> list[str | None]:
    """The names of the bodies that a transmission acts on, beside those of joints and tendons."""
    match transmission:
        case SiteTransmission(SiteFrame(body), reference):
            return [body] if reference is None else [body, reference.body]
        case SliderCrankTransmission(crank, slider):
            return [crank.body, slider.body]
        case AdhesionTransmission(body):
            return [body]
    return []


def named_by_actuation(model: Model) -> set[str | None]:
    """Names of the bodies that tendons and actuators name; None is the base."""
    found = {body for tendon in model.tendons for body in bodies_of_tendon(tendon)}
    for actuator in model.actuators:
        found |= {*bodies_of_transmission(actuator.transmission)}
    return found


def renamed_all(
    tendons: Iterable[Tendon],
    actuators: Iterable[Actuator],
    body: Callable[[str], str],
    joint: Callable[[str], str],
    own: Callable[[str], str] = str,
) -> tuple[tuple[Tendon, ...], tuple[Actuator, ...]]:
    """Tendons and actuators with other names: of bodies, of joints, and of themselves."""
    return (
        tuple(each.renamed(own, body, joint) for each in tendons),
        tuple(each.renamed(own, own, body, joint) for each in actuators),
    )


def indices(counts: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """For each of some parts in a row, which entries are its."""
    found, start = [], 0
    for count in counts:
        found.append(tuple(range(start, start + count)))
        start += count
    return tuple(found)


def _check_body(links: Collection[str], body: str | None, where: str) -> None:
    if body is not None:
        known(body, links, "body", where)
