"""Islands that were not solved get all stages again after longer and longer pauses."""

from __future__ import annotations

import numpy as np

import polhode as ph
import polhode.contact_problem as c
from contact.solver_problems import kept_problems
from polhode.contact_problem.islands import islands_of
from polhode.contact_problem.problem import problem_of
from polhode.contact_problem.retries import (
    FAILED,
    LEAST_PAUSING,
    PAUSE,
    go_on,
    most_of,
    note_trial,
)
from polhode.model.shapes import Box, Plane, Sphere
from polhode.recording.checkpoint import Checkpoint

OUT_OF_REACH = 1e-300  # a tolerance that no impulses meet
LARGE = 21  # the number of a hard problem with an island of 191 contacts


def step(rows: c.ConstraintRows, start: np.ndarray, tolerance: float = 1e-8) -> c.Report:
    """Solve, and let the step count."""
    x, v, report = start.copy(), np.empty(len(rows.free)), c.Report()
    c.solve(rows, x, v, c.solver_settings(tolerance=tolerance), report)
    go_on(rows.trials)
    return report


def hard_problem(number: int) -> tuple[c.ConstraintRows, np.ndarray]:
    """One that needs stages, where nothing has failed yet."""
    rows, _, start = kept_problems("hard_problems.npz")[number]
    return rows._replace(trials=np.zeros((len(rows.node_dof) - 1, 4), np.int64)), start


def tried(trials: np.ndarray, nodes: np.ndarray, n_blocks: int, *, is_solved: bool) -> bool:
    """Let a step with an island count, and say whether it had all stages."""
    had_all = most_of(trials, nodes, PAUSE) == 0
    note_trial(trials, nodes, n_blocks, is_solved)
    go_on(trials)
    return had_all


def test_pauses_double_up_to_fifteen_steps():
    trials, nodes = np.zeros((3, 4), np.int64), np.array([0, 2])
    steps = [k for k in range(64) if tried(trials, nodes, LEAST_PAUSING, is_solved=False)]
    assert np.diff(steps).tolist() == [1, 2, 4, 8, 16, 16, 16]
    assert not trials[1].any()


def test_a_solution_ends_pauses():
    trials, nodes = np.zeros((3, 4), np.int64), np.array([0, 2])
    for _ in range(5):
        tried(trials, nodes, LEAST_PAUSING, is_solved=False)
    assert trials[:, PAUSE].max() > 0
    while not tried(trials, nodes, LEAST_PAUSING, is_solved=True):
        pass
    assert not trials.any()


def test_a_large_island_pauses():
    """With sweeps alone: it is not solved, and has no part in any Newton step.  Others go on."""
    rows, start = hard_problem(LARGE)
    _, first_block, nodes, first_node = islands_of(problem_of(rows))
    i = int(np.argmax(np.diff(first_block)))
    own = nodes[first_node[i] : first_node[i + 1]]
    for _ in range(2):
        step(rows, start, OUT_OF_REACH)
    pausing = np.flatnonzero(rows.trials[:, PAUSE])
    assert pausing.tolist() == own.tolist()
    paused = step(rows, start)
    full = step(rows._replace(trials=np.empty((0, 4), np.int64)), start)
    assert paused.unconverged == 1 and paused.newton_steps < full.newton_steps


def test_small_islands_never_pause():
    """All stages cost little there."""
    rows, start = hard_problem(0)
    for _ in range(3):
        assert step(rows, start, OUT_OF_REACH).newton_steps > 0
    assert not rows.trials.any()


def test_the_same_without_pauses():
    """Where nothing failed the answer is the one without any memory, bit for bit."""
    rows, start = hard_problem(1)
    answers = []
    for those in (rows, rows._replace(trials=np.empty((0, 4), np.int64))):
        x, v, report = start.copy(), np.empty(len(rows.free)), c.Report()
        c.solve(those, x, v, c.solver_settings(), report)
        answers.append((x.tobytes(), v.tobytes(), report.newton_steps))
    assert answers[0] == answers[1]


def tower() -> ph.TimeSteppingSimulator:
    """Boxes that slide on each other, with a tolerance that no step meets."""
    scene = ph.Scene("tower").add_fixed("ground", Plane()).contact(mu_coulomb=0.5)
    for k in range(26):
        scene = scene.add_body(
            f"b{k}", Box((0.2, 0.2, 0.2)), mass=1.0 + k, position=(0, 0, 0.1 + 0.2 * k),
            velocity=(0.3 * (k + 1), 0.1, 0),
        )  # fmt: skip
    simulator = ph.TimeSteppingSimulator(scene)
    simulator._fields.solver.tolerance = OUT_OF_REACH
    return simulator


def hit_wall() -> ph.TimeSteppingSimulator:
    """Bricks in bond that a ball has hit, with a tolerance that no step meets."""
    scene = ph.Scene("wall").add_fixed("ground", Plane()).contact(mu_coulomb=0.5)
    for k in range(20):
        row, column = divmod(k, 5)
        place = (0.401 * (column - 2.5 + 0.5 * (row % 2)), 0.0, 0.1 + 0.2 * row)
        scene = scene.add_body(f"b{k}", Box((0.4, 0.2, 0.2)), mass=1.0, position=place)
    scene = scene.add_body(
        "ball", Sphere(0.3), mass=5.0, position=(0.0, -0.45, 0.3), velocity=(0.0, 10.0, 0.0)
    )
    simulator = ph.TimeSteppingSimulator(scene)
    simulator._fields.solver.tolerance = OUT_OF_REACH
    return simulator


def test_all_stages_again_without_targets():
    """An island that failed is not tried with targets first; without a past it would be."""
    simulator, fewer = hit_wall(), 0
    for _ in range(24):
        kept = simulator.checkpoint()
        trials = kept.arrays["trials"]
        is_retry = trials[:, FAILED].max() > 1 and not trials[:, PAUSE].any()
        made = []
        arrays = {name: x for name, x in kept.arrays.items() if name != "trials"}
        for start in (Checkpoint(arrays, kept.is_fresh, kept.rng), kept) if is_retry else (kept,):
            simulator.restore(start)
            before = simulator.report["newton_steps"]
            simulator.advance(1e-3, 1)
            made.append(simulator.report["newton_steps"] - before)
        assert made[-1] <= made[0] and (not is_retry or made[-1] > 0)
        fewer += made[-1] < made[0]
    assert fewer > 0


def test_a_checkpoint_keeps_what_failed():
    """Steps go on to the same bits; a checkpoint of before has failed nowhere."""
    simulator = tower()
    simulator.advance(1e-3, 4)
    kept = simulator.checkpoint()
    assert kept.arrays["trials"][:, FAILED].max() > 1
    simulator.advance(1e-3, 6)
    expected = np.concatenate(simulator.state).tobytes()
    for other in (simulator, tower()):
        other.restore(kept)
        other.advance(1e-3, 6)
        assert np.concatenate(other.state).tobytes() == expected
    arrays = {name: x for name, x in kept.arrays.items() if name != "trials"}
    simulator.restore(Checkpoint(arrays, kept.is_fresh, kept.rng))
    assert not simulator.checkpoint().arrays["trials"].any()
