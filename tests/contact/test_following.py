"""Where a choice among many impulses is costly, steps follow those of the step before."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
import polhode.contact_problem as c
from contact.solver_problems import kept_problems
from polhode.contact_problem.following import COSTLY, FOLLOW, note_choice
from polhode.contact_problem.retries import go_on
from polhode.contact_problem.thresholds import COSTLY_STEPS

TOLERANCE = 1e-8
MUCH, LITTLE = COSTLY_STEPS + 1, COSTLY_STEPS


def noted(choices: np.ndarray, nodes: np.ndarray, *newton_steps: int) -> list[int]:
    """Let a step with these solutions count; how often a choice was costly, how many follow."""
    for count in newton_steps:
        note_choice(choices, nodes, count, True)
    go_on(choices)
    return choices[nodes].max(axis=0)[[COSTLY, FOLLOW]].tolist()


def test_after_costly_choices_more_and_more_steps_follow():
    choices, nodes = np.zeros((3, 4), np.int64), np.array([0, 2])
    following = []
    for _ in range(6):
        _, left = noted(choices, nodes, MUCH)
        following.append(left)
        for k in range(left):
            assert noted(choices, nodes, 2)[1] == left - 1 - k
    assert following == [1, 3, 7, 15, 15, 15]
    assert not choices[1].any()
    assert noted(choices, nodes, LITTLE) == [0, 0]


def test_a_step_that_cannot_follow_begins_anew():
    """It made a choice: as many steps follow as after the last one."""
    choices, nodes = np.zeros((2, 4), np.int64), np.array([1])
    for _ in range(2):
        noted(choices, nodes, MUCH)
        noted(choices, nodes, 1)
    assert noted(choices, nodes, 1) == [2, 1]
    assert noted(choices, nodes, MUCH) == [2, 3]


def test_what_was_not_solved_is_not_followed():
    choices, nodes = np.zeros((2, 4), np.int64), np.array([0, 1])
    assert noted(choices, nodes, MUCH) == [1, 1]
    note_choice(choices, nodes, MUCH, False)
    go_on(choices)
    assert not choices[:, :2].any()


def test_any_costly_solution_of_a_step_counts():
    """Torques have rounds of solutions, of which the last one costs little."""
    choices, nodes = np.zeros((1, 4), np.int64), np.array([0])
    assert noted(choices, nodes, MUCH, MUCH, 0) == [1, 1]
    assert noted(choices, nodes, 3, 0, 0) == [1, 0]


def test_what_follows_obeys_the_laws():
    """After a slight change of the free velocities, and in fewer of Newton's steps."""
    settings, rng, tried, steps = c.solver_settings(), np.random.default_rng(0), 0, [0, 0]
    for rows, _, start in kept_problems("hard_problems.npz")[:20]:
        x, v, report = start.copy(), np.empty(len(rows.free)), c.Report()
        c.solve(rows, x, v, settings, report)
        if report.unconverged or report.relaxed:
            continue
        tried += 1
        near = rows._replace(free=rows.free * (1.0 + 1e-6 * rng.normal(size=len(rows.free))))
        choices = np.zeros((len(rows.node_dof) - 1, 4), np.int64)
        choices[:, FOLLOW] = 3
        for k, those in enumerate((near, near._replace(choices=choices))):
            c.solve(those, x.copy(), v, settings, report)
            assert report.worst <= TOLERANCE
            steps[k] += report.newton_steps
    assert tried >= 10
    assert steps[1] < 0.7 * steps[0]


def rope(folder, n: int = 8) -> ph.Scene:
    """Balls in a row, on hinges with weak springs: they fall on the ground, and creep there."""
    ball, end = '<geom type="sphere" size=".01" density="500"/>', "</body>" * (n - 1)
    hinges = "".join(
        f'<joint axis="{axis}" stiffness=".01" damping=".001"/>' for axis in ("0 0 1", "0 1 0")
    )
    links = f'<body pos=".02 0 0">{hinges}{ball}' * (n - 1)
    path = folder / "rope.xml"
    path.write_text(
        f"""<mujoco><worldbody><geom type="plane" size="1 1 .1"/>
        <body pos="0 0 .1" euler="45 45 45"><freejoint/>{ball}{links}{end}</body>
        </worldbody></mujoco>"""
    )
    return ph.load(path)


@pytest.mark.filterwarnings("ignore::polhode.errors.ModelWarning")
def test_a_scene_that_creeps_follows_and_obeys_the_laws(tmp_path):
    simulator = ph.Simulator(rope(tmp_path), dt=2e-3)
    follows = 0
    for _ in range(400):
        simulator.step()
        follows += simulator._fields.choices[:, FOLLOW].max() > 0
    report = simulator.report
    assert follows > 10
    assert report["unconverged"] == 0
    assert report["residual"] <= TOLERANCE
    assert report["penetration"] < 1e-6
    start = simulator.checkpoint()
    ends = []
    for _ in range(2):
        simulator.restore(start)
        simulator.advance(2e-3, 40)
        ends.append(np.concatenate(simulator.state).tobytes())
    assert ends[0] == ends[1]
