"""Laws of constrained motion on random trees, by the algorithms run on plain numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import polhode as ph
from constraints.machines import constrained_state, random_set
from models import at, four_bar
from polhode import algorithms
from polhode.api.constraints_solve import solve_direct, solve_null_space
from polhode.binding.plain import run_plain
from random_trees import trees

SEEDS = st.integers(0, 1000)
TOLERANCE = 1e-8  # of the largest number: random rows are at times nearly dependent
STEP = 1e-6


class Case(NamedTuple):
    model: ph.Model
    constraints: ph.constraints.ConstraintSet
    q: np.ndarray
    qd: np.ndarray
    tau: np.ndarray

    def run(self, function, *arrays):
        return run_plain(function, self.model, arrays, constraints=self.constraints.constraints)

    def system(self):
        return ph.constraints.ConstrainedSystem(
            *self.run(algorithms.constrained_system, self.q, self.qd)
        )


@st.composite
def cases(draw) -> Case:
    model, seed = draw(trees(max_links=4)), draw(SEEDS)
    return Case(model, random_set(model, seed), *constrained_state(model, seed))


def close(a, b, scale: float = 1.0) -> None:
    size = max(1.0, scale, float(np.abs(b).max(initial=0.0)))
    assert np.abs(np.asarray(a) - b).max(initial=0.0) <= TOLERANCE * size


def independent(case: Case) -> bool:
    """Whether the rows are clearly independent: a tree may have fewer freedoms than rows."""
    s = np.linalg.svd(case.system().G, compute_uv=False)
    return len(s) == case.constraints.n_rows and s[-1] > 1e-3 * s[0]


@given(cases())
def test_rows_are_met_by_forces_along_them(case):
    """``G qdd = gamma`` and ``H qdd + C = tau + G^T force``."""
    system = case.system()
    qdd, force = case.run(algorithms.constrained_range_space, case.q, case.qd, case.tau)
    balance = system.H @ qdd + system.C - system.G.T @ force
    close(balance, case.tau, np.abs(force).max())
    if independent(case):
        close(system.G @ qdd, system.gamma, np.abs(qdd).max())


@given(cases())
def test_methods_agree(case):
    """All four methods give the same accelerations and, of independent rows, the same forces."""
    assume(independent(case))
    system = case.system()
    results = [
        case.run(algorithms.constrained_range_space, case.q, case.qd, case.tau),
        case.run(algorithms.constrained_kokkevis, case.q, case.qd, case.tau),
        solve_direct(system.H, case.tau - system.C, system.G, system.gamma),
        solve_null_space(system.H, case.tau - system.C, system.G, system.gamma),
    ]
    for qdd, force in results[1:]:
        close(qdd, results[0][0])
        close(force, results[0][1])


@given(cases())
def test_gauss_principle(case):
    """Of all accelerations that meet the rows, the true ones are nearest to the free ones."""
    assume(independent(case))
    system, rng = case.system(), np.random.default_rng(0)
    qdd, _ = case.run(algorithms.constrained_range_space, case.q, case.qd, case.tau)
    free = np.linalg.solve(system.H, case.tau - system.C)
    kept = np.eye(case.model.nv) - np.linalg.pinv(system.G) @ system.G

    def compulsion(a):
        return (a - free) @ system.H @ (a - free)

    for _ in range(3):
        step = kept @ rng.standard_normal(case.model.nv)
        assert compulsion(qdd + step) >= compulsion(qdd) * (1.0 - 1e-9)


@given(cases())
def test_right_hand_side_is_the_rows_own_acceleration(case):
    """Without what was asked for and stabilization, ``gamma = -dG/dt qd`` by differences."""
    plain = [replace(c, stabilization=None) for c in case.constraints.constraints]
    constraints = ph.constraints.ConstraintSet(case.model, tuple(plain))
    bare = case._replace(constraints=constraints)
    G = []
    for sign in (1.0, -1.0):
        q = ph.integrate(case.model, case.q, case.qd, sign * STEP)
        G.append(bare.run(algorithms.constraint_jacobian, q))
    asked = np.array([getattr(c, "normal_acceleration", 0.0) for c in plain])
    expected = asked - (G[0] - G[1]) @ case.qd / (2 * STEP)
    got = bare.system().gamma
    assert np.abs(got - expected).max() <= 1e-6 * max(1.0, np.abs(expected).max())


@given(cases())
def test_stabilization_pulls_back(case):
    """``gamma`` has the terms ``-2/T errd - 1/T^2 err`` of Baumgarte, each row with its own T."""
    bare = case._replace(
        constraints=ph.constraints.ConstraintSet(
            case.model,
            tuple(replace(c, stabilization=None) for c in case.constraints.constraints),
        )
    )
    system = case.system()
    rates = np.array([1.0 / (c.stabilization or np.inf) for c in case.constraints.constraints])
    pull = 2.0 * rates * system.errd + rates**2 * system.err
    close(bare.system().gamma - pull, system.gamma)


@given(cases())
def test_impact_obeys_momentum_and_loses_energy(case):
    """``H (qd+ - qd) = G^T impulse``; with ``G qd+ = 0`` kinetic energy never grows."""
    system, v_plus = case.system(), np.zeros(case.constraints.n_rows)
    at = case.model.split_q(case.q), case.model.split_v(case.qd), v_plus
    rows = case.constraints.constraints
    after, impulse = map(
        np.array, algorithms.impulses_range_space(case.model, *at, constraints=rows)
    )
    other, _ = algorithms.impulses_kokkevis(case.model, *at, constraints=rows)
    change = system.H @ (after - case.qd)
    close(system.G.T @ impulse, change, np.abs(impulse).max())
    assert after @ system.H @ after <= case.qd @ system.H @ case.qd * (1.0 + 1e-9)
    if independent(case):
        close(other, after)
        close(system.G @ after, v_plus, np.abs(after).max())


@pytest.mark.parametrize("angle", [0.0, 0.3, 1.2, 2.8])
def test_position_error_of_a_turn_and_its_slope(angle):
    """It is ``u sin(theta)``, and Newton's method is given its derivative, not the speed."""
    model = four_bar()
    about_z = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    loop = ph.constraints.ConstraintSet(model).loop(0, "rocker", at(0.0), at(0.0), about_z)
    q = np.array([angle, 0.0, 0.0])
    rows = algorithms.constraint_rows(model, model.split_q(q), None, loop.constraints)
    assert rows.err[0] == pytest.approx(np.sin(angle), abs=1e-15)
    assert list(rows.G[0].values()) == pytest.approx([1.0] * 3)
    assert list(rows.slope[0].values()) == pytest.approx([np.cos(angle)] * 3)
