"""Starts of worlds in lanes: overlaps, open loops and gears that are off."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..algorithms.constrained.closures import ROWS
from ..algorithms.stepping.touching import count
from ..scene import Scene
from ..simulation.errors import StartError
from ..simulation.lanes.programs import StepPrograms
from ..simulation.stepping.simulator import Simulator
from ..simulation.stepping.starts import Fault, settled, warn_settled

MOST = 1e-3
"""Overlaps [m], open loops and gears [m or rad] up to this are left to the first steps."""


def answer_starts(
    scene: Scene,
    programs: StepPrograms,
    q: np.ndarray,
    qd: np.ndarray,
    start: str,
    parameters: Sequence[np.ndarray],
) -> None:
    """Refuse starts that break contact or couplings, or move bodies out of it, in place.

    Raises
    ------
    StartError
        With the worst of all worlds, unless ``start`` is ``"settle"``.
    """
    sizes, told = _faults(scene, programs, q, parameters)
    wrong = np.flatnonzero(sizes.max(axis=1, initial=0.0) > MOST)
    if not len(wrong):
        return
    if start != "settle":
        world, worst = np.unravel_index(np.argmax(sizes), sizes.shape)
        which = f" (worst of {len(wrong)} of {len(q)} worlds)" if len(q) > 1 else ""
        what, unit, advice = told[int(worst)]
        size = f"{sizes[world, worst]:.3g}{unit}{which}"
        raise StartError(f"scene '{scene.name}': {what} by {size}{advice}; start='settle' moves "
                         "bodies out of it first, start='keep' takes it as it is")  # fmt: skip
    notes: dict[int, str] = {}
    alike: dict[bytes, np.ndarray] = {}  # most often all worlds begin so
    for k in wrong.tolist():
        begin = q[k].tobytes() + qd[k].tobytes()
        if begin in alike:
            q[k], notes[k] = alike[begin], ""
            continue
        simulator = Simulator(scene.at(q[k].tolist(), qd[k].tolist()), start="settle")

        def settle(faults: list[Fault], simulator: Simulator = simulator, k: int = k) -> None:
            notes[k] = settled(simulator, faults, f"world {k}")

        simulator._on_start = settle
        simulator.check_start()
        q[k] = alike[begin] = simulator.state[0]
    warn_settled(notes)


def _faults(
    scene: Scene, programs: StepPrograms, q: np.ndarray, parameters: Sequence[np.ndarray]
) -> tuple[np.ndarray, list[tuple[str, str, str]]]:
    """How much each point, gear and row of a loop is wrong in each world.

    Beside it what is wrong, in which unit, and what helps.
    """
    whole, sizes, told = programs.whole, [np.zeros((len(q), 0))], []
    if whole.pairs:
        rigid = [not pair.law.stiffness for pair in whole.pairs
                 for _ in range(count(pair.a.shape, pair.b.shape))]  # fmt: skip
        sizes.append(np.where(rigid, -programs.gaps(q, *parameters), 0.0))
    for pair in whole.pairs:
        a, b = pair.a.name, pair.b.name
        advice = f"; Scene.disable('{a}', '{b}') lets a pair overlap"
        told += [(f"'{a}' and '{b}' overlap", " m", advice)] * count(pair.a.shape, pair.b.shape)
    if whole.gears or whole.closures:
        sizes.append(np.abs(programs.openings(q, *parameters)))
    told += [(f"gear '{gear.name}' is off", "", "") for gear in scene.gears]
    for loop in scene.loops:
        advice = "; polhode.assemble finds positions at which loops are closed"
        told += [(f"loop '{loop.name}' is open", "", advice)] * len(ROWS[loop.kind.value])
    ranges = [each.range for each in (*whole.tendons, *whole.hinges) if each.range.is_limited]
    if ranges:
        sizes.append(programs.beyond(q, *parameters))
    told += [(f"{each.name} is beyond its limits", "", "") for each in ranges]
    return np.concatenate(sizes, axis=1), told
