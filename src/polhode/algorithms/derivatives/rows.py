"""Derivatives of the rows of a constraint set along the tangent of the joints.

For the residual ``G qdd - gamma`` of each row and for the joint forces ``G^T force``, in base axes
at the constraints' own points.  Let a coordinate with columns ``s``, ``psid``, ``psidd`` and
``psid_sd`` move a point with velocity ``v`` and acceleration ``a``.  A step along it changes ``v``
by ``psid + w x v`` and ``a`` by ``psidd + 2 w1 x v + w x a``.  A step of its rate changes ``a`` by
``psid_sd + 2 w x v``.  Columns are taken at the point; ``w`` and ``w1`` are the angular parts of
``s`` and ``psid``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from ...constraint_sets import Constraint, Contact, Loop
from ...model import Model
from ...scalar import Scalar
from ...spatial import Mat3, Motion, Transform, Vec3
from ..constrained.rows import along, loop_axis, rotation_rate, sine_gradient
from ..constrained.sparse_rows import Row
from ..tree.sparsity import Matrix
from .kinematics import velocity_at
from .motion import Column, Sweep


class FrameDerivatives(NamedTuple):
    """Effect of a coordinate on a frame: its velocity per rate, and changes per step."""

    J: Motion
    v_q: Motion
    a_q: Motion
    a_qd: Motion


class RowDerivatives(NamedTuple):
    """Derivatives of a row: its residual by position and velocity, ``G qd`` by position."""

    by_q: Row
    by_qd: Row
    rate_by_q: Row


@dataclass(frozen=True)
class MovingFrame:
    """A frame of a body: its motion in base axes, and the steps of all that bear it."""

    R: Mat3
    place: Vec3
    velocity: Motion
    acceleration: Motion
    path: list[Column]
    steps: dict[int, FrameDerivatives]


def row_derivatives(
    model: Model, at: Sweep, constraints: Sequence[Constraint]
) -> list[RowDerivatives]:
    """Derivatives of each row of contacts and loops, by the coordinates of the split model."""
    steps = []
    for constraint in constraints:
        if isinstance(constraint, Contact):
            parts = _contact(constraint, _contact_frame(model, at, constraint))
        else:
            assert isinstance(constraint, Loop)
            parts = _loop(constraint, *_loop_frames(model, at, constraint))
        steps.append(_stabilized(constraint.stabilization, *parts))
    return steps


def force_derivatives(
    model: Model, at: Sweep, constraints: Sequence[Constraint], force: Sequence[Scalar]
) -> Matrix:
    """The change of ``G^T force`` along each coordinate, rows' forces held."""
    total: Matrix = [[0.0] * at.model.nv for _ in range(at.model.nv)]
    start = 0
    for _, members in groupby(constraints, lambda constraint: constraint.place):
        group = list(members)
        rows = force[start : start + len(group)]
        start += len(group)
        if isinstance(group[0], Contact):
            push = _weighted([Vec3.of(c.normal) for c in group], rows)  # type: ignore[union-attr]
            frame = _contact_frame(model, at, group[0])
            _add_push(total, frame, Vec3.zero(), push, 1.0)
        else:
            axes = [c.axis for c in group]  # type: ignore[union-attr]
            _add_loop(total, *_loop_frames(model, at, group[0]), axes, rows)  # type: ignore[arg-type]
    return total


def _moving_frame(model: Model, at: Sweep, body: int, frame: Transform) -> MovingFrame:
    fixed = model.body(body)
    i = at.body_of[fixed.moving]
    X = frame @ fixed.frame @ at.X_0[i]
    place, v, a = X.r, at.v[i], at.a[i]
    moving = velocity_at(v, place)
    speeding = velocity_at(a, place) + v.ang.cross(moving)
    path = list(at.path(i))
    velocity, acceleration = Motion(v.ang, moving), Motion(a.ang, speeding)
    steps = {column.k: _steps(column, place, velocity, acceleration) for column in path}
    return MovingFrame(X.E.T, place, velocity, acceleration, path, steps)


def _steps(column: Column, place: Vec3, v: Motion, a: Motion) -> FrameDerivatives:
    columns = column.s, column.psid, column.psidd, column.psid_sd
    s, psid, psidd, psid_sd = (Motion(m.ang, velocity_at(m, place)) for m in columns)
    w, w1 = s.ang, psid.ang
    return FrameDerivatives(
        s,
        Motion(w1 + w.cross(v.ang), psid.lin + w.cross(v.lin)),
        Motion(
            psidd.ang + w1.cross(v.ang) + w.cross(a.ang),
            psidd.lin + w1.cross(v.lin) * 2.0 + w.cross(a.lin),
        ),
        Motion(psid_sd.ang + w.cross(v.ang), psid_sd.lin + w.cross(v.lin) * 2.0),
    )


def _contact_frame(model: Model, at: Sweep, contact: Contact) -> MovingFrame:
    frame = Transform(Mat3.identity(), Vec3.of(contact.point))
    return _moving_frame(model, at, contact.body, frame)


def _loop_frames(model: Model, at: Sweep, loop: Loop) -> tuple[MovingFrame, MovingFrame]:
    return (
        _moving_frame(model, at, loop.predecessor, loop.X_predecessor),
        _moving_frame(model, at, loop.successor, loop.X_successor),
    )


def _contact(contact: Contact, at: MovingFrame) -> tuple[Row, Row, RowDerivatives]:
    """Of the position error; the row itself; and its steps without stabilization."""
    n = Vec3.of(contact.normal)
    G = {k: n.dot(step.J.lin) for k, step in at.steps.items()}
    return (
        {} if contact.ground is None else G,
        G,
        RowDerivatives(
            {k: n.dot(step.a_q.lin) for k, step in at.steps.items()},
            {k: n.dot(step.a_qd.lin) for k, step in at.steps.items()},
            {k: n.dot(step.v_q.lin) for k, step in at.steps.items()},
        ),
    )


def _loop(loop: Loop, p: MovingFrame, s: MovingFrame) -> tuple[Row, Row, RowDerivatives]:
    """The same of a loop's row, whose axis the predecessor turns and carries."""
    axis, w = loop_axis(loop, p.R), p.velocity.ang
    axis_rate = rotation_rate(w, axis)
    V, A = s.velocity - p.velocity, s.acceleration - p.acceleration
    err = _loop_error(loop, p, s, axis)
    G, by_q, by_qd, rate_by_q = {}, {}, {}, {}
    for k, step in _relative(p, s).items():
        G[k] = along(axis, step.J)
        by_q[k] = along(axis, step.a_q) + along(axis_rate, step.v_q)
        by_qd[k] = along(axis, step.a_qd) + along(axis_rate, step.J)
        rate_by_q[k] = along(axis, step.v_q)
        if k in p.steps:
            own = p.steps[k]
            axis_q = rotation_rate(own.J.ang, axis)
            axis_rate_q = rotation_rate(own.v_q.ang, axis) + rotation_rate(w, axis_q)
            by_q[k] = by_q[k] + along(axis_q, A) + along(axis_rate_q, V)
            by_qd[k] = by_qd[k] + along(axis_q, V)
            rate_by_q[k] = rate_by_q[k] + along(axis_q, V)
    return err, G, RowDerivatives(by_q, by_qd, rate_by_q)


def _loop_error(loop: Loop, p: MovingFrame, s: MovingFrame, axis: Motion) -> Row:
    """Of the position error, the sine of a turn about the axis included."""
    apart, slope_axis = s.place - p.place, Motion(sine_gradient(loop, p.R, s.R), axis.lin)
    err = {}
    for k, step in _relative(p, s).items():
        err[k] = along(slope_axis, step.J)
        if k in p.steps:
            err[k] = err[k] + p.steps[k].J.ang.cross(axis.lin).dot(apart)
    return err


def _relative(p: MovingFrame, s: MovingFrame) -> dict[int, FrameDerivatives]:
    """The steps of the successor less those of the predecessor."""
    still = FrameDerivatives(*(Motion.zero() for _ in FrameDerivatives._fields))
    found = {}
    for k in {**p.steps, **s.steps}:
        pairs = zip(s.steps.get(k, still), p.steps.get(k, still), strict=True)
        found[k] = FrameDerivatives(*(a - b for a, b in pairs))
    return found


def _stabilized(time: float | None, err: Row, G: Row, steps: RowDerivatives) -> RowDerivatives:
    """With Baumgarte's terms ``err / T^2 + 2 G qd / T`` in the residual."""
    if time is None:
        return steps
    rate = 1.0 / time
    by_q = {
        k: x + err.get(k, 0.0) * (rate * rate) + steps.rate_by_q[k] * (2.0 * rate)
        for k, x in steps.by_q.items()
    }
    by_qd = {k: x + G[k] * (2.0 * rate) for k, x in steps.by_qd.items()}
    return steps._replace(by_q=by_q, by_qd=by_qd)


def _add_loop(
    total: Matrix,
    p: MovingFrame,
    s: MovingFrame,
    axes: Sequence[Sequence[float]],
    force: Sequence[Scalar],
) -> None:
    moment = p.R @ _weighted([Vec3.of(axis[:3]) for axis in axes], force)
    push = p.R @ _weighted([Vec3.of(axis[3:]) for axis in axes], force)
    _add_push(total, s, moment, push, 1.0)
    _add_push(total, p, moment, push, -1.0)
    for k, step in _relative(p, s).items():
        leaning = moment.cross(step.J.ang) + push.cross(step.J.lin)
        for by, own in p.steps.items():
            total[k][by] = total[k][by] + own.J.ang.dot(leaning)


def _add_push(total: Matrix, at: MovingFrame, moment: Vec3, push: Vec3, sign: float) -> None:
    """Change of the joint forces of a wrench at a frame, as the joints move the frame."""
    arms = {k: step.J.lin.cross(push) * sign for k, step in at.steps.items()}
    for column in at.path:
        k, w = column.k, at.steps[column.k].J.ang
        leaning = arms[k] + w.cross(moment) * sign
        for by in at.path:
            above = by.body <= column.body
            x = by.s.ang.dot(leaning) if above else w.dot(arms[by.k])
            total[k][by.k] = total[k][by.k] + x


def _weighted(vectors: Sequence[Vec3], weights: Sequence[Scalar]) -> Vec3:
    total = Vec3.zero()
    for vector, weight in zip(vectors, weights, strict=True):
        total = total + vector * weight
    return total
