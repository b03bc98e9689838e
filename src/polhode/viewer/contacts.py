"""Contact points and forces of a recording, for each frame of the page."""

from __future__ import annotations

from typing import Any

import numpy as np

_MOST = 200_000  # of all frames together


def contacts_of(motion: Any, at: np.ndarray, up: np.ndarray) -> list[np.ndarray] | None:
    """For each time, rows of a point and a force; None for a motion without contacts.

    Of force and counterforce it is the one that lifts.  Each frame shows the contacts of the last
    record before it; of very many the strongest.
    """
    starts = getattr(motion, "contact_start", None)
    if starts is None or not len(motion.contact_point):
        return None
    rows = lifting(motion.contact_point, motion.contact_force, up)
    records = np.clip(np.searchsorted(motion.times, at, side="right") - 1, 0, len(starts) - 2)
    share = max(_MOST // max(len(at), 1), 1)
    return [_strongest(rows[starts[k] : starts[k + 1]], share) for k in records]


def lifting(points: np.ndarray, forces: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Rows of a point and a force, each force turned against gravity."""
    signs = np.where(forces @ up < 0.0, -1.0, 1.0)
    return np.concatenate((points, signs[:, None] * forces), axis=1)


def _strongest(rows: np.ndarray, most: int) -> np.ndarray:
    if len(rows) <= most:
        return rows
    sizes = np.linalg.norm(rows[:, 3:], axis=1)
    return rows[np.sort(np.argsort(-sizes, kind="stable")[:most])]
