"""The mouse's pull: a damped spring from the grabbed point to where the mouse is."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...model import Model

HELD = 1.0 / 60.0  # seconds of motion for which one force is held at most
_LIFT = 39.0  # 1/s^2: a model hangs a quarter of a metre below the mouse
_STIFFEST = 400.0  # 1/s^2, at the point: a third of a radian while a force is held


class Pull:
    """A spring on a point of a body, as stiff as the model is heavy and the body can bear."""

    def __init__(self, model: Model, body: int, point: Sequence[float]):
        self.body: int = body
        self.point: np.ndarray = np.array(point, float)
        total = _weight(model, body)
        here = _mobile_mass(model, body, self.point) or 0.1 * total
        self.stiffness: float = min(_LIFT * total, _STIFFEST * here)
        self.damping: float = 2.0 * math.sqrt(self.stiffness * here)
        self.target: np.ndarray = np.zeros(3)
        self._last: tuple[float, np.ndarray] | None = None

    def wrench(self, time: float, pose: np.ndarray) -> np.ndarray:
        """Moment about the base's origin, and force, for the body's pose at a time."""
        place = pose[:3, :3] @ self.point + pose[:3, 3]
        velocity = np.zeros(3)
        if self._last is not None and time > self._last[0]:
            velocity = (place - self._last[1]) / (time - self._last[0])
        self._last = time, place
        force = self.stiffness * (self.target - place) - self.damping * velocity
        return np.concatenate((np.cross(place, force), force))


def _weight(model: Model, body: int) -> float:
    """The mass of all that hangs together with a body."""
    tops = {0: 0}
    for i in range(1, model.n_bodies + 1):
        tops[i] = tops[model.parent[i]] or i
    return sum(
        float(model.body(i).mass)
        for i in range(1, model.n_bodies + 1)
        if tops[i] == tops[body]
    )  # fmt: skip


def _mobile_mass(model: Model, body: int, point: np.ndarray) -> float:
    """The least mass that a force at a point of the body alone feels: joints only add to it."""
    rigid = model.body(body)
    mass = float(rigid.mass)
    if mass <= 0.0:
        return 0.0
    x, y, z = point - np.array(rigid.com, float)
    cross = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    lower = np.tril(np.array(rigid.inertia, float))
    inertia = lower + np.tril(lower, -1).T
    mobility = np.eye(3) / mass + cross.T @ np.linalg.pinv(inertia, hermitian=True) @ cross
    return 1.0 / float(np.linalg.eigvalsh(mobility).max())
