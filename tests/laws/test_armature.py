"""Inertia of rotors in the joints: what it adds to joint-space inertia, everywhere alike."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode import algorithms
from polhode.model import FloatingBase, Prismatic, Revolute
from random_trees import KINDS, random_state, tree

ALL = [kind for kind in KINDS if kind != "fixed"]
ROUNDING = 1e-12


def geared(model, seed=0):
    """The model with armature on every degree of freedom, and that armature."""
    armature = np.random.default_rng(seed).uniform(0.1, 2.0, model.nv)
    return ph.identification.with_parameters(model, {"armature": armature}), armature


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=0, atol=ROUNDING * max(1.0, float(np.abs(b).max())))


@pytest.mark.parametrize("kind", ALL)
def test_armature_is_added_to_the_diagonal(kind):
    """Of the mass matrix, for each kind of joint, and nowhere else."""
    bare = tree(["revolute", kind, "revolute z"], seed=4)
    model, armature = geared(bare)
    q, qd, qdd, _ = random_state(bare, 1)
    close(ph.mass_matrix(model, q), ph.mass_matrix(bare, q) + np.diag(armature))
    close(ph.bias_forces(model, q, qd), ph.bias_forces(bare, q, qd))
    tau = ph.inverse_dynamics(bare, q, qd, qdd) + armature * qdd
    close(ph.inverse_dynamics(model, q, qd, qdd), tau)
    for method in ("aba", "crba"):
        close(ph.forward_dynamics(model, q, qd, tau, method=method), qdd)
    extra = 0.5 * float(armature @ qd**2)
    close(ph.energy(model, q, qd).kinetic, ph.energy(bare, q, qd).kinetic + extra)


def test_a_floating_base_has_the_armature_of_its_joint():
    """The state of the base as a quaternion and spatial velocity moves as the whole model does."""
    model = (
        ph.Model()
        .add("trunk", joint=FloatingBase(), mass=2.0, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.4, 0.5),
             armature=(1.0, 2.0, 3.0, 0.4, 0.5, 0.6))
        .append("arm", joint=Revolute.x(), mass=1.0, com=(0.1, 0.0, 0.2), inertia=(0.1, 0.1, 0.1),
                armature=0.7)
        .append("hand", joint=Prismatic.y(), mass=1.0, armature=0.3)
    )  # fmt: skip
    rng = np.random.default_rng(0)
    x, (q, qd, tau) = rng.standard_normal(13), rng.standard_normal((3, 2))
    x[:4] /= np.linalg.norm(x[:4])
    xd, qdd = ph.floating_base.floating_base_dynamics(model, x, q, qd, tau)
    whole_q, whole_qd = ph.floating_base.floating_base_state(model, x, q, qd)
    accelerations = ph.forward_dynamics(model, whole_q, whole_qd, [*np.zeros(6), *tau])
    close(qdd, accelerations[6:])
    needed_xd, needed = ph.floating_base.floating_base_inverse_dynamics(model, x, q, qd, qdd)
    close(needed_xd, xd)
    close(needed, tau)


def test_armature_costs_nothing_where_it_is_zero():
    """As many operations as without, also beside a joint that has some."""
    bare = tree(["revolute z", "revolute", "prismatic", "revolute y"], seed=1)
    zero = ph.identification.with_parameters(bare, {"armature": np.zeros(bare.nv)})
    last = ph.identification.with_parameters(bare, {"armature": [0.0, 0.0, 0.0, 0.1]})
    added = {"rnea": 2, "crba": 1, "inverse_dynamics": 2, "mass_matrix": 1}
    for name in (*added, "aba", "forward_dynamics"):
        function = getattr(algorithms, name)
        ops = [ph.compile(function, m).ops for m in (bare, zero, last)]
        assert ops[0] == ops[1], name
        assert ops[2] <= ops[0] + added.get(name, 200), name


def test_a_program_is_that_of_its_armature():
    """Models that differ in nothing else share no compiled program."""
    bare = tree(["revolute z", "revolute"], seed=1)
    model, armature = geared(bare)
    assert model.fingerprint != bare.fingerprint
    assert model != bare
    q, qd, qdd, _ = random_state(bare, 1)
    first = ph.inverse_dynamics(bare, q, qd, qdd)
    close(ph.inverse_dynamics(model, q, qd, qdd), first + armature * qdd)


def test_armature_as_an_input():
    """A program takes armature with batch axes of its own, as it takes masses."""
    model = tree(["floating", "spherical", "revolute y"], [-1, 0, 1], seed=2)
    state = random_state(model, 0, (4,))
    armature = np.random.default_rng(1).uniform(0.0, 1.0, (4, model.nv))
    inverse = ph.compile(algorithms.inverse_dynamics, model, parameters=["armature"])
    forward = ph.compile(algorithms.forward_dynamics, model, parameters=["armature"])
    tau = inverse(state.q, state.qd, state.qdd, armature)
    close(tau, ph.inverse_dynamics(model, state.q, state.qd, state.qdd) + armature * state.qdd)
    np.testing.assert_allclose(forward(state.q, state.qd, tau, armature), state.qdd, atol=1e-10)
