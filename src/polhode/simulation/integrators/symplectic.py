"""A reversible method of second order, whose energy does not drift."""

from __future__ import annotations

import numpy as np

from ...api.dynamics import inverse_mass_matrix
from ...api.manifold import integrate
from ..errors import SimulationError
from ..motion_state import MotionState
from .smooth import SmoothSystem

_TOLERANCE = 1e-12
_ROUNDING = 1e3  # of the tolerance: changes up to this that do not become less are the last
_SLOWEST = 1e-3  # speeds below this count as this in the tolerance
_MAX_SWEEPS = 60


class Symplectic:
    """A Stoermer-Verlet scheme on the joints' manifold, second order and reversible.

    Half a step of the velocities, implicit; a step of the positions; half a step of the velocities,
    explicit::

        u  = v  + h/2 a(q,  u)        (solved by repeated substitution)
        q' = q (+) h u
        v' = u  + h/2 a(q', u)

    The second half is the adjoint of the first, so the scheme is its own adjoint.  Run backwards it
    retraces its way, and the energy of an undriven model oscillates instead of drifting.  It is
    symplectic in the strict sense only where the mass matrix is constant and forces depend on
    position.  Forces that depend on velocity keep the second order.
    """

    order: int = 2
    is_reversible: bool = True

    def __init__(self, system: SmoothSystem):
        self.system = system
        size = (*system.shape, system.model.nv)
        self.u: np.ndarray = np.empty(size)
        self.next: np.ndarray = np.empty(size)
        self.a: np.ndarray = np.empty(size)
        self.change: np.ndarray = np.empty(size)
        self.tau: np.ndarray = np.empty(size)
        # An array enters a compiled function faster than a number.
        self.h: np.ndarray = np.empty(())

    def step(self, state: MotionState, h: float) -> MotionState:
        system, u, a, (t, q, qd, work, _) = self.system, self.u, self.a, state
        self.h[...] = h
        tau = self._half_step(t, h, q, qd)
        if not system.is_free:
            work = work + 0.5 * h * system.power(t, q, u, tau)
        q = integrate(system.model, q, u, self.h)
        tau = system.tau(t + h, q, u)
        system.acceleration(t + h, q, u, tau, a)
        if not system.is_free:
            work = work + 0.5 * h * system.power(t + h, q, u, tau)
        np.multiply(a, 0.5 * h, out=a)
        return MotionState(t + h, q, u + a, work)

    def _half_step(self, t: float, h: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Solve ``u = qd + h/2 a(q, u)``; each world stops when it has converged."""
        system, u, new, a, change = self.system, self.u, self.next, self.a, self.change
        u[...] = qd
        damped = _damped(system, q, qd, h)
        moving = np.ones(system.shape, bool)
        enough = last = None
        for _ in range(_MAX_SWEEPS):
            tau = system.tau(t, q, u)
            system.acceleration(t, q, u, tau, a)
            np.multiply(a, 0.5 * h, out=a)
            np.add(qd, a, out=new)
            if damped is not None:
                new[...] = damped.solved(new, u)
            np.abs(np.subtract(new, u, out=change), out=change)
            worst = np.maximum.reduce(change, axis=-1, initial=0.0)
            if enough is None:
                speed = np.maximum.reduce(np.abs(qd, out=change), axis=-1, initial=_SLOWEST)
                enough = _TOLERANCE * np.maximum(speed, worst)
            else:  # where strong gains leave rounding that does not become less
                worst = np.where((worst >= last) & (worst <= _ROUNDING * enough), 0.0, worst)
            last = worst
            if not system.shape:
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
                "velocity: expected a shorter dt, integrator='Radau', or other gains"
            )
        return tau


class _Damped:
    """Damping ``D`` taken implicitly in half a step: ``(1 + h/2 H^-1 D) u = v + h/2 a(u) + ...``

    The substitution then converges however strong the damping is; where it converges is the same.
    """

    def __init__(self, inverse: np.ndarray, damping: np.ndarray, h: float):
        self.share: np.ndarray = 0.5 * h * inverse * damping[..., None, :]
        self.solver: np.ndarray = np.linalg.inv(np.eye(damping.shape[-1]) + self.share)

    def solved(self, new: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The next velocity, from ``v + h/2 a(u)`` with the damping of ``u`` in it."""
        undamped = new + np.einsum("...ij,...j->...i", self.share, u)
        return np.einsum("...ij,...j->...i", self.solver, undamped)


def _damped(system: SmoothSystem, q: np.ndarray, qd: np.ndarray, h: float) -> _Damped | None:
    damping = system.damping(q, qd)
    if damping is None:
        return None
    return _Damped(inverse_mass_matrix(system.model, q), damping, h)
