"""Constraints between bodies that `ConstraintSet` has no kind for, as custom rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polhode import scalar
from polhode.algorithms.constrained.rows import FrameKinematics, FrameState
from polhode.spatial import Mat3, Motion, Transform, Vec3

Rows = Callable[[Any, Any, Any], tuple[list, list, list]]


def distance(a: int, point_a: Any, b: int, point_b: Any, length: float) -> Rows:
    """Two points keep their distance."""

    def rows(model: Any, q: Any, qd: Any):
        p, s = _at(model, q, qd, a, point_a), _at(model, q, qd, b, point_b)
        apart = s.position - p.position
        now = scalar.sqrt(apart.dot(apart))
        n = apart * (1.0 / now)
        G = _row(model, p, s, lambda move: n.dot(move.lin))
        v = s.velocity.lin - p.velocity.lin
        along = n.dot(v)
        drift = n.dot(s.acceleration.lin - p.acceleration.lin)
        return [G], [-drift - (v.dot(v) - along * along) * (1.0 / now)], [now - length]

    return rows


def perpendicular(a: int, vector_a: Any, b: int, vector_b: Any, at_start: float) -> Rows:
    """A direction of one body keeps its product with one of another."""

    def rows(model: Any, q: Any, qd: Any):
        origin = np.zeros(3)
        p, s = _at(model, q, qd, a, origin), _at(model, q, qd, b, origin)
        u, w = p.R @ _vec(vector_a), s.R @ _vec(vector_b)
        about = w.cross(u)
        G = _row(model, p, s, lambda move: about.dot(move.ang))
        turning = s.velocity.ang - p.velocity.ang
        w_rate, u_rate = s.velocity.ang.cross(w), p.velocity.ang.cross(u)
        rate = w_rate.cross(u) + w.cross(u_rate)
        drift = about.dot(s.acceleration.ang - p.acceleration.ang) + turning.dot(rate)
        return [G], [-drift], [u.dot(w) - at_start]

    return rows


def rolling(
    body: int, centre: Any, axis: Any, radius: float, plane_point: Any, plane_normal: Any
) -> Rows:
    """A disc rolls on a fixed plane without slip: its lowest point is at rest."""
    N = np.array(plane_normal, float) / np.linalg.norm(plane_normal)
    first = np.cross(N, np.eye(3)[np.argmin(np.abs(N))])
    first /= np.linalg.norm(first)
    directions = [_vec(d) for d in (first, np.cross(N, first), N)]
    normal = directions[2]

    def rows(model: Any, q: Any, qd: Any):
        at = _at(model, q, qd, body, centre)
        n = at.R @ _vec(axis)
        steep = normal - n * normal.dot(n)
        slope = scalar.sqrt(steep.dot(steep))
        up = steep * (1.0 / slope)
        w = at.velocity.ang
        n_rate = w.cross(n)
        steep_rate = -n * normal.dot(n_rate) - n_rate * normal.dot(n)
        up_rate = (steep_rate - up * up.dot(steep_rate)) * (1.0 / slope)
        arm, arm_rate = up * -radius, up_rate * -radius
        drift = at.acceleration.lin + at.acceleration.ang.cross(arm) + w.cross(arm_rate)
        still = _at(model, q, qd, 0, np.zeros(3))
        G = [
            _row(model, still, at, lambda move, d=d: d.dot(move.lin + move.ang.cross(arm)))
            for d in directions
        ]
        height = normal.dot(at.position - _vec(plane_point)) - slope * radius
        return G, [-d.dot(drift) for d in directions], [0.0, 0.0, height]

    return rows


def _vec(values: Any) -> Vec3:
    return Vec3(*(float(x) for x in values))


def _at(model: Any, q: Any, qd: Any, body: int, point: Any) -> FrameState:
    """A point of a body with the body's axes, at a state."""
    return FrameKinematics(model, q, qd).at(body, Transform(Mat3.identity(), _vec(point)))


def _row(model: Any, p: FrameState, s: FrameState, along: Callable[[Motion], Any]) -> Sequence[Any]:
    """What the motion of ``s`` against ``p`` is along something, for each velocity entry."""
    still = Motion.zero()
    return [along(s.columns.get(k, still) - p.columns.get(k, still)) for k in range(model.nv)]
