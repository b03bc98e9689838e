"""Loops and gears as equations in coordinates: errors, their Jacobian, and its change.

The rows are those of `polhode.simulation.stepping.couplings`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...api.kinematics import point_acceleration, point_jacobian, point_position, point_velocity
from ...model import Model
from ...spatial import Transform
from ..stepping.couplings import DOT, POINT, ROWS
from ..stepping.lowering import SceneLayout, pose_row

_X, _Y, _Z = range(3)


@dataclass(frozen=True)
class Jet:
    """A quantity along a motion: value, rate, acceleration where joints have none, Jacobian."""

    x: Any
    v: Any
    a: Any
    J: Any

    def __sub__(self, other: Jet) -> Jet:
        return Jet(self.x - other.x, self.v - other.v, self.a - other.a, self.J - other.J)

    def dot(self, other: Jet) -> Jet:
        """Product of two vectors."""
        a = self.a @ other.x + 2.0 * (self.v @ other.v) + self.x @ other.a
        J = other.x @ self.J + self.x @ other.J
        return Jet(self.x @ other.x, self.v @ other.x + self.x @ other.v, a, J)

    def times(self, factor: float) -> Jet:
        return Jet(factor * self.x, factor * self.v, factor * self.a, factor * self.J)


class _Side:
    """A frame of a loop on a body, or in the world."""

    def __init__(self, model: Model, body: str | None, frame: Transform):
        self.model, self.body = model, body
        flat = np.array(pose_row(frame))
        R, origin = flat[:9].reshape(3, 3), flat[9:]
        self.points = np.array([origin, *(origin + R[:, k] for k in range(3))])

    def jets(self, q: np.ndarray, qd: np.ndarray) -> list[Jet]:
        """The origin, and the three axes."""
        x, v, a, J = self._points(q, qd)
        origin = Jet(x[0], v[0], a[0], J[0])
        return [origin, *(Jet(x[k], v[k], a[k], J[k]) - origin for k in (1, 2, 3))]

    def _points(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, ...]:
        model, body, points = self.model, self.body, self.points
        if body is None:
            none = np.zeros((4, 3))
            return points, none, none, np.zeros((4, 3, model.nv))
        still = np.zeros(model.nv)
        return (
            point_position(model, q, body, points),
            point_velocity(model, q, qd, body, points),
            point_acceleration(model, q, qd, still, body, points),
            point_jacobian(model, q, body, points),
        )


class Couplings:
    """All loops and gears of a scene, over the coordinates of one model."""

    def __init__(self, plan: SceneLayout, model: Model, gears: list[tuple[int, int, float, float]]):
        self.model: Model = model
        self.gears: list[tuple[int, int, float, float]] = gears
        self.loops: list[tuple[list[_Side], list[tuple[int, int, int]], float]] = []
        for loop in plan.scene.loops:
            sides = []
            for owner, frame in ((loop.a, loop.frame_a), (loop.b, loop.frame_b)):
                place = None if owner is None else plan.places[owner]
                if place is not None and place.body < 0:
                    owner, frame = None, place.local(frame)
                sides.append(_Side(model, None if owner is None else "/".join(owner), frame))
            self.loops.append((sides, ROWS[loop.kind.value], loop.pitch))

    def __len__(self) -> int:
        return sum(len(rows) for _, rows, _ in self.loops) + len(self.gears)

    def rows(self, q: np.ndarray, qd: np.ndarray) -> Jet:
        """Errors of all rows, and so on."""
        found = [jet for sides, rows, pitch in self.loops
                 for jet in _loop(sides, rows, pitch, q, qd)]  # fmt: skip
        for a, b, ratio, constant in self.gears:
            J = np.zeros(self.model.nv)
            J[a], J[b] = 1.0, -ratio
            found.append(Jet(q[a] - ratio * q[b] - constant, qd[a] - ratio * qd[b], 0.0, J))
        columns = [np.array([getattr(jet, name) for jet in found]) for name in ("x", "v", "a", "J")]
        return Jet(*columns)


def _loop(
    sides: list[_Side], rows: Any, pitch: float, q: np.ndarray, qd: np.ndarray
) -> Iterator[Jet]:
    """The rows of one loop."""
    (origin_a, *A), (origin_b, *B) = (side.jets(q, qd) for side in sides)
    way = origin_b - origin_a
    for kind, i, j in rows:
        if kind == DOT:
            yield A[i].dot(B[j])
        elif kind == POINT:
            yield A[i].dot(way)
        else:
            along = A[_Z].dot(way)
            near = along.x / pitch if pitch else 0.0
            yield along - _angle(A, B, near).times(pitch)


def _angle(A: list[Jet], B: list[Jet], near: float) -> Jet:
    """Angle of frame b about z of frame a, where their z axes agree."""
    c, s = A[_X].dot(B[_X]), A[_Y].dot(B[_X])
    angle = math.atan2(s.x, c.x)
    turns = math.floor((near - angle) / (2.0 * math.pi) + 0.5)
    size = c.x * c.x + s.x * s.x
    turn = lambda name: (c.x * getattr(s, name) - s.x * getattr(c, name)) / size  # noqa: E731
    return Jet(angle + 2.0 * math.pi * turns, turn("v"), turn("a"), turn("J"))
