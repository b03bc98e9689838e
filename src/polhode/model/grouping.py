"""Base-parameter regrouping: the same joint forces from fewer numbers.

Inertia that is symmetric about a joint's axis moves as if it were part of the parent: mass,
moments along the axis.  Moved there it leaves zeros in the child, which cost no operations.  Joint
forces, joint-space inertia and bias forces do not change; forces within links do.
(Gautier 1990; Khalil and Dombre 2002, section 9.4.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from ..spatial import Mat3, Moments, Sym3, Transform, Vec3
from .joints import JointKind, Prismatic, Revolute

_AXES = ("x", "y", "z")


def regrouped_moments(
    parent: Sequence[int],
    X_tree: Sequence[Transform],
    joints: Sequence[JointKind | None],
    own: Sequence[Moments],
) -> tuple[Moments, ...]:
    """Moments of all bodies, each with as many zeros as its joint permits.

    A body whose parent has no mass keeps its own, and so does one whose numbers, or whose
    frame's, are traced values or arrays.
    """
    moments = list(own)
    for i in range(len(parent) - 1, 0, -1):
        p, X, whole = parent[i], X_tree[i], moments[i]
        is_borne = p == 0 or (_is_constant(moments[p]) and any(_numbers(moments[p])))
        if not (is_borne and _is_constant(whole) and _is_constant(X)):
            continue
        kept, given = _shared(joints[i], whole)
        moments[i] = kept
        if p:
            moments[p] = moments[p] + given.moved(X.E, X.r)
    return tuple(moments)


def _shared(joint: JointKind | None, own: Moments) -> tuple[Moments, Moments]:
    """Moments that must stay in a body, and those that its parent can take."""
    nothing = Moments(0.0, Vec3.zero(), Sym3.zero())
    if isinstance(joint, Prismatic):
        return Moments(own.m, own.h, Sym3.zero()), Moments(0.0, Vec3.zero(), own.M)
    if not isinstance(joint, Revolute):
        return own, nothing
    u = Vec3.of(joint.axis)
    u = u * (1.0 / u.dot(u) ** 0.5)
    axis = max(_AXES, key=lambda k: abs(getattr(u, k)))
    length = getattr(u, axis)
    first = getattr(own.h, axis) / length
    second = getattr(own.M, axis + axis) / (length * length)
    square = Sym3.lower(u.outer(u))
    given = Moments(own.m, u * first, square * second)
    h = {k: getattr(own.h - given.h, k) for k in _AXES} | {axis: 0.0}
    M = {f.name: getattr(own.M - given.M, f.name) for f in fields(Sym3)} | {axis + axis: 0.0}
    return Moments(0.0, Vec3(**h), Sym3(**M)), given


def _numbers(x: Moments | Transform) -> list:
    """The scalars of a record, in any order."""
    parts = [x.M.full(), x.h] if isinstance(x, Moments) else [x.E, x.r]
    flat: list = [x.m] if isinstance(x, Moments) else []
    for part in parts:
        flat += [s for row in part for s in row] if isinstance(part, Mat3) else list(part)
    return flat


def _is_constant(x: Moments | Transform) -> bool:
    return all(isinstance(s, (float, int)) for s in _numbers(x))
