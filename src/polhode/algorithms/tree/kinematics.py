"""Positions, velocities and accelerations of bodies and points (RBDA section 4.4, 5.3)."""

from __future__ import annotations

from ...model import Model, PerBody
from ...scalar import Scalar
from ...spatial import Force, Motion, Transform, Vec3
from ...spatial.transform import pose_matrix


def joint_transforms(model: Model, q: PerBody) -> PerBody:
    """``X[i]`` from the coordinates of body ``i``'s parent to its own."""
    return {i: model.joint[i].jcalc(q[i]).XJ @ model.X_tree[i] for i in model.bodies}


def base_transforms(model: Model, q: PerBody) -> PerBody:
    """``X_0[i]`` from base coordinates to those of body ``i``."""
    X_0 = {0: Transform.identity()}
    for i in model.bodies:
        XJ = model.joint[i].jcalc(q[i]).XJ
        X_0[i] = XJ @ model.X_tree[i] @ X_0[model.parent[i]]
    return X_0


def body_velocities(model: Model, q: PerBody, qd: PerBody) -> PerBody:
    """Spatial velocity of each body, in its own coordinates."""
    v = {0: Motion.zero()}
    for i in model.bodies:
        XJ, _, vJ, _ = model.joint[i].jcalc(q[i], qd[i])
        v[i] = XJ @ model.X_tree[i] @ v[model.parent[i]] + vJ
    return v


def body_accelerations(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody, *, base: Motion | None = None
) -> tuple[PerBody, PerBody]:
    """Spatial velocity and acceleration of each body, in its own coordinates.

    ``base`` is the acceleration of the base; zero if omitted.
    """
    v, a = {0: Motion.zero()}, {0: base or Motion.zero()}
    for i in model.bodies:
        p = model.parent[i]
        XJ, S, vJ, cJ = model.joint[i].jcalc(q[i], qd[i])
        X = XJ @ model.X_tree[i]
        v[i] = X @ v[p] + vJ
        a[i] = X @ a[p] + S @ qdd[i] + cJ + v[i].cross(vJ)
    return v, a


def poses(model: Model, q: PerBody) -> list[list[list[Scalar]]]:
    """For each body the 4x4 matrix that takes its coordinates to the base's."""
    X_0 = base_transforms(model, q)
    return [pose_matrix(X_0[i]) for i in model.bodies]


def frame_transform(model: Model, q: PerBody, body: int) -> Transform:
    """From base coordinates to those of a body, which may be a fixed one."""
    frame = model.body(body)
    X = frame.frame
    i = frame.moving
    while i:
        X = X @ model.joint[i].jcalc(q[i]).XJ @ model.X_tree[i]
        i = model.parent[i]
    return X


def body_pose(model: Model, q: PerBody, *, body: int) -> list[list[Scalar]]:
    """The 4x4 matrix that takes coordinates of ``body``, which may be fixed, to the base's."""
    return pose_matrix(frame_transform(model, q, body))


def point_position(model: Model, q: PerBody, point: Vec3, *, body: int) -> Vec3:
    """A point fixed in ``body``, in base coordinates."""
    return frame_transform(model, q, body).point(point)


def point_velocity(model: Model, q: PerBody, qd: PerBody, point: Vec3, *, body: int) -> Vec3:
    """Velocity of a point fixed in ``body``, in base axes."""
    return _point_motion(model, q, qd, None, point, body)[0]


def point_acceleration(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody, point: Vec3, *, body: int
) -> Vec3:
    """Classical acceleration of a point fixed in ``body``, in base axes."""
    return _point_motion(model, q, qd, qdd, point, body)[1]


def _point_motion(model, q, qd, qdd, point: Vec3, body: int) -> tuple[Vec3, Vec3]:
    """Velocity and classical acceleration of a point of a body.

    The spatial acceleration lacks ``omega x velocity`` of it (RBDA section 2.11).
    """
    frame = model.body(body)
    R = frame_transform(model, q, body).E.T
    qdd = qdd or {i: (0.0,) * model.joint[i].nv for i in model.bodies}
    v, a = body_accelerations(model, q, qd, qdd)
    v, a = frame.frame @ v[frame.moving], frame.frame @ a[frame.moving]
    velocity = v.lin + v.ang.cross(point)
    acceleration = a.lin + a.ang.cross(point) + v.ang.cross(velocity)
    return R @ velocity, R @ acceleration


def external_forces(model: Model, q: PerBody, f_ext: PerBody | None) -> PerBody:
    """External forces given in base coordinates, in those of the bodies they act on.

    Without any they are exact zeros, which a trace drops.
    """
    if f_ext is None:
        return {i: Force.zero() for i in model.bodies}
    X_0 = base_transforms(model, q)
    return {i: X_0[i].to_child(Force.of(tuple(f_ext[i]))) for i in model.bodies}
