"""What integrators of smooth motion ask of a system."""

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
    """

    model: Model
    shape: tuple[int, ...]

    @property
    def is_free(self) -> bool: ...

    def damping(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray | None:
        """Force of joints and actuators for each unit of speed, shape (..., nv), if there is any.

        It helps methods that solve for velocities; an estimate is enough.
        """
        ...

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
