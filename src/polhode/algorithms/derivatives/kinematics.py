"""Rates of change of Jacobians: in time, and along the tangent of the joints (RBDA section 2.10).

A column of a Jacobian moves with the body of its joint, so its rate is a cross product with that
body's velocity.  A step along another coordinate moves it in the same way.
"""

from __future__ import annotations

from ...model import Model, PerBody
from ...spatial import Motion, Transform, Vec3
from ..tree.scatter import scatter_columns, scatter_matrix
from ..tree.sparsity import Matrix
from .motion import Sweep, sweep

Tensor = list[Matrix]


def body_jacobian_derivative(model: Model, q: PerBody, qd: PerBody, *, body: int) -> Matrix:
    """6 x nv: the time derivative of the Jacobian in the coordinates of ``body``."""
    at, i, X = _frame(model, sweep(model, q, qd), body)
    rates = {column.k: X @ (at.v[column.body] - at.v[i]).cross(column.s) for column in at.path(i)}
    return _matrix(at, rates, model.nv)


def frame_jacobian_derivative(
    model: Model, q: PerBody, qd: PerBody, point: Vec3, *, body: int
) -> Matrix:
    """6 x nv: the time derivative of the Jacobian of a frame at a point, in base axes."""
    at, i, X = _frame(model, sweep(model, q, qd), body)
    place = X.point(point)
    velocity = velocity_at(at.v[i], place)
    rates = {}
    for column in at.path(i):
        rate = at.v[column.body].cross(column.s)
        rates[column.k] = Motion(rate.ang, velocity_at(rate, place) + column.s.ang.cross(velocity))
    return _matrix(at, rates, model.nv)


def point_jacobian_derivative(
    model: Model, q: PerBody, qd: PerBody, point: Vec3, *, body: int
) -> Matrix:
    """3 x nv: the time derivative of the Jacobian of a point's velocity, in base axes."""
    return frame_jacobian_derivative(model, q, qd, point, body=body)[3:]


def frame_hessian(model: Model, q: PerBody, point: Vec3, *, body: int) -> Tensor:
    """6 x nv x nv: the change of column ``k`` of the Jacobian along coordinate ``j``.

    Of two joints the one nearer to the base turns the other's column, and is turned by it:
    ``s_j x s_k`` at the point, whichever varies.  Angular columns of the upper joint stay.
    """
    at, i, X = _frame(model, sweep(model, q), body)
    place = X.point(point)
    hessian = [[[0.0] * at.model.nv for _ in range(at.model.nv)] for _ in range(6)]
    path = list(at.path(i))
    for column in path:
        for by in path:
            if by.body <= column.body:
                w = by.s.ang
                change = Motion(w.cross(column.s.ang), w.cross(velocity_at(column.s, place)))
            else:
                change = Motion(Vec3.zero(), column.s.ang.cross(velocity_at(by.s, place)))
            for rows, x in zip(hessian, change, strict=True):
                rows[column.k][by.k] = x
    return [scatter_matrix(part, at.origin, model.nv) for part in hessian]


def point_hessian(model: Model, q: PerBody, point: Vec3, *, body: int) -> Tensor:
    """3 x nv x nv: the same of the Jacobian of a point's velocity."""
    return frame_hessian(model, q, point, body=body)[3:]


def velocity_at(m: Motion, place: Vec3) -> Vec3:
    """The linear part, at a point, of a motion in base coordinates."""
    return m.lin + m.ang.cross(place)


def _frame(model: Model, at: Sweep, body: int) -> tuple[Sweep, int, Transform]:
    """The body of a frame, and the transform from base coordinates to those of the frame."""
    fixed = model.body(body)
    i = at.body_of[fixed.moving]
    return at, i, fixed.frame @ at.X_0[i]


def _matrix(at: Sweep, columns: dict[int, Motion], nv: int) -> Matrix:
    still = Motion.zero()
    entries = [tuple(columns.get(k, still)) for k in range(at.model.nv)]
    return scatter_columns([[column[row] for column in entries] for row in range(6)], at.origin, nv)
