"""Simulators that are stepped by hand: their state, their clock, their callables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arguments import as_choice, as_count, as_number
from ...errors import ArgumentError
from ...model.inertias import warn_undetermined
from ..checkpoint import Checkpoint
from ..errors import SimulationError
from ..scene import Scene
from ..unapplied import warn_of_scene
from .callables import Callables
from .checkpointing import checkpoint_of, go_back, nothing_near
from .counter_indices import BASE_STEPS, BASE_TIME, N_STEPS, STEP, STOP, TIME
from .starts import Fault, faults_of, warn_of
from .state import SceneState

if TYPE_CHECKING:
    from .loop import Log, Steps

MOST_STEPS = 2**60
METHODS = ("exact", "convex", "lcp")
_NO_DRIVE = np.zeros((0, 0))
_LEAST = 1e-300  # below it quotients by a step overflow [s]


class TimeSteppingSimulator(SceneState):
    """A scene in time, with contact, friction, limits, loops and gears.

    Parameters
    ----------
    scene : Scene
    dt : float, optional
        Step that limits of mini-steps refer to; the scene's, or 1 ms.
    method : {"exact", "convex", "lcp"}
        Contact solver; see `polhode.simulation.contact`.
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
        Plug-ins of the scene act beside the callables given here; a controller given here goes
        before the scene's for that machine.

    Notes
    -----
    Velocities change at the middle of a step, positions before and after it; see
    `polhode.simulation.stepping.step`.  Bodies that touch without rebound stop where they
    touch.  The same scene gives the same bits, however its steps are divided into calls.
    """

    has_contact = True
    chooses_steps = False  # so that its motion depends on how it is divided into calls

    def __init__(
        self,
        scene: Scene,
        *,
        dt: float | None = None,
        method: str = "exact",
        controllers: Mapping[str, Callable[..., Any]] | None = None,
        forces: Callable[..., Any] | None = None,
        contact_filter: Callable[..., Any] | None = None,
        seed: int | None = None,
        max_mini_steps: int = 50,
    ):
        if not isinstance(scene, Scene):
            raise TypeError(f"expected a Scene, got {type(scene).__name__}")
        self.scene: Scene = scene
        self.method: str = as_choice("method", method, METHODS)
        self.dt: float = step_of(scene, dt)
        from .building import build

        minis = as_count("max_mini_steps", max_mini_steps, least=1)
        self._lowered = build(scene, self.dt, method, minis, self.has_contact)
        self._plan, self._fields = self._lowered.plan, self._lowered.fields
        for node in self._plan.nodes:
            warn_undetermined(node.model, node.machine.name)
        warn_of_scene(scene)
        given = {} if controllers is None else controllers
        self._callables = Callables(self, given, forces, contact_filter, seed)
        self._fields.totals[TIME] = self._fields.totals[BASE_TIME] = scene.settings.time
        self._near, self._is_fresh = nothing_near(), True
        self._pushes = np.zeros_like(self._fields.wrench)
        self._on_start: Callable[[list[Fault]], None] = self._warn_of_start

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
        from .loop import Steps

        self._begin_steps(h)
        for name, value in (("count", count), ("every", every), ("phase", phase)):
            as_count(name, value, most=MOST_STEPS)
        if self._is_fresh:
            self._look(h)
        steps = Steps(float(h), count, every, phase)
        return self._run(False, steps, _NO_DRIVE if drive is None else drive)

    def _run(self, is_fresh: bool, steps: Steps, drive: np.ndarray) -> Log:
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
        """Find what is near a state that was just set, and report what is wrong with it."""
        from .loop import Steps

        self._run(True, Steps(float(h), 0, 0, 0), _NO_DRIVE)
        self._on_start(faults_of(self, self._near, self._coupling_errors()))

    def _coupling_errors(self) -> np.ndarray:
        """Errors of the rows of loops, then of gears, at the present poses."""
        from .projection import measure_errors

        errors = np.zeros(len(self._fields.loop_rows) + len(self._fields.gear_dof))
        if len(errors):
            measure_errors(self._fields, errors)
        return errors

    def _warn_of_start(self, faults: list[Fault]) -> None:
        warn_of(faults, f"scene '{self.scene.name}' at t = {self.current_time:g} s")

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

    # -- keeping --

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


def step_of(scene: Scene, dt: float | None) -> float:
    """The step that was asked for, the scene's own, or 1 ms [s]."""
    chosen = dt if dt is not None else scene.settings.step_size
    value = 1e-3 if chosen is None else as_number("dt", chosen, finite=False)
    if not _LEAST <= value < np.inf:
        raise ArgumentError(f"expected dt above 0 and finite, got {value}")
    return value
