"""Reactions of joints beside constraints, whose forces act on the bodies they join."""

from __future__ import annotations

from collections.abc import Sequence

from ...constraint_sets import Contact, Loop
from ...model import Model, PerBody
from ...scalar import Scalar
from ...spatial import Force, Mat3, Motion, Transform, Vec3
from ..tree.reactions import joint_reactions
from .rows import FrameKinematics, FrameState, loop_axis


def constrained_joint_reactions(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody, force: Sequence[Scalar],
    f_ext: PerBody | None = None, *, constraints: tuple[Contact | Loop, ...],
) -> list[list[Scalar]]:  # fmt: skip
    """What each joint exerts on its body while rows of a set exert ``force``."""
    on_bodies = row_forces(model, q, force, constraints)
    if f_ext is not None:
        on_bodies = {i: on_bodies[i] + Force.of(tuple(f_ext[i])) for i in model.bodies}
    wrenches = {i: (*on_bodies[i].ang, *on_bodies[i].lin) for i in model.bodies}
    return joint_reactions(model, q, qd, qdd, wrenches)


def row_forces(
    model: Model, q: PerBody, force: Sequence[Scalar], constraints: tuple[Contact | Loop, ...]
) -> PerBody:
    """The sum of the rows' forces on each body, in base coordinates."""
    frames = FrameKinematics(model, q, None)
    total = {i: Force.zero() for i in range(len(model.bodies) + 1)}
    for constraint, size in zip(constraints, force, strict=True):
        for body, on_body in _forces(constraint, frames, size):
            total[model.body(body).moving] += on_body
    return total


def _forces(constraint: Contact | Loop, frames: FrameKinematics, size: Scalar):
    """The bodies that a row acts on, and its force on each."""
    if isinstance(constraint, Contact):
        at = frames.at(constraint.body, Transform(Mat3.identity(), Vec3.of(constraint.point)))
        normal = Motion(Vec3.zero(), Vec3.of(constraint.normal))
        return [(constraint.body, _force(normal, at, size))]
    p = frames.at(constraint.predecessor, constraint.X_predecessor)
    s = frames.at(constraint.successor, constraint.X_successor)
    axis = loop_axis(constraint, p.R)
    return [
        (constraint.predecessor, _force(axis, p, -size)),
        (constraint.successor, _force(axis, s, size)),
    ]


def _force(axis: Motion, at: FrameState, size: Scalar) -> Force:
    """The force of a row along its axis at a frame's origin, about that of the base."""
    push = axis.lin * size
    return Force(axis.ang * size + at.position.cross(push), push)
