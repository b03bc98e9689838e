"""Evenly spaced poses of a recording, or of a model whose joints move in turn."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..api import body_poses, difference, integrate, neutral
from ..model import Model

_MAX_WORLDS = 64
_SWEEP = 1.0  # seconds each coordinate takes there and back


@dataclass(frozen=True)
class Frames:
    """Poses (T, W, N, 4, 4) of W worlds, ``step`` seconds apart, and what goes with them."""

    model: Model
    poses: np.ndarray
    step: float
    offsets: np.ndarray
    subtitle: str
    energies: tuple[np.ndarray, ...] | None = None
    notes: list[str] = field(default_factory=list)


def frames_of(subject: Any, *, fps: float, max_bytes: int) -> Frames:
    """Frames of a model or a recording, thinned so that they stay below ``max_bytes``."""
    if not fps > 0.0:
        raise ValueError(f"expected a positive number of frames per second, got {fps}")
    if isinstance(subject, Model):
        return _model_frames(subject, fps)
    if not hasattr(subject, "model") or not hasattr(subject, "times"):
        raise TypeError(f"expected a Model or a Recording, got {type(subject).__name__}")
    return _recording_frames(subject, fps, max_bytes)


def _freedom(model: Model) -> str:
    return f"{model.nv} degree{'' if model.nv == 1 else 's'} of freedom"


def _model_frames(model: Model, fps: float) -> Frames:
    """Each coordinate in turn goes out and back, within its limits."""
    start = neutral(model)
    lower, upper = _limits(model)
    n = max(round(_SWEEP * fps), 2)
    swing = 0.5 - 0.5 * np.cos(2.0 * math.pi * np.arange(n) / n)
    rows = [start[None]]
    for k in range(model.nv):
        target = 0.8 if lower[k] <= 0.8 <= upper[k] else _nearest(lower[k], upper[k], 0.8)
        step = np.zeros((n, model.nv))
        step[:, k] = target * swing
        rows.append(integrate(model, start, step))
    q = np.concatenate(rows) if model.nv else start[None]
    poses = _poses(model, q)[:, None]
    return Frames(model, poses, 1.0 / fps, np.zeros((1, 3)), _freedom(model))


def _poses(model: Model, q: np.ndarray) -> np.ndarray:
    """Poses of all bodies, also of a machine that has none."""
    return body_poses(model, q).reshape(*q.shape[:-1], model.n_bodies, 4, 4)


def _nearest(lower: float, upper: float, wish: float) -> float:
    """The limit farther from zero when the wish is out of reach."""
    return upper if wish > upper and upper > 0.1 else lower if math.isfinite(lower) else wish


def _limits(model: Model) -> tuple[np.ndarray, np.ndarray]:
    lower, upper = np.full(model.nv, -np.inf), np.full(model.nv, np.inf)
    for joint in model.joints:
        if joint.limits is not None:
            lower[joint.v], upper[joint.v] = joint.limits.lower, joint.limits.upper
    return lower, upper


def _recording_frames(recording: Any, fps: float, max_bytes: int) -> Frames:
    model, times = recording.model, recording.times
    worlds = recording.q.reshape(len(times), -1, model.nq)
    notes = []
    if worlds.shape[1] > _MAX_WORLDS:
        notes.append(f"{_MAX_WORLDS} of {worlds.shape[1]} worlds are drawn")
        worlds = worlds[:, :_MAX_WORLDS]
    per_frame = 28 * worlds.shape[1] * max(model.n_bodies, 1)
    duration = float(times[-1] - times[0])
    count = math.ceil(duration * fps - 1e-9) + 1 if duration > 0.0 else 1
    count = max(min(count, max_bytes // per_frame), min(len(times), 2))
    at = np.linspace(times[0], times[-1], count)
    poses = _poses(model, resample(model, times, worlds, at))
    energies = None
    if recording.q.ndim == 2:
        energies = (times - times[0], recording.kinetic, recording.potential)
    if recording.stopped:
        notes.append(recording.stopped)
    detail = [_freedom(model), f"{duration:g} s", recording.method]
    if worlds.shape[1] > 1:
        detail.insert(1, f"{worlds.shape[1]} worlds")
    step = duration / (count - 1) if count > 1 else 1.0 / fps
    offsets = _grid(model, poses)
    return Frames(model, poses, step, offsets, " \u00b7 ".join(detail), energies, notes)


def resample(model: Model, times: np.ndarray, q: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Positions at the times ``at``, interpolated on the joints' manifold.

    ``q`` has shape (T, ..., nq); the result (len(at), ..., nq).
    """
    if len(times) == 1:
        return np.repeat(q, len(at), axis=0)
    low = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    share = (at - times[low]) / (times[low + 1] - times[low])
    share = np.clip(share, 0.0, 1.0).reshape(-1, *(1,) * (q.ndim - 1))
    return integrate(model, q[low], difference(model, q[low], q[low + 1]) * share)


def _grid(model: Model, poses: np.ndarray) -> np.ndarray:
    """Where each world stands: a square grid in the horizontal plane."""
    from .page import up

    count = poses.shape[1]
    if count == 1:
        return np.zeros((1, 3))
    points = poses[0, ..., :3, 3].reshape(-1, 3)
    spread = float(np.linalg.norm(points - points.mean(axis=0), axis=1).max()) or 0.5
    side = math.ceil(math.sqrt(count))
    cells = np.array([(k % side, k // side) for k in range(count)]) - 0.5 * (side - 1)
    normal = up(model)
    x = np.cross(np.eye(3)[np.argmin(np.abs(normal))], normal)
    x /= np.linalg.norm(x)
    return 2.4 * spread * (cells[:, :1] * x + cells[:, 1:] * np.cross(normal, x))
