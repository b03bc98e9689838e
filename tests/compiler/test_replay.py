"""A graph's operations on other operands: values of another graph, numbers, or both."""

from __future__ import annotations

import math

import pytest
from hypothesis import given

from compiler.test_random_graphs import BINARY, LIBRARY, N_INPUTS, UNARY, expressions, inputs
from compiler.test_random_graphs import instructions as recipes
from polhode.compiler.graph import OPS, Value, interpret, lower
from polhode.compiler.graph.loop import TracedGraph
from polhode.compiler.graph.replay import constructor, replay

ARITY = {op.name: op for op in OPS.values() if op.arity}


def traced(recipe):
    """A graph of a random expression and its outputs."""
    graph = TracedGraph()
    return graph, expressions(recipe, [graph.input(k) for k in range(N_INPUTS)])


@given(recipes, inputs)
def test_on_inputs_of_another_graph_it_is_the_same_code(recipe, rows):
    """The same operations in the same order, so the same bits."""
    graph, outputs = traced(recipe)
    other = TracedGraph()
    again = replay(graph, outputs, [other.input(k) for k in range(N_INPUTS)])
    one, two = lower(graph, outputs), lower(other, again)
    assert [op.name for op in one.ops] == [op.name for op in two.ops]
    for row in rows:
        assert str(interpret(one, row)) == str(interpret(two, row))


@given(recipes, inputs)
def test_on_numbers_it_folds(recipe, rows):
    """Nothing but floats comes out, as if each node were evaluated by its row of the table."""
    graph, outputs = traced(recipe)
    row = [x if math.isfinite(x) else 0.5 for x in rows[0]]
    folded = replay(graph, outputs, row)
    assert all(isinstance(x, (float, bool)) for x in folded)
    assert str([float(x) for x in folded]) == str(evaluated(graph, outputs, row))


def evaluated(graph, outputs, row):
    """The outputs by the op table, node by node, without multiply-adds."""
    known = {}
    for node in graph.nodes:
        if node.op.name == "input":
            known[node.id] = row[node.args[0]]
        elif node.op.name == "const":
            known[node.id] = node.args[0]
        else:
            known[node.id] = node.op.evaluate(*(known[a.id] for a in node.args))
    return [float(known[x.id]) if isinstance(x, Value) else float(x) for x in outputs]


def test_known_inputs_simplify():
    """A zero among the operands takes its products away."""
    graph = TracedGraph()
    a, b = graph.input(0), graph.input(1)
    y = a * b + (a < b).where(a, 2.0) * b
    other = TracedGraph()
    assert replay(graph, [y], [other.input(0), 0.0]) == [0.0]
    x = other.input(0)
    (out,) = replay(graph, [y], [x, 1.0])
    assert [op.name for op in lower(other, [out]).ops if op.arity] == ["lt", "where", "add"]


@pytest.mark.parametrize("name", [n for n in ARITY if not n.startswith(("fm", "fn"))])
def test_every_op_has_a_constructor(name):
    """On values the op's own node or what it simplifies to; on numbers its value."""
    op, graph = ARITY[name], TracedGraph()
    x, y = graph.input(0), graph.input(1)
    operands = [x, y, x][: op.arity]
    numbers = [0.75, -1.5, 0.75][: op.arity]
    if name in ("and", "or", "not", "where", "branch"):
        operands[0], numbers[0] = x < y, False
    if name in ("and", "or"):
        operands[1], numbers[1] = y < x, True
    if name in ("sqrt", "log"):
        numbers[0] = 2.25
    made = constructor(op)(*operands)
    assert name in repr(made) or name == "sub"
    assert constructor(op)(*numbers) == op.evaluate(*numbers)


def test_steps_are_marked_as_they_were():
    """Where the one graph may be cut, the other may."""
    graph = TracedGraph()
    x = graph.input(0)
    for _ in range(5):
        graph.mark()
        x = x.sin() * 2.0
    other = TracedGraph()
    replay(graph, [x], [other.input(0)])
    assert len(set(other.steps)) == len(set(graph.steps))


def test_recipes_know_every_operation():
    """The random expressions use each op that a program can be written with."""
    graph = TracedGraph()
    values = [graph.input(k) for k in range(N_INPUTS)]
    for table in (UNARY, BINARY, LIBRARY):
        expressions([(name, 0, 1) for name in table], values)
    used = {node.op.name for node in graph.nodes}
    fused = {"fma", "fms", "fnma", "fnms"}
    assert used == set(OPS) - fused, set(OPS) - fused - used
