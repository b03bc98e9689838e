"""Jacobians: joint velocities to velocities of bodies and points (RBDA section 4.4)."""

from __future__ import annotations

from ...model import Model, PerBody
from ...spatial import Motion, Transform, Vec3
from .kinematics import frame_transform
from .scatter import add_columns
from .sparsity import Matrix


def body_jacobian(model: Model, q: PerBody, *, body: int) -> Matrix:
    """6 x nv: ``J qd`` is the spatial velocity of ``body`` in its own coordinates."""
    return _matrix(model, _columns(model, q, body))


def frame_jacobian(model: Model, q: PerBody, point: Vec3, *, body: int) -> Matrix:
    """6 x nv: ``J qd`` is angular velocity, and velocity of a point of ``body``, base axes."""
    R = frame_transform(model, q, body).E.T
    at_point = Transform(R, point)
    return _matrix(model, {k: at_point @ m for k, m in _columns(model, q, body).items()})


def point_jacobian(model: Model, q: PerBody, point: Vec3, *, body: int) -> Matrix:
    """3 x nv: ``J qd`` is the velocity of a point of ``body``, in base axes."""
    return frame_jacobian(model, q, point, body=body)[3:]


def _columns(model: Model, q: PerBody, body: int) -> dict[int, Motion]:
    """The motion of ``body``, in its own coordinates, for each unit joint velocity."""
    frame = model.body(body)
    columns, X, i = {}, frame.frame, frame.moving
    while i:
        XJ, S, _, _ = model.joint[i].jcalc(q[i])
        add_columns(columns, model.v_index[i], (X @ S).columns)
        X = X @ XJ @ model.X_tree[i]
        i = model.parent[i]
    return columns


def _matrix(model: Model, columns: dict[int, Motion]) -> Matrix:
    still = Motion(Vec3.zero(), Vec3.zero())
    entries = [tuple(columns.get(k, still)) for k in range(model.nv)]
    return [[column[row] for column in entries] for row in range(6)]
