"""The dynamics that programs run beside the book's tables, and the regrouped moments of mass."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from polhode import algorithms
from polhode.model import Prismatic, Revolute
from polhode.spatial import FrameMotion, Inertia, Mat3, Motion, Sym3, Vec3
from random_trees import random_frame, random_state, trees

SEEDS = st.integers(0, 1000)
ROUNDING = 1e-12  # several thousand roundings of size eps, relative to the largest term


def split(model, state):
    q, qd, qdd, tau = state
    return (
        model.split_q([*q.T]),
        model.split_v([*qd.T]),
        model.split_v([*qdd.T]),
        model.split_v([*tau.T]),
    )


def forces(model, seed):
    f_ext = np.random.default_rng(seed).standard_normal((model.n_bodies, 6, 3))
    return {i: tuple(f_ext[i - 1]) for i in model.bodies}


def close(model, a, b, condition=1.0):
    a, b = (np.array(np.broadcast_arrays(*model.join_v(x))) for x in (a, b))
    bound = ROUNDING * max(1.0, condition * 1e-3)
    assert np.abs(a - b).max() <= bound * max(1.0, np.abs(b).max())


@given(trees(), SEEDS)
def test_inverse_dynamics_is_the_books(model, seed):
    """Classical accelerations, and regrouped moments, change no joint force of Table 5.1."""
    state = *split(model, random_state(model, seed, (3,)))[:3], forces(model, seed)
    expected = algorithms.rnea(model, *state)
    for function in (algorithms.luh_walker_paul, algorithms.inverse_dynamics):
        close(model, function(model, *state), expected)
    for function in (algorithms.luh_walker_paul, algorithms.rnea):
        close(model, function(model.regrouped(), *state), expected)


@given(trees(), SEEDS)
def test_forward_dynamics_is_the_books(model, seed):
    """Nor do they, and accelerations relative to those at ``qdd = 0``, change Table 7.1's."""
    q, qd, _, tau = split(model, random_state(model, seed, (3,)))
    state = q, qd, tau, forces(model, seed)
    condition = np.linalg.cond(ph.mass_matrix(model, random_state(model, seed, (3,)).q)).max()
    expected = algorithms.aba(model, *state)
    for function in (algorithms.aba_relative, algorithms.forward_dynamics):
        close(model, function(model, *state), expected, condition)
    for function in (algorithms.aba_relative, algorithms.aba):
        close(model, function(model.regrouped(), *state), expected, condition)


@given(trees(), SEEDS)
def test_the_mass_matrix_keeps_its_entries(model, seed):
    """Regrouped moments make the same joint-space inertia, also that of `inertia_times`."""
    q, v = split(model, random_state(model, seed, (3,)))[:2]
    H, of_book = algorithms.mass_matrix(model, q), algorithms.crba(model, q)
    for row, plain in zip(H, of_book, strict=True):
        for x, y in zip(row, plain, strict=True):
            np.testing.assert_allclose(x, y, rtol=0, atol=ROUNDING * max(1.0, np.abs(y).max()))
    rates = model.join_v(v)
    product = [sum(h * x for h, x in zip(row, rates, strict=True)) for row in of_book]
    close(model, algorithms.inertia_times(model, q, v), model.split_v(product))


@given(trees(), SEEDS)
def test_a_regrouped_model_has_the_same_kinetic_energy(model, seed):
    """As what moves as part of the parent is only counted there."""
    q, qd = split(model, random_state(model, seed, (3,)))[:2]
    expected, found = (algorithms.energy(m, q, qd)[0] for m in (model, model.regrouped()))
    np.testing.assert_allclose(found, expected, rtol=0, atol=ROUNDING * max(1, *expected))


@given(trees())
def test_what_a_joint_permits_goes_to_the_parent(model):
    """Behind a rotation no mass is left, behind a translation no second moments."""
    for i in model.bodies:
        own, parent = model.regrouped().moments[i], model.parent[i]
        if parent and not model.inertia[parent].m:
            continue
        if isinstance(model.joint[i], Revolute):
            assert own.m == 0.0
            assert 0.0 in tuple(own.h)
        if isinstance(model.joint[i], Prismatic):
            assert not any(x for row in own.M.full() for x in row)


@given(trees(), SEEDS)
def test_moments_of_a_parameter_given_as_input_stay_in_their_body(model, seed):
    """With masses as inputs nothing is regrouped, and the forces are those of the model."""
    q, qd, qdd, _ = random_state(model, seed)
    program = ph.compile(algorithms.inverse_dynamics, model, parameters=["mass"])
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
    both = (I.moments() + moved).force(FrameMotion.of(v, a))
    apart = I.net_force(v, a) + (X.T @ I @ X).net_force(v, a)
    np.testing.assert_allclose(list(both), list(apart), atol=1e-11)
