"""Rotation matrices as quaternions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def quaternions(rotations: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3) as quaternions (..., 4), x y z w, w >= 0."""
    R = np.asarray(rotations, float)
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    # Row k: the quaternion times four times its k-th entry; the longest row is accurate.
    K = np.empty((*R.shape[:-2], 4, 4))
    for k, (a, b, c) in enumerate(((xx, yy, zz), (yy, zz, xx), (zz, xx, yy))):
        K[..., k, k] = 1.0 + a - b - c
    K[..., 3, 3] = 1.0 + xx + yy + zz
    for i, j in ((0, 1), (1, 2), (2, 0)):
        K[..., i, j] = K[..., j, i] = R[..., i, j] + R[..., j, i]
    for k, (i, j) in enumerate(((2, 1), (0, 2), (1, 0))):
        K[..., k, 3] = K[..., 3, k] = R[..., i, j] - R[..., j, i]
    best = np.argmax(np.diagonal(K, axis1=-2, axis2=-1), axis=-1)
    q = np.take_along_axis(K, best[..., None, None], axis=-2)[..., 0, :]
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return np.where(q[..., 3:] < 0.0, -q, q)


def matrices(turns: np.ndarray) -> np.ndarray:
    """Quaternions (..., 4), x y z w, of any length, as rotation matrices (..., 3, 3)."""
    x, y, z, w = np.moveaxis(turns / np.linalg.norm(turns, axis=-1, keepdims=True), -1, 0)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def relative(poses: np.ndarray, parents: Sequence[int]) -> np.ndarray:
    """Poses (T, W, N, 4, 4) in their parents' frames as position and quaternion, (T, W * N, 7).

    ``parents[k]`` is the body that body ``k + 1`` hangs on, 0 the base.
    """
    frames, worlds, count = poses.shape[:3]
    packed = np.empty((frames, worlds, count, 7))
    carriers = np.asarray(parents, int) - 1
    R, r = poses[..., :3, :3], poses[..., :3, 3]
    packed[..., :3], turns = r, R
    hung = np.flatnonzero(carriers >= 0)
    if hung.size:
        R_p, r_p = R[:, :, carriers[hung]], r[:, :, carriers[hung]]
        turns = R.copy()
        turns[:, :, hung] = np.swapaxes(R_p, -1, -2) @ R[:, :, hung]
        way = (r[:, :, hung] - r_p)[..., None]
        packed[:, :, hung, :3] = (np.swapaxes(R_p, -1, -2) @ way)[..., 0]
    packed[..., 3:] = quaternions(turns)
    return packed.reshape(frames, worlds * count, 7)
