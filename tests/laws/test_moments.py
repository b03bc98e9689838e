"""Moments of mass: other numbers for the same inertia, gathered without a change of forces."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from polhode import algorithms
from polhode.model import Prismatic, Revolute
from polhode.spatial import Force, Inertia, Mat3, Motion, Movement, Sym3, Vec3
from random_trees import random_frame, random_state, trees

SEEDS = st.integers(0, 1000)
ROUNDING = 1e-12  # several thousand roundings of size eps, relative to the largest term


class Plain:
    """A model whose moments are those of each body's own inertia."""

    def __init__(self, model):
        self._model = model
        self.moments = [body.moments() for body in model.inertia]

    def __getattr__(self, name):
        return getattr(self._model, name)


def textbook(model, q, qd, qdd):
    """Inverse dynamics as in RBDA Table 5.1, with spatial accelerations and full inertias."""
    X, S, v, a, f, tau = ({} for _ in range(6))
    v[0], a[0], f[0] = Motion.zero(), -model.gravity, Force.zero()
    for i in model.bodies:
        p, I = model.parent[i], model.inertia[i]
        XJ, S[i], vJ, cJ = model.joint[i].jcalc(q[i], qd[i])
        X[i] = XJ @ model.X_tree[i]
        v[i] = X[i] @ v[p] + vJ
        a[i] = X[i] @ a[p] + S[i] @ qdd[i] + cJ + v[i].cross(vJ)
        f[i] = I @ a[i] + v[i].cross(I @ v[i])
    for i in reversed(model.bodies):
        tau[i] = S[i].T @ f[i]
        f[model.parent[i]] += X[i].T @ f[i]
    return tau


def split(model, state):
    q, qd, qdd, tau = state
    return (
        model.split_q([*q.T]),
        model.split_v([*qd.T]),
        model.split_v([*qdd.T]),
        model.split_v([*tau.T]),
    )


def close(model, a, b):
    a, b = (np.array(np.broadcast_arrays(*model.join_v(x))) for x in (a, b))
    assert np.abs(a - b).max() <= ROUNDING * max(1.0, np.abs(b).max())


@given(trees(), SEEDS)
def test_inverse_dynamics_is_the_textbooks(model, seed):
    """Accelerations as observers measure them, and gathered moments, change no joint force."""
    q, qd, qdd, _ = split(model, random_state(model, seed, (3,)))
    expected = textbook(model, q, qd, qdd)
    close(model, algorithms.rnea(model, q, qd, qdd), expected)
    close(model, algorithms.rnea(Plain(model), q, qd, qdd), expected)


@given(trees(), SEEDS)
def test_the_mass_matrix_keeps_its_entries(model, seed):
    """Gathered moments make the same joint-space inertia."""
    q = split(model, random_state(model, seed, (3,)))[0]
    for row, plain in zip(algorithms.crba(model, q), algorithms.crba(Plain(model), q), strict=True):
        for x, y in zip(row, plain, strict=True):
            np.testing.assert_allclose(x, y, rtol=0, atol=ROUNDING * max(1.0, np.abs(y).max()))


@given(trees())
def test_what_a_joint_permits_goes_to_the_parent(model):
    """Behind a rotation no mass is left, behind a translation no second moments."""
    for i in model.bodies:
        own, parent = model.moments[i], model.parent[i]
        if parent and not model.inertia[parent].m:
            continue
        if isinstance(model.joint[i], Revolute):
            assert own.m == 0.0
            assert 0.0 in tuple(own.h)
        if isinstance(model.joint[i], Prismatic):
            assert not any(x for row in own.M.full() for x in row)


@given(trees(), SEEDS)
def test_moments_of_a_parameter_given_as_input_stay_in_their_body(model, seed):
    """With masses as inputs nothing is gathered, and the forces are those of the model."""
    q, qd, qdd, _ = random_state(model, seed)
    program = ph.compile(algorithms.rnea, model, parameters=["mass"])
    mass = ph.identification.parameters_of(model, ["mass"])["mass"]
    tau, expected = program(q, qd, qdd, mass), ph.inverse_dynamics(model, q, qd, qdd)
    assert np.abs(tau - expected).max() <= ROUNDING * max(1.0, np.abs(expected).max())


@given(SEEDS)
def test_moments_hold_an_inertia(seed):
    """There and back, and moved to another frame, moments are those of the inertia."""
    rng = np.random.default_rng(seed)
    square = rng.standard_normal((3, 3))
    I = Inertia.about_com(
        rng.uniform(0.1, 3.0),
        Vec3.of(rng.standard_normal(3)),
        Sym3.lower(Mat3.of(square @ square.T)),
    )
    X, v, a = random_frame(rng), *(Motion.of(rng.standard_normal(6)) for _ in range(2))

    def numbers(x: Inertia) -> list:
        return [x.m, *x.h, *(s for row in x.I.full() for s in row)]

    moved = I.moments().moved(X.E, X.r)
    for got, want in ((Inertia.of(I.moments()), I), (Inertia.of(moved), X.T @ I @ X)):
        np.testing.assert_allclose(numbers(got), numbers(want), atol=1e-12)
    both = (I.moments() + moved).force(Movement.of(v, a))
    apart = I.net_force(v, a) + (X.T @ I @ X).net_force(v, a)
    np.testing.assert_allclose(list(both), list(apart), atol=1e-11)
