"""What RBDL's functions return that no function of polhode's own does, over scalars."""

from __future__ import annotations

from ..algorithms.tree.kinematics import (
    base_transforms,
    body_accelerations,
    body_velocities,
    frame_transform,
    point_acceleration,
)
from ..model import Model, PerBody
from ..scalar import Scalar
from ..spatial import Force, Inertia, Mat3, Motion, Transform, Vec3


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
    total, h = Inertia.zero(), Force.zero()
    X_0, v = base_transforms(model, q), body_velocities(model, q, qd)
    for i in model.bodies:
        total += X_0[i].T @ model.inertia[i] @ X_0[i]
        h += X_0[i].T @ (model.inertia[i] @ v[i])
    center = total.h * (1.0 / total.m)
    return center, h.lin * (1.0 / total.m), h.ang - center.cross(h.lin)


def mass_acceleration(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody
) -> tuple[Vec3, Vec3, Vec3, Vec3, Vec3]:
    """`mass_motion`, the centre's acceleration, and the rate of that angular momentum."""
    center, velocity, spin = mass_motion(model, q, qd)
    rate = Force.zero()
    X_0, (v, a) = base_transforms(model, q), body_accelerations(model, q, qd, qdd)
    mass: Scalar = 0.0
    for i in model.bodies:
        mass = mass + model.inertia[i].m
        rate += X_0[i].T @ model.inertia[i].net_force(v[i], a[i])
    return center, velocity, spin, rate.lin * (1.0 / mass), rate.ang - center.cross(rate.lin)
