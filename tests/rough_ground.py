"""Rough height maps, for tests of collision."""

from __future__ import annotations

import numpy as np

from polhode.model import Heightmap


def rough(seed: int, cell: float, tall: float, count: int = 13) -> Heightmap:
    """Random heights up to ``tall``, in square cells."""
    heights = tall * np.random.default_rng(seed).uniform(size=(count, count))
    return Heightmap(tuple(map(tuple, heights)), (cell * (count - 1),) * 2)


def ground(heightmap: Heightmap, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Heights of the bilinear ground."""
    h = np.array(heightmap.heights)
    s = (x / heightmap.size[0] + 0.5) * (len(h) - 1)
    t = (y / heightmap.size[1] + 0.5) * (h.shape[1] - 1)
    i, j = np.clip(s.astype(int), 0, len(h) - 2), np.clip(t.astype(int), 0, h.shape[1] - 2)
    s, t = s - i, t - j
    return (h[i, j] * (1 - s) * (1 - t) + h[i + 1, j] * s * (1 - t)
            + h[i, j + 1] * (1 - s) * t + h[i + 1, j + 1] * s * t)  # fmt: skip
