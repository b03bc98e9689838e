"""Impulses of all rows, which the exact solver has, and those that steps in lanes keep."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from ...algorithms.stepping.attempts import begins_again
from ...algorithms.stepping.contact_model import ContactModel
from ...algorithms.stepping.few_rows import few_rows
from ...algorithms.stepping.kept_impulses import IN_SLOT
from ...algorithms.stepping.near_points import EMPTY, point_groups
from ...algorithms.stepping.touching import count


class KeptRows:
    """Where a contact model's steps keep the impulses of its rows (`kept_impulses`).

    Attributes
    ----------
    n_joints, n_points : int
        Rows of joints, and points of all pairs.
    n_slots : list of int
        Slots of each group of points.
    n_impulses : int
        Numbers that are kept of impulses.
    n_kept : int
        Those, and how often an attempt failed where steps begin again.
    """

    def __init__(self, whole: ContactModel, n_joints: int):
        counts = [count(pair.a.shape, pair.b.shape) for pair in whole.pairs]
        firsts = [0, *accumulate(counts)]
        few = few_rows(whole)
        groups = point_groups(whole.model, whole.pairs, few and few.points)
        self.n_joints: int = n_joints
        self.n_points: int = firsts[-1]
        self._points: list[np.ndarray] = [
            np.concatenate([np.arange(firsts[k], firsts[k + 1]) for k in group.pairs])
            for group in groups
        ]
        self.n_slots: list[int] = [group.most for group in groups]
        self.n_impulses: int = n_joints + IN_SLOT * sum(self.n_slots)
        self.n_kept: int = self.n_impulses + begins_again(whole.model)

    def all_rows(self, kept: np.ndarray) -> np.ndarray:
        """Impulses of all rows: those of joints, then three of each point, of worlds."""
        n = len(kept)
        of_points = np.zeros((n, self.n_points, 3))
        slots = kept[:, self.n_joints : self.n_impulses].reshape(n, sum(self.n_slots), IN_SLOT)
        world, slot = np.nonzero(slots[..., 1:].any(axis=-1))
        of_points[world, slots[world, slot, 0].astype(int)] = slots[world, slot, 1:]
        return np.hstack([kept[:, : self.n_joints], of_points.reshape(n, 3 * self.n_points)])

    def kept(self, rows: np.ndarray) -> np.ndarray:
        """What is kept of the impulses of all rows: those of the points that press most."""
        n = len(rows)
        of_points = rows[:, self.n_joints :].reshape(n, self.n_points, 3)
        found = [rows[:, : self.n_joints]]
        for points, most in zip(self._points, self.n_slots, strict=True):
            own = of_points[:, points]
            order = np.argsort(-np.abs(own).max(axis=-1), axis=-1, kind="stable")[:, :most]
            x = np.take_along_axis(own, order[..., None], axis=1)
            number = np.where(x.any(axis=-1), points[order], EMPTY)
            found.append(np.concatenate([number[..., None], x], axis=-1).reshape(n, IN_SLOT * most))
        found.append(np.zeros((n, self.n_kept - self.n_impulses)))
        return np.hstack(found)
