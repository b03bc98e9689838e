"""Models in free motion or on compliant ground, many worlds at a time.

Each step is one compiled program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms.actuation.forces import next_activation
from ..algorithms.ground_contact import Ground
from ..algorithms.rollout import STEPS, Held
from ..arguments import as_choice, as_count, as_number
from ..arrays import ArrayLike, as_array, batch_of
from ..binding.calls import check_shape
from ..binding.model_argument import require_model, where_of
from ..binding.tracing import as_argument, as_output
from ..errors import ArgumentError, ShapeError, shown
from ..model import Model
from ..once import kept

if TYPE_CHECKING:
    from ..compiler import Program

NO_GROUND = Ground(1.0, 1.0, 1.0, ())
MOST_RECORDS = 2**24
_STATE = ("q", "qd", "u", "activation")
DRIVING = ("tau", "controls")
BLOCK = 256
"""Worlds that are carried through all steps together: their states stay in the cache."""


@dataclass(frozen=True, eq=False)
class Rollout:
    """What `polhode.rollout` returns; time is the first axis, the worlds' axes come next.

    Attributes
    ----------
    times : ndarray, shape (T,)
    q, qd : ndarray, shape (T, ..., nq) and (T, ..., nv)
        NaN from where a motion was not finite any more.
    u : ndarray, shape (T, ..., n_points, 2)
        How far compliant ground has yielded along itself under each point.
    reports : tuple of mappings
        Of scenes: counts and worst values of each world, in order.
    activation : ndarray, shape (T, ..., n_activations)
        Of actuators; without any where None is given.
    refined, unsolved : ndarray of int, shape (...)
        Of scenes in lanes: steps of each world whose impulses the exact solver found.  The latter
        counts those that do not fulfil the laws to 1e-6 of the step's velocities, and those after
        which the state is not finite.
    penetration : ndarray, shape (...)
        Of scenes: the deepest overlap of each world where a step began [m].
    integrator : str
        By which the worlds moved.
    """

    times: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    u: np.ndarray
    reports: tuple[Mapping[str, float], ...] = field(default=(), repr=False)
    activation: np.ndarray = None  # type: ignore[assignment]  # stands for none of them
    refined: np.ndarray = None  # type: ignore[assignment]  # stands for zeros
    unsolved: np.ndarray = None  # type: ignore[assignment]  # stands for zeros
    penetration: np.ndarray = None  # type: ignore[assignment]  # stands for zeros
    integrator: str = ""

    def __post_init__(self) -> None:
        for name, kind in (("refined", np.int64), ("unsolved", np.int64), ("penetration", float)):
            if getattr(self, name) is None:
                object.__setattr__(self, name, np.zeros(self.qd.shape[1:-1], kind))
        if self.activation is None:
            object.__setattr__(self, "activation", np.zeros((*self.qd.shape[:-1], 0)))

    @property
    def failed(self) -> np.ndarray:
        """Whose motion did not stay finite, shape (...)."""
        return ~(np.isfinite(self.q[-1]).all(-1) & np.isfinite(self.qd[-1]).all(-1))


def roll_model(
    model: Model,
    ground: Ground | None,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    steps: int,
    dt: float,
    u: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    controls: ArrayLike | None = None,
    integrator: str = "rk4",
    is_passive: bool = True,
    record_every: int | None = None,
) -> Rollout:
    """Return the motion of models, free or on compliant ground; see `polhode.rollout`.

    Raises
    ------
    ShapeError
        If an argument does not fit the model or the ground.
    ArgumentError
        For an unknown integrator, a step that is not above 0 and finite, or steps that are
        none.
    """
    ground = NO_GROUND if ground is None else ground
    program = step_program(model, ground, integrator, is_passive)
    recorded, dt = instants(steps, record_every), as_number("dt", dt, above=0.0)
    acts = is_passive and bool(model.actuators)
    driving = driving_of(tau, controls, steps, model, acts, f"model '{model.name}'")
    batch, state, held = _start(model, ground, q, qd, u, driving)
    n_worlds = len(state["q"])
    records = {name: np.empty((len(recorded), n_worlds, *x.shape[1:])) for name, x in state.items()}
    blocks = [slice(k, min(k + BLOCK, n_worlds)) for k in range(0, n_worlds, BLOCK)]
    tasks = [
        _task(program, [x[b] for x in state.values()], [x[b] for x in held], dt, recorded,
              [r[:, b] for r in records.values()])
        for b in blocks
    ]  # fmt: skip
    run_all(tasks)
    found = {name: r.reshape(len(recorded), *batch, *r.shape[2:]) for name, r in records.items()}
    u_out = found.get("u", np.empty((len(recorded), *batch, 0, 2)))
    times = np.array(recorded) * dt
    return Rollout(
        times,
        found["q"],
        found["qd"],
        u_out,
        activation=found.get("activation"),  # type: ignore[arg-type]
        integrator=integrator,
    )


def instants(steps: int, record_every: int | None) -> list[int]:
    """Steps after which there is a record: start, end, and what lies between.

    Raises
    ------
    ArgumentError
        For what is no number of steps, and for more records than `MOST_RECORDS`.
    """
    steps = as_count("steps", steps)
    every = steps if record_every is None else as_count("record_every", record_every, least=1)
    if steps > every * MOST_RECORDS:
        raise ArgumentError(
            f"expected at most {MOST_RECORDS} records, got {steps // every} of steps = {steps}; "
            f"record_every = {every} is too small"
        )
    return [*range(0, steps, every or 1), steps] if steps else [0]


def step_program(
    model: Model, ground: Ground, integrator: str = "rk4", is_passive: bool = True
) -> Any:
    """Return the program of one step: ``(q, qd, u, activation, tau, controls, dt)`` to new
    ``(q, qd, u, activation)``.

    Parameters
    ----------
    model : Model
    ground : Ground
    integrator : {"rk4", "semi_implicit"}
    is_passive : bool
        Whether springs and damping of the joints, and actuators act.

    Returns
    -------
    program : Program
        Without points that touch it has no ``u``; without actuators neither their activation nor
        their controls.

    Raises
    ------
    ArgumentError
        For an unknown integrator, or a ground that is none.
    """
    from ..compiler import Program

    integrator = as_choice("integrator", integrator, tuple(STEPS))
    if not isinstance(ground, Ground):
        raise ArgumentError(
            f"expected compliant ground as ground, got {shown(ground)}; "
            "make it with polhode.contact.compliant_ground"
        )
    key = (step_program, ground, integrator, is_passive)

    def make() -> Program:
        shapes = _shapes(model, ground, acts=is_passive)

        def build(*values):
            given = dict(zip(shapes, values, strict=True))
            q, qd, tau = (as_argument(name, given[name], model) for name in ("q", "qd", "tau"))
            activation, dt = given.get("activation", ()), given["dt"]
            held = Held(tau, given.get("controls"), activation, is_passive)
            moved = STEPS[integrator](model, q, qd, given.get("u", []), held, dt, ground=ground)
            after: list[Any] = list(moved if ground.points else moved[:2])
            if activation:
                now = given["controls"], activation
                after.append(next_activation(model, q, qd, *now, dt))
            return as_output(tuple(after), model)

        return Program(build, shapes, name=f"{integrator}_step")

    return kept(require_model(model).programs, key, make)


def _shapes(model: Model, ground: Ground, *, acts: bool) -> dict[str, tuple[int, ...]]:
    """The inputs of a step: the state, then what is held."""
    vector = (model.nv,)
    yielding = {"u": (len(ground.points), 2)} if ground.points else {}
    active = {"activation": (model.n_activations,)} if acts and model.n_activations else {}
    driven = {"controls": (model.n_controls,)} if acts and model.actuators else {}
    return {"q": (model.nq,), "qd": vector, **yielding, **active, "tau": vector, **driven, "dt": ()}


def _start(
    model: Model, ground: Ground, q: Any, qd: Any, u: Any, driving: list[np.ndarray]
) -> tuple[tuple[int, ...], dict[str, np.ndarray], list[np.ndarray]]:
    """The batch axes, the state by name, and what is held in each step.

    Arrays are contiguous, with the batch axes as one.
    """
    shapes = _shapes(model, ground, acts=len(driving) > 1)
    given = {"q": q, "qd": qd}
    if "activation" in shapes:
        given["activation"] = np.zeros(model.n_activations)
    if "u" in shapes:
        given["u"] = np.zeros(shapes["u"]) if u is None else u
    elif u is not None:
        raise TypeError(f"unexpected u without ground that yields (model '{model.name}')")
    where = where_of(model)
    arrays = {name: as_array(name, x, where) for name, x in given.items()}
    for name, x in arrays.items():
        if name != "u":
            check_shape(name, shapes[name], x, model)
        elif x.shape[-2:] != shapes["u"]:
            raise ShapeError(f"expected u of shape (..., n_points, 2) = {shapes['u']} on the last "
                             f"axes, got {x.shape} (model '{model.name}')")  # fmt: skip
    arrays |= dict(zip(DRIVING, driving, strict=False))
    cores = {name: x.shape[-2:] if name in DRIVING else shapes[name]
             for name, x in arrays.items()}  # fmt: skip
    batch = batch_of(cores, list(arrays.values()), where)
    whole = {name: np.broadcast_to(x, batch + cores[name]) for name, x in arrays.items()}
    count = math.prod(batch)
    flat = {name: np.array(x).reshape(count, *cores[name]) for name, x in whole.items()}
    state = {name: flat[name] for name in _STATE if name in flat}
    return batch, state, [flat[name] for name in DRIVING if name in flat]


def driving_of(
    tau: Any, controls: Any, steps: int, model: Model, acts: bool, where: str
) -> list[np.ndarray]:
    """Joint forces of all steps, and where actuators act their controls.

    Shapes are (..., steps, n), or (..., 1, n) if they stay.

    Raises
    ------
    TypeError
        If ``controls`` are joint forces, and ``tau`` is given, too.
    ShapeError
        If they do not fit.
    """
    if not acts:
        return [forces_of(tau, controls, steps, model.nv, where)]
    force, n = forces_of(tau, None, steps, model.nv, where), model.n_controls
    if controls is None:
        return [force, np.zeros((1, n))]
    return [force, _of_steps(controls, steps, n, "n_controls", where)]


def forces_of(tau: Any, controls: Any, steps: int, nv: int, where: str) -> np.ndarray:
    """Joint forces of all steps, shape (..., steps, nv), or (..., 1, nv) if they stay.

    Raises
    ------
    TypeError
        If both are given.
    ShapeError
        If they do not fit.
    """
    if tau is not None and controls is not None:
        raise TypeError(f"expected tau or controls, got both ({where})")
    if controls is None:
        force = as_array("tau", np.zeros(nv) if tau is None else tau, f" ({where})")
        if force.shape[-1:] != (nv,):
            raise ShapeError(f"expected nv = {nv} on the last axis of tau, got {force.shape} "
                             f"({where})")  # fmt: skip
        return force[..., None, :]
    return _of_steps(controls, steps, nv, "nv", where)


def _of_steps(controls: Any, steps: int, n: int, name: str, where: str) -> np.ndarray:
    array = as_array("controls", controls, f" ({where})")
    if array.shape[-2:] != (steps, n):
        stay = array.shape == (n,)
        hint = f"; np.tile(controls, ({steps}, 1)) are those of each step" if stay else ""
        raise ShapeError(
            f"expected controls of shape (..., steps, {name}) = {(steps, n)} on the last axes, got "
            f"{array.shape}{hint} ({where})"
        )
    return array


def _task(
    program: Any, state: list, held: list, dt: float, recorded: list[int], records: list
) -> Any:
    """What carries one block of worlds from start to end."""
    step, now, spare = program.ufunc, state, [np.empty_like(x) for x in state]

    def run() -> None:
        nonlocal now, spare
        at = 0
        for row, stop in enumerate(recorded):
            for k in range(at, stop):
                holding = (x[:, min(k, x.shape[1] - 1)] for x in held)
                step(*now, *holding, dt, out=tuple(spare))
                now, spare = spare, now
            at = stop
            for record, x in zip(records, now, strict=True):
                record[row] = x

    return run


def run_all(tasks: Sequence[Callable[[], None]]) -> None:
    """Run tasks in as many threads as are allowed."""
    from concurrent.futures import ThreadPoolExecutor

    from ..compiler import get_num_threads

    n_threads = min(get_num_threads(), len(tasks))
    if n_threads <= 1:
        for task in tasks:
            task()
        return
    with ThreadPoolExecutor(n_threads) as pool:
        for done in [pool.submit(task) for task in tasks]:
            done.result()
