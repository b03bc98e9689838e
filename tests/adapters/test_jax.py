"""Programs as functions of JAX arrays, checked by JAX's own finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from adapters.machines import costs, inverse_dynamics, state
from polhode.adapters.derivatives import leaves

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of the library's own making
]


@pytest.fixture
def jax():
    """The library with float64 allowed, or a skip."""
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield jax
    jax.config.update("jax_enable_x64", before)


@pytest.fixture
def function(jax):
    """Inverse dynamics on JAX arrays."""
    from polhode.adapters import to_jax

    return to_jax(inverse_dynamics())


def test_values_are_the_programs(jax, function):
    """The same bits, compiled by JAX or not, in both precisions, with broadcasting."""
    q, qd, qdd = state(4)
    for dtype in (np.float64, np.float32):
        arrays = [q.astype(dtype), qd[0].astype(dtype), qdd[:1].astype(dtype)]
        expected = inverse_dynamics()(*arrays)
        for way in (function, jax.jit(function)):
            got = np.asarray(way(*arrays))
            assert got.dtype == dtype
            np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_gradients(jax, function, mode):
    """First order with batches that broadcast, second order of one state."""
    from jax.test_util import check_grads

    q, qd, qdd = state(3)
    check_grads(function, (q, qd[0], qdd[:1]), order=1, modes=[mode], atol=1e-6, rtol=1e-6)
    check_grads(function, (q[0], qd[0], qdd[0]), order=2, modes=[mode], atol=1e-5, rtol=1e-5)


def test_function_transforms(jax, function):
    """``jacrev``, ``jacfwd``, ``jit`` and ``vmap`` over any axis give the program's Jacobian."""
    q, qd, qdd = state(3)
    expected = inverse_dynamics().jacobian("q")(q, qd, qdd)
    for way in (jax.jacrev, jax.jacfwd):
        got = jax.jit(jax.vmap(way(function), in_axes=(0, 0, 1)))(q, qd, qdd.T)
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)
    mapped = jax.vmap(function, in_axes=(0, None, None))(q, qd[0], qdd)
    np.testing.assert_array_equal(mapped[1, 2], function(q[1], qd[0], qdd[2]))


def test_outputs_by_name(jax):
    """A dict stays a dict; the gradient and the Hessian of a cost are the program's."""
    from polhode.adapters import to_jax

    q, qd, tau = state()
    function, program = to_jax(costs()), costs()
    got, expected = function(q, qd, tau, 0.5), program(q, qd, tau, 0.5)
    assert list(got) == ["cost", "detail"] and list(got["detail"]) == ["qdd", "height"]
    for x, y in zip(leaves(got), leaves(expected), strict=True):
        np.testing.assert_array_equal(x, y)

    def cost(qd):
        return function(q, qd, tau, 0.5)["cost"]

    gradient, hessian = program.jacobian("qd")(q, qd, tau, 0.5)[0], program.hessian("qd")
    np.testing.assert_allclose(jax.jit(jax.grad(cost))(qd), gradient, rtol=1e-12)
    second = hessian(q, qd, tau, 0.5)[0]
    scale = np.abs(second).max()
    np.testing.assert_allclose(jax.hessian(cost)(qd), second, rtol=0, atol=1e-12 * scale)


def test_shapes_are_checked(jax, function):
    """An argument that does not fit is named."""
    q, qd, qdd = state()
    with pytest.raises(TypeError, match="as the last axes of qd, got shape"):
        function(q, qd[:-1], qdd)
    with pytest.raises(TypeError, match="expected q, qd, qdd, got 1"):
        function(q)
