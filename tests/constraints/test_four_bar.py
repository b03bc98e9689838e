"""Four-bars: closed for ten seconds, redundant in space, driven by one actuator."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from constraints.machines import CLOSED, PIN_X, PIN_Y, closed, constrained_state
from models import at, four_bar, walker

IN_PLANE = (PIN_X, PIN_Y)
ALL_BUT_HINGE = np.eye(6)[[0, 1, 3, 4, 5]].tolist()
ALL_SIX = (*np.eye(6)[3:].tolist(), *np.eye(6)[:2].tolist(), (1.0, 0.0, 0.0, 1.0, 0.0, 0.0))


def assembled(constraints):
    r = ph.assemble(constraints.model, constraints, CLOSED, [1.0, 0.0, 0.0])
    assert r.success
    return r.q, r.qd


def gap(constraints, q) -> float:
    return float(
        np.abs(ph.constraints.constraint_errors(constraints.model, constraints, q).position).max()
    )


def test_stays_closed_for_ten_seconds():
    """With stabilization the loop's gap stays under 1e-8 m, and energy within 1e-6 of itself."""
    model = four_bar()
    constraints = closed(model, IN_PLANE, stabilization=0.02)
    q, qd = assembled(constraints)
    tau, h, worst = np.zeros(3), 1e-3, 0.0

    def rate(q, qd):
        return ph.constrained_dynamics(model, constraints, q, qd, tau).qdd

    start = sum(ph.energy(model, q, qd))
    for _ in range(10_000):
        a = rate(q, qd)
        b = rate(q + h / 2 * qd, qd + h / 2 * a)
        c = rate(q + h / 2 * qd + h * h / 4 * a, qd + h / 2 * b)
        d = rate(q + h * qd + h * h / 2 * b, qd + h * c)
        q, qd = q + h * qd + h * h / 6 * (a + b + c), qd + h / 6 * (a + 2 * b + 2 * c + d)
        worst = max(worst, gap(constraints, q))
    assert worst < 1e-8
    assert abs(sum(ph.energy(model, q, qd)) - start) < 1e-6 * 10.0
    assert np.abs(qd).max() > 0.1


@pytest.mark.parametrize("rows", [ALL_BUT_HINGE, ALL_SIX], ids=["five", "six"])
def test_redundant_rows_change_nothing_but_how_force_is_shared(rows):
    """A planar four-bar closed by spatial rows moves as with its two rows, by every method."""
    model = four_bar()
    plane, space = closed(model, IN_PLANE), closed(model, rows)
    q, qd = assembled(plane)
    tau = np.array([0.3, -0.2, 0.5])
    expected = ph.constrained_dynamics(model, plane, q, qd, tau)
    G = ph.constraints.constraint_jacobian(model, space, q)
    for method in ("range_space", "kokkevis", "direct", "null_space"):
        r = ph.constrained_dynamics(model, space, q, qd, tau, method=method)
        np.testing.assert_allclose(r.qdd, expected.qdd, atol=1e-9)
        push = ph.constraints.constraint_jacobian(model, plane, q).T @ expected.force
        np.testing.assert_allclose(G.T @ r.force, push, atol=1e-9)
    after = ph.constraint_impulses(model, space, q, tau)
    np.testing.assert_allclose(
        after.qd_plus, ph.constraint_impulses(model, plane, q, tau).qd_plus, atol=1e-10
    )


def test_report_names_redundant_rows_and_mobility():
    """Of the six rows two are independent, whatever their order; one freedom is left."""
    model = four_bar()
    q, _ = assembled(closed(model, IN_PLANE))
    report = ph.constraints.constraint_report(model, closed(model, np.eye(6).tolist()), q)
    assert (report.rank, report.mobility) == (3, 0)  # held against turning, it is rigid
    report = ph.constraints.constraint_report(model, closed(model, ALL_SIX), q)
    assert (report.rank, report.mobility, report.redundant) == (2, 1, (2, 3, 4, 5))
    assert report.names == ("pin[2]", "pin[3]", "pin[4]", "pin[5]")
    report = ph.constraints.constraint_report(model, closed(model, ALL_BUT_HINGE), q)
    assert (report.rank, report.mobility, report.redundant) == (2, 1, (0, 1, 4))
    assert ph.constraints.constraint_report(model, closed(model, IN_PLANE), q).redundant == ()


def test_assembly_of_redundant_rows_and_of_batches():
    """Newton's method closes a loop given by redundant rows, from many starts at once."""
    model = four_bar()
    space = closed(model, ALL_SIX)
    starts = np.array(CLOSED) + np.random.default_rng(0).uniform(-0.3, 0.3, (20, 3))
    starts[0] = ph.assemble(model, space, CLOSED).q
    r = ph.assemble(model, space, starts, np.ones((20, 3)))
    assert r.success.all()
    assert r.iterations[0] <= 1 < r.iterations.max() < 20
    assert r.qd is not None
    errors = ph.constraints.constraint_errors(model, space, r.q, r.qd)
    assert max(np.abs(x).max() for x in errors) < 1e-11


@pytest.mark.parametrize("batch", [(0,), (2, 0)])
def test_assembly_of_nothing(batch):
    model = four_bar()
    r = ph.assemble(model, closed(model, ALL_SIX), np.zeros((*batch, 3)), np.zeros((*batch, 3)))
    assert r.q.shape == (*batch, 3) and r.success.shape == r.error.shape == batch
    assert r.qd is not None and r.qd.shape == (*batch, 3)


def test_assembly_follows_weights_and_says_when_it_fails():
    """A heavy coordinate hardly moves; a loop that cannot close is no success."""
    model = four_bar()
    plane = closed(model, IN_PLANE)
    r = ph.assemble(model, plane, CLOSED, weights=[1e9, 1.0, 1.0])
    assert r.success
    assert abs(r.q[0] - CLOSED[0]) < 1e-6 < abs(r.q[1] - CLOSED[1])
    far = ph.constraints.ConstraintSet(model).loop(0, "rocker", at(9.0), at(0.8), IN_PLANE)
    assert not ph.assemble(model, far, CLOSED).success


def test_assembly_turns_quaternion_joints():
    """A free trunk is brought to where its feet are to stand; its quaternion stays unit."""
    model = walker()
    q, qd, _ = constrained_state(model, 5)
    stand = ph.constraints.ConstraintSet(model)
    for side, y in (("left", 0.2), ("right", -0.2)):
        normals = np.eye(3).tolist()
        stand = stand.contact(f"{side} shin", (0, 0, -0.4), normals, ground=(0.05, y, -0.75))
    r = ph.assemble(model, stand, q, qd)
    assert r.success
    assert np.linalg.norm(ph.get_quaternion(model, r.q, "trunk")) == pytest.approx(1.0, abs=1e-14)
    assert np.abs(ph.constraints.constraint_errors(model, stand, r.q, r.qd).velocity).max() < 1e-12


def test_a_batch_may_hold_states_of_different_rank():
    """Where the links are in line a row is lost; that state is solved like its neighbours."""
    model = four_bar()
    plane = closed(model, IN_PLANE)
    q = np.array([CLOSED, [0.0, 0.0, 0.0]])
    assert [ph.constraints.constraint_report(model, plane, x).rank for x in q] == [2, 1]
    tau = np.array([0.3, -0.2, 0.5])
    results = [
        ph.constrained_dynamics(model, plane, q, np.zeros(3), tau, method=method)
        for method in ("range_space", "direct", "null_space")
    ]
    system = ph.constraints.constrained_system(model, plane, q, np.zeros((2, 3)))
    for r in results:
        np.testing.assert_allclose(r.qdd, results[0].qdd, atol=1e-9)
        np.testing.assert_allclose(
            np.einsum("bij,bj->bi", system.G, r.qdd), system.gamma, atol=1e-9
        )


def test_inverse_dynamics_of_one_actuator():
    """The crank's torque alone gives the wanted acceleration; relaxed, it nearly does."""
    model = four_bar()
    plane = closed(model, IN_PLANE)
    q, qd = assembled(plane)
    mask = [True, False, False]
    assert ph.constraints.is_fully_actuated(model, plane, q, mask)
    assert not ph.constraints.is_fully_actuated(model, plane, q, [False] * 3)
    wanted = [2.0, np.nan, np.nan]
    exact = ph.constraints.constrained_inverse_dynamics(model, plane, q, qd, wanted, mask)
    motion = ph.constrained_dynamics(model, plane, q, qd, exact.tau)
    np.testing.assert_allclose(motion.qdd, exact.qdd, atol=1e-10)
    assert motion.qdd[0] == pytest.approx(2.0, abs=1e-10)
    assert not exact.tau[1:].any()
    misses = []
    for weight in (None, 1e8):
        r = ph.constraints.constrained_inverse_dynamics(
            model, plane, q, qd, wanted, mask, relaxed=True, weight=weight
        )
        again = ph.constrained_dynamics(model, plane, q, qd, r.tau)
        np.testing.assert_allclose(again.qdd, r.qdd, atol=1e-6)
        misses.append(abs(r.qdd[0] - 2.0))
    assert misses[1] < 1e-5 < misses[0] < 0.5
