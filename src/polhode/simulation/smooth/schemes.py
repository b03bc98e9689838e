"""Ways of carrying a scene without contact through time, in place of the compiled loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...api.manifold import integrate
from ...errors import ModelError
from ...model import Model
from ..adaptive import Adaptive
from ..errors import SimulationError
from ..fixed_step import FIXED_STEP
from .dynamics import SceneDrive

if TYPE_CHECKING:
    from ..stepping.simulator import Simulator

FIXED = (*FIXED_STEP, "moby")
Record = Callable[..., None]
"""Takes the columns of `polhode.simulation.stepping.loop.RecordedRows`."""


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


class FixedSteps:
    """Steps of a fixed length, loops and gears brought together after each."""

    chooses_steps = False

    def __init__(self, owner: Simulator, integrator: str):
        self.drive: SceneDrive = SceneDrive(owner)
        self.model: Model = self.drive.model
        is_stepped = owner.scene.settings.kind == "time-stepping"
        self._step = self._positions_first if is_stepped else self._euler
        if integrator in FIXED_STEP:
            self._method = FIXED_STEP[integrator](self.drive)  # type: ignore[arg-type]
            self._step = self._projected
        self._a = np.zeros(self.model.nv)
        self._work = np.zeros(())

    def advance(self, h: float, count: int, every: int, phase: int, record: Record) -> None:
        """Make steps; ``record`` is called after each whose number is a multiple of ``every``.

        It gets the time, and coordinates of the compiled loops.
        """
        drive, owner = self.drive, self.drive.owner
        q, qd = drive.outward()
        if owner._is_fresh:
            drive.project(q, qd)
        for i in range(count):
            t = owner.current_time
            with np.errstate(over="ignore", invalid="ignore"):
                self._step(t, h, q, qd)
            if not (np.isfinite(q).all() and np.isfinite(qd).all()):
                raise SimulationError(
                    f"the motion is not finite any more after t = {t:g} s; try a shorter step "
                    f"(scene '{owner.scene.name}')"
                )
            qd *= self._kept()
            owner._count_steps(1, h)
            drive.put(owner.current_time, q, qd)
            q, qd = drive.outward()  # as it would be in another call
            if every > 0 and (phase + i + 1) % every == 0:
                record(*drive.row(owner.current_time, q, qd, float(self._work)))

    def _kept(self) -> Any:
        """Factors of a dissipation, for each velocity."""
        fields = self.drive.owner._fields
        return fields.dissipation[fields.dof_node]

    def _projected(self, t: float, h: float, q: np.ndarray, qd: np.ndarray) -> None:
        self._method.step(t, h, q, qd, self._work)
        self.drive.owner._note_loop_error(self.drive.project(q, qd))

    def _euler(self, t: float, h: float, q: np.ndarray, qd: np.ndarray) -> None:
        """Moby's `Simulator`: positions and velocities both from the state before."""
        self.drive.free_acceleration(t, q, qd, self._a)
        before = qd.copy()
        qd += h * self._a
        self.drive.project_velocity(q, qd)
        q[:] = integrate(self.model, q, before, h)

    def _positions_first(self, t: float, h: float, q: np.ndarray, qd: np.ndarray) -> None:
        """Moby's `TimeSteppingSimulator`: old velocities move, forces at the new positions."""
        q[:] = integrate(self.model, q, qd, h)
        self.drive.free_acceleration(t + h, q, qd, self._a)
        qd += h * self._a
        self.drive.project_velocity(q, qd)


class Solver:
    """SciPy's `solve_ivp`, with dense output and events."""

    chooses_steps = True

    def __init__(self, owner: Simulator, method: str, rtol: float, atol: float):
        self.drive: SceneDrive = SceneDrive(owner)
        self.method: str = method
        self.rtol: float = rtol
        self.atol: float = atol
        self._work = 0.0
        self._work_at: Callable[[float], float] = lambda at: 0.0
        if owner.scene.dissipation is not None:
            raise ModelError(
                "a dissipation acts once in each step: expected integrator 'event_driven', "
                f"'symplectic', 'rk4' or 'moby', got '{method}' (scene '{owner.scene.name}')"
            )

    def advance(self, h: float, count: int, every: int, phase: int, record: Record) -> None:
        """Go on by ``count`` steps' time; records are read from the dense output."""
        owner = self.drive.owner
        start, before = owner.current_time, self._work
        wanted = [i + 1 for i in range(count) if every > 0 and (phase + i + 1) % every == 0]
        flight = self.solve(start + count * h, ())
        for k in wanted:
            at = start + k * h
            record(*self.drive.row(at, *flight.state(at), before + self._work_at(at)))
        q, qd = self.drive.outward()
        owner._count_steps(count, h)
        self.drive.put(owner.current_time, q, qd)

    def solve(self, end: float, events: Sequence[Callable[..., float]]) -> Flight:
        """Go on to the time ``end`` or an event that ends it."""
        import scipy.integrate

        drive, owner = self.drive, self.drive.owner
        t, (q, qd) = owner.current_time, drive.outward()
        drive.project(q, qd)
        own = Adaptive(drive, self.method, self.rtol, self.atol, 1e3 * (end - t))  # type: ignore[arg-type]
        try:
            found = scipy.integrate.solve_ivp(
                own._rates, (t, end), np.concatenate((q, qd, [0.0])), self.method,
                dense_output=True, events=[_watched(own, e) for e in events] or None,
                rtol=self.rtol, atol=self.atol,
            )  # fmt: skip
        except (ValueError, FloatingPointError, np.linalg.LinAlgError) as error:
            if error is own._foreign:
                raise
            raise SimulationError(f"the solver failed: {error}") from error
        last = float(found.t[-1])
        if found.status < 0 or not np.isfinite(found.y[:, -1]).all():
            raise SimulationError(
                f"the solver failed at t = {last:g} s: {found.message}; a stiff scene may need "
                f"integrator='Radau' (scene '{owner.scene.name}')"
            )
        q, qd, work = own._split(found.y[:, -1])
        self._work += float(work)
        self._work_at = lambda at: float(found.sol(at)[-1])
        owner._note_loop_error(drive.project(q, qd))
        drive.put(last, q, qd)
        states = [own._split(y)[:2] for y in found.y.T]
        happened = tuple(np.asarray(x) for x in found.t_events or ())
        ended = [k for k, e in enumerate(events) if getattr(e, "terminal", False)
                 and len(happened[k])] if found.status == 1 else []  # fmt: skip
        return Flight(
            found.t, np.array([x for x, _ in states]), np.array([x for _, x in states]), happened,
            ended[0] if ended else None, lambda at: own._split(found.sol(at))[:2],
        )  # fmt: skip


def _watched(own: Adaptive, event: Callable[..., float]) -> Callable[..., float]:
    """A user's event of time, positions and velocities, as SciPy wants it."""

    def value(t: float, y: np.ndarray) -> float:
        q, qd, _ = own._split(y)
        return float(event(t, q, qd))

    for name in ("terminal", "direction"):
        if hasattr(event, name):
            setattr(value, name, getattr(event, name))
    return value
