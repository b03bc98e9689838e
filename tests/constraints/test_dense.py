"""The dense solvers of constrained systems beside a reference by singular values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from constraints.machines import constrained_state, random_set, standing
from models import walker
from polhode.api import constraints_dense, dense_factors
from polhode.api.constraints_solve import solve_direct, solve_null_space
from polhode.binding.plain import run_plain
from polhode.compiler.jit import CompiledFunction
from random_trees import trees

SOLVERS = {"direct": solve_direct, "null_space": solve_null_space}
EPS = np.finfo(float).eps
SIZES = [
    (5, 0, 0),
    (5, 3, 3),
    (5, 5, 5),
    (6, 9, 4),
    (3, 7, 3),
    (36, 12, 12),
    (36, 12, 7),
    (4, 2, 0),
]
"""Unknowns, rows, and their rank."""


def system(n: int, m: int, rank: int, seed: int = 0):
    """A random one, of moderate condition, whose rows have a rank."""
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((n, n))
    G = rng.standard_normal((m, rank)) @ rng.standard_normal((rank, n))
    return root @ root.T + np.eye(n), rng.standard_normal(n), G, rng.standard_normal(m)


def by_singular_values(H, f, G, b):
    """``x = G+ b + Z z`` with ``Z`` from the singular vectors, and ``l = G+^T (H x - f)``."""
    _, s, Vt = np.linalg.svd(G)
    rank = int(np.sum(s > 1e-9 * max([*s, 0.0])))
    inverse, Z = np.linalg.pinv(G, rcond=1e-9), Vt[rank:].T
    held = inverse @ b
    x = held + Z @ np.linalg.solve(Z.T @ H @ Z, Z.T @ (f - H @ held))
    return x, inverse.T @ (H @ x - f)


def tolerance(H, G):
    """What rounding may do: the condition of the matrix and of the rows."""
    s = np.linalg.svd(G, compute_uv=False) if G.size else np.ones(1)
    s = s[s > 1e-9 * s[0]] if s[0] > 0.0 else np.ones(1)
    return 100 * EPS * len(H) * np.linalg.cond(H) * s[0] / s[-1]


def assert_close(got, expected, relative):
    for a, b in zip(got, expected, strict=True):
        assert np.abs(a - b).max(initial=0.0) <= relative * max(1.0, np.abs(b).max(initial=0.0))


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("name", SOLVERS)
def test_rows_of_any_rank(name, size):
    """Independent, redundant and contradictory rows: least squares, and least multipliers."""
    for seed in range(5):
        H, f, G, b = system(*size, seed)
        expected = by_singular_values(H, f, G, b)
        assert_close(SOLVERS[name](H, f, G, b), expected, tolerance(H, G))


@pytest.mark.parametrize("name", SOLVERS)
def test_repeated_rows_share_their_force(name):
    """A row that stands there three times pushes three times a third as hard."""
    H, f, G, b = system(6, 2, 2)
    thrice = np.concatenate([G, G[:1], G[:1]]), np.concatenate([b, b[:1], b[:1]])
    x, multipliers = SOLVERS[name](H, f, *thrice)
    expected, once = SOLVERS[name](H, f, G, b)
    np.testing.assert_allclose(x, expected, rtol=0, atol=1e-13)
    np.testing.assert_allclose(multipliers[[0, 2, 3]], once[0] / 3, rtol=1e-12)
    np.testing.assert_allclose(multipliers[1], once[1], rtol=1e-12)


@pytest.mark.parametrize("name", SOLVERS)
def test_a_mass_matrix_that_only_rows_complete(name):
    """A body without mass is no harm where the rows hold it."""
    H, f, G, b = np.diag([2.0, 0.0]), np.array([1.0, 3.0]), np.array([[1.0, 1.0]]), np.zeros(1)
    x, multipliers = SOLVERS[name](H, f, G, b)
    np.testing.assert_allclose(x, [-1.0, 1.0], atol=1e-15)
    np.testing.assert_allclose(multipliers, [-3.0], atol=1e-15)
    x, multipliers = SOLVERS[name](H, f, np.array([[1.0, 0.0]]), b)
    assert not np.isfinite(np.concatenate([x, multipliers])).all()


@pytest.mark.parametrize("name", SOLVERS)
def test_axes_and_layouts(name):
    """Batches broadcast, memory may lie as it will, and each state has its bits alone."""
    H, _, G, b = system(6, 4, 3)
    forces = np.random.default_rng(1).standard_normal((2, 3, 6))
    x, multipliers = SOLVERS[name](np.asfortranarray(H), forces, G[None], b)
    assert (x.shape, multipliers.shape) == ((2, 3, 6), (2, 3, 4))
    for k in np.ndindex(2, 3):
        alone = SOLVERS[name](H, forces[k], np.asfortranarray(G), b)
        np.testing.assert_array_equal(alone[0], x[k])
        np.testing.assert_array_equal(alone[1], multipliers[k])
    empty = SOLVERS[name](H, np.empty((0, 6)), G, b)
    assert (empty[0].shape, empty[1].shape) == ((0, 6), (0, 4))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("name", SOLVERS)
def test_what_is_not_finite_stays_in_its_state(name, bad):
    """Wherever it stands, and no finite number stands in that state."""
    states = [np.stack(x) for x in zip(*(system(5, 4, 3, seed) for seed in range(3)), strict=True)]
    clean = SOLVERS[name](*states)
    for which in range(4):
        spoiled = [x.copy() for x in states]
        spoiled[which][1].flat[2] = bad
        found = SOLVERS[name](*spoiled)
        for a, b in zip(found, clean, strict=True):
            np.testing.assert_array_equal(a[[0, 2]], b[[0, 2]])
            assert not np.isfinite(a[1]).any()


@given(trees(max_links=4), st.integers(0, 1000))
def test_dense_methods_agree_with_the_reference_on_trees(model, seed):
    """On random trees with contacts and loops, whatever rank their rows have."""
    constraints, (q, qd, tau) = random_set(model, seed), constrained_state(model, seed)
    values = run_plain(
        ph.algorithms.constrained_system, model, (q, qd), constraints=constraints.constraints
    )
    H, C, G, gamma = values[:4]
    s = np.linalg.svd(G, compute_uv=False)
    if np.any((s < 1e-6 * s[0]) & (s > 1e-12 * s[0])):
        return  # neither clearly independent nor clearly redundant
    expected = by_singular_values(H, tau - C, G, gamma)
    for solve in SOLVERS.values():
        assert_close(solve(H, tau - C, G, gamma), expected, tolerance(H, G))


@pytest.mark.parametrize("method", ["range_space", "direct", "null_space"])
@pytest.mark.parametrize("threads", [1, 3])
def test_one_state_a_batch_and_threads_have_the_same_bits(method, threads):
    """Of motion and impact, however many states and threads."""
    model = walker()
    feet = standing(model)
    q, qd, tau = (
        np.stack(x) for x in zip(*(constrained_state(model, k) for k in range(40)), strict=True)
    )
    before = ph.get_num_threads()
    try:
        ph.set_num_threads(threads)
        motion = ph.constrained_dynamics(model, feet, q, qd, tau, method=method)
        impact = ph.constraint_impulses(model, feet, q, qd, method=method)
    finally:
        ph.set_num_threads(before)
    for k in range(40):
        alone = ph.constrained_dynamics(model, feet, q[k], qd[k], tau[k], method=method)
        one = ph.constraint_impulses(model, feet, q[k], qd[k], method=method)
        for a, b in zip((*alone, *one), (*motion, *impact), strict=True):
            np.testing.assert_array_equal(a, b[k])


def test_compiled_functions_are_what_they_say(monkeypatch):
    """The same source as plain Python gives the same bits."""
    H, f, G, b = (x[None] for x in system(6, 4, 3))
    names = [
        (module, name)
        for module in (constraints_dense, dense_factors)
        for name, value in vars(module).items()
        if isinstance(value, CompiledFunction)
    ]
    assert len(names) > 10
    for solve in (constraints_dense.direct_states, constraints_dense.null_space_states):
        found = []
        for mode in ("", "python"):
            monkeypatch.setenv("POLHODE_JIT", mode)
            x, multipliers = np.empty((1, 6)), np.empty((1, 4))
            solve(H, f, G, b, x, multipliers)
            found.append((x, multipliers))
        np.testing.assert_array_equal(found[0][0], found[1][0])
        np.testing.assert_array_equal(found[0][1], found[1][1])


@pytest.mark.parametrize("method", ["direct", "null_space"])
def test_dense_methods_refuse_traced_values(method):
    """They look for pivots, which a program cannot; the error says what can."""
    model = walker()
    feet = standing(model)

    def motion(model, q, qd, tau):
        return ph.constrained_dynamics(
            model, feet, model.join_q(q), model.join_v(qd), model.join_v(tau), method=method
        ).qdd

    with pytest.raises(ph.TraceError, match="use 'range_space' or 'kokkevis'"):
        ph.compile(motion, model)(*constrained_state(model))
