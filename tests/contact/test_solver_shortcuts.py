"""What saves the exact solver time: one factorisation for loops, given factors, open contacts."""

from __future__ import annotations

import numpy as np
import pytest

from contact.solver_problems import dense, pile, run, tower, violation
from polhode import contact_problem as c
from polhode.contact_problem.mass import factor_mass, solve_mass, solve_masses
from polhode.contact_problem.problem import factors_of, problem_of

TOLERANCE = 1e-8  # of the solver


def loops(rng, n, rank):
    """Bilateral rows alone: their Delassus matrix, and their velocities without impulses."""
    A = rng.normal(size=(n, rank))
    G, b = A @ A.T, A @ rng.normal(size=rank)
    return G, b, c.rows_of_delassus(G, b, [c.BILATERAL] * n)


@pytest.mark.parametrize("n", [1, 5, 24])
def test_few_bilateral_rows_need_one_factorisation(n):
    """The impulses that NumPy finds, from any start, without a sweep or a step of Newton's."""
    rng = np.random.default_rng(n)
    G, b, rows = loops(rng, n, n + 3)
    x, _, report = run(rows, c.solver_settings(), rng.normal(size=n))
    np.testing.assert_allclose(x, np.linalg.solve(G, -b), rtol=1e-12 * np.linalg.cond(G))
    assert report.sweeps == report.newton_steps == report.stage == 0


def test_bilateral_rows_that_depend_on_each_other_are_stopped():
    """Six rows of rank four have many impulses: those found stop them all."""
    G, b, rows = loops(np.random.default_rng(1), 6, 4)
    x, _, report = run(rows, c.solver_settings())
    assert report.worst <= TOLERANCE
    assert np.abs(G @ x + b).max() <= 10 * TOLERANCE * np.abs(b).max()


def test_a_body_about_its_centre_has_no_coupling():
    """Its factor is that of a mass and an inertia, and divides as NumPy does."""
    rng = np.random.default_rng(2)
    A = rng.normal(size=(3, 3))
    M = np.zeros((6, 6))
    M[:3, :3], M[3:, 3:] = 2.5 * np.eye(3), A @ A.T + np.eye(3)
    w, factor, last = rng.normal(size=6), np.empty(36), np.empty(6, np.int64)
    expected = np.linalg.solve(M, w)
    assert factor_mass(M.ravel(), factor, 0, 6, last, 0, 0.0)
    assert list(last) == [0, 1, 2, 5, 5, 5]
    solve_mass(factor, 0, 6, last, 0, w, 0)
    np.testing.assert_allclose(w, expected, rtol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 5, 6, 9])
@pytest.mark.parametrize("count", range(1, 8))
def test_right_sides_side_by_side_give_the_bits_of_each_alone(n, count):
    rng = np.random.default_rng(10 * n + count)
    A = rng.normal(size=(n, n))
    factor, last = np.empty(n * n), np.empty(n, np.int64)
    assert factor_mass((A @ A.T + np.eye(n)).ravel(), factor, 0, n, last, 0, 0.0)
    w = rng.normal(size=(count, n)) * rng.integers(0, 2, (count, n))
    together, alone = w.ravel().copy(), w.ravel().copy()
    solve_masses(factor, 0, n, last, 0, together)
    for k in range(count):
        solve_mass(factor, 0, n, last, 0, alone, k * n)
    np.testing.assert_array_equal(together, alone)


def test_given_factors_give_the_same_bits():
    rows = tower(np.random.default_rng(3), 4, mu=0.5)
    factor, last = factors_of(problem_of(rows))
    given = rows._replace(factor=factor, last=last)
    one, two = (run(each, c.solver_settings()) for each in (rows, given))
    assert one[0].tobytes() == two[0].tobytes() and one[1].tobytes() == two[1].tobytes()


@pytest.mark.parametrize("seed", range(4))
def test_open_contacts_are_left_out(seed):
    """A heap, half of whose contacts are far from closing: they get nothing, the laws hold."""
    rows = pile(np.random.default_rng(seed), 20, mu=0.6)
    far = rows.row[:-1][1::2]
    rows.bias[far] += 20.0
    x, v, report = run(rows, c.solver_settings())
    assert report.newton_steps > 0 and report.worst <= TOLERANCE
    assert violation(rows, x, v) <= 1e-6
    M, J = dense(rows)
    np.testing.assert_allclose(M @ (v - rows.free), J.T @ x, atol=1e-9)
    assert all((x[r : r + 3] == 0.0).all() for r in far)
