"""Where the worlds of a roll-out start: arrays of one shape for each world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import as_array
from ..errors import ShapeError


def start_array(x: Any, what: str, name: str, size: int, where: str) -> np.ndarray | None:
    """Positions or velocities of worlds; None if they are not given.

    Raises
    ------
    ShapeError
        If the last axis is not ``size`` long.
    ValueError
        For NaN and infinity.
    """
    if x is None:
        return None
    array = as_array(what, x, f" ({where})")
    if array.shape[-1:] != (size,):
        raise ShapeError(
            f"expected {name} = {size} on the last axis of {what}, got {array.shape} ({where})"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"expected a finite start, got NaN or infinity in {what} ({where})")
    return array


def batch_axes(
    axes: Mapping[str, tuple[int, ...]], count: int | None, where: str
) -> tuple[int, ...]:
    """The worlds' axes, from those of each argument; one axis if each world has its own scene.

    Raises
    ------
    ShapeError
        If they do not broadcast, or are not as many as the scenes.
    """
    if count is not None:
        axes = {**axes, "scenes": (count,)}
    try:
        batch = np.broadcast_shapes(*axes.values())
    except ValueError:
        got = ", ".join(f"{name} {own}" for name, own in axes.items())
        raise ShapeError(f"expected worlds' axes that broadcast, got {got} ({where})") from None
    if count is not None and batch != (count,):
        raise ShapeError(
            f"expected one axis of {count} worlds, as many as scenes, got {batch} ({where})"
        )
    return batch
