"""Roll-outs of scenes in lanes: many worlds with contact, each step one compiled program."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..algorithms.constrained.closures import ROWS
from ..algorithms.stepping.solver import SMALL
from ..algorithms.stepping.touching import count
from ..compiler import get_num_threads
from ..scene import Scene
from ..simulation.choices import without_joint_forces
from ..simulation.errors import StartError
from ..simulation.lanes.lowering import contact_model_of
from ..simulation.lanes.programs import StepPrograms
from ..simulation.lanes.refining import GAP, refined
from ..simulation.start import answer_limits, unit
from ..simulation.stepping.clock import step_of
from .machines import BLOCK, Rollout, driving_of, instants, run_all
from .starting import batch_axes, start_array

TOLERANCE = 1e-6
"""Greatest error of the laws, relative to the velocities of a step; else the exact solver helps."""

LANES = 16
"""Worlds in a register at most: blocks are multiples of it."""

ATTEMPTS = 2
"""How often worlds of several trees that are left begin again before the exact solver helps.

Heaps are left so often that this pays; of one robot, a register would begin again for one world.
"""

DEEPEST = 1e-3
"""Overlaps at the start up to this are left to the first steps [m]."""


def roll_lanes(
    scene: Scene,
    q: Any,
    qd: Any,
    *,
    steps: int,
    dt: float | None,
    tau: Any,
    controls: Any,
    joint_forces: str,
    start: str,
    record_every: int | None,
) -> Rollout:
    """Return the motion of worlds of a scene; see `polhode.rollout`."""
    model, recorded = scene.model, instants(steps, record_every)
    where = f"scene '{scene.name}'"
    dt = step_of(scene, dt)
    programs = step_programs(scene, joint_forces)
    starts = _given(q, scene.q0, "q", "nq", where), _given(qd, scene.qd0, "qd", "nv", where)
    held = driving_of(tau, controls, steps, model, "controls" in programs.inputs, where)
    batch = batch_axes([x.shape[:-1] for x in starts] + [x.shape[:-2] for x in held], None, where)
    n = math.prod(batch)
    q0, qd0 = (np.broadcast_to(x, (*batch, x.shape[-1])).reshape(n, -1) for x in starts)
    q0 = np.array(unit(model, q0, "q"))
    answer_limits(model, q0, start)
    parts = {
        "q": q0, "qd": np.array(qd0), "activation": np.zeros((n, model.n_activations)),
        "x": np.zeros((n, programs.layout.n_rows)),
    }  # fmt: skip
    state = [parts[name] for name in programs.state]
    whole = [np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in held]
    held = [np.array(x).reshape(n, *x.shape[-2:]) for x in whole]
    if start != "keep":
        _check_couplings(scene, programs, q0, where)
        _check_overlaps(programs, state, held, dt, where)
    told = dict(zip(programs.state, state, strict=True))
    records = {k: np.empty((len(recorded), *x.shape)) for k, x in told.items() if k != "x"}
    counts = np.zeros((2, n), np.int64)
    tasks = []
    for b in blocks(n):
        out = [records[name][:, b] if name in records else None for name in programs.state]
        own = [x[b] for x in state], [x[b] for x in held]
        tasks.append(block_task(programs, *own, dt, recorded, out, counts[:, b]))
    run_all(tasks)
    found = {name: r.reshape(len(recorded), *batch, r.shape[-1]) for name, r in records.items()}
    refined, unsolved = counts.reshape(2, *batch)
    return Rollout(
        np.array(recorded) * dt, found["q"], found["qd"], np.zeros((len(recorded), *batch, 0, 2)),
        activation=found.get("activation"), refined=refined, unsolved=unsolved,  # type: ignore[arg-type]
    )  # fmt: skip


def _given(x: Any, default: Sequence[float], what: str, name: str, where: str) -> np.ndarray:
    """Positions or velocities of worlds, the scene's where they are not given."""
    found = start_array(x, what, name, len(default), where)
    return np.array(default, float) if found is None else found


def step_programs(scene: Scene, joint_forces: str = "all") -> StepPrograms:
    """The programs of a scene's steps, made once."""
    key = (step_programs, joint_forces)
    if key not in scene.programs:
        acting = scene if joint_forces == "all" else without_joint_forces(scene)
        whole = contact_model_of(acting)
        scene.programs[key] = StepPrograms(whole, acts=bool(acting.model.actuators))
    return scene.programs[key]


def blocks(n: int) -> list[slice]:
    """Worlds that go through all steps together: one part for each thread, or more."""
    share = -(-n // get_num_threads())
    size = min(BLOCK, -(-share // LANES) * LANES)
    return [slice(k, min(k + size, n)) for k in range(0, n, size or 1)]


def block_task(
    programs: StepPrograms,
    state: list[np.ndarray],
    held: list[np.ndarray],
    dt: float,
    recorded: list[int],
    records: list[np.ndarray | None],
    counts: np.ndarray,
) -> Callable[[], None]:
    """What carries one block of worlds from start to end."""
    step = programs.step.ufunc
    now, spare = state, [np.empty_like(x) for x in state]
    error = np.empty(len(state[0]))

    def run() -> None:
        nonlocal now, spare
        at = 0
        for row, stop in enumerate(recorded):
            for k in range(at, stop):
                holding = [x[:, min(k, x.shape[1] - 1)] for x in held]
                step(*now, *holding, dt, out=(*spare, error))
                left = ~(error < TOLERANCE)
                if left.any():
                    worlds = np.flatnonzero(left)
                    worlds = _step_again(programs, now, holding, dt, worlds, spare, error)
                    _refine(programs, now, holding, dt, worlds, spare, counts)
                now, spare = spare, now
            at = stop
            for record, x in zip(records, now, strict=True):
                if record is not None:
                    record[row] = x

    return run


def _step_again(
    programs: StepPrograms,
    before: list[np.ndarray],
    held: list[np.ndarray],
    dt: float,
    left: np.ndarray,
    after: list[np.ndarray],
    error: np.ndarray,
) -> np.ndarray:
    """Repeat steps from the impulses that were reached; return the worlds that are left then.

    Newton's method begins with its first proximal parameter again, which most often helps it out of
    a cycle.  The worlds fill registers of their own, so others do not wait for them.
    """
    at = programs.state.index("x")
    model = programs.whole.model
    is_heap = model.nv > SMALL and sum(model.parent[i] == 0 for i in model.bodies) > 1
    for _ in range(ATTEMPTS if is_heap else 0):
        left = left[np.isfinite(before[0][left]).all(-1)]
        again = left[np.isfinite(error[left])]  # not those with too few slots
        if not len(again):
            break
        whole = min(-(-len(again) // LANES) * LANES, len(error))
        filled = np.resize(again, whole)  # a short batch would need code of its own
        given = [(after if k == at else before)[k][filled] for k in range(len(before))]
        *found, errors = programs.step.ufunc(*given, *(x[filled] for x in held), dt)
        error[again] = errors[: len(again)]
        for x, new in zip(after, found, strict=True):
            x[again] = new[: len(again)]
        left = left[~(error[left] < TOLERANCE)]
    return left


def _refine(
    programs: StepPrograms,
    before: list[np.ndarray],
    held: list[np.ndarray],
    dt: float,
    left: np.ndarray,
    after: list[np.ndarray],
    counts: np.ndarray,
) -> None:
    """Make the steps of the worlds ``left`` with impulses of the exact solver."""
    left = left[np.isfinite(before[0][left]).all(-1)]
    if not len(left):
        return
    given = [x[left] for x in (*before, *held)]
    x = given[programs.state.index("x")]
    found = refined(programs.problem(*given, dt), programs.kinds, x, dt)
    q, qd, missed = programs.finish(*given, dt, found.w)
    after[0][left], after[1][left] = q, qd
    after[programs.state.index("x")][left] = found.x
    counts[0, left] += 1
    counts[1, left[~((found.error < TOLERANCE) & (missed < TOLERANCE))]] += 1


def _check_couplings(scene: Scene, programs: StepPrograms, q: np.ndarray, where: str) -> None:
    """Refuse a start where gears are off or loops open.

    Raises
    ------
    StartError
        With the first one that is, and by how much.
    """
    names = [f"gear '{gear.name}' is off" for gear in scene.gears]
    names += [f"loop '{loop.name}' is open" for loop in scene.loops for _ in ROWS[loop.kind.value]]
    if not names:
        return
    off = np.abs(programs.openings(q)).max(axis=0, initial=0.0)
    for name, size in zip(names, off.tolist(), strict=True):
        if size > DEEPEST:
            raise StartError(f"{where}: {name} by {size:.3g}; start='keep' takes it as it is, "
                             "polhode.assemble closes loops")  # fmt: skip


def _check_overlaps(
    programs: StepPrograms, state: list[np.ndarray], held: list[np.ndarray], dt: float, where: str
) -> None:
    """Refuse a start where shapes overlap; lanes do not settle it.

    Raises
    ------
    StartError
        With the deepest overlap of all worlds.
    """
    if not programs.whole.pairs:
        return
    points = programs.problem(*state, *(x[:, 0] for x in held), dt)[0]
    world, point = np.unravel_index(np.argmin(points[..., GAP]), points.shape[:2])
    depth = -float(points[world, point, GAP])
    if depth > DEEPEST:
        of = [
            pair for pair in programs.whole.pairs for _ in range(count(pair.a.shape, pair.b.shape))
        ]
        a, b = of[int(point)].a.name, of[int(point)].b.name
        raise StartError(
            f"{where}: '{a}' and '{b}' overlap by {depth:.3g} m (world {world}). "
            f"With start='keep' it stays, Scene.disable('{a}', '{b}') lets them pass, "
            "start='settle' of integrator 'event_driven' moves bodies out of it"
        )
