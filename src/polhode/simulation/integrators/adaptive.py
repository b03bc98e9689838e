"""SciPy's methods, which choose their own steps, with dense output; for one world.

The unknowns are ``q`` with its quaternions as they are, ``qd``, and the work done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import as_array
from ...errors import ArgumentError, ShapeError
from ...model.inertias import told_undetermined
from ..cross_product import cross
from ..errors import SimulationError
from ..motion_state import MotionState
from .smooth import SmoothSystem

NAMES = ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")
_NEVER = np.zeros(0)
_EVALUATIONS_PER_STEP, _EVALUATIONS_AT_LEAST = 200, 300_000
_IMPLICIT = ("Radau", "BDF")
_EXPLODED = 1e4  # speed [rad/s or m/s] that no stiff motion needs, and its ratio to that before


def tolerances(rtol: Any, atol: Any, size: int) -> tuple[Any, Any]:
    """SciPy's tolerances: numbers, or for each of ``size`` unknowns one.

    Raises
    ------
    ArgumentError
        For anything but real, finite numbers above 0 (``atol``: not below 0).
    """
    checked = []
    for name, value in (("rtol", rtol), ("atol", atol)):
        array = as_array(name, value, finite=True)
        if array.shape not in ((), (size,)):
            raise ShapeError(f"expected a number or {size} numbers as {name}, got {array.shape}")
        least = float(array.min())
        if least < 0.0 or (name == "rtol" and least == 0.0):
            bound = "above 0" if name == "rtol" else "of at least 0"
            raise ArgumentError(f"expected {name} {bound}, got {least:g}")
        checked.append(array if array.ndim else float(array))
    return checked[0], checked[1]


@dataclass(frozen=True, eq=False)
class Flight:
    """A stretch of a motion with its dense output; see `Simulator.solve`.

    Attributes
    ----------
    times : ndarray, shape (T,)
        The solver's own steps [s].
    q, qd : ndarray, shape (T, nq) and (T, nv)
        States there, in the coordinates of the scene's ``model``.
    event_times : tuple of ndarray
        When each event happened.
    stopped_by : int or None
        The event that ended it.
    state : callable
        ``state(t) -> (q, qd)`` anywhere in between.
    """

    times: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    event_times: tuple[np.ndarray, ...]
    stopped_by: int | None
    state: Callable[[float], tuple[np.ndarray, np.ndarray]]


class Adaptive:
    """Carries one world from instant to instant with a SciPy solver."""

    def __init__(self, system: SmoothSystem, method: str, rtol: float, atol: float, steps: float):
        import scipy.integrate

        self.solver_class: Any = getattr(scipy.integrate, method)
        self.system: SmoothSystem = system
        self.rtol: float = rtol
        self.atol: float = atol
        model = system.model
        self.nq: int = model.nq
        self.nv: int = model.nv
        self.balls: list[tuple[list[int], list[int]]] = [
            (list(v), list(q))
            for v, q in zip(model.v_index, model.q_index, strict=True)
            if len(q) > len(v)
        ]
        self.evaluations: int = 0
        self.patience: int = int(max(_EVALUATIONS_PER_STEP * steps, _EVALUATIONS_AT_LEAST))
        self._foreign: Exception | None = None  # raised by the system, not by the solver
        self._qdd = np.empty(self.nv)
        self._qd_before = np.zeros(self.nv)

    def step(self, state: MotionState, h: float) -> MotionState:
        """Go on by ``h`` [s], in steps of the solver's own."""
        return self.run(state, state.time + h)

    def run(
        self,
        state: MotionState,
        end: float,
        stops: np.ndarray = _NEVER,
        record: Callable[[MotionState], None] | None = None,
    ) -> MotionState:
        """Go on to the time ``end``; ``record`` is called at each of ``stops``."""
        t, y = state.time, _unknowns(state)
        self._qd_before = state.qd
        with self._told():
            solver = self.solver_class(self._rates, t, y, end, rtol=self.rtol, atol=self.atol)
            at = 0
            while solver.status == "running":
                # SciPy's BDF computes with rows of its table that it has not filled yet.
                with np.errstate(over="ignore", invalid="ignore"):
                    message = solver.step()
                if solver.status == "failed":
                    raise SimulationError(
                        f"{message or 'the solver failed'} (t = {solver.t:g} s); "
                        f"{self._advice(self.split(solver.y)[1])}"
                    )
                self.system.check_limits(solver.t, self.split(solver.y)[0])
                upto = np.searchsorted(stops, solver.t, side="right")
                if upto > at:
                    dense = solver.dense_output()
                    for stop in stops[at:upto]:
                        record(self._held(stop, dense(stop)))  # type: ignore[misc]
                    at = upto
                if not np.isfinite(solver.y).all():
                    raise SimulationError(f"the state is not finite any more (t = {solver.t:g} s)")
        return self._held(end, solver.y)

    def solve(self, state: MotionState, end: float, events: Sequence[Callable[..., float]]) -> Any:
        """What SciPy finds from a state to the time ``end``, or to an event that ends it."""
        import scipy.integrate

        self._qd_before = state.qd
        with self._told():
            found = scipy.integrate.solve_ivp(
                self._rates, (state.time, end), _unknowns(state), self.solver_class,
                dense_output=True, events=[self._watched(e) for e in events] or None,
                rtol=self.rtol, atol=self.atol,
            )  # fmt: skip
        if found.status < 0 or not np.isfinite(found.y[:, -1]).all():
            raise SimulationError(
                f"the solver failed at t = {found.t[-1]:g} s: {found.message} "
                f"{self._advice(self.split(found.y[:, -1])[1])}"
            )
        return found

    def flight(self, found: Any, events: Sequence[Callable[..., float]]) -> Flight:
        """The stretch that `solve` found."""
        states = [self.split(y)[:2] for y in found.y.T]
        happened = tuple(np.asarray(x) for x in found.t_events or ())
        ended = [k for k, e in enumerate(events) if getattr(e, "terminal", False)
                 and len(happened[k])] if found.status == 1 else []  # fmt: skip
        return Flight(
            found.t, np.array([x for x, _ in states]), np.array([x for _, x in states]), happened,
            ended[0] if ended else None, lambda at: self.split(found.sol(at))[:2],
        )  # fmt: skip

    def _watched(self, event: Callable[..., float]) -> Callable[..., float]:
        """A user's event of time, positions and velocities, as SciPy wants it."""

        def value(t: float, y: np.ndarray) -> float:
            q, qd, _ = self.split(y)
            return float(event(t, q, qd))

        for name in ("terminal", "direction"):
            if hasattr(event, name):
                setattr(value, name, getattr(event, name))
        return value

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say of what the solver raises that it failed; errors of the system are its own."""
        try:
            yield
        except (ValueError, FloatingPointError, np.linalg.LinAlgError) as error:
            if error is self._foreign:
                raise
            told = told_undetermined(self.system.model)
            raise SimulationError(f"the solver failed: {told or error}") from error

    def _advice(self, qd: np.ndarray) -> str:
        """What to try after a failure at the speeds ``qd``: they exploded, or steps are small."""
        told = told_undetermined(self.system.model)
        if told:
            return told
        speed, before = np.abs(qd).max(initial=0.0), np.abs(self._qd_before).max(initial=0.0)
        if not speed <= _EXPLODED * max(1.0, before):
            return (
                f"the speeds grew to {speed:.3g}: a controller or a force does not stabilise the "
                "motion, and no other integrator helps"
            )
        if self.solver_class.__name__ in _IMPLICIT:
            return "a smaller rtol may help, or forces without jumps"
        return (
            "a stiff model, such as one with strong damping, may need integrator='Radau'; a "
            "controller whose output jumps needs another law or a fixed step"
        )

    def _held(self, t: float, y: np.ndarray) -> MotionState:
        """A state whose constraints are held, to be recorded or to go on from."""
        q, qd, work = self.split(y)
        self.system.project(q, qd)
        return MotionState(t, q, qd, work)

    def split(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions with unit quaternions, velocities, and the work done."""
        q, qd = y[: self.nq].copy(), y[self.nq : -1].copy()
        for _, k in self.balls:
            q[k] /= np.linalg.norm(q[k])
        return q, qd, y[-1]

    def _rates(self, t: float, y: np.ndarray) -> np.ndarray:
        self.evaluations += 1
        if self.evaluations > self.patience:
            raise SimulationError(
                f"gave up after {self.patience} evaluations (t = {t:g} s); "
                f"{self._advice(self.split(y)[1])}"
            )
        q, qd, _ = self.split(y)
        rates = np.empty_like(y)
        rates[: self.nv] = qd
        for v, k in self.balls:
            rates[k] = _quaternion_rate(y[k], qd[v])
        try:
            tau = self.system.tau(t, q, qd)
            rates[self.nq : -1] = self.system.attracted_acceleration(t, q, qd, tau, self._qdd)
            rates[-1] = 0.0 if self.system.is_free else self.system.power(t, q, qd, tau)
        except Exception as error:
            self._foreign = error
            raise
        return rates


def _unknowns(state: MotionState) -> np.ndarray:
    return np.concatenate((state.q, state.qd, np.reshape(state.work, 1)))


def _quaternion_rate(xyzw: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Rate of a quaternion under the body-frame angular velocity ``w``: ``Q' = Q w / 2``."""
    e, s = xyzw[:3], xyzw[3]
    return 0.5 * np.append(s * w + cross(e, w), -e @ w)
