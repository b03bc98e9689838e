"""The other methods against what is exact: enumeration, optimality, and each other."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from contact.solver_problems import (
    dense,
    energy,
    flat,
    kept_problems,
    rows_on,
    run,
    tower,
    violation,
)
from polhode import contact_problem as c
from polhode.contact_problem.interior import lift_of
from polhode.contact_problem.lemke import lemke


def all_solutions(M, q):
    """Every solution of a small complementarity problem, by trying each choice of rows."""
    n = len(q)
    found = []
    for choice in product((False, True), repeat=n):
        active = np.flatnonzero(choice)
        z = np.zeros(n)
        if len(active):
            block = M[np.ix_(active, active)]
            if np.linalg.cond(block) > 1e12:
                continue
            z[active] = np.linalg.solve(block, -q[active])
        if (z >= -1e-9).all() and (M @ z + q >= -1e-9).all():
            found.append(z)
    return found


def test_lemke_finds_one_of_all_solutions():
    """Problems of five rows, definite and not: what it returns solves, and was enumerated."""
    rng = np.random.default_rng(0)
    solved = 0
    for i in range(60):
        A = rng.normal(size=(5, 5))
        M = A @ A.T + (rng.normal(size=(5, 5)) if i % 2 else 0.0)
        M = M - M.T + A @ A.T if i % 3 == 0 else M
        q, z = rng.normal(size=5), np.zeros(5)
        if lemke(M, q, z, np.array([500])):
            solved += 1
            w = M @ z + q
            assert z.min() >= 0.0 and w.min() > -1e-8 and abs(w @ z) < 1e-8
            assert min(np.abs(z - y).max() for y in all_solutions(M, q)) < 1e-6
        else:
            assert i % 3 != 0  # positive definite ones always have a solution
    assert solved >= 40


def test_lemke_survives_ties():
    """Equal rows and zeros: what makes plain ratio tests go round in circles."""
    n = 8
    M = np.ones((n, n)) + 1e-9 * np.eye(n)
    z = np.zeros(n)
    assert lemke(M, -np.ones(n), z, np.array([1000]))
    assert abs(z.sum() - 1.0) < 1e-8 and z.min() >= 0.0
    J = np.kron(np.ones((4, 1)), np.eye(3))
    assert lemke(J @ J.T, -np.ones(12), z := np.zeros(12), np.array([1000]))
    assert (J @ J.T @ z).min() > 1.0 - 1e-8


def test_lemke_ends_where_no_pivots_are_left():
    """A definite problem of twelve active rows needs more than five, and then more than none."""
    n, left = 12, np.array([5])
    assert not lemke(np.eye(n), -np.ones(n), np.zeros(n), left) and left[0] == 0
    assert not lemke(np.eye(n), -np.ones(n), np.zeros(n), left) and left[0] == 0
    left[0] = 100
    assert lemke(np.eye(n), -np.ones(n), z := np.zeros(n), left) and 0 < left[0] < 100
    assert np.allclose(z, 1.0)


def test_frictionless_answers_are_the_enumerated_one():
    """Up to eight normals: velocities are unique, so all methods must have them."""
    settings = c.solver_settings()
    rng = np.random.default_rng(4)
    for n in (1, 3, 5, 8):
        for _ in range(3):
            A = rng.normal(size=(n, n + 1))
            G, b = A @ A.T, rng.normal(size=n)
            z = all_solutions(G, b)
            rows = c.rows_of_delassus(G, b, [c.UNILATERAL] * n)
            for door in (c.solve, c.solve_lcp):
                x, _, report = run(rows, settings, door=door)
                assert report.worst <= 1e-8
                np.testing.assert_allclose(G @ x, G @ z[0], atol=1e-7)


def test_pyramid_friction_is_among_the_enumerated_solutions():
    """One contact with four edges: 64 cases; `solve_lcp` and the exact solver's polygon."""
    settings = c.solver_settings()
    rng = np.random.default_rng(6)
    D = np.array([[1, 0], [0, 1], [-1, 0], [0, -1.0]])
    E = np.zeros((3, 6))
    E[0, 0], E[1:, 1:5] = 1.0, D.T
    for _ in range(12):
        A, mu = rng.normal(size=(3, 3)), rng.uniform(0.1, 0.8)
        G, b = A @ A.T, rng.normal(size=3) - [1.0, 0, 0]
        C = np.zeros((6, 6))
        C[1:5, 5], C[5, 1:5], C[5, 0] = 1.0, -1.0, mu
        z = all_solutions(E.T @ G @ E + C, E.T @ b)
        rows = c.rows_of_delassus(G, b, [c.CONTACT], mu=mu, edges=4)
        for door in (c.solve_lcp, c.solve):
            x, _, report = run(rows, settings, door=door)
            assert report.worst <= 1e-8
            assert min(np.abs(x - E @ y).max() for y in z) < 1e-6


@pytest.mark.parametrize("edges", [4, 8])
def test_lemke_solves_boxes_and_towers(edges):
    """Redundant contacts; the residual is that of the polygon's own law."""
    settings = c.solver_settings(lcp_edges=edges)
    rng = np.random.default_rng(edges)
    for i in range(12):
        make = (lambda r, m: flat(r, 4, mu=m), lambda r, m: tower(r, 2, mu=m))[i % 2]
        rows = make(rng, (0.1, 0.5, 1.0)[i % 3])
        x, _, report = run(rows, settings, door=c.solve_lcp)
        assert report.worst <= 1e-8 and report.stage <= 1
        side = np.hypot(x[1::3], x[2::3])
        assert (side <= rows.mu * x[::3] + 1e-9).all()


def test_lemke_takes_every_kind_of_block():
    """Loops (redundant ones), limits and dry friction beside a contact: as the exact solver."""
    rng = np.random.default_rng(12)
    J = rng.normal(size=(5, 6))
    blocks = [
        (c.BILATERAL, [(0, J[0])], {}), (c.BILATERAL, [(0, 2 * J[0])], {}),
        (c.UNILATERAL, [(0, J[1])], {}), (c.BOX, [(0, J[2])], dict(lower=-0.1, upper=0.2)),
        (c.CONTACT, [(0, rng.normal(size=(3, 6)))], dict(mu=0.2, edges=6)),
    ]  # fmt: skip
    for _ in range(6):
        rows = rows_on([1.0], [np.eye(3)], [rng.normal(size=6)], blocks)
        v = run(rows, c.solver_settings(), door=c.solve_lcp)
        w = run(rows, c.solver_settings())
        assert v[2].worst <= 1e-8 and w[2].worst <= 1e-8
        np.testing.assert_allclose(v[1], w[1], atol=1e-6)


def test_the_convex_answer_is_optimal():
    """Impulses in the cone, the cost's slope in the dual cone, and both at right angles."""
    softness = 1e-2
    settings = c.solver_settings(softness=softness)
    rng = np.random.default_rng(31)
    for i in range(12):
        mu = (0.2, 0.5, 1.0)[i % 3]
        rows = tower(rng, 1 + i % 4, mu=mu)
        x, _, report = run(rows, settings, door=c.solve_convex)
        H, b = convex_problem(rows, softness)
        slope = H @ x + b
        speed, push = np.abs(b).max(), np.abs(b).max() / H.diagonal().min()
        assert report.worst <= 1e-8
        assert (mu * x[::3] - np.hypot(x[1::3], x[2::3]) >= -1e-7 * push).all()
        assert (slope[::3] - mu * np.hypot(slope[1::3], slope[2::3]) >= -1e-7 * speed).all()
        assert abs(x @ slope) <= 1e-7 * speed * push


def convex_problem(rows, softness):
    """``H`` and ``b`` of the cost ``x.H x / 2 + b.x``."""
    M, J = dense(rows)
    G = J @ np.linalg.solve(M, J.T)
    scale = [
        max(G[i, i], np.linalg.eigvalsh(G[i + 1 : i + 3, i + 1 : i + 3])[-1])
        for i in range(0, len(G), 3)
    ]
    return G + softness * np.diag(np.repeat(scale, 3)), J @ rows.free


def test_convex_warm_start_and_repeat():
    """Same bits twice; started at its answer it stays there."""
    settings = c.solver_settings()
    rows = tower(np.random.default_rng(3), 6, mu=0.5)
    x, v, report = run(rows, settings, door=c.solve_convex)
    again = run(rows, settings, door=c.solve_convex)
    assert x.tobytes() == again[0].tobytes()
    warm = run(rows, settings, x, door=c.solve_convex)
    np.testing.assert_allclose(warm[1], v, atol=1e-7)
    assert warm[2].newton_steps <= report.newton_steps


# -- with the solvers of others -------------------------------------------------------


@pytest.mark.oracle
@pytest.mark.parametrize("storeys", [1, 3])
def test_clarabel_agrees_on_the_convex_problem(storeys):
    """Second-order cones by an interior point method."""
    clarabel = pytest.importorskip("clarabel")
    from scipy import sparse

    softness = 1e-2
    settings = c.solver_settings(softness=softness)
    for seed, mu in enumerate((0.2, 0.5, 1.0)):
        rows = tower(np.random.default_rng(seed), storeys, mu=mu)
        x, _, report = run(rows, settings, door=c.solve_convex)
        H, b = convex_problem(rows, softness)
        m = len(b)
        scale = np.tile([mu, 1.0, 1.0], m // 3)
        options = clarabel.DefaultSettings()
        options.verbose = False
        options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-12
        solver = clarabel.DefaultSolver(
            sparse.triu(sparse.csc_matrix(H)).tocsc(), b,
            sparse.csc_matrix(-np.diag(scale)), np.zeros(m),
            [clarabel.SecondOrderConeT(3)] * (m // 3), options,
        )  # fmt: skip
        y = np.array(solver.solve().x)
        assert report.worst <= 1e-8
        np.testing.assert_allclose(x, y, atol=1e-6 * np.abs(y).max())


@pytest.mark.oracle
def test_pinocchio_agrees():
    """ADMM on the same Delassus matrix: lawful here too, and mostly the same velocities.

    Four points share friction in more than one way, so now and then there are several
    answers; started at Pinocchio's, ours stays there.
    """
    pin = pytest.importorskip("pinocchio")
    rng = np.random.default_rng(77)
    settings, compared, same = c.solver_settings(), 0, 0
    for i in range(12):
        mu = (0.1, 0.3, 0.5)[i % 3]
        rows = flat(rng, 4, mu=mu)
        y = admm(pin, rows, mu)
        if y is None:
            continue
        compared += 1
        M, J = dense(rows)
        theirs = rows.free + np.linalg.solve(M, J.T @ y)
        speed = np.abs(J @ rows.free).max()
        assert violation(rows, y, theirs) < 1e-6
        np.testing.assert_allclose(run(rows, settings, y)[1], theirs, atol=1e-5 * speed)
        same += np.abs(run(rows, settings)[1] - theirs).max() < 1e-5 * speed
    assert compared >= 9 and same >= 6


def admm(pin, rows, mu):
    """Pinocchio's impulses in our order of rows, or None if it does not converge."""
    M, J = dense(rows)
    n = len(rows.kind)
    theirs = np.concatenate([3 * k + np.array([1, 2, 0]) for k in range(n)])  # normal last
    G = (J @ np.linalg.solve(M, J.T))[np.ix_(theirs, theirs)]
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "body")
    models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for _ in range(n):
        point = pin.PointContactConstraintModel(model, joint, pin.SE3.Identity())
        point.setFriction(mu)
        models.append(pin.ConstraintModel(point))
        datas.append(models[-1].createData())
    settings, result = pin.ADMMSolverSettings(), pin.ADMMSolverResult()
    settings.max_iterations = 5000
    settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = 1e-9
    settings.relative_feasibility_tol = settings.relative_complementarity_tol = 0.0
    solver = pin.ADMMConstraintSolver(3 * n)
    delassus, g = pin.DelassusOperatorDense(G), (J @ rows.free)[theirs]
    if not solver.solve(delassus, g, models, datas, settings, result):
        return None
    x = np.empty(3 * n)
    x[theirs] = result.retrieveConstraintImpulses()
    return x


def test_interior_points_linearise_the_lift():
    """A step to ``w + gap + lift du`` leaves an error of second order in the law of the lift."""
    rng, mu = np.random.default_rng(5), 0.7

    def law(w):
        """Row velocities of the lifted ones, inside the cone."""
        return np.array([mu * (w[0] - w[1:] @ w[1:] / w[0]), w[1], w[2]])

    for _ in range(20):
        w = np.array([1.0, *(0.6 * rng.uniform(-1.0, 1.0, 2))])
        u, du = law(w) + 1e-4 * rng.normal(size=3), 1e-4 * rng.normal(size=3)
        lift, gap = np.empty(3), np.empty(3)
        lift_of(u, w, mu, lift, gap)
        after = w + gap + [lift @ du, du[1], du[2]]
        assert np.abs(law(after) - (u + du)).max() < 10 * (4e-4) ** 2
        edge = np.array([np.hypot(w[1], w[2]), w[1], w[2]])
        assert abs(law(edge)[0]) < 1e-15  # De Saxce's: contacts on the boundary slide


def test_large_sliding_towers_need_few_steps():
    """Forty boxes slide together: eight steps of Newton's do not suffice, interior points do."""
    n, most = 40, 52
    for seed in range(4):
        rng = np.random.default_rng(seed)
        rows = tower(rng, n, np.ones(n), mu=0.5)
        free = np.array([1.0, 0.0, -0.01, 0.0, 0.0, 0.0]) + 1e-3 * rng.normal(size=(n, 6))
        rows = rows._replace(free=free.ravel())
        x, v, report = run(rows, c.solver_settings())
        assert report.unconverged == report.stage == 0 and report.newton_steps <= most
        assert violation(rows, x, v) < 1e-8


def test_interior_points_bear_a_slight_compliance():
    """Every third contact of a tower yields a little; once this took three stages."""
    n, most = 40, 70
    rng = np.random.default_rng(1)
    rows = tower(rng, n, np.ones(n), mu=0.5)
    free = np.array([1.0, 0.0, -0.01, 0.0, 0.0, 0.0]) + 1e-3 * rng.normal(size=(n, 6))
    rows.compliance[::9] = -1e-4
    _, _, report = run(rows._replace(free=free.ravel()), c.solver_settings())
    assert report.unconverged == report.stage == 0 and report.newton_steps <= most


def test_problems_that_were_not_solved_once_are_now():
    """No slip, loops, masses of a gram beside tonnes, gaps that close within the step, a heap,
    a crowd with pyramids of mu 10, crowds with viscous friction.
    """
    problems, stages = kept_problems("hard_problems.npz"), set()
    assert len(problems) > 20
    for rows, back, start in problems:
        x, v, report = start.copy(), np.empty(len(rows.free)), c.Report()
        c.impact(rows, back, x, v, c.solver_settings(), report)
        assert report.unconverged == 0 and report.worst <= 1e-8
        if report.relaxed == 0:
            stages.add(report.stage)
    assert stages == {0, 1, 2, 3, 4, 5, 6}


def test_pyramids_under_masses_far_apart_are_solved():
    """Twenty contacts, many of them redundant, with seven edges, a mu of 10 and masses a
    thousandfold apart: Lemke's pivots are rounding there, and proximal points help.
    """
    for rows, back, start in kept_problems("pyramid_problems.npz"):
        x, v, report = start.copy(), np.empty(len(rows.free)), c.Report()
        c.impact(rows, back, x, v, c.solver_settings(), report)
        assert report.unconverged == 0 and report.worst <= 1e-8 and (rows.edges == 7).all()


def test_shaking_towers_have_rigid_impulses():
    """Towers of 20 and 40 boxes: rows that nearly depend on each other leave a slow tail."""
    problems = kept_problems("tower_problems.npz")
    assert len(problems) == 6
    for rows, back, start in problems:
        x, v, report = start.copy(), np.empty(len(rows.free)), c.Report()
        c.impact(rows, back, x, v, c.solver_settings(), report)
        assert report.relaxed == report.unconverged == 0 and report.worst <= 1e-8


def test_jams_without_slip_have_rigid_impulses():
    """One to four bodies that cannot slip: pyramids find what opens and what sticks."""
    problems = kept_problems("jammed_problems.npz")
    assert len(problems) == 6
    for rows, back, start in problems:
        x, v, report = start.copy(), np.empty(len(rows.free)), c.Report()
        c.impact(rows, back, x, v, c.solver_settings(), report)
        assert report.relaxed == report.unconverged == 0 and report.worst <= 1e-8


def test_problems_without_rigid_impulses_are_relaxed():
    """Jammed chains on loops, no-slip points that have to slip: counted as relaxed, and passive.

    In some a compliance of a billionth gives too much slack, and a stiffer solution is found.
    """
    problems = kept_problems("relaxed_problems.npz")
    assert len(problems) > 17 and any(back.any() for _, back, _ in problems)
    relaxed = 0
    for rows, back, start in problems:
        x, v, report = start.copy(), np.empty(len(rows.free)), c.Report()
        c.impact(rows, back, x, v, c.solver_settings(), report)
        assert report.unconverged == 0 and report.worst <= 1e-8
        relaxed += report.relaxed > 0
        assert report.slack <= max(1e-5 * np.abs(rows.free).max(), 1e-6)
        if not any(rows.bias[rows.row[k]] for k in np.flatnonzero(rows.kind == c.BILATERAL)):
            assert energy(rows, v) <= energy(rows, rows.free) * (1 + 1e-9)
    # Of five without slip rigid impulses are found by pyramids, of four by Newton's method.
    assert relaxed >= len(problems) - 9
