"""Points of bodies on compliant ground with friction: a force element, smooth in between.

The ground is the plane through the base origin across the last coordinate (z, or y of a planar
model).  Its tangential deflection under each point is ``u``, a state with a derivative of its own
(Azad and Featherstone 2010).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..model import Model, PerBody
from ..scalar import Scalar, maximum, minimum, sqrt, where
from ..spatial import Force, Vec3
from .tree.kinematics import base_transforms, body_velocities

Vector = tuple[Scalar, ...]
Points = Sequence[tuple[int, Sequence[float]]]


@dataclass(frozen=True)
class Ground:
    """Stiffness, damping and friction of the ground, and the points that can touch it.

    Attributes
    ----------
    stiffness, damping : float
        Normal force ``sqrt(depth) (K depth + D rate)``; the same for the tangential deflection.
    friction : float
        Coefficient of friction; at least 0.
    points : tuple
        Pairs of a body's number and three coordinates in it.
    """

    stiffness: float
    damping: float
    friction: float
    points: tuple[tuple[int, tuple[float, float, float]], ...]


class PointContact(NamedTuple):
    """Force on a point, rate of the tangential deflection, and the used share of the cone."""

    force: Vector
    u_rate: Vector
    cone: Scalar


def normal_force(K: Scalar, D: Scalar, z: Scalar, zd: Scalar) -> Scalar:
    """The push of the ground on a point at height ``z``; never a pull."""
    return maximum(0.0, sqrt(maximum(0.0, -z)) * (-(K * z) - D * zd))


def contact_law(
    K: Scalar, D: Scalar, mu: Scalar, p: Sequence[Scalar], pd: Sequence[Scalar],
    u: Sequence[Scalar],
) -> PointContact:  # fmt: skip
    """The force on one point at ``p`` moving at ``pd``, over ground that has yielded by ``u``.

    Sticking, ``u`` follows the point, and the force is that of spring and damper.  Where this
    would leave the friction cone the point slides.  The force is on the cone, and ``u`` has the
    rate at which spring and damper give this force.  Without contact ``u`` fades with the time
    constant ``D / K``.
    """
    *slide, rise = pd
    z = p[-1]
    push = normal_force(K, D, z, rise)
    root = sqrt(maximum(0.0, -z))
    is_touching = push > 0.0
    safe_root = where(is_touching, root, 1.0)

    wanted = [-(root * (K * y + D * s)) for y, s in zip(u, slide, strict=True)]
    size = sqrt(_sum(t * t for t in wanted))
    limit = mu * push
    is_sliding = is_touching & (size > limit)
    share = where(is_sliding, limit / where(is_sliding, size, 1.0), where(is_touching, 1.0, 0.0))
    along = [t * share for t in wanted]

    stiff, soft = K / D, 1.0 / (D * safe_root)
    yielding = [
        where(is_touching, where(is_sliding, -(t * soft) - stiff * y, s), -(stiff * y))
        for t, y, s in zip(along, u, slide, strict=True)
    ]
    cone = where(is_touching, minimum(2.0, size / where(is_touching, limit, 1.0)), 2.0)
    return PointContact((*along, push), tuple(yielding), cone)


def points_of(points: Points, X_0: PerBody, v: PerBody) -> tuple[list[Vec3], list[Vec3]]:
    """Positions and velocities of points of bodies in base coordinates."""
    R = {i: X_0[i].E.T for i, _ in points}
    at_origin = {i: (R[i] @ v[i].ang, R[i] @ v[i].lin) for i, _ in points}
    positions, velocities = [], []
    for i, where_in_body in points:
        spin, moved = at_origin[i]
        arm = R[i] @ Vec3.of(tuple(where_in_body))
        positions.append(X_0[i].r + arm)
        velocities.append(moved + spin.cross(arm))
    return positions, velocities


def contact_points(
    model: Model, q: PerBody, qd: PerBody, *, points: Points
) -> tuple[list[Vec3], list[Vec3]]:
    """Positions and velocities of points, given as pairs of a body and coordinates in it."""
    return points_of(points, base_transforms(model, q), body_velocities(model, q, qd))


def contact_forces(
    model: Model, q: PerBody, qd: PerBody, u: Sequence[Sequence[Scalar]], ground: Ground
) -> tuple[PerBody, list[Vector]]:
    """The ground's force on each body, in base coordinates, and the rates of ``u``."""
    X_0, v = base_transforms(model, q), body_velocities(model, q, qd)
    positions, velocities = points_of(ground.points, X_0, v)
    total = {int(i): Force.zero() for i in model.bodies}
    rates = []
    for (i, _), p, pd, yielded in zip(ground.points, positions, velocities, u, strict=True):
        contact = contact_law(
            ground.stiffness, ground.damping, ground.friction, tuple(p), tuple(pd), yielded
        )
        force = Vec3.of(contact.force)
        total[i] = total[i] + Force(p.cross(force), force)
        rates.append(contact.u_rate)
    return total, rates


def _sum(values) -> Scalar:
    total: Scalar = 0.0
    for value in values:
        total = total + value
    return total
