"""Analytic derivatives agree with complex steps on random trees, and obey the laws of symmetry."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import polhode as ph
from constraints.machines import constrained_state, random_set
from laws.complex_steps import complex_step, relative
from polhode import algorithms
from polhode.binding.plain import run_plain
from random_trees import KINDS, random_state, tree, trees

SEEDS = st.integers(0, 1000)
TOLERANCE = 1e-10  # of the largest entry, where a system was solved times its condition by 1e3
MOVING = [kind for kind in KINDS if kind != "fixed"]


def assert_close(blocks, expected, condition=1.0):
    """Each block within the tolerance of the largest entry of all of them."""
    blocks, expected = list(blocks), list(expected)
    scale = max(1.0, *(float(np.abs(b).max(initial=0.0)) for b in expected))
    bound = TOLERANCE * max(1.0, condition * 1e-3)
    for k, (got, wanted) in enumerate(zip(blocks, expected, strict=True)):
        assert relative(got, wanted, scale) <= bound, k


def f_ext_of(model, seed):
    return np.random.default_rng(seed).standard_normal((model.n_bodies, 6))


def stepped(function, model, arrays, which=(0, 1, 2), **static):
    """Of the first result, by several arguments in turn."""
    return [complex_step(function, model, arrays, k, **static)[0] for k in which]


@pytest.mark.parametrize("kind", MOVING)
def test_every_kind_of_joint(kind):
    """First and second derivatives under external forces, with two joints of each kind."""
    model = tree([kind, "revolute", kind], seed=3)
    q, qd, qdd, _ = random_state(model, 1)
    arrays = (q, qd, qdd, f_ext_of(model, 2))
    first = algorithms.rnea_derivatives
    blocks = run_plain(first, model, arrays)
    assert_close(blocks, stepped(algorithms.rnea, model, arrays))
    by_q, by_qd = complex_step(first, model, arrays, 0), complex_step(first, model, arrays, 1)
    expected = by_q[0], by_qd[1], by_q[1], by_q[2]
    second = algorithms.rnea_second_derivatives
    assert_close(run_plain(second, model, arrays), expected)


@given(trees(max_links=3), SEEDS)
def test_dynamics(model, seed):
    """Inverse and forward dynamics under external forces."""
    q, qd, qdd, tau = random_state(model, seed)
    f = f_ext_of(model, seed)
    blocks = run_plain(algorithms.rnea_derivatives, model, (q, qd, qdd, f))
    assert_close(blocks, stepped(algorithms.rnea, model, (q, qd, qdd, f)))
    condition = np.linalg.cond(blocks[2])
    blocks = run_plain(algorithms.aba_derivatives, model, (q, qd, tau, f))
    assert_close(blocks, stepped(algorithms.aba, model, (q, qd, tau, f)), condition)


@given(trees(max_links=3), SEEDS)
def test_second_derivatives(model, seed):
    """All four tensors are the derivatives of the first ones."""
    arrays = random_state(model, seed)[:3]
    by_q = complex_step(algorithms.rnea_derivatives, model, arrays, 0)
    by_qd = complex_step(algorithms.rnea_derivatives, model, arrays, 1)
    tensors = run_plain(algorithms.rnea_second_derivatives, model, arrays)
    assert_close(tensors, (by_q[0], by_qd[1], by_q[1], by_q[2]))


@given(trees(max_links=4), SEEDS)
def test_jacobians(model, seed):
    """Their derivatives by time are those by position along the velocity."""
    q, qd, _, _ = random_state(model, seed)
    point = np.random.default_rng(seed).standard_normal(3)
    body = model.body(model.links[-1].name).id
    for name, arrays in (("body", (q,)), ("frame", (q, point)), ("point", (q, point))):
        jacobian = getattr(algorithms, f"{name}_jacobian")
        (by_q,) = complex_step(jacobian, model, arrays, 0, body=body)
        rate = getattr(algorithms, f"{name}_jacobian_derivative")
        assert_close([run_plain(rate, model, (q, qd, *arrays[1:]), body=body)], [by_q @ qd])
        if name != "body":
            hessian = getattr(algorithms, f"{name}_hessian")
            assert_close([run_plain(hessian, model, arrays, body=body)], [by_q])


@given(trees(max_links=4), SEEDS)
def test_energy_and_momentum(model, seed):
    """Energy, momentum about the base, and the matrices of the centre of mass."""
    q, qd, _, _ = random_state(model, seed)
    by_q = complex_step(algorithms.energy, model, (q, qd), 0)
    by_qd = complex_step(algorithms.energy, model, (q, qd), 1)
    found = run_plain(algorithms.energy_derivatives, model, (q, qd))
    assert_close(found, (by_q[0], by_qd[0], by_q[1]))
    found = run_plain(algorithms.momentum_derivatives, model, (q, qd))
    assert_close(found, stepped(algorithms.momentum, model, (q, qd), (0, 1)))
    com = run_plain(algorithms.center_of_mass_jacobian, model, (q,))
    assert_close([com], stepped(algorithms.center_of_mass, model, (q,), (0,)))
    h, c = (run_plain(f, model, a) for f, a in (
        (algorithms.momentum, (q, qd)), (algorithms.center_of_mass, (q,))))  # fmt: skip
    A = run_plain(algorithms.centroidal_momentum_matrix, model, (q,))
    assert_close([A @ qd], [np.concatenate([h[:3] - np.cross(c, h[3:]), h[3:]])])


@given(trees(max_links=3), SEEDS)
def test_constraints(model, seed):
    """Dynamics and impacts with contacts and loops, stabilized, under external forces."""
    constraints = random_set(model, seed)
    q, qd, tau = constrained_state(model, seed)
    static = {"constraints": constraints.constraints}
    H, _, G, *_ = run_plain(algorithms.constrained_system, model, (q, qd), **static)
    s = np.linalg.svd(G, compute_uv=False)
    assume(len(s) == constraints.n_rows and s[-1] > 1e-2 * s[0])
    condition = np.linalg.cond(H) * (s[0] / s[-1]) ** 2
    arrays = (q, qd, tau, f_ext_of(model, seed))
    function = algorithms.constrained_derivatives
    blocks = run_plain(function, model, arrays, **static)
    agree_by_arguments(algorithms.constrained_range_space, model, arrays, static, blocks, condition)
    static["v_plus"] = np.random.default_rng(seed).standard_normal(constraints.n_rows).tolist()
    blocks = run_plain(impact_derivatives, model, (q, qd), **static)
    agree_by_arguments(impact, model, (q, qd), static, blocks, condition)


def impact(model, q, qd, *, v_plus, constraints):
    return algorithms.impulses_range_space(model, q, qd, v_plus, constraints=constraints)


def impact_derivatives(model, q, qd, *, v_plus, constraints):
    return algorithms.impulse_derivatives(model, q, qd, v_plus, constraints=constraints)


def agree_by_arguments(function, model, arrays, static, blocks, condition):
    """Blocks of the first result by each argument, then of the second one.

    That by ``v_plus`` comes without steps: results are linear in it.
    """
    n = min(len(arrays), 3)
    steps = [complex_step(function, model, arrays, k, **static) for k in range(n)]
    if "v_plus" in static:
        steps.append(by_v_plus(model, arrays, static))
    for result in range(2):
        expected = [step[result] for step in steps]
        assert_close(blocks[3 * result : 3 * result + 3], expected, condition)


def by_v_plus(model, arrays, static):
    results = []
    for row in np.eye(len(static["v_plus"])).tolist():
        ends = [run_plain(impact, model, arrays, **static | {"v_plus": v})
                for v in (row, [0.0] * len(row))]  # fmt: skip
        results.append([a - b for a, b in zip(*ends, strict=True)])
    return [np.stack(parts, axis=-1) for parts in zip(*results, strict=True)]


@pytest.mark.parametrize("kinds", [("revolute", "prismatic", "revolute"), ("floating", "revolute")])
def test_redundant_rows_have_no_force_and_no_derivative(kinds):
    """A row given twice: the same motion, and nothing of the second."""
    model = tree(kinds, seed=2)
    q, qd, _, tau = random_state(model, 3)
    once = ph.constraints.ConstraintSet(model).contact(
        model.links[-1].name, (0.1, 0.2, 0.3), (0.0, 0.6, 0.8)
    )
    one = ph.derivatives.constrained_dynamics_derivatives(model, once, q, qd, tau)
    two = ph.derivatives.constrained_dynamics_derivatives(model, once + once, q, qd, tau)
    for k in range(3):
        assert relative(two[k], one[k]) < TOLERANCE
        assert relative(two[3 + k][:1], one[3 + k]) < TOLERANCE
        assert not two[3 + k][1:].any()
    blocks = complex_step(
        algorithms.constrained_range_space, model, (q, qd, tau), 0,
        constraints=(once + once).constraints,
    )  # fmt: skip
    assert relative(two.d_q, blocks[0]) < TOLERANCE
    assert relative(two.force_d_q, blocks[1]) < TOLERANCE


@given(trees(max_links=4), SEEDS)
def test_symmetry(model, seed):
    """The derivative by force is symmetric; so are second ones, but within spherical joints.

    There a turn by ``e_j`` and one by ``e_k`` differ, in either order, by one by ``e_j x e_k``.
    """
    q, qd, qdd, tau = random_state(model, seed)
    _, _, inverse = run_plain(algorithms.aba_derivatives, model, (q, qd, tau))
    assert_close([inverse], [inverse.T], np.linalg.cond(inverse))
    d_q, _, _ = run_plain(algorithms.rnea_derivatives, model, (q, qd, qdd))
    tensors = run_plain(algorithms.rnea_second_derivatives, model, (q, qd, qdd))
    still = np.zeros(model.nv)
    stiffness = run_plain(algorithms.rnea_derivatives, model, (q, still, still))[0]
    gradient = run_plain(algorithms.gravity, model, (q,))
    bracket = commutators(model)
    flipped = np.swapaxes(tensors[0], -1, -2)
    assert_close([tensors[0] - flipped], [np.einsum("il,ljk->ikj", d_q, bracket)])
    assert_close([tensors[1]], [np.swapaxes(tensors[1], -1, -2)])
    assert_close([tensors[3]], [np.swapaxes(tensors[3], 0, 1)])
    assert_close([stiffness - stiffness.T], [np.einsum("l,ljk->kj", gradient, bracket)])


def commutators(model):
    """``[l, j, k]``: how much of direction ``l`` is between steps along ``j`` and ``k``."""
    c = np.zeros((model.nv,) * 3)
    for i in model.bodies:
        if model.joint[i].nq != model.joint[i].nv:
            rows = np.array(model.v_index[i])
            for j, k, l in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
                c[rows[l], rows[j], rows[k]], c[rows[l], rows[k], rows[j]] = 1.0, -1.0
    return c
