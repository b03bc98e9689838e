"""Simulators that are stepped by hand: one for scenes and models, with and without contact."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arguments import as_choice, as_count, as_number
from ...errors import ArgumentError, ModelWarning, suggests_options, warn_once
from ...model import Model
from ...model.checks import entries
from ...model.inertias import warn_undetermined
from ...recording.checkpoint import Checkpoint
from ...scene import Scene, without_rule
from ..adaptive import tolerances
from ..choices import (
    JOINT_FORCES,
    STARTS,
    chosen_contact,
    chosen_integrator,
    without_joint_forces,
)
from ..drive import check_called_with
from ..errors import SimulationError
from ..self_collision import neighbours
from .callables import Callables
from .checkpointing import checkpoint_of, go_back, nothing_near
from .counter_indices import BASE_STEPS, BASE_TIME, LOOP_ERROR, N_STEPS, STEP, STOP, TIME
from .starts import Fault, faults_of, refuse, settled, warn_of, warn_settled
from .state import SceneState

if TYPE_CHECKING:
    from ..smooth.schemes import Flight
    from .loop import Log, StepCount

MOST_STEPS = 2**60
_NO_DRIVE = np.zeros((0, 0))
_LEAST = 1e-300  # below it quotients by a step overflow [s]


class Simulator(SceneState):
    """A scene, or a model, in time: joints, limits, loops, gears, forces, contact and friction.

    Parameters
    ----------
    scene : Scene or Model
        A model is a scene of one machine.
    integrator : str, optional
        How time advances.  ``"event_driven"``, the default: second order, impacts located,
        limits, dry friction and contact.  Where nothing stops or sticks suddenly also
        ``"symplectic"`` (second order, energy does not drift), ``"rk4"``; SciPy's ``"RK23"
        "RK45" "DOP853" "Radau" "BDF" "LSODA"``, which choose their own steps; and ``"moby"``, the
        first-order scheme of Moby for a scene of this kind.
    contact : {"exact", "convex", "lcp", "none"}, optional
        Law and solver of contact, see `polhode.contact_problem`; ``"exact"`` if omitted, or
        ``"none"`` for a model, and for a scene whose settings say so.
    dt : float, optional
        Step that limits of mini-steps refer to; the scene's, or 1 ms.
    controllers : mapping of str to callable, optional
        Joint forces of machines by name: ``controller(t, state) -> tau``, called at the
        start of each step and held; ``state`` has ``q qd t model rng``.
    forces : callable, optional
        ``forces(t, simulator)`` at the start of each step gives a mapping from
        (machine, link) to six numbers: moment about the world's origin, then force.
    contact_filter : callable, optional
        ``contact_filter(t, contacts)`` gives a mask of the contacts to keep; see
        `ContactView`.
    seed : int, optional
        Seeds ``state.rng``.
    max_mini_steps : int
        Most parts of a step between which something rebounds.
    start : {"check", "settle", "keep"}
        What to do with overlaps and open loops beyond 1 mm, and joints beyond their limits by
        more than 1e-3: raise `StartError`; move bodies out before the first step and say how
        far, in a `StartWarning` and in ``notes``; or begin there, with a `StartWarning`.
    joint_forces : {"all", "none"}
        Whether limits, damping and friction of joints act.
    rtol, atol : float
        Tolerances of SciPy's integrators.

    Notes
    -----
    Velocities change at the middle of a step, positions before and after it; see
    `polhode.simulation.stepping.step`.  Bodies that touch without rebound stop where they
    touch.  The same scene gives the same bits, however its steps are divided into calls.
    Integrators other than the event-driven one call controllers and forces as often as they
    evaluate accelerations.  Plug-ins of the scene act beside the callables given here; a
    controller given here goes before the scene's for that machine.
    """

    @suggests_options
    def __init__(
        self,
        scene: Scene | Model,
        *,
        integrator: str | None = None,
        contact: str | None = None,
        dt: float | None = None,
        controllers: Mapping[str, Callable[..., Any]] | None = None,
        forces: Callable[..., Any] | None = None,
        contact_filter: Callable[..., Any] | None = None,
        seed: int | None = None,
        max_mini_steps: int = 50,
        start: str = "check",
        joint_forces: str = "all",
        rtol: float = 1e-8,
        atol: float = 1e-10,
    ):
        if not isinstance(scene, (Scene, Model)):
            raise TypeError(f"expected a Scene or a Model, got {type(scene).__name__}")
        if as_choice("joint_forces", joint_forces, JOINT_FORCES) == "none":
            scene = without_joint_forces(scene)
        whole = scene if isinstance(scene, Scene) else Scene.of(scene)
        self.scene: Scene = whole
        self.model: Model = whole.model if isinstance(scene, Scene) else scene
        """The machine of all that moves; a model that was given is that model."""
        self.integrator: str = chosen_integrator(integrator)
        self.contact: str = chosen_contact(scene, self.integrator, contact)
        self.dt: float = step_of(whole, dt)
        from .building import build

        minis = as_count("max_mini_steps", max_mini_steps, least=1)
        self._lowered = build(whole, self.dt, self.contact, minis)
        self._plan, self._fields = self._lowered.plan, self._lowered.fields
        for node in self._plan.nodes:
            warn_undetermined(node.model, node.machine.name)
        for remark in without_rule(whole) if self.has_contact else ():
            warn_once(f"{remark} (scene '{whole.name}'); Scene.contact gives them", ModelWarning)
        given = {} if controllers is None else controllers
        self._callables = Callables(self, given, forces, contact_filter, seed)
        self._fields.totals[TIME] = self._fields.totals[BASE_TIME] = whole.settings.time
        self._near, self._is_fresh = nothing_near(), True
        self._pushes = np.zeros_like(self._fields.wrench)
        self.start: str = as_choice("start", start, STARTS)
        self._on_start: Callable[[list[Fault]], None] = self._answer_start
        self._settled: list[str] = []
        self._smooth: Any = self._smooth_steps(rtol, atol)

    def _smooth_steps(self, rtol: float, atol: float) -> Any:
        """What makes the steps in place of the compiled loop, if the integrator is smooth."""
        allowed = tolerances(rtol, atol, self._plan.nq + self._plan.nv + 1)
        if self.integrator == "event_driven":
            return None
        from ..smooth.schemes import FIXED, FixedSteps, Solver

        if self.integrator in FIXED:
            return FixedSteps(self, self.integrator)
        return Solver(self, self.integrator, *allowed)

    @property
    def has_contact(self) -> bool:
        """Whether what touches acts on each other."""
        return self.contact != "none"

    @property
    def chooses_steps(self) -> bool:
        """Whether its motion depends on how it is divided into calls: SciPy's integrators."""
        return self._smooth is not None and self._smooth.chooses_steps

    @property
    def notes(self) -> list[str]:
        """What the run has to say of itself: pairs that do not touch, bodies moved apart."""
        apart = neighbours(self.scene).notes(self.scene) if self.has_contact else []
        return [*apart, *self._settled]

    # -- time --

    @property
    def current_time(self) -> float:
        """Time [s]."""
        return float(self._fields.totals[TIME])

    def step(self, h: float) -> float:
        """Advance by ``h`` [s]; return ``h``.

        Parameters
        ----------
        h : float, optional
            Time step [s]; `dt` if not given.

        Returns
        -------
        h : float
            The step taken [s].
        """
        self.advance(h, 1)
        return h

    def advance_to(self, t: float) -> None:
        """Advance to the time ``t`` in steps of ``dt``, the last of them shorter.

        Parameters
        ----------
        t : float
            Time [s].
        """
        left = as_number("t", t) - self.current_time
        if left < 0.0:
            raise ArgumentError(f"expected a time after {self.current_time:g} s, got {t:g} s")
        count = as_count("count of steps", int(left / self.dt + 1e-9), most=MOST_STEPS)
        self.advance(self.dt, count)
        rest = t - self.current_time
        if rest > 1e-9 * self.dt:
            self.step(rest)
        self._fields.totals[TIME] = self._fields.totals[BASE_TIME] = t
        self._fields.totals[BASE_STEPS] = self._fields.counters[N_STEPS]

    def advance(
        self, h: float, count: int, every: int = 0, phase: int = 0, drive: Any = None
    ) -> Any:
        """Make ``count`` equal steps in one compiled call; return what was recorded.

        Parameters
        ----------
        h : float
            Time step [s].
        count, every, phase : int
            Steps, of which each `every`-th is recorded from `phase` on.
        drive : ndarray, shape (count, nv), optional
            Joint forces of each step, in the loops' coordinates.

        Returns
        -------
        log : object
            Times, states and contacts of the records.

        Raises
        ------
        SimulationError
            If the motion stops being finite.
        """
        from .loop import StepCount

        self._begin_steps(h)
        for name, value in (("count", count), ("every", every), ("phase", phase)):
            as_count(name, value, most=MOST_STEPS)
        if self._smooth is not None:
            if drive is not None:
                raise ValueError("expected integrator='event_driven' with the forces of each "
                                 f"step, got '{self.integrator}'")  # fmt: skip
            return self._advance_smoothly(float(h), count, every, phase)
        if self._is_fresh:
            self._look(h)
        steps = StepCount(float(h), count, every, phase)
        return self._run(False, steps, _NO_DRIVE if drive is None else drive)

    def _run(self, is_fresh: bool, steps: StepCount, drive: np.ndarray) -> Log:
        """Call the compiled loop; keep what is near, and raise what a callable raised."""
        from .loop import advance

        listening = self._callables.interrupts.listening
        with listening() if self._callables.is_called else nullcontext():
            contacts, limits, log = advance(self._fields, *self._near, is_fresh, steps, drive)
            self._near = contacts, limits
        if self._fields.counters[STOP] != 0:
            self._stopped()
        self._is_fresh = False
        return log

    def _look(self, h: float) -> None:
        """Find what is near a state that was just set, and answer what is wrong with it."""
        self._find_near(h)
        try:
            self._on_start(self._faults())
        except BaseException:
            self._is_fresh = True
            raise

    def _find_near(self, h: float) -> None:
        from .loop import StepCount

        self._run(True, StepCount(float(h), 0, 0, 0), _NO_DRIVE)

    def _faults(self) -> list[Fault]:
        return faults_of(self, self._near, self._coupling_errors())

    def check_start(self) -> None:
        """Look at the state that was set last, as the next step would.

        Raises
        ------
        StartError
            If it breaks limits, loops or contact, and ``start`` is ``"check"``.
        """
        if not self._is_fresh:
            return
        if self._smooth is not None:
            self._report_if_fresh()
        else:
            self._begin_steps(self.dt)
            self._look(self.dt)

    def _advance_smoothly(self, h: float, count: int, every: int, phase: int) -> Log:
        """Steps of an integrator that is not compiled, with what they record."""
        from .loop import Log, RecordedRows

        self._report_if_fresh()
        rows: list[tuple[Any, ...]] = []
        self._smooth.advance(h, count, every, phase, lambda *row: rows.append(row))
        self._is_fresh = False
        n, nq, nv = len(rows), self._plan.nq, self._plan.nv
        shapes = [(n,), (n, nq), *[(n, nv)] * 4, (n,)]
        columns = zip(*rows, strict=True) if rows else [()] * len(shapes)
        arrays = (np.array(x, float).reshape(k) for x, k in zip(columns, shapes, strict=True))
        return Log(n, RecordedRows(*arrays), np.zeros(n + 1, np.int64), nothing_near()[0])

    def _coupling_errors(self) -> np.ndarray:
        """Errors of the rows of loops, then of gears, at the present poses."""
        from .projection import measure_errors

        errors = np.zeros(len(self._fields.loop_rows) + len(self._fields.gear_dof))
        if len(errors):
            measure_errors(self._fields, errors)
        return errors

    def _answer_start(self, faults: list[Fault]) -> None:
        """Raise, settle or warn, as `start` says."""
        where = f"scene '{self.scene.name}' at t = {self.current_time:g} s"
        if self.start == "keep":
            warn_of(faults, where)
        elif faults and self.start == "settle":
            self._settled.append(settled(self, faults, where))
            warn_settled({0: self._settled[-1]})
        else:
            refuse(faults, where)

    def _begin_steps(self, h: float) -> None:
        """Take ``h`` as the step from here on."""
        if not 0.0 < (h := as_number("h", h, finite=False)) < np.inf:
            raise ArgumentError(f"expected a step h above 0 and finite, got {h}")
        totals = self._fields.totals
        if h != totals[STEP]:
            totals[STEP] = h
            totals[BASE_TIME], totals[BASE_STEPS] = totals[TIME], self._fields.counters[N_STEPS]

    def _stopped(self) -> None:
        self._fields.counters[STOP] = 0
        error = self._callables.error
        if error is not None:
            self._callables.error = None
            raise error
        raise SimulationError(
            f"the motion is not finite any more after t = {self.current_time:g} s; try a step "
            f"shorter than h = {self._fields.totals[STEP]:g} s (scene '{self.scene.name}')"
        )

    def solve(self, end: float, events: Sequence[Callable[..., float]] = ()) -> Flight:
        """Go on to a time or an event with one of SciPy's integrators; return the stretch.

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
        if not self.chooses_steps:
            raise ValueError(
                f"expected one of SciPy's integrators for solve, got '{self.integrator}': "
                "Simulator(scene, integrator='DOP853')"
            )
        end = as_number("end", end, finite=False)
        if not self.current_time < end < np.inf:
            raise ArgumentError(f"expected a time after {self.current_time:g} s, got {end:g} s")
        watched = entries(events, "a sequence of functions as events")
        for event in watched:
            check_called_with("event", event, ("t", "q", "qd"))
        self._report_if_fresh()
        flight = self._smooth.solve(end, watched)
        totals, counters = self._fields.totals, self._fields.counters
        totals[BASE_TIME], totals[BASE_STEPS] = self.current_time, counters[N_STEPS]
        self._is_fresh = True
        return flight

    def _report_if_fresh(self) -> None:
        """Report what is wrong with a state that was just set: only loops and gears can be."""
        drive = self._smooth.drive
        if self._is_fresh and len(drive.couplings):
            errors = drive.couplings.rows(*drive.outward()).err
            self._on_start(faults_of(self, nothing_near(), errors))

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

    # -- checkpoints --

    def checkpoint(self) -> Checkpoint:
        """All that the motion from here on depends on; see `restore`.

        Returns
        -------
        checkpoint : dict
            All of the state.
        """
        return checkpoint_of(self)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go on from a checkpoint of the same scene, to the same bits.

        Parameters
        ----------
        checkpoint : dict
            What `checkpoint` returned.

        Raises
        ------
        ModelError
            If it is of another scene, or damaged; the simulator is then as it was.
        """
        go_back(self, checkpoint)
        self._pushes[:] = self._fields.wrench[:] = 0.0  # forces are asked for at each step

    @property
    def report(self) -> dict[str, float]:
        """Counts and worst values since the start."""
        c, t = self._fields.counters, self._fields.totals
        return {
            "steps": int(c[1]),
            "mini_steps": int(c[2]),
            "solves": int(c[3]),
            "unconverged": int(c[4]),
            "impacts": int(c[5]),
            "capped_steps": int(c[6]),
            "contacts": int(c[7]),
            "relaxed": int(c[8]),
            "slack": float(t[10]),
            "residual": float(t[1]),
            "penetration": float(t[2]),
            "loop_error": float(t[3]),
            "energy_clipped": float(t[4]),
        }


class TimeSteppingSimulator(Simulator):
    """`Simulator` with contact by ``"exact"``, event-driven: Moby's name for it.

    Parameters
    ----------
    scene : Scene or Model
    **options
        As of `Simulator`.
    """

    def __init__(self, scene: Scene | Model, **options: Any):
        super().__init__(scene, **{"contact": "exact", "integrator": "event_driven", **options})


def step_of(scene: Scene, dt: float | None) -> float:
    """The step that was asked for, the scene's own, or 1 ms [s]."""
    chosen = dt if dt is not None else scene.settings.step_size
    value = 1e-3 if chosen is None else as_number("dt", chosen, finite=False)
    if not _LEAST <= value < np.inf:
        raise ArgumentError(f"expected dt above 0 and finite, got {value}")
    return value
