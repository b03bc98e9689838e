"""Joints that Moby does not have, as chains of those that it has."""

from __future__ import annotations

from dataclasses import replace

from ...errors import ModelError
from ...model import (
    Axes,
    Custom,
    Fixed,
    FloatingBase,
    Helical,
    JointKind,
    Link,
    Prismatic,
    Revolute,
    Spherical,
    TranslationXYZ,
    Universal,
)
from ...model.joints.several import Serial
from ...scene import JointSettings, Machine
from ...spatial import Transform, Vec3

ROUND = 1e-9
_PER_ENTRY = ("coulomb_friction", "viscous_friction", "stiffness", "rest")
SLIDES = (Prismatic.x(), Prismatic.y(), Prismatic.z())


def expanded(machine: Machine) -> Machine:
    """The same model with joints that a Moby file can have; coordinates do not change."""
    links, settings = [], []
    for link in machine.model.links:
        parts = _parts(link, machine)
        own = machine.settings(link.joint_name) if link.joint.nv else None
        plain = JointSettings(link.joint_name)
        if own is not None and own != replace(plain, lower=plain.lower * link.joint.nv,
                                              upper=plain.upper * link.joint.nv):  # fmt: skip
            settings += _split(own, parts)
        parent, frame = link.parent, link.frame
        for k, part in enumerate(parts[:-1]):
            name = f"{link.name}/{k}"
            links.append(Link(name, parent, part, frame, joint_name=f"{link.joint_name}/{k}"))
            parent, frame = name, Transform.identity()
        links.append(replace(link, parent=parent, frame=frame, joint=parts[-1], limits=None,
                             dynamics=None))  # fmt: skip
    model = replace(machine.model, links=tuple(links))
    return replace(machine, model=model, joint_settings=tuple(settings))


def is_ball(kind: JointKind) -> bool:
    """Whether an `Axes` joint is what Moby's spherical joint is: three turns, square and right."""
    if not isinstance(kind, Axes) or len(kind.rows) != 3 or any(any(r[3:]) for r in kind.rows):
        return False
    a, b, c = (Vec3.of(row[:3]) for row in kind.rows)
    is_unit = abs(a.dot(a) - 1.0) < ROUND and abs(b.dot(b) - 1.0) < ROUND
    return is_unit and abs(a.dot(b)) < ROUND and max(map(abs, a.cross(b) - c)) < ROUND


def _split(own: JointSettings, parts: tuple[JointKind, ...]) -> list[JointSettings]:
    if len(parts) == 1:
        return [own]
    found = []
    for k in range(len(parts)):
        name = own.joint if k == len(parts) - 1 else f"{own.joint}/{k}"
        own_values = {
            key: value[k] for key in _PER_ENTRY if isinstance(value := getattr(own, key), tuple)
        }
        limits = {"lower": own.lower[k : k + 1], "upper": own.upper[k : k + 1]}
        found.append(replace(own, joint=name, **limits, **own_values))
    return found


def _parts(link: Link, machine: Machine) -> tuple[JointKind, ...]:
    """The joints in series that a link's joint is written as."""
    kind = link.joint
    match kind:
        case Universal():
            parts: tuple[JointKind, ...] = (kind,)
        case Axes() if is_ball(kind):
            parts = (kind,)
        case TranslationXYZ():
            parts = SLIDES
        case Serial():
            parts = tuple(kind.parts)
        case FloatingBase() if link.parent is not None or len(_roots(machine)) > 1:
            raise ModelError(
                f"a Moby file has no floating joint '{link.joint_name}' inside a tree "
                f"(model '{machine.name}')"
            )
        case Custom():
            raise ModelError(
                f"joint '{link.joint_name}' is defined by Python code, which a Moby file cannot "
                f"hold (model '{machine.name}')"
            )
        case _:
            parts = (kind,)
    for part in parts:
        _check_axis(part, link, machine)
    return parts


def _roots(machine: Machine) -> list[Link]:
    return [link for link in machine.model.links if link.parent is None]


def _check_axis(kind: JointKind, link: Link, machine: Machine) -> None:
    match kind:
        case Revolute(axis) | Prismatic(axis):
            lengths = [sum(x * x for x in axis)]
        case Universal(first, second):
            lengths = [sum(x * x for x in axis) for axis in (first, second)]
        case Helical(axis):
            if not kind.is_parallel:
                raise ModelError(
                    f"joint '{link.joint_name}' slides across its axis, which a Moby file cannot "
                    f"express (model '{machine.name}')"
                )
            lengths = [sum(x * x for x in axis[:3])]
        case Fixed() | FloatingBase() | Spherical() | Axes():
            lengths = []
        case _:
            raise ModelError(
                f"a Moby file has no {kind.name} joint, as '{link.joint_name}' is "
                f"(model '{machine.name}')"
            )
    if any(abs(length - 1.0) > ROUND for length in lengths):
        raise ModelError(
            f"an axis of joint '{link.joint_name}' is not of unit length, which a Moby file cannot "
            f"express (model '{machine.name}')"
        )
