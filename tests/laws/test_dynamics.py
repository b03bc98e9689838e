"""Laws that tie the dynamics algorithms to each other, on random trees of mixed joints."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from random_trees import random_state, trees

SEEDS = st.integers(0, 1000)
STATES = (3,)  # each law is checked on a few states at once
ROUNDING = 1e-12  # several thousand roundings of size eps, relative to the largest term


def close(a, b, scale=1.0, condition=1.0):
    """Equal to rounding, where a system of condition number ``condition`` was solved."""
    bound = ROUNDING * max(1.0, float(np.max(condition))) * max(1.0, float(np.abs(b).max()), scale)
    error = float(np.abs(np.asarray(a) - b).max(initial=0.0))
    assert error <= bound, f"error {error:.2e} above {bound:.2e}"


def times(H, x):
    return np.einsum("...ij,...j->...i", H, x)


def f_ext_of(model, seed):
    return np.random.default_rng(seed).standard_normal((*STATES, model.n_bodies, 6))


@given(trees(), SEEDS)
def test_mass_matrix_is_symmetric_and_positive_definite(model, seed):
    """H is its own transpose, bit for bit, and has positive eigenvalues."""
    H = ph.mass_matrix(model, random_state(model, seed, STATES).q)
    assert np.array_equal(H, np.swapaxes(H, -1, -2))
    assert np.linalg.eigvalsh(H).min() > 0.0


@given(trees(), SEEDS)
def test_forward_dynamics_inverts_inverse_dynamics(model, seed):
    """FD(q, qd, ID(q, qd, qdd)) = qdd, by both methods, also under external forces."""
    q, qd, qdd, _ = random_state(model, seed, STATES)
    f = f_ext_of(model, seed)
    condition = np.linalg.cond(ph.mass_matrix(model, q))
    tau = ph.inverse_dynamics(model, q, qd, qdd)
    scale = float(np.abs(tau).max())
    close(ph.forward_dynamics(model, q, qd, tau), qdd, scale, condition)
    close(ph.forward_dynamics(model, q, qd, tau, method="crba"), qdd, scale, condition)
    tau = ph.inverse_dynamics(model, q, qd, qdd, f)
    scale = float(np.abs(tau).max())
    close(ph.forward_dynamics(model, q, qd, tau, f), qdd, scale, condition)
    close(ph.forward_dynamics(model, q, qd, tau, f, method="crba"), qdd, scale, condition)


@given(trees(), SEEDS)
def test_equation_of_motion(model, seed):
    """ID = H qdd + C, with C the bias forces, and C(q, 0) the gravity forces."""
    q, qd, qdd, _ = random_state(model, seed, STATES)
    f = f_ext_of(model, seed)
    H = ph.mass_matrix(model, q)
    close(
        ph.inverse_dynamics(model, q, qd, qdd, f),
        times(H, qdd) + ph.bias_forces(model, q, qd, f),
        scale=float(np.abs(H).max()),
    )
    close(ph.bias_forces(model, q, 0.0 * qd), ph.gravity_forces(model, q))


@given(trees(), SEEDS)
def test_inverse_mass_matrix(model, seed):
    """M^-1 is symmetric, M^-1 H = 1, and M^-1 tau needs no M."""
    q, _, _, tau = random_state(model, seed, STATES)
    H, inverse = ph.mass_matrix(model, q), ph.inverse_mass_matrix(model, q)
    condition = np.linalg.cond(H)
    scale = float(np.abs(inverse).max())
    close(inverse, np.swapaxes(inverse, -1, -2), scale, condition)
    close(inverse @ H, np.broadcast_to(np.eye(model.nv), H.shape), condition=condition)
    close(ph.solve_mass_matrix(model, q, tau), times(inverse, tau), scale, condition)


@given(trees(), SEEDS)
def test_kinetic_energy_is_half_qd_H_qd(model, seed):
    """The bodies' energies add up to the quadratic form of the mass matrix."""
    q, qd, _, _ = random_state(model, seed, STATES)
    kinetic = 0.5 * np.sum(qd * times(ph.mass_matrix(model, q), qd), axis=-1)
    close(ph.energy(model, q, qd).kinetic, kinetic)


@given(trees(), SEEDS)
def test_external_forces_act_through_the_jacobian(model, seed):
    """A force on a body changes the joint forces by -J^T f, J at the base origin."""
    q, qd, qdd, _ = random_state(model, seed)
    f = np.zeros((model.n_bodies, 6))
    expected = ph.inverse_dynamics(model, q, qd, qdd)
    for body in {1, model.n_bodies}:
        f[body - 1] = np.random.default_rng(seed + body).standard_normal(6)
        pose = ph.body_poses(model, q)[body - 1]
        base_origin = -pose[:3, :3].T @ pose[:3, 3]
        J = ph.frame_jacobian(model, q, body, base_origin)
        expected = expected - J.T @ f[body - 1]
    close(ph.inverse_dynamics(model, q, qd, qdd, f), expected, scale=float(np.abs(f).max()) * 10)


@given(trees(), SEEDS)
def test_hybrid_dynamics_solves_for_what_is_not_given(model, seed):
    """Given entries come back untouched, and all together fulfil the equation of motion."""
    q, qd, qdd, tau = random_state(model, seed, STATES)
    f = f_ext_of(model, seed)
    forward = np.random.default_rng(seed).random(model.nv) < 0.5
    condition = np.linalg.cond(ph.mass_matrix(model, q))
    given_qdd, given_tau = np.where(forward, np.nan, qdd), np.where(forward, tau, np.nan)
    all_qdd, all_tau = ph.hybrid_dynamics(
        model, q, qd, given_qdd, given_tau, forward=forward, f_ext=f
    )
    assert np.array_equal(all_qdd[:, ~forward], qdd[:, ~forward])
    assert np.array_equal(all_tau[:, forward], tau[:, forward])
    expected = ph.inverse_dynamics(model, q, qd, all_qdd, f)
    close(all_tau, expected, scale=float(np.abs(all_qdd).max()), condition=condition)


@given(trees(), SEEDS)
def test_inverse_dynamics_is_affine_in_acceleration(model, seed):
    """ID(qdd1 + qdd2) + ID(0) = ID(qdd1) + ID(qdd2)."""
    q, qd, a, b = random_state(model, seed, STATES)
    left = ph.inverse_dynamics(model, q, qd, a + b) + ph.bias_forces(model, q, qd)
    right = ph.inverse_dynamics(model, q, qd, a) + ph.inverse_dynamics(model, q, qd, b)
    close(left, right, scale=10.0 * float(np.abs(right).max()))
