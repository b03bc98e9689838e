"""The simulator of scenes without contact, with a choice of schemes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arguments import as_choice, as_number
from ...errors import ArgumentError, suggestion
from ...model.checks import entries
from ..adaptive import tolerances
from ..drive import check_called_with
from ..scene import Scene
from ..smooth import SCHEMES
from .checkpointing import nothing_near
from .counter_indices import BASE_STEPS, BASE_TIME, LOOP_ERROR, N_STEPS, TIME
from .simulators import TimeSteppingSimulator
from .starts import faults_of

if TYPE_CHECKING:
    from ..smooth.schemes import Flight


class Simulator(TimeSteppingSimulator):
    """A scene in time without contact: joints, limits, loops, gears and forces.

    Parameters
    ----------
    scene : Scene
        What of it could touch does not.
    scheme : str
        ``"symplectic"`` (second order, energy does not drift, limits and dry friction);
        ``"rk4"``; SciPy's ``"RK23" "RK45" "DOP853" "Radau" "BDF" "LSODA"``, which choose their
        own steps; ``"moby"``, the first-order scheme that Moby has for a scene of this kind:
        ``Simulator`` takes positions and velocities both from the state before,
        ``TimeSteppingSimulator`` moves along the old velocities and then asks for forces.
    rtol, atol : float
        Tolerances of SciPy's schemes.
    **options
        As of `TimeSteppingSimulator`; `method` is for limits and dry friction.

    Notes
    -----
    Schemes other than the symplectic one call controllers and forces as often as they evaluate
    accelerations; the symplectic one calls them at the start of each step.
    """

    has_contact = False

    def __init__(
        self,
        scene: Scene,
        *,
        scheme: str = "symplectic",
        rtol: float = 1e-8,
        atol: float = 1e-10,
        **options: Any,
    ):
        from ..smooth.schemes import FixedSteps, Solver

        scheme = as_choice("scheme", scheme, SCHEMES)
        known = inspect.signature(TimeSteppingSimulator.__init__).parameters
        for option in options:
            if option not in known:
                names = ("scheme", "rtol", "atol", *known)
                hint = suggestion(option, names)
                raise TypeError(f"Simulator() got an unexpected option '{option}'{hint}")
        super().__init__(scene, **options)
        self.scheme = scheme
        self._other: Any = None
        if scheme in ("rk4", "moby"):
            self._other = FixedSteps(self, scheme)
        elif scheme != "symplectic":
            size = self._plan.nq + self._plan.nv + 1
            self._other = Solver(self, scheme, *tolerances(rtol, atol, size))
            self.chooses_steps = True

    def advance(
        self, h: float, count: int, every: int = 0, phase: int = 0, drive: Any = None
    ) -> Any:
        """Make ``count`` equal steps; return what was recorded.

        Parameters
        ----------
        h, count, every, phase
            As of `TimeSteppingSimulator.advance`.
        drive : ndarray, optional
            Joint forces of each step, for the symplectic scheme only.

        Returns
        -------
        log : object
            Times, states and contacts of the records.

        Raises
        ------
        SimulationError
            If the motion stops being finite, or SciPy's solver gives up.
        """
        if self._other is None:
            return super().advance(h, count, every, phase, drive)
        if drive is not None:
            raise ValueError(f"expected scheme='symplectic' with given forces, got '{self.scheme}'")
        self._begin_steps(h)
        self._report_if_fresh()
        rows: list[tuple[float, np.ndarray, np.ndarray]] = []

        def record(t: float, position: np.ndarray, velocity: np.ndarray) -> None:
            rows.append((t, position, velocity))

        self._other.advance(float(h), count, every, phase, record)
        self._is_fresh = False
        return self._log(rows)

    def solve(self, end: float, events: Sequence[Callable[..., float]] = ()) -> Flight:
        """Go on to a time or an event with one of SciPy's schemes; return the stretch.

        Parameters
        ----------
        end : float
            Time [s].
        events : sequence of callable
            ``event(t, q, qd)`` happens where it changes its sign; attributes ``terminal`` and
            ``direction`` mean what they do in SciPy.

        Returns
        -------
        flight : Flight
            With dense output, ``flight.state(t)``.

        Raises
        ------
        SimulationError
            If the solver gives up.
        """
        if self.scheme in ("symplectic", "rk4", "moby"):
            raise ValueError(
                f"expected one of SciPy's schemes for solve, got '{self.scheme}': "
                "Simulator(scene, scheme='DOP853')"
            )
        end = as_number("end", end, finite=False)
        if not self.current_time < end < np.inf:
            raise ArgumentError(f"expected a time after {self.current_time:g} s, got {end:g} s")
        watched = entries(events, "a sequence of functions as events")
        for event in watched:
            check_called_with("event", event, ("t", "q", "qd"))
        self._report_if_fresh()
        flight = self._other.solve(end, watched)
        totals, counters = self._fields.totals, self._fields.counters
        totals[BASE_TIME], totals[BASE_STEPS] = self.current_time, counters[N_STEPS]
        self._is_fresh = True
        return flight

    def _report_if_fresh(self) -> None:
        """Report what is wrong with a state that was just set: only loops and gears can be."""
        drive = self._other.drive
        if self._is_fresh and len(drive.couplings):
            errors = drive.couplings.rows(*drive.outward()).x
            self._on_start(faults_of(self, nothing_near(), errors))

    def _log(self, rows: list[tuple[float, np.ndarray, np.ndarray]]) -> Any:
        from .loop import Log

        fields, count = self._fields, len(rows)
        position = np.array([row[1] for row in rows]).reshape(count, len(fields.position))
        velocity = np.array([row[2] for row in rows]).reshape(count, len(fields.velocity))
        times = np.array([row[0] for row in rows], float)
        contacts, _ = self._near
        return Log(count, times, position, velocity, np.zeros(count + 1, np.int64), contacts)

    def _set_time(self, t: float) -> None:
        self._fields.totals[TIME] = t

    def _count_steps(self, count: int, h: float) -> None:
        """Count steps of ``h``, and let the time be what they add up to."""
        totals, counters = self._fields.totals, self._fields.counters
        counters[N_STEPS] += count
        totals[TIME] = totals[BASE_TIME] + (counters[N_STEPS] - totals[BASE_STEPS]) * h

    def _note_loop_error(self, error: float) -> None:
        totals = self._fields.totals
        totals[LOOP_ERROR] = max(totals[LOOP_ERROR], error)
