"""Each derivative rule of the op table on random values, and the sweeps on random graphs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polhode.compiler.graph import OPS, Graph, Value, interpret, lower
from polhode.compiler.graph.forward import forward
from polhode.compiler.graph.reverse import reverse
from polhode.compiler.graph.sparse import costs, dependence, jacobian
from polhode.scalar import cos, exp, log, sin, sqrt

N = 4
STEP = 1e-3  # fourth-order differences: truncation STEP^4, rounding eps / STEP
DIFFERENCE = 1e-9
ROUNDING = 1e-11  # of thirty operations on numbers of size one, some of them ill-conditioned

SMOOTH = [
    op for op in OPS.values() if op.derivative is not None and op.name not in ("where", "gather")
]
FLAT = [op for op in OPS.values() if op.derivative is None and op.arity]
POSITIVE = ("sqrt", "log")


def slope(function, at, k):
    """Fourth-order central difference of a function of several numbers by the k-th."""

    def shifted(h):
        return function(*(x + h * (i == k) for i, x in enumerate(at)))

    near = shifted(STEP) - shifted(-STEP)
    far = shifted(2 * STEP) - shifted(-2 * STEP)
    return (8.0 * near - far) / (12.0 * STEP)


def number(graph, x, inputs):
    """The number that an expression, a condition or a float has for these inputs."""
    x = x.where(1.0, 0.0) if isinstance(x, Value) and x.op.is_condition else x
    return interpret(lower(graph, [x]), inputs)[0]


@pytest.mark.parametrize("op", SMOOTH, ids=str)
@given(data=st.data())
def test_a_rule_is_the_slope_of_its_op(op, data):
    """Every operand of every op that varies, away from kinks and poles."""
    span = st.floats(0.5, 2.0) if op.name in POSITIVE else st.floats(-2.0, 2.0)
    at = data.draw(st.lists(span.filter(lambda x: abs(x) >= 0.5), min_size=3, max_size=3))
    at = at[: op.arity]
    if op.name in ("min", "max") and abs(at[0] - at[1]) < 0.1:
        at[1] += 0.2
    if op.name == "atan2" and at[1] < 0:
        at[1] = -at[1]  # the cut
    graph = Graph()
    operands = [graph.input(k) for k in range(op.arity)]
    partials = op.derivative(graph.node(op, *operands), *operands)
    assert len(partials) == op.arity
    expected = [slope(op.evaluate, at, k) for k in range(op.arity)]
    if op.name.startswith("fm") or op.name.startswith("fn"):
        got = _of_fused(op, at)
    else:
        got = [number(graph, p, at) for p in partials]
    np.testing.assert_allclose(got, expected, rtol=DIFFERENCE, atol=DIFFERENCE)


def _of_fused(op, at):
    """A rule of a multiply-add, which no printer is given before lowering, on floats."""
    return op.derivative(op.evaluate(*at), *at)


def test_ops_without_a_rule_are_flat():
    """They are the conditions, and rounding, which does not change between its steps."""
    rounding = [op for op in FLAT if not op.is_condition]
    assert [op.name for op in rounding] == ["floor", "rint"]
    for op in rounding:
        for x in (-1.7, 0.2, 2.4):
            assert slope(op.evaluate, (x,), 0) == 0.0


@pytest.mark.parametrize(("x", "y"), [(1.0, 2.0), (2.0, 1.0)])
def test_a_choice_takes_the_change_of_what_it_chose(x, y):
    """What is not chosen may even have an infinite derivative."""
    graph = Graph()
    a, b = graph.input(0), graph.input(1)
    root = (a - x).sqrt()  # infinite slope at x
    chosen = (a < b).where(a * a, root) if x < y else (a < b).where(root, a * a)
    for rows in (
        forward(graph, [chosen], {a.id: {0: 1.0}}),
        reverse(graph, [chosen], [{0: 1.0}], [a]),
    ):
        assert number(graph, rows[0][0], (x, y)) == 2.0 * x


OPERATIONS = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "square": lambda x, y: x * x,
    "div": lambda x, y: x / (y * y + 1.5),
    "by two": lambda x, y: x / 2.5,
    "inverse": lambda x, y: 1.0 / (x * x + 0.5),
    "neg": lambda x, y: -x,
    "sin": lambda x, y: sin(x),
    "cos": lambda x, y: cos(x + y),
    "sqrt": lambda x, y: sqrt(x * x + 1.0),
    "exp": lambda x, y: exp(sin(x)),
    "log": lambda x, y: log(y * y + 1.25),
    "constant": lambda x, y: y * 0.0 + 3.0,
    "less": lambda x, y: _choose(x, y, x * y, sin(y)),
    "greater": lambda x, y: _choose(y, x, 1.5, x),
}


def _choose(x, y, a, b):
    """``where(x < y, a, b)``, of complex numbers by their real parts."""
    if isinstance(x, complex) or isinstance(y, complex):
        return a if np.real(x) < np.real(y) else b
    condition = x < y
    return condition.where(a, b) if isinstance(condition, Value) else (a if condition else b)


recipes = st.lists(
    st.tuples(st.sampled_from(list(OPERATIONS)), st.integers(0, 99), st.integers(0, 99)),
    min_size=1,
    max_size=30,
)
points = st.lists(st.floats(-1.0, 1.0), min_size=N, max_size=N)


def run(recipe, x):
    """The last few results of a list of instructions, each clipped to size one by a sine."""
    known = list(x)
    for name, i, j in recipe:
        known.append(OPERATIONS[name](known[-1 - i % len(known)], known[-1 - j % len(known)]))
        if name == "mul":
            known[-1] = sin(known[-1])
    return known[-3:]


def complex_step(recipe, x):
    """The Jacobian by complex steps: exact up to rounding."""
    columns = []
    for k in range(N):
        at = [complex(value, 1e-200 * (i == k)) for i, value in enumerate(x)]
        columns.append([np.imag(y) / 1e-200 for y in map(complex, run(recipe, at))])
    return np.array(columns).T


def dense(graph, rows, x):
    """Sparse rows as numbers."""
    flat = [row.get(k, 0.0) for row in rows for k in range(N)]
    return np.array(interpret(lower(graph, flat), x)).reshape(-1, N)


@given(recipes, points)
def test_random_graphs(recipe, x):
    """Both sweeps give the derivative by complex steps; what is absent is zero."""
    graph = Graph()
    inputs = [graph.input(k) for k in range(N)]
    outputs = run(recipe, inputs)
    expected = complex_step(recipe, x)
    units = [{k: 1.0} for k in range(N)]
    ways = {
        "forward": forward(graph, outputs, {i.id: u for i, u in zip(inputs, units, strict=True)}),
        "either": jacobian(graph, outputs, inputs, units),
    }
    back = reverse(graph, outputs, [{k: 1.0} for k in range(3)], inputs)
    ways["reverse"] = [{j: back[j][k] for j in range(N) if k in back[j]} for k in range(3)]
    bits = dependence(graph, outputs, inputs)
    scale = max(1.0, np.abs(expected).max())
    for name, rows in ways.items():
        error = np.abs(dense(graph, rows, x) - expected).max()
        assert error <= ROUNDING * scale, (name, error, scale)
        for row, mask in zip(rows, bits, strict=True):
            assert all(mask >> k & 1 for k in row)


def test_structural_zeros_take_no_products():
    """The Jacobian of independent outputs has one entry for each, at its cost."""
    graph = Graph()
    inputs = [graph.input(k) for k in range(50)]
    units = [{k: 1.0} for k in range(50)]
    outputs = [sin(x) for x in inputs]
    assert costs(graph, outputs, inputs, units) == (50, 50)
    assert [list(row) for row in jacobian(graph, outputs, inputs, units)] == [
        [k] for k in range(50)
    ]


@pytest.mark.parametrize("n_outputs", [1, 40])
def test_the_cheaper_way_is_taken(n_outputs):
    """A sum of many inputs is differentiated in reverse, many functions of one forward."""
    n_inputs = 41 - n_outputs
    graph = Graph()
    inputs = [graph.input(k) for k in range(n_inputs)]
    middle = 0.0
    for x in inputs:
        middle = sin(middle + x)
    outputs = [cos(middle * (k + 2.0)) for k in range(n_outputs)]
    seeds = [{k: 1.0} for k in range(n_inputs)]
    n_forward, n_reverse = costs(graph, outputs, inputs, seeds)
    before = len(graph.nodes)
    jacobian(graph, outputs, inputs, seeds)
    made = len(graph.nodes) - before
    assert (n_forward < n_reverse) == (n_outputs > 1)
    assert made < 3 * min(n_forward, n_reverse) + 100


def test_long_graphs_are_differentiated_without_recursion():
    """A graph deeper than Python's stack, both ways."""
    graph = Graph()
    a = graph.input(0)
    x = a
    for _ in range(20000):
        x = x * 0.999 + 1.0
    (by_forward,) = forward(graph, [x], {a.id: {0: 1.0}})
    (by_reverse,) = reverse(graph, [x], [{0: 1.0}], [a])
    for derivative in (by_forward[0], by_reverse[0]):
        assert math.isclose(derivative, 0.999**20000, rel_tol=1e-11)


@pytest.mark.parametrize("factor", [0.5, -1.0, 3.0])
def test_constant_factors_keep_out_the_side_that_is_not_taken(factor):
    """In reverse too, NaN of the other side stays there."""
    graph = Graph()
    x = graph.input(0)
    root = sqrt(x)
    y = (x > 0.0).where(sin(root) + factor * root, x)
    (row,) = reverse(graph, [y], [{0: 1.0}], [x])
    assert number(graph, row[0], [-1.0]) == 1.0
    assert number(graph, row[0], [4.0]) == pytest.approx((math.cos(2.0) + factor) / 4.0, rel=1e-12)
