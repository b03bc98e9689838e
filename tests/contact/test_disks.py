"""Two impulses in a disk: every method finds those that obey the law, in any direction."""

from __future__ import annotations

import numpy as np
import pytest

import polhode.contact_problem as c
from contact.solver_problems import run, violation

KINDS = [c.DISK, c.BOX, c.CONTACT, c.DISK, c.CONTACT, c.UNILATERAL, c.BILATERAL, c.CONTACT]


def problem(seed: int, rank: int = 12) -> c.ConstraintRows:
    """Blocks of all kinds that act on each other."""
    rng = np.random.default_rng(seed)
    count = sum(c.height_of(kind) for kind in KINDS)
    J, is_bound = rng.normal(size=(count, rank)), np.isin(KINDS, (c.BOX, c.DISK))
    upper = np.where(is_bound, rng.uniform(0.0, 0.4, len(KINDS)), np.inf)
    lower = np.where(np.array(KINDS) == c.BOX, -upper, 0.0)
    return c.rows_of_delassus(
        J @ J.T, rng.normal(size=count), KINDS, mu=0.5, lower=lower, upper=upper
    )


@pytest.mark.parametrize("seed", range(40))
def test_impulses_obey_the_law_of_the_disk(seed):
    rows = problem(seed)
    x, v, report = run(rows, c.solver_settings())
    assert report.unconverged == 0
    assert violation(rows, x, v) < 1e-6


@pytest.mark.parametrize("stage", range(7))
def test_every_stage_knows_disks(stage):
    """Sweeps and each stage alone solve most problems; what they solve obeys the laws."""
    settings, solved = c.solver_settings(), 0
    settings.chooses, settings.stages = False, stage
    for seed in range(20):
        rows = problem(seed)
        x, v, report = run(rows, settings)
        if report.unconverged == 0:
            solved += 1
            assert violation(rows, x, v) < 1e-6
    assert solved >= 15


@pytest.mark.parametrize("seed", range(10))
def test_a_turn_of_the_axes_turns_the_impulses(seed):
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(5, 6))
    b, angle = rng.normal(size=5), rng.uniform(0.0, 6.0)
    turn = np.eye(5)
    turn[:2, :2] = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
    found = []
    for T in (np.eye(5), turn):
        rows = c.rows_of_delassus(
            T @ J @ J.T @ T.T, T @ b, [c.DISK, c.CONTACT], mu=0.5, upper=[0.1, np.inf]
        )
        for door in (c.solve, c.solve_convex):
            found.append(T.T @ run(rows, c.solver_settings(), door=door)[0])
    np.testing.assert_allclose(found[2], found[0], atol=1e-7)
    np.testing.assert_allclose(found[3], found[1], atol=1e-6)


@pytest.mark.parametrize("seed", range(10))
def test_pyramids_approach_the_disk(seed):
    """With 64 corners Lemke's method finds what the exact solver does, but for their angles."""
    rng = np.random.default_rng(seed)
    J, b, radius = rng.normal(size=(5, 6)), 2.0 * rng.normal(size=5), 0.1
    rows = c.rows_of_delassus(J @ J.T, b, [c.DISK, c.CONTACT], mu=0.2, upper=[radius, np.inf])
    exact, settings = run(rows, c.solver_settings())[0], c.solver_settings(lcp_edges=64)
    x, _, report = run(rows, settings, door=c.solve_lcp)
    assert report.unconverged == 0
    np.testing.assert_allclose(x, exact, atol=2 * radius * np.pi / 64)


def test_the_convex_relaxation_of_a_disk_is_exact_but_for_its_softness():
    """A spring is projected on the disk, which is convex: there is nothing to relax."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        J = rng.normal(size=(4, 6))
        rows = c.rows_of_delassus(J @ J.T, rng.normal(size=4), [c.DISK, c.DISK], upper=0.05)
        settings = c.solver_settings()
        exact, soft = (run(rows, settings, door=door)[0] for door in (c.solve, c.solve_convex))
        np.testing.assert_allclose(soft, exact, atol=10 * settings.softness)
