"""Inertia of tendons in the mass matrices of models: of those that touch one moving model alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ...model import Anchor, Pulley, Tendon
from ...model.actuated import bodies_of_tendon
from ...model.tendons import UNLIMITED
from ...scene import Machine, Scene
from ...spatial import Vec3

if TYPE_CHECKING:
    from .lowering import MovingMachine, SceneLayout


def machines_with_armature(scene: Scene) -> frozenset[str]:
    """The moving models that a tendon with armature touches alone."""
    found = (_moving(scene, tendon) for tendon in scene.tendons if tendon.armature)
    return frozenset(name for names in found if len(names) == 1 for name in names)


def armature_between(scene: Scene) -> list[Tendon]:
    """The tendons with armature between models, of which no mass matrix has it."""
    return [each for each in scene.tendons if each.armature and len(_moving(scene, each)) > 1]


def armature_of(plan: SceneLayout, node: MovingMachine) -> tuple[Tendon, ...]:
    """The tendons with armature of one model, over its own bodies and joints."""
    name = node.machine.name
    tendons = [each for each in plan.scene.tendons if _moving(plan.scene, each) == {name}]
    return _armature(plan, tendons, [node.machine], len(name) + 1)


def armature_of_all(plan: SceneLayout) -> tuple[Tendon, ...]:
    """All tendons with armature, over the bodies and joints of all models that move."""
    return _armature(plan, plan.scene.tendons, [node.machine for node in plan.nodes], 0)


def _armature(
    plan: SceneLayout, tendons: Iterable[Tendon], machines: list[Machine], prefix: int
) -> tuple[Tendon, ...]:
    """Tendons without forces over these models, names cut; all else stands in the world."""
    bodies = {full: full[prefix:] for each in machines for full in _links(each)}
    joints = {full: full[prefix:] for each in machines for full in _joints(each)}
    found = []
    for tendon in tendons:
        path = tuple(_anchored(plan, part, bodies) for part in tendon.path)  # type: ignore[arg-type]
        terms = tuple((joints[name], x) for name, x in tendon.joints if name in joints)
        if tendon.armature and (path or terms):
            found.append(replace(tendon, path=path, joints=terms, stiffness=0.0, damping=0.0,
                                 friction=0.0, limits=UNLIMITED))  # fmt: skip
    return tuple(found)


def _anchored(
    plan: SceneLayout, part: Anchor | Pulley, bodies: Mapping[str, str]
) -> Anchor | Pulley:
    """A part of a path under the local name of its body, or in the world."""
    if isinstance(part, Pulley) or part.body is None:
        return part
    if part.body in bodies:
        return replace(part, body=bodies[part.body])
    places = {"/".join(pair): place for pair, place in plan.places.items()}
    point = places[part.body].frame.point(Vec3(*part.point))
    return Anchor(None, tuple(float(x) for x in point))  # type: ignore[arg-type]


def _moving(scene: Scene, tendon: Tendon) -> set[str]:
    """The moving models that a tendon touches."""
    named = {*bodies_of_tendon(tendon), *(joint for joint, _ in tendon.joints)}
    return {
        each.name
        for each in scene.simulated
        if not each.is_fixed and not named.isdisjoint([*_links(each), *_joints(each)])
    }


def _links(machine: Machine) -> list[str]:
    return [f"{machine.name}/{link}" for link in machine.link_names]


def _joints(machine: Machine) -> list[str]:
    model = machine.model
    return [f"{machine.name}/{joint.name}" for joint in (*model.joints, *model.followers)]
