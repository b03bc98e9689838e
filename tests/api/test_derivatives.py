"""Derivatives of dynamics agree with central differences along the joints' tangent."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from polhode import algorithms
from polhode.binding.plain import run_plain
from polhode.model import Helical, Model, Revolute
from random_trees import random_state, tree, trees

STEP = 1e-5  # cube root of eps: where rounding and truncation of central differences balance
TOLERANCE = 1e-7


def central(function, model, q, others):
    """Central differences of ``function`` by position, and by each of the other arguments."""
    unit = np.eye(model.nv) * STEP
    ahead, behind = (ph.integrate(model, q, s * unit) for s in (1.0, -1.0))
    by_q = np.stack([function(a, *others) - function(b, *others)
                     for a, b in zip(ahead, behind, strict=True)], axis=-1)  # fmt: skip
    blocks = [by_q / (2 * STEP)]
    for k in range(2):
        columns = []
        for e in unit:
            up, down = list(others), list(others)
            up[k], down[k] = others[k] + e, others[k] - e
            columns.append((function(q, *up) - function(q, *down)) / (2 * STEP))
        blocks.append(np.stack(columns, axis=-1))
    return blocks


def agree(blocks, expected):
    scale = max(1.0, *(np.abs(b).max() for b in expected))
    for block, truth in zip(blocks, expected, strict=True):
        assert np.abs(block - truth).max() <= TOLERANCE * scale


@given(trees(max_links=3), st.integers(0, 1000))
def test_inverse_dynamics_derivatives(model, seed):
    """All three blocks, for every kind of joint, in the plain run."""
    q, qd, qdd, _ = random_state(model, seed)

    def function(*state):
        return run_plain(algorithms.rnea, model, state)

    blocks = run_plain(algorithms.rnea_derivatives, model, (q, qd, qdd))
    agree(blocks, central(function, model, q, (qd, qdd)))


@given(trees(max_links=3), st.integers(0, 1000))
def test_forward_dynamics_derivatives(model, seed):
    """They are ``-H^-1`` times those of inverse dynamics, and ``H^-1``."""
    q, qd, _, tau = random_state(model, seed)
    d_q, d_qd, inverse = run_plain(algorithms.aba_derivatives, model, (q, qd, tau))
    qdd = run_plain(algorithms.aba, model, (q, qd, tau))
    by_q, by_qd, H = run_plain(algorithms.rnea_derivatives, model, (q, qd, qdd))
    condition = np.linalg.cond(H)
    scale = max(1.0, np.abs(by_q).max(), np.abs(by_qd).max()) * condition
    np.testing.assert_allclose(H @ d_q, -by_q, rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(H @ d_qd, -by_qd, rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(H @ inverse, np.eye(model.nv), rtol=0, atol=1e-12 * condition)


def test_compiled_derivatives_are_the_plain_ones():
    """The public function gives named blocks, batches, and takes them back as ``out``."""
    model = tree(["floating", "revolute", "euler ZYX", "helical"])
    q, qd, qdd, tau = random_state(model, 1, (5,))
    for function, plain, last in (
        (ph.inverse_dynamics_derivatives, algorithms.rnea_derivatives, qdd),
        (ph.forward_dynamics_derivatives, algorithms.aba_derivatives, tau),
    ):
        result = function(model, q, qd, last)
        for block, expected in zip(result, run_plain(plain, model, (q, qd, last)), strict=True):
            scale = np.abs(expected).max()
            np.testing.assert_allclose(block, expected, rtol=0, atol=1e-12 * scale)
        again = function(model, q[:1], qd[:1], last[:1], out=tuple(b[:1].copy() for b in result))
        np.testing.assert_array_equal(again.d_q, result.d_q[:1])
        one = function(model, q[0], qd[0], last[0])
        np.testing.assert_array_equal(one.d_qd, result.d_qd[0])


def test_a_skew_screw_is_split_and_put_together_again():
    """A helical joint whose subspace turns counts once, whatever it was split into."""
    skew = Helical((0.0, 0.6, 0.8, 0.3, 0.0, 0.1))
    model = Model().add("a", joint=skew, mass=1.0, com=(0.1, 0.2, 0.3), inertia=(1.0, 2.0, 2.5))
    split, origin = model.with_constant_subspaces()
    assert split.nv == 2 and origin == [0, 0]
    plain = model.add("b", joint=Revolute.x(), parent="a", mass=1.0, inertia=(1.0, 1.0, 1.0))
    assert plain.lock({"a": 0.2}).with_constant_subspaces()[0].nv == 1
