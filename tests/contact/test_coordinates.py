"""Large trees in the coordinates that their rows see: the same laws, on smaller nodes."""

from __future__ import annotations

import numpy as np
import pytest

from contact.solver_problems import dense, violation
from polhode import contact_problem as c
from polhode.contact_problem.coordinates import seen_by, small_nodes
from polhode.contact_problem.exact import exact
from polhode.contact_problem.relaxation import convex


def tree_mass(rng, n):
    """A mass matrix that has the zeros of a tree with branches."""
    parent = [int(rng.integers(max(-1, i - 4), i)) for i in range(n)]
    lower = np.zeros((n, n))
    for i in range(n):
        lower[i, i] = rng.uniform(0.1, 2.0)
        j = parent[i]
        while j >= 0:
            lower[i, j] = rng.uniform(-1.0, 1.0)
            j = parent[j]
    return lower.T @ lower


def rows_on_trees(rng, sizes, kinds, sparse=0.5, **settings):
    """Rows of ``kinds``, each on one or two of some trees."""
    dof, area = np.cumsum([0, *sizes]), np.cumsum([0, *(n * n for n in sizes)])
    heights = [c.height_of(k) for k in kinds]
    node, segment, jacobian = [], [0], []
    for height in heights:
        for j in rng.choice(len(sizes), size=min(len(sizes), int(rng.integers(1, 3))), replace=0):
            J = rng.standard_normal((height, sizes[j]))
            J[:, rng.uniform(size=sizes[j]) < sparse] = 0.0
            J[:, int(rng.integers(sizes[j]))] = 1.0
            node.append(int(j))
            jacobian.append(J.ravel())
        segment.append(len(node))
    m, count = sum(heights), len(kinds)
    return c.ConstraintRows(
        node_dof=dof, node_mass=area,
        mass=np.concatenate([tree_mass(rng, n).ravel() for n in sizes]),
        free=rng.standard_normal(dof[-1]), kind=np.array(kinds, np.int64),
        row=np.cumsum([0, *heights]), segment=np.array(segment, np.int64),
        node=np.array(node, np.int64), value=np.cumsum([0, *map(len, jacobian)]),
        jacobian=np.concatenate(jacobian), bias=0.1 * rng.standard_normal(m),
        compliance=np.zeros(m), mu=np.full(count, settings.get("mu", 0.6)),
        widening=np.zeros(count), edges=np.zeros(count, np.int64),
        lower=np.where(np.array(kinds) == c.BOX, -0.3, 0.0), upper=np.full(count, 0.3),
    )  # fmt: skip


def solved(rows, method, settings=None):
    x, v, report = np.zeros(len(rows.bias)), np.empty(len(rows.free)), c.Report()
    settings = settings or c.solver_settings()
    if method is exact:
        exact(rows, np.zeros(len(rows.kind)), x, v, settings, report)
    else:
        method(rows, x, v, settings, report)
    return x, v, report


KINDS = [c.CONTACT, c.UNILATERAL, c.BOX, c.CONTACT, c.BILATERAL, c.CONTACT]


@pytest.mark.parametrize("seed", range(20))
def test_solutions_obey_the_laws_of_the_rows_given(seed):
    """Momentum balances, and the laws hold, as NumPy sees them."""
    rng = np.random.default_rng(seed)
    rows = rows_on_trees(rng, [24, 6, 31], KINDS)
    assert small_nodes(rows).any()
    x, v, report = solved(rows, c.solve)
    assert report.unconverged == 0
    M, J = dense(rows)
    change = M @ (v - rows.free) - J.T @ x
    assert np.abs(change).max() <= 1e-11 * max(1.0, np.abs(x).max())
    assert violation(rows, x, v) < 1e-6


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(("short", "full"), [(c.solve, exact), (c.solve_convex, convex)])
def test_the_same_velocities_with_all_coordinates(seed, short, full):
    rng = np.random.default_rng(100 + seed)
    rows = rows_on_trees(rng, [24], KINDS, mu=0.1)  # one solution: friction is slight
    (x, v, report), (y, w, other) = solved(rows, short), solved(rows, full)
    assert report.unconverged == other.unconverged == 0
    assert np.abs(v - w).max() <= 1e-6 * np.abs(w).max()
    assert np.abs(x - y).max() <= 1e-6 * np.abs(y).max()


def test_a_foot_on_four_points_has_six_coordinates():
    """Twelve rows of a rigid body in a plane of contact are of rank six."""
    rng, n = np.random.default_rng(0), 40
    twist = rng.standard_normal((6, n))
    jacobian = []
    for x, y in ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)):
        arm = np.array([[0, 0, y], [0, 0, -x], [-y, x, 0]])
        jacobian.append(np.hstack([np.eye(3), arm])[[2, 0, 1]] @ twist)
    rows = rows_on_trees(rng, [n], [c.CONTACT] * 4)
    rows = rows._replace(jacobian=np.concatenate([J.ravel() for J in jacobian]))
    seen = seen_by(rows, small_nodes(rows))
    assert seen.rows.node_dof.tolist() == [0, 6]
    M, J = dense(rows)
    m, R = dense(seen.rows)
    G = J @ np.linalg.solve(M, J.T)
    assert np.abs(R @ np.linalg.solve(m, R.T) - G).max() <= 1e-12 * np.abs(G).max()
    assert np.abs(R @ seen.rows.free - J @ rows.free).max() <= 1e-12
    assert np.abs(seen.rows.free).max() <= np.linalg.norm(rows.free)


def test_rows_of_rounding_alone_are_left_out():
    """A row that no velocity changes, beside one that is tiny, and a mass factored beforehand."""
    rng = np.random.default_rng(1)
    rows = rows_on_trees(rng, [30], [c.UNILATERAL, c.UNILATERAL, c.UNILATERAL])
    rows.jacobian[:30] *= 1e-15
    rows.jacobian[30:60] *= 1e-6
    seen = seen_by(rows, small_nodes(rows))
    assert seen.rows.node_dof.tolist() == [0, 2] and not seen.rows.jacobian[:2].any()
    x, v, report = solved(rows, c.solve)
    assert report.unconverged == 0 and x[0] == 0.0
    assert (rows.jacobian[30:].reshape(2, 30) @ v + rows.bias[1:]).min() > -1e-9


def test_trees_with_many_rows_keep_their_velocities():
    """Rows on three quarters of the velocities are the most; small trees never change."""
    rng = np.random.default_rng(2)
    for size, count, small in ((28, 7, 1), (28, 8, 0), (6, 1, 0), (20, 1, 0), (21, 2, 1)):
        rows = rows_on_trees(rng, [size], [c.CONTACT] * count)
        assert small_nodes(rows).tolist() == [small], (size, count)
