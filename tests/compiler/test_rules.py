"""Each rewrite of the graph holds on random numbers and makes what it promises."""

from __future__ import annotations

import math
import operator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polhode.compiler.graph import Graph, Value, count_ops, interpret, lower
from polhode.errors import TraceError
from polhode.scalar import cos, sin

numbers = st.floats(-1e3, 1e3, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-9)


def value_of(graph, expression, *inputs):
    """The number that an expression has for these inputs."""
    return interpret(lower(graph, [expression]), inputs)[0]


ARITHMETIC = {
    "a + (-b) is a - b": (lambda a, b: a + -b, lambda a, b: a - b),
    "(-a) + b is b - a": (lambda a, b: -a + b, lambda a, b: b - a),
    "(-a) + (-b) is -(a + b)": (lambda a, b: -a + -b, lambda a, b: -(a + b)),
    "(-a) - b is -(a + b)": (lambda a, b: -a - b, lambda a, b: -(a + b)),
    "(-a) * (-b) is a * b": (lambda a, b: -a * -b, lambda a, b: a * b),
    "a * (-b) is -(a * b)": (lambda a, b: a * -b, lambda a, b: -(a * b)),
    "(-a) / (-b) is a / b": (lambda a, b: -a / -b, lambda a, b: a / b),
    "b - a is -(a - b)": (lambda a, b: b - a, lambda a, b: -(a - b)),
    "a + b is b + a": (lambda a, b: a + b, lambda a, b: b + a),
    "a * b is b * a": (lambda a, b: a * b, lambda a, b: b * a),
    "a * -3 is -(a * 3)": (lambda a, b: a * -3.0, lambda a, b: -(a * 3.0)),
    "a / -3 is -(a / 3)": (lambda a, b: a / -3.0, lambda a, b: -(a / 3.0)),
    "a / 4 is a * 0.25": (lambda a, b: a / 4.0, lambda a, b: a * 0.25),
    "-2 / a is -(2 / a)": (lambda a, b: -2.0 / a, lambda a, b: -(2.0 / a)),
    "-(1 - a) is a - 1": (lambda a, b: -(1.0 - a), lambda a, b: a - 1.0),
    "a - (-2) is a + 2": (lambda a, b: a - -2.0, lambda a, b: a + 2.0),
    "sin(-a) is -sin(a)": (lambda a, b: sin(-a), lambda a, b: -sin(a)),
    "cos(-a) is cos(a)": (lambda a, b: cos(-a), lambda a, b: cos(a)),
    "abs(-a) is abs(a)": (lambda a, b: abs(-a), lambda a, b: abs(a)),
    "a - (-b) is a + b": (lambda a, b: a - -b, lambda a, b: a + b),
    "3 + (-a) is 3 - a": (lambda a, b: 3.0 + -a, lambda a, b: 3.0 - a),
    "3 - (-a) is a + 3": (lambda a, b: 3.0 - -a, lambda a, b: a + 3.0),
    "a + 3 is 3 + a": (lambda a, b: a + 3.0, lambda a, b: 3.0 + a),
    "0 - a is -a": (lambda a, b: 0.0 - a, lambda a, b: -a),
    "a * -1 is -a": (lambda a, b: a * -1.0, lambda a, b: -a),
    "(-a) * b is -(a * b)": (lambda a, b: -a * b, lambda a, b: -(a * b)),
    "(-a) * -3 is a * 3": (lambda a, b: -a * -3.0, lambda a, b: a * 3.0),
    "(-a) / 3 is -(a / 3)": (lambda a, b: -a / 3.0, lambda a, b: -(a / 3.0)),
    "a / (-b) is -(a / b)": (lambda a, b: a / -b, lambda a, b: -(a / b)),
    "(-a) / b is -(a / b)": (lambda a, b: -a / b, lambda a, b: -(a / b)),
    "2 / (-a) is -(2 / a)": (lambda a, b: 2.0 / -a, lambda a, b: -(2.0 / a)),
    "-(-a) is a": (lambda a, b: operator.neg(-a), lambda a, b: a),
    "abs(abs(a)) is abs(a)": (lambda a, b: abs(abs(a)), lambda a, b: abs(a)),
    "a**-2 is 1 / (a * a)": (lambda a, b: a**-2, lambda a, b: 1.0 / (a * a)),
    "a**4 is (a * a) * (a * a)": (lambda a, b: a**4, lambda a, b: (a * a) * (a * a)),
    "a**3 is a * a * a": (lambda a, b: a**3, lambda a, b: a * (a * a)),
    "a**-1 is 1 / a": (lambda a, b: a**-1, lambda a, b: 1.0 / a),
}


@pytest.mark.parametrize("rule", ARITHMETIC)
def test_both_sides_of_a_rule_are_one_node(rule):
    """What a rule rewrites shares the node of what it becomes."""
    graph = Graph()
    a, b = graph.input(0), graph.input(1)
    left, right = ARITHMETIC[rule]
    assert left(a, b) is right(a, b)


@pytest.mark.parametrize("rule", ARITHMETIC)
@pytest.mark.parametrize("keeps_signs", [False, True])
@given(x=numbers.filter(bool), y=numbers.filter(bool))
def test_a_rule_keeps_the_number(rule, keeps_signs, x, y):
    """A rewritten expression has the value of the expression on floats."""
    graph = Graph(keeps_signs=keeps_signs)
    left, _ = ARITHMETIC[rule]
    got = value_of(graph, left(graph.input(0), graph.input(1)), x, y)
    expected = left(x, y)
    assert math.isclose(got, expected, rel_tol=1e-15, abs_tol=1e-12)


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        (lambda a: a * 0.0, 0.0),
        (lambda a: 0.0 * a, 0.0),
        (lambda a: a - a, 0.0),
        (lambda a: a / a, 1.0),
        (lambda a: 0.0 / a, 0.0),
        (lambda a: a**0, 1.0),
    ],
)
def test_what_folds_is_a_float_again(expression, result):
    """Structural zeros and ones leave the graph."""
    folded = expression(Graph().input(0))
    assert isinstance(folded, float)
    assert folded == result


@pytest.mark.parametrize(
    "expression",
    [
        lambda a: a + 0.0,
        lambda a: 0.0 + a,
        lambda a: a - 0.0,
        lambda a: a * 1.0,
        lambda a: a / 1.0,
        lambda a: 0.0 - (-a),
        lambda a: +a,
        lambda a: a.minimum(a),
        lambda a: a.maximum(a),
        lambda a: (a < 1.0).where(a, a),
        lambda a: a * np.float64(1.0),
        lambda a: np.float64(1.0) * a,
        lambda a: a * np.array(1.0),
    ],
)
def test_what_changes_nothing_vanishes(expression):
    """Neutral elements give the operand itself."""
    a = Graph().input(0)
    assert expression(a) is a


def test_conditions_fold():
    """Constants beside conditions, double negation and repeated conditions vanish."""
    graph = Graph()
    a, b = graph.input(0), graph.input(1)
    c = a < b
    assert (c & True) is c
    assert (True & c) is c
    assert (c & False) is False
    assert (c | True) is True
    assert (c | False) is c
    assert (c & c) is c
    assert (c | c) is c
    assert ~~c is c
    assert (~c).where(a, b) is c.where(b, a)
    assert (a > b) is (b < a)
    assert (a >= b) is (b <= a)


CONDITIONS = {
    "a > b is b < a": (lambda a, b, c: a > b, lambda a, b, c: b < a),
    "a >= b is b <= a": (lambda a, b, c: a >= b, lambda a, b, c: b <= a),
    "not not": (lambda a, b, c: ~~(a < b), lambda a, b, c: a < b),
    "c & c": (lambda a, b, c: (a < b) & (a < b), lambda a, b, c: a < b),
    "c | c": (lambda a, b, c: (a < b) | (a < b), lambda a, b, c: a < b),
    "a == b": (lambda a, b, c: a == b, lambda a, b, c: a.equal(b)),
    "a != b": (lambda a, b, c: a != b, lambda a, b, c: ~a.equal(b)),
}


@pytest.mark.parametrize("rule", CONDITIONS)
@given(x=st.integers(-2, 2), y=st.integers(-2, 2), z=numbers)
def test_conditions_keep_their_truth(rule, x, y, z):
    """Both sides are one node, and choose as the expression on floats does."""
    graph = Graph()
    a, b, c = map(graph.input, range(3))
    left, right = CONDITIONS[rule]
    assert left(a, b, c) is right(a, b, c)
    got = value_of(graph, left(a, b, c).where(1.0, 0.0), x, y, z)
    truth = {"not not": x < y, "c & c": x < y, "c | c": x < y}
    expected = truth[rule] if rule in truth else left(float(x), float(y), z)
    assert got == float(expected)


@given(x=numbers, y=numbers, z=numbers)
def test_choices_keep_the_number(x, y, z):
    """A choice under a negated condition, of equal values, and of numbers."""
    graph = Graph()
    a, b, c = map(graph.input, range(3))
    assert value_of(graph, (~(a < b)).where(b, c), x, y, z) == (z if x < y else y)
    assert (a < b).where(2.0, 2.0) == 2.0
    assert value_of(graph, (a < b).where(2.0, 3.0), x, y, z) == (2.0 if x < y else 3.0)
    assert value_of(graph, a.minimum(b) + a.maximum(b), x, y, z) == x + y


def test_common_expressions_are_one_node():
    """Equal operations on equal operands are made once, constants included."""
    graph = Graph()
    a, b = graph.input(0), graph.input(1)
    assert (a * 2.0 + b) is (b + 2.0 * a)
    assert a.sin() is a.sin()
    assert graph.constant(0.0) is not graph.constant(-0.0)
    assert graph.constant(math.nan) is graph.constant(-math.nan)
    assert graph.input(0) is a


def test_unused_operations_are_not_counted():
    """Only what the outputs need is counted, and lowered."""
    graph = Graph()
    a, b = graph.input(0), graph.input(1)
    wanted = a * b + a
    for k in range(5):
        a / (b + k)
    assert count_ops(lower(graph, [wanted])) == 2
    assert [op.name for op in lower(graph, [wanted]).ops] == ["input", "input", "fma"]


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        (lambda a, b, c: a * b + c, "fma"),
        (lambda a, b, c: c + a * b, "fma"),
        (lambda a, b, c: a * b - c, "fms"),
        (lambda a, b, c: c - a * b, "fnma"),
        (lambda a, b, c: -(a * b) - c, "fnms"),
        (lambda a, b, c: -(a * b) + c, "fnma"),
        (lambda a, b, c: -(c - a * b), "fms"),
    ],
)
@given(x=numbers, y=numbers, z=numbers)
def test_a_product_with_one_use_joins_its_sum(expression, name, x, y, z):
    """All four signs of the multiply-add, rounded once."""
    graph = Graph()
    code = lower(graph, [expression(*map(graph.input, range(3)))])
    assert code.ops[-1].name == name
    assert len(code) == 4
    exact = expression(Fraction(x), Fraction(y), Fraction(z))
    assert interpret(code, (x, y, z))[0] == float(exact)


def test_a_product_with_two_uses_stays():
    """A product that is needed anyway is not computed twice."""
    graph = Graph()
    a, b, c = map(graph.input, range(3))
    p = a * b
    code = lower(graph, [p + c, p])
    assert sorted(op.name for op in code.ops[3:]) == ["add", "mul"]


def test_a_sign_joins_the_operation_below_it():
    """A negated difference or scaled value costs no operation."""
    graph = Graph()
    a, b = graph.input(0), graph.input(1)
    code = lower(graph, [b - a, a * -3.0])
    assert sorted(op.name for op in code.ops if op.arity) == ["mul", "sub"]
    assert interpret(code, (2.0, 5.0)) == [3.0, -6.0]


def test_large_graphs_are_traversed_without_recursion():
    """A graph deeper than Python's stack is lowered and counted."""
    graph = Graph()
    x = graph.input(0)
    for _ in range(20000):
        x = x * 0.5 + 1.0
    assert count_ops(lower(graph, [x])) == 40000
    assert interpret(lower(graph, [x]), [7.0])[0] == 2.0


@pytest.mark.parametrize("use", [bool, float, int, operator.index, math.sin])
def test_a_traced_value_refuses_to_be_a_number(use):
    """Host control flow and host functions end in an error that says what to use."""
    with pytest.raises(TraceError, match=r"where|scalar"):
        use(Graph().input(0))


@pytest.mark.parametrize("other", ["text", None, [1.0], np.ones(3), 1j])
def test_operands_must_be_numbers(other):
    """Anything but a number or a traced value is refused by name of its type."""
    a = Graph().input(0)
    with pytest.raises(TraceError, match=type(other).__name__):
        a + other
    with pytest.raises(TraceError, match=type(other).__name__):
        other * a if isinstance(other, np.ndarray) else a * other


def test_powers_are_whole_or_one_half():
    """Other exponents are refused."""
    a = Graph().input(0)
    assert a**0.5 is a.sqrt()
    with pytest.raises(TraceError, match="exponent"):
        a**1.5


def test_where_wants_a_condition():
    """A number is no condition."""
    a = Graph().input(0)
    with pytest.raises(TraceError, match="condition"):
        a.where(1.0, 2.0)


def test_values_print_as_assignments():
    """A node shows its op and its operands' numbers."""
    graph = Graph()
    a = graph.input(0)
    assert repr(a + graph.input(1)) == "v2 = add(v0, v1)"
    assert isinstance(a, Value)
