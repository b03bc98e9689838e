"""The configuration manifold: steps along velocities, and the steps between positions."""

from __future__ import annotations

from ...model import Model, PerBody
from ...scalar import Scalar


def integrate(model: Model, q: PerBody, v: PerBody, dt: Scalar) -> list[Scalar]:
    """The position reached from ``q`` with constant joint velocities ``v`` after ``dt``."""
    moved = {i: model.joint[i].integrate(q[i], tuple(x * dt for x in v[i])) for i in model.bodies}
    return model.join_q(moved)


def difference(model: Model, q0: PerBody, q1: PerBody) -> PerBody:
    """The velocities that lead from ``q0`` to ``q1`` in unit time."""
    return {i: model.joint[i].difference(q0[i], q1[i]) for i in model.bodies}
