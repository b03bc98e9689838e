"""The limits that a model declares, over its coordinates and the lengths of its tendons."""

from __future__ import annotations

import numpy as np

from ..api.actuation import tendon_lengths
from ..model import Model


class JointLimits:
    """Limits of the joints whose positions are coordinates of their own, one by one.

    Attributes
    ----------
    names : list of str
        The joint of each.
    place : ndarray of int
        Where in the positions.
    lower, upper : ndarray
        [rad or m].
    is_angle : list of bool
    """

    def __init__(self, model: Model):
        rows = [
            (joint.name, k, joint.limits.lower, joint.limits.upper, not name.startswith("T"))
            for joint in model.joints
            if joint.limits is not None and joint.kind.nq == joint.kind.nv
            for k, name in zip(
                np.arange(model.nq)[joint.q].tolist(), joint.kind.dof_names, strict=True
            )
        ]
        self.names: list[str] = [row[0] for row in rows]
        self.place: np.ndarray = np.array([row[1] for row in rows], int)
        self.lower: np.ndarray = np.array([row[2] for row in rows], float)
        self.upper: np.ndarray = np.array([row[3] for row in rows], float)
        self.is_angle: list[bool] = [row[4] for row in rows]

    def values(self, q: np.ndarray) -> np.ndarray:
        """The positions, shape (..., n)."""
        return q[..., self.place]

    def beyond(self, q: np.ndarray) -> np.ndarray:
        """How far positions are beyond each limit, shape (..., n); negative within."""
        values = self.values(q)
        return np.maximum(self.lower - values, values - self.upper)


class TendonLimits:
    """Limits of the tendons of a model.

    Attributes
    ----------
    names : list of str
        The tendon of each.
    lower, upper : ndarray
        [m].
    """

    def __init__(self, model: Model):
        rows = [
            (each.name, k, *each.limits)
            for k, each in enumerate(model.tendons)
            if np.isfinite(each.limits).any()
        ]
        self._model = model
        self._index = np.array([row[1] for row in rows], int)
        self.names: list[str] = [row[0] for row in rows]
        self.lower: np.ndarray = np.array([row[2] for row in rows], float)
        self.upper: np.ndarray = np.array([row[3] for row in rows], float)

    def values(self, q: np.ndarray) -> np.ndarray:
        """The lengths, shape (..., n)."""
        if not self.names:
            return np.zeros((*q.shape[:-1], 0))
        return np.asarray(tendon_lengths(self._model, q))[..., self._index]

    def beyond(self, q: np.ndarray) -> np.ndarray:
        """How far lengths are beyond each limit, shape (..., n); negative within."""
        values = self.values(q)
        return np.maximum(self.lower - values, values - self.upper)
