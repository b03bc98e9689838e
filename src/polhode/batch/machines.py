"""Models in free motion or on compliant ground, many worlds at a time.

Each step is one compiled program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms.ground_contact import Ground
from ..algorithms.rollout import STEPS
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
    """

    times: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    u: np.ndarray
    reports: tuple[Mapping[str, float], ...] = field(default=(), repr=False)

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
    batch, state = _start(model, ground, q, qd, u, tau, controls, steps)
    n_worlds = len(state[0])
    records: list[Any] = [np.empty((len(recorded), n_worlds, *x.shape[1:])) for x in state[:-1]]
    blocks = [slice(k, min(k + BLOCK, n_worlds)) for k in range(0, n_worlds, BLOCK)]
    tasks = [_task(program, [x[b] for x in state], dt, recorded, [r[:, b] for r in records])
             for b in blocks]  # fmt: skip
    run_all(tasks)
    if not ground.points:
        records.append(np.empty((len(recorded), n_worlds, 0, 2)))
    q_out, qd_out, u_out = (r.reshape(len(recorded), *batch, *r.shape[2:]) for r in records)
    return Rollout(np.array(recorded) * dt, q_out, qd_out, u_out)


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
    """Return the program of one step: ``(q, qd, u, tau, dt) -> (q, qd, u)``.

    Parameters
    ----------
    model : Model
    ground : Ground
    integrator : {"rk4", "semi_implicit"}
    is_passive : bool
        Whether springs and damping of the joints act.

    Returns
    -------
    program : Program
        Without points that touch, of ``(q, qd, tau, dt) -> (q, qd)``.

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
        step = STEPS[integrator]

        def on_ground(q, qd, u, tau, dt):
            q, qd, tau = (
                as_argument(name, x, model) for name, x in (("q", q), ("qd", qd), ("tau", tau))
            )
            return as_output(
                step(model, q, qd, u, tau, dt, ground=ground, is_passive=is_passive), model
            )

        def free(q, qd, tau, dt):
            return on_ground(q, qd, [], tau, dt)[:2]

        build = on_ground if ground.points else free
        return Program(build, _shapes(model, ground), name=f"{integrator}_step")

    return kept(require_model(model).programs, key, make)


def _shapes(model: Model, ground: Ground) -> dict[str, tuple[int, ...]]:
    vector = (model.nv,)
    yielding = {"u": (len(ground.points), 2)} if ground.points else {}
    return {"q": (model.nq,), "qd": vector, **yielding, "tau": vector, "dt": ()}


def _start(
    model: Model, ground: Ground, q: Any, qd: Any, u: Any, tau: Any, controls: Any, steps: int
) -> tuple:
    """The batch axes, and contiguous state arrays with these as one axis; forces come last."""
    shapes = _shapes(model, ground)
    given = {"q": q, "qd": qd}
    if "u" in shapes:
        given["u"] = np.zeros(shapes["u"]) if u is None else u
    elif u is not None:
        raise TypeError(f"unexpected u without ground that yields (model '{model.name}')")
    where = where_of(model)
    force = forces_of(tau, controls, steps, model.nv, f"model '{model.name}'")
    arrays = {name: as_array(name, x, where) for name, x in given.items()}
    for name, x in arrays.items():
        if name != "u":
            check_shape(name, shapes[name], x, model)
        elif x.shape[-2:] != shapes["u"]:
            raise ShapeError(f"expected u of shape (..., n_points, 2) = {shapes['u']} on the last "
                             f"axes, got {x.shape} (model '{model.name}')")  # fmt: skip
    arrays["tau"], shapes = force, {**shapes, "tau": force.shape[-2:]}
    batch = batch_of({name: shapes[name] for name in arrays}, list(arrays.values()), where)
    whole = [np.broadcast_to(x, batch + shapes[name]) for name, x in arrays.items()]
    count = math.prod(batch)
    return batch, [np.array(x).reshape(count, *x.shape[len(batch) :]) for x in whole]


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
    force = as_array("controls", controls, f" ({where})")
    if force.shape[-2:] != (steps, nv):
        raise ShapeError(
            f"expected controls of shape (..., steps, nv) = {(steps, nv)} on the last axes, got "
            f"{force.shape} ({where})"
        )
    return force


def _task(program: Any, state: list, dt: float, recorded: list[int], records: list) -> Any:
    """What carries one block of worlds from start to end."""
    force = state.pop()
    step, now, spare = program.ufunc, state, [np.empty_like(x) for x in state]
    last = force.shape[1] - 1

    def run() -> None:
        nonlocal now, spare
        at = 0
        for row, stop in enumerate(recorded):
            for k in range(at, stop):
                step(*now, force[:, min(k, last)], dt, out=tuple(spare))
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
