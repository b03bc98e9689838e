"""The front door of simulation: a model, a duration, a recording."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from ..arguments import as_generator
from ..arrays import ArrayLike
from ..errors import ArgumentError, shown, suggestion
from ..model import Model
from .adaptive import NAMES, Adaptive, tolerances
from .drive import Controller, Drive, State, ZeroOrderHold, check_called_with
from .errors import SimulationError, SimulationInterrupted
from .fixed_step import FIXED_STEP
from .progress import Progress
from .recording import Recording
from .running import Log, run_adaptive, run_fixed
from .scene import Scene
from .start import start_of, warn_of_positions
from .timeline import positive, timeline
from .unapplied import warn_of_model

if TYPE_CHECKING:
    from .recording.checkpoint import Checkpoint
    from .stepping.recorder import Watch
_OF_SCENES = ("controllers", "forces", "contact_filter", "watch", "output", "resume",
              "max_mini_steps")  # fmt: skip


@overload
def simulate(
    model: Model,
    duration: float,
    *,
    q0: ArrayLike | None = None,
    qd0: ArrayLike | None = None,
    dt: float | None = None,
    method: str | None = None,
    controller: Controller | None = None,
    f_ext: ArrayLike | Callable[[float, State], Any] | None = None,
    record: float | int | None = None,
    seed: int | None = None,
    progress: bool | None = None,
    rtol: float = 1e-8,
    atol: float = 1e-10,
) -> Recording: ...
@overload
def simulate(
    model: Scene,
    duration: float,
    *,
    dt: float | None = None,
    method: str | None = None,
    controller: Callable[..., Any] | None = None,
    controllers: Mapping[str, Callable[..., Any]] | None = None,
    forces: Callable[..., Any] | None = None,
    contact_filter: Callable[..., Any] | None = None,
    record: float | int | None = None,
    seed: int | None = None,
    progress: bool | None = None,
    output: str | Path | None = None,
    resume: str | Path | Checkpoint | None = None,
    max_mini_steps: int = 50,
    watch: Sequence[Watch] = (),
    seconds: dict[str, float] | None = None,
) -> Recording: ...
def simulate(
    model: Model | Scene,
    duration: float,
    *,
    q0: Any = None,
    qd0: Any = None,
    dt: float | None = None,
    method: str | None = None,
    controller: Controller | None = None,
    f_ext: Any = None,
    record: float | int | None = None,
    seed: int | None = None,
    progress: bool | None = None,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    **options: Any,
) -> Recording:
    """Move a machine through time without contact, or a scene with it.

    Parameters
    ----------
    model : Model or Scene
        A scene starts as it says; it takes ``dt``, ``record``, ``seed``, ``progress`` as
        below, ``controller`` if one of its machines moves, and the options of
        `polhode.simulation.stepping.run.simulate_scene`: ``method`` (a contact solver, or where
        nothing can touch a scheme of `Simulator`), ``controllers``, ``forces``,
        ``contact_filter``, ``watch``, ``output`` (a file that takes the recording while it
        runs) and ``resume``.
    duration : float
        How long [s].
    q0, qd0 : array_like, shape (..., nq) and (..., nv)
        Where and how fast it starts; the neutral position at rest by default.  Leading
        axes are worlds, simulated together.  Quaternions must be unit.
    dt : float, optional
        Longest step of the methods with fixed steps [s], 1 ms if omitted; SciPy's methods
        give up when they need 200 evaluations for every ``dt``.
    method : str, optional
        ``"symplectic"``, the default (second order, energy does not drift), ``"rk4"``, or one of
        SciPy's ``"RK23" "RK45" "DOP853" "Radau" "BDF" "LSODA"``, which choose their own
        steps, world by world.
    controller : callable ``(t, state) -> tau``, optional
        Joint forces, shape (..., nv), from a `State` with ``q qd t model rng``.  Methods
        call it several times a step, so it must depend on nothing but its arguments;
        wrap it in `zero_order_hold` if it keeps a state of its own.
    f_ext : array_like or callable ``(t, state) -> f_ext``, optional
        External forces on the bodies, shape (..., n_bodies, 6), base coordinates.
    record : float or int, optional
        A period [s], or a whole number of steps; every 10 ms by default.
    seed : int, optional
        Seeds ``state.rng``.
    progress : bool, optional
        Whether to draw a bar on standard error; by default on a terminal only.
    rtol, atol : float
        Tolerances of SciPy's methods.
    **options
        Those of scenes, as above.

    Returns
    -------
    recording : Recording
        Of a scene with the contacts.

    Raises
    ------
    ShapeError
        If a start or the forces of the controller do not fit the model.
    ArgumentError
        For another argument of a wrong kind or size.
    SimulationError
        If the motion stops being finite or the method fails; its ``recording`` holds
        what was recorded up to then (of a batch under a SciPy method: NaN where no
        world had come yet).
    SimulationInterrupted
        A `KeyboardInterrupt`, on Ctrl-C; its ``recording`` holds what was recorded up to then.

    Warns
    -----
    ModelWarning
        Once, if the model declares limits, damping or friction of joints: a run of a model does
        not apply them.  A scene applies limits, and damping and friction of `JointSettings`.
    StartWarning
        If a start breaks what is asked of it: a joint outside its limits; in a scene also
        overlaps deeper than 1 mm, and loops open by more than 1 mm or 1e-3 rad.

    Notes
    -----
    Methods: see `Symplectic` and `RungeKutta4` in `polhode.simulation.fixed_step`.

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
    if isinstance(model, Scene):
        return _simulate_scene(
            model, duration, {"q0": q0, "qd0": qd0, "f_ext": f_ext}, dt=dt, method=method,
            controller=controller, record=record, seed=seed, progress=progress, **options,
        )  # fmt: skip
    if options:
        raise TypeError(_of_no_model(next(iter(options))))
    if not isinstance(model, Model):
        kind = type(model).__name__
        raise TypeError(f"expected a Model or a Scene, got {kind}; load one with polhode.load")
    method = "symplectic" if method is None else method
    duration, dt = positive(duration, "duration"), positive(1e-3 if dt is None else dt, "dt")
    _check(model, method, controller)
    held = controller.period if isinstance(controller, ZeroOrderHold) else None
    instants = timeline(duration, dt, record, held)
    q, qd = start_of(model, q0, qd0)
    rng = as_generator("seed", seed)
    rtol, atol = tolerances(rtol, atol, model.nq + model.nv + 1)
    if callable(f_ext):
        check_called_with("f_ext", f_ext, ("t", "state"))
    warn_of_model(model, "simulate")
    warn_of_positions(model, q)
    drive = Drive(model, controller, f_ext, rng, qd.shape[:-1])
    log = Log(drive, instants, q, qd, {"integrator": method, "dt": dt, "seed": seed})
    bar = Progress(duration, progress)
    try:
        if method in FIXED_STEP:
            run_fixed(drive, FIXED_STEP[method](drive), instants, dt, q, qd, log, bar)
        else:
            make = partial(Adaptive, method=method, rtol=rtol, atol=atol, steps=duration / dt)
            run_adaptive(make, drive, instants, q, qd, log, bar)
    except SimulationError as error:
        message = f"{error} (model '{model.name}', method '{method}')"
        raise SimulationError(message, log.recording(str(error))) from error.__cause__
    except KeyboardInterrupt:
        kept = log.recording(f"interrupted at t = {log.last:g} s")
        if kept is None:
            raise
        raise SimulationInterrupted(kept.stopped, kept) from None
    finally:
        bar.close()
    recording = log.recording()
    assert recording is not None  # the start is always recorded
    return recording


def _check(model: Model, method: Any, controller: Any) -> None:
    known = (*FIXED_STEP, *NAMES)
    if not isinstance(method, str) or method not in known:
        hint = suggestion(method, known) if isinstance(method, str) else ""
        raise ArgumentError(
            f"expected a method out of {', '.join(known)}, got {shown(method)}{hint}"
        )
    if controller is not None and not callable(controller):
        kind = type(controller).__name__
        raise TypeError(f"expected a controller (t, state) -> forces, got {kind}")
    if controller is not None:
        check_called_with("controller", controller, ("t", "state"))


def _of_no_model(option: str) -> str:
    """What to say of an option that a model's run does not take."""
    if option in _OF_SCENES:
        return f"unexpected {option}: an option of scenes, got a model"
    return f"unexpected option '{option}'{suggestion(option, simulate.__kwdefaults__ or ())}"


def _simulate_scene(
    scene: Scene, duration: float, unfit: dict[str, Any], **options: Any
) -> Recording:
    """A run of a scene, which says itself where it starts."""
    given = [name for name, value in unfit.items() if value is not None]
    if given:
        raise TypeError(
            f"unexpected {', '.join(given)} for a scene: use Scene.with_start, and forces="
        )
    # What simulates contact takes a while to import.
    from .stepping.run import simulate_scene

    known = signature(simulate_scene).parameters
    for option in options:
        if option not in known:
            raise TypeError(f"unexpected option '{option}'{suggestion(option, known)}")
    return simulate_scene(scene, duration, **options)
