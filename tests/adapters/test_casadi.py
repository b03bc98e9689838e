"""Programs as CasADi functions: values, sparse Jacobians, Hessians, and an optimal posture."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from adapters.machines import MODEL, costs, inverse_dynamics, state
from polhode import algorithms
from polhode.scalar import sin
from random_trees import tree

pytestmark = pytest.mark.oracle


@pytest.fixture
def casadi():
    """The library, or a skip."""
    return pytest.importorskip("casadi", reason="CasADi is not installed")


def adapted(program):
    from polhode.adapters import to_casadi

    return to_casadi(program)


def column(x):
    return np.asarray(x).reshape(-1, 1)


def test_values_are_the_programs(casadi):
    """Vectors are columns, matrices matrices, and inputs keep their names."""
    q, qd, qdd = state()
    function = adapted(inverse_dynamics())
    assert function.name_in() == ["q", "qd", "qdd"]
    np.testing.assert_array_equal(
        function(q, qd, qdd).full(), column(inverse_dynamics()(q, qd, qdd))
    )
    H = adapted(ph.compile(algorithms.mass_matrix, MODEL))(q).full()
    np.testing.assert_array_equal(H, ph.mass_matrix(MODEL, q))


def test_jacobians(casadi):
    """Of vectors and matrices, by one input or all, through an expression of CasADi's."""
    q, qd, qdd = state()
    x, y, z = (casadi.MX.sym(name, len(a)) for name, a in zip("xyz", state(), strict=True))
    function = adapted(inverse_dynamics())
    slope = casadi.Function("slope", [x, y, z], [casadi.jacobian(function(x, 2 * y, z), y)])
    expected = 2 * inverse_dynamics().jacobian("qd")(q, 2 * qd, qdd)
    np.testing.assert_allclose(slope(q, qd, qdd).full(), expected, rtol=0, atol=1e-12)
    H = ph.compile(algorithms.mass_matrix, MODEL)
    matrix = adapted(H)
    slope = casadi.Function("slope", [x], [casadi.jacobian(matrix(x), x)])
    by_columns = H.jacobian("q")(q).transpose(1, 0, 2).reshape(-1, len(q))
    np.testing.assert_array_equal(slope(q).full(), by_columns)


def springs(model, q, qd):
    """Each force depends on its own joint alone."""
    return [sin(q[i][0]) + 2.0 * qd[i][0] for i in model.bodies]


def test_structural_zeros_are_known_to_casadi(casadi):
    """The sparsity of the program's Jacobian, and of the Jacobian's."""
    model = tree(["revolute x", "prismatic", "revolute y"])
    function = adapted(ph.compile(springs, model))
    n = model.nv
    first = function.jacobian()
    assert first.sparsity_out(0) == casadi.Sparsity.diag(n)
    second = first.jacobian()
    assert second.sparsity_out("jac_jac_o0_q_q").nnz() == n
    assert second.sparsity_out("jac_jac_o0_q_qd").nnz() == 0
    x, y = casadi.MX.sym("x", n), casadi.MX.sym("y", n)
    assert casadi.jacobian(function(x, y), x).sparsity() == casadi.Sparsity.diag(n)


def test_hessians(casadi):
    """The Hessian of a scalar expression is the program's own."""
    q, qd, tau = state()
    x = casadi.MX.sym("x", len(qd))
    function = adapted(costs())  # CasADi needs it as long as the expression
    cost = function(q, x, tau, 0.5)[0]
    second = casadi.Function("second", [x], [casadi.hessian(cost, x)[0]])(qd).full()
    expected = costs().hessian("qd")(q, qd, tau, 0.5)[0]
    np.testing.assert_allclose(second, expected, rtol=0, atol=1e-11 * np.abs(expected).max())


def test_an_optimal_posture(casadi):
    """IPOPT finds where gravity needs no force."""
    model = ph.Model("pendulum").add(
        "link", joint=ph.model.Revolute.y(), mass=1.0, com=(0.5, 0.0, 0.0)
    )
    force = adapted(ph.compile(algorithms.gravity, model))
    problem = casadi.Opti()
    q = problem.variable(1)
    problem.minimize(casadi.sumsqr(force(q)))
    problem.set_initial(q, 1.0)
    problem.solver("ipopt", {"ipopt.print_level": 0, "ipopt.sb": "yes", "print_time": 0})
    found = problem.solve().value(q)
    assert abs(found - np.pi / 2) < 1e-4


def test_arrays_of_three_axes_are_refused(casadi):
    """CasADi has matrices only."""
    with pytest.raises(ValueError, match="at most 2 axes"):
        adapted(ph.compile(algorithms.poses, MODEL))
