"""Precision and shapes where arguments are left out, and results of no bodies."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from models import example

ARM = example("arm.urdf")
TIP = ph.constraints.ConstraintSet(ARM).contact("flange", (0.0, 0.0, 0.1), np.eye(3))
CALLS = {
    "frame_jacobian": lambda q: ph.frame_jacobian(ARM, q, "flange"),
    "point_position": lambda q: ph.point_position(ARM, q, "flange", (0.0, 0.0, 0.1)),
    "integrate": lambda q: ph.integrate(ARM, q, q),
    "zero_moment_point": lambda q: ph.zero_moment_point(ARM, q, q, q),
    "passive_forces": lambda q: ph.passive_forces(ARM, q, q, friction_speed=0.1),
    "constraint_impulses": lambda q: ph.constraint_impulses(ARM, TIP, q, q).qd_plus,
    "constraint_errors": lambda q: ph.constraints.constraint_errors(ARM, TIP, q).position,
    "impulse derivatives": lambda q: (
        ph.derivatives.constraint_impulses_derivatives(ARM, TIP, q, q).d_q
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_defaults_take_the_precision_of_the_arrays(name):
    """Arrays of float32 give float32; an array of float64 among them, or lists alone, float64."""
    q = np.full(ARM.nq, 0.3)
    exact, single = CALLS[name](q), CALLS[name](q.astype(np.float32))
    assert (exact.dtype, single.dtype) == (np.float64, np.float32)
    scale = max(1.0, np.abs(exact).max())
    np.testing.assert_allclose(single, exact, rtol=0, atol=1e-3 * scale)
    np.testing.assert_array_equal(CALLS[name](q.tolist()), exact)


def test_arrays_of_both_precisions_give_float64():
    q, qd = np.full(ARM.nq, 0.3), np.ones(ARM.nv, np.float32)
    assert ph.bias_forces(ARM, q, qd).dtype == np.float64


def test_reactions_of_no_bodies():
    """The shape is the documented one."""
    empty, none = ph.Model("empty"), np.zeros((4, 0))
    assert ph.constraints.joint_reactions(empty, none, none, none).shape == (4, 0, 6)
