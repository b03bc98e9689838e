"""Power balance, and what a closed system conserves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from polhode.model import Model
from random_trees import random_state, trees

SEEDS = st.integers(0, 1000)
STEP = 1e-5
DIFFERENCE = 1e-7  # central differences with STEP: STEP^2 third derivatives + eps / STEP


def without_gravity(model: Model) -> Model:
    still = Model(model.name, gravity=(0.0, 0.0, 0.0))
    return still.attach(model)


def along(model, state, qdd, h):
    """The state a time ``h`` later, to second order, on a path with acceleration ``qdd``."""
    return ph.integrate(model, state.q, state.qd * h + qdd * (0.5 * h * h)), state.qd + qdd * h


def rate(model, state, qdd, quantity):
    """Time derivative of ``quantity(q, qd)`` along the motion, by central differences."""
    later, earlier = along(model, state, qdd, STEP), along(model, state, qdd, -STEP)
    return (np.asarray(quantity(*later)) - np.asarray(quantity(*earlier))) / (2.0 * STEP)


@given(trees(), SEEDS)
def test_power_balance(model, seed):
    """d(KE)/dt = qd . (tau - gravity forces): joint and gravity power is all there is."""
    state = random_state(model, seed)
    qdd = ph.forward_dynamics(model, state.q, state.qd, state.tau)
    measured = rate(model, state, qdd, lambda q, qd: ph.energy(model, q, qd).kinetic)
    power = state.qd @ (state.tau - ph.gravity_forces(model, state.q))
    assert measured == pytest.approx(power, abs=DIFFERENCE * (1.0 + np.abs(qdd).max() ** 2))


@given(trees(), SEEDS)
def test_gravity_forces_are_the_slope_of_potential_energy(model, seed):
    """gravity forces = dPE/dq in the tangent space."""
    q = random_state(model, seed).q
    steps = np.eye(model.nv) * STEP

    def potential(step):
        q_there = ph.integrate(model, q, step)
        return ph.energy(model, q_there, np.zeros_like(step)).potential

    slope = (potential(steps) - potential(-steps)) / (2.0 * STEP)
    np.testing.assert_allclose(slope, ph.gravity_forces(model, q), atol=DIFFERENCE * 100)


@given(trees(first="floating"), SEEDS)
def test_momentum_of_a_free_system_grows_by_gravity_alone(model, seed):
    """Momentum about the base origin changes only by the weight, acting at the mass centre."""
    state = random_state(model, seed)
    state.tau[:6] = 0.0
    qdd = ph.forward_dynamics(model, state.q, state.qd, state.tau)
    measured = rate(model, state, qdd, lambda q, qd: about_origin(model, q, qd))
    mass = sum(body.mass for body in model.bodies)
    weight = mass * np.array([0.0, 0.0, -9.81])
    com = ph.center_of_mass(model, state.q)
    expected = np.concatenate([np.cross(com, weight), weight])
    np.testing.assert_allclose(measured, expected, atol=DIFFERENCE * (10 + np.abs(qdd).max() ** 2))


def commutator_free_step(model, q, qd, acceleration, h):
    """One fourth-order step on the joint manifold (Celledoni, Marthinsen and Owren 2003)."""
    k1, a1 = h * qd, h * acceleration(q, qd)
    q2 = ph.integrate(model, q, 0.5 * k1)
    k2, a2 = h * (qd + 0.5 * a1), h * acceleration(q2, qd + 0.5 * a1)
    q3 = ph.integrate(model, q, 0.5 * k2)
    k3, a3 = h * (qd + 0.5 * a2), h * acceleration(q3, qd + 0.5 * a2)
    q4 = ph.integrate(model, q2, k3 - 0.5 * k1)
    k4, a4 = h * (qd + a3), h * acceleration(q4, qd + a3)
    half_way = ph.integrate(model, q, (3.0 * k1 + 2.0 * k2 + 2.0 * k3 - k4) / 12.0)
    q = ph.integrate(model, half_way, (-k1 + 2.0 * k2 + 2.0 * k3 + 3.0 * k4) / 12.0)
    return q, qd + (a1 + 2.0 * a2 + 2.0 * a3 + a4) / 6.0


def about_origin(model, q, qd):
    return ph.momentum(model, q, qd)


@given(trees(first="floating", max_links=4), SEEDS)
def test_a_free_system_conserves_energy_and_momentum(model, seed):
    """No gravity, no forces: energy and all six components of momentum stay what they were."""
    model = without_gravity(model)
    q, qd, _, _ = random_state(model, seed)
    still = np.zeros(model.nv)
    energy, momentum = ph.energy(model, q, qd).kinetic, about_origin(model, q, qd)
    for _ in range(40):
        q, qd = commutator_free_step(
            model, q, qd, lambda q, qd: ph.forward_dynamics(model, q, qd, still), 1e-3
        )
    assert ph.energy(model, q, qd).kinetic == pytest.approx(energy, rel=1e-7)
    np.testing.assert_allclose(about_origin(model, q, qd), momentum, rtol=1e-7, atol=1e-7)
