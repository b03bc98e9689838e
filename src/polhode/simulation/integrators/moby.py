"""Moby's schemes of first order for scenes without contact, one for each of its simulators."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ...api.manifold import integrate
from ...model import Model


class MobySystem(Protocol):
    """A scene whose loops and gears are held by its velocities."""

    model: Model

    def free_acceleration(
        self, t: float, q: np.ndarray, qd: np.ndarray, out: np.ndarray
    ) -> np.ndarray: ...

    def project_velocity(self, q: np.ndarray, qd: np.ndarray) -> None: ...


class ExplicitEuler:
    """Moby's `Simulator`: positions and velocities both from the state before."""

    def __init__(self, system: MobySystem):
        self.system = system
        self.a: np.ndarray = np.empty(system.model.nv)

    def step(self, t: float, h: float, q: np.ndarray, qd: np.ndarray, work: np.ndarray) -> None:
        self.system.free_acceleration(t, q, qd, self.a)
        before = qd.copy()
        qd += h * self.a
        self.system.project_velocity(q, qd)
        q[:] = integrate(self.system.model, q, before, h)


class PositionsFirst:
    """Moby's `TimeSteppingSimulator`: old velocities move, forces at the new positions."""

    def __init__(self, system: MobySystem):
        self.system = system
        self.a: np.ndarray = np.empty(system.model.nv)

    def step(self, t: float, h: float, q: np.ndarray, qd: np.ndarray, work: np.ndarray) -> None:
        q[:] = integrate(self.system.model, q, qd, h)
        self.system.free_acceleration(t + h, q, qd, self.a)
        qd += h * self.a
        self.system.project_velocity(q, qd)
