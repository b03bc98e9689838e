"""Simulators that are stepped by hand: one for scenes and models, with and without contact."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arguments import as_choice, as_count, as_number, check_called_with
from ...arrays import as_array
from ...errors import (
    ArgumentError,
    ModelWarning,
    suggests_attributes,
    suggests_options,
    warn_once,
)
from ...model import Model
from ...model.checks import entries
from ...model.inertias import warn_undetermined
from ...recording.checkpoint import Checkpoint
from ...scene import Scene, without_effect, without_rule
from ..actuation import Actuation, actuation_of, with_bare_models
from ..choices import (
    JOINT_FORCES,
    STARTS,
    chosen_contact,
    chosen_integrator,
    without_joint_forces,
)
from ..integrators.adaptive import tolerances
from ..self_collision import neighbours
from .callables import Callables
from .checkpointing import checkpoint_of, go_back, near_of, nothing_near
from .clock import Clock, StepCount, step_of
from .reports import report_of
from .starts import Fault, refuse, settled, warn_of, warn_settled
from .state import SceneState

if TYPE_CHECKING:
    from ..integrators.adaptive import Flight
    from ..integrators.scene_integrator import SceneIntegrator

MOST_STEPS = 2**60


@suggests_attributes
class Simulator(SceneState):
    """A scene, or a model, in time: joints, limits, loops, gears, forces, contact and friction.

    Parameters
    ----------
    scene : Scene or Model
        A model becomes a scene of its own.
    integrator : str, optional
        How time advances.  ``"event_driven"``, the default: second order, impacts located, limits,
        dry friction and contact.  ``"moreau"``: the same laws where each step ends, of first order,
        by the program of `polhode.rollout`.  Where nothing stops or sticks suddenly also
        ``"symplectic"`` (second order, energy does not drift) and ``"rk4"``.  SciPy's
        ``"RK23" "RK45" "DOP853" "Radau" "BDF" "LSODA"`` choose their own steps.  ``"moby"`` is the
        first-order scheme of Moby for a scene of this kind.
    contact : {"exact", "convex", "lcp", "none"}, optional
        Law and solver of contact, see `polhode.contact_problem`; ``"exact"`` if omitted, or
        ``"none"`` for a model, and for a scene whose settings say so.
    dt : float, optional
        Time step [s] of `step` and `advance_to`; the scene's, or 1 ms.
    controllers : mapping of str to callable, optional
        Joint forces of models by name: ``controller(t, state) -> tau``, called at the start of each
        step and held; ``state`` has ``q qd t model rng``.
    controls : array_like or callable ``(t, state) -> controls``, optional
        Of the actuators, in their order: constant, or asked for at the start of each step.
    forces : callable, optional
        ``forces(t, simulator)`` at the start of each step gives a mapping from ``(machine, link)``
        to six numbers: moment about the world's origin, then force.
    contact_filter : callable, optional
        ``contact_filter(t, contacts)`` gives a mask of the contacts to keep; see
        `ContactView`.
    seed : int, optional
        Seeds ``state.rng``.
    max_mini_steps : int
        Most parts of a step between which something rebounds.
    start : {"check", "settle", "keep"}
        What to do with overlaps and open loops beyond 1 mm, and joints beyond their limits by more
        than 1e-3.  ``"check"`` raises `StartError`.  ``"settle"`` moves bodies out before the first
        step and says how far, in a `StartWarning` and in ``notes``.  ``"keep"`` begins there, with
        a `StartWarning`.
    joint_forces : {"all", "none"}
        Whether limits, damping and friction of joints, loops and tendons act, and actuators.
    rtol, atol : float
        Tolerances of SciPy's integrators.

    Notes
    -----
    Velocities change at the middle of a step, positions before and after it; see
    `polhode.simulation.stepping.step`.  Bodies that touch without rebound stop where they touch.
    The same scene gives the same bits, however its steps are divided into calls.  Integrators other
    than the event-driven one call controllers and forces as often as they evaluate accelerations.
    Plug-ins of the scene act beside the callables given here; a controller given here goes before
    the scene's for that model.

    Copies, pickled ones too, are simulators of their own in the same state, from where both go on
    to the same bits.
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
        controls: Any = None,
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
        self._given: Scene | Model = scene
        if as_choice("joint_forces", joint_forces, JOINT_FORCES) == "none":
            scene = without_joint_forces(scene)
        self._options: dict[str, Any] = {
            "integrator": integrator, "contact": contact, "controllers": controllers,
            "forces": forces, "contact_filter": contact_filter, "seed": seed,
            "max_mini_steps": max_mini_steps, "joint_forces": joint_forces, "rtol": rtol,
            "atol": atol,
        }  # fmt: skip
        whole = with_bare_models(scene if isinstance(scene, Scene) else Scene.of(scene))
        self.scene: Scene = whole
        self.model: Model = whole.model if isinstance(scene, Scene) else scene
        """All models as one; that of the argument, if it was a model."""
        self.integrator: str = chosen_integrator(integrator)
        self.contact: str = chosen_contact(scene, self.integrator, contact)
        self.dt: float = step_of(whole, dt)
        from .building import build

        minis = as_count("max_mini_steps", max_mini_steps, least=1)
        self._lowered = build(whole, self.dt, self.contact, minis)
        self._plan, self._fields = self._lowered.plan, self._lowered.fields
        for node in self._plan.nodes:
            warn_undetermined(node.model, node.machine.name)
        if self.has_contact:
            for remark in without_rule(whole):
                warn_once(
                    f"{remark} (scene '{whole.name}'); Scene.contact gives them", ModelWarning
                )
            for remark in without_effect(whole, self.contact):
                warn_once(f"{remark} (scene '{whole.name}')", ModelWarning)
        given = {} if controllers is None else controllers
        actuation = actuation_of(
            whole.model, controls, with_tendons=True, with_contact=self.has_contact
        )
        self._callables = Callables(self, given, forces, contact_filter, seed, actuation)
        self._clock = Clock(self._fields, whole.settings.time)
        self._near, self._is_fresh = near_of(*nothing_near()), True
        self._pushes = np.zeros_like(self._fields.wrench)
        self.start: str = as_choice("start", start, STARTS)
        self._on_start: Callable[[list[Fault]], None] = self._answer_start
        self._settled: list[str] = []
        self._integrator: SceneIntegrator = self._integrator_of(rtol, atol)

    def __reduce__(self) -> tuple[Any, ...]:
        """Another simulator in the same state: compiled code has addresses of this one's arrays."""
        options = {**self._options, "dt": self.dt, "start": self.start}
        if self._callables.actuation is not None:
            options["controls"] = self._callables.actuation.given
        state = self.checkpoint(), self._pushes.copy(), list(self._settled)
        return _rebuilt, (type(self), self._given, options, *state)

    def _integrator_of(self, rtol: Any, atol: Any) -> SceneIntegrator:
        """What makes the steps."""
        allowed = tolerances(rtol, atol, self._plan.nq + self._plan.nv + 1)
        from ..integrators.of_scenes import scene_integrator

        return scene_integrator(self, *allowed)

    @property
    def controls(self) -> np.ndarray:
        """Controls of the actuators, shape (n_controls,); they may be set between steps."""
        return self._actuation.controls

    @controls.setter
    def controls(self, controls: Any) -> None:
        actuation, t = self._actuation, self.current_time
        actuation.reach(t, actuation.at(t))  # by the controls until now
        shape = actuation.controls.shape
        actuation.controls = actuation.given = as_array("controls", controls, shape=shape).copy()

    @property
    def activation(self) -> np.ndarray:
        """Activation of the actuators now, shape (n_activations,)."""
        return self._actuation.at(self.current_time)

    @activation.setter
    def activation(self, activation: Any) -> None:
        actuation = self._actuation
        shape = actuation.activation.shape
        actuation.restart(as_array("activation", activation, shape=shape))

    @property
    def _actuation(self) -> Actuation:
        found = self._callables.actuation
        return Actuation(self.scene.model, None) if found is None else found

    @property
    def has_contact(self) -> bool:
        """Whether what touches acts on each other."""
        return self.contact != "none"

    @property
    def chooses_steps(self) -> bool:
        """Whether its motion depends on how it is divided into calls: SciPy's integrators."""
        return self._integrator.chooses_steps

    @property
    def notes(self) -> list[str]:
        """What the run has to say of itself: pairs that do not touch, bodies moved apart."""
        apart = neighbours(self.scene).notes(self.scene) if self.has_contact else []
        return [*apart, *self._settled]

    @property
    def current_time(self) -> float:
        """Time [s]."""
        return self._clock.time

    def step(self, h: float | None = None) -> float:
        """Advance by ``h`` [s]; return ``h``.

        Parameters
        ----------
        h : float, optional
            Time step [s]; ``dt`` if omitted.

        Returns
        -------
        h : float
            The step taken [s].
        """
        h = self.dt if h is None else h
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
        self._clock.set(t)

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
        h = self._clock.step_by(h)
        for name, value in (("count", count), ("every", every), ("phase", phase)):
            as_count(name, value, most=MOST_STEPS)
        self._answer_fresh(h)
        steps = StepCount(h, count, every, phase)
        self._callables.begin_steps(are_driven=drive is not None, n_records=steps.n_records)
        try:
            return self._integrator.advance(steps, drive)
        finally:
            self._callables.end_steps()

    def _answer_fresh(self, h: float) -> None:
        """Look at a state that was just set, and answer what is wrong with it."""
        if not self._is_fresh:
            return
        try:
            self._on_start(self._integrator.faults(h))
        except BaseException:
            self._is_fresh = True
            raise

    def check_start(self) -> None:
        """Look at the state that was set last, as the next step would.

        Raises
        ------
        StartError
            If it breaks limits, loops or contact, and ``start`` is ``"check"``.
        """
        if self._is_fresh:
            self._answer_fresh(self._clock.step_by(self.dt))

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
        self._answer_fresh(self.dt)
        flight = self._integrator.solve(end, watched)  # type: ignore[attr-defined]
        self._clock.set(self.current_time)
        self._is_fresh = True
        return flight

    def checkpoint(self) -> Checkpoint:
        """All that the motion from here on depends on; see `restore`.

        Returns
        -------
        checkpoint : Checkpoint
            All of the state.
        """
        return checkpoint_of(self)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go on from a checkpoint of the same scene, to the same bits.

        Parameters
        ----------
        checkpoint : Checkpoint
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
        return report_of(self._fields)


def _rebuilt(
    kind: type[Simulator],
    scene: Scene | Model,
    options: dict[str, Any],
    checkpoint: Checkpoint,
    pushes: np.ndarray,
    settled: list[str],
) -> Simulator:
    """A simulator in the state of another, of which it is a copy."""
    simulator = kind(scene, **options)
    simulator.restore(checkpoint)
    simulator._pushes[:] = simulator._fields.wrench[:] = pushes
    simulator._settled = list(settled)
    return simulator


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
