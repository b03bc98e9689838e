"""Derivatives of whole programs, also where a step stands still."""

import numpy as np
import pytest

import polhode as ph
from polhode import algorithms
from random_trees import random_state, tree

STEP = 1e-5


@pytest.mark.parametrize("speed", [0.0, 1e-9, 1e-3, 0.05, 0.19, 0.21, 2.0])
def test_a_step_can_be_differentiated_at_rest(speed):
    """Integrate by its velocity: exact at no spin at all, and on both sides of its series."""
    model = tree(["floating", "revolute"])
    q = random_state(model, 3).q
    v = speed * np.array([0.1, 0.2, 0.3, 0.36, -0.48, 0.8, 0.5])
    program = ph.compile(algorithms.integrate, model)
    (by_v,) = (program.jacobian("v")(q, v, 1.0),)
    ahead, behind = (program(q, v + s * STEP * np.eye(model.nv), 1.0) for s in (1, -1))
    np.testing.assert_allclose(by_v, ((ahead - behind) / (2 * STEP)).T, atol=1e-9)


@pytest.mark.parametrize("turn", [0.0, 1e-9, 0.009, 0.011, 1.0, 3.0])
def test_a_difference_can_be_differentiated(turn):
    """The step between positions by the second one's tangent is near the identity."""
    model = tree(["spherical"])
    q = random_state(model, 1).q
    v = turn * np.array([0.36, -0.48, 0.8])
    there = ph.integrate(model, q, v)
    program = ph.compile(algorithms.difference, model)
    by_end = program.jacobian("q1", tangent=True)(q, there)
    ahead, behind = (program(q, ph.integrate(model, there, s * STEP * np.eye(3))) for s in (1, -1))
    np.testing.assert_allclose(by_end, ((ahead - behind) / (2 * STEP)).T, atol=1e-8)
    np.testing.assert_allclose(program(q, there), v, atol=1e-14)
