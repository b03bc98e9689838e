"""Steps of heaps that begin again: counted in what is kept, and more patient than the first."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.algorithms.stepping import attempts
from polhode.algorithms.stepping.attempts import begins_again, failures, first_prox, newton_steps
from polhode.algorithms.stepping.near_points import SLOTS_OF_TREES
from polhode.model import Box, Plane, Revolute
from polhode.simulation.lanes import worlds
from polhode.simulation.lanes.programs import step_programs
from stepping.lanes import rolled

STEP = 2e-3
WORLDS = 64


def heap(boxes: int = 4) -> ph.Scene:
    """Boxes that fall onto each other."""
    scene = ph.Scene("heap").add_fixed("floor", Plane()).contact(mu_coulomb=0.8)
    for k in range(boxes):
        size = [(0.3, 0.3, 0.3), (0.3, 0.4, 0.2), (0.2, 0.2, 0.4), (0.4, 0.3, 0.25)][k % 4]
        place = (0.02 * k, -0.03 * k, 0.2 + 0.45 * k)
        scene = scene.add_body(f"box{k}", Box(size), position=place, density=500.0)
    return scene


@pytest.fixture(scope="module")
def left():
    """Steps that the first attempt left, each as ``(q, qd, x, tau)``."""
    scene, rng = heap(), np.random.default_rng(0)
    programs, nv = step_programs(scene), scene.model.nv
    q, x = np.tile(scene.q0, (WORLDS, 1)), np.zeros((WORLDS, programs.kept.n_kept))
    qd, tau = 0.2 * rng.normal(size=(WORLDS, nv)), np.zeros((WORLDS, nv))
    found = []
    for _ in range(300):
        given = q, qd, x, tau
        q, qd, x, error, _ = programs.step(*given, STEP)
        bad = ~(error < attempts.SOLVED)
        assert x[bad, -1].tolist() == [1.0] * bad.sum()
        assert not x[~bad, -1].any()
        found += [np.concatenate([a[k] for a in given]) for k in np.flatnonzero(bad)]
        x[bad, -1] = 0.0
    ends = np.cumsum([a.shape[1] for a in given])
    return programs, np.split(np.array(found), ends[:-1], axis=1)


def test_heaps_alone_begin_again():
    assert begins_again(heap(3).model)
    assert not begins_again(heap(2).model)
    chain = ph.Model("chain")
    for k in range(20):
        parent = f"link{k - 1}" if k else None
        chain = chain.add(f"link{k}", joint=Revolute.x(), parent=parent, mass=1.0)
    assert not begins_again(chain)


def test_the_first_proximal_parameter_rises_from_attempt_to_attempt():
    steps = [newton_steps(k) for k in range(4)]
    assert steps == [attempts.FIRST] + 3 * [attempts.LATER]
    assert np.allclose([first_prox(k) for k in range(4)], [1e-4, 1e-4, 1e-3, 1e-2])


def test_whoever_begins_again_more_often_keeps_the_last_parameter():
    """A compiled step may be called with any count; each attempt adds one, and success ends it."""
    many = [attempts.AGAIN + 1.0, 50.0, 1e9]
    assert [first_prox(k) for k in many] == [first_prox(attempts.AGAIN)] * 3
    assert [newton_steps(k) for k in many] == [attempts.LATER] * 3
    assert failures(7.0, 1.0) == 8.0 and failures(7.0, 0.5 * attempts.SOLVED) == 0.0
    assert failures(7.0, float("nan")) == 8.0


def test_later_attempts_are_more_patient(left):
    """They solve most of what the first leaves, and more than first attempts over and over."""
    programs, (q, qd, x, tau) = left
    assert len(q) > 100
    solved = [_solved_later(programs, q, qd, x.copy(), tau, counts) for counts in (True, False)]
    assert solved[0] > 0.8 * len(q)
    assert solved[0] > 1.2 * solved[1]


def _solved_later(programs, q, qd, x, tau, counts: bool) -> int:
    """How many steps later attempts solve."""
    left = np.arange(len(q))
    x[:, -1] = counts
    for k in range(1, 1 + attempts.AGAIN):
        *_, found, error, _ = programs.step(q[left], qd[left], x[left], tau[left], STEP)
        bad = ~(error < attempts.SOLVED)
        assert found[:, -1].tolist() == np.where(bad, k + 1.0 if counts else 1.0, 0.0).tolist()
        found[:, -1] *= counts
        x[left] = found
        left = left[bad]
    return len(q) - len(left)


def test_the_exact_solver_ends_the_count(left, monkeypatch):
    """What it leaves begins anew; without attempts it has more to do."""
    scene, rng = heap(), np.random.default_rng(0)
    qd = 0.2 * rng.normal(size=(WORLDS, scene.model.nv))
    often = rolled(scene, qd=qd, steps=300, dt=STEP)
    monkeypatch.setattr(worlds, "AGAIN", 0)
    once = rolled(scene, qd=qd, steps=300, dt=STEP)
    assert 4 * often.refined.sum() < once.refined.sum()
    assert not often.unsolved.any() and not once.unsolved.any()
    programs, (q, *_) = left
    rows = rng.normal(size=(len(q), programs.kept.n_joints + 3 * programs.kept.n_points))
    assert not programs.kept.kept(rows)[:, -1].any()


def test_ground_and_other_bodies_have_slots_side_by_side(left):
    """A box that lies on the floor with four corners may have eight points of another on it."""
    programs, _ = left
    assert SLOTS_OF_TREES == 12
    assert programs.kept.n_slots == [12, 12, 12, 8, 8, 8]
