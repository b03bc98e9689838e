"""Machines on compliant ground, many worlds at a time: each step is one compiled program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algorithms.ground_contact import Ground
from ..algorithms.rollout import STEPS
from ..errors import ShapeError
from ..model import Model
from .programs import check_shape, require_model
from .tracing import as_argument, as_output

ArrayLike = Any

BLOCK = 256
"""Worlds that are carried through all steps together: their states stay in the cache."""


@dataclass(frozen=True, eq=False)
class Rollout:
    """What `rollout` returns; time is the first axis, the worlds' axes come next.

    Attributes
    ----------
    times : ndarray, shape (T,)
    q, qd : ndarray, shape (T, ..., nq) and (T, ..., nv)
    u : ndarray, shape (T, ..., n_points, 2)
        How far the ground has yielded along itself under each point.
    """

    times: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    u: np.ndarray


def rollout(
    model: Model,
    ground: Ground,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    steps: int,
    dt: float,
    u: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    method: str = "rk4",
    record_every: int | None = None,
) -> Rollout:
    """Return the motion of machines on compliant ground with friction.

    Parameters
    ----------
    model : Model
    ground : Ground
        What the ground is like and which points touch it; see `polhode.compliant_ground`.
    q : array_like, shape (..., nq)
        Positions at the start; leading axes are worlds.
    qd : array_like, shape (..., nv)
    steps : int
    dt : float
        Time step [s].
    u : array_like, shape (..., n_points, 2), optional
        Yielding of the ground at the start; zero if omitted.
    tau : array_like, shape (..., nv), optional
        Joint forces, the same in every step; zero if omitted.
    method : {"rk4", "semi_implicit"}
        Classical Runge-Kutta, or one evaluation a step, velocities before positions.
    record_every : int, optional
        Steps between records; only start and end if omitted.

    Returns
    -------
    motion : Rollout

    Raises
    ------
    ShapeError
        If an argument does not fit the model or the ground.
    ValueError
        For an unknown method.

    Notes
    -----
    Dynamics, contact and integrator are one program; worlds run in SIMD, and blocks of
    them in threads. A world's motion is the same bit for bit in any batch.
    """
    program = step_program(model, ground, method)
    every = steps if record_every is None else record_every
    if steps < 0 or every < min(steps, 1):
        raise ValueError(f"expected steps >= 0 and record_every >= 1, got {steps}, {record_every}")
    batch, state = _start(model, ground, q, qd, u, tau)
    recorded = [*range(0, steps, every or 1), steps] if steps else [0]
    n_worlds = len(state[0])
    records = [np.empty((len(recorded), n_worlds, *x.shape[1:])) for x in state[:3]]
    blocks = [slice(k, min(k + BLOCK, n_worlds)) for k in range(0, n_worlds, BLOCK)]
    tasks = [_task(program, [x[b] for x in state], dt, recorded, [r[:, b] for r in records])
             for b in blocks]  # fmt: skip
    _run(tasks)
    shaped = (r.reshape(len(recorded), *batch, *r.shape[2:]) for r in records)
    return Rollout(np.array(recorded) * dt, *shaped)


def step_program(model: Model, ground: Ground, method: str = "rk4") -> Any:
    """Return the program of one step: ``(q, qd, u, tau, dt) -> (q, qd, u)``.

    Parameters
    ----------
    model : Model
    ground : Ground
    method : {"rk4", "semi_implicit"}

    Returns
    -------
    program : Program

    Raises
    ------
    ValueError
        For an unknown method.
    """
    from ..compiler import Program

    if method not in STEPS:
        raise ValueError(f"expected method {' or '.join(map(repr, STEPS))}, got {method!r}")
    key = (step_program, ground, method)
    if key not in require_model(model).programs:
        step = STEPS[method]

        def build(q, qd, u, tau, dt):
            q, qd, tau = (
                as_argument(name, x, model) for name, x in (("q", q), ("qd", qd), ("tau", tau))
            )
            return as_output(step(model, q, qd, u, tau, dt, ground=ground), model)

        model.programs[key] = Program(build, _shapes(model, ground), name=f"{method}_step")
    return model.programs[key]


def _shapes(model: Model, ground: Ground) -> dict[str, tuple[int, ...]]:
    vector = (model.nv,)
    yielding = (len(ground.points), 2)
    return {"q": (model.nq,), "qd": vector, "u": yielding, "tau": vector, "dt": ()}


def _start(model: Model, ground: Ground, q: Any, qd: Any, u: Any, tau: Any) -> tuple:
    """The batch axes, and contiguous state arrays with these as one axis."""
    shapes = _shapes(model, ground)
    given = {"q": q, "qd": qd, "u": np.zeros(shapes["u"]) if u is None else u,
             "tau": np.zeros(model.nv) if tau is None else tau}  # fmt: skip
    arrays = {name: np.asarray(x, float) for name, x in given.items()}
    for name, x in arrays.items():
        if name != "u":
            check_shape(name, shapes[name], x, model)
        elif x.shape[-2:] != shapes["u"]:
            raise ShapeError(f"expected u of shape (..., n_points, 2) = {shapes['u']} on the last "
                             f"axes, got {x.shape} (model '{model.name}')")  # fmt: skip
    cores = {name: x.shape[: x.ndim - len(shapes[name])] for name, x in arrays.items()}
    batch = np.broadcast_shapes(*cores.values())
    whole = [np.broadcast_to(x, batch + shapes[name]) for name, x in arrays.items()]
    return batch, [np.array(x).reshape(-1, *x.shape[len(batch) :]) for x in whole]


def _task(program: Any, state: list, dt: float, recorded: list[int], records: list) -> Any:
    """What carries one block of worlds from start to end."""
    tau = state.pop()
    step, now, spare = program.ufunc, state, [np.empty_like(x) for x in state]

    def run() -> None:
        nonlocal now, spare
        at = 0
        for row, stop in enumerate(recorded):
            for _ in range(stop - at):
                step(*now, tau, dt, out=tuple(spare))
                now, spare = spare, now
            at = stop
            for record, x in zip(records, now, strict=True):
                record[row] = x

    return run


def _run(tasks: list) -> None:
    """All blocks, in as many threads as are allowed."""
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
