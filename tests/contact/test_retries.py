"""Islands that were not solved get all stages again after longer and longer pauses."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
import polhode.contact_problem as c
from contact.solver_problems import kept_problems
from polhode.contact_problem.retries import FAILED, PAUSE, go_on
from polhode.model.shapes import Box, Plane
from polhode.recording.checkpoint import Checkpoint

OUT_OF_REACH = 1e-300  # a tolerance that no impulses meet


def step(rows: c.ConstraintRows, start: np.ndarray, tolerance: float = 1e-8) -> c.Report:
    """Solve, and let the step count."""
    x, v, report = start.copy(), np.empty(len(rows.free)), c.Report()
    c.solve(rows, x, v, c.solver_settings(tolerance=tolerance), report)
    go_on(rows.trials)
    return report


@pytest.fixture
def problem() -> tuple[c.ConstraintRows, np.ndarray]:
    """One that needs stages."""
    rows, _, start = kept_problems("hard_problems.npz")[0]
    return rows._replace(trials=np.zeros((len(rows.node_dof) - 1, 4), np.int64)), start


def test_pauses_double_up_to_fifteen_steps(problem):
    rows, start = problem
    failed, last = [], 0
    for k in range(64):
        step(rows, start, OUT_OF_REACH)
        if rows.trials[:, FAILED].max() > last:
            failed.append(k)
            last += 1
    assert np.diff(failed).tolist() == [1, 2, 4, 8, 16, 16, 16]


def test_pauses_have_sweeps_alone():
    """All islands of a problem pause: no stage, no Newton step."""
    rows, _, start = kept_problems("hard_problems.npz")[0]
    trials = np.zeros((len(rows.node_dof) - 1, 4), np.int64)
    rows = rows._replace(trials=trials)
    assert step(rows, start).newton_steps > 0
    trials[:, PAUSE] = 1
    report = step(rows, start)
    assert report.newton_steps == 0 and report.sweeps > 0 and report.unconverged > 0


def test_what_is_solved_pauses_no_more(problem):
    """Nor do other islands of the same problem."""
    rows, start = problem
    for _ in range(5):
        step(rows, start, OUT_OF_REACH)
    pausing = rows.trials[:, PAUSE] > 0
    assert pausing.any() and not pausing[np.unique(rows.node)].all()
    while rows.trials[:, PAUSE].max() > 0:
        step(rows, start, OUT_OF_REACH)
    assert rows.trials[:, FAILED].max() == 3
    assert step(rows, start).unconverged == 0
    assert not rows.trials.any()


def test_the_same_without_pauses(problem):
    """Where nothing failed the answer is the one without any memory, bit for bit."""
    rows, start = problem
    answers = []
    for those in (rows, rows._replace(trials=np.empty((0, 4), np.int64))):
        x, v, report = start.copy(), np.empty(len(rows.free)), c.Report()
        c.solve(those, x, v, c.solver_settings(), report)
        answers.append((x.tobytes(), v.tobytes(), report.newton_steps))
    assert answers[0] == answers[1]


def tower() -> ph.TimeSteppingSimulator:
    """Boxes that slide on each other, with a tolerance that no step meets."""
    scene = ph.Scene("tower").add_fixed("ground", Plane()).contact(mu_coulomb=0.5)
    for k in range(3):
        scene = scene.add_body(
            f"b{k}", Box((0.2, 0.2, 0.2)), mass=1.0 + k, position=(0, 0, 0.1 + 0.2 * k),
            velocity=(0.3 * (k + 1), 0.1, 0),
        )  # fmt: skip
    simulator = ph.TimeSteppingSimulator(scene)
    simulator._fields.solver.tolerance = OUT_OF_REACH
    return simulator


def test_a_checkpoint_keeps_what_failed():
    """Steps go on to the same bits; a checkpoint of before has failed nowhere."""
    simulator = tower()
    simulator.advance(1e-3, 6)
    kept = simulator.checkpoint()
    assert kept.arrays["trials"][:, FAILED].max() > 1
    simulator.advance(1e-3, 30)
    expected = np.concatenate(simulator.state).tobytes()
    for other in (simulator, tower()):
        other.restore(kept)
        other.advance(1e-3, 30)
        assert np.concatenate(other.state).tobytes() == expected
    arrays = {name: x for name, x in kept.arrays.items() if name != "trials"}
    simulator.restore(Checkpoint(arrays, kept.is_fresh, kept.rng))
    assert not simulator.checkpoint().arrays["trials"].any()
