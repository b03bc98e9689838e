"""`when` on floats, arrays and traces: what is computed, what is skipped, what the slopes are."""

from __future__ import annotations

import math

import numpy as np
import pytest

from compiler.examples import program, same_bits, skipped, states
from polhode.compiler.graph import Graph, interpret, lower
from polhode.errors import TraceError
from polhode.scalar import sin, sqrt, when, where
from polhode.spatial import Vec3

STEP = 1e-6
DIFFERENCE = 1e-7  # of central differences with that step


def many(x, y=0.5):
    """So many operations that they are worth skipping."""
    for _ in range(12):
        x = sin(x) + 0.5 * x * y
    return x


def test_floats_arrays_and_programs_agree():
    """One function, three kinds of scalars; the block sees what is around it."""

    def f(x):
        a, b = x
        return [*when(a < b, lambda u, v: (many(u, b), v - a), a, 2.0), when(b < 0.0, many, a)]

    x = states(50, 2)
    compiled = program(f, x=(2,))(x)
    assert np.allclose(compiled, np.array(f(x.T)).T, rtol=1e-13, atol=0)
    assert np.allclose(compiled, [f(row) for row in x.tolist()], rtol=1e-13, atol=0)


def test_it_is_where_to_the_bit():
    """Skipping changes no number, also where the block is infinite or NaN."""
    rows = np.vstack([states(60, 2), [[np.nan, 1.0], [np.inf, 1.0], [-np.inf, 0.0]]])
    p = program(lambda x: when(x[0] < x[1], lambda u: many(sqrt(u)), x[0]), x=(2,))
    q = program(lambda x: where(x[0] < x[1], many(sqrt(x[0])), x[0]), x=(2,))
    assert same_bits(p(rows), q(rows))


def test_records_and_dicts_go_through():
    """The result has the structure of what is given."""
    place = Vec3(1.0, 2.0, 3.0)
    given = {"place": place, "rest": [1.0, (2.0, 3.0)]}
    turned = {"place": Vec3(2.0, 3.0, 1.0), "rest": [4.0, (5.0, 6.0)]}
    assert when(False, lambda _: turned, given) == given
    array = when(np.array([True, False]), lambda _: turned, given)
    assert array["place"].x.tolist() == [2.0, 1.0]
    assert array["rest"][1][0].tolist() == [5.0, 2.0]

    def f(x):
        made = when(x > 0.0, lambda v: Vec3(v.z, v.x * x, v.y), Vec3(x, 1.0, 2.0))
        assert isinstance(made, Vec3)
        return list(made)

    assert program(f, x=())([3.0, -3.0]).tolist() == [[2.0, 9.0, 1.0], [-3.0, 1.0, 2.0]]


def test_an_array_block_that_nothing_wants_is_not_called():
    """Nor is one of a float, or of a condition that is known while tracing."""

    def never(x):
        raise AssertionError

    x = np.arange(3.0)
    assert when(x > 5.0, never, x) is x
    assert when(False, never, 1.0) == 1.0
    assert when(np.array(False), never, 1.0) == 1.0
    assert when(Graph().input(0) is None, never, 1.0) == 1.0


def test_code_says_what_is_skipped():
    """A block in a block is under both conditions; what is used outside is under none."""
    graph = Graph()
    a, b = graph.input(0), graph.input(1)
    shared = []

    def inner(u):
        shared.append(u * b)
        return many(shared[-1])

    y = when(a < b, lambda u: when(u < 0.0, inner, many(u)), a)
    code = lower(graph, [y])
    depths = [len(branches) for branches in code.branches]
    assert max(depths) == 2
    assert depths.count(2) >= 24
    assert depths[code.outputs[0]] == 0
    code = lower(graph, [y, shared[0]])
    product = code.outputs[1]
    assert code.ops[product].name == "mul"
    assert not code.branches[product]


def test_what_was_there_before_is_not_skipped():
    """A value computed before its condition is no part of the block."""
    graph = Graph()
    a = graph.input(0)
    early = many(a)
    y = when(early > 0.0, lambda u: u * early, a)
    code = lower(graph, [y])
    assert sum(map(bool, code.branches)) == 1  # the product


@pytest.mark.parametrize("lanes", [1, 4, 8])
def test_compiled_code_branches(lanes):
    """Each block of size is a function of its own, called under a branch."""
    text = program(skipped, x=(3,)).source("llvm", lanes=lanes)
    kernel = text[text.index("@kernel(") :]
    assert kernel.count("br i1") == 3
    small = program(lambda x: when(x > 0.0, lambda u: u * 2.0, x), x=())
    assert "br i1" not in small.source("llvm", lanes=lanes)


@pytest.mark.parametrize("kind", ["jacobian", "jvp", "vjp"])
def test_derivatives_are_those_of_the_branch(kind):
    """Forward and in reverse, and what they take is skipped too."""

    def f(x):
        a, b, c = x

        def outer(u, v):
            u = many(u, b)
            return when(u < v, lambda s, t: (many(s, t), s * t), u, v)

        return [*when(a < b, outer, a, c), when(a > 0.0, lambda _: many(sqrt(a)), b)] * 2

    p = program(f, x=(3,))
    x = states(40, 3)
    expected = np.empty((40, 6, 3))
    for k in range(3):
        h = np.eye(3)[k] * STEP
        expected[..., k] = (p(x + h) - p(x - h)) / (2 * STEP)
    if kind == "jacobian":
        made, got = p.jacobian(), p.jacobian()(x)
    elif kind == "jvp":
        made, d = p.jvp(), states(3, seed=1)
        got, expected = made(x, d), expected @ d
    else:
        made, w = p.vjp(), states(6, seed=1)
        got, expected = made(x, w), w @ expected
    assert np.allclose(got, expected, rtol=DIFFERENCE, atol=DIFFERENCE)
    code = made.code
    assert sum(map(bool, code.branches)) > len(code) / 2


def test_second_derivatives():
    """The Hessian of a block, and zero where it is not wanted."""
    p = program(lambda x: when(x > 0.0, lambda _: x * x * x, 0.0), x=())
    assert p.hessian("x")([2.0, -2.0]).tolist() == [12.0, 0.0]


def test_a_program_in_a_program_keeps_its_blocks():
    """Called on values, and with a condition that is known there."""
    p = program(lambda x, y: when(x > 0.0, many, y), x=(), y=())
    again = program(lambda y: p(y - 1.0, y), y=())
    assert any(again.code.branches)
    assert same_bits(again(states(9)), p(states(9) - 1.0, states(9)))
    known = program(lambda y: p(1.0, y), y=())
    assert not any(known.code.branches)


def test_interpreted_as_compiled():
    """The definition of the code gives the same bits."""
    p = program(skipped, x=(3,))
    x = states(30, 3)
    q = program(lambda x: when(x[0] < 0.5, lambda u: u * u - x[1], x[2]), x=(3,))
    assert same_bits(q(x), [interpret(q.code, row)[0] for row in x.tolist()])
    rough = np.array([interpret(p.code, row)[2] for row in x.tolist()])
    assert np.allclose(p(x)[1], rough, rtol=1e-12, atol=0)


def test_mistakes_are_named():
    """Another structure, and a number where a condition should be."""
    x = Graph().input(0)
    with pytest.raises(ValueError, match="expected a result of the structure tuple of 0, 1"):
        when(x > 0.0, lambda u, v: u, x, 1.0)
    with pytest.raises(ValueError, match="expected a result of the structure a scalar, got list"):
        when(x > 0.0, lambda u: [u], x)
    with pytest.raises(TraceError, match="expected a condition before when"):
        when(x, lambda u: u, x)
    assert math.isnan(when(True, lambda u: u * math.nan, 1.0))
