"""Torques bound by normal impulses: one problem of the solver has bounds and impulses together."""

from __future__ import annotations

import numpy as np
import pytest

import polhode.contact_problem as c
from polhode.contact_problem.torque_bounds import bound_rows

ARM, TOLERANCE = 0.1, 1e-8


def spinning(falls: float, spins: float, presser: int) -> c.ConstraintRows:
    """A body of unit inertia: a torque about the normal, then its contact; turned velocities."""
    turn = np.linalg.qr(np.arange(16.0).reshape(4, 4) + 5.0 * np.eye(4))[0]
    jacobian = turn[[3, 0, 1, 2]]
    rows = c.rows_of_delassus(
        np.eye(4), np.array([spins, -falls, 0.3, 0.0]), [c.BOX, c.CONTACT], mu=0.5, upper=0.0,
        lower=0.0,
    )  # fmt: skip
    return rows._replace(
        mass=np.eye(4).ravel(), jacobian=jacobian.ravel(), mu=np.array([0.0, 0.5]),
        upper=np.array([0.0, np.inf]), presser=np.array([presser, -1]), arm=np.array([ARM, 0.0]),
    )  # fmt: skip


@pytest.mark.parametrize("near", [0.0, 0.9999])
@pytest.mark.parametrize(("falls", "spins"), [(1.0, 3.0), (2.0, -3.0), (1.0, 0.05), (-1.0, 3.0)])
def test_torques_have_the_bounds_of_the_normal_impulse(falls, spins, near):
    rows = spinning(falls, spins, 1)
    pressed = max(falls, 0.0)
    torque = -np.clip(spins, -ARM * pressed, ARM * pressed)
    wanted = np.array([torque, pressed, -np.clip(0.3, 0.0, 0.5 * pressed), 0.0])
    x, v = near * wanted, np.empty(4)
    assert c.solve(rows, x, v, c.solver_settings(), c.Report()) <= TOLERANCE
    np.testing.assert_allclose(x, wanted, atol=1e-7)
    assert rows.upper[0] == pytest.approx(ARM * pressed, abs=1e-7)


@pytest.mark.parametrize(("solve", "error"), [(c.solve, 1e-7), (c.solve_convex, 3e-3)])
@pytest.mark.parametrize("arm", [0.1, 0.5, 1.0, 4.0])
def test_a_torque_that_presses_its_contact_less_has_its_bound(solve, error, arm):
    """The normal impulse is ``1 / (1 + 2 arm)``; rounds alone swing from an arm of 0.5 on."""
    G = np.eye(4)
    G[:2, :2] = (9.0, 2.0), (2.0, 1.0)
    rows = c.rows_of_delassus(
        G, np.array([-10.0, -1.0, 0.0, 0.0]), [c.BOX, c.CONTACT], mu=0.5, upper=0.0, lower=0.0
    )
    rows = rows._replace(presser=np.array([1, -1]), arm=np.array([arm, 0.0]))
    x, v, report = np.zeros(4), np.empty(4), c.Report()
    assert solve(rows, x, v, c.solver_settings(), report) <= TOLERANCE
    assert report.unconverged == 0
    assert x[1] == pytest.approx(1.0 / (1.0 + 2.0 * arm), rel=error)
    assert x[0] == pytest.approx(arm * x[1], rel=1e-7)


def test_bounds_without_a_contact_stay():
    rows = spinning(1.0, 3.0, -1)
    x, v = np.zeros(4), np.empty(4)
    assert c.solve(rows, x, v, c.solver_settings(), c.Report()) <= TOLERANCE
    assert x[0] == 0.0 and rows.upper[0] == 0.0


def several(rng: np.random.Generator) -> c.ConstraintRows:
    """A few points of random bodies, each with two torques of random arms before all of them.

    One is along an axis, the other in a disk.
    """
    points = int(rng.integers(1, 5))
    kinds = [c.BOX, c.DISK] * points + [c.CONTACT] * points
    J = rng.normal(size=(6 * points, 7))
    rows = c.rows_of_delassus(J @ J.T, rng.normal(size=6 * points), kinds, mu=0.6, lower=0.0)
    count = len(kinds)
    presser = np.full(count, -1)
    presser[: 2 * points] = 2 * points + np.repeat(np.arange(points), 2)
    arm = np.where(presser >= 0, rng.uniform(0.0, 0.3, count), 0.0)
    upper = np.where(presser >= 0, 0.0, np.inf)
    return rows._replace(presser=presser, arm=arm, upper=upper)


@pytest.mark.parametrize("seed", range(3, 33))  # of seeds 0 to 299 three jam: 2, 136, 216
def test_what_is_solved_is_solved_under_the_bounds_that_are_left(seed):
    """From the impulses, and with bounds that stay, nothing is left to do."""
    rng = np.random.default_rng(seed)
    rows = several(rng)
    x, v, change = np.zeros(len(rows.bias)), np.empty(len(rows.free)), 1.0
    for _ in range(50):  # nearly always once
        assert c.solve(rows, x, v, c.solver_settings(), c.Report()) <= TOLERANCE
        fixed, report = rows._replace(presser=np.full(len(rows.kind), -1)), c.Report()
        assert c.solve(fixed, x.copy(), v, c.solver_settings(), report) <= TOLERANCE
        assert report.newton_steps == report.sweeps == 0
        change = bound_rows(rows, x)
        if change <= TOLERANCE:
            break
    assert change <= TOLERANCE


@pytest.mark.parametrize("seed", range(3, 33))
def test_the_convex_method_has_the_bounds_of_its_impulses(seed):
    """Under them, held fixed, its velocities are the same."""
    rows = several(np.random.default_rng(seed))
    x, v, report = np.zeros(len(rows.bias)), np.empty(len(rows.free)), c.Report()
    assert c.solve_convex(rows, x, v, c.solver_settings(), report) <= TOLERANCE
    assert report.unconverged == 0
    fixed = rows._replace(presser=np.full(len(rows.kind), -1), lower=rows.lower.copy())
    y, w = np.zeros(len(rows.bias)), np.empty(len(rows.free))
    assert c.solve_convex(fixed, y, w, c.solver_settings(), report) <= TOLERANCE
    assert np.abs(v - w).max() <= 10.0 * TOLERANCE * np.abs(rows.bias).max()
    assert bound_rows(rows, x) <= TOLERANCE
