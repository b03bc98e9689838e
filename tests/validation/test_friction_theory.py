"""The other solver of frictional problems: on closed forms, and by the laws it has to keep."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse

from validation import friction_theory as theory


@pytest.mark.parametrize("d", [1, 2, 3])
def test_derivative_of_the_projection(d):
    """By central differences, away from the edges of the cones."""
    rng = np.random.default_rng(d)
    z, dz, h = rng.standard_normal((20, d)), rng.standard_normal((20, d)), 1e-6
    differences = (theory.projected(z + h * dz) - theory.projected(z - h * dz)) / (2.0 * h)
    found = theory.derivative_of_projection(z) @ dz.ravel()
    np.testing.assert_allclose(found, differences.ravel(), atol=1e-9)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_solutions_of_convex_problems(d):
    """Impulses in the cones, velocities in the same cones, and both orthogonal."""
    rng = np.random.default_rng(10 + d)
    A = rng.standard_normal((6 * d, 6 * d))
    problem = theory.Convex(d, sparse.csr_matrix(A @ A.T), rng.standard_normal(6 * d))
    x = theory.polished(problem, np.zeros(6 * d)).reshape(-1, d)
    u = (problem.W @ x.ravel() + problem.b).reshape(-1, d)
    for side in (x, u):
        np.testing.assert_allclose(theory.projected(side), side, atol=1e-12)
    np.testing.assert_allclose(np.sum(x * u, axis=1), 0.0, atol=1e-12)
    assert np.abs(x).max() > 0.0


def test_contraction_factor():
    """Of single contacts, and of matrices to which the theory does not apply."""
    assert theory.contraction_factor(3, sparse.eye(3, format="csr"), np.array([0.3])) == 0.3
    singular = sparse.csr_matrix(np.ones((2, 2)))
    turned = sparse.csr_matrix([[1.0, 0.1], [-0.1, 1.0]])
    for W in (singular, turned):
        assert theory.contraction_factor(2, W, np.array([0.3])) == np.inf


@pytest.mark.oracle
def test_a_sliding_contact():
    """The normal velocity vanishes, and friction takes its share of the tangential one."""
    q, mu = np.array([-1.0, 2.0, 0.0]), np.array([0.25])
    u = theory.coulomb_velocity(3, sparse.eye(3, format="csr"), q, mu, 0.25)
    np.testing.assert_allclose(u, [0.0, 1.75, 0.0], atol=1e-11)
