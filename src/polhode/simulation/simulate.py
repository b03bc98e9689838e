"""Simulation: a model or a scene, a duration, a recording."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..arguments import as_choice
from ..arrays import ArrayLike
from ..constraint_sets import ConstraintSet
from ..errors import ModelError, suggests_options
from ..model import Model
from ..recording import Recording
from ..scene import Scene
from .choices import (
    JOINT_FORCES,
    STARTS,
    chosen_contact,
    chosen_integrator,
    without_joint_forces,
)
from .drive import Controller, State
from .driver import carry_out
from .integrators import smooth_names
from .model_runs import event_driven_run, smooth_run
from .passive_joints import stops_suddenly

if TYPE_CHECKING:
    from ..recording.checkpoint import Checkpoint
    from .stepping.recorder import Watch


@suggests_options
def simulate(
    model: Model | Scene,
    duration: float,
    *,
    q0: ArrayLike | None = None,
    qd0: ArrayLike | None = None,
    dt: float | None = None,
    integrator: str | None = None,
    contact: str | None = None,
    controller: Controller | None = None,
    controllers: Mapping[str, Callable[..., Any]] | None = None,
    controls: ArrayLike | Callable[[float, State], Any] | None = None,
    f_ext: ArrayLike | Callable[[float, State], Any] | None = None,
    forces: Callable[..., Any] | None = None,
    contact_filter: Callable[..., Any] | None = None,
    constraints: ConstraintSet | None = None,
    joint_forces: str = "all",
    start: str = "check",
    record: float | int | None = None,
    seed: int | None = None,
    progress: bool | None = None,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    output: str | Path | None = None,
    resume: str | Path | Checkpoint | None = None,
    max_mini_steps: int = 50,
    watch: Sequence[Watch] = (),
    seconds: dict[str, float] | None = None,
) -> Recording:
    """Move a model or a scene through time; whatever acts in it, acts.

    Parameters
    ----------
    model : Model or Scene
        A scene starts as it says.
    duration : float
        How long [s]; with ``resume``, from its first start on.
    q0, qd0 : array_like, shape (..., nq) and (..., nv)
        Of a model: where and how fast it starts; the neutral position at rest by default.
        Leading axes are worlds, simulated each by itself.  Quaternions must be unit.
    dt : float, optional
        Longest step of integrators with fixed steps [s]; the scene's own, or 1 ms.  SciPy's
        give up when they need 200 evaluations for every ``dt``.
    integrator : str, optional
        How time advances.  ``"event_driven"``: second order, impacts located; contact, limits, dry
        friction; the default of scenes, and of models with limits or dry friction.  ``"moreau"``:
        first order, as worlds of `polhode.rollout` move.  For smooth motion there are
        ``"symplectic"`` (second order, energy does not drift; the default of other models) and
        ``"rk4"``.  SciPy's ``"RK23" "RK45" "DOP853" "Radau" "BDF" "LSODA"`` choose their own steps,
        world by world.  ``"moby"`` is Moby's first-order scheme for scenes without contact.
    contact : {"exact", "convex", "lcp", "none"}, optional
        Law and solver of contact of a scene; see `Simulator`.
    controller : callable ``(t, state) -> tau``, optional
        Joint forces, shape (..., nv), from a `State` with ``q qd t model rng``; of a scene with one
        model that moves.  Smooth integrators call it several times a step, so it must depend on
        nothing but its arguments.  Wrap it in `zero_order_hold` if it keeps a state of its own.
        The event-driven one calls it at the start of each step.
    controllers : mapping of str to callable, optional
        Of a scene: a controller for each model by its name; see `Simulator`.
    controls : array_like or callable ``(t, state) -> controls``, optional
        Of the actuators, shape (..., n_controls): constant, or asked for at the start of each step
        and held.  Zero if omitted.  Activation goes on from step to step.
    f_ext : array_like or callable ``(t, state) -> f_ext``, optional
        Of a model: external forces on the bodies, shape (..., n_bodies, 6), base coordinates.
    forces, contact_filter : callable, optional
        Of a scene; see `Simulator`.
    constraints : ConstraintSet, optional
        Of a model, held by the smooth integrators: each step ends on the constraints.
    joint_forces : {"all", "none"}
        Whether limits, damping and dry friction of the joints act, those of loops among them, and
        tendons and actuators.
    start : {"check", "settle", "keep"}
        What to do with a start beyond limits, with overlaps, or with open loops or constraints.
        Raise `StartError`, move bodies out first, or take it as it is; see `Simulator`.
    record : float or int, optional
        A period [s], or a whole number of steps; every 10 ms by default.  Steps are made shorter
        to meet a period that is no multiple of ``dt``, and the last to meet the duration.
    seed : int, optional
        Seeds ``state.rng``.
    progress : bool, optional
        Whether to draw a bar on standard error, or in a notebook; by default there and on a
        terminal only.
    rtol, atol : float
        Tolerances of SciPy's integrators.
    output : path, optional
        An ``.h5`` file that takes the recording while the event-driven integrator runs.
    resume : path or Checkpoint, optional
        Go on with the run of this file (its last checkpoint), or from a checkpoint.
    max_mini_steps : int
        Most parts of a step between which something rebounds.
    watch : sequence of (int, callable), optional
        ``function(simulator)`` is called at the start and after each so many steps.
    seconds : dict, optional
        Takes how long the ``"first step"`` took, which may compile, and how long was spent
        ``"stepping"``, ``"writing"`` and ``"watching"`` [s].

    Returns
    -------
    recording : Recording
        With the contacts, the integrator, and the forces in the joints.

    Raises
    ------
    ShapeError
        If a start or the forces of the controller do not fit the model.
    ArgumentError
        For another argument of a wrong kind or size.
    StartError
        If the start breaks what is asked of it, and ``start`` is ``"check"``.
    SimulationError
        If the motion stops being finite, the integrator fails, or a joint passes its limit under a
        smooth integrator.  Also if the disk does not take the records.  Its ``recording`` holds
        what was recorded up to then.  For a batch under a SciPy method it has NaN at times that no
        world had reached.
    SimulationInterrupted
        A `KeyboardInterrupt`, on Ctrl-C; its ``recording`` holds what was recorded up to then.

    Warns
    -----
    StartWarning
        If bodies were moved out of a start, or it was kept as it is.
    SimulationWarning
        If a joint under a controller or external forces ran away.  It then moves by more than a
        radian or a metre in a step, and ten times as fast as at the start.

    Notes
    -----
    Methods: see `Symplectic` and `RungeKutta4` in `polhode.simulation.integrators`.

    Examples
    --------
    >>> import polhode as ph
    >>> from polhode.model import Revolute
    >>> bar = ph.Model("bar").add(
    ...     "bar", joint=Revolute.x(), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01)
    ... )
    >>> swing = ph.simulate(bar, 2.0, q0=[1.0])
    >>> swing.audit.energy_drift < 1e-5
    True
    """
    of_scene = {"controllers": controllers, "forces": forces, "contact_filter": contact_filter}
    of_model = {"q0": q0, "qd0": qd0, "f_ext": f_ext, "constraints": constraints}
    of_events = {"output": output, "resume": resume, "watch": watch or None, "seconds": seconds}
    options: dict[str, Any] = {
        "dt": dt, "controller": controller, "controls": controls, "start": start,
        "record": record, "seed": seed, "rtol": rtol, "atol": atol,
    }  # fmt: skip
    of_events = {name: value for name, value in of_events.items() if value is not None}
    if isinstance(model, Scene):
        _refuse(of_model, "a scene: scene.with_start(model, q=..., qd=...) says how it starts, "
                "forces= pushes bodies, and Scene.add_loop holds them")  # fmt: skip
        # What simulates contact takes a while to import.
        from .stepping.run import run_of_scene

        run = run_of_scene(
            model, duration, integrator=integrator, contact=contact, **of_scene, **of_events,
            max_mini_steps=max_mini_steps, joint_forces=joint_forces, **options,
        )  # fmt: skip
        return carry_out(run, duration, progress)
    if not isinstance(model, Model):
        kind = type(model).__name__
        raise TypeError(f"expected a Model or a Scene, got {kind}; load one with polhode.load")
    takes = "; a model takes controller=" if of_scene.get("controllers") is not None else ""
    _refuse(of_scene, f"a model: it is an option of scenes{takes}")
    as_choice("joint_forces", joint_forces, JOINT_FORCES)
    as_choice("start", start, STARTS)
    acting = model if joint_forces == "all" else without_joint_forces(model)
    if integrator is None:
        is_sudden = constraints is None and stops_suddenly(acting)
        integrator = "event_driven" if is_sudden or of_events else "symplectic"
    integrator = chosen_integrator(integrator)
    chosen_contact(model, integrator, contact)
    if integrator in smooth_names():
        _refuse(of_events, f"integrator '{integrator}': it is one of 'event_driven'")
        run = smooth_run(model, acting, duration, integrator, q0, qd0, f_ext, constraints,
                         **options)  # fmt: skip
        return carry_out(run, duration, progress)
    if constraints is not None:
        raise ModelError(
            f"expected one of {', '.join(smooth_names())} as integrator with constraints, got "
            f"'{integrator}'; loops of a Scene are held by it (model '{model.name}')"
        )
    run = event_driven_run(model, acting, duration, q0, qd0, f_ext, integrator=integrator,
                           max_mini_steps=max_mini_steps, joint_forces=joint_forces,
                           **of_events, **options)  # fmt: skip
    return carry_out(run, duration, progress)


def _refuse(options: dict[str, Any], why: str) -> None:
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise TypeError(f"unexpected {', '.join(given)} for {why}")
