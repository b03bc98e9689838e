"""Rows of a constraint set: ``G qdd = gamma``, with position and velocity errors (RBDA ch. 8).

A station is a frame fixed in a body.  Its velocity and its joint Jacobian are those of its
origin, in base axes, and its acceleration is the one an observer measures there; so a
constraint is a dot product with fixed or moving axes, and nothing needs shifting.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from ..constraint_sets import Constraint, Contact, Loop
from ..model import Model, PerBody
from ..scalar import Scalar
from ..spatial import Mat3, Motion, Transform, Vec3
from .sparse_rows import Row, row_times


class Rows(NamedTuple):
    """The rows of a set at a state; without velocities ``errd`` is zero.

    ``slope`` is ``G`` except for rows about a turn that is not yet small: there it follows the
    error's sine, so that Newton's method gets the derivative it needs.
    """

    G: list[Row]
    slope: list[Row]
    err: list[Scalar]
    errd: list[Scalar]
    gamma: list[Scalar]


@dataclass(frozen=True)
class Station:
    """A frame of a body: how it is turned, where it is, and how it moves."""

    turn: Mat3
    position: Vec3
    columns: Mapping[int, Motion]
    velocity: Motion
    acceleration: Motion


def constraint_rows(
    model: Model, q: PerBody, qd: PerBody | None, constraints: Sequence[Constraint]
) -> Rows:
    """Every row of a set: ``gamma = -Gd qd`` plus what was asked for, and Baumgarte's terms."""
    rows = Rows([], [], [], [], [])
    at = cache(stations(model, q, qd))
    rates = None if qd is None else model.join_v(qd)
    for constraint in constraints:
        G, slope, err, gamma = _rows_of(model, q, qd, constraint, at)
        errd: list[Scalar] = [0.0 if rates is None else row_times(row, rates) for row in G]
        if constraint.stabilization is not None and qd is not None:
            rate = 1.0 / constraint.stabilization
            pulls = [x * (rate * rate) + xd * (2.0 * rate) for x, xd in zip(err, errd, strict=True)]
            gamma = [g - pull for g, pull in zip(gamma, pulls, strict=True)]
        for total, part in zip(rows, (G, slope, err, errd, gamma), strict=True):
            total.extend(part)
    return rows


def stations(model: Model, q: PerBody, qd: PerBody | None) -> Callable[[int, Transform], Station]:
    """The station of a frame of a body: a function of both.

    Accelerations are those at ``qdd = 0``.  They come from the recursion of inverse
    dynamics, gravity included, so that a trace shares its steps; gravity is then added back.
    """
    X_0, S = {0: Transform.identity()}, {}
    v, a = {0: Motion.zero()}, {0: -model.gravity}
    for i in model.bodies:
        p = model.parent[i]
        XJ, S[i], vJ, cJ = model.joint[i].jcalc(q[i], None if qd is None else qd[i])
        X = XJ @ model.X_tree[i]
        X_0[i] = X @ X_0[p]
        if qd is not None:
            v[i] = X @ v[p] + vJ
            at_rest = (0.0,) * model.joint[i].nv
            a[i] = X @ a[p] + S[i] @ at_rest + cJ + v[i].cross(vJ)

    @cache
    def axes(i: int) -> list[Motion]:
        turn = X_0[i].E.T
        return [Motion(turn @ column.ang, turn @ column.lin) for column in S[i].columns]

    def station(body: int, frame: Transform) -> Station:
        fixed = model.body(body)
        X, i = frame @ fixed.frame, fixed.moving
        position, turn, columns = X_0[i].point(X.r), X_0[i].E.T, {}
        j = i
        while j:
            arm = position - X_0[j].r
            for k, s in zip(model.v_index[j], axes(j), strict=True):
                columns[k] = Motion(s.ang, s.lin + s.ang.cross(arm))
            j = model.parent[j]
        velocity, acceleration = Motion.zero(), Motion.zero()
        if qd is not None and i:
            w, alpha = v[i].ang, a[i].ang
            moving = v[i].lin + w.cross(X.r)
            speeding = a[i].lin + alpha.cross(X.r) + w.cross(moving)
            velocity = Motion(turn @ w, turn @ moving)
            measured: Vec3 = turn @ speeding
            acceleration = Motion(turn @ alpha, measured + model.gravity.lin)
        return Station(turn @ X.E.T, position, columns, velocity, acceleration)

    return station


def _rows_of(model: Model, q: PerBody, qd: PerBody | None, constraint: Constraint, station):
    """``G``, slope, position errors, and ``gamma`` without stabilization, of one constraint."""
    if isinstance(constraint, Contact):
        return _contact(constraint, station)
    if isinstance(constraint, Loop):
        return _loop(constraint, station)
    rates = qd or {i: (0.0,) * model.joint[i].nv for i in model.bodies}
    G, gamma, err = constraint.function(model, q, rates)
    rows = [dict(enumerate(row)) for row in G]
    return rows, rows, list(err), list(gamma)


def _contact(contact: Contact, station):
    at: Station = station(contact.body, Transform(Mat3.identity(), Vec3.of(contact.point)))
    normal = Vec3.of(contact.normal)
    G = {k: normal.dot(column.lin) for k, column in at.columns.items()}
    err: Scalar = 0.0
    if contact.ground is not None:
        err = normal.dot(at.position - Vec3.of(contact.ground))
    return [G], [G], [err], [contact.normal_acceleration - normal.dot(at.acceleration.lin)]


def _loop(loop: Loop, station):
    """The relative motion, successor less predecessor, along axes the predecessor carries."""
    p: Station = station(loop.predecessor, loop.X_predecessor)
    s: Station = station(loop.successor, loop.X_successor)
    ang, lin = Vec3.of(loop.axis[:3]), Vec3.of(loop.axis[3:])
    axis = Motion(p.turn @ ang, p.turn @ lin)
    spin = p.velocity.ang
    axis_rate = Motion(spin.cross(axis.ang), spin.cross(axis.lin))
    still = Motion.zero()
    moves = {
        k: s.columns.get(k, still) - p.columns.get(k, still) for k in {**p.columns, **s.columns}
    }
    G = slope = {k: along(axis, move) for k, move in moves.items()}
    err: Scalar = axis.lin.dot(s.position - p.position)
    if any(loop.axis[:3]):
        R: Mat3 = p.turn.T @ s.turn
        err = err + ang.dot(_sine_vector(R))
        leaning = ang * (R.x.x + R.y.y + R.z.z) - R.T @ ang
        slope_axis = Motion(p.turn @ leaning * 0.5, axis.lin)
        slope = {k: along(slope_axis, move) for k, move in moves.items()}
    relative = s.velocity - p.velocity
    drift = along(axis, s.acceleration - p.acceleration) + along(axis_rate, relative)
    return [G], [slope], [err], [-drift]


def along(axis: Motion, m: Motion) -> Scalar:
    """The product of a motion with an axis, angular with angular, linear with linear."""
    return axis.ang.dot(m.ang) + axis.lin.dot(m.lin)


def _sine_vector(R: Mat3) -> Vec3:
    """``u sin(theta)`` of the turn by ``theta`` about ``u`` whose rotation matrix is ``R``."""
    return Vec3(R.z.y - R.y.z, R.x.z - R.z.x, R.y.x - R.x.y) * 0.5
