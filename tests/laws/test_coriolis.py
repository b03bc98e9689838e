"""Laws of the Coriolis matrix, on random trees of mixed joints."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import polhode as ph
from laws.test_dynamics import SEEDS, STATES, close, times
from polhode.errors import ModelError
from polhode.model import Custom, Model, Revolute
from random_trees import random_state, tree, trees

STEP = 1e-4


def mass_matrix_rate(model, q, qd):
    """``dH/dt`` along ``qd``, by central differences of the fourth order."""

    def H(steps):
        return ph.mass_matrix(model, ph.integrate(model, q, qd, steps * STEP))

    return (8.0 * (H(1) - H(-1)) - (H(2) - H(-2))) / (12.0 * STEP)


@given(trees(), SEEDS)
def test_velocity_forces(model, seed):
    """``C qd`` is the bias forces without those of gravity."""
    q, qd, _, _ = random_state(model, seed, STATES)
    C, bias = ph.coriolis_matrix(model, q, qd), ph.bias_forces(model, q, qd)
    scale = float(np.abs(C).max()) * float(np.abs(qd).max()) + float(np.abs(bias).max())
    close(times(C, qd) + ph.gravity_forces(model, q), bias, scale)


@given(trees(), SEEDS)
def test_passivity(model, seed):
    """``dH/dt - 2 C`` is skew-symmetric, with ``dH/dt`` by differences of ``H``."""
    q, qd, _, _ = random_state(model, seed, STATES)
    C, H = ph.coriolis_matrix(model, q, qd), ph.mass_matrix(model, q)
    error = mass_matrix_rate(model, q, qd) - C - C.mT
    scale = float(np.abs(H).max()) * max(1.0, float(np.abs(qd).max()) ** 5)
    assert np.abs(error).max() <= 1e-9 * scale  # eps / STEP, and STEP^4 times qd^5


def test_christoffel_symbols():
    """Of joints of one axis: half the sum of derivatives of ``H``, by ``q`` in each of three ways.

    Spong, Hutchinson and Vidyasagar, "Robot modeling and control", 2006, eq. 7.59.
    """
    arm = tree(["revolute z", "prismatic", "revolute y", "revolute", "screw"], seed=4)
    q, qd, _, _ = random_state(arm, 2)
    dH = np.stack([mass_matrix_rate(arm, q, unit) for unit in np.eye(arm.nv)], axis=-1)
    gamma = 0.5 * (dH + np.swapaxes(dH, 1, 2) - np.moveaxis(dH, 2, 0))
    close(ph.coriolis_matrix(arm, q, qd), gamma @ qd, scale=1e3 * float(np.abs(dH).max()))


def test_columns_of_branches():
    """Joints of two branches do not couple: their entries are exact zeros."""
    fork = tree(["revolute z", "revolute y", "revolute x"], [-1, 0, 0], seed=2)
    q, qd, _, _ = random_state(fork, 3)
    C = ph.coriolis_matrix(fork, q, qd)
    assert C[1, 2] == C[2, 1] == 0.0
    assert np.count_nonzero(C) > 4


def test_custom_joints_are_refused():
    """How the axes of a custom joint change is not known, and the message names the joint."""
    custom = Model("m").add("a", joint=Custom(1, Revolute.z().jcalc), joint_name="own", mass=1.0)
    with pytest.raises(ModelError, match="joints of a known kind, got the custom joint 'own'"):
        ph.coriolis_matrix(custom, [0.0], [0.0])
