"""Roll-outs of scenes in lanes: many worlds with contact, each step one compiled program."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..algorithms.constrained.closures import ROWS
from ..algorithms.stepping.touching import count
from ..compiler import get_num_threads
from ..scene import Scene
from ..simulation.errors import StartError
from ..simulation.lanes.programs import StepPrograms, step_programs
from ..simulation.lanes.refining import GAP
from ..simulation.lanes.worlds import LANES, Worlds, run_of
from ..simulation.start import answer_limits, unit
from ..simulation.stepping.clock import step_of
from .machines import BLOCK, Rollout, driving_of, instants, run_all
from .starting import batch_axes, start_array

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
    begin = {
        "q": q0, "qd": np.array(qd0), "activation": np.zeros((n, model.n_activations)),
        "x": np.zeros((n, programs.layout.n_rows)),
    }  # fmt: skip
    state = [begin[name] for name in programs.state]
    whole = [np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in held]
    held = [np.array(x).reshape(n, *x.shape[-2:]) for x in whole]
    if start != "keep":
        _check_couplings(scene, programs, q0, where)
        _check_overlaps(programs, state, held, dt, where)
    told = dict(zip(programs.state, state, strict=True))
    records = {k: np.empty((len(recorded), *x.shape)) for k, x in told.items() if k != "x"}
    parts, tasks = [], []
    for b in blocks(n):
        out = [records[name][:, b] if name in records else None for name in programs.state]
        parts.append(Worlds(programs, [x[b] for x in state], dt))
        tasks.append(run_of(parts[-1], [x[b] for x in held], recorded, out))
    run_all(tasks)
    found = {name: r.reshape(len(recorded), *batch, r.shape[-1]) for name, r in records.items()}
    none = [np.zeros(0, np.int64)]
    refined = np.concatenate([*none, *(each.refined for each in parts)]).reshape(batch)
    unsolved = np.concatenate([*none, *(each.unsolved for each in parts)]).reshape(batch)
    return Rollout(
        np.array(recorded) * dt, found["q"], found["qd"], np.zeros((len(recorded), *batch, 0, 2)),
        activation=found.get("activation"), refined=refined, unsolved=unsolved,  # type: ignore[arg-type]
    )  # fmt: skip


def _given(x: Any, default: Sequence[float], what: str, name: str, where: str) -> np.ndarray:
    """Positions or velocities of worlds, the scene's where they are not given."""
    found = start_array(x, what, name, len(default), where)
    return np.array(default, float) if found is None else found


def blocks(n: int) -> list[slice]:
    """Worlds that go through all steps together: one part for each thread, or more."""
    share = -(-n // get_num_threads())
    size = min(BLOCK, -(-share // LANES) * LANES)
    return [slice(k, min(k + size, n)) for k in range(0, n, size or 1)]


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
