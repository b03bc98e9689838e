"""Rows of a constraint set: ``G qdd = gamma``, with position and velocity errors (RBDA ch. 8).

Rows are about frames fixed in bodies.  A frame's velocity and joint Jacobian are those of its
origin, in base axes.  Its acceleration is the classical one.  So a constraint is a dot product
with fixed or moving axes, without shifts of origin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...constraint_sets import Constraint, Contact, Loop
from ...model import Model, PerBody
from ...scalar import Scalar
from ...spatial import Mat3, Motion, Transform, Vec3
from ..tree.scatter import add_columns
from .sparse_rows import Row, row_times


class ConstraintRows(NamedTuple):
    """The rows of a set at a state; without velocities ``errd`` is zero.

    ``slope`` is ``G`` except for rows about a rotation that is not small.  There it follows the
    error's sine, so that Newton's method has the exact derivative.
    """

    G: list[Row]
    slope: list[Row]
    err: list[Scalar]
    errd: list[Scalar]
    gamma: list[Scalar]


@dataclass(frozen=True)
class FrameState:
    """A frame of a body in base axes: rotation, position, joint Jacobian, and motion."""

    R: Mat3
    position: Vec3
    columns: Mapping[int, Motion]
    velocity: Motion
    acceleration: Motion


def constraint_rows(
    model: Model, q: PerBody, qd: PerBody | None, constraints: Sequence[Constraint]
) -> ConstraintRows:
    """Every row of a set: ``gamma = -Gd qd`` plus what was asked for, and Baumgarte's terms."""
    rows = ConstraintRows([], [], [], [], [])
    frames = FrameKinematics(model, q, qd)
    rates = None if qd is None else model.join_v(qd)
    for constraint in constraints:
        G, slope, err, gamma = _rows_of(model, q, qd, constraint, frames)
        errd: list[Scalar] = [0.0 if rates is None else row_times(row, rates) for row in G]
        if constraint.stabilization is not None and qd is not None:
            time = constraint.stabilization
            gamma = [g - baumgarte(x, xd, time) for g, x, xd in zip(gamma, err, errd, strict=True)]
        for total, part in zip(rows, (G, slope, err, errd, gamma), strict=True):
            total.extend(part)
    return rows


def baumgarte(err: Scalar, errd: Scalar, time: float) -> Scalar:
    """The stabilization term subtracted from ``gamma``: errors decay within some ``time``."""
    rate = 1.0 / time
    return err * (rate * rate) + errd * (2.0 * rate)


class FrameKinematics:
    """The frames of all bodies at a state, without velocities if ``qd`` is None.

    Accelerations are those at ``qdd = 0``.  Gravity is carried along as by `rnea`, so that a
    trace shares what the two have in common, and is taken out of each frame's.
    """

    def __init__(self, model: Model, q: PerBody, qd: PerBody | None):
        self.model: Model = model
        self.is_moving: bool = qd is not None
        self.X_0: dict[int, Transform] = {0: Transform.identity()}
        self.S: dict[int, Any] = {}
        self.v: dict[int, Motion] = {0: Motion.zero()}
        self.a: dict[int, Motion] = {0: -model.gravity}
        self._axes: dict[int, list[Motion]] = {}
        self._known: dict[tuple[int, Transform], FrameState] = {}
        for i in model.bodies:
            p = model.parent[i]
            XJ, self.S[i], vJ, cJ = model.joint[i].jcalc(q[i], None if qd is None else qd[i])
            X = XJ @ model.X_tree[i]
            self.X_0[i] = X @ self.X_0[p]
            if qd is not None:
                at_rest = (0.0,) * model.joint[i].nv
                self.v[i] = X @ self.v[p] + vJ
                self.a[i] = X @ self.a[p] + self.S[i] @ at_rest + cJ + self.v[i].cross(vJ)

    def at(self, body: int, frame: Transform) -> FrameState:
        """The state of ``frame``, given in the coordinates of ``body``."""
        key = body, frame
        if key not in self._known:
            self._known[key] = self._state(body, frame)
        return self._known[key]

    def _state(self, body: int, frame: Transform) -> FrameState:
        fixed = self.model.body(body)
        X, i = frame @ fixed.frame, fixed.moving
        R, position = self.X_0[i].E.T, self.X_0[i].point(X.r)
        velocity, acceleration = Motion.zero(), Motion.zero()
        if self.is_moving and i:
            w, alpha = self.v[i].ang, self.a[i].ang
            linear = self.v[i].lin + w.cross(X.r)
            classical = self.a[i].lin + alpha.cross(X.r) + w.cross(linear)
            velocity = Motion(R @ w, R @ linear)
            acceleration = Motion(R @ alpha, R @ classical + self.model.gravity.lin)
        return FrameState(R @ X.E.T, position, self._jacobian(i, position), velocity, acceleration)

    def _jacobian(self, i: int, position: Vec3) -> dict[int, Motion]:
        """Columns of the joints that carry body ``i``, their linear parts at ``position``."""
        columns = {}
        while i:
            arm = position - self.X_0[i].r
            moved = [Motion(s.ang, s.lin + s.ang.cross(arm)) for s in self._axes_of(i)]
            add_columns(columns, self.model.v_index[i], moved)
            i = self.model.parent[i]
        return columns

    def _axes_of(self, i: int) -> list[Motion]:
        """The motion subspace of a joint, in base axes about its body's origin."""
        if i not in self._axes:
            R = self.X_0[i].E.T
            self._axes[i] = [Motion(R @ s.ang, R @ s.lin) for s in self.S[i].columns]
        return self._axes[i]


def _rows_of(
    model: Model, q: PerBody, qd: PerBody | None, constraint: Constraint, frames: FrameKinematics
):
    """``G``, slope, position errors, and ``gamma`` without stabilization, of one constraint."""
    if isinstance(constraint, Contact):
        return _contact(constraint, frames)
    if isinstance(constraint, Loop):
        return _loop(constraint, frames)
    rates = qd or {i: (0.0,) * model.joint[i].nv for i in model.bodies}
    G, gamma, err = constraint.rows(model, q, rates)
    rows = [dict(enumerate(row)) for row in G]
    return rows, rows, err, gamma


def _contact(contact: Contact, frames: FrameKinematics):
    at = frames.at(contact.body, Transform(Mat3.identity(), Vec3.of(contact.point)))
    normal = Vec3.of(contact.normal)
    G = {k: normal.dot(column.lin) for k, column in at.columns.items()}
    err: Scalar = 0.0
    if contact.ground is not None:
        err = normal.dot(at.position - Vec3.of(contact.ground))
    return [G], [G], [err], [contact.normal_acceleration - normal.dot(at.acceleration.lin)]


def _loop(loop: Loop, frames: FrameKinematics):
    """The relative motion, successor less predecessor, along axes the predecessor carries."""
    p = frames.at(loop.predecessor, loop.X_predecessor)
    s = frames.at(loop.successor, loop.X_successor)
    axis = loop_axis(loop, p.R)
    axis_rate = rotation_rate(p.velocity.ang, axis)
    still = Motion.zero()
    moves = {
        k: s.columns.get(k, still) - p.columns.get(k, still) for k in {**p.columns, **s.columns}
    }
    G = slope = {k: along(axis, move) for k, move in moves.items()}
    err: Scalar = axis.lin.dot(s.position - p.position)
    if any(loop.axis[:3]):
        err = err + Vec3.of(loop.axis[:3]).dot(_sine_vector(p.R.T @ s.R))
        slope_axis = Motion(sine_gradient(loop, p.R, s.R), axis.lin)
        slope = {k: along(slope_axis, move) for k, move in moves.items()}
    relative = s.velocity - p.velocity
    drift = along(axis, s.acceleration - p.acceleration) + along(axis_rate, relative)
    return [G], [slope], [err], [-drift]


def loop_axis(loop: Loop, R: Mat3) -> Motion:
    """The axis of a loop in base axes, ``R`` the rotation of its predecessor's frame."""
    return Motion(R @ Vec3.of(loop.axis[:3]), R @ Vec3.of(loop.axis[3:]))


def rotation_rate(w: Vec3, axis: Motion) -> Motion:
    """The rate of an axis that turns at ``w``."""
    return Motion(w.cross(axis.ang), w.cross(axis.lin))


def sine_gradient(loop: Loop, R_p: Mat3, R_s: Mat3) -> Vec3:
    """Of the sine error of a loop, by the turn of the successor against the predecessor."""
    ang = Vec3.of(loop.axis[:3])
    R: Mat3 = R_p.T @ R_s
    return R_p @ (ang * (R.x.x + R.y.y + R.z.z) - R.T @ ang) * 0.5


def along(axis: Motion, m: Motion) -> Scalar:
    """The product of a motion with an axis, angular with angular, linear with linear."""
    return axis.ang.dot(m.ang) + axis.lin.dot(m.lin)


def _sine_vector(R: Mat3) -> Vec3:
    """``u sin(theta)`` of the rotation by ``theta`` about ``u`` whose rotation matrix is ``R``."""
    return Vec3(R.z.y - R.y.z, R.x.z - R.z.x, R.y.x - R.x.y) * 0.5
