"""Joint forces are linear in the inertial parameters, and the regressor is the matrix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import polhode as ph
from polhode.errors import ModelError, ShapeError
from random_trees import random_body, random_state, tree, trees

KINDS = ["floating", "euler ZYX", "fixed", "universal", "helical", "spherical", "planar", "axes"]
PARENTS = [-1, 0, 1, 2, 1, 4, 0, 3]
ROUNDING = 1e-12  # of the largest force


def other_masses(model, seed):
    rng, values = (
        np.random.default_rng(seed),
        ph.identification.parameters_of(model, ["mass", "com", "inertia"]),
    )
    for i in model.bodies:
        if i.name:
            for name, value in random_body(rng).items():
                values[name][i - 1] = value
    return ph.identification.with_parameters(model, values)


def check(model, seed=0):
    """``Y pi`` for the model and for one of other masses, with the same ``Y``."""
    q, qd, qdd, _ = random_state(model, seed, (3,))
    Y = ph.identification.inverse_dynamics_regressor(model, q, qd, qdd)
    assert Y.shape == (3, model.nv, 10 * model.n_bodies)
    armature = ph.identification.parameters_of(model, ["armature"])["armature"]
    for machine in (model, other_masses(model, seed)):
        tau = ph.inverse_dynamics(machine, q, qd, qdd) - armature * qdd
        error = np.abs(Y @ ph.identification.inertial_parameters(machine) - tau).max()
        assert error < ROUNDING * max(1.0, np.abs(tau).max())


@given(trees(max_links=3))
def test_forces_are_linear_in_the_parameters(model):
    """On random trees of all joints."""
    check(model)


def test_a_machine_of_all_kinds():
    """Joints with massless bodies inside, links fixed to others, branches."""
    check(tree(KINDS, PARENTS), seed=1)


JOINTS = ("armature", "damping", "friction")


def test_columns_of_joints():
    """``Y pi`` is inverse dynamics with armature, damping and dry friction."""
    model, rng = tree(KINDS, PARENTS), np.random.default_rng(5)
    values = {name: rng.uniform(0.0, 1.0, model.nv) for name in JOINTS}
    model = ph.identification.with_parameters(model, values)
    q, qd, qdd, _ = random_state(model, 2, (3,))
    qd[0] = 0.0
    Y = ph.identification.inverse_dynamics_regressor(model, q, qd, qdd, joints=JOINTS)
    pi = ph.identification.inertial_parameters(model, joints=JOINTS)
    assert Y.shape == (3, model.nv, 10 * model.n_bodies + 3 * model.nv)
    tau = ph.inverse_dynamics(model, q, qd, qdd)
    tau = tau + values["damping"] * qd + values["friction"] * np.sign(qd)
    np.testing.assert_allclose(Y @ pi, tau, rtol=0, atol=ROUNDING * np.abs(tau).max())
    twice = ph.identification.with_inertial_parameters(model, 2.0 * pi, joints=JOINTS)
    again = ph.identification.inertial_parameters(twice, joints=JOINTS)
    np.testing.assert_allclose(again, 2.0 * pi, rtol=0, atol=1e-14)
    with pytest.raises(ModelError, match="expected armature, damping, friction as joints"):
        ph.identification.inverse_dynamics_regressor(model, q, qd, qdd, joints=["mass"])
    with pytest.raises(ShapeError, match=r"10 n_bodies \+ 3 nv"):
        ph.identification.with_inertial_parameters(model, pi[:-1], joints=JOINTS)


def test_out_and_shapes():
    """The result is written where it is to go; wrong sizes are named."""
    model = tree(["revolute y", "prismatic z"])
    q, qd, qdd, _ = random_state(model)
    Y = ph.identification.inverse_dynamics_regressor(model, q, qd, qdd)
    out = np.empty((2, 20))
    assert ph.identification.inverse_dynamics_regressor(model, q, qd, qdd, out=out) is out
    np.testing.assert_array_equal(out, Y)
    with pytest.raises(ShapeError, match="nq = 2 on the last axis of q, got 3"):
        ph.identification.inverse_dynamics_regressor(model, np.zeros(3), qd, qdd)
    with pytest.raises(ShapeError, match="10 n_bodies = 20 parameters"):
        ph.identification.with_inertial_parameters(model, np.zeros(10))


def test_parameters_and_back():
    """A model declared from inertial parameters has these."""
    model = tree(KINDS, PARENTS)
    pi = ph.identification.inertial_parameters(other_masses(model, 4))
    again = ph.identification.inertial_parameters(
        ph.identification.with_inertial_parameters(model, pi)
    )
    np.testing.assert_allclose(again, pi, rtol=0, atol=1e-14)
    pi[-10] = -1.0
    with pytest.raises(ModelError, match="a mass of at least 0"):
        ph.identification.with_inertial_parameters(model, pi)
