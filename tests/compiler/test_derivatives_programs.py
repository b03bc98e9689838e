"""Programs of derivatives: shapes, products, second derivatives, names, pickling."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from compiler.examples import branches, elementary, pendulum_program, program, states
from polhode.compiler import Program
from polhode.errors import TraceError
from polhode.scalar import cos, sin

TOLERANCE = 1e-12
STEP = 1e-5
DIFFERENCE = 1e-7  # of central differences with that step, relative


def product(a, b):
    """A matrix and a scalar, of a scalar and a matrix."""
    total = sum(sin(x) * a for row in b for x in row)
    return [[x * a for x in row] for row in b], total * cos(a)


def matrix_program() -> Program:
    """`product` of a scalar and a 2 x 3 matrix: two outputs, neither of them a vector."""
    return program(product, "product", a=(), b=(2, 3))


def differences(function, arguments, k):
    """Central differences of each result by argument ``k``; axes of the latter last."""
    arguments = [np.asarray(x, dtype=float) for x in arguments]
    columns = []
    for index in np.ndindex(arguments[k].shape):
        step = np.zeros(arguments[k].shape)
        step[index] = STEP
        ends = []
        for s in (step, -step):
            moved = [x + s if i == k else x for i, x in enumerate(arguments)]
            result = function(*moved)
            ends.append(result if isinstance(result, tuple) else (result,))
        columns.append([(a - b) / (2 * STEP) for a, b in zip(*ends, strict=True)])
    shape = arguments[k].shape
    return [
        np.reshape(np.stack(c, axis=-1), np.shape(c[0]) + shape) for c in zip(*columns, strict=True)
    ]


def close(got, expected, tolerance):
    """Equal up to a tolerance relative to the largest entry, and of equal shape."""
    assert got.shape == expected.shape
    assert np.abs(got - expected).max() <= tolerance * max(1.0, np.abs(expected).max())


def test_a_jacobian_has_the_axes_of_output_then_input():
    """Of two outputs by two inputs: outputs slowest, and batch axes in front."""
    p = matrix_program()
    arguments = (states(), states(2, 3))
    J = p.jacobian()
    assert J.inputs == p.inputs
    assert J.output_shapes == ((2, 3), (2, 3, 2, 3), (), (2, 3))
    expected = [differences(p, arguments, k) for k in range(2)]
    blocks = J(*arguments)
    for n in range(2):
        for k in range(2):
            close(blocks[2 * n + k], expected[k][n], DIFFERENCE)
    batch = J(np.full(5, arguments[0]), arguments[1])
    for x, y in zip(batch, blocks, strict=True):
        np.testing.assert_array_equal(x, np.broadcast_to(y, x.shape))


@pytest.mark.parametrize("wrt", ["q", "qd", ["qd", "q"], None])
def test_products_are_those_with_the_jacobian(wrt):
    """Forward and reverse products equal the Jacobian's with the same vectors."""
    p = pendulum_program()
    names = [wrt] if isinstance(wrt, str) else list(p.inputs) if wrt is None else wrt
    arguments = (states(3, 5, seed=1), states(3, 5, seed=2), states(3, seed=3))
    by = dict(zip(p.inputs, arguments, strict=True))
    blocks = p.jacobian(wrt)(*arguments)
    blocks = blocks if isinstance(blocks, tuple) else (blocks,)
    changes = [states(*by[name].shape, seed=9) for name in names]
    weight = states(3, 5, seed=4)
    jvp, vjp = p.jvp(wrt), p.vjp(wrt)
    assert list(jvp.inputs)[3:] == [f"d_{name}" for name in names]
    assert list(vjp.inputs)[3:] == ["weight"]
    expected = sum(
        np.einsum("bi,b->bi", J, d) if d.ndim == 1 else np.einsum("bij,bj->bi", J, d)
        for J, d in zip(blocks, changes, strict=True)
    )
    close(jvp(*arguments, *changes), expected, TOLERANCE)
    back = vjp(*arguments, weight)
    back = back if isinstance(back, tuple) else (back,)
    for J, x in zip(blocks, back, strict=True):
        close(x, np.einsum("bi...,bi->b...", J, weight), TOLERANCE)


def test_several_outputs_have_several_weights():
    """The reverse product sums over all outputs; the forward one has a change of each."""
    p = matrix_program()
    a, b = states(), states(2, 3)
    vjp = p.vjp("b")
    assert list(vjp.inputs) == ["a", "b", "weight0", "weight1"]
    w0, w1 = states(2, 3, seed=5), states(seed=6)
    by_matrix, by_total = p.jacobian("b")(a, b)
    close(vjp(a, b, w0, w1), np.einsum("ij,ijkl->kl", w0, by_matrix) + w1 * by_total, TOLERANCE)
    change = states(2, 3, seed=7)
    d_matrix, d_total = p.jvp("b")(a, b, change)
    close(d_matrix, np.einsum("ijkl,kl->ij", by_matrix, change), TOLERANCE)
    close(d_total, np.sum(by_total * change), TOLERANCE)


def test_the_gradient_costs_a_small_multiple():
    """In reverse, whatever the number of inputs; forward would take forty times as much."""
    p = program(lambda x: sum(sin(a) * b for a, b in pairwise(x)), x=(40,))
    assert p.jacobian("x").ops <= 4 * p.ops
    assert p.vjp("x").ops <= 5 * p.ops


@pytest.mark.parametrize(("first", "second"), [("a", "b"), ("b", "a"), ("b", "b"), ("a", "a")])
def test_second_derivatives(first, second):
    """They are derivatives of the Jacobian, and symmetric."""
    p = matrix_program()
    arguments = (states(seed=2), states(2, 3))
    H = p.hessian(first, second)(*arguments)
    k = list(p.inputs).index(second)
    expected = differences(p.jacobian(first), arguments, k)
    for got, truth in zip(H, expected, strict=True):
        close(got, truth, DIFFERENCE)
    if first == second == "b":
        flat = H[1].reshape(6, 6)
        np.testing.assert_array_equal(flat, flat.T)
        whole = p.jacobian("b").jacobian("b")(*arguments)
        for got, again in zip(H, whole, strict=True):
            close(got, again, TOLERANCE)


def test_kinks_and_library_functions():
    """Choices, extremes, rounding, exponentials and angles in compiled programs."""
    x = states(50, 3, seed=3)
    p = program(branches, x=(3,))
    for n, J in enumerate(p.jacobian("x")(x)):
        for at, got in zip(x, J, strict=True):
            close(got, differences(p, (at,), 0)[n], DIFFERENCE)
    p = program(elementary, x=(), y=())
    arguments = (states(seed=1), states(seed=2))
    for k, got in enumerate(p.jacobian()(*arguments)):
        close(got, differences(p, arguments, k)[0], DIFFERENCE)


def test_with_value():
    """The outputs themselves come first, with the bits of the program's own."""
    p = pendulum_program()
    arguments = (states(5, seed=1), states(5, seed=2), 1.25)
    for d, more in (
        (p.jacobian("q", with_value=True), ()),
        (p.jvp("q", with_value=True), (states(5),)),
        (p.vjp("q", with_value=True), (states(5),)),
        (p.hessian("q", with_value=True), ()),
    ):
        assert len(d.output_shapes) == 2
        close(d(*arguments, *more)[0], p(*arguments), TOLERANCE)


def test_sparsity():
    """Every entry outside it is zero, and entries inside are not."""
    p = pendulum_program()
    pattern = p.sparsity("q")
    J = p.jacobian("q")(states(5, seed=1), states(5, seed=2), 1.25)
    np.testing.assert_array_equal(pattern, J != 0.0)
    np.testing.assert_array_equal(pattern, np.tri(5, dtype=bool))
    whole, total = matrix_program().sparsity("b")
    np.testing.assert_array_equal(whole.reshape(6, 6), np.eye(6, dtype=bool))
    assert total.shape == (2, 3)
    assert total.all()


def test_constants_have_no_derivative():
    """Outputs that are numbers, or do not use an input, give zeros of the right shape."""
    p = program(lambda a, b: ([2.0, a.floor()], b), a=(), b=(2,))
    numbers, other = p.jacobian("a")(0.3, [1.0, 2.0])
    np.testing.assert_array_equal(numbers, np.zeros(2))
    np.testing.assert_array_equal(other, np.zeros(2))


def test_derivatives_of_derivatives_have_names_of_their_own():
    """A product of a product does not lose an input."""
    twice = pendulum_program().jvp("q").jvp("q")
    assert list(twice.inputs) == ["q", "qd", "length", "d_q", "d_q_"]
    q, qd, d = states(5, seed=1), states(5, seed=2), states(5, seed=3)
    second = pendulum_program().hessian("q")(q, qd, 1.25)
    close(twice(q, qd, 1.25, d, d), np.einsum("ijk,j,k->i", second, d, d), TOLERANCE)


def test_names_of_inputs_are_checked():
    """A wrong name is answered with the right ones; a plain program has no tangents."""
    p = pendulum_program()
    with pytest.raises(TraceError, match=r"one of the inputs q, qd, length .* did you mean 'qd'"):
        p.jacobian("qdd")
    with pytest.raises(TraceError, match="manifold"):
        p.jacobian("q", tangent=True)
