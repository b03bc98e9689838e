"""What RBDL's functions return that no function of polhode's own does, over scalars."""

from __future__ import annotations

from ..algorithms import rnea_tables
from ..algorithms.tree.energy import center_of_mass, momentum
from ..algorithms.tree.kinematics import (
    body_accelerations,
    body_velocities,
    frame_transform,
    point_acceleration,
)
from ..model import Model, PerBody
from ..spatial import Mat3, Motion, Transform, Vec3


def body_orientation(model: Model, q: PerBody, *, body: int) -> Mat3:
    """The rotation from base to body coordinates."""
    return frame_transform(model, q, body).E


def body_coordinates(model: Model, q: PerBody, point: Vec3, *, body: int) -> Vec3:
    """A point given in base coordinates, in those of a body."""
    X = frame_transform(model, q, body)
    return X.E @ (point - X.r)


def point_velocity_6d(model: Model, q: PerBody, qd: PerBody, point: Vec3, *, body: int) -> Motion:
    """Angular velocity of a body, and velocity of its point, in base axes."""
    frame, turn = model.body(body), frame_transform(model, q, body).E.T
    v = frame.frame @ body_velocities(model, q, qd)[frame.moving]
    return Transform(turn, point) @ v


def point_acceleration_6d(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody, point: Vec3, *, body: int
) -> Motion:
    """Angular acceleration of a body, and acceleration of its point, in base axes."""
    frame, turn = model.body(body), frame_transform(model, q, body).E.T
    _, a = body_accelerations(model, q, qd, qdd)
    angular = (frame.frame @ a[frame.moving]).ang
    return Motion(turn @ angular, point_acceleration(model, q, qd, qdd, point, body=body))


def mass_motion(model: Model, q: PerBody, qd: PerBody) -> tuple[Vec3, Vec3, Vec3]:
    """Centre of mass, its velocity, and the angular momentum about it, in base axes."""
    center, h = center_of_mass(model, q), momentum(model, q, qd)
    return center, h.lin * (1.0 / model.mass), h.ang - center.cross(h.lin)


def mass_acceleration(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody
) -> tuple[Vec3, Vec3, Vec3, Vec3, Vec3]:
    """`mass_motion`, the centre's acceleration, and the rate of that angular momentum."""
    center, velocity, spin = mass_motion(model, q, qd)
    rate = rnea_tables(model.weightless(), q, qd, qdd).f[0]
    return center, velocity, spin, rate.lin * (1.0 / model.mass), rate.ang - center.cross(rate.lin)
