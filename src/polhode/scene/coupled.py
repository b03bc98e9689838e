"""Models of scenes whose joints are coupled: by the relations of a file, or in place of gears."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..model import JointDynamics, Limits, Link, Mimic, Model
from .machine import JointSettings, Machine

if TYPE_CHECKING:
    from .couplings import Gear
    from .scene import Scene


def with_couplings(machine: Machine, mimics: Mapping[str, Mimic]) -> Machine:
    """The model whose joints of these names are coupled; it starts as far as they permit.

    What settings say of joints that share a coordinate is declared by their links instead.
    """
    shared = {*mimics, *(each.joint for each in mimics.values())}
    own = {each.joint: each for each in machine.joint_settings}
    links = []
    for link in machine.model.links:
        new = _declaring(link, own[link.joint_name]) if link.joint_name in shared & {*own} else link
        links.append(replace(new, mimic=mimics.get(link.joint_name, link.mimic)))
    model = replace(machine.model, links=tuple(links))
    settings = [_beside_links(each) if each.joint in shared else each
                for each in machine.joint_settings if each.joint not in mimics]  # fmt: skip
    q, qd, tare = (
        _picked(machine.model, model, row) for row in (machine.q, machine.qd, machine.q_tare)
    )
    return replace(machine, model=model, q=q, qd=qd, q_tare=tare, joint_settings=tuple(settings))


def coupled_gears(scene: Scene) -> Scene:
    """The scene with coupled joints in place of the gears between joints of one model.

    Raises
    ------
    ModelError
        For joints that cannot be coupled, and for what names a coupled joint.
    """
    machines = {machine.name: machine for machine in scene.machines}
    mimics: dict[str, dict[str, Mimic]] = {}
    kept = []
    for gear in scene.gears:
        (name, joint), (other, _) = gear.a, gear.b
        if name == other and joint not in mimics.setdefault(name, {}):
            mimics[name][joint] = _relation(machines[name], gear)
        else:
            kept.append(gear)
    changed = {name: with_couplings(machines[name], found) for name, found in mimics.items()}
    keyframes = [
        replace(each, q=_states(machines, changed, each.q), qd=_states(machines, changed, each.qd))
        for each in scene.keyframes
    ]
    return replace(
        scene,
        machines=tuple(changed.get(machine.name, machine) for machine in scene.machines),
        gears=tuple(kept),
        keyframes=tuple(keyframes),
    )


def _relation(machine: Machine, gear: Gear) -> Mimic:
    """The relation of a gear, which is true at the start."""
    a, b = (
        float(np.array(machine.q)[machine.model.joint(joint).q][0]) for _, joint in (gear.a, gear.b)
    )
    return Mimic(gear.b[1], gear.ratio, a - gear.ratio * b, coupled=True)


def _declaring(link: Link, own: JointSettings) -> Link:
    """A link that declares what the settings of its joint say."""
    if not link.joint.nv:
        return link
    said = {"damping": own.viscous_friction, "friction": own.coulomb_friction,
            "stiffness": own.stiffness, "rest": own.rest}  # fmt: skip
    given = {key: value for key, value in said.items() if value is not None}
    dynamics = replace(link.dynamics or JointDynamics(), **given)
    limits = Limits(own.lower[0], own.upper[0]) if own.is_limited else link.limits
    return replace(link, limits=limits, dynamics=None if dynamics == JointDynamics() else dynamics)


def _beside_links(settings: JointSettings) -> JointSettings:
    """What settings say that links cannot."""
    return JointSettings(settings.joint, restitution=settings.restitution)


def _picked(before: Model, after: Model, row: tuple[float, ...]) -> tuple[float, ...]:
    """The entries, of positions or velocities, of joints that still have coordinates."""
    given, is_position = np.array(row), len(row) == before.nq
    found = np.zeros(after.nq if is_position else after.nv)
    for joint in after.joints:
        old = before.joint(joint.name)
        found[joint.q if is_position else joint.v] = given[old.q if is_position else old.v]
    return tuple(found.tolist())


def _states(
    machines: Mapping[str, Machine],
    changed: Mapping[str, Machine],
    rows: Iterable[tuple[str, tuple[float, ...]]],
) -> dict[str, tuple[float, ...]]:
    return {
        name: _picked(machines[name].model, changed[name].model, row) if name in changed else row
        for name, row in rows
    }
