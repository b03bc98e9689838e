"""Collision, solver and stepping as plain Python: the compiled loops say the same."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest

import polhode as ph
from contact import solver_problems as problems
from contact.stepping_scenes import four_bar, pendulum, pile
from polhode import contact_problem as c
from polhode.collision import bounding_box, contacts
from random_shapes import ALL, random_pose


def both(monkeypatch, function, *arguments, **options):
    """What a function returns with compiled loops, and with plain ones."""
    monkeypatch.delenv("POLHODE_JIT", raising=False)
    compiled = function(*arguments, **options)
    monkeypatch.setenv("POLHODE_JIT", "python")
    return compiled, function(*arguments, **options)


@pytest.mark.parametrize(("one", "two"), list(combinations_with_replacement(ALL, 2)))
def test_contacts(monkeypatch, one, two):
    rng = np.random.default_rng(7)
    for spread in (0.3, 1.2):
        a, b = random_pose(rng, 0.0), random_pose(rng, spread)
        compiled, plain = both(monkeypatch, contacts, ALL[one], a, ALL[two], b, margin=0.3)
        assert [x.feature for x in compiled] == [x.feature for x in plain]
        for x, y in zip(compiled, plain, strict=True):
            assert x.gap == pytest.approx(y.gap, abs=1e-12)
            assert x.point == pytest.approx(y.point, abs=1e-9)
            assert x.normal == pytest.approx(y.normal, abs=1e-9)


@pytest.mark.parametrize("name", ALL)
def test_bounding_boxes(monkeypatch, name):
    at = random_pose(np.random.default_rng(3), 1.0)
    compiled, plain = both(monkeypatch, bounding_box, ALL[name], at)
    assert compiled == pytest.approx(plain, abs=1e-14)


def contradiction(rng):
    """Two rows want the same speed to be 1e-6 and zero, beside a point that must not slip."""
    J = np.eye(6)[:1]
    blocks = [(c.BILATERAL, [(0, J)], {"bias": bias}) for bias in (-1e-6, 0.0)]
    blocks.append((c.CONTACT, [(0, rng.normal(size=(3, 6)))], {"mu": np.inf}))
    return problems.rows_on([1.0], [np.eye(3)], [rng.normal(size=6)], blocks)


PROBLEMS = {
    "flat": lambda rng: problems.flat(rng, 5, mu=0.4),
    "tower": lambda rng: problems.tower(rng, 2, mu=0.7, edges=6),
    "no slip": lambda rng: problems.flat(rng, 4, mu=np.inf),
    "soft pile": lambda rng: problems.pile(rng, 4, mu=0.3, widening=0.1, compliance=1e-3),
    "relaxed": contradiction,
}


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("door", [c.solve, c.solve_convex, c.solve_lcp, c.impact])
def test_impulses(monkeypatch, name, door):
    rows = PROBLEMS[name](np.random.default_rng(2))

    def run():
        x, v, report = np.zeros(len(rows.bias)), np.zeros(len(rows.free)), c.Report()
        more = (np.full(len(rows.kind), 0.5),) if door is c.impact else ()
        door(rows, *more, x, v, c.solver_settings(last_sweeps=50), report)
        return v

    compiled, plain = both(monkeypatch, run)
    assert compiled == pytest.approx(plain, abs=1e-8)


SCENES = {
    "pile": lambda: pile(1, 3),
    "limits": pendulum,
    "four-bar": four_bar,
}


@pytest.mark.parametrize("name", SCENES)
def test_steps(monkeypatch, name):
    def run():
        sim = ph.TimeSteppingSimulator(SCENES[name](), dt=0.04)
        for _ in range(10):
            sim.step(0.04)
        return np.concatenate([sim._fields.position, sim._fields.velocity])

    compiled, plain = both(monkeypatch, run)
    assert compiled == pytest.approx(plain, abs=1e-7)
