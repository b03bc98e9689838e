"""Moby's schemes of first order for scenes without contact, one for each of its simulators."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ...api.manifold import integrate
from ...model import Model
from ..motion_state import MotionState


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

    def step(self, state: MotionState, h: float) -> MotionState:
        t, q, qd, work, _ = state
        self.system.free_acceleration(t, q, qd, self.a)
        faster = qd + h * self.a
        self.system.project_velocity(q, faster)
        return MotionState(t + h, integrate(self.system.model, q, qd, h), faster, work)


class PositionsFirst:
    """Moby's `TimeSteppingSimulator`: old velocities move, forces at the new positions."""

    def __init__(self, system: MobySystem):
        self.system = system
        self.a: np.ndarray = np.empty(system.model.nv)

    def step(self, state: MotionState, h: float) -> MotionState:
        t, q, qd, work, _ = state
        moved = integrate(self.system.model, q, qd, h)
        self.system.free_acceleration(t + h, moved, qd, self.a)
        faster = qd + h * self.a
        self.system.project_velocity(moved, faster)
        return MotionState(t + h, moved, faster, work)
