"""``springdamper`` of joints: stiffness and damping from a time constant and a damping ratio.

They are those of a mass on a spring.  The mass is the inertia that a force on the joint alone moves
in the pose of the file.  It is one over a diagonal entry of the inverse joint-space inertia.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...model import FloatingBase, JointDynamics, Prismatic, Revolute, RigidBody
from .joints import MjcfJoint, places_of
from .tree import MjcfBody
from .values import describe, numbers

Joints = dict[MjcfBody, list[MjcfJoint]]
_KEY = "springdamper"


def with_springdampers(
    bodies: Sequence[MjcfBody],
    joints: Joints,
    masses: Mapping[MjcfBody, RigidBody],
    disabled: frozenset[str],
) -> Joints:
    """The joints, where those with a ``springdamper`` have a spring and damping."""
    if not any(_wanted(joint) for own in joints.values() for joint in own):
        return joints
    inertia = _felt_inertia(bodies, joints, masses)
    return {
        body: [_sprung(joint, inertia, disabled) if _wanted(joint) else joint for joint in own]
        for body, own in joints.items()
    }


def _wanted(joint: MjcfJoint) -> bool:
    element = joint.part.element
    time, ratio = numbers(element, _KEY, 2) or (0.0, 0.0)
    if (time or ratio) and min(time, ratio) <= 0.0:
        raise element.error(f"{describe(element)}: expected a springdamper of two numbers above "
                            f"0, found {time:g} and {ratio:g}")  # fmt: skip
    return time > 0.0


def _sprung(joint: MjcfJoint, inertia: Mapping[str, float], disabled: frozenset[str]) -> MjcfJoint:
    time, ratio = numbers(joint.part.element, _KEY, 2)
    mass, changed = inertia[joint.name], joint.dynamics or JointDynamics()
    if not disabled & {"spring", "passive"}:
        changed = replace(changed, stiffness=mass / (time * ratio) ** 2, rest=joint.rest)
    if not disabled & {"damper", "passive"}:
        changed = replace(changed, damping=2.0 * mass / time)
    return replace(joint, dynamics=changed)


def _felt_inertia(
    bodies: Sequence[MjcfBody], joints: Joints, masses: Mapping[MjcfBody, RigidBody]
) -> dict[str, float]:
    """By joint: the mean of its entries, as MuJoCo takes it for joints of several."""
    columns, armature = _columns(bodies, joints)
    inertia = np.diag(armature)
    places = places_of(bodies)
    for body in bodies[1:]:
        E, r = np.array(places[body].E.rows()), np.array([*places[body].r])
        mass = masses[body]
        com = r + E.T @ np.array(mass.com)
        turn, move = np.zeros((3, len(armature))), np.zeros((3, len(armature)))
        carrier: MjcfBody | None = body
        while carrier is not None:
            for k, axis, slide, at in columns.get(carrier, ()):
                turn[:, k], move[:, k] = axis, slide + np.cross(axis, com - at)
            carrier = carrier.parent
        inertia += mass.mass * move.T @ move + turn.T @ E.T @ np.array(mass.inertia) @ E @ turn
    try:
        inverse = np.diag(np.linalg.inv(inertia))
    except np.linalg.LinAlgError:
        first = next(joint for own in joints.values() for joint in own if _wanted(joint))
        element = first.part.element
        raise element.error(f"{describe(element)}: the joint-space inertia is singular, so "
                            f"'{_KEY}' has no meaning") from None  # fmt: skip
    found, k = {}, 0
    for joint in (joint for body in bodies for joint in joints[body]):
        found[joint.name] = float(1.0 / inverse[k : k + joint.kind.nv].mean())
        k += joint.kind.nv
    return found


def _columns(
    bodies: Sequence[MjcfBody], joints: Joints
) -> tuple[dict[MjcfBody, list[tuple[int, np.ndarray, np.ndarray, np.ndarray]]], list[float]]:
    """By body: index, rotation, translation and point of each axis of motion, in the world."""
    places, columns, armature = places_of(bodies), {}, []
    for body in bodies:
        E, r = np.array(places[body].E.rows()), np.array([*places[body].r])
        for joint in joints[body]:
            at, none = r + E.T @ np.array([*joint.anchor]), np.zeros(3)
            match joint.kind:
                case Revolute(axis):
                    axes = [(E.T @ np.array(axis), none)]
                case Prismatic(axis):
                    axes = [(none, E.T @ np.array(axis))]
                case FloatingBase():
                    axes = [(none, x) for x in np.eye(3)] + [(x, none) for x in E]
                case _:
                    axes = [(x, none) for x in E]
            start = len(armature)
            columns.setdefault(body, []).extend(
                (start + k, axis, slide, at) for k, (axis, slide) in enumerate(axes)
            )
            own = joint.dynamics.armature if joint.dynamics else 0.0
            armature += [float(own)] * len(axes)  # type: ignore[arg-type]
    return columns, armature
