"""Torques bound by normal impulses: one problem of the solver has bounds and impulses together."""

from __future__ import annotations

import numpy as np
import pytest

import polhode.contact_problem as c

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


def test_bounds_without_a_contact_stay():
    rows = spinning(1.0, 3.0, -1)
    x, v = np.zeros(4), np.empty(4)
    assert c.solve(rows, x, v, c.solver_settings(), c.Report()) <= TOLERANCE
    assert x[0] == 0.0 and rows.upper[0] == 0.0
