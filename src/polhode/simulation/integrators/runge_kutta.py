"""The classical Runge-Kutta method of fourth order."""

from __future__ import annotations

import numpy as np

from ...algorithms.runge_kutta import CLASSICAL
from ...api.manifold import integrate
from ..cross_product import cross
from ..motion_state import MotionState
from .smooth import SmoothSystem


class RungeKutta4:
    """The classical fourth-order method, on the joints' manifold (Runge-Kutta-Munthe-Kaas).

    Stages are in the tangent space at the step's start. Rotations are carried there by the inverse
    right Jacobian of the exponential map, to the second order that fourth-order accuracy needs:
    ``u' = w + u x w / 2 + u x (u x w) / 12``.
    """

    order: int = 4
    is_reversible: bool = False

    def __init__(self, system: SmoothSystem):
        self.system = system
        model = system.model
        size = (*system.shape, model.nv)
        self.ball: np.ndarray = np.array(
            [v for v, q in zip(model.v_index, model.q_index, strict=True) if len(q) > len(v)],
            dtype=int,
        ).reshape(-1, 3)
        self.way: np.ndarray = np.empty(size)
        self.rate: np.ndarray = np.empty(size)
        self.a: np.ndarray = np.empty(size)
        self.v: np.ndarray = np.empty(size)
        self.sum_rate: np.ndarray = np.empty(size)
        self.sum_a: np.ndarray = np.empty(size)
        self.q: np.ndarray = np.empty((*system.shape, model.nq))
        self.one: np.ndarray = np.ones(())

    def step(self, state: MotionState, h: float) -> MotionState:
        system, (t, q, qd, work, _) = self.system, state
        self.sum_rate[...] = self.sum_a[...] = 0.0
        power = np.zeros(system.shape)
        for share, weight in CLASSICAL:
            at = t + share * h
            if share == 0.0:
                self.way[...], self.v[...], self.q[...] = 0.0, qd, q
            else:
                np.multiply(self.rate, share * h, out=self.way)
                np.multiply(self.a, share * h, out=self.v)
                self.v += qd
                integrate(system.model, q, self.way, self.one, out=self.q)
            tau = system.tau(at, self.q, self.v)
            system.acceleration(at, self.q, self.v, tau, self.a)
            if not system.is_free:
                power += weight * system.power(at, self.q, self.v, tau)
            self._to_tangent()
            self.sum_rate += weight * self.rate
            self.sum_a += weight * self.a
        self.sum_rate *= h / 6.0
        self.sum_a *= h / 6.0
        moved = integrate(system.model, q, self.sum_rate, self.one)
        return MotionState(t + h, moved, qd + self.sum_a, work + h / 6.0 * power)

    def _to_tangent(self) -> None:
        """The rate of ``way`` that gives the velocity ``v``."""
        self.rate[...] = self.v
        for k in self.ball:
            u, w = self.way[..., k], self.v[..., k]
            uw = cross(u, w)
            self.rate[..., k] = w + 0.5 * uw + cross(u, uw) / 12.0
