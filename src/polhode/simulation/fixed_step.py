"""Methods with steps of fixed length: a reversible second-order one, and Runge-Kutta's.

A step is a function of time and state alone; worlds of a batch do not influence each
other, so a batch gives the bits of its worlds run one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from ..api.dynamics import inverse_mass_matrix
from ..api.manifold import integrate
from .drive import Drive
from .errors import SimulationError

_TOLERANCE = 1e-12
_SLOWEST = 1e-3  # speeds below this count as this in the tolerance
_MAX_SWEEPS = 60


class Method(Protocol):
    """Advances ``q``, ``qd`` and the work done on the machine, all in place.

    Leading axes are worlds, each of which moves as if it were alone.  A drive is asked for ``tau``
    first, then for ``acceleration`` under it; where it is not ``is_free``, its ``power`` adds to
    the work.  Joints with quaternions have more positions than velocities: `integrate` moves them.
    The drive may be that of a model (`Drive`) or of a scene (`SceneDrive`).
    """

    order: int

    def step(self, t: float, h: float, q: np.ndarray, qd: np.ndarray, work: np.ndarray) -> None: ...


class Symplectic:
    """A Stoermer-Verlet scheme on the joints' manifold, second order and reversible.

    Half a step of the velocities that sees those it leads to, a step of the positions, half a
    step of the velocities that sees those it starts from::

        u  = v  + h/2 a(q,  u)        (solved by repeated substitution)
        q' = q (+) h u
        v' = u  + h/2 a(q', u)

    The second half is the adjoint of the first, so the scheme is its own: run backwards
    it retraces its way, and the energy of an undriven machine oscillates instead of
    drifting.  It is symplectic in the strict sense only where the mass matrix is constant
    and forces depend on position.  Forces that depend on velocity keep the second order.
    """

    order: int = 2

    def __init__(self, drive: Drive):
        self.drive = drive
        size = (*drive.shape, drive.model.nv)
        self.u: np.ndarray = np.empty(size)
        self.next: np.ndarray = np.empty(size)
        self.a: np.ndarray = np.empty(size)
        self.change: np.ndarray = np.empty(size)
        self.tau: np.ndarray = np.empty(size)
        # An array enters a compiled function faster than a number.
        self.h: np.ndarray = np.empty(())

    def step(self, t: float, h: float, q: np.ndarray, qd: np.ndarray, work: np.ndarray) -> None:
        drive, u, a = self.drive, self.u, self.a
        self.h[...] = h
        tau = self._half_step(t, h, q, qd)
        if not drive.is_free:
            work += 0.5 * h * drive.power(t, q, u, tau)
        integrate(drive.model, q, u, self.h, out=q)
        tau = drive.tau(t + h, q, u)
        drive.acceleration(t + h, q, u, tau, a)
        if not drive.is_free:
            work += 0.5 * h * drive.power(t + h, q, u, tau)
        np.multiply(a, 0.5 * h, out=a)
        np.add(u, a, out=qd)

    def _half_step(self, t: float, h: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Solve ``u = qd + h/2 a(q, u)``; each world stops when it has converged."""
        drive, u, new, a, change = self.drive, self.u, self.next, self.a, self.change
        u[...] = qd
        damped = _damped(drive, q, h)
        moving = np.ones(drive.shape, bool)
        enough = None
        for _ in range(_MAX_SWEEPS):
            tau = drive.tau(t, q, u)
            drive.acceleration(t, q, u, tau, a)
            np.multiply(a, 0.5 * h, out=a)
            np.add(qd, a, out=new)
            if damped is not None:
                new[...] = damped.solved(new, u)
            np.abs(np.subtract(new, u, out=change), out=change)
            worst = np.maximum.reduce(change, axis=-1, initial=0.0)
            if enough is None:
                speed = np.maximum.reduce(np.abs(qd, out=change), axis=-1, initial=_SLOWEST)
                enough = _TOLERANCE * np.maximum(speed, worst)
            if not drive.shape:
                u[...] = new
                if worst <= enough:
                    return tau
                continue
            # A world that is done keeps its velocity, and the forces that led to it.
            np.copyto(u, new, where=moving[..., None])
            np.copyto(self.tau, tau, where=moving[..., None])
            moving &= ~(worst <= enough)
            if not moving.any():
                return self.tau
        if np.isfinite(u).all():
            raise SimulationError(
                f"the step dt = {h:g} s is too long for forces that depend so strongly on "
                "velocity: expected a shorter dt, or integrator='Radau'"
            )
        return tau


class _Damped:
    """Damping ``D`` taken implicitly in half a step: ``(1 + h/2 H^-1 D) u = v + h/2 a(u) + ...``

    The substitution then converges however strong the damping is; where it converges is the same.
    """

    def __init__(self, inverse: np.ndarray, damping: np.ndarray, h: float):
        self.share: np.ndarray = 0.5 * h * inverse * damping
        self.solver: np.ndarray = np.linalg.inv(np.eye(len(damping)) + self.share)

    def solved(self, new: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The next velocity, from ``v + h/2 a(u)`` with the damping of ``u`` in it."""
        undamped = new + np.einsum("...ij,...j->...i", self.share, u)
        return np.einsum("...ij,...j->...i", self.solver, undamped)


def _damped(drive: Drive, q: np.ndarray, h: float) -> _Damped | None:
    if drive.damping is None:
        return None
    return _Damped(inverse_mass_matrix(drive.model, q), drive.damping, h)


class RungeKutta4:
    """The classical fourth-order method, on the joints' manifold (Runge-Kutta-Munthe-Kaas).

    Stages live in the tangent space at the step's start; rotations are carried there by
    the inverse right Jacobian of the exponential map, to the second order that fourth-
    order accuracy needs: ``u' = w + u x w / 2 + u x (u x w) / 12``.
    """

    order: int = 4

    def __init__(self, drive: Drive):
        self.drive = drive
        model = drive.model
        size = (*drive.shape, model.nv)
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
        self.q: np.ndarray = np.empty((*drive.shape, model.nq))
        self.one: np.ndarray = np.ones(())

    def step(self, t: float, h: float, q: np.ndarray, qd: np.ndarray, work: np.ndarray) -> None:
        drive = self.drive
        self.sum_rate[...] = self.sum_a[...] = 0.0
        power = np.zeros(drive.shape)
        for share, weight in ((0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0)):
            at = t + share * h
            if share == 0.0:
                self.way[...], self.v[...], self.q[...] = 0.0, qd, q
            else:
                np.multiply(self.rate, share * h, out=self.way)
                np.multiply(self.a, share * h, out=self.v)
                self.v += qd
                integrate(drive.model, q, self.way, self.one, out=self.q)
            tau = drive.tau(at, self.q, self.v)
            drive.acceleration(at, self.q, self.v, tau, self.a)
            if not drive.is_free:
                power += weight * drive.power(at, self.q, self.v, tau)
            self._to_tangent()
            self.sum_rate += weight * self.rate
            self.sum_a += weight * self.a
        work += h / 6.0 * power
        self.sum_rate *= h / 6.0
        self.sum_a *= h / 6.0
        integrate(drive.model, q, self.sum_rate, self.one, out=q)
        qd += self.sum_a

    def _to_tangent(self) -> None:
        """The rate of ``way`` that gives the velocity ``v``."""
        self.rate[...] = self.v
        for k in self.ball:
            u, w = self.way[..., k], self.v[..., k]
            uw = np.cross(u, w)
            self.rate[..., k] = w + 0.5 * uw + np.cross(u, uw) / 12.0


FIXED_STEP: dict[str, Callable[[Drive], Method]] = {
    "symplectic": Symplectic,
    "rk4": RungeKutta4,
}
