"""Roll-outs of scenes in lanes: many worlds with contact, each step one compiled program."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..compiler import get_num_threads
from ..scene import Scene
from ..simulation.lanes.lowering import contact_model_of
from ..simulation.lanes.parameters import of_worlds, parameter_arrays
from ..simulation.lanes.programs import step_programs
from ..simulation.lanes.worlds import LANES, LaneWorlds, run_of
from ..simulation.start import answer_limits, unit
from ..simulation.stepping.clock import step_of
from .lane_starts import answer_starts
from .machines import BLOCK, DRIVING, Rollout, driving_of, instants, run_all
from .starting import batch_axes, start_array


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
    parameters: Mapping[str, Any] | None,
) -> Rollout:
    """Return the motion of worlds of a scene; see `polhode.rollout`."""
    model, recorded = scene.model, instants(steps, record_every)
    where = f"scene '{scene.name}'"
    dt = step_of(scene, dt)
    values = parameter_arrays(contact_model_of(scene).parameter_shapes(), parameters, where)
    programs = step_programs(scene, joint_forces, tuple(values))
    starts = _given(q, scene.q0, "q", "nq", where), _given(qd, scene.qd0, "qd", "nv", where)
    held = driving_of(tau, controls, steps, model, "controls" in programs.inputs, where)
    axes = {name: x.shape[:-1] for name, x in zip(("q", "qd"), starts, strict=True)}
    axes |= {name: x.shape[:-2] for name, x in zip(DRIVING, held, strict=False)}
    axes |= {k: x.shape[: x.ndim - len(programs.parameters[k])] for k, x in values.items()}
    batch = batch_axes(axes, None, where)
    n = math.prod(batch)
    q0, qd0 = (np.broadcast_to(x, (*batch, x.shape[-1])).reshape(n, x.shape[-1]) for x in starts)
    q0 = np.array(unit(model, q0, "q"))
    answer_limits(model, q0, start)
    begin = {
        "q": q0, "qd": np.array(qd0), "activation": np.zeros((n, model.n_activations)),
        "x": np.zeros((n, programs.kept.n_kept)),
    }  # fmt: skip
    own = of_worlds(values, programs.parameters, batch, where)
    state = [begin[name] for name in programs.state]
    whole = [np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in held]
    held = [np.array(x).reshape(n, *x.shape[-2:]) for x in whole]
    if start != "keep":
        answer_starts(scene, programs, q0, qd0, start, own)
    told = dict(zip(programs.state, state, strict=True))
    records = {k: np.empty((len(recorded), *x.shape)) for k, x in told.items() if k != "x"}
    parts, tasks = [], []
    for b in blocks(n):
        out = [records[name][:, b] if name in records else None for name in programs.state]
        parts.append(LaneWorlds(programs, [x[b] for x in state], dt, [x[b] for x in own]))
        tasks.append(run_of(parts[-1], [x[b] for x in held], recorded, out))
    run_all(tasks)
    found = {name: r.reshape(len(recorded), *batch, r.shape[-1]) for name, r in records.items()}
    refined, unsolved = (_joined([getattr(each, name) for each in parts], batch, np.int64)
                         for name in ("refined", "unsolved"))  # fmt: skip
    depth = _joined([each.depth for each in parts], batch, float)
    return Rollout(
        np.array(recorded) * dt,
        found["q"],
        found["qd"],
        np.zeros((len(recorded), *batch, 0, 2)),
        activation=found.get("activation"),  # type: ignore[arg-type]
        refined=refined,
        unsolved=unsolved,
        penetration=depth,
        integrator="moreau",
    )


def _given(x: Any, default: Sequence[float], what: str, name: str, where: str) -> np.ndarray:
    """Positions or velocities of worlds, the scene's where they are not given."""
    found = start_array(x, what, name, len(default), where)
    return np.array(default, float) if found is None else found


def _joined(parts: list[np.ndarray], batch: tuple[int, ...], kind: type) -> np.ndarray:
    """Values of all worlds out of those of blocks."""
    return np.concatenate([np.zeros(0, kind), *parts]).reshape(batch)


def blocks(n: int) -> list[slice]:
    """LaneWorlds that go through all steps together: one part for each thread, or more."""
    share = -(-n // get_num_threads())
    size = min(BLOCK, -(-share // LANES) * LANES)
    return [slice(k, min(k + size, n)) for k in range(0, n, size or 1)]
