"""Impacts after Poisson: what is given back, what is kept, and that nothing is gained."""

from __future__ import annotations

import numpy as np
import pytest

from contact.solver_problems import UP, contact, energy, flat, pile, rows_on, tangents, tower
from polhode import contact_problem as c


@pytest.fixture(scope="module")
def settings():
    return c.solver_settings()


def hit(rows, restitution, settings):
    """(impulses, velocities, report) of an impact from rest impulses."""
    x, v, report = np.zeros(len(rows.bias)), np.zeros(len(rows.free)), c.Report()
    e = np.broadcast_to(np.asarray(restitution, float), rows.kind.shape).copy()
    assert c.impact(rows, e, x, v, settings, report) == report.worst
    return x, v, report


def ball(velocity, **settings):
    """A sphere of unit mass and radius on the floor."""
    blocks = [contact(0, None, -UP, UP, [np.zeros(3)], **settings)]
    return rows_on([1.0], [0.4 * np.eye(3)], [velocity], blocks)


def test_no_impact_gains_energy(settings):
    """400 impacts on coupled inertias, one to three contacts, each with its own e and mu."""
    rng = np.random.default_rng(400)
    for i in range(400):
        n = 1 + i % 3
        A = rng.normal(size=(3 * n, 3 * n))
        G = A @ A.T + 1e-3 * np.eye(3 * n)
        b = rng.normal(size=3 * n)
        b[::3] = -np.abs(b[::3])
        mu, e = rng.uniform(0.0, 1.5, n), rng.uniform(0.0, 1.0, n)
        x, _, _ = hit(c.rows_of_delassus(G, b, [c.CONTACT] * n, mu=mu), e, settings)
        scale = b @ np.linalg.solve(G, b)
        assert x @ (b + 0.5 * G @ x) <= 1e-9 * scale
        assert (x[::3] >= -1e-9).all()
        sides = np.hypot(x[1::3], x[2::3])
        assert (sides <= mu * x[::3] * (1 + 1e-7) + 1e-9).all()


@pytest.mark.parametrize("make", [flat, tower, pile])
def test_structures_gain_nothing_and_never_sink(settings, make):
    """Boxes, towers and heaps of bouncing bodies."""
    rng = np.random.default_rng(17)
    for i in range(12):
        rows = make(rng, 4 + 4 * (i % 2), mu=(0.0, 0.2, 0.5)[i % 3])
        e = rng.uniform(0.0, 1.0, len(rows.kind))
        x, v, report = hit(rows, e, settings)
        before = energy(rows, rows.free)
        assert energy(rows, v) <= before * (1 + 1e-9)
        assert report.unconverged == 0
        assert (x[::3] >= -1e-9).all()


@pytest.mark.parametrize("e", [0.0, 0.3, 1.0])
def test_a_ball_and_a_flat_box_return_at_e_times_their_speed(settings, e):
    """And without a spin."""
    x, v, _ = hit(ball([0, 0, -2.0, 0, 0, 0], mu=0.5), e, settings)
    np.testing.assert_allclose(v, [0, 0, 2 * e, 0, 0, 0], atol=1e-8)
    assert x[0] == pytest.approx(2 * (1 + e), abs=1e-8)
    corners = [np.array([a, b, -0.5]) for a in (-0.5, 0.5) for b in (-0.5, 0.5)]
    blocks = [contact(0, None, p, UP, [np.zeros(3)], mu=0.5) for p in corners]
    box = rows_on([1.0], [np.eye(3) / 6], [[0, 0, -2.0, 0, 0, 0]], blocks)
    np.testing.assert_allclose(hit(box, e, settings)[1], [0, 0, 2 * e, 0, 0, 0], atol=1e-7)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(("mu", "side"), [(0.1, 5.0), (0.5, 1.0), (0.3, 2.0), (np.inf, 3.0)])
def test_oblique_balls_slide_or_roll(settings, e, mu, side):
    """A sphere that slides throughout loses mu (1+e) v_n; otherwise it leaves rolling."""
    _, v, _ = hit(ball([side, 0, -2.0, 0, 0, 0], mu=mu), e, settings)
    lost = mu * (1 + e) * 2.0
    expected = [side - lost, lost / 0.4] if side > 3.5 * lost else [side / 1.4] * 2
    np.testing.assert_allclose([v[0], v[4], v[2]], [*expected, 2.0 * e], atol=1e-7)


def test_two_spheres_head_on(settings):
    """Newton's formula, which is Poisson's for one contact; momentum is kept."""
    (ma, mb), (va, vb), e = (1.0, 3.0), (2.0, -1.0), 0.7
    centres = [np.array([-1.0, 0, 0]), np.array([1.0, 0, 0])]
    blocks = [contact(0, 1, np.zeros(3), np.array([-1.0, 0, 0]), centres)]
    velocities = [[va, 0, 0, 0, 0, 0], [vb, 0, 0, 0, 0, 0]]
    rows = rows_on([ma, mb], [np.eye(3)] * 2, velocities, blocks)
    _, v, _ = hit(rows, e, settings)
    first = ((ma - e * mb) * va + (1 + e) * mb * vb) / (ma + mb)
    assert v[0] == pytest.approx(first, abs=1e-8)
    assert ma * v[0] + mb * v[6] == pytest.approx(ma * va + mb * vb, abs=1e-10)


def test_a_cradle_of_touching_balls_keeps_momentum_and_energy(settings):
    """All contacts at once, e = 1: (-1/3, 2/3, 2/3) of the first ball's speed."""
    centres = [np.array([2.0 * i, 0, 0]) for i in range(3)]
    axis = np.array([-1.0, 0, 0])
    blocks = [contact(i, i + 1, centres[i] - axis, axis, centres) for i in range(2)]
    velocities = np.eye(3, 1) * np.eye(1, 6)
    rows = rows_on([1.0] * 3, [0.4 * np.eye(3)] * 3, velocities, blocks)
    _, v, _ = hit(rows, 1.0, settings)
    np.testing.assert_allclose(v[::6], [-1 / 3, 2 / 3, 2 / 3], atol=1e-8)


def test_limits_give_back_and_loops_hold_through_both_phases(settings):
    """A joint limit bounces with its own e while a bilateral row stays at rest."""
    J = np.zeros((2, 6))
    J[0, 2], J[1, 5] = 1.0, 1.0
    J[1, 2] = 0.5
    blocks = [(c.UNILATERAL, [(0, J[0])], {}), (c.BILATERAL, [(0, J[1])], {})]
    rows = rows_on([1.0], [0.1 * np.eye(3)], [[0, 0, -3.0, 0, 0, 1.5]], blocks)
    _, v, _ = hit(rows, 0.6, settings)
    np.testing.assert_allclose([v[2], v[5]], [1.8, -0.9], atol=1e-7)


def test_restitution_zero_is_the_plain_solution(settings):
    """The same bits as `solve`."""
    rows = tower(np.random.default_rng(2), 4, mu=0.5)
    x, v, report = np.zeros(len(rows.bias)), np.zeros(len(rows.free)), c.Report()
    c.solve(rows, x, v, settings, report)
    y, w, _ = hit(rows, 0.0, settings)
    assert x.tobytes() == y.tobytes() and v.tobytes() == w.tobytes()


def test_speculative_contacts_and_moving_ground_do_no_work_they_should_not(settings):
    """A gap's bias takes energy only; a belt may give some, and restitution still acts."""
    axes = tangents(UP)
    blocks = [contact(0, None, -UP, UP, [np.zeros(3)], mu=0.5, bias=[0.5, 0, 0])]
    rows = rows_on([1.0], [0.4 * np.eye(3)], [[1.0, 0, -2.0, 0, 0, 0]], blocks)
    assert energy(rows, hit(rows, 0.5, settings)[1]) <= energy(rows, rows.free)
    belt = -axes @ np.array([30.0, 0, 0])
    rows = ball([0, 0, -2.0, 0, 0, 0], mu=0.1, bias=belt)
    _, v, report = hit(rows, 0.5, settings)
    np.testing.assert_allclose([v[0], v[2]], [0.1 * 2 * 1.5, 1.0], atol=1e-8)
    assert report.energy_clipped == 0.0
