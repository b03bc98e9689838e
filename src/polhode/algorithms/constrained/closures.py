"""Rows of the joints that close the loops of a scene, between a frame on body a and one on b.

Kinds of rows, with i an axis of frame a and j one of frame b:

====== ==================================================================
POINT  axis i . (origin b - origin a)
DOT    axis i . axis j
SCREW  axis z . (origin b - origin a) - pitch (angle of b about z)
====== ==================================================================

The rate of a row is the power of its wrench: the wrench acts on body b, its opposite on body a.
Wrenches and velocities are about the base origin, where those of both bodies can be compared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from ...model import Model, PerBody
from ...scalar import Scalar, atan2, floor
from ...spatial import Force, Motion, Transform, Vec3
from ..tree.scatter import scatter_row
from ..tree.sparsity import Matrix
from .rows import FrameKinematics
from .sparse_rows import Row, dense

POINT, DOT, SCREW = 0, 1, 2
ROWS = {
    "fixed": [(POINT, 0, 0), (POINT, 1, 0), (POINT, 2, 0), (DOT, 1, 2), (DOT, 2, 0), (DOT, 0, 1)],
    "revolute": [(POINT, 0, 0), (POINT, 1, 0), (POINT, 2, 0), (DOT, 0, 2), (DOT, 1, 2)],
    "prismatic": [(POINT, 0, 0), (POINT, 1, 0), (DOT, 1, 2), (DOT, 2, 0), (DOT, 0, 1)],
    "spherical": [(POINT, 0, 0), (POINT, 1, 0), (POINT, 2, 0)],
    "universal": [(POINT, 0, 0), (POINT, 1, 0), (POINT, 2, 0), (DOT, 0, 1)],
    "planar": [(POINT, 2, 0), (DOT, 0, 2), (DOT, 1, 2)],
    "screw": [(POINT, 0, 0), (POINT, 1, 0), (SCREW, 2, 0), (DOT, 0, 2), (DOT, 1, 2)],
}
"""The rows of each kind of joint: kind of row, axis of frame a, axis of frame b."""


@dataclass(frozen=True, slots=True)
class JointFrame:
    """A frame in base coordinates: its axes and its origin; or their rates.

    Its methods are those of frame a.  They are compiled for event-driven simulation, and traced by
    `closure_rows`.
    """

    x: Vec3
    y: Vec3
    z: Vec3
    origin: Vec3

    def axis(self, i: int) -> Vec3:
        """The axis of number ``i``."""
        if i == 0:
            return self.x
        if i == 1:
            return self.y
        return self.z

    def error(self, b: JointFrame, kind: int, i: int, j: int, pitch: float) -> Scalar:
        """The error of a row; ``pitch`` [m/rad] is that of a screw."""
        if kind == DOT:
            return self.axis(i).dot(b.axis(j))
        offset = self.axis(i).dot(b.origin - self.origin)
        if kind == SCREW:
            return offset - pitch * self.angle(b, offset / pitch if pitch != 0.0 else 0.0)
        return offset

    def wrench(self, b: JointFrame, kind: int, i: int, j: int, pitch: float) -> Force:
        """The wrench of a row on body b, which is linear in frame a."""
        a = self.axis(i)
        moment = b.arm(kind, j).cross(a)
        if kind == DOT:
            return Force(moment, Vec3.zero())
        if kind == SCREW:
            moment = moment - a * pitch
        return Force(moment, a)

    def arm(self, kind: int, j: int) -> Vec3:
        """What axis i is crossed with in the moment of a row, of frame b."""
        return self.axis(j) if kind == DOT else self.origin

    def angle(self, b: JointFrame, near: Scalar) -> Scalar:
        """Angle [rad] of frame b about z, by whole turns as near to ``near`` as can be."""
        angle = atan2(self.y.dot(b.x), self.x.dot(b.x))
        return angle + 2.0 * math.pi * floor((near - angle) / (2.0 * math.pi) + 0.5)

    def rate(self, v: Motion) -> JointFrame:
        """The rates of axes and origin in a body of velocity ``v``."""
        w = v.ang
        x, y, z = w.cross(self.x), w.cross(self.y), w.cross(self.z)
        return JointFrame(x, y, z, v.lin + w.cross(self.origin))


class Closure(NamedTuple):
    """A joint that closes a loop: its kind, pitch [m/rad], bodies, and its frames on them."""

    kind: str
    pitch: float
    a: int
    b: int
    frame_a: Transform
    frame_b: Transform


class ClosureRows(NamedTuple):
    """``J``, errors, their rates ``J qd``, and the bias ``Jd qd`` of the rows of all closures."""

    J: Matrix
    err: list[Scalar]
    errd: list[Scalar]
    bias: list[Scalar]


@dataclass(frozen=True)
class MovingSide:
    """A closure's frame and its rate, with motions of its body about the base origin.

    ``columns`` are by `Model.axis_index`.
    """

    frame: JointFrame
    rate: JointFrame
    velocity: Motion
    acceleration: Motion
    columns: dict[int, Motion]


def closure_rows(
    model: Model, q: PerBody, qd: PerBody, *, closures: tuple[Closure, ...]
) -> ClosureRows:
    """The rows of all closures, one closure after the other.

    With spatial velocities ``v`` and accelerations ``a`` about the base origin, the latter at
    ``qdd = 0``, a row of wrench ``w`` has ``errd = w . (v_b - v_a)`` and
    ``bias = w . (a_b - a_a) + wd . (v_b - v_a)``.
    """
    frames, total = FrameKinematics(model, q, qd), ClosureRows([], [], [], [])
    for closure in closures:
        a = _side(frames, closure.a, closure.frame_a)
        b = _side(frames, closure.b, closure.frame_b)
        v, acceleration = b.velocity - a.velocity, b.acceleration - a.acceleration
        for kind, i, j in ROWS[closure.kind]:
            row = b.frame, kind, i, j, closure.pitch
            wrench = a.frame.wrench(*row)
            moment_rate = b.rate.arm(kind, j).cross(a.frame.axis(i))
            wrench_rate = a.rate.wrench(*row) + Force(moment_rate, Vec3.zero())
            total.J.append(dense(_jacobian(model, wrench, a, b), model.nv))
            total.err.append(a.frame.error(*row))
            total.errd.append(wrench.dot(v))
            total.bias.append(wrench.dot(acceleration) + wrench_rate.dot(v))
    return total


def _jacobian(model: Model, wrench: Force, a: MovingSide, b: MovingSide) -> Row:
    """The row of ``J``: a joint that carries both bodies has no part in it."""
    of_b = {k: wrench.dot(s) for k, s in b.columns.items() if k not in a.columns}
    of_a = {k: -wrench.dot(s) for k, s in a.columns.items() if k not in b.columns}
    return scatter_row(of_b | of_a, model.coordinate_of_axis)


def _side(frames: FrameKinematics, body: int, frame: Transform) -> MovingSide:
    fixed = frames.model.body(body)
    i = int(fixed.moving)
    X_0 = frames.X_0[i]
    X = frame @ fixed.frame @ X_0
    at = JointFrame(X.E.x, X.E.y, X.E.z, X.r)
    v, a = X_0.to_parent(frames.v[i]), X_0.to_parent(frames.a[i])
    columns: dict[int, Motion] = {}
    while i:
        axes = [frames.X_0[i].to_parent(s) for s in frames.S[i].columns]
        columns |= zip(frames.model.axis_index[i], axes, strict=True)
        i = frames.model.parent[i]
    return MovingSide(at, at.rate(v), v, a, columns)
