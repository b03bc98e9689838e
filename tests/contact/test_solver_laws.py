"""The contact solver obeys Signorini and Coulomb on problems that nobody chose by hand."""

from __future__ import annotations

import numpy as np
import pytest

from contact import solver_problems as problems
from contact.solver_problems import UP, contact, energy, flat, pile, rows_on, run, tower, violation
from polhode import contact_problem as c
from polhode.contact_problem.solve import solve as compiled_solve
from polhode.errors import ArgumentError

# The solver's own tolerance; the laws here are measured in other units, of the same size.
SOLVED, LAWFUL = 1e-8, 1e-6
MUS = (0.1, 0.5, 1.0)
CONVERGED = 4.5  # stages of the report below this one


@pytest.fixture(scope="module")
def settings():
    return c.solver_settings()


def bodies(n=1, mass=1.0, inertia=0.1, velocity=(0, 0, -1.0, 0, 0, 0)):
    return [mass] * n, [inertia * np.eye(3)] * n, [velocity] * n


@pytest.mark.parametrize("n", [4, 8, 16, 32, 64])
def test_flat_boxes_are_all_solved_and_lawful(settings, n):
    """A box on many points, more than can be told apart: every problem, every law."""
    rng = np.random.default_rng(n)
    for i in range(30):
        rows = flat(rng, n, mu=MUS[i % 3])
        x, v, report = run(rows, settings)
        assert report.worst <= SOLVED and report.unconverged == 0 and report.stage < CONVERGED
        assert violation(rows, x, v) < LAWFUL


TOWERS = [(1, 30, 30), (2, 30, 30), (4, 30, 30), (8, 30, 29), (16, 15, 13)]


@pytest.mark.parametrize(("n", "count", "least"), TOWERS)
def test_towers_are_solved_and_lawful(settings, n, count, least):
    """Kicked towers, four contacts a storey, as often as has been measured."""
    rng = np.random.default_rng(100 + n)
    solved = 0
    for i in range(count):
        rows = tower(rng, n, mu=MUS[i % 3])
        x, v, report = run(rows, settings)
        assert (report.worst <= SOLVED) == (report.unconverged == 0)
        if report.unconverged == 0:
            solved += 1
            assert violation(rows, x, v) < LAWFUL
        assert energy(rows, v) <= energy(rows, rows.free) * (1 + 1e-12)
    assert solved >= least


@pytest.mark.parametrize("n", [20, 60])
def test_piles_are_solved_and_lawful(settings, n):
    """Heaps of spheres, each touching several others."""
    rng = np.random.default_rng(200 + n)
    for i in range(6):
        rows = pile(rng, n, mu=(0.1, 0.5)[i % 2])
        x, v, report = run(rows, settings)
        assert report.worst <= SOLVED
        assert violation(rows, x, v) < LAWFUL


def test_free_bodies_keep_their_momentum(settings):
    """Impulses between bodies cancel; only those of the floor remain."""
    rng = np.random.default_rng(5)
    rows = tower(rng, 6, mu=0.5)
    x, v, _ = run(rows, settings)
    masses = rows.mass.reshape(-1, 6, 6)[:, 0, 0]
    change = (masses[:, None] * (v - rows.free).reshape(-1, 6)[:, :3]).sum(axis=0)
    axes = problems.tangents(UP)
    np.testing.assert_allclose(change, x[:12].reshape(4, 3).sum(axis=0) @ axes, atol=1e-12)


UNIQUE = [lambda r: tower(r, 5), lambda r: pile(r, 20), lambda r: flat(r, 4, mu=0.3)]


@pytest.mark.parametrize("make", UNIQUE)
def test_the_order_of_blocks_does_not_matter(settings, make):
    """Where velocities are unique (no friction, or one body) any order finds them."""
    rng = np.random.default_rng(11)
    for _ in range(5):
        rows = make(rng)
        v = run(rows, settings)[1]
        order = rng.permutation(len(rows.kind))
        w = run(problems.reordered(rows, order), settings)[1]
        np.testing.assert_allclose(w, v, atol=1e-6 * np.abs(rows.free).max())


def test_twice_the_same_bits_and_a_solution_is_left_alone(settings):
    """Nothing random, nothing kept; a warm start at the solution costs no sweep."""
    rows = tower(np.random.default_rng(8), 8, mu=0.5)
    x, v, report = run(rows, settings)
    again = run(rows, settings)
    assert x.tobytes() == again[0].tobytes() and v.tobytes() == again[1].tobytes()
    warm = run(rows, settings, x)
    assert warm[0].tobytes() == x.tobytes() and warm[1].tobytes() == v.tobytes()
    assert warm[2].sweeps == 0 and warm[2].newton_steps == 0
    assert report.sweeps + report.newton_steps > 0


def test_islands_do_not_know_of_each_other(settings):
    """Two towers solved together have the bits they have alone."""
    rng = np.random.default_rng(9)
    one, two = tower(rng, 3, mu=0.5), flat(rng, 4, mu=0.2)
    far = lambda a, b, shift: np.concatenate([a[:-1], b + shift])  # noqa: E731
    both = c.ConstraintRows(
        node_dof=far(one.node_dof, two.node_dof, one.node_dof[-1]),
        node_mass=far(one.node_mass, two.node_mass, len(one.mass)),
        row=far(one.row, two.row, one.row[-1]),
        segment=far(one.segment, two.segment, one.segment[-1]),
        value=far(one.value, two.value, one.value[-1]),
        node=np.concatenate([one.node, two.node + 3]),
        **{
            name: np.concatenate([getattr(one, name), getattr(two, name)])
            for name in ("mass", "free", "kind", "jacobian", "bias", "compliance",
                         "mu", "widening", "edges", "lower", "upper")
        },
    )  # fmt: skip
    x, v, report = run(both, settings)
    alone = [run(rows, settings) for rows in (one, two)]
    assert report.islands == 2
    assert x.tobytes() == b"".join(a[0].tobytes() for a in alone)
    assert v.tobytes() == b"".join(a[1].tobytes() for a in alone)


def test_sliding_friction_opposes_slip_in_every_direction(settings):
    """A point mass: the impulse is mu times the normal one, straight against the motion."""
    for angle in np.linspace(0.0, np.pi, 7):
        speed = 3.0 * np.array([np.cos(angle), np.sin(angle)])
        rows = rows_on(
            *bodies(velocity=(*speed, -1.0, 0, 0, 0)),
            [contact(0, None, np.zeros(3), UP, [np.zeros(3)], mu=0.5)],
        )
        _, v, _ = run(rows, settings)
        np.testing.assert_allclose(v[:3], [*(speed * (1 - 0.5 / 3.0)), 0.0], atol=1e-9)


def test_mu_zero_mu_infinite_and_no_slip_above_a_hundred(settings):
    """No friction leaves tangents alone; without slip a pressed point stands still."""
    start = (900.0, 0, -1.0, 0, 0, 0)  # up to a thousand times the pressure
    for mu, expected in ((0.0, 900.0), (99.0, 801.0), (100.0, 0.0), (np.inf, 0.0)):
        blocks = [contact(0, None, np.zeros(3), UP, [np.zeros(3)], mu=mu)]
        x, v, _ = run(rows_on(*bodies(velocity=start), blocks), settings)
        np.testing.assert_allclose(v[[0, 2]], [expected, 0.0], atol=1e-4)
        assert np.isfinite(x).all()
    lifted = rows_on(*bodies(velocity=(2.0, 0, 1.0, 0, 0, 0)), blocks)
    assert not run(lifted, settings)[0].any()


def test_viscous_widening_adds_to_the_disk(settings):
    """The disk has radius sqrt((mu x_n)^2 + w^2)."""
    blocks = [contact(0, None, np.zeros(3), UP, [np.zeros(3)], mu=0.3, widening=0.4)]
    _, v, _ = run(rows_on(*bodies(velocity=(2.0, 0, -1.0, 0, 0, 0)), blocks), settings)
    np.testing.assert_allclose(v[0], 2.0 - 0.5, atol=1e-9)


@pytest.mark.parametrize("edges", [3, 4, 7, 16])
def test_a_polygon_lies_in_the_disk_and_touches_it_at_its_corners(settings, edges):
    """Whatever the direction: between the inner and the outer circle, and as far as it can."""
    corners = 2 * np.pi * np.arange(edges) / edges
    axes = problems.tangents(UP)
    for angle in np.linspace(0.1, 6.0, 9):
        slip = np.cos(angle) * axes[1] + np.sin(angle) * axes[2]
        blocks = [contact(0, None, np.zeros(3), UP, [np.zeros(3)], mu=0.5, edges=edges)]
        x, _, _ = run(rows_on(*bodies(velocity=(*(300 * slip - UP), 0, 0, 0)), blocks), settings)
        best = min(np.cos(corners - angle))
        assert x[1] * np.cos(angle) + x[2] * np.sin(angle) == pytest.approx(0.5 * best, abs=1e-6)
        assert np.hypot(x[1], x[2]) <= 0.5 + 1e-9


def test_compliance_is_a_spring_on_the_diagonal(settings):
    """x = -u / (g + R), and the gap's bias counts."""
    mass, R, bias = 2.0, 0.25, 0.3
    block = contact(
        0, None, np.zeros(3), UP, [np.zeros(3)], bias=[bias, 0, 0], compliance=[R, 0, 0]
    )
    x, _, _ = run(rows_on(*bodies(mass=mass), [block]), settings)
    assert x[0] == pytest.approx((1.0 - bias) / (1 / mass + R), rel=1e-9)


def test_a_speculative_contact_stops_nobody_before_it_is_reached(settings):
    """With bias gap/h only the part of the speed beyond it is taken."""
    for bias, expected in ((0.4, -0.4), (1.5, -1.0)):
        block = contact(0, None, np.zeros(3), UP, [np.zeros(3)], bias=[bias, 0, 0], mu=0.5)
        _, v, _ = run(rows_on(*bodies(), [block]), settings)
        assert v[2] == pytest.approx(expected, abs=1e-9)


def test_limits_dry_friction_and_loops_in_closed_form(settings):
    """One-row blocks on single velocities."""
    J = np.eye(6)
    blocks = [
        (c.UNILATERAL, [(0, J[2])], {}),
        (c.BOX, [(0, J[0])], dict(lower=-0.25, upper=0.25)),
        (c.BOX, [(0, J[1])], dict(lower=-5.0, upper=5.0)),
        (c.BILATERAL, [(0, J[5])], dict(bias=0.5)),
    ]
    rows = rows_on(*bodies(velocity=(1.0, 1.0, -1.0, 0, 0, 3.0)), blocks)
    x, v, report = run(rows, settings)
    np.testing.assert_allclose(v, [0.75, 0, 0, 0, 0, -0.5], atol=1e-9)
    np.testing.assert_allclose(x, [1.0, -0.25, -1.0, -0.35], atol=1e-9)
    assert report.worst <= SOLVED


def test_redundant_loops_are_normal(settings):
    """Two bodies welded by eighteen rows of rank six, under a floor of contacts."""
    rng = np.random.default_rng(3)
    weld = [(c.BILATERAL, [(0, J), (1, -J)], {}) for _ in range(3) for J in rng.normal(size=(6, 6))]
    centres = [np.zeros(3), np.array([1.0, 0, 0])]
    floor = [contact(i, None, centres[i] - UP, UP, centres, mu=0.4) for i in (0, 1)]
    velocities = rng.normal(size=(2, 6)) - [0, 0, 1, 0, 0, 0]
    rows = rows_on([1.0, 2.0], [0.2 * np.eye(3)] * 2, velocities, weld + floor)
    x, v, report = run(rows, settings)
    assert report.worst <= SOLVED
    np.testing.assert_allclose(v[:6], v[6:], atol=1e-7)
    assert violation(rows, x, v) < LAWFUL


@pytest.mark.parametrize("ratio", [1e6, 1e-6])
def test_mass_ratios_of_a_million(settings, ratio):
    """A mountain on a mouse, and the other way about, in free fall onto the floor."""
    for seed in range(6):
        rows = tower(np.random.default_rng(seed), 2, masses=[1.0, ratio], speed=0.0, mu=0.5)
        x, v, report = run(rows, settings)
        assert report.worst <= SOLVED and np.abs(v).max() < 1e-6
        rows = tower(np.random.default_rng(seed), 2, masses=[1.0, ratio], mu=0.5)
        x, v, report = run(rows, settings)
        assert report.worst <= SOLVED or report.unconverged == 1
        assert energy(rows, v) <= energy(rows, rows.free) * (1 + 1e-9)
        assert np.isfinite(x).all()


def test_nothing_to_do(settings):
    """No blocks, blocks that touch nothing, bodies at rest."""
    x, v, report = run(rows_on(*bodies(), []), settings)
    assert v[2] == -1.0 and len(x) == 0 and report.worst == 0.0
    x, v, report = run(rows_on(*bodies(), [(c.CONTACT, [], dict(mu=0.5))]), settings)
    assert v[2] == -1.0 and not x.any() and report.islands == 0
    rest = rows_on(
        *bodies(velocity=np.zeros(6)), [contact(0, None, -UP, UP, [np.zeros(3)], mu=1.0)]
    )
    x, v, report = run(rest, settings)
    assert not x.any() and not v.any() and report.worst == 0.0


def test_a_zero_row_is_left_out(settings):
    """A Jacobian of zeros cannot be satisfied and must not spoil the rest."""
    nothing = (c.BILATERAL, [(0, np.zeros(6))], dict(bias=1.0))
    blocks = [nothing, (c.UNILATERAL, [(0, np.eye(6)[2])], {})]
    _, v, report = run(rows_on(*bodies(), blocks), settings)
    assert v[2] == pytest.approx(0.0, abs=1e-9) and report.worst <= SOLVED


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_bad_numbers_give_an_infinite_residual_and_end(settings, bad):
    """Not converged, said so, and the other island is solved; calls from Python refuse them."""
    rng = np.random.default_rng(1)
    for field in ("free", "bias", "jacobian", "mass", "mu"):
        if field == "mu" and bad == np.inf:
            continue
        rows = tower(rng, 2, mu=0.5)
        getattr(rows, field)[: None if field == "mu" else 1] = bad
        _, _, report = run(rows, settings, door=compiled_solve)
        assert report.worst == np.inf and report.unconverged == 1
        with pytest.raises(ArgumentError, match=field):
            run(rows, settings)
    _, v, report = run(flat(rng, 4, mu=0.5), settings, np.full(12, bad))
    assert report.worst <= SOLVED and np.isfinite(v).all()


def test_a_delassus_matrix_alone_is_enough(settings):
    """The same answer from G and b as from bodies."""
    rng = np.random.default_rng(21)
    rows = tower(rng, 3, mu=0.5)
    M, J = problems.dense(rows)
    G, b = J @ np.linalg.solve(M, J.T), J @ rows.free
    same = c.rows_of_delassus(G, b, [c.CONTACT] * 12, mu=0.5)
    assert len(same.free) == np.linalg.matrix_rank(G)
    x, _, report = run(same, settings)
    assert report.worst <= SOLVED
    assert violation(rows, x, rows.free + np.linalg.solve(M, J.T @ x)) < LAWFUL


def test_a_negative_compliance_is_a_share_of_the_own_diagonal(settings):
    """A row of diagonal 4 that yields by a quarter of it: x = 2 / (4 + 1)."""
    rows = c.rows_of_delassus([[4.0]], [-2.0], [c.UNILATERAL], compliance=-0.25)
    assert run(rows, settings)[0][0] == pytest.approx(0.4, rel=1e-8)


def test_demands_that_contradict_each_other_are_met_halfway(settings):
    """Two rows want the same speed to be 1 and -1: with a little yield there is an answer."""
    J = np.array([[1.0, 0, 0, 0, 0, 0]])
    blocks = [(c.BILATERAL, [(0, J)], {"bias": b, "compliance": -1e-4}) for b in (-1.0, 1.0)]
    x, v, report = run(rows_on(*bodies(velocity=(0.3, 0, 0, 0, 0, 0)), blocks), settings)
    assert report.worst <= 1e-8
    assert abs(v[0]) < 1e-3
    assert x[0] == pytest.approx(-x[1], rel=1e-3)


def test_demands_that_contradict_each_other_by_rounding_yield(settings):
    """Two rows want the same speed to be 1e-6 and zero: no rigid impulses solve that."""
    J = np.array([[1.0, 0, 0, 0, 0, 0]])
    for apart, yields in ((0.0, 0), (1e-6, 1)):
        blocks = [(c.BILATERAL, [(0, J)], {"bias": b}) for b in (-apart, 0.0)]
        _, v, report = run(rows_on(*bodies(velocity=(0.3, 0, 0, 0, 0, 0)), blocks), settings)
        assert report.worst <= 1e-8 and report.relaxed == yields
        assert v[0] == pytest.approx(0.5 * apart, abs=1e-8)
        rigid = c.solver_settings(may_relax=False)
        _, v, report = run(rows_on(*bodies(velocity=(0.3, 0, 0, 0, 0, 0)), blocks), rigid)
        assert report.relaxed == 0 and report.unconverged == yields
        assert abs(v[0]) < 1e-4


def test_rows_of_rounding_are_left_out(settings):
    """A contact at which nothing can be moved spoils nothing and bears nothing."""
    rng = np.random.default_rng(3)
    rows = tower(rng, 3, mu=0.5)
    first, last = rows.value[rows.segment[0]], rows.value[rows.segment[1]]
    rows.jacobian[first:last] *= 1e-16
    x, v, report = run(rows, settings)
    assert report.worst <= 1e-8
    assert not x[:3].any()
    assert np.isfinite(v).all()


def test_what_is_not_solved_gains_no_energy():
    """One sweep and no more: the answer is reported as none, and still takes energy."""
    hurried = c.solver_settings(sweeps=1, stages=0, last_sweeps=0)
    rng = np.random.default_rng(8)
    unsolved = 0
    for _ in range(40):
        rows = tower(rng, 6, mu=rng.uniform(0.0, 2.0))
        _, v, report = run(rows, hurried)
        unsolved += report.unconverged == 1
        assert energy(rows, v) <= energy(rows, rows.free) * (1 + 1e-12)
    assert unsolved > 20
