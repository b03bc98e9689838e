"""Inside the convex method and what is built on it: springs, factors, starts, rounds."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from contact.solver_problems import dense, flat, pile, rows_on, run, tower, violation
from polhode import contact_problem as c
from polhode.contact_problem.block_cholesky import back_upper, eliminate_upper, plan_upper
from polhode.contact_problem.convex import Iterate, slopes, unbalanced
from polhode.contact_problem.desaxce import de_saxce_rounds
from polhode.contact_problem.hessian import assemble, hessian_of
from polhode.contact_problem.islands import islands_of, parts_of
from polhode.contact_problem.mass import factor_mass, scalar_product, solve_mass
from polhode.contact_problem.problem import IS_FREE, Island, problem_of
from polhode.contact_problem.springs import curvature, recall, spring_impulses, springs_of
from polhode.model import Plane, Sphere

SOFTNESS = 1e-2


def mixed(rng):
    """Contacts, limits, loops and friction between nodes of 6, 4, 9 and 1 velocities."""
    sizes = [6, 4, 6, 9, 6, 1, 6]
    masses = []
    for n in sizes:
        A = rng.normal(size=(n, n))
        masses.append(A @ A.T + n * np.eye(n))
    kinds = [c.CONTACT] * 9 + [c.UNILATERAL, c.BOX, c.BILATERAL, c.DISK, c.DISK]
    pairs = [(j, j + 1) for j in range(6)] + [(0, 3), (2, 6), (4, 4), (3, 5), (1, 1), (0, 6)]
    pairs += [(0, 2), (3, 3)]
    node, heights, count, parts = [], [], [], []
    for kind, (i, j) in zip(kinds, pairs, strict=True):
        heights.append(c.height_of(kind))
        touched = [i] if i == j else [i, j]
        count.append(len(touched))
        node += touched
        parts += [rng.normal(size=(heights[-1], sizes[k])).ravel() for k in touched]
    m, n_blocks = sum(heights), len(kinds)
    return c.ConstraintRows(
        node_dof=np.cumsum([0, *sizes]),
        node_mass=np.cumsum([0, *(n * n for n in sizes)]),
        mass=np.concatenate([M.ravel() for M in masses]),
        free=rng.normal(size=sum(sizes)),
        kind=np.array(kinds, np.int64),
        row=np.cumsum([0, *heights]),
        segment=np.cumsum([0, *count]),
        node=np.array(node, np.int64),
        value=np.cumsum([0, *(part.size for part in parts)]),
        jacobian=np.concatenate(parts),
        bias=0.1 * rng.normal(size=m),
        compliance=np.zeros(m),
        mu=np.full(n_blocks, 0.6),
        widening=np.zeros(n_blocks),
        edges=np.zeros(n_blocks, np.int64),
        lower=np.where(np.array(kinds) == c.BOX, -0.5, 0.0),
        upper=np.where(np.isin(kinds, (c.BOX, c.DISK)), 0.5, np.inf),
    )


def island(p):
    """(blocks, nodes, local) of a problem that is one island."""
    blocks, first, nodes, _ = islands_of(p)
    assert len(first) == 2
    local = np.zeros(len(p.node), np.int64)
    local[nodes] = np.arange(len(nodes))
    return blocks, nodes, local


def impulses(p, blocks, springs, u):
    x = np.zeros(len(u))
    spring_impulses(p, blocks, springs, u, x)
    return x


@pytest.mark.parametrize("seed", range(6))
def test_newtons_matrix_is_the_derivative_of_the_forces(seed):
    """``(M + J^T P J / R)^-1 b`` by blocks, against differences and NumPy."""
    rng = np.random.default_rng(seed)
    rows = mixed(rng)
    p = problem_of(rows)
    blocks, nodes, local = island(p)
    springs = springs_of(p, SOFTNESS)
    M, J = dense(rows)
    v = rng.normal(size=len(rows.free))
    u = J @ v + rows.bias
    slope = np.empty((len(u), len(u)))
    for i, step in enumerate(np.eye(len(u)) * 1e-6):
        slope[:, i] = impulses(p, blocks, springs, u + step) - impulses(
            p, blocks, springs, u - step
        )
    H = M - J.T @ (slope / 2e-6) @ J
    impulses(p, blocks, springs, u)
    assert {0, 1, 2} == set(springs.state)  # all that springs can do is seen
    plan = plan_upper(p, blocks, nodes, local)
    hessian = hessian_of(plan, blocks, 3 * len(v))
    unknown = np.zeros(len(rows.bias)), np.zeros(len(rows.free))
    assemble(Island(p, blocks, nodes, local, *unknown, 1.0), springs, plan, hessian)
    b = rng.normal(size=len(v))
    expected = np.linalg.solve(H, b)
    assert eliminate_upper(p, plan, hessian.is_new, hessian.a)
    back_upper(p, plan, hessian.a, b)
    np.testing.assert_allclose(b, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("make", [mixed, lambda rng: pile(rng, 30, mu=0.3)])
def test_rows_made_again_give_the_bits_of_a_new_matrix(make):
    """Some springs change at a time; rows that are not made again keep their factors."""
    rng = np.random.default_rng(7)
    rows = make(rng)
    p = problem_of(rows)
    blocks, nodes, local = island(p)
    springs = springs_of(p, SOFTNESS)
    unknown = np.zeros(len(rows.bias)), np.zeros(len(rows.free))
    part = Island(p, blocks, nodes, local, *unknown, 1.0)
    plan = plan_upper(p, blocks, nodes, local)
    kept = hessian_of(plan, blocks, 3 * len(rows.free))
    u, made = rng.normal(size=len(rows.bias)), []
    impulses(p, blocks, springs, u)
    springs.state[springs.state == 2] = 0
    for k in [-1, *blocks, *blocks[:5]]:
        if k >= 0:
            springs.state[k] = 1 - springs.state[k]
        fresh = hessian_of(plan, blocks, 3 * len(rows.free))
        for hessian in (kept, fresh):
            assemble(part, springs, plan, hessian)
            assert eliminate_upper(p, plan, hessian.is_new, hessian.a)
        made.append(kept.is_new.sum())
        assert fresh.is_new.all()
        b = rng.normal(size=len(rows.free))
        one, two = b.copy(), b.copy()
        back_upper(p, plan, kept.a, one)
        back_upper(p, plan, fresh.a, two)
        assert one.tobytes() == two.tobytes()
    assert made[0] == len(nodes) and 0 < min(made) < len(nodes) / 2


def test_the_curvature_along_a_line_is_that_of_the_cost():
    """It is the slope of minus the power of the impulses, whatever springs do."""
    rng = np.random.default_rng(3)
    rows = mixed(rng)
    p = problem_of(rows)
    blocks, _, _ = island(p)
    springs = springs_of(p, SOFTNESS)
    u, du = rng.normal(size=(2, len(rows.bias)))
    for t in (0.0, 0.7, 3.0):
        ahead, back = (impulses(p, blocks, springs, u + (t + e) * du) for e in (1e-6, -1e-6))
        impulses(p, blocks, springs, u + t * du)
        along = curvature(p, blocks, springs, du)
        assert along == pytest.approx((back - ahead) @ du / 2e-6, rel=1e-5)


def turned(rng):
    """Two bodies in contact whose inertias have no zeros, one away from its centre of mass."""
    A, arm = rng.normal(size=(2, 3, 3)), [0.3, -0.1, 0.2]
    rows = rows_on(
        [1.0, 2.0], [B @ B.T + np.eye(3) for B in A], rng.normal(size=(2, 6)),
        [(c.CONTACT, [(j, rng.normal(size=(3, 6))) for j in (0, 1)], {"mu": 0.5})],
    )  # fmt: skip
    M = rows.mass.reshape(2, 6, 6)
    M[1, 3:, :3] = 2.0 * np.cross(np.eye(3), arm)
    M[1, :3, 3:] = M[1, 3:, :3].T
    M[1, 3:, 3:] += 2.0 * (np.dot(arm, arm) * np.eye(3) - np.outer(arm, arm))
    return rows


@pytest.mark.parametrize("make", [mixed, turned])
def test_masses_along_a_step_are_those_of_dense_matrices(make):
    """Bodies that turn about their centre of mass are multiplied without their zeros."""
    rng = np.random.default_rng(4)
    rows = make(rng)
    p = problem_of(rows)
    assert p.node[:, IS_FREE].any() == (make is turned) and not p.node[:, IS_FREE].all()
    blocks, nodes, local = island(p)
    M, _ = dense(rows)
    x, v, w, b = rng.normal(size=(4, len(rows.free)))
    part = Island(p, blocks, nodes, local, x, v, 1.0)
    now = Iterate(x, x, w, b, x)
    line = slopes(part, now)
    assert line.slope == pytest.approx(b @ M @ (v - w))
    assert line.linear == pytest.approx(b @ M @ (v - rows.free))
    assert line.square == pytest.approx(b @ M @ b)
    unbalanced(part, now)
    np.testing.assert_allclose(b, M @ (w - v), rtol=1e-12, atol=1e-12)


def test_springs_recalled_from_their_balance_lack_nothing():
    """At the answer, impulses and velocities tell the same of what each spring does."""
    rows = pile(np.random.default_rng(5), 12, mu=0.3)
    x, v, _ = run(rows, c.solver_settings(softness=SOFTNESS), door=c.solve_convex)
    p = problem_of(rows)
    blocks, _, _, _ = islands_of(p)
    springs = springs_of(p, SOFTNESS)
    u, z = dense(rows)[1] @ v + rows.bias, np.zeros(len(x))
    assert recall(p, blocks, springs, u, x, z)
    recalled, slopes = springs.state.copy(), springs.slope.copy()
    assert np.abs(z).max() <= 1e-5 * np.abs(x).max()
    assert np.abs(impulses(p, blocks, springs, u) - x).max() <= 1e-5 * np.abs(x).max()
    assert (recalled == springs.state).all() and len(set(recalled)) == 3
    slides = recalled == 2
    np.testing.assert_allclose(slopes[slides], springs.slope[slides], atol=1e-4)


@pytest.mark.parametrize("n", [1, 4, 6, 9])
def test_masses_divide_as_numpy_does(n):
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, n))
    M = A @ A.T + 0.1 * np.eye(n)
    m, w = np.concatenate([[7.0], M.ravel()]), np.concatenate([[7.0, 7.0], rng.normal(size=n)])
    a, last = np.full(m.size, 7.0), np.full(n + 3, 7)
    expected = np.linalg.solve(M, w[2:])
    assert scalar_product(m, 1, w, 2, n) == pytest.approx(M[0] @ w[2:], rel=1e-12)
    assert factor_mass(m, a, 1, n, last, 3, 0.0)
    solve_mass(a, 1, n, last, 3, w, 2)
    np.testing.assert_allclose(w[2:], expected, rtol=1e-9)
    assert a[0] == w[0] == w[1] == 7.0 and (last[:3] == 7).all()
    assert (m[1:] == M.ravel()).all()


@pytest.mark.parametrize("M", [[[1.0, 2.0], [2.0, 1.0]], [[np.nan, 0.0], [0.0, 1.0]]])
def test_masses_that_are_none_are_refused(M):
    mass = np.array(M).ravel()
    assert not factor_mass(mass, np.empty(4), 0, 2, np.empty(2, np.int64), 0, 0.0)


def test_factors_have_no_entries_between_branches():
    """Of a trunk with two branches of two joints each; and a singular mass is raised."""
    L = np.array([[2.0, 0, 0, 0, 0], [1, 2, 0, 0, 0], [1, 1, 2, 0, 0], [1, 0, 0, 2, 0],
                  [1, 0, 0, 1, 2]])  # fmt: skip
    mass, a, last = (L.T @ L).ravel(), np.empty(25), np.empty(5, np.int64)
    assert factor_mass(mass, a, 0, 5, last, 0, 0.0)
    lower = np.tril(a.reshape(5, 5), -1)
    np.testing.assert_allclose(lower + np.diag(1 / np.diag(a.reshape(5, 5))), L, atol=1e-14)
    assert list(last) == [4, 2, 2, 4, 4] and (lower[3:, 1:3] == 0.0).all()
    flat_mass = np.ones(4)
    assert factor_mass(flat_mass, a[:4], 0, 2, last, 0, 1e-12)
    assert flat_mass[0] == 1.0 + 1e-12 and list(flat_mass[1:]) == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("make", [lambda r: flat(r, 6, mu=0.5), lambda r: tower(r, 5, mu=0.4),
                                  lambda r: pile(r, 15, mu=0.6)])  # fmt: skip
def test_any_start_ends_at_the_same_answer(make):
    """From nothing, from noise and from impulses that are no numbers; at the answer it stays."""
    rng = np.random.default_rng(8)
    settings = c.solver_settings()
    rows = make(rng)
    x, v, report = run(rows, settings, door=c.solve_convex)
    speed = np.abs(rows.free).max()
    noise = np.abs(x).max() * rng.normal(size=len(x))
    for start in (noise, 1e3 * noise, np.full(len(x), np.nan)):
        other = run(rows, settings, start, door=c.solve_convex)
        assert other[2].worst <= 1e-8
        np.testing.assert_allclose(other[1], v, atol=1e-7 * speed)
    again = run(rows, settings, x, door=c.solve_convex)
    _, first_of_part, _, _ = parts_of(problem_of(rows), x[rows.row[:-1]] > 0.0)
    assert again[2].newton_steps < len(first_of_part) and report.newton_steps > 1
    np.testing.assert_allclose(again[1], v, atol=1e-7 * speed)


@pytest.mark.parametrize("seed", range(8))
def test_parts_of_an_island_are_solved_as_the_whole(seed):
    """Balls of a heap that falls and is hit: contacts between parts open and close."""
    rng = np.random.default_rng(seed)
    rows = pile(rng, 30, mu=0.5)
    gaps = np.where(rng.random(len(rows.kind)) < 0.7, rng.uniform(0.0, 2.0, len(rows.kind)), 0.0)
    rows = rows._replace(bias=np.ravel([gaps, 0.0 * gaps, 0.0 * gaps], "F"))
    x, v, report = run(rows, c.solver_settings(), door=c.solve_convex)
    assert report.unconverged == 0 and report.worst <= 1e-8
    p = problem_of(rows)
    whole, speed = islands_of(p), np.abs(rows.free).max() + np.abs(rows.bias).max()
    pressed = x[rows.row[:-1]] > 0.0
    parts = parts_of(p, pressed)
    assert len(parts[0]) < len(whole[0])
    springs, (_, J) = springs_of(p, 1e-3), dense(rows)
    y = impulses(p, np.arange(len(rows.kind)), springs, J @ v + rows.bias)
    M, _ = dense(rows)
    np.testing.assert_allclose(M @ (v - rows.free), J.T @ y, atol=1e-4 * speed)
    for start in (rng.random(len(x)) * np.abs(x).max(), x):
        _, w, other = run(rows, c.solver_settings(), start, door=c.solve_convex)
        assert other.unconverged == 0
        np.testing.assert_allclose(w, v, atol=1e-7 * speed)


@pytest.mark.parametrize("common", [1e3, 1e6])
def test_a_common_speed_changes_nothing(common):
    """Spheres that fly together: what they do to each other is found as if they did not.

    Springs multiply errors of velocities a thousandfold; those of the common one are lost.
    """
    rng = np.random.default_rng(2)
    rows = pile(rng, 12, mu=0.5)
    rows = drop_ground(rows)
    x, v, _ = run(rows, c.solver_settings(), door=c.solve_convex)
    drift = np.tile([common, -common, 0.5 * common, 0.0, 0.0, 0.0], len(rows.free) // 6)
    fast = rows._replace(free=rows.free + drift)
    y, w, report = run(fast, c.solver_settings(), door=c.solve_convex)
    assert report.worst <= 1e-8 and report.unconverged == 0
    np.testing.assert_allclose(w - drift, v, atol=1e-12 * common)
    np.testing.assert_allclose(y, x, atol=1e-11 * common * np.abs(x).max())


def drop_ground(rows):
    """The same without the contacts of one body alone."""
    keep = np.flatnonzero(np.diff(rows.segment) == 2)
    parts = np.concatenate([np.arange(rows.segment[k], rows.segment[k + 1]) for k in keep])
    value = [rows.jacobian[rows.value[s] : rows.value[s + 1]] for s in parts]
    return rows._replace(
        kind=rows.kind[keep], row=3 * np.arange(len(keep) + 1), node=rows.node[parts],
        segment=2 * np.arange(len(keep) + 1), jacobian=np.concatenate(value),
        value=18 * np.arange(len(parts) + 1), bias=np.zeros(3 * len(keep)),
        compliance=np.zeros(3 * len(keep)),
        mu=rows.mu[keep], widening=rows.widening[keep], edges=rows.edges[keep],
        lower=rows.lower[keep], upper=rows.upper[keep],
    )  # fmt: skip


STRUCTURES = {
    "flat": lambda r: flat(r, 6, mu=0.4),
    "tower": lambda r: tower(r, 4, mu=0.6),
    "pile": lambda r: pile(r, 10, mu=0.5, bias=[0.05, 0.02, 0.0]),
}


@pytest.mark.parametrize("name", STRUCTURES)
def test_rounds_of_convex_problems_end_at_the_exact_laws(name):
    """From the impulses before all velocities changed a little; the problem is left as it was.

    Boxes on the ground are solved; of towers and piles it is only one stage of several.
    """
    rng = np.random.default_rng(4)
    settings, solved = c.solver_settings(), 0
    for _ in range(8):
        rows = STRUCTURES[name](rng)
        x, _, _ = run(rows, settings)
        size = np.abs(rows.free).max()
        rows = rows._replace(free=rows.free + 1e-2 * size * rng.normal(size=len(rows.free)))
        p = problem_of(rows)
        line, free = p.line.copy(), p.free.copy()
        v, worst = rows.free.copy(), 0.0
        blocks, first_block, nodes, first_node = islands_of(p)
        local = np.zeros(len(p.node), np.int64)
        for i in range(len(first_block) - 1):
            some = nodes[first_node[i] : first_node[i + 1]].copy()
            local[some] = np.arange(len(some))
            those = blocks[first_block[i] : first_block[i + 1]].copy()
            before, report = local.copy(), c.Report()
            island = Island(p, those, some, local, x, v, 1.0)
            worst = max(worst, de_saxce_rounds(island, settings, report))
            assert (local == before).all()
        assert (p.line == line).all() and (p.free == free).all()
        if worst <= 1e-8:
            solved += 1
            assert violation(rows, x, v) <= 1e-7
    if name == "flat":
        assert solved >= 6


@pytest.mark.parametrize("settings", [{"edges": 6}, {"widening": 0.1}, {"lower": 0.2}])
def test_what_cones_do_not_express_is_not_relaxed(settings):
    rows = flat(np.random.default_rng(1), 4, mu=0.5, **settings)
    p = problem_of(rows)
    blocks, nodes, local = island(p)
    x, v, report = np.ones(len(rows.bias)), rows.free.copy(), c.Report()
    whole = Island(p, blocks, nodes, local, x, v, 1.0)
    assert de_saxce_rounds(whole, c.solver_settings(), report) == np.inf
    assert (x == 1.0).all() and (v == rows.free).all()


@pytest.mark.parametrize("compliance", [1e-4, 1e-6])
def test_compliant_contacts_have_friction_at_any_step(compliance):
    """Of a ball that falls, slips and rolls: as by the exact method, to first order in the step."""
    scene = ph.Scene("ball").add_fixed("floor", Plane())
    scene = scene.contact(mu_coulomb=0.4, compliance=compliance)
    scene = scene.add_body(
        "ball", Sphere(0.1), mass=2.0, position=(0, 0, 0.15), velocity=(1, 0, 0), spin=(0, -25, 0)
    )
    for dt in (1e-3, 2.5e-4, 6.25e-5):
        exact, convex = (
            ph.simulate(scene, 0.4, dt=dt, contact=x).qd[-1] for x in ("exact", "convex")
        )
        assert abs(exact[0] - convex[0]) < 10.0 * dt
        assert abs(exact[4] - convex[4]) < 100.0 * dt
