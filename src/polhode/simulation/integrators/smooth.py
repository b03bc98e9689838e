"""What integrators of smooth motion ask of a system, and what they are asked for."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ...model import Model


class SmoothSystem(Protocol):
    """A model or a scene whose motion is a differential equation; leading axes are worlds.

    It is asked for ``tau`` first, then for ``acceleration`` under it; where it is not
    ``is_free``, its ``power`` adds to the work.

    Attributes
    ----------
    model : Model
        Whose ``integrate`` moves positions, for joints with quaternions have more than velocities.
    shape : tuple of int
        Of the worlds.
    damping : ndarray, shape (nv,), or None
        Force of the joints for each unit of speed.
    """

    model: Model
    shape: tuple[int, ...]
    damping: np.ndarray | None

    @property
    def is_free(self) -> bool: ...

    def tau(self, t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray: ...

    def acceleration(
        self, t: float, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, out: np.ndarray
    ) -> np.ndarray: ...

    def attracted_acceleration(
        self, t: float, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, out: np.ndarray
    ) -> np.ndarray: ...

    def power(self, t: float, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> Any: ...

    def check_limits(self, t: float, q: np.ndarray) -> None: ...

    def project(self, q: np.ndarray, qd: np.ndarray) -> object: ...


class SmoothMethod(Protocol):
    """Steps of fixed length: advance ``q``, ``qd`` and the work done, all in place.

    A step is a function of time and state alone; worlds of a batch do not influence each other, so
    a batch gives the bits of its worlds run one by one.
    """

    order: int

    def step(self, t: float, h: float, q: np.ndarray, qd: np.ndarray, work: np.ndarray) -> None: ...
